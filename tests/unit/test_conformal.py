"""Conformal p-values by their definition, and distances from landmarks by least squares."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from mcsvm import InputError
from mcsvm.solvers.budget import NOVELTY
from mcsvm.solvers.kernels import KERNELS, Points
from mcsvm.solvers.uncertainty.conformal import MOST, Conformal, of_own_class, strangeness
from mcsvm.solvers.uncertainty.novelty import Landmarks


def test_p_values_are_those_of_the_definition() -> None:
    rng = np.random.default_rng(0)
    strange, codes = rng.integers(0, 9, size=60).astype(float), np.arange(60) % 3  # with ties
    known = Conformal.of(strange, codes, 3)
    asked = rng.integers(-1, 11, size=(40, 3)).astype(float)
    for row in range(40):
        for code in range(3):
            mine = strange[codes == code]
            p = (1 + sum(value >= asked[row, code] for value in mine)) / (mine.size + 1)
            assert known.p_values(asked)[row, code] == pytest.approx(p, abs=1e-15)


def test_a_row_is_strange_by_what_is_ahead_of_its_class() -> None:
    scores = np.array([[3.0, 1.0, 2.0], [1.0, 1.0, 0.0]])
    np.testing.assert_array_equal(strangeness(scores), [[-1.0, 2.0, 1.0], [0.0, 0.0, 1.0]])
    np.testing.assert_array_equal(of_own_class(scores, [2, 0]), [2.0, 1.0])


@pytest.mark.parametrize("error", [0.05, 0.3])
def test_rows_like_those_known_are_covered_as_asked(error: float) -> None:
    """Over many draws of known rows: exactly, but for the step of 1 / (n + 1)."""
    rng, n, draws = np.random.default_rng(1), 39, 4000
    covered = 0
    for _ in range(draws):
        known = Conformal.of(rng.normal(size=n), np.zeros(n, np.int64), 1)
        covered += int(known.p_values(rng.normal(size=(1, 1)))[0, 0] > error)
    room = 3.0 * np.sqrt(error * (1.0 - error) / draws)
    assert 1.0 - error - room <= covered / draws <= 1.0 - error + room + 1.0 / (n + 1)


def test_of_many_rows_some_are_kept() -> None:
    known = Conformal.of(np.random.default_rng(0).normal(size=5 * MOST), np.zeros(5 * MOST, np.int64), 1)
    (levels,) = known.levels
    assert levels.size == MOST
    assert (np.diff(levels) >= 0.0).all()


def problem(n: int = 90, features: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    codes = np.arange(n) % 3
    return rng.normal(size=(n, features)) + 2.0 * codes[:, None], codes


def test_a_distance_is_the_ridge_regression_of_a_row_on_the_landmarks() -> None:
    """min_w |x - S' w|^2 + ridge |w|^2, with the features themselves."""
    X, codes = problem()
    near = Landmarks.of(KERNELS["linear"](), Points(X), codes, 3)
    found = near.distances(X[:7])
    for code in range(3):
        S = near.points.rows[near.parts[code] : near.parts[code + 1]]
        ridge = NOVELTY.ridge * np.mean((S * S).sum(axis=1))
        for row in range(7):
            system = np.vstack([S.T, np.sqrt(ridge) * np.eye(len(S))])
            target = np.concatenate([X[row], np.zeros(len(S))])
            w = np.linalg.lstsq(system, target, rcond=None)[0]
            assert found[row, code] == pytest.approx(float(np.sum((system @ w - target) ** 2)), rel=1e-9)


@pytest.mark.parametrize("name", ["rbf", "linear", "polynomial", "sigmoid"])
def test_rows_of_a_class_are_nearer_than_rows_far_away(name: str) -> None:
    X, codes = problem()
    kernel = KERNELS[name](**({} if name == "linear" else {"gamma": 0.2}))
    near = Landmarks.of(kernel, Points(X), codes, 3)
    assert np.isfinite(near.distances(X)).all()
    if name == "rbf":
        own = of_own_class(near.distances(X), codes)
        assert own.max() < 0.6
        assert near.distances(X + 50.0).min() > 0.999


def test_landmarks_are_rows_of_their_class_and_each_is_there_once() -> None:
    X, codes = problem()
    X[codes == 1] = X[1]  # a class of one row, again and again
    near = Landmarks.of(KERNELS["rbf"](gamma=0.5), Points(X), codes, 3)
    for code in range(3):
        mine = near.points.rows[near.parts[code] : near.parts[code + 1]]
        assert np.unique(mine, axis=0).shape == mine.shape
        assert {*map(tuple, mine)} <= {*map(tuple, X[codes == code])}
    assert near.parts[2] - near.parts[1] == 1


def test_many_classes_share_the_landmarks() -> None:
    rng = np.random.default_rng(0)
    codes = np.arange(4000) % 500
    near = Landmarks.of(KERNELS["rbf"](gamma=0.5), Points(rng.normal(size=(4000, 2))), codes, 500)
    assert near.parts[-1] <= NOVELTY.together
    assert (np.diff(near.parts) >= 2).all()


def test_sparse_rows_are_as_far_as_dense_ones() -> None:
    X, codes = problem()
    X[np.abs(X) < 1.0] = 0.0
    kernel = KERNELS["rbf"](gamma=0.3)
    dense = Landmarks.of(kernel, Points(X), codes, 3)
    sparse = Landmarks.of(kernel, Points(sp.csr_array(X)), codes, 3)
    np.testing.assert_allclose(sparse.distances(sp.csr_array(X[:9])), dense.distances(X[:9]), atol=1e-9)


def test_kernels_that_overflow_are_refused_in_words() -> None:
    X = problem()[0]
    near = Landmarks(KERNELS["linear"](), Points(1e200 * X), np.array([0, 30, 60, 90]))
    with np.errstate(over="ignore", invalid="ignore"), pytest.raises(InputError, match="scale the features"):
        near.distances(X)
