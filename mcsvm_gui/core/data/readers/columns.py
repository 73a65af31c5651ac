"""Turn a column of text cells into numbers or categories.

A column that fits neither, or both, is refused with its lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.data import spellings
from mcsvm_gui.core.data.dataset import ColumnKind, Notice, NoticeTally
from mcsvm_gui.core.data.phrases import Lines, names, places, quoted
from mcsvm_gui.core.data.readers.cells import BLANKS, CellKind, kind_of, value_of
from mcsvm_gui.core.data.remedies import Remedy, for_column
from mcsvm_gui.core.data.roles import dates

KEPT_DIGITS = 15  # digits that a double preserves in any number; with more, two numbers may become equal
DATES = "date-column"  # the code of a notice on date columns that are left out
FEW_LEVELS, _MANY_LEVELS = 20, 50
_NOTHING = {CellKind.EMPTY, CellKind.NAN, CellKind.MARKER}
_DOUBTFUL = {CellKind.MARKER, CellKind.INFINITE}
_MISTAKES = 0.05  # if fewer cells than this share of a numeric column are words, the words are mistakes


@dataclass(frozen=True)
class Cells:
    """One column as text: the distinct cells, the kind of each, and the code of each row's cell (-1: empty)."""

    name: str
    codes: np.ndarray
    distinct: list[str]
    kinds: list[CellKind]
    decimal: str

    @classmethod
    def of(cls, name: str, cells: Sequence[str | None] | np.ndarray, decimal: str = ".") -> Cells:
        codes, found = pd.factorize(np.asarray(cells, dtype=object))
        distinct = [str(cell).strip(BLANKS) for cell in found]
        kinds = [kind_of(cell, decimal) for cell in distinct]
        return cls(name, codes, distinct, kinds, decimal)

    def rows(self, *kinds: CellKind) -> np.ndarray:
        return self.where(np.array([kind in kinds for kind in self.kinds], dtype=bool))

    def where(self, chosen: np.ndarray) -> np.ndarray:
        """Return the rows whose cell is one of the chosen ones. Code -1 (empty) finds the False at the end."""
        return np.flatnonzero(np.append(chosen, False)[self.codes])

    def some(self, rows: np.ndarray) -> list[str]:
        """Return the distinct cells of these rows, in order of occurrence."""
        return list(dict.fromkeys(self.distinct[code] for code in self.codes[rows][:10_000]))

    def numbers(self) -> np.ndarray:
        values = [value_of(c, self.decimal) if k is CellKind.NUMBER else np.nan for c, k in self.pairs()]
        return np.append(np.array(values, dtype=np.float64), np.nan)[self.codes]

    def words(self, missing: set[str]) -> np.ndarray:
        words = np.empty(len(self.distinct) + 1, dtype=object)
        words[:-1] = [None if not cell or cell in missing else cell for cell in self.distinct]
        return np.asarray(words[self.codes], dtype=object)

    def pairs(self) -> zip[tuple[str, CellKind]]:
        return zip(self.distinct, self.kinds, strict=True)


def _no_rows() -> np.ndarray:
    return np.empty(0, np.int64)


@dataclass(eq=False)
class Typed:
    """A column made of its cells; `refusal` is the reason if that is impossible."""

    values: np.ndarray | None = None
    notices: list[Notice] = field(default_factory=list)
    refusal: tuple[Sentence, int] | None = None  # the sentence, and the first row that it is about
    markers: tuple[str, ...] = ()  # the words that were taken as missing
    marked: np.ndarray = field(default_factory=_no_rows)  # and the rows that contain them
    not_numbers: np.ndarray = field(default_factory=_no_rows)
    infinite: np.ndarray = field(default_factory=_no_rows)
    kind: ColumnKind | None = None  # set if the values do not show it
    date_order: str = ""
    left_out: bool = False  # a column of dates; a notice explains how to learn from it


def typed(cells: Cells, lines: np.ndarray) -> Typed:
    numbers = cells.rows(CellKind.NUMBER, CellKind.INFINITE)
    others = cells.rows(CellKind.TEXT, CellKind.DATE, CellKind.ODD)
    # Among numbers "none" means a missing value; among words it may be one of them.
    if not len(others) and (len(numbers) or set(cells.some(cells.rows(CellKind.MARKER))) <= {"?"}):
        return as_numbers(cells)
    if len(numbers):
        return _mixed(cells, lines, numbers, others)
    return _words(cells, lines, others)


def as_numbers(cells: Cells) -> Typed:
    missing = cells.rows(CellKind.MARKER, CellKind.NAN)
    return Typed(
        cells.numbers(),
        notices=_rounded(cells),
        markers=tuple(cells.some(missing)),
        marked=missing,
        not_numbers=cells.rows(CellKind.NAN),
        infinite=cells.rows(CellKind.INFINITE),
    )


