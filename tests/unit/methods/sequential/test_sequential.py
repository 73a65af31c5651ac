"""The sequential methods as wholes: paths that nothing outside changes, memory that is bounded, sure ends."""

import numpy as np
import pytest
from combinations import accepted, machine_for
from small_data import blobs, finished, problem_of

from mcsvm import InputError
from mcsvm.solvers.budget import SEQUENTIAL
from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.posing import pose
from mcsvm.solvers.problem import Problem
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.loop import Limits, Run

APPLIES = [
    ("s2do", "ww", "none"),
    ("s2do", "llw", "regularized"),
    ("smo", "ww", "none"),
    ("smo", "cs", "none"),
    ("smo", "atm", "none"),
    ("smo", "ova", "exact"),
    ("smo-first-order", "llw", "none"),
    ("smo-first-order", "ova", "exact"),
    ("whole-example", "cs", "regularized"),
    ("whole-example", "adm", "none"),
    ("bsvm", "ww", "regularized"),
    ("lasvm", "ova", "exact"),
    ("lasvm-active", "ovo", "exact"),
]


def outcome(problem: Problem, method: str, slices: int | None, tolerance: float = 1e-3) -> tuple[int, np.ndarray]:
    run = Run(problem, method, Limits(tolerance))
    while run.running:
        run.advance(slices)
    assert run.ending is Ending.CONVERGED
    return run.iterations, np.concatenate([alpha.ravel() for alpha in run.alphas()])


@pytest.mark.parametrize(("method", "machine", "bias"), APPLIES)
def test_slices_of_any_length_give_the_same_bits(method: str, machine: str, bias: str) -> None:
    x, y = blobs(n=60, classes=4)
    steps, alpha = outcome(problem_of(x, y, machine, bias=bias), method, None)
    assert steps > 60  # so that shrinking has had its turn
    for slices in (1, 7, 59):
        other_steps, other = outcome(problem_of(x, y, machine, bias=bias), method, slices)
        assert other_steps == steps
        np.testing.assert_array_equal(other, alpha)


@pytest.mark.parametrize(("method", "machine", "bias"), [APPLIES[0], APPLIES[3], APPLIES[5], *APPLIES[10:]])
def test_a_small_store_changes_neither_the_optimum_nor_the_law_of_slices(method: str, machine: str, bias: str) -> None:
    x, y = blobs(n=300, classes=3, seed=1)
    whole = finished(problem_of(x, y, machine, bias=bias, cost=0.5), method, 1e-4).certificate()
    results = []
    for slices in (None, 13):
        problem = problem_of(x, y, machine, bias=bias, cost=0.5, cache_mb=1e-3)
        assert problem.whole_gram().capacity < 64
        results.append(outcome(problem, method, slices, 1e-4))
    assert results[0][0] == results[1][0]
    np.testing.assert_array_equal(results[0][1], results[1][1])
    few = finished(problem_of(x, y, machine, bias=bias, cost=0.5, cache_mb=1e-3), method, 1e-4).certificate()
    assert few.dual == pytest.approx(whole.dual, rel=1e-5)


def test_shrunk_variables_are_examined_before_the_end() -> None:
    """Whatever the active set is, a run only ends when all variables are within the tolerance."""
    x, y = blobs(n=60, classes=4)
    run = Run(problem_of(x, y, "ww", cost=10.0), "s2do", Limits(1e-3))
    run.current.state.active[10:] = False
    while run.running:
        run.advance()
    assert run.certificate().violation <= 1e-3


def test_shrinking_counts_steps() -> None:
    x, y = blobs(n=60, classes=4)
    run = Run(problem_of(x, y, "ww", cost=10.0), "s2do", Limits(1e-3))
    everything = int(run.current.state.active.sum())
    run.advance(min(60, SEQUENTIAL.period))
    run.advance(1)
    assert run.current.state.active.sum() < everything


def test_the_functions_stay_exact_while_variables_are_shrunk() -> None:
    x, y = blobs(n=60, classes=4)
    run = Run(problem_of(x, y, "ww", cost=10.0, bias="regularized"), "s2do", Limits(1e-3))
    run.advance(100)
    weights = run.proofs()[0].weights
    exact = run.current.part.gram.products(weights) + run.current.part.offset * weights.sum(axis=0)
    np.testing.assert_allclose(run.current.state.functions, exact, atol=1e-4)


