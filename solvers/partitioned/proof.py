"""The certificate of a part whose rows are stored in several places: all partitions recompute it from alpha in float64.

The support vectors are sent once, in portions; every partition adds K(own, portion) W to its products. All other terms
are sums and extremes. The same pass rebuilds the products of a lost partition.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from mcsvm.solvers.budget import PARTITIONED
from mcsvm.solvers.dual.certificate import Certificate
from mcsvm.solvers.jit.rounding import ROUNDING
from mcsvm.solvers.partitioned.messages import PartitionStanding
from mcsvm.solvers.partitioned.partitions import Partitions


def recompute(partitions: Partitions, at_once: int, of: Collection[int] | None = None) -> None:
    """Compute K W in all partitions, or in those of `of`, in float64, from the support vectors of all partitions."""
    counts = partitions.ask_all("clear")
    for owner, count in enumerate(counts):
        for start in range(0, count, at_once):
            (portion,) = partitions.ask_all("support", start, at_once, of=[owner])
            partitions.ask_all("add", portion, of=of)


def best_bias(partitions: Partitions) -> float:
    """Return the b of least primal of a binary part with an exact bias, a weighted median of its kinks.

    If a whole interval is optimal, return its middle, as in dual/bias.py. Grids of candidates narrow the interval in
    which the slope turns positive, until it has so few kinks that the partitions send them.
    """
    found = partitions.ask_all("kinks")
    positive, reach = sum(one.positive for one in found), sum(one.cost for one in found) * ROUNDING
    low, high = float(np.nextafter(min(one.low for one in found), -np.inf)), max(one.high for one in found)
    below = 0.0
    for _ in range(PARTITIONED.bias_rounds):
        grid = np.linspace(low, high, PARTITIONED.bias_grid)
        answers = partitions.ask_all("below", grid)
        costs, counts = (np.sum(part, axis=0) for part in zip(*answers, strict=True))
        first = max(1, int(np.argmax(costs - positive >= -reach)))
        low, high, below = float(grid[first - 1]), float(grid[first]), float(costs[first - 1])
        if counts[first] - counts[first - 1] <= PARTITIONED.bias_kinks:
            break
    return _median(partitions.ask_all("between", low, high), below - positive, reach)


def _median(pieces: Sequence[tuple[np.ndarray, np.ndarray, float]], slope: float, reach: float) -> float:
    kinks, costs = (np.concatenate(part) for part in zip(*(piece[:2] for piece in pieces), strict=True))
    order = np.argsort(kinks)
    kinks, slopes = kinks[order], slope + np.cumsum(costs[order])
    first = int(np.argmax(slopes >= -reach))
    following = np.append(kinks, min(piece[2] for piece in pieces))[first + 1]
    flat = abs(slopes[first]) <= reach and np.isfinite(following)
    return float(0.5 * (kinks[first] + following) if flat else kinks[first])


def violation_of(standings: Sequence[PartitionStanding], *, line: bool) -> float:
    if not line:
        return max(one.violation for one in standings)
    high, low = max(one.high for one in standings), min(one.low for one in standings)
    return max(0.0, high - low)


def certificate_of(
    standings: Sequence[PartitionStanding], total: np.ndarray, offset: float, *, line: bool, balanced: bool
) -> Certificate:
    """Return the certificate from the sums of all partitions; `total` is sum_i W_i."""
    energy = sum(standing.energy for standing in standings) + 0.5 * offset * float(total @ total)
    loss, linear = sum(standing.loss for standing in standings), sum(standing.linear for standing in standings)
    outside = max(standing.outside for standing in standings)
    infeasibility = max(outside, float(np.abs(total).max()) if balanced else 0.0)
    violation, scale = violation_of(standings, line=line), sum(standing.cost for standing in standings)
    return Certificate(energy + loss, linear - energy, violation, infeasibility, scale)
