"""Factors against NumPy's, below and above the order at which they are made panel by panel."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import cho_solve
from ticks import counted

from mcsvm.solvers.dense import cholesky
from mcsvm.solvers.dense.cholesky import factored, forward, inverse


def positive_definite(n: int) -> np.ndarray:
    rows = np.random.default_rng(0).normal(size=(n, n))
    return rows @ rows.T + 0.1 * np.eye(n)


@pytest.mark.parametrize("order", [0, 1, 40, 128, 300])
@pytest.mark.parametrize("whole", [0, 1200])
def test_a_factor_solves(order: int, whole: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cholesky, "WHOLE", whole)
    matrix, right = positive_definite(order), np.arange(float(order))
    only_lower = np.tril(matrix) + np.triu(np.full((order, order), np.nan), 1)
    if order <= whole:
        only_lower = matrix.copy()
    factor = factored(only_lower)
    assert factor is not None
    np.testing.assert_allclose(np.tril(factor[0].T), np.linalg.cholesky(matrix), atol=1e-11)
    if order:
        np.testing.assert_allclose(matrix @ cho_solve(factor, right, check_finite=False), right, atol=1e-8)
    np.testing.assert_allclose(np.tril(inverse(factor)), np.tril(np.linalg.inv(matrix)), atol=1e-9)


@pytest.mark.parametrize("whole", [0, 1200])
def test_an_indefinite_matrix_has_none(whole: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cholesky, "WHOLE", whole)
    matrix = positive_definite(300)
    matrix[280, 280] = -1.0
    assert factored(matrix) is None


def test_a_large_factor_is_made_in_place_and_in_pieces() -> None:
    matrix = positive_definite(cholesky.WHOLE + 1)
    factor, ticks = counted(lambda: factored(matrix))
    assert factor is not None
    assert ticks >= 2 * (matrix.shape[0] // cholesky.PANEL)
    assert np.shares_memory(factor[0], matrix)


def test_forward_substitution() -> None:
    lower = np.linalg.cholesky(positive_definite(20))
    right = np.random.default_rng(1).normal(size=(20, 7))
    np.testing.assert_allclose(lower @ forward(lower, right), right, atol=1e-12)
