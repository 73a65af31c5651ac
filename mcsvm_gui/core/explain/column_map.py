"""A map over two columns of the file: the model's plane, its points, sliders for the other columns, in file units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcsvm_gui.core.data.projections.principal import thin
from mcsvm_gui.core.explain.columns import ExplainedColumns, dense
from mcsvm_gui.core.explain.looked_at import LookedAt
from mcsvm_gui.core.explain.surface import Plane, Surface

MOST_POINTS = 400
MOST_SLIDERS = 40
MOST_FEATURES = 2_000  # beyond this, two columns of the file show too little, and the directions take too long
HELD, MEAN, PARTING = "held", "mean", "parting"  # the row's values; averaged; directions instead of columns


@dataclass(frozen=True)
class Slider:
    column: int
    name: str
    low: float
    high: float
    whole: bool  # a category or whole numbers: moves in steps of 1
    levels: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class ColumnMap:
    of: LookedAt
    columns: ExplainedColumns
    mode: str
    axes: tuple[int, int]  # indices of the columns; without meaning if the mode is PARTING
    surface: Surface
    points: np.ndarray  # (n, 2) on the plane
    codes: np.ndarray  # (n,) their true class, or the predicted class
    places: np.ndarray  # (n,)
    sliders: tuple[Slider, ...]

    @property
    def units(self) -> np.ndarray:
        """The (2, 2) low and high ends of the plane in the units of the file; directions have no units."""
        ends = np.stack([self.surface.plane.low, self.surface.plane.high])
        return np.asarray(ends) if self.mode == PARTING else ends / self._scale + self._shift

    @property
    def _features(self) -> list[int]:
        return [int(self.columns.places[column][0]) for column in self.axes]

    @property
    def _scale(self) -> np.ndarray:
        return self.columns.scale[self._features]

    @property
    def _shift(self) -> np.ndarray:
        return self.columns.shift[self._features]

    def in_units(self, at: np.ndarray) -> np.ndarray:
        """Convert places on the plane to the units of the file."""
        return np.asarray(at) if self.mode == PARTING else np.asarray(at) / self._scale + self._shift

    def from_units(self, at: np.ndarray) -> np.ndarray:
        return np.asarray(at) if self.mode == PARTING else (np.asarray(at) - self._shift) * self._scale

    def moved(self, row: np.ndarray, column: int, value: float) -> np.ndarray:
        """Return a copy of a row of features with another value (or level number) of the file in one column."""
        features, found = self.columns.places[column], row.copy()
        raw = np.array([value]) if not self.columns.category(column) else np.arange(features.size) == round(value)
        found[features] = (raw - self.columns.shift[features]) * self.columns.scale[features]
        return found

    def put(self, row: np.ndarray, at: np.ndarray) -> np.ndarray:
        """Return the row moved on the plane to a place in the units of the axes."""
        return self.surface.plane.through(row, self.from_units(at)[None])[0]

    def number(self, row: np.ndarray, column: int) -> float:
        return float(self.columns.numbers(row[None], column)[0])


def numeric_columns(columns: ExplainedColumns) -> list[int]:
    """Return the indices of the columns that can be an axis."""
    return [column for column in range(len(columns.names)) if columns.number(column)]


def column_map(of: LookedAt, axes: tuple[int, int], mode: str) -> ColumnMap:
    columns = ExplainedColumns.of(of.trained.preparation)
    rows = dense(of.data.rows)
    codes = _codes(of)
    chosen = thin(codes.astype(object), len(rows), MOST_POINTS)
    first, second = (int(columns.places[column][0]) for column in axes)
    known = codes >= 0
    plane = Plane.parting(rows[known], codes[known]) if mode == PARTING else Plane.of_features(first, second, rows)
    background = of.data.background if mode == MEAN else None
    surface = Surface(of.trained.model, plane, background, of.data.weights if mode == MEAN else None)
    return ColumnMap(
        *(of, columns, mode, axes, surface, rows[chosen] @ plane.directions, codes[chosen], of.data.kept[chosen]),
        _sliders(columns, rows, axes if mode != PARTING else ()) if mode != MEAN else (),
    )


def _codes(of: LookedAt) -> np.ndarray:
    number = {name: code for code, name in enumerate(of.trained.class_names)}
    names = of.decided if of.true is None else of.true
    return np.array([number.get(name, -1) for name in names[of.data.kept]], dtype=np.int64)


def _sliders(columns: ExplainedColumns, rows: np.ndarray, axes: tuple[int, ...]) -> tuple[Slider, ...]:
    found: list[Slider] = []
    for column, name in enumerate(columns.names):
        if column in axes or len(found) == MOST_SLIDERS or columns.derived(column):
            continue
        numbers = columns.numbers(rows, column)
        low, high = float(numbers.min()), float(numbers.max())
        if high > low:
            whole = columns.category(column) or bool((numbers == np.round(numbers)).all())
            found.append(Slider(column, name, low, high, whole, columns.levels(column)))
    return tuple(found)
