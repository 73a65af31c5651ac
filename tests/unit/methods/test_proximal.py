"""Proximal steps over a factor of the kernel: their conditions of optimality, their systems, and `auto` taking them."""

from __future__ import annotations

import io

import numpy as np
import pytest
from small_data import blobs, finished, problem_of

from solvers.dual.certificate import certify
from solvers.dual.quantities import gradients
from solvers.factor.normal import Columns
from solvers.machines import MACHINES
from solvers.methods import METHODS
from solvers.methods import interior as ipm
from solvers.methods.auto import price, proximal
from solvers.methods.auto import proximal_newton as steps
from solvers.methods.auto.proximal_newton import ProximalStep
from solvers.methods.auto.splitting import towards
from solvers.methods.base import State, refresh, seed
from solvers.problem import Part, Problem
from solvers.run.ending import Ending
from solvers.run.loop import Limits, Run

X, Y = blobs(n=40, classes=4, features=3, seed=5)
BIASES = "none", "regularized"
COST = 30.0


def begun(machine: str, bias: str, sigma: float) -> tuple[Part, State, ProximalStep]:
    part = problem_of(X, Y, machine, cost=COST, bias=bias).part(0)
    state = METHODS["auto"].start(part)
    seed(
        part, state, np.random.default_rng(0).uniform(0.0, 0.05 * COST, state.alpha.shape) * part.form.real[part.labels]
    )
    columns = Columns(part.gram, part.offset, exact=False, cap=len(part))
    columns.use(len(part))
    return part, state, ProximalStep(part, columns, state, sigma)


def violation(part: Part, alpha: np.ndarray, gradient: np.ndarray) -> float:
    """From the definition, of any gradient."""
    real, upper, used = part.form.real[part.labels], part.upper[:, None], alpha > 1e-9 * COST
    if part.form.feasible == "box":
        wrong = np.where(alpha < upper * (1.0 - 1e-9), gradient, 0.0), np.where(used, -gradient, 0.0)
        return float((np.maximum(*wrong) * real).max())
    room = alpha.sum(axis=1) < part.upper * (1.0 - 1e-9)
    bottom = np.where(used, gradient, np.inf).min(axis=1)
    top = np.maximum(np.where(real, gradient, 0.0).max(axis=1), 0.0)
    return float((top - np.where(room, np.minimum(bottom, 0.0), bottom)).max())


@pytest.mark.parametrize("sigma", [0.1, 10.0])
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("machine", MACHINES)
def test_a_step_solves_the_penalised_problem(
    machine: str, bias: str, sigma: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "CLOSE", 1e-6)
    part, state, step = begun(machine, bias, sigma)
    before, dual = state.alpha.copy(), certify(part, state.alpha).certificate.dual
    alpha, taken = step.solve()
    assert taken < steps.NEWTON_STEPS
    proof = certify(part, alpha)
    gradient = gradients(part, proof.products + proof.bias) - (alpha - before) / sigma
    assert violation(part, alpha, gradient) <= 1e-4 * max(1.0, COST / sigma)
    assert towards(part, state, np.asfortranarray(alpha))
    after = certify(part, state.alpha)
    assert after.certificate.dual > dual
    np.testing.assert_allclose(state.functions, after.products + after.bias, atol=1e-8)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("machine", MACHINES)
def test_both_systems_give_the_same_direction(machine: str, bias: str) -> None:
    """And it is that of the matrix written out."""
    part, _, step = begun(machine, bias, 0.02)
    trial = step.at(step.functions)
    free = (trial.alpha > 0.0) & part.form.real[part.labels]
    if part.form.feasible == "box":
        free &= trial.alpha < part.upper[:, None]
    assert free.any()
    V, residual = step.columns.V, step.columns.reduce(trial.moved)
    matrix = np.eye(residual.size)
    for i, row in enumerate(free):
        read = part.form.direction[part.labels[i], row]
        if len(read):
            inner = np.eye(len(read)) - (trial.full[i] / len(read)) * np.ones((len(read), len(read)))
            matrix += step.sigma * np.kron(np.outer(V[i], V[i]), read.T @ inner @ read)
    expected = np.linalg.solve(matrix, residual.ravel()).reshape(residual.shape)
    for system in step.by_variables, step.by_columns:
        found = system(trial, free, residual)
        assert found is not None
        np.testing.assert_allclose(found, expected, atol=1e-6 * np.abs(expected).max())


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interior point is said to cost nothing, so that something takes over at once."""
    monkeypatch.setattr(price, "least", lambda part: 0.0)
    monkeypatch.setattr(price, "interior", lambda part, affordable: 0.0)


@pytest.mark.usefixtures("cheap")
@pytest.mark.parametrize("bias", [*BIASES, "exact"])
@pytest.mark.parametrize("machine", ["llw", "ats", "ova"])
def test_auto_ends_at_the_optimum_also_from_a_checkpoint(machine: str, bias: str) -> None:
    def problem() -> Problem:
        return problem_of(X, Y, machine, cost=COST, bias=bias)

    run, stepped = Run(problem(), "auto", Limits(1e-9, 1e-7)), 0
    while run.running and stepped < 2:
        run.advance(1)
        stepped += proximal.stepping(run._state)
    again = Run.load(problem(), io.BytesIO(run.pack()))
    for each in run, again:
        while each.running:
            each.advance(1)
        assert each.ending is Ending.CONVERGED
    assert stepped == 2 or (machine, bias) == ("ova", "exact"), "which has a balance to keep"
    for one, other in zip(run.alphas(), again.alphas(), strict=True):
        np.testing.assert_array_equal(one, other)
    optimum = finished(problem(), "ipm", 1e-9, gap_tolerance=1e-8).certificate()
    certificate = run.certificate()
    assert optimum.dual - 1e-9 <= certificate.primal
    assert certificate.dual <= optimum.primal + 1e-9
    assert certificate.relative_gap <= 1e-7


@pytest.mark.usefixtures("cheap")
def test_where_newton_steps_fail_the_interior_point_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: ProximalStep) -> tuple[np.ndarray, int]:
        return self.anchor.copy(), steps.NEWTON_STEPS

    monkeypatch.setattr(ProximalStep, "solve", fail)
    run = finished(problem_of(X, Y, "llw", cost=COST), "auto", 1e-6)
    assert run.ending is Ending.CONVERGED
    assert run.solver_used == ipm.NAME


def test_a_step_from_the_optimum_stays_there() -> None:
    run = finished(problem_of(X, Y, "llw", cost=COST), "auto", 1e-9)
    part = run.problem.part(0)
    state = METHODS["auto"].start(part)
    state.alpha[...] = run.alphas()[0]
    refresh(part, state)
    columns = Columns(part.gram, part.offset, exact=False, cap=len(part))
    columns.use(len(part))
    alpha, _ = ProximalStep(part, columns, state, 1.0).solve()
    np.testing.assert_allclose(alpha, state.alpha, atol=1e-5)
