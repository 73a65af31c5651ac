"""The points of the playground as a frozen value: every edit makes a new one, so that undo restores the old one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

MOST_CLASSES = 10
MOST_POINTS = 2_000
REACH = 1.1  # coordinates are between minus and plus this


@dataclass(frozen=True, eq=False)
class Drawing:
    places: np.ndarray  # (n, 2) float64
    classes: np.ndarray  # (n,) int64, 0..9: index among the ten classes, used or not

    @classmethod
    def empty(cls) -> Drawing:
        return cls(np.empty((0, 2)), np.empty(0, dtype=np.int64))

    @classmethod
    def of(cls, places: Sequence[Sequence[float]] | np.ndarray, classes: Sequence[int] | np.ndarray) -> Drawing:
        """Build a drawing from at most MOST_POINTS points, each moved inside the canvas."""
        kept = _inside(np.asarray(places, dtype=np.float64).reshape(-1, 2))[:MOST_POINTS]
        return cls(kept, np.asarray(classes, dtype=np.int64)[:MOST_POINTS])

    @classmethod
    def from_lists(cls, places: Sequence[Sequence[float]], classes: Sequence[int]) -> Drawing:
        """Build a drawing from lists; raise ValueError or TypeError if they are not points of the playground."""
        numbers = np.asarray(classes, dtype=np.int64).reshape(-1)
        found = np.asarray(places, dtype=np.float64).reshape(-1, 2)
        if numbers.size != len(found) or ((numbers < 0) | (numbers >= MOST_CLASSES)).any():
            raise ValueError("these are no points of the playground")
        return cls.of(found, numbers)

    def __len__(self) -> int:
        return self.classes.size

    @cached_property
    def used(self) -> np.ndarray:
        """The classes that have points, rising."""
        return np.unique(self.classes)

    @property
    def trainable(self) -> bool:
        return self.used.size >= 2

    @property
    def room(self) -> int:
        return MOST_POINTS - len(self)

    def with_points(self, places: np.ndarray, number: int) -> Drawing:
        """Return a drawing with more points of one class."""
        assert 0 <= number < MOST_CLASSES
        more = np.asarray(places, dtype=np.float64).reshape(-1, 2)
        classes = np.full(len(more), number, dtype=np.int64)
        return self.of(np.vstack([self.places, more]), np.concatenate([self.classes, classes]))

    def moved(self, index: int, place: tuple[float, float]) -> Drawing:
        places = self.places.copy()
        places[index] = place
        return replace(self, places=_inside(places))

    def without(self, index: int) -> Drawing:
        return Drawing(np.delete(self.places, index, axis=0), np.delete(self.classes, index))

    def same_as(self, other: Drawing) -> bool:
        return np.array_equal(self.places, other.places) and np.array_equal(self.classes, other.classes)


def cloud(place: tuple[float, float], count: int, spread: float, seed: int) -> np.ndarray:
    """Return (count, 2) points around a place."""
    return np.asarray(place) + np.random.default_rng(seed).normal(0.0, spread, (count, 2))


def _inside(places: np.ndarray) -> np.ndarray:
    return np.clip(np.nan_to_num(places), -REACH, REACH)
