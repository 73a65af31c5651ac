"""asvm and lsvm: the same optimum as each other, as a QP solver and as LIBLINEAR."""

import numpy as np
import pytest
import scipy.sparse as sp
from oracles import optimum_of_programme
from sklearn.svm import LinearSVC
from small_data import blobs

from mcsvm import InputError
from mcsvm_gui.core.experiment.squared_hinge import asvm, lsvm

X, Y = blobs(n=40, classes=2, features=3, seed=8)
SIGNS = 2.0 * Y - 1.0


@pytest.mark.parametrize("solve", [asvm, lsvm])
@pytest.mark.parametrize("cost", [2.0**-6, 1.0, 2.0**6])
def test_the_optimum_of_a_qp_solver(cost: float, solve) -> None:
    H = SIGNS[:, None] * np.hstack([X, np.ones((40, 1))])
    Q = H @ H.T + np.eye(40) / (2.0 * cost)
    optimum = optimum_of_programme(Q, np.ones(40), np.full(40, 1e4 * cost))
    found = solve(X, SIGNS, cost, 1e-8)
    assert found.converged
    assert found.primal == pytest.approx(optimum, rel=1e-6)
    assert found.dual == pytest.approx(optimum, rel=1e-6)
    assert found.dual <= found.primal * (1 + 1e-12)


@pytest.mark.parametrize("cost", [2.0**-8, 2.0**-2, 2.0**4, 2.0**8])
def test_they_agree_with_each_other_and_with_liblinear(cost: float) -> None:
    one, other = asvm(X, SIGNS, cost, 1e-8), lsvm(X, SIGNS, cost, 1e-8)
    assert one.primal == pytest.approx(other.primal, rel=1e-6)
    reference = LinearSVC(loss="squared_hinge", C=cost, tol=1e-10, max_iter=1_000_000, random_state=0).fit(X, Y)
    np.testing.assert_allclose(one.weights, reference.coef_[0], atol=1e-4)
    assert one.bias == pytest.approx(reference.intercept_[0], abs=1e-4)


@pytest.mark.parametrize("solve", [asvm, lsvm])
def test_sparse_features_give_the_same(solve) -> None:
    thin = np.where(np.random.default_rng(0).random(X.shape) < 0.5, X, 0.0)
    dense, sparse = solve(thin, SIGNS, 1.0, 1e-8), solve(sp.csr_array(thin), SIGNS, 1.0, 1e-8)
    np.testing.assert_allclose(dense.weights, sparse.weights, atol=1e-8)


def test_a_limit_is_told_apart_from_an_optimum() -> None:
    found = lsvm(X, SIGNS, 2.0**8, 1e-10, limit=3)
    assert (found.converged, found.iterations) == (False, 3)
    assert found.violation > 1e-10
    assert found.dual < asvm(X, SIGNS, 2.0**8, 1e-10).primal < found.primal


def test_lsvm_ends_where_variables_only_tend_to_zero() -> None:
    """They come to zero from above as slowly as from below: who waits for exact zeros waits for ever."""
    found = [lsvm(X, SIGNS, 2.0**power, 1e-3, limit=1000) for power in range(-8, 9)]
    assert all(one.converged for one in found)
    assert all(one.primal - one.dual <= 1e-3 * one.primal for one in found)


def test_weights_are_those_of_the_iterate_and_alpha_is_feasible() -> None:
    """Taking away what lies below zero by little, on many rows, would move the weights by much."""
    found = lsvm(X, SIGNS, 2.0**8, 1e-3, limit=20)
    H = SIGNS[:, None] * np.hstack([X, np.ones((40, 1))])
    np.testing.assert_allclose(H.T @ found.iterate, [*found.weights, found.bias])
    slack = np.maximum(1.0 - H @ [*found.weights, found.bias], 0.0)
    norm = found.weights @ found.weights + found.bias**2
    assert found.primal == pytest.approx(0.5 * norm + 2.0**8 * slack @ slack)
    assert (found.iterate < 0.0).any()
    np.testing.assert_array_equal(found.alpha, np.maximum(found.iterate, 0.0))


@pytest.mark.parametrize(("signs", "cost"), [(SIGNS[:-1], 1.0), (np.zeros(40), 1.0), (SIGNS, 0.0)])
def test_what_makes_no_sense_is_refused(signs: np.ndarray, cost: float) -> None:
    for solve in (asvm, lsvm):
        with pytest.raises(InputError, match=r"must be .*\.$"):
            solve(X, signs, cost)
