"""Dates that may move by whole minutes, hours or days between the first and the last date of the file."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from mcsvm.solvers.explain.room import Track
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.preparation.date_parts import DAY, part_of
from mcsvm_gui.core.explain.columns import ExplainedColumns

UNITS = 60.0, 3600.0, DAY  # seconds
MOST = 4_000  # places of a track: eleven years of days


@dataclass(frozen=True, eq=False)
class DateTrack:
    seconds: np.ndarray  # (places,) since 1970
    track: Track

    def at(self, row: np.ndarray) -> float:
        """Return the seconds of a row of features."""
        return float(self.seconds[self.track.places(row[None])[0]])

    @property
    def start(self) -> float:
        return float(self.seconds[self.track.origin])


def date_tracks(
    columns: ExplainedColumns, dataset: Dataset, place: int, row: np.ndarray, fixed: Collection[str]
) -> dict[int, DateTrack]:
    """Return the tracks by column number: dates of which the model sees only parts, and that are known in this row."""
    if dataset.table is None:
        return {}
    position = {column.name: at for at, column in enumerate(dataset.columns) if column.kind == "date"}
    found = {}
    for column, name in enumerate(columns.names):
        if name not in position or name in fixed or not columns.date(column):
            continue
        seconds = dataset.table.iloc[:, position[name]].to_numpy(dtype=np.float64, na_value=np.nan)
        if not np.isnan(seconds[place]):
            steps, origin = _steps(seconds[~np.isnan(seconds)], float(seconds[place]))
            found[column] = _track(columns, column, row, steps, origin)
    return {column: one for column, one in found.items() if len(one.seconds) > 1}


def _steps(seconds: np.ndarray, start: float) -> tuple[np.ndarray, int]:
    """Return the places, and the index of the start.

    The unit is the finest by which the dates differ and that leaves at most MOST places.
    """
    reach = float(np.ptp(seconds))
    by_days = bool((np.mod(seconds - start, DAY) == 0.0).all())
    unit = next((unit for unit in UNITS if reach <= MOST * unit and not (by_days and unit < DAY)), DAY)
    unit *= max(1.0, np.ceil(reach / (unit * MOST)))
    first, last = np.ceil((seconds.min() - start) / unit), np.floor((seconds.max() - start) / unit)
    return start + unit * np.arange(first, last + 1.0), int(-first)


def _track(columns: ExplainedColumns, column: int, row: np.ndarray, seconds: np.ndarray, origin: int) -> DateTrack:
    """Build the track of a date column; at `origin` it has the features of the row unchanged."""
    places = columns.places[column]
    features = [columns.features[int(at)] for at in places]
    values = np.stack([(part_of(seconds, one.part) - one.shift) * one.scale for one in features], axis=1)
    values[origin] = row[places]
    return DateTrack(seconds, Track(places, values, origin))
