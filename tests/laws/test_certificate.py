"""The certificate against the mathematics written by hand."""

from functools import partial

import numpy as np
import pytest
from oracles import (
    JOINT,
    binary_dual,
    binary_primal,
    dual_by_hand,
    optimum_by_scipy,
    optimum_of_programme,
    primal_by_hand,
    random_alpha,
    weights_by_hand,
)
from scipy.optimize import minimize_scalar
from small_data import KERNEL_PARAMETERS, blobs, dense_kernel, finished, problem_of

from mcsvm.solvers.dual.certificate import certify
from mcsvm.solvers.machines import MACHINES

X, Y = blobs(n=15, classes=3)
WEIGHTS = np.array([1.0, 0.5, 2.0])
MARGIN = {"llw": 0.5}  # 1 / (classes - 1); 1 for all others


def test_every_machine_is_written_by_hand() -> None:
    assert set(MACHINES) == {*JOINT, "ova", "ovo", "dag"}


@pytest.mark.parametrize("kernel", KERNEL_PARAMETERS)
@pytest.mark.parametrize("bias", ["none", "regularized"])
@pytest.mark.parametrize("machine", JOINT)
def test_any_alpha_of_a_joint_machine(machine: str, bias: str, kernel: str) -> None:
    problem = problem_of(X, Y, machine, kernel, cost=2.0, bias=bias, class_weight=WEIGHTS)
    upper, m = 2.0 * WEIGHTS[Y], MARGIN.get(machine, 1.0)
    alpha = random_alpha(machine, Y, upper, 3, np.random.default_rng(1))
    K = dense_kernel(kernel, X, X) + (1.0 if bias == "regularized" else 0.0)
    proof = certify(problem.part(0), alpha)
    by_hand = weights_by_hand(machine, Y, alpha)
    assert proof.certificate.dual == pytest.approx(dual_by_hand(machine, K, Y, alpha, m), rel=1e-10)
    assert proof.certificate.primal == pytest.approx(
        primal_by_hand(machine, K, Y, by_hand, upper, m, np.zeros(3)), rel=1e-10
    )
    np.testing.assert_allclose(proof.weights, by_hand, atol=1e-12)
    assert proof.certificate.infeasibility <= 1e-12


@pytest.mark.parametrize("machine", JOINT)
def test_the_exact_bias_is_the_best_and_sums_to_zero(machine: str) -> None:
    run = finished(problem_of(X, Y, machine, cost=2.0, bias="exact", class_weight=WEIGHTS), tolerance=1e-4)
    proof, m = run.proofs()[0], MARGIN.get(machine, 1.0)
    K, upper = dense_kernel("rbf", X, X), 2.0 * WEIGHTS[Y]
    assert proof.bias.sum() == pytest.approx(0.0, abs=1e-9)
    assert proof.certificate.primal == pytest.approx(
        primal_by_hand(machine, K, Y, proof.weights, upper, m, proof.bias), rel=1e-9
    )
    np.testing.assert_allclose(proof.weights.sum(axis=0), 0.0, atol=1e-9)
    rng = np.random.default_rng(2)
    for scale in (1e-2, 1e-1, 1.0):
        other = proof.bias + centred(rng.normal(scale=scale, size=3))
        assert primal_by_hand(machine, K, Y, proof.weights, upper, m, other) >= proof.certificate.primal - 2e-3


def centred(values: np.ndarray) -> np.ndarray:
    return values - values.mean()


@pytest.mark.parametrize("bias", ["none", "regularized", "exact"])
@pytest.mark.parametrize("machine", ["ova", "ovo", "dag"])
def test_binary_machines_part_by_part(machine: str, bias: str) -> None:
    run = finished(problem_of(X, Y, machine, cost=2.0, bias=bias, class_weight=WEIGHTS))
    K = dense_kernel("rbf", X, X) + (1.0 if bias == "regularized" else 0.0)
    parts = [(0, 1), (0, 2), (1, 2)] if machine != "ova" else [(0, None), (1, None), (2, None)]
    primal = dual = 0.0
    for (first, second), alpha, proof in zip(parts, run.alphas(), run.proofs(), strict=True):
        rows = np.arange(Y.size) if second is None else np.flatnonzero(np.isin(Y, [first, second]))
        sign = np.where(Y[rows] == first, 1.0, -1.0)
        inner, upper, a = K[np.ix_(rows, rows)], 2.0 * WEIGHTS[Y[rows]], alpha[:, 0]
        b = float(proof.bias[0]) if bias == "exact" else 0.0
        primal += binary_primal(inner, sign, sign * a, upper, 1.0, b)
        dual += binary_dual(inner, sign, a, 1.0)
        assert (a >= 0.0).all()
        assert (a <= upper).all()
        coupling = np.outer(sign, sign) * inner
        optimum = optimum_of_programme(
            coupling, np.ones(rows.size), upper, equalities=sign[None] if bias == "exact" else None
        )
        assert proof.certificate.dual == pytest.approx(optimum, rel=1e-6)
        if bias == "exact":
            assert sign @ a == pytest.approx(0.0, abs=1e-9)
            values = partial(binary_primal, inner, sign, sign * a, upper, 1.0)
            assert proof.certificate.primal <= minimize_scalar(values, bounds=(b - 3, b + 3)).fun + 1e-9
    certificate = run.certificate()
    assert certificate.primal == pytest.approx(primal, rel=1e-9)
    assert certificate.dual == pytest.approx(dual, rel=1e-9)


@pytest.mark.parametrize("bias", ["none", "exact"])
@pytest.mark.parametrize("machine", JOINT)
def test_the_optimum_of_every_joint_machine(machine: str, bias: str) -> None:
    run = finished(problem_of(X, Y, machine, cost=2.0, bias=bias, class_weight=WEIGHTS), tolerance=1e-5)
    K, upper, m = dense_kernel("rbf", X, X), 2.0 * WEIGHTS[Y], MARGIN.get(machine, 1.0)
    optimum = optimum_by_scipy(machine, K, Y, upper, 3, m, balanced=bias == "exact")
    certificate = run.certificate()
    assert certificate.dual == pytest.approx(optimum, rel=1e-6)
    assert certificate.dual <= optimum * (1 + 1e-7)
    assert certificate.primal >= optimum * (1 - 1e-9)


def test_what_breaks_a_constraint_is_called_infeasible() -> None:
    part = problem_of(X, Y, "ww", cost=1.0).part(0)
    alpha = np.zeros((15, 3))
    alpha[0, (Y[0] + 1) % 3] = 1.5
    assert certify(part, alpha).certificate.infeasibility == pytest.approx(0.5)
    alpha[0, (Y[0] + 1) % 3] = -0.25
    assert certify(part, alpha).certificate.infeasibility == pytest.approx(0.25)
