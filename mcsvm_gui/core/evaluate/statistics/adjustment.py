"""Adjust the p values of all pairs of k algorithms for multiple testing.

After Garcia & Herrera, JMLR 9 (2008). Nemenyi and Holm regard hypotheses as independent of each other; Shaffer and
Bergmann & Hommel use that not every set of pairs can be equal at once: equal algorithms form groups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations

import numpy as np

EQUAL = 1.0 + 1e-9  # p values closer than this factor belong to equal differences, apart from rounding
MOST_FOR_PARTITIONS = 9  # there are 21,147 groupings of nine; another algorithm multiplies them by five


def nemenyi(p: np.ndarray, algorithms: int) -> np.ndarray:
    """Adjust by Bonferroni's bound over all pairs."""
    return np.minimum(p * p.size, 1.0)


def holm(p: np.ndarray, algorithms: int) -> np.ndarray:
    return _step_down(p, np.arange(p.size, 0, -1))


def shaffer(p: np.ndarray, algorithms: int) -> np.ndarray:
    """Adjust by Shaffer's static method: the number of hypotheses that can still be true after some are false."""
    possible = np.array(sorted(true_counts(algorithms)))
    left = np.arange(p.size, 0, -1)
    return _step_down(p, possible[np.searchsorted(possible, left, side="right") - 1])


def bergmann_hommel(p: np.ndarray, algorithms: int) -> np.ndarray:
    """Adjust by the largest bound over all groupings in which the pair is equal.

    The sets of hypotheses that can be exactly the true ones are the pairs inside the groups of a partition.
    """
    adjusted = np.zeros(p.size)
    for inside in _partitions(algorithms):
        adjusted[inside] = np.maximum(adjusted[inside], inside.size * p[inside].min())
    return _rising(adjusted, p)


ADJUSTMENTS: dict[str, Callable[[np.ndarray, int], np.ndarray]] = {
    "nemenyi": nemenyi,
    "holm": holm,
    "shaffer": shaffer,
    "bergmann-hommel": bergmann_hommel,
}


def adjust(p: np.ndarray, algorithms: int) -> dict[str, np.ndarray]:
    """Adjust by every possible method: for many algorithms there are too many groupings for Bergmann & Hommel."""
    left_out = {"bergmann-hommel"} if algorithms > MOST_FOR_PARTITIONS else set()
    return {name: way(p, algorithms) for name, way in ADJUSTMENTS.items() if name not in left_out}


def _step_down(p: np.ndarray, factors: np.ndarray) -> np.ndarray:
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(p.size)
    adjusted[order] = factors * p[order]
    return _rising(adjusted, p)


def _rising(adjusted: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Make adjusted values increase with p, and equal for equal p; otherwise a larger p might be rejected first."""
    order = np.argsort(p, kind="stable")
    reached = np.maximum.accumulate(adjusted[order])
    last_equal = np.searchsorted(p[order], p * EQUAL, side="right") - 1
    return np.minimum(reached[last_equal], 1.0)


@cache
def true_counts(algorithms: int) -> frozenset[int]:
    """Return the possible numbers of equal pairs of k algorithms: one group of j, and the rest likewise."""
    if algorithms < 2:
        return frozenset({0})
    return frozenset(
        size * (size - 1) // 2 + rest for size in range(1, algorithms + 1) for rest in true_counts(algorithms - size)
    )


@cache
def _partitions(algorithms: int) -> tuple[np.ndarray, ...]:
    """Return the inner pairs of every grouping with any, as places in the order (0,1), (0,2), ..."""
    first, second = (np.array(side) for side in zip(*combinations(range(algorithms), 2), strict=True))
    groupings = np.array(list(_groupings(algorithms)))
    inside = groupings[:, first] == groupings[:, second]
    return tuple(np.flatnonzero(row) for row in inside if row.any())


def _groupings(algorithms: int) -> Iterator[tuple[int, ...]]:
    """Yield restricted growth strings: each names the group of every algorithm."""

    def grow(begun: tuple[int, ...], groups: int) -> Iterator[tuple[int, ...]]:
        if len(begun) == algorithms:
            yield begun
            return
        for group in range(groups + 1):
            yield from grow((*begun, group), max(groups, group + 1))

    return grow((), 0)
