"""Feature columns of every dense format: give them types, and refuse together all that are not finite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.blocks.look import where
from mcsvm_gui.core.data.dataset import Column, ColumnKind, Notice, NoticeTally
from mcsvm_gui.core.data.phrases import Lines, names, quoted
from mcsvm_gui.core.data.readers.columns import Cells, Typed, as_dates, as_numbers, categories, texts, typed, words
from mcsvm_gui.core.data.remedies import for_column


@dataclass(frozen=True)
class ReadFeatures:
    columns: tuple[Column, ...]
    values: list[np.ndarray]
    own: list[list[Notice]]  # for each column
    notices: list[Notice]  # for several columns together
    date_order: str = ""

    def without(self, names: Set[str]) -> ReadFeatures:
        kept = [place for place, column in enumerate(self.columns) if column.name not in names]
        columns = tuple(self.columns[place] for place in kept)
        return replace(
            self,
            columns=columns,
            values=[self.values[place] for place in kept],
            own=[self.own[place] for place in kept],
        )


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
    """Convert columns. Float columns are only checked to be finite; text becomes numbers or categories.

    `kinds`: the requested kinds. `declared`: columns of categories, whatever their cells. `date_order`: dmy, mdy, or
    empty if the dates show their order.
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
    left_out = [notice for result in results if result.left_out for notice in result.notices]
    if left_out and all(result.left_out for result in results):
        raise _dates_alone(path, columns, lines)
    columns = [column for column, result in zip(columns, results, strict=True) if not result.left_out]
    results = [result for result in results if not result.left_out]
    described = tuple(
        Column(name, result.kind or ("number" if _values(result).dtype == np.float64 else "category"))
        for (name, _), result in zip(columns, results, strict=True)
    )
    markers = _markers([name for name, _ in columns], results, lines)
    values = [_values(result) for result in results]
    return ReadFeatures(described, values, [result.notices for result in results], [*left_out, *markers], date_order)


def _dates_alone(path: Path, columns: Sequence[tuple[str, np.ndarray]], lines: np.ndarray) -> FileError:
    name, cells = columns[0]
    first = int(np.flatnonzero(~pd.isna(cells))[0])
    return FileError(
        path,
        "column {name} holds dates or times, such as {some}, and there is no other column to learn from; {dates}",
        name=quoted(name),
        some=quoted(str(cells[first]).strip()),
        dates=for_column("dates", name, verb="say"),
        line=int(lines[first]),
        column=name,
    )


def _typed(cells: Cells, lines: np.ndarray, kind: ColumnKind | None, date_order: str) -> Typed:
    if kind == "text":
        return texts(cells)
    if kind == "date":
        return as_dates(cells, lines, date_order)
    if kind == "number":
        return as_numbers(cells)
    return words(cells, lines) if kind == "category" else typed(cells, lines)


def _finite(values: np.ndarray) -> Typed:
    return Typed(values, infinite=np.flatnonzero(np.isinf(values)))


def _values(result: Typed) -> np.ndarray:
    assert result.values is not None
    return result.values


def _markers(columns: list[str], results: list[Typed], lines: np.ndarray) -> list[Notice]:
    """Return one notice for all columns in which words mean a missing cell."""
    found = [j for j, result in enumerate(results) if len(result.marked)]
    if not found:
        return []
    words = dict.fromkeys(word for j in found for word in results[j].markers)
    rows = np.concatenate([results[j].marked for j in found])
    inside = tuple(columns[j] for j in found)
    tally = NoticeTally(_taken, len(rows), lines=Lines.of(lines[rows]), columns=inside, words=tuple(words))
    return [Notice.of("missing-marker", tally)]


def _taken(tally: NoticeTally) -> Sentence:
    return Sentence(
        "{count} cell {words} in {where} is taken as missing",
        "{count} cells {words} in {where} are taken as missing",
        count=tally.count,
        words=names(tally.words),
        where=where(tally.columns, tally.lines),
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
        where=where([columns[j] for j in bad], Lines.of(lines[rows])),
        line=int(lines[rows].min()),
        column=columns[bad[0]],
    )


def make_table(path: Path, found: ReadFeatures) -> pd.DataFrame:
    if not found.columns:
        raise FileError(path, "there is no column to learn from; a data file has at least one feature")
    names = pd.Index([column.name for column in found.columns], dtype=object)
    return _frame(found.values).set_axis(names, axis=1)


def _frame(values: list[np.ndarray]) -> pd.DataFrame:
    """Build a frame of two blocks: a frame of ten thousand single columns takes seconds to build."""
    blocks = []
    for wanted in (np.dtype(np.float64), np.dtype(object)):
        chosen = [j for j, cells in enumerate(values) if cells.dtype == wanted]
        if chosen:
            together = np.column_stack([values[j] for j in chosen])
            blocks.append(pd.DataFrame(together, columns=pd.Index(chosen), dtype=wanted, copy=False))
    return blocks[0] if len(blocks) == 1 else pd.concat(blocks, axis=1)[list(range(len(values)))]
