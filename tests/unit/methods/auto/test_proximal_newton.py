"""Proximal steps over a factor of the kernel: their conditions of optimality and their Newton systems."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from small_data import blobs, problem_of

from mcsvm.solvers.budget import BUDGET, PROXIMAL
from mcsvm.solvers.dual.certificate import certify
from mcsvm.solvers.dual.quantities import gradients
from mcsvm.solvers.factor.normal import Columns
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.methods.auto import faces
from mcsvm.solvers.methods.auto import proximal_newton as steps
from mcsvm.solvers.methods.auto.proximal_newton import FactorStep
from mcsvm.solvers.methods.auto.splitting import move_towards
from mcsvm.solvers.methods.base import State, refresh, start_from
from mcsvm.solvers.methods.proximal import End
from mcsvm.solvers.problem import Part

X, Y = blobs(n=40, classes=4, features=3, seed=5)
BIASES = "none", "regularized"
COST = 30.0


def begun(machine: str, bias: str, sigma: float) -> tuple[Part, State, FactorStep]:
    part = problem_of(X, Y, machine, cost=COST, bias=bias).part(0)
    state = State.zero(part)
    chance = np.random.default_rng(0).uniform(0.0, 0.05 * COST, state.alpha.shape)
    start_from(part, state, chance * part.form.real[part.labels])
    refresh(part, state)
    columns = Columns(part.gram, part.offset, exact=False, cap=len(part))
    columns.use(len(part))
    return part, state, FactorStep(part, columns, state, sigma)


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
    monkeypatch.setattr(steps, "PROXIMAL", replace(PROXIMAL, close=1e-6))
    part, state, step = begun(machine, bias, sigma)
    before, dual = state.alpha.copy(), certify(part, state.alpha).certificate.dual
    trial, taken, end = step.solve(step.begin(), PROXIMAL.steps)
    assert end is End.CLOSE
    assert taken < PROXIMAL.steps
    proof, alpha = certify(part, trial.alpha), trial.alpha
    gradient = gradients(part, proof.products + proof.bias) - (alpha - before) / sigma
    assert violation(part, alpha, gradient) <= 1e-4 * max(1.0, COST / sigma)
    assert move_towards(part, state, np.asfortranarray(alpha))
    after = certify(part, state.alpha)
    assert after.certificate.dual > dual
    np.testing.assert_allclose(state.functions, after.products + after.bias, atol=1e-8)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("machine", MACHINES)
def test_both_systems_give_the_same_direction(machine: str, bias: str) -> None:
    """And it is that of the matrix written out."""
    part, _, step = begun(machine, bias, 0.02)
    trial = step.begin()
    free = (trial.alpha > 0.0) & part.form.real[part.labels]
    if part.form.feasible == "box":
        free &= trial.alpha < part.upper[:, None]
    assert free.any()
    V, residual = step.columns.gather(np.arange(len(part))).T, step.residual(trial)
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


def test_a_step_from_the_optimum_stays_there() -> None:
    part, state, _ = begun("llw", "none", 1.0)
    chosen = faces.choose(part.form.real[part.labels], gradients(part, state.functions))
    values, *_ = faces.polish(part, state.alpha, chosen, 1e-9, BUDGET)
    state.alpha[chosen.examples[chosen.member], chosen.slot] = values
    refresh(part, state)
    columns = Columns(part.gram, part.offset, exact=False, cap=len(part))
    columns.use(len(part))
    step = FactorStep(part, columns, state, 1.0)
    trial, *_ = step.solve(step.begin(), PROXIMAL.steps)
    np.testing.assert_allclose(trial.alpha, state.alpha, atol=1e-5)
