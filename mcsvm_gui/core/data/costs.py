"""Cost matrices as CSV: class names in the first row and column, true classes down, decisions across."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.base.options import number
from mcsvm_gui.core.base.writing import Named, csv_text, plain_cell
from mcsvm_gui.core.data.preparation.rules import some
from solvers.costs import CostRule
from solvers.errors import InputError

LONGEST = 50_000_000  # bytes; 2000 classes with all digits


def read_costs(path: Named, classes: Sequence[str]) -> CostRule:
    """In the order of `classes`, whatever the order in the file; FileError, and nothing else, where it is none."""
    rows = _rows(path)
    names = rows[0][1][1:]
    _check_names(path, rows[0][0], names, classes)
    found: dict[str, list[float]] = {}
    for line, (name, *cells) in rows[1:]:
        if name not in classes or name in found:
            raise FileError(
                path,
                "{name!r} is no class, or stands here twice; the classes are {classes}",
                line=line,
                name=name,
                classes=some(list(classes)),
            )
        if len(cells) != len(classes):
            raise FileError(
                path,
                "{found} costs; {wanted} are needed, one for each class that may be decided for",
                line=line,
                found=len(cells),
                wanted=len(classes),
            )
        found[name] = [_cost(path, line, column, cell) for column, cell in zip(names, cells, strict=True)]
    absent = [name for name in classes if name not in found]
    if absent:
        raise FileError(path, "there is no row of costs for {names}", names=some(absent))
    order = [names.index(name) for name in classes]
    try:
        return CostRule.of(np.array([found[name] for name in classes])[:, order])
    except InputError as error:
        raise FileError(path, error.sentence) from None


def costs_text(rule: CostRule, classes: Sequence[str]) -> str:
    rows = [[name, *(repr(float(cost)) for cost in row)] for name, row in zip(classes, rule.costs, strict=True)]
    return csv_text(["true \\ decided", *classes], rows)


def _rows(path: Named) -> list[tuple[int, list[str]]]:
    """Lines with their numbers, without empty ones."""
    try:
        with Path(path).open("rb") as stream:
            content = stream.read(LONGEST + 1)
    except OSError as error:
        raise FileError(path, "the file cannot be read: {reason}", reason=error.strerror or error) from error
    try:
        text = content.decode("utf-8-sig")
        first = text.partition("\n")[0]
        reader = csv.reader(io.StringIO(text), delimiter=max(",;\t", key=first.count), strict=True)
        rows = [(reader.line_num, [plain_cell(cell.strip()) for cell in row]) for row in reader if any(row)]
    except (ValueError, csv.Error) as error:
        raise FileError(path, "this is no CSV file in UTF-8: {reason}", reason=error) from error
    if len(content) > LONGEST or len(rows) < 3 or len(rows[0][1]) < 3:
        raise FileError(
            path, "a cost matrix has the names of the classes in its first row and column, and a cost in every cell"
        )
    return rows


def _check_names(path: Named, line: int, names: Sequence[str], classes: Sequence[str]) -> None:
    strange = [name for name in names if name not in classes]
    absent = [name for name in classes if name not in names]
    if strange:
        raise FileError(
            path,
            "{names}: no such class; the classes are {classes}",
            line=line,
            names=some(strange),
            classes=some(list(classes)),
        )
    if absent:
        raise FileError(path, "there is no column of costs for {names}", line=line, names=some(absent))
    if len(names) != len(classes):
        raise FileError(path, "a class stands here twice", line=line)


def _cost(path: Named, line: int, column: str, cell: str) -> float:
    try:
        cost = number(cell)
    except InputError as error:
        raise FileError(path, error.sentence, line=line, column=column) from None
    if cost < 0.0:
        raise FileError(
            path,
            "a cost must be at least 0, not {cost:g}",
            line=line,
            column=column,
            cost=cost,
        )
    return cost
