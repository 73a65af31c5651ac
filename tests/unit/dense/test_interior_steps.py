"""The longest step of the interior point, and systems by their factor, against NumPy."""

import numpy as np
import pytest

from mcsvm.solvers.dense.cholesky import factored, solved
from mcsvm.solvers.jit.bound import until_zero

RNG = np.random.default_rng(4)


@pytest.mark.parametrize("longest", [1.0, 0.3])
def test_the_longest_step_is_the_least_ratio(longest: float) -> None:
    for _ in range(20):
        value, step = RNG.random(30), RNG.normal(size=30)
        ratios = -value[step < 0.0] / step[step < 0.0]
        assert until_zero(value, step, longest) == min(longest, ratios.min())
    assert until_zero(value, np.abs(step), longest) == longest
    assert until_zero(np.empty(0), np.empty(0), longest) == longest


@pytest.mark.parametrize("size", [0, 1, 7, 60])
@pytest.mark.parametrize("columns", [None, 3])
def test_systems_are_solved_by_their_factor(size: int, columns: int | None) -> None:
    half = RNG.normal(size=(size, size))
    matrix, right = half @ half.T + np.eye(size), RNG.normal(size=size if columns is None else (size, columns))
    factor = factored(matrix.copy())
    assert factor is not None
    kept = right.copy()
    np.testing.assert_allclose(matrix @ solved(factor, right), right, atol=1e-9)
    np.testing.assert_array_equal(right, kept)
