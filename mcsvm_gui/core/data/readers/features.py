"""Feature columns of every dense format: typed, refused together where they are not finite, and looked at."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Column, ColumnKind, Notice
from mcsvm_gui.core.data.phrases import names, places
from mcsvm_gui.core.data.readers.columns import Cells, Typed, as_dates, categories, texts, typed, words
from mcsvm_gui.core.data.remedies import for_column
from mcsvm_gui.core.data.roles.naming import counts_rows
from solvers.errors import Sentence


@dataclass(frozen=True)
class ReadFeatures:
    columns: tuple[Column, ...]
    values: list[np.ndarray]
    notices: list[Notice]
    date_order: str = ""


NO_KINDS: Mapping[str, ColumnKind] = {}


def from_cells(
    path: Path,
    columns: Sequence[tuple[str, np.ndarray]],
    lines: np.ndarray,
    decimal: str = ".",
    kinds: Mapping[str, ColumnKind] = NO_KINDS,
    date_order: str = "",
    declared: Set[str] = frozenset(),
) -> ReadFeatures:
    """Float columns pass, and are only asked to be finite; columns of text become numbers or categories.

    `kinds`: that were asked for. `declared`: columns of categories, whatever stands in them. `date_order`: dmy, mdy,
    or nothing where the dates show it.
    """
    results = []
    for name, cells in columns:
        if cells.dtype == np.float64:
            results.append(_finite(cells))
        else:
            one = Cells.of(name, cells, decimal)
            certain = name in declared and kinds.get(name, "category") == "category"
            found = categories(one) if certain else _typed(one, lines, kinds.get(name), date_order)
            date_order = date_order or found.date_order
            results.append(found)
    _refuse_infinite(path, [name for name, _ in columns], results, lines)
    for (name, _), result in zip(columns, results, strict=True):
        if result.refusal is not None:
            sentence, row = result.refusal
            raise FileError(path, sentence, line=int(lines[row]), column=name)
    notices = [notice for result in results for notice in result.notices]
    described = tuple(
        Column(name, result.kind or ("number" if _values(result).dtype == np.float64 else "category"))
        for (name, _), result in zip(columns, results, strict=True)
    )
    notices = _markers([name for name, _ in columns], results, lines) + notices
    return ReadFeatures(described, [_values(result) for result in results], notices, date_order)


def _typed(cells: Cells, lines: np.ndarray, kind: ColumnKind | None, date_order: str) -> Typed:
    if kind == "text":
        return texts(cells)
    if kind == "date":
        return as_dates(cells, lines, date_order)
    return words(cells, lines) if kind == "category" else typed(cells, lines)


def _finite(values: np.ndarray) -> Typed:
    return Typed(values, infinite=np.flatnonzero(np.isinf(values)))


def _values(result: Typed) -> np.ndarray:
    assert result.values is not None
    return result.values


def _markers(columns: list[str], results: list[Typed], lines: np.ndarray) -> list[Notice]:
    """One sentence for all columns in which words mean that a cell is missing."""
    found = [j for j, result in enumerate(results) if len(result.marked)]
    if not found:
        return []
    words = dict.fromkeys(word for j in found for word in results[j].markers)
    rows = np.concatenate([results[j].marked for j in found])
    sentence = Sentence(
        "{count} cell {words} in {where} is taken as missing",
        "{count} cells {words} in {where} are taken as missing",
        count=len(rows),
        words=names(words),
        where=_where([columns[j] for j in found], lines[rows]),
    )
    return [Notice("missing-marker", sentence)]


def _where(columns: Collection[str], lines: np.ndarray) -> Sentence:
    return Sentence(
        "column {names} ({places})",
        "columns {names} ({places})",
        count=len(columns),
        names=names(columns),
        places=places(lines),
    )


def _refuse_infinite(path: Path, columns: list[str], results: list[Typed], lines: np.ndarray) -> None:
    if not any(len(result.infinite) for result in results):
        return
    bad = [j for j, result in enumerate(results) if len(result.not_numbers) or len(result.infinite)]
    nan = sum(len(results[j].not_numbers) for j in bad)
    infinite = sum(len(results[j].infinite) for j in bad)
    rows = np.concatenate([np.concatenate([results[j].not_numbers, results[j].infinite]) for j in bad]).astype(np.int64)
    raise FileError(
        path,
        "not finite: {nan} NaN and {infinite} infinite or too large in {where};"
        " leave missing cells empty, and write numbers below 1.8e308"
        if nan
        else "not finite: {infinite} infinite or too large in {where};"
        " leave missing cells empty, and write numbers below 1.8e308",
        nan=nan,
        infinite=infinite,
        where=_where([columns[j] for j in bad], lines[rows]),
        line=int(lines[rows].min()),
        column=columns[bad[0]],
    )


def make_table(path: Path, found: ReadFeatures) -> pd.DataFrame:
    if not found.columns:
        raise FileError(path, "there is no column to learn from; a data file has at least one feature")
    names = pd.Index([column.name for column in found.columns], dtype=object)
    return _frame(found.values).set_axis(names, axis=1)


def _frame(values: list[np.ndarray]) -> pd.DataFrame:
    """In two blocks: a frame of ten thousand single columns takes seconds to build."""
    blocks = []
    for wanted in (np.dtype(np.float64), np.dtype(object)):
        chosen = [j for j, cells in enumerate(values) if cells.dtype == wanted]
        if chosen:
            together = np.column_stack([values[j] for j in chosen])
            blocks.append(pd.DataFrame(together, columns=pd.Index(chosen), dtype=wanted))
    return blocks[0] if len(blocks) == 1 else pd.concat(blocks, axis=1)[list(range(len(values)))]


def look_at(columns: Sequence[Column], values: Sequence[np.ndarray], lines: np.ndarray) -> list[Notice]:
    """What a person would remark on seeing the table."""
    constant, nothing, counting = [], [], []
    gaps: dict[str, np.ndarray] = {}
    for column, cells in zip(columns, values, strict=True):
        missing = np.isnan(cells) if column.numeric else cells == np.array(None)
        present = cells[~missing] if missing.any() else cells
        if 0 < len(present) < len(cells):
            gaps[column.name] = np.flatnonzero(missing)
        if not len(present):
            nothing.append(column.name)
        elif len(cells) > 1 and (present == present[0]).all():
            constant.append(column.name)
        elif column.kind == "number" and counts_rows(column.name, cells):
            counting.append(column.name)
    advice = {"names": for_column("names", counting[0])} if counting else {}
    return [
        *_remark("all-missing-column", _NOTHING, nothing),
        *_missing(gaps, lines),
        *_imprecise(columns, values),
        *_remark("constant-column", _CONSTANT, constant),
        *_remark("index-column", _COUNTING, counting, **advice),
    ]


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


def _remark(code: str, about: Sentence, found: list[str], **values: Any) -> list[Notice]:
    """On the columns found, where there are any."""
    if not found:
        return []
    columns = Sentence("column {names}", "{count} columns ({names})", count=len(found), names=names(found))
    return [Notice(code, Sentence(about.template, about.many, count=len(found), columns=columns, **values))]


_EXACT = 2.0**53  # whole numbers beyond are rounded
_DIGITS = 16  # of a whole number that was written with all of them
_SMALLEST = float(np.finfo(np.float64).tiny)
_ROUNDING = float(np.finfo(np.float64).eps)
_STEPS = 4096  # different values between lowest and highest that a float has to tell apart


def _imprecise(columns: Sequence[Column], values: Sequence[np.ndarray]) -> list[Notice]:
    """What numbers of 64 bits cannot hold as it was written."""
    lost = {c.name: _losses(held) for c, held in zip(columns, values, strict=True) if c.kind == "number"}
    return [
        notice
        for place, about in enumerate((_BEYOND, _TINY, _BLURRED))
        for notice in _remark("lost-precision", about, [name for name, found in lost.items() if found[place]])
    ]


def _losses(values: np.ndarray) -> tuple[bool, bool, bool]:
    """Digits beyond 2^53, digits of numbers near 0, and differences."""
    size = np.abs(values)
    return _beyond(size), bool(((size > 0.0) & (size < _SMALLEST)).any()), _blurred(values)


def _beyond(size: np.ndarray) -> bool:
    large = size[size >= _EXACT][:1000]
    return any(len(repr(value).partition("e")[0].rstrip("0").replace(".", "")) >= _DIGITS for value in large.tolist())


def _blurred(values: np.ndarray) -> bool:
    present = values[~np.isnan(values)]
    if not len(present):
        return False
    low, high = float(present.min()), float(present.max())
    return 0.0 < high - low < _STEPS * _ROUNDING * max(abs(low), abs(high))


def _missing(gaps: dict[str, np.ndarray], lines: np.ndarray) -> list[Notice]:
    if not gaps:
        return []
    rows = np.unique(np.concatenate(list(gaps.values())))
    sentence = Sentence(
        "{count} cell is missing in {where}",
        "{count} cells are missing in {where}",
        count=sum(map(len, gaps.values())),
        where=_where(gaps, lines[rows]),
    )
    return [Notice("missing-cells", sentence)]
