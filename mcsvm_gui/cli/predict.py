"""mcsvm predict"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

from mcsvm_gui.cli import output
from mcsvm_gui.cli.reading import read_options, with_missing_rule
from mcsvm_gui.core.base.exits import DONE
from mcsvm_gui.core.base.options import number
from mcsvm_gui.core.base.writing import check_outputs, write_text
from mcsvm_gui.core.evaluate.prediction import Prediction, predict, refuse_uncalibrated, rejecting
from mcsvm_gui.core.machine import model_file
from mcsvm_gui.core.machine.sources import open_for
from solvers.errors import InputError


def run(options: argparse.Namespace) -> int:
    trained = with_missing_rule(model_file.load(options.model), options)
    check_outputs([options.output], (options.model, options.data))
    if options.proba:
        refuse_uncalibrated(trained)
    if options.reject is not None:
        trained = rejecting(trained, _least(options.reject))
    data = open_for(trained, options.data, read_options(options))
    prediction = predict(trained, data, probabilities=options.proba)
    if options.output is not None:
        write_text(options.output, prediction.table(options.scores, options.proba))
    output.warn(options, prediction.notices)
    if options.json:
        output.show_json(document(prediction, options))
    else:
        _show(prediction, options)
    return DONE


def _least(text: str) -> float:
    try:
        return number(text)
    except InputError as error:
        raise InputError("--reject: {error}", error=error) from None


def document(prediction: Prediction, options: argparse.Namespace) -> dict[str, Any]:
    decisions, scores = prediction.decisions, prediction.scores
    return {
        "machine": prediction.trained.model.machine.name,
        "classes": list(prediction.trained.class_names),
        "n_rows": len(decisions.labels),
        "predictions": decisions.labels.tolist(),
        "scores": _plain(decisions.scores) if options.scores else None,
        "probabilities": None if decisions.probabilities is None else _plain(decisions.probabilities),
        "accuracy": None if scores is None else scores.accuracy,
        "balanced_accuracy": None if scores is None else scores.balanced_accuracy,
        "macro_f1": None if scores is None else scores.macro_f1,
        "kappa": None if scores is None else scores.kappa,
        "rejected": int(decisions.rejected.sum()),
        "n_scored": 0 if scores is None else int(prediction.scored.size),
        "output": options.output,
        "warnings": [notice.sentence for notice in prediction.notices],
    }


def _plain(table: np.ndarray) -> list[list[float | None]]:
    return [[None if np.isnan(x) else x for x in row] for row in table.tolist()]


def _show(prediction: Prediction, options: argparse.Namespace) -> None:
    words = summary(prediction)
    if options.output is not None:
        print(f"{words}\nPredictions: {options.output}")
        return
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    sys.stdout.write(prediction.table(options.scores, options.proba))
    sys.stdout.flush()
    if not options.quiet:
        print(words, file=sys.stderr)


def summary(prediction: Prediction) -> str:
    machine, scores = prediction.trained.model.machine, prediction.scores
    rows = output.plural(int(prediction.decisions.decided.size), "row")
    decided = f"{rows} decided by {machine.title} ({machine.name})"
    if scores is None:
        return f"{decided}."
    column = prediction.dataset.weight_name
    counted = "" if column is None else f"; rows count by the column {column}"
    return (
        f"{decided}; {output.accuracy(scores.accuracy)} as labelled in the file (balanced"
        f" {output.accuracy(scores.balanced_accuracy)}, macro F1 {scores.macro_f1:.3f}, kappa {scores.kappa:.3f})"
        f"{counted}."
    )
