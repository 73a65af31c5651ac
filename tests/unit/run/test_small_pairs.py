"""Small pairs solved by one compiled call each: the optimum of the method, its certificate, and the same bits."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from small_data import blobs, finished, problem_of, trained

from mcsvm.solvers.budget import PAIRS
from mcsvm.solvers.decision import SMALL_PAIRS
from mcsvm.solvers.dual.certificate import certify
from mcsvm.solvers.problem import Problem
from mcsvm.solvers.run import small_pairs
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.limits import Limits
from mcsvm.solvers.run.loop import Run

X, Y = blobs(n=120, classes=5, features=3, seed=7)
WEIGHTS = np.array([1.0, 0.5, 2.0, 1.0, 3.0])


def posed(machine: str = "ovo", kernel: str = "rbf", cost: float = 5.0) -> Problem:
    return problem_of(X, Y, machine, kernel, cost=cost, class_weight=WEIGHTS)


def ended(run: Run, steps: int | None = None) -> Run:
    while run.running:
        run.advance(steps)
    return run


def phases(run: Run) -> set[str]:
    return {decision.phase for decision in run.decisions}


@pytest.mark.parametrize("kernel", ["rbf", "polynomial"])
@pytest.mark.parametrize("machine", ["ovo", "dag"])
@pytest.mark.parametrize("cost", [1e-3, 5.0, 1e3])
def test_it_is_the_optimum_of_the_method(machine: str, kernel: str, cost: float) -> None:
    problem = posed(machine, kernel, cost)
    run, other = finished(problem, tolerance=1e-4), finished(problem, "s2do", tolerance=1e-4)
    assert run.ending is Ending.CONVERGED
    assert "matrix" in phases(run)
    assert run.certificate().dual == pytest.approx(other.certificate().dual, rel=1e-4)
    assert run.certificate().violation <= 1e-4
    told = [decision.numbers["pairs"] for decision in run.decisions if decision.phase == "matrix"]
    assert sum(told) + sum(decision.phase != "matrix" for decision in run.decisions) >= problem.part_count


@pytest.mark.parametrize("examined", [False, True])
def test_its_certificate_is_that_of_its_alpha(examined: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the coarse bound does not rule out rounding, and the errors of the pair are bounded one by one."""
    if examined:
        monkeypatch.setattr(small_pairs.CoarseBound, "is_negligible", lambda *_: False)
    run = finished(posed(), tolerance=1e-3)
    assert "matrix" in phases(run)
    for number, (alpha, proof) in enumerate(zip(run.alphas(), run.proofs(), strict=True)):
        again = certify(run.problem.part(number), alpha)
        for name in ("primal", "dual", "violation", "infeasibility"):
            mine, theirs = getattr(proof.certificate, name), getattr(again.certificate, name)
            assert mine == pytest.approx(theirs, rel=1e-10, abs=1e-10), name
        np.testing.assert_allclose(proof.bias, again.bias, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(proof.products, again.products, rtol=1e-10, atol=1e-12)
        np.testing.assert_array_equal(proof.weights, again.weights)


def test_slices_and_checkpoints_change_no_bit() -> None:
    whole = ended(Run(posed(), "auto"))
    runs = [ended(Run(posed(), "auto"), steps) for steps in (1, 50)]
    run, random = Run(posed(), "auto"), np.random.default_rng(0)
    while run.running:
        run.advance(int(random.integers(1, 80)))
        if run.running:
            run = Run.load(posed(), io.BytesIO(run.pack()))
    for other in (*runs, run):
        assert (other.iterations, other.kernel_evaluations) == (whole.iterations, whole.kernel_evaluations)
        assert other.decisions == whole.decisions
        assert other.certificate() == whole.certificate()
        for one, two in zip(other.alphas(), whole.alphas(), strict=True):
            np.testing.assert_array_equal(one, two)


@pytest.fixture
def strips(monkeypatch: pytest.MonkeyPatch) -> None:
    """No matrix of all examples: each pair has one of its own."""
    monkeypatch.setattr(small_pairs, "PAIRS", replace(PAIRS, most=1))


@pytest.mark.usefixtures("strips")
@pytest.mark.parametrize("kernel", ["rbf", "polynomial"])
def test_pairs_with_matrices_of_their_own_have_the_same_optimum(kernel: str) -> None:
    run, other = finished(posed("ovo", kernel), tolerance=1e-4), finished(posed("ovo", kernel), "s2do", tolerance=1e-4)
    assert phases(run) == {"matrix"}
    assert run.ending is Ending.CONVERGED
    assert run.certificate().dual == pytest.approx(other.certificate().dual, rel=1e-4)
    sizes = np.bincount(Y)
    rows = sum(int(sizes[c] * sizes[c:].sum()) for c in range(4))
    assert run.kernel_evaluations == rows + int(np.square(sizes[1:]).sum())


@pytest.mark.usefixtures("strips")
def test_matrices_of_pairs_change_no_bit_by_slices_and_checkpoints() -> None:
    test_slices_and_checkpoints_change_no_bit()


def test_a_time_limit_is_heard_between_pairs() -> None:
    x = np.random.default_rng(0).normal(size=(240, 2))
    run = Run(problem_of(x, np.arange(240) % 120, "ovo"), "auto", Limits(seconds=1e-4))
    run.advance()
    assert run.ending is Ending.TIME_LIMIT
    assert 0 < len(run.proofs()) < run.problem.part_count
    assert run.model().bias.size == run.problem.part_count


def test_a_pair_it_does_not_solve_is_left_to_the_method(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_pairs, "PAIRS", replace(PAIRS, patience=1))
    run = ended(Run(posed(cost=1e3), "auto", Limits(1e-4)))
    assert run.ending is Ending.CONVERGED
    assert phases(run) >= {"blocks"}
    pairs = [np.arange(one.numbers.get("pairs", 1)) + one.part for one in run.decisions]
    assert set(np.concatenate(pairs)) == set(range(10))
    assert run.certificate().violation <= 1e-4


def test_samples_and_a_stop_count_the_pairs_that_are_done() -> None:
    run = Run(posed(), "auto")
    first = run.advance(1)
    assert 0 < first.iteration == run.iterations
    assert 0 < first.support < 120
    run.stop()
    certificate = run.certificate()
    assert certificate.dual <= ended(Run(posed(), "auto")).certificate().primal
    assert certificate.primal <= first.primal * (1 + 1e-6)  # where the best b of w = 0 is not counted
    assert run.model().predict(X).shape == (120,)


def test_a_gap_is_the_methods_business() -> None:
    assert "matrix" not in phases(ended(Run(posed(), "auto", Limits(gap_tolerance=1e-6))))


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_a_start_is_taken_and_saves_steps(share: float) -> None:
    """Also one whose two sides do not balance, or that is beyond the bounds."""
    cold = finished(posed(), tolerance=1e-6)
    start = [share * alpha for alpha in cold.alphas()]
    start[0][0] += 1e6
    warm = ended(Run(posed(), "auto", Limits(1e-6), start=start))
    assert "matrix" in phases(warm)
    assert warm.certificate().dual == pytest.approx(cold.certificate().dual, rel=1e-6)
    assert share < 1.0 or warm.iterations < 0.5 * cold.iterations


def test_a_small_cache_is_the_methods_business() -> None:
    assert not small_pairs.applies(replace(posed(), cache_mb=0.05), Limits())
    assert not small_pairs.applies(problem_of(X, Y, "ovo", "linear"), Limits())
    assert not small_pairs.applies(problem_of(X, Y, "ovo", bias="none"), Limits())
    assert not small_pairs.applies(problem_of(X, Y, "ova"), Limits())


def test_the_estimator_says_so() -> None:
    model = trained(X, Y, machine="ovo", gamma=0.5)
    assert model.solver_used_ == "matrix"
    assert SMALL_PAIRS in model.solver_reason_
    assert model.score(X, Y) > 0.5
