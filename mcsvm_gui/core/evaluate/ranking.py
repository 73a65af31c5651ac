"""ROC and precision-recall of scores: one class against the rest, for many weightings of the same rows at once.

Rows of equal score change sides together. Areas are those of scikit-learn: trapezoids below ROC, average precision sum
over thresholds of (R_t - R_(t-1)) P_t below precision-recall.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mcsvm_gui.core.evaluate.decided import share

GRID = np.linspace(0.0, 1.0, 201)  # places where curves are averaged and have bands: half a pixel of a plot


@dataclass(frozen=True, eq=False)
class Ranking:
    """Rows by decreasing score, and whether each is of the class. Sums over them are stacked for many weightings."""

    order: np.ndarray  # (n,)
    positive: np.ndarray  # (n,) in this order
    ends: np.ndarray  # the last row of each run of equal scores

    @classmethod
    def of(cls, scores: np.ndarray, positive: np.ndarray) -> Ranking:
        order = np.argsort(-scores, kind="stable")
        ranked = scores[order]
        return cls(order, positive[order], np.append(np.flatnonzero(np.diff(ranked)), ranked.size - 1))

    def curves(self, weights: np.ndarray) -> Ranks:
        """Return the sums above each threshold; `weights`: (..., n), in the original order of the rows."""
        ranked = weights[..., self.order]
        return Ranks(_sums(ranked * self.positive, self.ends), _sums(ranked * ~self.positive, self.ends))


@dataclass(frozen=True, eq=False)
class Ranks:
    """Total weights above each threshold, from the highest to the lowest: of the class, and of the rest."""

    true: np.ndarray  # (..., thresholds + 1), beginning with 0
    false: np.ndarray

    @cached_property
    def recall(self) -> np.ndarray:
        return share(self.true, self.true[..., -1:])

    @cached_property
    def fall_out(self) -> np.ndarray:
        """The share of the rest above the threshold, the x axis of ROC."""
        return share(self.false, self.false[..., -1:])

    @cached_property
    def precision(self) -> np.ndarray:
        """The precision at each threshold; 1 above all rows."""
        above = self.true + self.false
        return np.where(above > 0.0, share(self.true, above), 1.0)

    @property
    def both(self) -> np.ndarray:
        """(...,) whether both sides have rows: otherwise the area is undefined."""
        return (self.true[..., -1] > 0.0) & (self.false[..., -1] > 0.0)

    @property
    def roc_auc(self) -> np.ndarray:
        """(...,) areas below ROC; NaN if a side has no rows."""
        return np.where(self.both, np.trapezoid(self.recall, self.fall_out, axis=-1), np.nan)

    @property
    def average_precision(self) -> np.ndarray:
        steps = np.diff(self.recall, axis=-1)
        found = (steps * self.precision[..., 1:]).sum(axis=-1)
        return np.where(self.true[..., -1] > 0.0, found, np.nan)

    def roc_on_grid(self) -> np.ndarray:
        """Return (..., GRID) recalls at each fall-out, the highest of a vertical step; NaN if the area is undefined."""
        line = _each(self.fall_out, self.recall, lambda x, y: np.interp(GRID, x, y))
        return np.where(self.both[..., None], line, np.nan)

    def precision_on_grid(self) -> np.ndarray:
        """Return (..., GRID) precisions at the highest threshold with that recall; NaN if the class has no rows."""
        line = _each(self.recall, self.precision, lambda x, y: y[np.searchsorted(x[:-1], GRID - 1e-12)])
        return np.where(self.true[..., -1:] > 0.0, line, np.nan)


def _sums(values: np.ndarray, ends: np.ndarray) -> np.ndarray:
    found = np.cumsum(values, axis=-1)[..., ends]
    return np.concatenate([np.zeros((*found.shape[:-1], 1)), found], axis=-1)


def _each(x: np.ndarray, y: np.ndarray, line: object) -> np.ndarray:
    flat = zip(x.reshape(-1, x.shape[-1]), y.reshape(-1, y.shape[-1]), strict=True)
    return np.array([line(*pair) for pair in flat]).reshape(*x.shape[:-1], GRID.size)  # type: ignore[operator]


def points(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the corners of a line, without points inside of a horizontal or vertical stretch."""
    if x.size < 3:
        return x, y
    inner = (np.diff(x[:-1]) == 0) & (np.diff(x[1:]) == 0) | (np.diff(y[:-1]) == 0) & (np.diff(y[1:]) == 0)
    kept = np.concatenate([[True], ~inner, [True]])
    return x[kept], y[kept]
