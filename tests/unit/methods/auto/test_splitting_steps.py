"""ADMM: its two halves against conditions of optimality and dense algebra, its steps, and their interruptions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from small_data import blobs, dense_kernel, problem_of

from mcsvm.solvers.budget import BUDGET
from mcsvm.solvers.dual.certificate import certify
from mcsvm.solvers.dual.quantities import examine, weights_of
from mcsvm.solvers.factor.pivoted import factor_of
from mcsvm.solvers.interrupt import listening
from mcsvm.solvers.jit import splitting as jit
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.methods.auto.splitting import Splitting, applies, onto_bounds, weights_up_to_constants
from mcsvm.solvers.methods.base import State, refresh, start_from
from mcsvm.solvers.problem import Part

X, Y = blobs(n=40, classes=4, features=3, seed=5)
BIASES = "none", "regularized"


def part_of(machine: str, bias: str = "none", cost: float = 2.0) -> Part:
    return problem_of(X, Y, machine, cost=cost, bias=bias).part(0)


@pytest.mark.parametrize("size", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("machine", MACHINES)
def test_every_example_finds_what_is_nearest(machine: str, size: float) -> None:
    """It is the dual problem with the identity, times rho, for the kernel."""
    part, rng, rho = part_of(machine), np.random.default_rng(0), 0.3
    assert applies(part)
    shape = len(part), part.form.outputs
    wanted, u = (rng.normal(scale=size, size=shape).astype(np.float32) for _ in range(2))  # as ADMM holds them
    z, left, alpha = np.empty_like(u), u.copy(), np.empty((len(part), part.form.slots), np.float32)
    sums = part.form.feasible == "simplex"
    jit.example_steps(part.form.rule, sums, part.labels, part.upper, rho, wanted, z, left, alpha)
    hidden = weights_of(part, alpha.astype(float)) - z  # nothing, or common to functions that sum to 0
    rounding = 1e-6 * (size + float(part.upper.max()))
    assert np.ptp(hidden, axis=1).max() <= 8 * rounding
    assert part.form.centred or np.abs(hidden).max() <= 8 * rounding
    np.testing.assert_allclose(z, weights_up_to_constants(part, alpha.astype(float)), atol=8 * rounding)
    np.testing.assert_allclose(left, u + wanted - z, atol=8 * rounding)
    exact, pull = onto_bounds(part, alpha.astype(float)), (z - wanted - u).astype(float)
    assert examine(part, exact, rho * pull).violation <= 1e-5 + 10 * rounding


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("machine", MACHINES)
def test_the_other_half_is_a_dense_system(machine: str, bias: str) -> None:
    part, rho = part_of(machine, bias), 0.3
    K = dense_kernel("rbf", X, X)[np.ix_(*[rows_of(part)] * 2)] + part.offset
    P = np.eye(part.form.outputs) - part.form.centred / part.form.outputs
    pull = np.random.default_rng(0).normal(size=(len(part), part.form.outputs))
    whole = np.kron(K, P) + rho * np.eye(pull.size)
    expected = rho * np.linalg.solve(whole, pull.ravel())
    splitting = Splitting.prepare(part, rho, len(part))
    found = splitting.kernel_update(pull.astype(np.float32))
    np.testing.assert_allclose(found.ravel(), expected, atol=1e-5)


def rows_of(part: Part) -> np.ndarray:
    """Of X, those of the part: of pairs of classes, the first two."""
    return np.arange(Y.size) if len(part) == Y.size else np.flatnonzero(Y <= 1)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("machine", MACHINES)
def test_steps_rise_to_the_optimum(machine: str, bias: str) -> None:
    part = part_of(machine, bias)
    state = State.zero(part)
    start_from(part, state, np.random.default_rng(0).uniform(0.0, 0.5, state.alpha.shape))
    refresh(part, state)
    carrier, duals = Splitting.prepare(part, 0.3, len(part)), [-np.inf]
    for _ in range(20):
        carrier.run(state, BUDGET)
        certificate = certify(part, state.alpha).certificate
        assert certificate.dual >= duals[-1] - 1e-9 * abs(certificate.dual)
        duals.append(certificate.dual)
        exact = certify(part, state.alpha)
        np.testing.assert_allclose(state.functions, exact.products + exact.bias, atol=1e-9)
    assert certificate.infeasibility <= 1e-12
    assert certificate.relative_gap <= 1e-3


def test_a_factor_too_coarse_leads_nowhere_but_does_no_harm() -> None:
    part = part_of("ww", cost=100.0)
    state = State.zero(part)
    refresh(part, state)
    Splitting.prepare(part, 0.3, len(part)).run(state, BUDGET)
    before = certify(part, state.alpha).certificate.dual
    Splitting.prepare(part, 1e-6, 2).run(state, BUDGET)
    assert certify(part, state.alpha).certificate.dual >= before - 1e-9 * abs(before)


def test_the_point_moves_after_the_last_interruption_only() -> None:
    part = part_of("ww")
    state = State.zero(part)
    refresh(part, state)
    carrier = Splitting.prepare(part, 0.3, len(part))
    moved: list[bool] = []

    def listener() -> None:
        moved.append(bool(state.alpha.any()))

    with listening(listener, rest=0.0):
        carrier.run(state, replace(BUDGET, admm_steps=5))
    assert len(moved) >= 5
    assert not any(moved)
    assert state.alpha.any()


def test_more_columns_of_others_change_no_bit() -> None:
    moved = []
    for more in 0, 30:
        part = part_of("cs")
        factor_of(part.gram).grow(part.gram, more)
        carrier = Splitting.prepare(part, 0.3, 12)
        assert carrier.half.shape == (len(part), 12)
        state = State.zero(part)
        refresh(part, state)
        carrier.run(state, BUDGET)
        moved.append(state.alpha)
    np.testing.assert_array_equal(*moved)
