"""mcsvm predict"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack, nullcontext
from typing import IO, Any

import numpy as np

from mcsvm_gui.cli import output
from mcsvm_gui.cli.reading import naming, read_options, with_missing_rule
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.exits import DONE
from mcsvm_gui.core.base.options import Share, number
from mcsvm_gui.core.base.terminal import say, say_beside, say_table
from mcsvm_gui.core.base.writing import check_outputs, replacing, spool
from mcsvm_gui.core.data.blocks.learned import ReadAgainError
from mcsvm_gui.core.data.blocks.rows import RowBlocks
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.evaluate.prediction import (
    PredictionLines,
    refuse_uncalibrated,
    refuse_without_sets,
    rejecting,
)
from mcsvm_gui.core.evaluate.scores import Scores
from mcsvm_gui.core.evaluate.streamed import StreamOutcome, decided
from mcsvm_gui.core.machine import model_file
from mcsvm_gui.core.machine.sources import blocks_for
from mcsvm_gui.core.machine.trained import Decisions, TrainedModel


def run(options: argparse.Namespace) -> int:
    trained = with_missing_rule(model_file.load(options.model), options)
    check_outputs([options.output], (options.model, options.data))
    if options.proba:
        refuse_uncalibrated(trained)
    if options.reject is not None:
        trained = rejecting(trained, _number("--reject", options.reject))
    error = None if options.sets is None else _error(trained, options.sets)
    blocks = blocks_for(trained, options.data, read_options(options))
    lines = PredictionLines(trained.class_names, scores=options.scores, probabilities=options.proba, sets=error)
    with ExitStack() as open_files:
        table = None if options.json else open_files.enter_context(spool())
        lists = {name: open_files.enter_context(spool()) for name in _lists(options)}
        with nullcontext(table) if options.output is None else replacing(options.output) as target:
            outcome = _decide(trained, blocks, lines, target, lists, options)
        output.warn(options, outcome.notices)
        if options.json:
            output.show_long_json(document(outcome, options), lists)
        else:
            _show(outcome, table, options)
    return DONE


def _decide(
    trained: TrainedModel,
    blocks: RowBlocks,
    lines: PredictionLines,
    table: IO[bytes] | None,
    lists: Mapping[str, IO[bytes]],
    options: argparse.Namespace,
) -> StreamOutcome:
    """Write predictions block by block; begin again if a later block changes how the first ones are to be read."""
    while True:
        for stream in (*lists.values(), *([] if table is None else [table])):
            stream.seek(0)
            stream.truncate()
        outcome = StreamOutcome(trained)
        try:
            wanted = {"probabilities": options.proba, "sets": options.sets is not None}
            for dataset, decisions in decided(trained, blocks, **wanted):
                if table is not None and not outcome.rows:
                    table.write(lines.header(dataset).encode())
                outcome.add(dataset, decisions)
                if table is not None:
                    table.write(lines.of(dataset, decisions).encode())
                for name, stream in lists.items():
                    output.extend_json(stream, LISTS[name](trained, dataset, decisions, options))
            return outcome
        except ReadAgainError:
            continue


def _error(trained: TrainedModel, text: str) -> float:
    refuse_without_sets(trained)
    error = _number("--sets", text)
    Share().check("--sets", error)
    return error


def _number(argument: str, text: str) -> float:
    with naming(argument):
        return number(text)


def document(outcome: StreamOutcome, options: argparse.Namespace) -> dict[str, Any]:
    """Return the document without the lists that have an entry for each row."""
    scores = outcome.scores
    return {
        "machine": outcome.trained.model.machine.name,
        "classes": list(outcome.trained.class_names),
        "n_rows": outcome.rows,
        **dict.fromkeys(LISTS),
        "accuracy": None if scores is None else scores.accuracy,
        "balanced_accuracy": None if scores is None else scores.balanced_accuracy,
        "macro_f1": None if scores is None else scores.macro_f1,
        "kappa": None if scores is None else scores.kappa,
        "rejected": outcome.rejected,
        "n_scored": 0 if scores is None else outcome.scored,
        "n_trained_on": outcome.trained_on,
        "all_rows": all_rows(outcome.all_scores, outcome.counted) if outcome.trained_on else None,
        "output": options.output,
        "warnings": [notice.sentence for notice in outcome.notices],
    }


def all_rows(scores: Scores | None, rows: int) -> dict[str, Any] | None:
    """Return the measures over all rows, including the rows that the model was trained on."""
    if scores is None:
        return None
    names = "accuracy", "balanced_accuracy", "macro_f1", "kappa"
    return {"n": rows, **{name: getattr(scores, name) for name in names}}


def _lists(options: argparse.Namespace) -> list[str]:
    asked = {"rows": True, "names": True, "predictions": True, "scores": options.scores, "probabilities": options.proba}
    asked |= dict.fromkeys(("sets", "none_of_these"), options.sets is not None)
    return [name for name in LISTS if options.json and asked[name]]


def _plain(table: np.ndarray | None) -> list[list[float | None]]:
    assert table is not None
    return [[None if x != x else x for x in row] for row in table.tolist()]


def _names(
    trained: TrainedModel, dataset: Dataset, decisions: Decisions, options: argparse.Namespace
) -> list[dict[str, str]]:
    """Return the cells that identify each row besides its number, and the cells of the other columns to be written."""
    columns = {**dataset.row_columns, **dataset.kept}
    cells = zip(*(map(str, column.tolist()) for column in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in cells] if columns else []


def _sets(
    trained: TrainedModel, dataset: Dataset, decisions: Decisions, options: argparse.Namespace
) -> list[list[str] | None]:
    """Return the classes in the set of each row; None for rows that were left out."""
    held = decisions.members(number(options.sets)).tolist()
    named = [[name for name, inside in zip(trained.class_names, row, strict=True) if inside] for row in held]
    return [None if gone else row for row, gone in zip(named, _gone(decisions), strict=True)]


def _novel(
    trained: TrainedModel, dataset: Dataset, decisions: Decisions, options: argparse.Namespace
) -> list[bool | None]:
    novel = decisions.novel(number(options.sets)).tolist()
    return [None if gone else one for one, gone in zip(novel, _gone(decisions), strict=True)]


def _gone(decisions: Decisions) -> list[bool]:
    assert decisions.typical is not None
    found: list[bool] = np.isnan(decisions.typical).tolist()
    return found


LISTS: dict[str, Callable[[TrainedModel, Dataset, Decisions, argparse.Namespace], list[Any]]] = {
    "rows": lambda trained, dataset, decisions, options: dataset.row_numbers.tolist(),
    "names": _names,
    "predictions": lambda trained, dataset, decisions, options: decisions.labels.tolist(),
    "scores": lambda trained, dataset, decisions, options: _plain(decisions.scores),
    "probabilities": lambda trained, dataset, decisions, options: _plain(decisions.probabilities),
    "sets": _sets,
    "none_of_these": _novel,
}


def _show(outcome: StreamOutcome, table: IO[bytes] | None, options: argparse.Namespace) -> None:
    words = summary(outcome)
    if options.output is not None or table is None:
        if not options.quiet:
            say(words, f"Predictions: {options.output}")
        return
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    say_table(table)
    sys.stdout.flush()
    if not options.quiet:
        say_beside(words)


def trained_on(count: int, rows: int, accuracy: float) -> str:
    """Return the sentence on accuracy if the model was trained on some of the rows; it ends without a full stop."""
    if count == rows:
        return (
            "All of these rows were used for training, so their accuracy says nothing about new rows:"
            f" {figures.accuracy(accuracy)}"
        )
    return (
        f"{count} of these {rows} rows were used for training. Accuracy on the other {rows - count}:"
        f" {figures.accuracy(accuracy)}"
    )


def summary(outcome: StreamOutcome) -> str:
    machine, scores = outcome.trained.model.machine, outcome.scores
    decided = f"Predicted {output.plural(outcome.decided, 'row')} with {machine.title} ({machine.name})"
    if scores is None:
        return f"{decided}."
    column = outcome.weight_name
    counted = "" if column is None else f"; rows count by the column {column}"
    classes = len(scores.per_class)
    over = f" over {scores.averaged} of {classes} classes" if scores.averaged < classes else ""
    measures = (
        f"(balanced {figures.accuracy(scores.balanced_accuracy)}, macro F1 {figures.rating(scores.macro_f1, 3)}{over},"
        f" kappa {figures.rating(scores.kappa, 3)}){counted}"
    )
    if not outcome.trained_on:
        return f"{decided}. Accuracy: {figures.accuracy(scores.accuracy)} {measures}."
    return f"{decided}. {trained_on(outcome.trained_on, outcome.counted, scores.accuracy)} {measures}."
