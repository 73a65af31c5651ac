"""Costs far from one, kernels far from one: every solver ends, and what it ends with is feasible and proven."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import MinMaxScaler

from mcsvm import MultiClassSVC
from mcsvm.solvers.budget import BUDGET, LINEAR
from mcsvm.solvers.factor.normal import rank_cap
from mcsvm.solvers.factor.pivoted import factor_of
from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.methods.auto import price
from mcsvm.solvers.methods.auto.conductor import Auto
from mcsvm.solvers.methods.interior import InteriorPoint
from mcsvm.solvers.methods.linear import newton as linear_newton
from mcsvm.solvers.posing import pose
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.loop import Limits, Run

# At such costs a violation within tol leaves a large gap, which a fit warns of.
pytestmark = pytest.mark.filterwarnings(
    "ignore:The training converged within tol:sklearn.exceptions.ConvergenceWarning"
)
X, Y = load_iris(return_X_y=True)
X = MinMaxScaler((-1, 1)).fit_transform(X)
RAW, WINE = load_wine(return_X_y=True)
FEW = np.random.default_rng(0).normal(size=(40, 3))


def stopped_early() -> AbstractContextManager[object]:
    return pytest.warns(ConvergenceWarning, match="relative gap")


def fitted(X: np.ndarray, y: np.ndarray, **parameters) -> MultiClassSVC:
    with stopped_early() if "max_iter" in parameters else nullcontext():
        model = MultiClassSVC(**{"time_limit": 30.0, **parameters}).fit(X, y)
    proof = model.certificate_
    scale = max(1e-3 * float(model.C), abs(proof.primal))
    assert proof.gap >= -1e-12 * scale, parameters
    assert proof.infeasibility <= 1e-9 * float(model.C) * len(y), parameters
    return model


def test_a_factor_grown_by_others_has_its_price() -> None:
    """It was waited for to shrink, in the middle of a slice."""
    rng = np.random.default_rng(0)
    features, labels = rng.normal(size=(700, 9)), np.arange(700) % 9
    part = pose(features, labels, machine="cs", kernel=KERNELS["rbf"](gamma=0.5)).part(0)
    cap = rank_cap(part)
    factor_of(part.gram).grow(part.gram, cap + 1)
    assert factor_of(part.gram).rank > cap
    assert price.interior(part, 1e9, BUDGET) == np.inf, "too coarse at its largest"


@pytest.mark.parametrize("machine", ["ova", "ovo", "dag"])
@pytest.mark.parametrize("C", [2.0**-12, 2.0**-16, 1e-8])
def test_small_costs_converge_under_an_exact_bias(machine: str, C: float) -> None:
    """All variables are at their bound: none is free to balance the others."""
    assert fitted(X, Y, machine=machine, kernel="linear", C=C).ending_ is Ending.CONVERGED


@pytest.mark.parametrize("machine", ["ww", "llw", "cs"])
@pytest.mark.parametrize("solver", ["auto", "s2do", "ipm"])
def test_b_gets_anywhere_at_small_costs(machine: str, solver: str) -> None:
    model = fitted(X[::4], Y[::4], machine=machine, solver=solver, bias="exact", gamma=0.5, C=2.0**-12)
    assert model.ending_ is Ending.CONVERGED


@pytest.mark.parametrize("machine", ["ww", "llw", "cs", "ova", "ovo"])
@pytest.mark.parametrize("solver", ["auto", "smo", "s2do", "ipm"])
@pytest.mark.parametrize("C", [0.01, 0.1])
def test_what_is_stopped_early_is_feasible(machine: str, solver: str, C: float) -> None:
    model = fitted(X[::3], Y[::3], machine=machine, solver=solver, bias="exact", C=C, max_iter=3)
    assert model.certificate_.infeasibility <= 1e-9


@pytest.mark.parametrize("C", [1.0, 100.0, 1e4])
def test_features_as_they_are_end_at_the_optimum(C: float) -> None:
    """K up to 8e12, so that all of alpha lies below 1e-12 of C; separable, so that C does not matter."""
    squares = {"machine": "ww", "kernel": "polynomial", "bias": "none", "degree": 2, "gamma": 1.0}
    model = fitted(RAW, WINE, **squares, C=C)
    assert model.ending_ is Ending.CONVERGED
    assert model.score(RAW, WINE) == 1.0
    scaled = fitted(1e-3 * RAW, WINE, **squares, C=1e12, tol=1e-6)
    assert model.certificate_.dual == pytest.approx(1e-12 * scaled.certificate_.dual, rel=1e-3)


@pytest.mark.parametrize("machine", ["ww", "llw", "cs", "ova"])
@pytest.mark.parametrize("solver", ["auto", "s2do", "ipm"])
def test_beyond_the_largest_alpha_the_cost_is_nothing(machine: str, solver: str) -> None:
    K, y = FEW[:12] @ FEW[:12].T + np.eye(12), np.arange(12) % 3
    duals = [
        fitted(K, y, machine=machine, solver=solver, kernel="precomputed", bias="none", C=C, tol=1e-6).certificate_.dual
        for C in (1e3, 1e12)
    ]
    assert duals[1] == pytest.approx(duals[0], rel=1e-6)


@pytest.mark.parametrize("C", [1e6, 1e7, 1e8])
def test_systems_that_rounding_spoils_are_mended(C: float) -> None:
    rng = np.random.default_rng(56)
    n, k, d = int(rng.integers(6, 20)), int(rng.integers(2, 5)), int(rng.integers(1, 4))
    rng.integers(0, 4)
    features, labels = np.round(rng.normal(size=(n, d)), 2), np.arange(n) % k
    model = fitted(features, labels, machine="ww", kernel="linear", bias="exact", C=C)
    assert model.ending_ is Ending.CONVERGED


def test_claims_that_are_refuted_again_and_again_end_in_exact_systems() -> None:
    model = fitted(FEW, np.arange(40) % 2, machine="ova", bias="exact", gamma=1e-8, C=1e7)
    assert (model.ending_, model.solver_used_) == (Ending.CONVERGED, "ipm")


@pytest.mark.parametrize("solver", ["auto", "ipm"])
def test_going_in_circles_comes_to_an_end(solver: str) -> None:
    """Nobody gets below 1e-15 in single precision."""
    soon = replace(BUDGET, stuck_steps=2000, stuck_steps_each=1)
    method = {"auto": Auto, "ipm": InteriorPoint}[solver](soon)
    run = Run(pose(X, Y, machine="ww", kernel=KERNELS["rbf"](gamma=2.0), cost=100.0), method, Limits(1e-18))
    while run.running:
        run.advance()
    assert run.ending in (Ending.STALLED, Ending.CONVERGED)
    assert run.solver_used == "ipm"
    assert run.certificate().violation < 1e-6


def test_a_stricter_tolerance_follows_a_refuted_claim() -> None:
    part, method = pose(X, Y, machine="ww", kernel=KERNELS["linear"]()).part(0), linear_newton.LinearNewton()
    state = method.start(part, 0)
    for _ in range(30):
        method.refuted(part, state)
    assert state.doubt == LINEAR.strictest


def test_nothing_is_printed_of_a_kernel_without_columns(capfd: pytest.CaptureFixture[str]) -> None:
    fitted(X, Y, machine="llw", solver="ipm", C=1e-3)
    fitted(0.0 * X, Y, machine="ww", solver="ipm", kernel="linear")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("scale", [1.0, 0.1, 0.01])
@pytest.mark.parametrize("C", [1e-3, 1e-4, 1e-8])
def test_sums_reach_their_bound_where_curvatures_are_tiny(scale: float, C: float) -> None:
    for solver in ("linear", "whole-example"):
        model = fitted(scale * FEW, np.arange(40) % 3, machine="cs", solver=solver, kernel="linear", C=C, bias="none")
        assert model.ending_ is Ending.CONVERGED, solver


def test_a_warm_start_takes_what_an_early_stop_left_of_all_pairs() -> None:
    rng = np.random.default_rng(0)
    features, labels = rng.normal(size=(200, 4)), np.arange(200) % 4
    model = MultiClassSVC(machine="ovo", solver="smo", tol=1e-6, warm_start=True)
    cold = model.fit(features, labels).n_iter_
    again = MultiClassSVC(machine="ovo", solver="smo", tol=1e-6, warm_start=True, max_iter=int(0.8 * cold))
    with stopped_early():
        again.fit(features, labels)
    again.set_params(max_iter=None).fit(features, labels)
    assert again.ending_ is Ending.CONVERGED
    assert again.n_iter_ < 0.5 * cold


def test_slices_of_newton_steps_are_short(monkeypatch: pytest.MonkeyPatch) -> None:
    def solved() -> tuple[Run, int]:
        problem = pose(X, Y, machine="ww", kernel=KERNELS["linear"](), cost=1000.0)
        run, longest = Run(problem, "linear-newton", Limits(1e-6)), 0
        while run.running:
            before, visiting = run.iterations, run.current.state.phase is linear_newton.NewtonPhase.VISITING
            run.advance()
            longest = longest if visiting else max(longest, run.iterations - before)
        return run, longest

    whole, longest = solved()
    assert longest > 1
    monkeypatch.setattr(linear_newton, "PIECE_SECONDS", 0.0)
    cut, one = solved()
    assert one == 1
    assert cut.ending is whole.ending is Ending.CONVERGED
    assert cut.certificate().dual == pytest.approx(whole.certificate().dual, rel=1e-6)
