"""Polishing solves for the chosen variables on the exact kernel, in pieces and within its memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from small_data import blobs, dense_kernel, problem_of

from mcsvm.solvers.budget import BUDGET
from mcsvm.solvers.dual.certificate import certify
from mcsvm.solvers.dual.quantities import examine, gradients, weights_of
from mcsvm.solvers.methods.auto import faces
from mcsvm.solvers.problem import Part

X, Y = blobs(n=40, classes=4, features=3, seed=5)
BIASES = "none", "regularized"
PAIR_BYTES = 20  # what `polish` says it holds


def start(machine: str, bias: str, cost: float = 10.0) -> tuple[Part, np.ndarray, np.ndarray]:
    part = problem_of(X, Y, machine, cost=cost, bias=bias).part(0)
    alpha = np.zeros((len(part), part.form.slots))
    return part, alpha, gradients(part, np.zeros((len(part), part.form.outputs)))


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("machine", ["ww", "cs", "llw", "ova", "ats"])
def test_all_variables_at_once_end_at_the_optimum(machine: str, bias: str) -> None:
    part, alpha, gradient = start(machine, bias)
    wanted = np.broadcast_to(part.form.real[part.labels], alpha.shape)
    chosen = faces.choose(wanted, gradient)
    values, steps, solved = faces.polish(part, alpha, chosen, 1e-9, BUDGET)
    assert solved
    assert steps > 0
    assert not alpha.any(), "only the caller moves"
    alpha[chosen.examples[chosen.member], chosen.slot] = values
    proof = certify(part, alpha)
    assert (
        examine(part, alpha, proof.products + proof.bias).violation <= 1e-5
    )  # pair steps move the gradient by float32 rows
    assert proof.certificate.relative_gap <= 1e-5


def test_a_balance_is_kept() -> None:
    part, alpha, gradient = start("ova", "exact")
    chosen = faces.choose(np.ones(alpha.shape, bool), gradient)
    values, _, solved = faces.polish(part, alpha, chosen, 1e-9, BUDGET)
    assert solved
    alpha[chosen.examples[chosen.member], chosen.slot] = values
    np.testing.assert_allclose(weights_of(part, alpha).sum(axis=0), 0.0, atol=1e-9)
    assert certify(part, alpha).certificate.relative_gap <= 1e-5


def test_the_exact_block_is_the_kernel_with_its_offset() -> None:
    part, *_ = start("ww", "regularized")
    examples = np.array([3, 7, 8, 30])
    expected = dense_kernel("rbf", X[examples], X[examples]) + 1.0
    np.testing.assert_allclose(faces.exact_block(part, examples), expected, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("machine", ["ww", "cs", "ova"])
def test_a_polish_holds_what_it_says(machine: str) -> None:
    """Above the order at which a factor overwrites its matrix."""
    x, y = blobs(n=1400 if machine == "ova" else 700, classes=3, features=5, seed=1)
    part = problem_of(x, y, machine, cost=100.0, bias="exact" if machine == "ova" else "none").part(0)
    alpha = np.zeros((len(part), part.form.slots))
    chosen = faces.choose(part.form.real[part.labels], gradients(part, np.zeros((len(part), part.form.outputs))))
    assert chosen.slot.size == 1400
    tracemalloc.start()
    try:
        faces.polish(part, alpha, chosen, 1e-4, BUDGET)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= 1.1 * PAIR_BYTES * 1400**2 + 2**23