def _rounded(cells: Cells) -> list[Notice]:
    """Return a warning if cells that differ became equal numbers."""
    exact: dict[float, str] = {}
    for cell, kind in cells.pairs():
        if kind is CellKind.NUMBER and len(cell) > KEPT_DIGITS:
            spelled = spellings.number(cell.replace(cells.decimal, "."))
            if exact.setdefault(value_of(cell, cells.decimal), spelled) != spelled:
                return [Notice("rounded-together", _differ_in_lost_digits(cells.name))]
    return []


def _differ_in_lost_digits(name: str) -> Sentence:
    return Sentence(
        "column {name} holds numbers that differ only beyond the 16 digits that are kept: some have become equal;"
        " subtract what all values share",
        name=quoted(name),
    )


def _mixed(cells: Cells, lines: np.ndarray, numbers: np.ndarray, others: np.ndarray) -> Typed:
    rows = Counter({kind: len(cells.rows(kind)) for kind in CellKind})
    whole = all(cell.lstrip("+-").isdigit() for cell in cells.some(numbers))
    if are_categories(rows, len(cells.distinct), whole=whole):
        result = words(cells, lines)
        tally = NoticeTally(mixture, others.size, numbers.size, about=cells.name, words=tuple(cells.some(others)))
        result.notices.append(Notice.of("mixed-column", tally))
        return result
    return Typed(refusal=(not_numbers(cells, lines, others, spelled=False), int(others[0])))


def mixture(tally: NoticeTally) -> Sentence:
    return Sentence(
        "column {name} holds {numbers} and {words} such as {some}: all are taken as names of categories",
        name=quoted(tally.about),
        numbers=Sentence("{count} number", "{count} numbers", count=tally.more),
        words=Sentence("{count} word", "{count} words", count=tally.count),
        some=names(tally.words, 3),
    )


def are_categories(rows: Mapping[CellKind, int], distinct: int, *, whole: bool) -> bool:
    """Return whether a column of numbers and words holds categories.

    `distinct`: the number of different cells. `whole`: whether all numbers in the column are integers.
    """
    numbers = rows[CellKind.NUMBER] + rows[CellKind.INFINITE]
    certain, doubtful = rows[CellKind.TEXT], rows[CellKind.DATE] + rows[CellKind.ODD]
    many = numbers + certain + doubtful
    if rows[CellKind.INFINITE]:
        return False
    # Few levels, each used often, and enough of them words: such as 2, 3, 4, 5more.
    levels = whole and not doubtful and distinct <= FEW_LEVELS and 3 * distinct <= many and certain >= _MISTAKES * many
    # Words, some of which look like numbers, such as 535i, 41B and 320: at least as many as there are numbers.
    return levels or (certain >= numbers and certain >= doubtful)


def _words(cells: Cells, lines: np.ndarray, others: np.ndarray) -> Typed:
    dates, odd = cells.rows(CellKind.DATE), cells.rows(CellKind.ODD)
    if len(others) and 2 * len(dates) >= len(others):
        return dates_left_out(cells, dates)
    if len(others) and 2 * len(odd) >= len(others):
        return Typed(refusal=(not_numbers(cells, lines, odd, spelled=True), int(odd[0])))
    return words(cells, lines)


def dates_left_out(cells: Cells, rows: np.ndarray) -> Typed:
    """Leave a column of dates out, because only the user knows how it relates to the class."""
    tally = NoticeTally(dates_notice, about=cells.name, words=tuple(cells.some(rows)[:1]))
    return Typed(np.empty(0), [Notice.of(DATES, tally)], left_out=True)


def dates_notice(tally: NoticeTally) -> Sentence:
    return Sentence(
        "column {name} holds dates or times, such as {some}, and is left out; {dates} to learn from them",
        name=quoted(tally.about),
        some=names(tally.words, 1),
        dates=for_column("dates", tally.about, verb="say"),
    )


def not_numbers(cells: Cells, lines: np.ndarray, rows: np.ndarray, *, spelled: bool) -> Sentence:
    return no_numbers(cells.name, cells.some(rows), Lines.of(lines[rows]), cells.decimal, spelled=spelled)


