"""Exact Shapley values against their definition: all subsets of players, one decision value after the other."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from math import factorial
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from small_data import blobs, trained

from mcsvm import InputError, explain
from mcsvm.solvers.budget import EXPLAIN
from mcsvm.solvers.explain.quadrature import quadratures, reach_of
from mcsvm.solvers.explain.values import EXACT
from mcsvm.solvers.kernels.points import Points
from mcsvm.solvers.machines import MACHINES


def by_subsets(
    decision: Any, row: np.ndarray, background: np.ndarray, weights: np.ndarray, players: np.ndarray
) -> np.ndarray:
    """(players, outputs) sum over S without i of |S|! (n - |S| - 1)! / n! (v(S + i) - v(S))."""
    count = int(players.max()) + 1
    game: dict[frozenset[int], np.ndarray] = {}
    for size in range(count + 1):
        for chosen in combinations(range(count), size):
            mixed = np.where(np.isin(players, chosen), row, background)
            game[frozenset(chosen)] = weights @ decision(mixed).reshape(len(mixed), -1)
    values = np.zeros((count, game[frozenset()].size))
    for members, value in game.items():
        share = (
            factorial(len(members)) * factorial(count - len(members) - 1) / factorial(count)
            if len(members) < count
            else 0.0
        )
        for player in set(range(count)) - members:
            values[player] += share * (game[members | {player}] - value)
    return values


def sixty(features: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Some columns hold few values, so that rows and background agree in them; the last is almost empty."""
    X, y = blobs(60, 3, features, seed)
    X[:, features // 2] = np.round(X[:, features // 2])
    X[:, -1] *= np.arange(60) % 9 == 0
    return X, y


@pytest.mark.parametrize("kernel", EXACT)
@pytest.mark.parametrize("machine", MACHINES)
def test_values_are_those_of_all_subsets(machine: str, kernel: str) -> None:
    X, y = sixty(7)
    model = trained(X, y, machine=machine, kernel=kernel, C=5.0, gamma=0.3)
    values = explain.shapley(model, X[10:12], X[:9])
    players, even = np.arange(7), np.full(9, 1.0 / 9.0)
    for number in range(2):
        expected = by_subsets(model.decision_function, X[10 + number], X[:9], even, players)
        np.testing.assert_allclose(values[number], expected, atol=1e-12)
    assert values.dtype == np.float64
    assert values.sum_error < 1e-12


@pytest.mark.parametrize("machine", ["ww", "ova", "ovo"])
def test_two_classes_have_one_function(machine: str) -> None:
    X, y = blobs(40, 2, 4)
    model = trained(X, y, machine=machine, C=5.0)
    values = explain.shapley(model, X[:1], X[5:12])
    expected = by_subsets(model.decision_function, X[0], X[5:12], np.full(7, 1.0 / 7.0), np.arange(4))
    assert values.shape == (1, 4, 1)
    np.testing.assert_allclose(values[0], expected, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", EXACT)
def test_twelve_columns_groups_and_weights(kernel: str) -> None:
    X, y = sixty(12, 1)
    model = trained(X, y, machine="cs", kernel=kernel, C=50.0, gamma=0.5)
    weights = np.array([0.0, 3.0, 0.5, 1.0, 0.25])
    values = explain.shapley(model, X[20:21], X[:5], background_weight=weights)
    shares = weights / weights.sum()
    expected = by_subsets(model.decision_function, X[20], X[:5], shares, np.arange(12))
    np.testing.assert_allclose(values[0], expected, atol=1e-10)
    groups = ["a", "b", "b", "c", "a", "d", "e", "e", "e", "f", "g", "b"]
    players = np.array(["abcdefg".index(group) for group in groups])
    joined = explain.shapley(model, X[20:21], X[:5], groups=groups, background_weight=weights)
    assert joined.shape == (1, 7, 3)
    np.testing.assert_allclose(
        joined[0], by_subsets(model.decision_function, X[20], X[:5], shares, players), atol=1e-10
    )


@pytest.mark.parametrize("kernel", EXACT)
def test_sparse_rows_give_what_dense_rows_give(kernel: str) -> None:
    X, y = blobs(60, 3, 30)
    X = X * (np.random.default_rng(2).random(X.shape) < 0.15)
    dense = trained(X, y, machine="ovo", kernel=kernel, C=5.0)
    sparse = trained(sp.csr_array(X), y, machine="ovo", kernel=kernel, C=5.0)
    sparse._model = replace(dense._model, points=Points(sp.csr_array(dense._model.points.rows)))  # not to rounding
    groups = np.arange(30) // 2
    for more in ({}, {"groups": groups}):
        known = explain.shapley(dense, X[:4], X[10:30], **more)
        found = explain.shapley(sparse, sp.csr_array(X[:4]), sp.csr_array(X[10:30]), **more)
        np.testing.assert_allclose(found, known, atol=1e-13)
        assert found.sum_error < 1e-12


@pytest.mark.parametrize("gamma", [1e-4, 0.05, 20.0])
def test_a_picture_of_784_pixels_sums_to_its_decision(gamma: float) -> None:
    rng = np.random.default_rng(3)
    X = rng.random((30, 784)) * (rng.random((30, 784)) < 0.4)
    model = trained(X, np.arange(30) % 3, gamma=gamma, C=100.0)
    values = explain.shapley(model, X[:2], X[3:6])
    assert values.sum_error < 1e-9
    assert np.abs(values).max() > 0.0


def test_few_nodes_give_what_the_exact_quadrature_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound on the error of few nodes is one: without it the values stay the same."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(30, 150))
    model = trained(X, np.arange(30) % 3, gamma=0.002, C=10.0)
    values = explain.shapley(model, X[:1], X[4:8])
    monkeypatch.setattr("mcsvm.solvers.explain.product.quadratures", lambda count: _never_short(quadratures(count)))
    np.testing.assert_allclose(values, explain.shapley(model, X[:1], X[4:8]), rtol=1e-10, atol=1e-14)


def _never_short(quadrature: Any) -> Any:
    sizes, reach, *rest = quadrature
    return (sizes, np.full_like(reach, -1.0), *rest)


def test_reach_of_a_quadrature_bounds_its_error() -> None:
    for size in (4, 8, 16):
        reach = reach_of(size)
        if reach <= 0.0:
            continue
        sizes, _, begins, nodes, weights = quadratures(256)
        some = slice(begins[list(sizes).index(size)], begins[list(sizes).index(size)] + size)
        slopes = np.full(200, reach / 200.0)  # of factors 1 + s (2 t - 1)
        found = (weights[some] * np.prod(1.0 + slopes * (2.0 * nodes[some][:, None] - 1.0), axis=1)).sum()
        s = reach / 200.0
        exact = ((1.0 + s) ** 201 - (1.0 - s) ** 201) / (2.0 * s * 201.0)
        assert found == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize("degree", [1, 2, 3, 4, 7, 10])
def test_polynomials_of_any_degree(degree: int) -> None:
    X, y = sixty(7)
    model = trained(X, y, kernel="polynomial", degree=degree, coef0=0.7, gamma=0.2, machine="ova", C=0.1)
    values = explain.shapley(model, X[10:11], X[:6])
    expected = by_subsets(model.decision_function, X[10], X[:6], np.full(6, 1.0 / 6.0), np.arange(7))
    np.testing.assert_allclose(values[0], expected, atol=1e-11 * np.abs(expected).max())
    assert values.sum_error < 1e-11 * np.abs(values.decision).max()


@pytest.mark.filterwarnings("ignore:The training stalled")  # tanh is not positive semidefinite
@pytest.mark.parametrize("machine", ["ww", "ova", "ovo"])
def test_sampled_values_are_as_near_as_their_standard_errors_say(machine: str) -> None:
    """Over many background rows the errors are about normal: a few of 42 beyond three standard errors would be far."""
    X, y = sixty(7)
    model = trained(X, y, machine=machine, kernel="sigmoid", gamma=0.2, coef0=-0.1, C=5.0)
    values = explain.shapley(model, X[40:42], X[:30], permutations=600)
    even = np.full(30, 1.0 / 30.0)
    expected = np.array([by_subsets(model.decision_function, X[at], X[:30], even, np.arange(7)) for at in (40, 41)])
    apart = np.abs(values - expected) / np.maximum(values.standard_errors, 1e-15)
    assert 0.5 < np.sqrt(np.square(apart).mean()) < 1.5
    assert np.asarray(apart).max() < 4.5
    assert values.sum_error < 1e-12
    finer = explain.shapley(model, X[40:42], X[:30], permutations=9_600)
    assert finer.standard_errors.sum() == pytest.approx(values.standard_errors.sum() / 4.0, rel=0.15)


@pytest.mark.filterwarnings("ignore:The training stalled")  # tanh is not positive semidefinite
def test_sampled_values_of_groups_weights_sparse_rows_and_two_classes() -> None:
    X, y = blobs(60, 2, 9)
    X = X * (np.random.default_rng(2).random(X.shape) < 0.4)
    model = trained(sp.csr_array(X), y, kernel="sigmoid", gamma=0.3, C=5.0)
    weights, players = np.array([0.0, 3.0, 0.5, 1.0]), np.repeat(np.arange(3), 3)
    more = {"groups": players, "background_weight": weights, "permutations": 400}
    values = explain.shapley(model, sp.csr_array(X[20:21]), sp.csr_array(X[:4]), **more)
    expected = by_subsets(model.decision_function, X[20], X[:4], weights / weights.sum(), players)
    assert values.shape == values.standard_errors.shape == (1, 3, 1)
    assert (np.abs(values[0] - expected) <= 4.5 * values.standard_errors[0] + 1e-13).all()
    assert values.sum_error < 1e-12


@pytest.mark.filterwarnings("ignore:The training stalled")  # tanh is not positive semidefinite
def test_sampled_values_do_not_depend_on_blocks_or_other_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = sixty(7)
    model = trained(X, y, kernel="sigmoid", gamma=0.2)
    values = explain.shapley(model, X[10:13], X[:9], permutations=90)
    alone = explain.shapley(model, X[11:12], X[:9], permutations=90)
    np.testing.assert_array_equal(values[1], alone[0])
    monkeypatch.setattr("mcsvm.solvers.explain.pieces.EXPLAIN", replace(EXPLAIN, numbers=70))
    monkeypatch.setattr("mcsvm.solvers.explain.sampling.EXPLAIN", replace(EXPLAIN, numbers=70))
    split = explain.shapley(model, X[11:12], X[:9], permutations=90)
    np.testing.assert_allclose(split, alone, atol=1e-13)
    np.testing.assert_allclose(split.standard_errors, alone.standard_errors, rtol=1e-9)


@pytest.mark.filterwarnings("ignore:The training stalled")  # tanh is not positive semidefinite
@pytest.mark.parametrize("kernel", ["rbf", "polynomial", "sigmoid"])
def test_the_same_bits_for_any_number_of_threads(kernel: str) -> None:
    X, y = blobs(400, 3, 6)
    values = [
        explain.shapley(trained(X, y, C=0.1, threads=threads, kernel=kernel, gamma=0.1), X[:3], X[:50])
        for threads in (1, 2)
    ]
    assert values[0].tobytes() == values[1].tobytes()


def test_far_rows_and_equal_rows() -> None:
    X, y = blobs(40, 3, 3)
    model = trained(X, y, C=5.0)
    far = np.full((1, 3), 1e3)  # where every kernel value underflows
    values = explain.shapley(model, np.vstack([far, X[:1]]), X[:1])
    assert values.sum_error < 1e-12
    assert not values[1].any()


def test_a_callback_stops_and_keeps_finished_rows() -> None:
    X, y = blobs(60, 3, 4)
    model = trained(X, y)
    heard: list[float] = []
    values = explain.shapley(model, X[:10], X[:20], callback=lambda share: heard.append(share) or share >= 0.5)
    assert values.shape == (5, 4, 3)
    assert heard == sorted(heard)
    np.testing.assert_array_equal(values, explain.shapley(model, X[:5], X[:20]))


def test_what_spoke_for_a_class_against_another() -> None:
    X, y = blobs(60, 3, 4)
    names = np.array(["c", "a", "b"])[y]
    for machine in ("ww", "ovo"):
        model = trained(X, names, machine=machine)
        values = explain.shapley(model, X[:3], X[:20])
        column = {"ww": values[..., 2] - values[..., 0], "ovo": -values[..., 1]}[machine]
        np.testing.assert_array_equal(explain.contrast(model, values, "c", "a"), column)
    with pytest.raises(InputError, match="no class"):
        explain.contrast(model, values, "c", "d")


@pytest.mark.parametrize("machine", ["ww", "llw", "cs", "ova"])
@pytest.mark.parametrize("classes", [2, 3])
def test_log_odds_sum_to_those_of_the_probabilities(machine: str, classes: int) -> None:
    X, y = blobs(80, classes, 4)
    model = trained(X, y, machine=machine, calibration="temperature", calibration_folds=3)
    values = explain.shapley(model, X[:3], X[:20])
    logs = model.predict_log_proba(X)
    expected = (logs[:3, 1] - logs[:3, 0]) - (logs[:20, 1] - logs[:20, 0]).mean()
    np.testing.assert_allclose(explain.log_odds(model, values, 1, 0).sum(axis=1), expected, atol=1e-9)


@pytest.mark.filterwarnings("ignore:The training stalled")  # tanh is not positive semidefinite
def test_refusals_are_sentences() -> None:
    X, y = blobs(30, 3, 4)
    with pytest.raises(InputError, match="permutations must be a whole number"):
        explain.shapley(trained(X, y, kernel="sigmoid", gamma=0.1), X[:1], X, permutations=0)
    with pytest.raises(InputError, match="precomputed"):
        explain.shapley(trained(X @ X.T, y, kernel="precomputed"), X[:1] @ X.T, X @ X.T)
    model = trained(X, y, machine="ovo")
    values = explain.shapley(model, X[:1], X)
    with pytest.raises(InputError, match="temperature"):
        explain.log_odds(model, values, 0, 1)
    for groups in (["a"], ["a"] * 5):
        with pytest.raises(InputError, match="4 columns"):
            explain.shapley(model, X[:1], X, groups=groups)
    for weights in (np.zeros(30), -np.ones(30)):
        with pytest.raises(InputError, match="background_weight"):
            explain.shapley(model, X[:1], X, background_weight=weights)
