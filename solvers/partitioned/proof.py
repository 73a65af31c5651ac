"""The certificate of a programme whose rows lie in several places: recomputed from alpha in float64, by all at once.

The support vectors travel once, in portions; every partition adds K(own, portion) W to its products. All else are sums
and extremes. This pass is all that a partition needs to be made again, too.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from solvers.budget import PARTITIONED
from solvers.dual.certificate import Certificate
from solvers.partitioned.messages import PartitionStanding
from solvers.partitioned.partitions import Partitions


def recompute(partitions: Partitions, of: Collection[int] | None = None) -> None:
    """K W of all partitions, or of these, in float64; the support vectors of all take part."""
    counts = partitions.ask_all("clear")
    for owner, count in enumerate(counts):
        for start in range(0, count, PARTITIONED.portion_rows):
            (portion,) = partitions.ask_all("support", start, PARTITIONED.portion_rows, of=[owner])
            partitions.ask_all("add", portion, of=of)


def best_bias(partitions: Partitions) -> float:
    """The b of least primal of a binary programme with an exact bias, narrowed down by grids of candidates.

    The loss is convex and piecewise linear in b: its minimum lies beside the best candidate of a grid. Whatever b is
    found, the primal at it is a bound. Where a whole interval is optimal, its middle.
    """
    spans = [span for span in partitions.ask_all("span") if span is not None]
    ends = [end for span in spans for end in span if np.isfinite(end)]
    low, high = min(ends) - 1.0, max(ends) + 1.0
    for _ in range(PARTITIONED.bias_rounds):
        grid = np.linspace(low, high, PARTITIONED.bias_grid)
        losses = np.sum(partitions.ask_all("losses", grid), axis=0)
        best = np.flatnonzero(losses <= losses.min())
        step = grid[1] - grid[0] if best[0] and best[-1] < grid.size - 1 else 2.0 * (high - low)
        low, high = grid[best[0]] - step, grid[best[-1]] + step
        if high - low <= 4.0 * np.spacing(max(abs(low), abs(high))):
            break
    return float(0.5 * (grid[best[0]] + grid[best[-1]]))


def violation_of(standings: Sequence[PartitionStanding], *, line: bool) -> float:
    if not line:
        return max(one.violation for one in standings)
    high, low = max(one.high for one in standings), min(one.low for one in standings)
    return max(0.0, high - low)


def certificate_of(
    standings: Sequence[PartitionStanding], total: np.ndarray, offset: float, *, line: bool, balanced: bool
) -> Certificate:
    """`total` is sum_i W_i."""
    energy = sum(one.energy for one in standings) + 0.5 * offset * float(total @ total)
    loss, linear = sum(one.loss for one in standings), sum(one.linear for one in standings)
    outside = max(one.outside for one in standings)
    infeasibility = max(outside, float(np.abs(total).max()) if balanced else 0.0)
    return Certificate(energy + loss, linear - energy, violation_of(standings, line=line), infeasibility)
