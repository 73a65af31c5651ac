"""mcsvm explain"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

from mcsvm.solvers.budget import EXPLAIN
from mcsvm.solvers.errors import InputError
from mcsvm_gui.cli import output
from mcsvm_gui.cli.interrupt import Interrupt
from mcsvm_gui.cli.progress import ProgressLine
from mcsvm_gui.cli.reading import naming, read_options, with_missing_rule
from mcsvm_gui.core.base.exits import DONE, INTERRUPTED
from mcsvm_gui.core.base.options import Whole, whole_number
from mcsvm_gui.core.base.writing import check_outputs, csv_text, write_text
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.explain import explanation as explaining
from mcsvm_gui.core.explain.columns import dense
from mcsvm_gui.core.explain.explanation import BACKGROUND, Explanation, PreparedRows
from mcsvm_gui.core.explain.flips import HELD, FileFlip, flip_row
from mcsvm_gui.core.machine import model_file
from mcsvm_gui.core.machine.sources import open_for
from mcsvm_gui.core.machine.trained import TrainedModel

SHOWN = 8  # columns of a row in the text


def run(options: argparse.Namespace) -> int:
    background = _count("background", options.background, BACKGROUND)
    trained = with_missing_rule(model_file.load(options.model), options)
    check_outputs([options.output], (options.model, options.data, options.training))
    read = read_options(options, trained.request.read)
    dataset = open_for(trained, options.data, read)
    places = None if options.rows is None else places_of(options.rows, dataset)
    fixed = _fixed(options, dataset)
    training = None if options.training is None else open_for(trained, options.training, read).counting()
    data = explaining.prepared_rows(trained, dataset, background, training)
    drawn = _count("permutations", options.permutations, EXPLAIN.permutations)
    progress = ProgressLine(options.quiet)
    with Interrupt() as interrupt:
        try:
            found = explaining.explain_rows(trained, data, places, _telling(progress, interrupt), drawn)
            flips = _flips(trained, dataset, data, found, fixed, progress, interrupt) if options.flip else None
        finally:
            progress.end()
        stopped = interrupt.requested
    document = _document(found, flips, options)
    if options.output is not None:
        write_text(options.output, csv_text(*explaining.table(found)))
    output.warn(options, data.notices)
    output.show(options, lambda: document, lambda: summary_lines(found, dataset, flips, options.output))
    return INTERRUPTED if stopped else DONE


def _count(option: str, text: str | None, usual: int) -> int:
    if text is None:
        return usual
    with naming(f"--{option}"):
        count = whole_number(text)
        Whole(lowest=1).check(option, count)
    return count


def places_of(text: str, dataset: Dataset) -> list[int]:
    """Return the positions of the rows of "1,5-9", numbers of data rows of the file, in the order of the text.

    If several files are read, a number selects its row in every file that has one.
    """
    numbers: list[int] = []
    highest = int(dataset.row_numbers.max(initial=0))
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        try:
            low, high = int(first), int(last if dash else first)
        except ValueError:
            raise InputError("--rows: {part!r} is no row; write numbers and ranges, as 1,5-9", part=part) from None
        if not 1 <= low <= high <= highest:
            raise InputError("--rows: {part} is not within 1 to {count}", part=part.strip(), count=highest)
        numbers += range(low, high + 1)
    order = {row: place for place, row in enumerate(dict.fromkeys(numbers))}
    places = np.flatnonzero(np.isin(dataset.row_numbers, numbers))
    absent = order.keys() - set(dataset.row_numbers[places].tolist())
    if absent:
        raise InputError("--rows: row {row} is not among the rows that are read", row=min(absent))
    return sorted(places.tolist(), key=lambda place: order[int(dataset.row_numbers[place])])


def _fixed(options: argparse.Namespace, dataset: Dataset) -> frozenset[str]:
    if options.fix is None:
        return frozenset()
    if not options.flip:
        raise InputError("--fix says what --flip leaves as it is; give both, or neither")
    named, known = {name.strip() for name in options.fix.split(",")}, {column.name for column in dataset.columns}
    strange = sorted(named - known)
    if strange:
        raise InputError("--fix: there is no column {name!r} in {data}", name=strange[0], data=dataset.name)
    return frozenset(named)


def _telling(progress: ProgressLine, interrupt: Interrupt) -> Callable[[float], bool]:
    def told(share: float) -> bool:
        progress.share("explaining", share)
        return interrupt.requested

    return told


def _flips(
    trained: TrainedModel,
    dataset: Dataset,
    data: PreparedRows,
    found: Explanation,
    fixed: frozenset[str],
    progress: ProgressLine,
    interrupt: Interrupt,
) -> list[FileFlip]:
    flips: list[FileFlip] = []
    for number, place in enumerate(found.places.tolist()):
        if interrupt.requested:
            break
        progress.share("looking for changes", number / found.places.size)
        flip = flip_row(trained, dataset, data, place, fixed, stopped=lambda: interrupt.requested)
        if not interrupt.requested:
            flips.append(flip)
    return flips


def _document(found: Explanation, flips: list[FileFlip] | None, options: argparse.Namespace) -> dict[str, Any]:
    document = explaining.document(found)
    for row, flip in zip(document["rows"], flips or (), strict=False):
        row["flip"] = flip.document()
    return {"machine": found.trained.model.machine.name, **document, "output": options.output}


# -- in words -------------------------------------------------------------------------------------


def summary_lines(found: Explanation, dataset: Dataset, flips: list[FileFlip] | None, path: str | None) -> list[str]:
    lines: list[str] = []
    for number in range(found.places.size):
        lines += _row(found, dataset, number)
        if flips is not None and number < len(flips):
            lines += _flip(flips[number])
    error = float(found.found.sum_errors.max(initial=0.0))
    lines.append(
        f"{output.plural(found.places.size, 'row')} explained; the sums miss the decision values by {error:.1g}."
    )
    sampled = found.found.standard_errors
    if sampled is not None:
        lines.append(f"The values are sampled; their standard errors are at most {sampled.max(initial=0.0):.1g}.")
    return lines if path is None else [*lines, f"Values: {path}"]


def _row(found: Explanation, dataset: Dataset, number: int) -> list[str]:
    first, second = int(found.winners[number]), int(found.runners_up[number])
    mean, value = found.pair_ends(number, first, second)
    values, place = found.of_pair(number, first, second), int(found.places[number])
    cells = found.columns.cells(dense(found.features[number : number + 1])[0], dataset, place)
    pair = " against ".join(repr(found.trained.class_names[code]) for code in (first, second))
    names = "".join(f", {name} {cell}" for name, cell in found.names_of(number).items())
    lines = [f"row {found.numbers[number]}{names}: {pair}: {value:.3g}, {mean:.3g} on average"]
    order = np.argsort(-np.abs(values), kind="stable")[:SHOWN].tolist()
    for column in order:
        lines.append(f"  {values[column]:+10.3g}  {found.columns.names[column]} = {cells[column]}")
    rest = values.size - len(order)
    return lines + ([f"  {values.sum() - values[order].sum():+10.3g}  {rest} other columns"] if rest else [])


def _flip(flip: FileFlip) -> list[str]:
    held = [f"  left as they are ({HELD}): {', '.join(flip.held)}"] if flip.held else []
    if flip.why is not None:
        return [f"  no change found: {flip.why}", *held]
    changes = [f"    {name}: {before} -> {after}" for name, before, after in (one.words for one in flip.changes)]
    return [f"  decided {flip.after!r} with", *changes, *held]
