"""What may change about the way a problem is put, and what may not change with it."""

import numpy as np
import pytest
from combinations import accepted
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_data import blobs, finished, home, problem_of, trained

from mcsvm.solvers import interrupt
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.problem import Problem
from mcsvm.solvers.run.loop import Limits, Run

QUICK = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
FEW = settings(QUICK, max_examples=5)
ENDING = [name for name in METHODS if name != "fw"]  # within the steps
X, Y = blobs(n=40, classes=3, seed=11)
MANY_X, MANY_Y = blobs(n=320, classes=4, seed=12)  # more than a block of any method


def alphas_in_slices(problem: Problem, method: str, slices: list[int]) -> list[np.ndarray]:
    """Slices of these lengths in turn, until the end."""
    run, turn = Run(problem, method, Limits(1e-3, gap_tolerance=None, steps=1500)), 0
    while run.running:
        run.advance(slices[turn % len(slices)], lambda _: None)
        turn += 1
    return run.alphas()


@pytest.mark.slow
@pytest.mark.parametrize(("machine", "method"), accepted(["ww", "cs", "llw", "ova", "ovo"], ENDING))
def test_slices_are_invisible(machine: str, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether one looks at long ones, at short ones, or at every tick."""
    found = []
    for slices, seconds in (([10**6], 60.0), ([1, 17, 400], 60.0), ([64], 0.0)):
        monkeypatch.setattr(interrupt, "REST", seconds)
        found.append(alphas_in_slices(problem_again(machine, home(method)), method, slices))
    for other in found[1:]:
        for left, right in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(left, right)


def problem_again(machine: str, kernel: str = "rbf") -> Problem:
    return problem_of(MANY_X, MANY_Y, machine, kernel, cost=2.0)


@FEW
@given(slices=st.lists(st.integers(1, 500), min_size=1, max_size=4), machine=st.sampled_from(list(MACHINES)))
def test_slices_of_any_length_are_invisible(slices: list[int], machine: str) -> None:
    whole = alphas_in_slices(problem_of(X, Y, machine), "auto", [10**6])
    for one, other in zip(whole, alphas_in_slices(problem_of(X, Y, machine), "auto", slices), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_look_between_slices_changes_nothing() -> None:
    whole = alphas_in_slices(problem_again("ww"), "auto", [10**6])
    run = Run(problem_again("ww"), "auto", Limits(1e-3, steps=1500))
    while run.running:
        run.advance(50)
        run.sample(), run.certificate(), run.model(), run.alphas()
    np.testing.assert_array_equal(run.alphas()[0], whole[0])


@QUICK
@given(seed=st.integers(0, 10**6), machine=st.sampled_from(list(MACHINES)))
def test_the_order_of_examples_does_not_matter(seed: int, machine: str) -> None:
    order = np.random.default_rng(seed).permutation(Y.size)
    one, other = finished(problem_of(X, Y, machine)), finished(problem_of(X[order], Y[order], machine))
    assert one.certificate().dual == pytest.approx(other.certificate().dual, rel=1e-6)
    np.testing.assert_allclose(one.model().decision(X), other.model().decision(X), atol=1e-3)


@QUICK
@given(names=st.permutations(range(3)), machine=st.sampled_from(["ww", "cs", "llw", "ova", "adm", "atm", "ats", "mmr"]))
def test_the_names_of_classes_do_not_matter(names: list[int], machine: str) -> None:
    renamed = np.array(names)[Y]
    one, other = finished(problem_of(X, Y, machine)).model(), finished(problem_of(X, renamed, machine)).model()
    np.testing.assert_allclose(one.decision(X), other.decision(X)[:, names], atol=1e-3)


@QUICK
@given(names=st.permutations(range(3)))
def test_pairs_turn_with_the_names_of_their_classes(names: list[int]) -> None:
    one = finished(problem_of(X, Y, "ovo")).certificate()
    other = finished(problem_of(X, np.array(names)[Y], "ovo")).certificate()
    assert one.dual == pytest.approx(other.dual, rel=1e-6)


@QUICK
@given(factor=st.floats(0.1, 10.0), machine=st.sampled_from([name for name in MACHINES if name != "dag"]))
def test_a_larger_kernel_is_a_larger_cost(factor: float, machine: str) -> None:
    """With t K in place of K: alpha / t solves it at C / t, and the objective is divided by t.

    Not under a regularized bias, which adds a constant to K that is not multiplied.
    """
    scaled = finished(problem_of(X * np.sqrt(factor), Y, machine, "linear", cost=1.0 / factor, bias="exact"))
    plain = finished(problem_of(X, Y, machine, "linear", bias="exact"))
    assert scaled.certificate().dual * factor == pytest.approx(plain.certificate().dual, rel=1e-5)
    np.testing.assert_allclose(scaled.model().decision(X * np.sqrt(factor)), plain.model().decision(X), atol=2e-3)


@QUICK
@given(machine=st.sampled_from(list(MACHINES)), low=st.floats(0.05, 2.0), ratio=st.floats(1.0, 5.0))
def test_the_optimum_grows_with_the_cost_and_never_faster(machine: str, low: float, ratio: float) -> None:
    """optimum(C) is concave in C and zero at zero."""
    less = finished(problem_of(X, Y, machine, cost=low)).certificate()
    more = finished(problem_of(X, Y, machine, cost=low * ratio)).certificate()
    assert more.primal >= less.dual * (1 - 1e-9)
    assert more.dual <= ratio * less.primal * (1 + 1e-9)


@QUICK
@given(steps=st.integers(1, 120), machine=st.sampled_from(list(MACHINES)), bias=st.sampled_from([None, "exact"]))
def test_a_stop_at_any_moment_leaves_a_certified_model(steps: int, machine: str, bias: str | None) -> None:
    run = Run(problem_of(X, Y, machine, cost=5.0, bias=bias))
    run.advance(steps)
    run.stop()
    certificate = run.certificate()
    assert certificate.dual <= certificate.primal * (1 + 1e-12)
    assert certificate.infeasibility <= 1e-8
    assert np.isfinite(run.model().decision(X)).all()


@QUICK
@given(
    machine=st.sampled_from(["ww", "ovo"]),
    kind=st.sampled_from([np.float32, np.float64]),
    order=st.sampled_from(["C", "F"]),
)
def test_the_form_of_the_input_does_not_matter(machine: str, kind: type, order: str) -> None:
    x = X.astype(np.float32)
    model = trained(np.array(x, dtype=kind, order=order), Y, machine=machine)  # type: ignore[call-overload]
    expected = trained(x.astype(float), Y, machine=machine)
    np.testing.assert_array_equal(model.decision_function(x), expected.decision_function(x))


@QUICK
@given(seed=st.integers(0, 10**6), machine=st.sampled_from(list(MACHINES)), cost=st.sampled_from([0.1, 10.0, 1000.0]))
def test_rows_that_contradict_each_other(seed: int, machine: str, cost: float) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(6, 2))[np.arange(30) % 6], rng.permutation(np.arange(30) % 3)
    run = finished(problem_of(x, y, machine, cost=cost), tolerance=1e-3, steps=200_000)
    assert run.ending is not None
    assert run.ending.value == "converged"
    assert run.certificate().gap >= -1e-9 * run.certificate().primal


@QUICK
@given(seed=st.integers(0, 10**6), classes=st.integers(2, 5), machine=st.sampled_from(list(MACHINES)))
def test_the_certificate_holds_on_any_data(seed: int, classes: int, machine: str) -> None:
    x, y = blobs(n=25, classes=classes, features=3, seed=seed)
    run = finished(problem_of(x, y, machine, cost=3.0), tolerance=1e-4)
    certificate = run.certificate()
    assert certificate.violation <= 1e-4
    assert -1e-9 <= certificate.gap <= 1e-4 * 3.0 * 25 * classes * 2