def no_numbers(name: str, some: list[str], lines: Lines, decimal: str, *, spelled: bool) -> Sentence:
    """Return the refusal of cells that are not numbers. `some`: the distinct cells, `lines`: their lines."""
    values: dict[str, Any] = {
        "count": lines.count,
        "name": quoted(name),
        "cells": names(some, 3),
        "places": lines.said,
        "advice": _advice(some, decimal),
    }
    if spelled:
        return Sentence(
            "column {name}: {cells} ({places}) is no number in this spelling; {advice}",
            "column {name}: {cells} ({places}) are no numbers in this spelling; {advice}",
            **values,
        )
    return Sentence(
        "column {name}: {cells} ({places}) is no number while other cells are; {advice}",
        "column {name}: {cells} ({places}) are no numbers while other cells are; {advice}",
        **values,
    )


def _advice(some: list[str], decimal: str) -> Sentence:
    if any("," in cell for cell in some) and decimal == ".":
        return Sentence(
            "{decimal} if the comma is the decimal mark, else write no thousands separators",
            decimal=Remedy("decimal", ",", verb="say"),
        )
    if any("." in cell for cell in some) and decimal == ",":
        return Sentence(
            "{decimal} if the point is the decimal mark, else write no thousands separators",
            decimal=Remedy("decimal", ".", verb="say"),
        )
    return Sentence("write plain numbers such as 1200 or 1.2e3, and leave missing cells empty")


def categories(cells: Cells) -> Typed:
    """Convert a column that is certainly text: no cell is a number, and only empty cells are missing."""
    result = Typed(cells.words(set()))
    levels = len(set(cells.distinct) - {""})
    if levels > _MANY_LEVELS or levels > max(FEW_LEVELS // 2, len(cells.codes) // 2):
        sentence = Sentence(
            "column {name} is text with {levels} different values; as categories each becomes a column;"
            " {text} to learn from its words, or {names} where it only names the rows",
            name=quoted(cells.name),
            levels=levels,
            text=for_column("text", cells.name, verb="say"),
            names=for_column("names", cells.name),
        )
        result.notices.append(Notice("many-categories", sentence))
    return result


def texts(cells: Cells) -> Typed:
    """Convert a column to free text, unchanged. An empty cell is a text without words, not a missing value."""
    found = cells.words(set())
    found[found == np.array(None)] = ""
    return Typed(found, kind="text")


def as_dates(cells: Cells, lines: np.ndarray, order: str) -> Typed:
    try:
        found = dates.dates(cells.distinct, order)
    except dates.UndecidedError:
        sentence = Sentence(
            "column {name} holds dates such as {some}, and nothing shows which is the day and which the month;"
            " {first} or {then}",
            name=quoted(cells.name),
            some=names(cells.some(cells.rows(CellKind.DATE)), 1),
            first=Remedy("date_order", "dmy", verb="say"),
            then=Remedy("date_order", "mdy", verb=""),
        )
        return Typed(refusal=(sentence, 0))
    nothing = np.array([kind in _NOTHING for kind in cells.kinds], dtype=bool)
    wrong = cells.where(np.isnan(found.seconds) & ~nothing)
    if len(wrong):
        sentence = Sentence(
            "column {name}: {cells} ({places}) is no date; write 2024-05-31, or 2024-05-31 18:30",
            "column {name}: {cells} ({places}) are no dates; write 2024-05-31, or 2024-05-31 18:30",
            count=len(wrong),
            name=quoted(cells.name),
            cells=names(cells.some(wrong), 3),
            places=places(lines[wrong]),
        )
        return Typed(refusal=(sentence, int(wrong[0])))
    result = Typed(np.append(found.seconds, np.nan)[cells.codes], kind="date", date_order=found.order)
    if len(found.zones) > 1:
        sentence = Sentence(
            "column {name} holds times of several zones ({zones}); each counts as its own clock shows",
            name=quoted(cells.name),
            zones=names(sorted(found.zones)),
        )
        result.notices.append(Notice("time-zones", sentence))
    return result


def words(cells: Cells, lines: np.ndarray) -> Typed:
    """Convert a column to categories, except for cells that mean a missing value."""
    result = categories(cells)
    nothing = {cell for cell, kind in cells.pairs() if cell == "?" or kind is CellKind.NAN}
    result.values = cells.words(nothing)
    result.marked = cells.where(np.array([cell in nothing for cell in cells.distinct], dtype=bool))
    result.markers = tuple(cells.some(result.marked))
    doubtful = np.array([kind in _DOUBTFUL and cell != "?" for cell, kind in cells.pairs()], dtype=bool)
    unknown = cells.where(doubtful)
    if len(unknown):
        sentence = Sentence(
            "column {name}: {some} ({places}) is taken as the name of a category; leave cells empty that are missing",
            name=quoted(cells.name),
            some=names(cells.some(unknown)),
            places=places(lines[unknown]),
        )
        result.notices.append(Notice("category-like-missing", sentence))
    return result
