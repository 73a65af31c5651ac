"""Conditions that select rows, `CLASS=a,b; size>3`, and merges of classes, `new=a+b`."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.data.roles import dates

CLASS = "CLASS"  # the label, whatever the name of its column
_QUOTED = r'"(?:[^"]|"")*"'
_SIGN = re.compile(r"!=|<=|>=|=|<|>")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_ORDERED: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}


@dataclass(frozen=True)
class Condition:
    column: str
    sign: str
    values: tuple[str, ...]

    def holds(self, cells: np.ndarray) -> np.ndarray:
        """Return the (rows,) mask of cells that fulfil the condition. `cells`: numbers, or text with None.

        Raise InputError if nothing can be compared.
        """
        if cells.dtype == np.float64 and (self.sign not in _ORDERED or not np.isnan(_number(self.values[0]))):
            return self._of_numbers(cells)
        if self.sign in _ORDERED:
            return self._ordered(cells)
        codes, distinct = pd.factorize(cells, use_na_sentinel=True)
        words, numbers = set(self.values), {_number(value) for value in self.values}
        numbers = {number for number in numbers if not np.isnan(number)}
        wanted = [_among(cell, words, numbers) for cell in distinct.tolist()]
        found = np.array([*wanted, "" in self.values], dtype=bool)[codes]
        return found if self.sign == "=" else ~found

    def _of_numbers(self, cells: np.ndarray) -> np.ndarray:
        if self.sign in _ORDERED:
            return np.asarray(_ORDERED[self.sign](cells, _number(self.values[0])))
        found = np.isin(cells, [_number(value) for value in self.values if value])
        if "" in self.values:
            found |= np.isnan(cells)
        return found if self.sign == "=" else ~found

    def _ordered(self, cells: np.ndarray) -> np.ndarray:
        """Compare by size. A cell that is missing, or cannot be compared, is neither larger nor smaller."""
        measure = _number if _NUMBER.fullmatch(self.values[0]) else _date
        bound = measure(self.values[0])
        codes, distinct = pd.factorize(cells, use_na_sentinel=True)
        known = np.array([*(measure(cell) for cell in distinct.tolist()), np.nan])
        if np.isnan(bound) or np.isnan(known).all():
            raise InputError(
                "column {column} holds nothing that could be compared with {value}",
                column=self.column,
                value=self.values[0],
            )
        return np.asarray(_ORDERED[self.sign](known, bound))[codes]


def _among(cell: Any, words: Set[str], numbers: Set[float]) -> bool:
    """Return whether a cell is one of the values. Numbers are compared by value: 1 equals 1.0."""
    if isinstance(cell, str) and cell.strip() in words:
        return True
    return bool(numbers) and _number(cell) in numbers


def _number(cell: Any) -> float:
    if isinstance(cell, float):
        return cell
    return float(cell) if _NUMBER.fullmatch(cell.strip()) else float("nan")


def _date(cell: Any) -> float:
    try:
        return float("nan") if isinstance(cell, float) else float(dates.dates([cell.strip()]).seconds[0])
    except dates.UndecidedError:
        return float("nan")


def conditions(text: str) -> tuple[Condition, ...]:
    """Parse conditions, all of which must hold."""
    found = []
    for part in filter(str.strip, _split(text, ";")):
        cut = _sign(part)
        if cut is None or not (name := _bare(part[: cut.start()])):
            raise InputError(
                "{part!r} is no condition; write CLASS=a,b or size>3, several separated by ;, and names that have such"
                ' signs in quotation marks, as in "a=b"=1',
                part=part.strip(),
            )
        values = tuple(map(_bare, _split(part[cut.end() :], ",")))
        if cut[0] in _ORDERED and (len(values) != 1 or np.isnan(_either(values[0]))):
            raise InputError("{part!r} compares with what is neither a number nor a date", part=part.strip())
        found.append(Condition(name, cut[0], values))
    return tuple(found)


def merges(text: str) -> dict[str, str]:
    """Return the new class of each class to be merged."""
    found: dict[str, str] = {}
    for part in filter(str.strip, _split(text, ";")):
        cut = _sign(part)
        names = [] if cut is None else [_bare(name) for name in _split(part[cut.end() :], "+")]
        new = "" if cut is None else _bare(part[: cut.start()])
        if cut is None or cut[0] != "=" or not new or not all(names):
            raise InputError("{part!r} merges no classes; write new=a+b, several separated by ;", part=part.strip())
        for name in names:
            if name in found:
                raise InputError("class {name!r} cannot become two classes", name=name)
            found[name] = new
    return found


def _either(value: str) -> float:
    number = _number(value)
    return _date(value) if np.isnan(number) else number


def _sign(part: str) -> re.Match[str] | None:
    """Find the first comparison sign outside quotation marks."""
    hidden = re.sub(_QUOTED, lambda quoted: "x" * len(quoted[0]), part)
    return _SIGN.search(hidden)


def _split(text: str, mark: str) -> list[str]:
    """Split a text at a mark outside quotation marks."""
    hidden = re.sub(_QUOTED, lambda quoted: "x" * len(quoted[0]), text)
    cuts = [-1, *(place for place, letter in enumerate(hidden) if letter == mark), len(text)]
    return [text[a + 1 : b] for a, b in pairwise(cuts)]


def _bare(part: str) -> str:
    part = part.strip()
    return part[1:-1].replace('""', '"') if re.fullmatch(_QUOTED, part) else part
