"""mcsvm predict"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from typing import Any

import numpy as np

from mcsvm_gui.commands import output
from mcsvm_gui.commands.reading import label_of, open_like, read_options, with_missing_rule
from mcsvm_gui.core import model_file
from mcsvm_gui.core.dataset import Dataset
from mcsvm_gui.core.evaluation import Scores, evaluate
from mcsvm_gui.core.exits import DONE
from mcsvm_gui.core.trained import Decisions, TrainedModel, in_training_spelling, unseen_classes
from mcsvm_gui.core.writing import check_writable, csv_text, write_text


def run(options: argparse.Namespace) -> int:
    trained = with_missing_rule(model_file.load(options.model), options)
    if options.output is not None:
        check_writable(options.output)
    dataset = open_like(options.data, read_options(options), label_of(trained))
    decisions = trained.predictions(dataset)
    notices = (*dataset.notices, *decisions.notices)
    if dataset.labels is not None:
        labels = in_training_spelling(trained.class_names, dataset.labels)
        notices += unseen_classes(trained.class_names, labels)
        dataset = replace(dataset, labels=labels)
    scores = scored(trained, dataset, decisions)
    if options.output is not None:
        write_text(options.output, table(trained, decisions, options.scores))
    output.warn(options, notices)
    if options.json:
        sentences = [notice.sentence for notice in notices]
        output.show_json(document(trained, decisions, scores, sentences, options))
    else:
        _show(trained, decisions, scores, options)
    return DONE


def scored(trained: TrainedModel, dataset: Dataset, decisions: Decisions) -> Scores | None:
    """Against the labels in the file, where it has some."""
    rows = decisions.decided
    if dataset.labels is None or rows.size == 0:
        return None
    true = dataset.labels[rows].tolist()
    strange = sorted(set(true) - set(trained.class_names))
    return evaluate(true, decisions.labels[rows].tolist(), [*trained.class_names, *strange])


def table(trained: TrainedModel, decisions: Decisions, with_scores: bool) -> str:
    """One line per row of the data, in its order; empty where a row with missing cells was left out."""
    header = ["prediction", *(f"score {name}" for name in trained.class_names if with_scores)]
    rows = [["" if label is None else label] for label in decisions.labels]
    if with_scores:
        for row, scores in zip(rows, decisions.scores.tolist(), strict=True):
            row.extend("" if np.isnan(score) else repr(score) for score in scores)
    return csv_text(header, rows)


def document(
    trained: TrainedModel,
    decisions: Decisions,
    scores: Scores | None,
    warnings: list[str],
    options: argparse.Namespace,
) -> dict[str, Any]:
    rows = [[None if np.isnan(x) else x for x in row] for row in decisions.scores.tolist()] if options.scores else None
    return {
        "machine": trained.model.machine.name,
        "classes": list(trained.class_names),
        "n_rows": len(decisions.labels),
        "predictions": decisions.labels.tolist(),
        "scores": rows,
        "accuracy": None if scores is None else scores.accuracy,
        "balanced_accuracy": None if scores is None else scores.balanced_accuracy,
        "macro_f1": None if scores is None else scores.macro_f1,
        "kappa": None if scores is None else scores.kappa,
        "n_scored": 0 if scores is None else int(scores.confusion.sum()),
        "output": options.output,
        "warnings": warnings,
    }


def _show(trained: TrainedModel, decisions: Decisions, scores: Scores | None, options: argparse.Namespace) -> None:
    words = summary(trained, decisions, scores)
    if options.output is not None:
        print(f"{words}\nPredictions: {options.output}")
        return
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    sys.stdout.write(table(trained, decisions, options.scores))
    sys.stdout.flush()
    if not options.quiet:
        print(words, file=sys.stderr)


def summary(trained: TrainedModel, decisions: Decisions, scores: Scores | None) -> str:
    machine = trained.model.machine
    decided = f"{output.plural(int(decisions.decided.size), 'row')} decided by {machine.title} ({machine.name})"
    if scores is None:
        return f"{decided}."
    return (
        f"{decided}; {output.accuracy(scores.accuracy)} as labelled in the file (balanced"
        f" {output.accuracy(scores.balanced_accuracy)}, macro F1 {scores.macro_f1:.3f}, kappa {scores.kappa:.3f})."
    )
