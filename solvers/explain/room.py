"""The room in which a row may move: its columns, their values and steps, and the distance of a move.

The distance is Euclidean, in shares of the seen range of each column. Each changed category counts 1, a move along a
track counts as its share of the track's length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial import cKDTree


@dataclass(frozen=True, eq=False)
class Track:
    """Columns that are functions of one number, such as parts of a date: they move together, from place to place."""

    columns: np.ndarray
    values: np.ndarray  # (places, columns), in the order of the places
    origin: int  # the place of x

    @cached_property
    def _known(self) -> tuple[cKDTree, np.ndarray]:
        """Return a tree of the distinct values, and the place of each; of equal values, the place nearest to x."""
        order = np.argsort(np.abs(np.arange(len(self.values)) - self.origin), kind="stable")
        first = np.unique(self.values[order], axis=0, return_index=True)[1]
        return cKDTree(self.values[order[first]]), order[first]

    def places(self, rows: np.ndarray) -> np.ndarray:
        """Return for each row the place with the nearest column values, or the origin if no distance is finite."""
        tree, places = self._known
        nearest = tree.query(rows[:, self.columns])[1]  # equals the number of places if no distance is finite
        return np.where(nearest < places.size, places[np.minimum(nearest, places.size - 1)], self.origin)

    def nearer(self, place: int) -> set[int]:
        steps = place - self.origin
        return {self.origin, self.origin + int(steps / 2), place - int(np.sign(steps))} - {place}


@dataclass(frozen=True, eq=False)
class Room:
    """The room around a row x. Columns of a category move together, to one of the joint values that were seen."""

    x: np.ndarray  # (features,)
    seen: np.ndarray  # (rows, features) values that occur
    movable: np.ndarray  # (features,) bool
    step: np.ndarray  # (features,) 0 if any value is allowed, else values are x + a whole number of steps
    categories: tuple[np.ndarray, ...]  # columns of each category
    tracks: tuple[Track, ...] = ()  # tracks whose columns may move

    @cached_property
    def low(self) -> np.ndarray:
        return np.where(self.movable, np.minimum(self.seen.min(axis=0), self.x), self.x)

    @cached_property
    def high(self) -> np.ndarray:
        return np.where(self.movable, np.maximum(self.seen.max(axis=0), self.x), self.x)

    @cached_property
    def spread(self) -> np.ndarray:
        """The unit of distance of each column; 1 if the column cannot move."""
        reach = self.high - self.low
        return np.where(reach > 0.0, reach, 1.0)

    @cached_property
    def joint(self) -> np.ndarray:
        """A (features,) mask of the columns of categories and tracks, which move together with others."""
        found = np.zeros(self.x.size, dtype=bool)
        for columns in (*self.categories, *(track.columns for track in self.tracks)):
            found[columns] = True
        return found

    @cached_property
    def free(self) -> np.ndarray:
        """A (features,) mask of the columns that may take any value of their range."""
        return np.asarray(self.movable & ~self.joint & (self.step == 0.0) & (self.high > self.low))

    @cached_property
    def stepping(self) -> np.ndarray:
        """The numbers of the columns that move by whole steps."""
        return np.flatnonzero(self.movable & ~self.joint & (self.step > 0.0) & (self.high > self.low))

    @property
    def closed(self) -> bool:
        """Whether no column can move."""
        return not (self.high > self.low).any()

    def distances(self, rows: np.ndarray) -> np.ndarray:
        """Return the (rows,) distances from x."""
        numbers = np.where(self.joint, 0.0, (rows - self.x) / self.spread)
        squares = np.square(numbers).sum(axis=1)
        for columns in self.categories:
            squares += (rows[:, columns] != self.x[columns]).any(axis=1)
        for track in self.tracks:
            squares += np.square((track.places(rows) - track.origin) / max(1, len(track.values) - 1))
        return np.asarray(np.sqrt(squares))

    def brought_in(self, rows: np.ndarray) -> np.ndarray:
        """Move seen rows into the room: fixed columns get the values of x, other columns whole steps."""
        found = np.where(self.movable, rows, self.x)
        for columns in self.categories:
            if not self.movable[columns].all():
                found[:, columns] = self.x[columns]
        for track in self.tracks:
            found[:, track.columns] = track.values[track.places(found)]
        return self.rounded(found)

    def rounded(self, rows: np.ndarray, outwards: bool = False) -> np.ndarray:
        """Round to whole steps from x; if `outwards`, to the next step away from x."""
        some = self.stepping
        steps = (rows[:, some] - self.x[some]) / self.step[some]
        near = np.round(steps)
        away = np.sign(steps) * np.ceil(np.abs(steps) - 1e-9)
        found = rows.copy()
        found[:, some] = self.x[some] + self.step[some] * (away if outwards else near)
        beyond = (found > self.high + 1e-9 * self.spread) | (found < self.low - 1e-9 * self.spread)
        return np.where(beyond & np.isin(np.arange(self.x.size), some), self._a_step_back(found), found)

    def _a_step_back(self, rows: np.ndarray) -> np.ndarray:
        return rows - np.sign(rows - self.x) * self.step

    def nearest(self, start: np.ndarray, slope: np.ndarray, level: float) -> np.ndarray:
        """Return the row nearest to x with <slope, row> <= level; columns that are not free have the values of `start`.

        With row(t) = clip(x - t spread^2 slope), <slope, row(t)> falls with t. If no t is enough, take the last one.
        """
        steps = np.where(self.free, -(self.spread**2) * slope, 0.0)
        origin = np.where(self.free, self.x, start)

        def row(t: float) -> np.ndarray:
            return np.where(self.free, np.clip(origin + t * steps, self.low, self.high), origin)

        strongest = np.abs(steps / self.spread).max(initial=0.0)
        if strongest == 0.0 or slope @ row(0.0) <= level:
            return row(0.0)
        small = np.abs(steps[steps != 0.0] / self.spread[steps != 0.0]).min()
        low, high = 0.0, 2.0 / small
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (low, middle) if slope @ row(middle) <= level else (middle, high)
        return row(high)

    def back(self, row: np.ndarray) -> np.ndarray:
        """Return the rows in which one category, track, or column of steps is back at x, or nearer to it."""
        found = []
        for columns in self.categories:
            if (row[columns] != self.x[columns]).any():
                found.append(_with(row, columns, self.x[columns]))
        for track in self.tracks:
            place = int(track.places(row[None])[0])
            found += [_with(row, track.columns, track.values[nearer]) for nearer in sorted(track.nearer(place))]
        for column in self.stepping[row[self.stepping] != self.x[self.stepping]]:
            steps = (row[column] - self.x[column]) / self.step[column]
            nearer = {0.0, np.trunc(steps / 2.0), np.sign(steps) * (np.abs(np.round(steps)) - 1.0)}
            found += [_with(row, [column], self.x[column] + self.step[column] * s) for s in nearer]
        return np.array(found).reshape(-1, row.size)


def _with(row: np.ndarray, columns: Sequence[int] | np.ndarray, values: object) -> np.ndarray:
    changed = row.copy()
    changed[columns] = values
    return changed
