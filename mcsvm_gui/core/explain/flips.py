"""The smallest change of a row of the file that changes its predicted class, in the file's own units.

The search runs among features (solvers/explain/search.py). The result is put back into a row of the file with as few
digits as are enough, and the model predicts that row as any row of a file; only a confirmed change is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from mcsvm.solvers.errors import InputError, Sentence
from mcsvm.solvers.explain.game import decision_of_few
from mcsvm.solvers.explain.room import Room
from mcsvm.solvers.explain.search import Decide, smallest_change
from mcsvm.solvers.interrupt import Stopped
from mcsvm.solvers.model import decide
from mcsvm.solvers.work import limited
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.preparation import MatrixPreparation
from mcsvm_gui.core.data.roles.moment import moment
from mcsvm_gui.core.explain.columns import ExplainedColumns, dense, shown, whole_columns
from mcsvm_gui.core.explain.date_tracks import DateTrack, date_tracks
from mcsvm_gui.core.explain.explanation import PreparedRows
from mcsvm_gui.core.machine.trained import TrainedModel

MOST_FEATURES = 5_000  # beyond this, a change of a few of them explains nothing, and the search takes minutes
SEEN = 1_000  # rows of the file that show which values occur, in addition to the support vectors
FEW = 64  # up to this many rows, all are evaluated at once on all support vectors
ROUNDED = 1.05  # rounding may multiply the distance by this factor
DIGITS = 2, 3, 4, 5, 6, 8, 10, 12, 15, 17  # significant digits to try, relative to the range of a column


@dataclass(frozen=True)
class ColumnChange:
    column: str
    before: float | str | None
    after: float | str

    @property
    def words(self) -> tuple[str, str, str]:
        return self.column, shown(self.before), shown(self.after)


@dataclass(frozen=True)
class FileFlip:
    """A change of a row; if none was found, `changes` is empty and `why` gives the reason."""

    before: str | None  # class names; None: rejected
    after: str | None
    changes: tuple[ColumnChange, ...]
    distance: float | None
    why: Sentence | None
    held: tuple[str, ...] = ()  # columns that never change

    def document(self) -> dict[str, Any]:
        return {
            "from": self.before,
            "to": self.after,
            "changes": {change.column: [change.before, change.after] for change in self.changes},
            "distance": self.distance,
            "why": None if self.why is None else str(self.why),
            "held": list(self.held),
        }


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # the model itself confirms the result
def flip_row(
    trained: TrainedModel,
    dataset: Dataset,
    data: PreparedRows,
    place: int,
    fixed: Collection[str] = (),
    to: str | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> FileFlip:
    """Find the smallest change of the row at this place of the data set.

    The columns in `fixed` and those of `held_columns` stay as they are.
    """
    columns = ExplainedColumns.of(trained.preparation)
    if len(columns.features) > MOST_FEATURES:
        raise InputError(
            "changes are searched among at most {most} features; the model has {count}",
            most=MOST_FEATURES,
            count=len(columns.features),
        )
    number = int(np.flatnonzero(data.kept == place)[0])
    row = dense(data.rows[number : number + 1])[0]
    dates = date_tracks(columns, dataset, place, row, fixed)
    room = _room(trained, columns, dataset, data, row, fixed, dates)
    held = held_columns(columns)
    wished = None if to is None else trained.class_names.index(to)
    try:
        with limited(trained.request.threads):
            found = smallest_change(trained.model, room, _decisions(trained, stopped), wished)
    except Stopped:
        return FileFlip(None, None, (), None, Sentence("the search was stopped"), held)
    before = None if found.own < 0 else trained.class_names[found.own]
    if found.row is None:
        return FileFlip(before, None, (), None, found.why, held)
    flip = _put_back(trained, columns, dataset.take([place]), room, found.row, before, to, dates)
    return replace(flip, held=held)


HELD = Sentence("the features of a text, of joined categories or of marked gaps cannot be put back into a file")


def held_columns(columns: ExplainedColumns) -> tuple[str, ...]:
    """Return the columns that never change, for the reason given in HELD."""
    return tuple(name for at, name in enumerate(columns.names) if columns.derived(at) and not columns.date(at))


def _decisions(trained: TrainedModel, stopped: Callable[[], bool]) -> Decide:
    """Return a function that predicts class numbers of rows of features, by costs if the model uses costs."""
    model, rule, calibrated = trained.model, trained.rule, trained.calibrated

    def codes(rows: np.ndarray) -> np.ndarray:
        if stopped():
            raise Stopped(stopped)
        values = decision_of_few(model, rows) if len(rows) <= FEW else model.decision(rows)
        if rule is None or calibrated is None:
            return decide(model.machine, values, model.classes)
        return rule.decide(calibrated.found.probabilities(model.machine, values, model.classes))

    return codes


def _room(
    trained: TrainedModel,
    columns: ExplainedColumns,
    dataset: Dataset,
    data: PreparedRows,
    row: np.ndarray,
    fixed: Collection[str],
    dates: Mapping[int, DateTrack],
) -> Room:
    whole = whole_columns(columns, dataset)
    lots = np.linspace(0, data.kept.size - 1, min(SEEN, data.kept.size)).astype(np.int64)
    seen = np.vstack([row[None], dense(trained.model.points.rows), dense(data.rows[lots])])
    known = np.array([column for column in range(len(columns.names)) if columns.category(column)], dtype=np.int64)
    for column in known.tolist():  # a level unknown to the training cannot be put into a file
        at = columns.places[column]
        strange = (seen[:, at] / columns.scale[at] + columns.shift[at]).max(axis=1) < 0.5
        seen[np.ix_(strange, at)] = row[at]
    step = np.zeros(row.size)
    movable = np.ones(row.size, dtype=bool)
    for column, name in enumerate(columns.names):
        if name in whole:
            step[columns.places[column]] = np.abs(columns.scale[columns.places[column]])
        if name in fixed or (columns.derived(column) and column not in dates):
            movable[columns.places[column]] = False
    categories = tuple(columns.places[column] for column in known.tolist())
    tracks = tuple(one.track for one in dates.values())
    return Room(x=row, seen=seen, movable=movable, step=step, categories=categories, tracks=tracks)


def _put_back(
    trained: TrainedModel,
    columns: ExplainedColumns,
    one: Dataset,
    room: Room,
    row: np.ndarray,
    before: str | None,
    to: str | None,
    dates: Mapping[int, DateTrack],
) -> FileFlip:
    """Write the found row as values of the file, with the fewest digits that hardly move it and that the model
    confirms."""
    when = {column: one.at(row) for column, one in dates.items() if one.at(row) != one.start}
    moved = [
        column for column, at in enumerate(columns.places) if column not in dates and (row[at] != room.x[at]).any()
    ]
    origin = room.x.copy()
    for column in when:
        origin[columns.places[column]] = row[columns.places[column]]
    reach = (room.high - room.low) / np.abs(columns.scale)
    farthest = ROUNDED * float(room.distances(row[None])[0])
    for digits in DIGITS:
        after = {column: _written(columns, room.x, row, column, reach, digits) for column in moved}
        if None in after.values():
            break
        found = _as_features(columns, origin, after)
        distance = float(room.distances(found[None])[0])
        if distance > farthest and digits != DIGITS[-1]:
            continue
        decided = trained.decide(_changed(trained, columns, one, {**after, **when}))[0]
        if decided is not None and decided != before and to in (None, decided):
            turned = [
                ColumnChange(columns.names[column], moment(dates[column].start), moment(seconds))
                for column, seconds in when.items()
            ]
            return FileFlip(before, decided, (*_changes(columns, room.x, after), *turned), distance, None)
    return FileFlip(before, None, (), None, Sentence("the model does not confirm the change that was found"))


def _changes(
    columns: ExplainedColumns, old: np.ndarray, after: dict[int, float | str | None]
) -> tuple[ColumnChange, ...]:
    values = {column: columns.value(old, column) for column in after}
    return tuple(
        ColumnChange(columns.names[column], values[column], value)
        for column, value in after.items()
        if value is not None and value != values[column]
    )


def _as_features(columns: ExplainedColumns, old: np.ndarray, after: dict[int, float | str | None]) -> np.ndarray:
    """Return a row of features with these values of the file."""
    row = old.copy()
    for column, value in after.items():
        at = columns.places[column]
        raw = [columns.features[int(feature)].level == value for feature in at] if isinstance(value, str) else [value]
        row[at] = (np.array(raw, dtype=np.float64) - columns.shift[at]) * columns.scale[at]
    return row


def _written(
    columns: ExplainedColumns, old: np.ndarray, new: np.ndarray, column: int, reach: np.ndarray, digits: int
) -> float | str | None:
    """Return the new value of a column, a number rounded to `digits` digits of the column's range, away from the old
    one."""
    value = columns.value(new, column)
    if not isinstance(value, float):
        return value
    at = int(columns.places[column][0])
    if digits >= DIGITS[-1] or reach[at] <= 0.0:
        return value
    unit = 10.0 ** (np.floor(np.log10(reach[at])) + 1 - digits)
    before = columns.value(old, column)
    assert isinstance(before, float)
    steps = value / unit
    rounded = (np.ceil(steps - 1e-6) if value > before else np.floor(steps + 1e-6)) * unit
    return float(f"{rounded:.15g}")


def _changed(
    trained: TrainedModel, columns: ExplainedColumns, one: Dataset, after: dict[int, float | str | None]
) -> Dataset:
    """Return the row of the file with these values."""
    names = {column.name: place for place, column in enumerate(one.columns)}
    if one.table is not None:
        table: pd.DataFrame = one.table.copy()
        for column, value in after.items():
            place = names[columns.names[column]]
            table.isetitem(place, pd.Series([value], dtype=object if isinstance(value, str) else np.float64))
        return replace(one, table=table)
    assert one.matrix is not None
    matrix = sp.lil_array(one.matrix)
    first = trained.preparation.first if isinstance(trained.preparation, MatrixPreparation) else 1
    for column, value in after.items():
        name = columns.names[column]
        matrix[0, names[name] if name in names else int(name) - first] = value
    return replace(one, matrix=sp.csr_array(matrix))
