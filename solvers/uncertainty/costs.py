"""Decisions by cost: predict the class of the smallest expected cost, or reject the row if that class is improbable.

E_c(x) = sum_t p_t(x) cost[t, c]. If all errors cost the same, E_c = 1 - p_c, and the most probable class is predicted.
A row is rejected if the predicted class is less probable than `reject` (Chow 1970, for equal costs).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mcsvm.solvers.errors import InputError

REJECTED = -1
NEAR = 1e-12  # expected costs that differ by at most NEAR times the largest cost are tied: the first class is predicted


@dataclass(frozen=True)
class CostRule:
    costs: tuple[tuple[float, ...], ...]  # (classes, classes): a row per true class, a column per predicted class
    reject: float = 0.0

    def __post_init__(self) -> None:
        table = np.array(self.costs, dtype=np.float64) if _square(self.costs) else np.empty((0, 0))
        if table.shape[0] < 2:
            raise InputError("a cost matrix has as many rows as columns, one for each class")
        if not (np.isfinite(table).all() and (table >= 0.0).all()):
            raise InputError("costs must be numbers of at least 0, and finite")
        if not table.any():
            raise InputError("all costs are 0, so that no decision is better than another; give errors a cost")
        if not 0.0 <= self.reject < 1.0:
            raise InputError(
                "reject must be a probability of at least 0 and below 1, such as 0.6, not {reject!r}",
                reject=self.reject,
            )

    @cached_property
    def table(self) -> np.ndarray:
        return np.array(self.costs, dtype=np.float64)

    @property
    def equal(self) -> bool:
        """Whether all errors cost the same, and correct predictions cost nothing."""
        table = self.table
        return bool((table == table.max() * (1.0 - np.eye(len(table)))).all())

    def decide(self, shares: np.ndarray) -> np.ndarray:
        """Return (n,) class numbers, or REJECTED if the class of smallest expected cost is not probable enough."""
        found = shares.argmax(axis=1) if self.equal else self._cheapest(shares)
        if self.reject:
            found = np.where(shares[np.arange(found.size), found] < self.reject, REJECTED, found)
        return np.asarray(found)

    def _cheapest(self, shares: np.ndarray) -> np.ndarray:
        """Return the class of smallest expected cost of each row, class by class: five times as fast as by row."""
        expected = self.table.T @ shares.T
        enough = expected.min(axis=0) + NEAR * self.table.max()
        found = np.zeros(len(shares), dtype=np.int64)
        for number in reversed(range(len(expected))):
            found[expected[number] <= enough] = number
        return found

    def document(self) -> dict[str, Any]:
        """Return the rule as plain JSON."""
        return {"costs": [list(row) for row in self.costs], "reject": self.reject}

    @classmethod
    def from_document(cls, document: Mapping[str, Any], classes: int) -> CostRule:
        rows, reject = document["costs"], document.get("reject", 0.0)
        if not isinstance(rows, list) or len(rows) != classes or type(reject) not in (int, float):
            raise InputError("this is no cost matrix of {classes} classes", classes=classes)
        return cls(tuple(tuple(row) for row in rows), float(reject))

    @classmethod
    def of(cls, table: np.ndarray, reject: float = 0.0) -> CostRule:
        return cls(tuple(map(tuple, table.tolist())), reject)


def _square(rows: Any) -> bool:
    return all(len(row) == len(rows) and all(type(cost) in (int, float) for cost in row) for row in rows)


def equal_costs(classes: int) -> np.ndarray:
    return 1.0 - np.eye(classes)


def costs_by_share(counts: np.ndarray) -> np.ndarray:
    """Return costs n / (k n_t) of errors on rows of class t, like balanced class weights: rare classes cost more."""
    return equal_costs(counts.size) * (counts.sum() / (counts.size * np.maximum(counts, 1e-300)))[:, None]
