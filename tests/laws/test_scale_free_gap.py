"""The gap does not depend on the scale of the problem: the optimum of (C, K) is that of (s C, K / s) times s."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from mcsvm import MultiClassSVC
from mcsvm.solvers.dual.certificate import Certificate
from mcsvm.solvers.run.ending import Ending

X, Y = load_iris(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
K = np.exp(-0.5 * np.square(X[:, None] - X[None]).sum(axis=2))


def own_gap(model: MultiClassSVC, kernel: np.ndarray, C: float) -> float:
    """The relative gap of ww without a bias, from its definition and the weights alone."""
    weights = np.zeros((len(Y), 3))
    weights[model.support_] = model.dual_coef_.T
    functions = kernel @ weights
    norm = 0.5 * float(np.vdot(weights, functions))
    own = functions[np.arange(len(Y)), Y]
    losses = np.maximum(0.0, 1.0 - own[:, None] + functions)
    losses[np.arange(len(Y)), Y] = 0.0
    primal = norm + C * losses.sum()
    dual = weights[np.arange(len(Y)), Y].sum() - norm  # the weight of the own class is the sum of an example's alpha
    return float((primal - dual) / max(abs(primal), abs(dual)))


@pytest.mark.parametrize("solver", ["smo", "s2do", "auto"])
@pytest.mark.parametrize("C", [2.0**-45, 1e-7, 1.0, 2.0**30])
def test_a_gap_that_was_asked_for_is_reached_at_every_cost(solver: str, C: float) -> None:
    """A gap in units of max(1, primal) is small wherever the primal is, whatever the model."""
    kernel = K / C
    model = MultiClassSVC(machine="ww", solver=solver, kernel="precomputed", C=C, gap_tol=1e-3).fit(kernel, Y)
    assert model.ending_ is Ending.CONVERGED
    assert own_gap(model, kernel, C) <= 1.001e-3
    assert model.certificate_.relative_gap == pytest.approx(own_gap(model, kernel, C), abs=1e-9)


@pytest.mark.parametrize("C", [1e-7, 1e-12])
def test_small_costs_are_solved_by_the_violation_too(C: float) -> None:
    model = MultiClassSVC(machine="ww", gamma=0.5, C=C).fit(X, Y)
    assert own_gap(model, K, C) <= 1e-3


def test_a_sum_of_parts_that_reach_a_gap_reaches_it() -> None:
    parts = [Certificate(1.0, 0.9992, 0.1, 0.0, 1.0), Certificate(1e-9, 0.9992e-9, 0.1, 0.0, 1.0)]
    assert all(one.reaches(1e-3, 1e-6) for one in parts)
    assert (parts[0] + parts[1]).reaches(1e-3, 1e-6)


def test_zero_within_rounding_is_reached_if_the_violation_is_small() -> None:
    """Rows of length 1e100: a relative gap of an optimum of 1e-200 is beyond double precision."""
    rounding = Certificate(1e-14, 1e-200, 1e-5, 0.0, 100.0)
    assert rounding.relative_gap == 1.0
    assert rounding.is_zero
    assert rounding.reaches(1e-3, 1e-3)
    assert not rounding.reaches(1e-3, 1e-6)
    assert not Certificate(20.0, 10.0, 1e-5, 0.0, 1e14).is_zero, "a hard margin at a cost of 1e12"
