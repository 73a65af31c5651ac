"""SumGroups: the variables of a chunk, grouped by example; the sum of each group is bounded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcsvm.solvers.dual.geometry import sum_at_upper


@dataclass(frozen=True)
class SumGroups:
    """Groups of consecutive variables, and the bounds of their sums."""

    starts: np.ndarray  # (groups,) the first variable of every group
    sizes: np.ndarray  # (groups,)
    limits: np.ndarray  # (groups,)

    @classmethod
    def of(cls, member: np.ndarray, upper: np.ndarray) -> SumGroups:
        starts = np.flatnonzero(np.diff(member, prepend=-1))
        return cls(starts, np.diff(np.append(starts, member.size)), upper[starts])

    @property
    def number(self) -> np.ndarray:
        """The group of each variable, (variables,)."""
        return self.spread(np.arange(self.starts.size))

    def sums(self, values: np.ndarray) -> np.ndarray:
        return np.asarray(np.add.reduceat(values, self.starts))

    def largest(self, values: np.ndarray) -> np.ndarray:
        return np.asarray(np.maximum.reduceat(values, self.starts))

    def spread(self, per_group: np.ndarray) -> np.ndarray:
        return np.repeat(per_group, self.sizes, axis=0)

    def full(self, point: np.ndarray) -> np.ndarray:
        """Return which sums are at their bound."""
        return sum_at_upper(self.sums(point), self.limits)

    def slack(self, point: np.ndarray) -> np.ndarray:
        return np.maximum(self.limits - self.sums(point), 0.0)

    def completed(self, point: np.ndarray) -> np.ndarray:
        """Return the point with sums that are full up to rounding made exactly full, by the largest variable."""
        largest = (point == self.spread(self.largest(point))).astype(float)
        missing = np.where(self.full(point), self.limits - self.sums(point), 0.0)
        return point + largest * self.spread(missing / self.sums(largest))
