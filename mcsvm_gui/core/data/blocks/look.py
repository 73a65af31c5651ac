"""Notices on the columns of a table (missing, constant, rounded, numbering), from facts added up over its blocks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.data.dataset import Column, Notice
from mcsvm_gui.core.data.phrases import Lines, names
from mcsvm_gui.core.data.remedies import for_column
from mcsvm_gui.core.data.roles.naming import counted_from, enough_to_count

_EXACT = 2.0**53  # larger whole numbers are rounded
_DIGITS = 16  # of a whole number that was written with all of them
_SMALLEST = float(np.finfo(np.float64).tiny)
_ROUNDING = float(np.finfo(np.float64).eps)
_STEPS = 4096  # different values between lowest and highest that a float has to distinguish


CODES = "all-missing-column", "missing-cells", "lost-precision", "constant-column", "index-column"


@dataclass(frozen=True)
class ColumnLook:
    name: str
    rows: int
    missing: int
    first: float | str | None = None  # value; None if there is none
    constant: bool = True
    counts_from: float | None = None  # if the column is the number of its row: the number of the first row
    beyond: bool = False  # digits beyond 2^53 are lost
    tiny: bool = False  # numbers near 0 have few digits
    low: float = np.inf
    high: float = -np.inf

    @classmethod
    def of(cls, column: Column, cells: np.ndarray, missing: np.ndarray, before: int) -> ColumnLook:
        present = cells[~missing] if missing.any() else cells
        found = cls(column.name, cells.size, int(cells.size - present.size))
        if not present.size:
            return found
        first = present[0]
        found = replace(found, first=first, constant=bool((present == first).all()))
        if column.kind != "number":
            return found
        size = np.abs(present)
        return replace(
            found,
            counts_from=counted_from(cells, before),
            beyond=_beyond(size),
            tiny=bool(((size > 0.0) & (size < _SMALLEST)).any()),
            low=float(present.min()),
            high=float(present.max()),
        )

    def joined(self, later: ColumnLook) -> ColumnLook:
        here, there = self.first is not None, later.first is not None
        return ColumnLook(
            self.name,
            self.rows + later.rows,
            self.missing + later.missing,
            self.first if here else later.first,
            self.constant and later.constant and (not (here and there) or self.first == later.first),
            self.counts_from if self.counts_from == later.counts_from else None,
            self.beyond or later.beyond,
            self.tiny or later.tiny,
            min(self.low, later.low),
            max(self.high, later.high),
        )

    @property
    def empty(self) -> bool:
        return self.first is None

    @property
    def varies(self) -> bool:
        return not (self.constant and self.rows > 1)

    @property
    def counts_rows(self) -> bool:
        return self.counts_from is not None and self.varies and self.rows >= enough_to_count(self.name)

    @property
    def blurred(self) -> bool:
        return 0.0 < self.high - self.low < _STEPS * _ROUNDING * max(abs(self.low), abs(self.high))


def _beyond(size: np.ndarray) -> bool:
    large = size[size >= _EXACT][:1000]
    return any(len(repr(value).partition("e")[0].rstrip("0").replace(".", "")) >= _DIGITS for value in large.tolist())


@dataclass(frozen=True)
class TableLook:
    columns: tuple[ColumnLook, ...]
    rows: Lines
    gaps: Lines  # rows with a missing cell in a column that is not empty

    @classmethod
    def of(
        cls, columns: Sequence[Column], values: Sequence[np.ndarray], lines: np.ndarray, before: int = 0
    ) -> TableLook:
        looks, gaps = [], np.zeros(len(lines), dtype=bool)
        for column, cells in zip(columns, values, strict=True):
            missing = np.isnan(cells) if column.numeric else cells == np.array(None)
            looks.append(ColumnLook.of(column, cells, missing, before))
            if not looks[-1].empty:
                gaps |= missing
        return cls(tuple(looks), Lines.of(lines), Lines.of(lines[gaps]))

    def joined(self, later: TableLook) -> TableLook:
        columns = (one.joined(other) for one, other in zip(self.columns, later.columns, strict=True))
        gaps = self._gaps_beside(later).joined(later._gaps_beside(self))
        return TableLook(tuple(columns), self.rows.joined(later.rows), gaps)

    def _gaps_beside(self, other: TableLook) -> Lines:
        """Return the lines with a missing cell once joined: all lines if a column is empty here, but not in `other`."""
        pairs = zip(self.columns, other.columns, strict=True)
        return self.rows if any(here.empty and not there.empty for here, there in pairs) else self.gaps

    def notices(self) -> list[Notice]:
        counting = [look for look in self.columns if look.counts_rows]
        advice = {"names": for_column("names", counting[0].name)} if counting else {}
        return [
            *_remark("all-missing-column", _NOTHING, [look for look in self.columns if look.empty]),
            *self._missing(),
            *_remark("lost-precision", _BEYOND, [look for look in self.columns if look.beyond]),
            *_remark("lost-precision", _TINY, [look for look in self.columns if look.tiny]),
            *_remark("lost-precision", _BLURRED, [look for look in self.columns if look.blurred]),
            *_remark("constant-column", _CONSTANT, [look for look in self.columns if not (look.empty or look.varies)]),
            *_remark("index-column", _COUNTING, counting, **advice),
        ]

    def _missing(self) -> list[Notice]:
        some = [look for look in self.columns if look.missing and not look.empty]
        if not some:
            return []
        sentence = Sentence(
            "{count} cell is missing in {where}",
            "{count} cells are missing in {where}",
            count=sum(look.missing for look in some),
            where=where([look.name for look in some], self.gaps),
        )
        return [Notice("missing-cells", sentence)]


def where(columns: Collection[str], lines: Lines) -> Sentence:
    return Sentence(
        "column {names} ({places})",
        "columns {names} ({places})",
        count=len(columns),
        names=names(columns),
        places=lines.said,
    )


_NOTHING = Sentence("{columns} holds no value at all", "{columns} hold no value at all")
_CONSTANT = Sentence("{columns} holds the same value everywhere", "{columns} hold the same value everywhere")
_COUNTING = Sentence(
    "{columns} holds the row numbers, which would tell sorted classes apart; better not learned: {names}",
    "{columns} hold the row numbers, which would tell sorted classes apart; better not learned: {names}",
)
_BEYOND = Sentence(
    "{columns} holds whole numbers beyond 2^53, of which 16 digits are kept: some may have become equal",
    "{columns} hold whole numbers beyond 2^53, of which 16 digits are kept: some may have become equal",
)
_TINY = Sentence(
    "{columns} holds numbers below 2.2e-308, of which few digits are kept",
    "{columns} hold numbers below 2.2e-308, of which few digits are kept",
)
_BLURRED = Sentence(
    "{columns} varies so little beside its size that rounding blurs it; subtract what all values share",
    "{columns} vary so little beside their size that rounding blurs them; subtract what all values share",
)


def _remark(code: str, about: Sentence, looks: Sequence[ColumnLook], **values: Any) -> list[Notice]:
    """Return a notice on these columns, if there are any."""
    found = [look.name for look in looks]
    if not found:
        return []
    columns = Sentence("column {names}", "{count} columns ({names})", count=len(found), names=names(found))
    return [Notice(code, Sentence(about.template, about.many, count=len(found), columns=columns, **values))]
