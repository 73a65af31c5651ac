"""The factor is the kernel, whatever interrupts its growth, and within its memory."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from small_data import blobs, dense_kernel, problem_of
from ticks import stopped_at

from mcsvm.solvers.budget import FACTOR
from mcsvm.solvers.factor.normal import rank_cap
from mcsvm.solvers.factor.pivoted import Factor
from mcsvm.solvers.problem import Part

X, Y = blobs(n=24, classes=4, features=3, seed=5)


def part_of(kernel: str = "rbf", cache_mb: float = 500.0) -> Part:
    return problem_of(X, Y, "ww", kernel, cache_mb=cache_mb).part(0)


@pytest.mark.parametrize(("kernel", "rank"), [("rbf", 24), ("linear", 3), ("polynomial", 10)])
def test_the_factor_is_the_kernel(kernel: str, rank: int) -> None:
    """Of degree 2 in three features: 1 + 3 + 6 monomials."""
    gram, K = part_of(kernel).gram, dense_kernel(kernel, X, X)
    factor = Factor(gram)
    factor.grow(gram, 2)
    first = factor.V.copy()
    rest = np.trace(K - first @ first.T) / np.trace(K)
    assert factor.rest == pytest.approx(rest, rel=1e-6)
    factor.grow(gram, 24)
    assert factor.rank == rank
    assert factor.rest_at(2) == pytest.approx(rest, rel=1e-6)
    np.testing.assert_array_equal(factor.V[:, :2], first)
    np.testing.assert_allclose(factor.V @ factor.V.T, K, atol=1e-6)


def test_growth_interrupted_and_resumed_gives_the_same_bits() -> None:
    gram = part_of().gram
    whole, pieces = Factor(gram), Factor(gram)
    whole.grow(gram, 20)
    for ticks, rank in (3, 20), (2, 9), (5, 12):
        stopped_at(ticks, partial(pieces.grow, gram, rank))
    pieces.grow(gram, 20)
    assert pieces.rank == whole.rank == 20
    np.testing.assert_array_equal(pieces.V, whole.V)
    assert pieces.rest == whole.rest


def test_a_factor_takes_half_of_the_cache_at_most() -> None:
    x, y = blobs(n=400, classes=3, features=3, seed=1)
    part = problem_of(x, y, "ova", cache_mb=1.0).part(0)
    factor, most = Factor(part.gram), 2**19 // (8 * 400)
    factor.grow(part.gram, 400)
    assert factor.most == rank_cap(part) == most
    assert factor.rank == most
    assert factor.bytes == 8 * 400 * most
    assert rank_cap(problem_of(x, y, "ova", cache_mb=1e-3).part(0)) == FACTOR.least


def test_nothing_is_copied() -> None:
    factor = Factor(part_of().gram)
    factor.grow(part_of().gram, 5)
    assert np.shares_memory(factor.V, factor.columns)
