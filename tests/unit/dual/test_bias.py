"""The exact bias against a minimiser that knows nothing of medians or free variables."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import loss_of_example
from scipy.optimize import minimize
from small_data import blobs, problem_of

from mcsvm.solvers.dual.bias import best_bias

X, Y = blobs(n=14, classes=2, seed=2)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), cost=st.floats(0.1, 10.0), heavy=st.floats(0.1, 10.0))
def test_a_binary_bias_minimises_the_loss(seed: int, cost: float, heavy: float) -> None:
    products = np.random.default_rng(seed).normal(size=(14, 1))
    part = problem_of(X, Y, "ovo", cost=cost, class_weight=[1.0, heavy]).part(0)
    sign, upper = np.where(Y == 0, 1.0, -1.0), cost * np.array([1.0, heavy])[Y]
    found = best_bias(part, np.zeros((14, 1)), products, None)[0]

    def loss(b: float) -> float:
        return float(upper @ np.maximum(0.0, 1.0 - sign * (products[:, 0] + b)))

    kinks = sign - products[:, 0]  # the loss is piecewise linear: its minimum is at a kink
    assert loss(found) <= min(map(loss, kinks)) + 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_of_many_best_biases_it_is_the_middle_one(seed: int) -> None:
    """With as many of each class, all b between two kinks cost the same."""
    products = np.random.default_rng(seed).normal(size=(14, 1))
    sign = np.where(Y == 0, 1.0, -1.0)
    kinks = sign - products[:, 0]
    losses = np.array([np.maximum(0.0, 1.0 - sign * (products[:, 0] + b)).sum() for b in kinks])
    best = kinks[losses <= losses.min() + 1e-9]
    assert best.max() > best.min()
    part = problem_of(X, Y, "ovo").part(0)
    assert best_bias(part, np.zeros((14, 1)), products, None)[0] == pytest.approx(0.5 * (best.min() + best.max()))


@pytest.mark.parametrize("machine", ["ww", "cs", "llw", "atm", "ats", "mmr", "adm"])
def test_a_joint_bias_without_free_variables_minimises_the_loss(machine: str) -> None:
    x, y = blobs(n=20, classes=3, seed=3)
    part = problem_of(x, y, machine, bias="exact").part(0)
    products = np.random.default_rng(4).normal(scale=0.5, size=(20, 3))
    products -= products.mean(axis=1, keepdims=True)
    found = best_bias(part, np.zeros((20, 3)), products, None)
    margin = 0.5 if machine == "llw" else 1.0

    def loss(b: np.ndarray) -> float:
        b = np.append(b, -b.sum())
        return sum(loss_of_example(machine, row + b, int(own), margin) for row, own in zip(products, y, strict=True))

    best = min(
        minimize(loss, start, method="Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-9, "maxiter": 4000}).fun
        for start in (np.zeros(2), found[:2], np.array([0.5, -0.5]))
    )
    assert found.sum() == pytest.approx(0.0, abs=1e-9)
    assert loss(found[:2]) <= best + 1e-6