@pytest.mark.parametrize("machine", ["cs", "ova", "ovo"])
def test_s2do_is_smo_where_the_constraints_leave_no_choice(machine: str) -> None:
    x, y = blobs(n=40, classes=3)
    one = outcome(problem_of(x, y, machine, cost=5.0), "s2do", None)
    other = outcome(problem_of(x, y, machine, cost=5.0), "smo", None)
    assert one[0] == other[0]
    np.testing.assert_array_equal(one[1], other[1])


@pytest.mark.parametrize("machine", ["ww", "llw"])
def test_two_variables_need_fewer_steps_than_one(machine: str) -> None:
    x, y = blobs(n=120, classes=4, seed=5)
    assert outcome(problem_of(x, y, machine, cost=20.0), "s2do", None)[0] < (
        0.6 * outcome(problem_of(x, y, machine, cost=20.0), "smo", None)[0]
    )


def test_second_order_needs_fewer_steps_than_first_order() -> None:
    x, y = blobs(n=200, classes=2, seed=5)
    second = outcome(problem_of(x, y, "ovo", cost=100.0), "smo", None)
    first = outcome(problem_of(x, y, "ovo", cost=100.0), "smo-first-order", None)
    assert second[0] < first[0]


@pytest.mark.parametrize(
    ("method", "machine", "bias", "helps"),
    [
        ("whole-example", "ww", "none", "s2do"),
        ("whole-example", "ova", "exact", "s2do"),
        ("whole-example", "atm", "none", "smo"),
        ("bsvm", "cs", "none", "smo"),
        ("bsvm", "ovo", "exact", "smo"),
    ],
)
def test_what_does_not_apply_is_refused_with_what_would(method: str, machine: str, bias: str, helps: str) -> None:
    x, y = blobs()
    with pytest.raises(InputError) as refusal:
        Run(problem_of(x, y, machine, bias=bias), method)
    assert helps in str(refusal.value)
    assert str(refusal.value).endswith(".")


@pytest.mark.parametrize(
    ("machine", "method"),
    accepted(["ww", "cs", "ova", "adm"], ["s2do", "smo", "smo-first-order", "bsvm", "whole-example", "lasvm"]),
)
def test_an_indefinite_kernel_comes_to_an_end(machine: str, method: str) -> None:
    x, y = blobs(n=60, classes=4, features=4)
    kernel = KERNELS["sigmoid"](gamma=2.0, coef0=-1.0)
    run = Run(pose(x, y, machine=machine, kernel=kernel, cost=10.0), method, Limits(1e-3))
    for _ in range(200):
        run.advance(10_000)
    assert not run.running


@pytest.mark.parametrize("method", ["s2do", "smo", "bsvm", "whole-example", "lasvm"])
def test_a_constant_kernel_and_contradicting_duplicates(method: str) -> None:
    x = np.repeat([[0.0, 1.0], [1.0, 0.0]], 6, axis=0)
    y = np.tile([0, 1, 2], 4)
    machine = machine_for(method)
    for features in (x, np.ones_like(x)):
        certificate = finished(problem_of(features, y, machine, cost=2.0), method, 1e-4).certificate()
        assert certificate.violation <= 1e-4
        assert certificate.relative_gap <= 1e-3


def test_what_is_stuck_and_cannot_move_stalls() -> None:
    """A violation without room to move it: the curvature is too large for the number alpha to change."""
    x, y = blobs(n=12, classes=3)
    matrix = 1e13 * (x @ x.T + np.eye(12))
    problem = pose(matrix, y, machine="ww", kernel=KERNELS["precomputed"](), cost=1.0, bias="none")
    run = Run(problem, "s2do", Limits(1e-3))
    for _ in range(50):
        run.advance(10_000)
    assert not run.running


@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_method_says_what_it_supports(method: str) -> None:
    assert method == METHODS[method].name
    assert len(METHODS[method].supports.split()) >= 4
