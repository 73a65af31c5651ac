"""Rows with missing cells: refused with their places, left out, or all accepted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.errors import FileError, joined
from mcsvm_gui.core.data.dataset import Dataset, Notice, NoticeTally
from mcsvm_gui.core.data.options import Rules
from mcsvm_gui.core.data.preparation.cells import all_held_cells, line_of
from mcsvm_gui.core.data.remedies import Remedy

PLACES = 3  # number of missing cells that are named


def complete_rows(dataset: Dataset) -> tuple[np.ndarray, list[Notice]]:
    """Return the rows that `drop` keeps: complete rows, ignoring columns without any value."""
    places = range(len(dataset.columns))
    cells_by_name = dict(zip((column.name for column in dataset.columns), all_held_cells(dataset, places), strict=True))
    cells = {name: values for name, values in cells_by_name.items() if not pd.isna(values).all()}
    kept = usable_rows(dataset, cells, Rules(missing="drop"))
    return kept, dropped(dataset, kept)


def usable_rows(dataset: Dataset, cells: dict[str, np.ndarray], rules: Rules) -> np.ndarray:
    """Return all rows, or under `drop` the complete ones; raise FileError with count and first places otherwise."""
    absent = np.zeros(dataset.rows, dtype=np.int64)
    for values in cells.values():
        absent += pd.isna(values)
    if not absent.any():
        return np.arange(dataset.rows)
    if rules.missing == "reject":
        raise MissingCells.of(dataset, cells, absent).error(dataset.name)
    kept = np.flatnonzero(absent == 0)
    if kept.size == 0 and dataset.before is None:
        raise FileError(
            dataset.name,
            "every row has a missing cell; {fill} or most-frequent fills them",
            fill=Remedy("missing", "mean"),
        )
    return kept


class MissingCellsError(FileError):
    """Raised if cells are missing and the rules refuse that; `found` counts them, so that blocks of one file add up."""

    found: MissingCells


@dataclass(frozen=True)
class MissingCells:
    count: int
    rows: int  # of the file, up to the end of the examined part
    places: tuple[tuple[int | None, str], ...]  # the first ones, by line and column

    @classmethod
    def of(cls, dataset: Dataset, cells: dict[str, np.ndarray], absent: np.ndarray) -> MissingCells:
        first = np.flatnonzero(absent)[:PLACES].tolist()
        found = [
            (line_of(dataset, row), name) for row in first for name, values in cells.items() if pd.isna(values[row])
        ]
        return cls(int(absent.sum()), (dataset.before or 0) + dataset.rows, tuple(found[:PLACES]))

    def joined(self, later: MissingCells) -> MissingCells:
        return MissingCells(self.count + later.count, later.rows, (*self.places, *later.places)[:PLACES])

    def error(self, name: str) -> MissingCellsError:
        what = Sentence(
            "{cells} of {rows} missing ({places}, ...); {drop} leaves such rows out, {fill} or most-frequent fills them"
            if self.count > len(self.places)
            else "{cells} of {rows} missing ({places}); {drop} leaves such rows out, {fill} or most-frequent fills"
            " them",
            cells=Sentence("{count} cell", "{count} cells", count=self.count),
            rows=Sentence("{count} row", "{count} rows", count=self.rows),
            places=joined([_place(line, name) for line, name in self.places]),
            drop=Remedy("missing", "drop"),
            fill=Remedy("missing", "mean", verb=""),
        )
        error = MissingCellsError(name, what, line=self.places[0][0])
        error.found = self
        return error


def _place(line: int | None, name: str) -> Sentence:
    if line is None:
        return Sentence("column {name}", name=name)
    return Sentence("line {number} column {name}", number=line, name=name)


def dropped(dataset: Dataset, kept: np.ndarray) -> list[Notice]:
    gone = dataset.rows - kept.size
    return [Notice.of("dropped rows", NoticeTally(_left_out, gone))] if gone else []


def _left_out(tally: NoticeTally) -> Sentence:
    return Sentence(
        "{count} row with missing cells left out", "{count} rows with missing cells left out", count=tally.count
    )
