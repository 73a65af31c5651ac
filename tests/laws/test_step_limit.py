"""A run never takes more steps than its limit allows: every method, machine and bias, and every phase of `auto`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from combinations import accepted
from small_data import blobs, home, kernel_named

from mcsvm import Limits, MultiClassSVC, Run, pose
from mcsvm.solvers.budget import BUDGET
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.methods.auto.conductor import Auto
from mcsvm.solvers.run.ending import Ending

X, Y = blobs(n=30, classes=3, features=3, seed=6)
BIASES = "none", "regularized", "exact"
CASES = accepted(MACHINES, METHODS, BIASES)
EAGER = replace(BUDGET, decide_first=1)
FORCED = {  # phases that `auto` reaches by itself only on larger or harder problems
    "interior": replace(EAGER, vain_claims=-1),
    "homotopy": replace(EAGER, homotopy_start_price=0.0, homotopy_stage_price=0.0, homotopy_first=4.0),
}


def ended(problem: Any, method: Any, most: int, steps: int | None = None) -> Run:
    run = Run(problem, method, Limits(1e-12, steps=most))
    while run.running:
        run.advance(steps)
    return run


@pytest.mark.parametrize("case", [pytest.param(case, id="-".join(map(str, case))) for case in CASES])
def test_no_method_takes_more_steps_than_allowed(case: tuple[Any, ...]) -> None:
    machine, method, bias = case
    problem = pose(X, Y, machine=machine, kernel=kernel_named(home(method)), cost=100.0, bias=bias)
    for most in (1, 20):
        run = ended(problem, method, most)
        assert run.iterations <= most
        certificate = run.certificate()
        assert certificate.dual <= certificate.primal * (1 + 1e-12)
        if run.iterations == most:
            assert run.ending in (Ending.STEP_LIMIT, Ending.CONVERGED)


@pytest.mark.parametrize("phase", FORCED)
@pytest.mark.parametrize("machine", ["ww", "cs", "llw"])
def test_no_phase_takes_more_steps_than_allowed(machine: str, phase: str) -> None:
    problem = pose(X, Y, machine=machine, kernel=kernel_named("rbf"), cost=1000.0)
    assert phase in {decision.phase for decision in ended(problem, Auto(FORCED[phase]), 3000).decisions}
    for most in (30, 100, 300):
        assert ended(problem, Auto(FORCED[phase]), most).iterations <= most


@pytest.mark.parametrize("machine", ["ww", "cs", "ova", "ovo"])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_the_limit_cuts_at_the_same_point_for_slices_of_any_length(machine: str, kernel: str) -> None:
    problem = pose(X, Y, machine=machine, kernel=kernel_named(kernel), cost=100.0)
    whole, sliced = ended(problem, "auto", 37), ended(problem, "auto", 37, 1)
    assert whole.iterations == sliced.iterations
    for one, other in zip(whole.alphas(), sliced.alphas(), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("most", [1, 50, 400])
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.filterwarnings("ignore:The training ended at max_iter")
def test_max_iter_is_obeyed(machine: str, kernel: str, most: int) -> None:
    model = MultiClassSVC(machine=machine, kernel=kernel, C=1000.0, gap_tol=1e-9, max_iter=most).fit(X, Y)
    assert model.n_iter_ <= most


def test_more_steps_come_nearer_to_the_optimum() -> None:
    problem = pose(X, Y, machine="ww", kernel=kernel_named("rbf"), cost=100.0)
    duals = [ended(problem, "auto", most).certificate().dual for most in (1, 10, 100, 100_000)]
    assert duals == sorted(duals)
    assert duals[0] > 0.0


def test_a_step_limit_leaves_small_pairs_on_their_path() -> None:
    """One compiled call per pair, as without a limit; the same bits if the limit is never reached."""
    x, y = blobs(n=60, classes=12, features=4, seed=2)
    problem = pose(x, y, machine="ovo", kernel=kernel_named("rbf"))
    free, limited = Run(problem), Run(problem, limits=Limits(steps=10**6))
    for run in (free, limited):
        while run.running:
            run.advance()
    assert limited.solver_used == free.solver_used == "matrix"
    for one, other in zip(free.alphas(), limited.alphas(), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("machine", ["ww", "adm", "ova", "ovo"])
def test_a_limit_at_a_point_within_the_tolerance_is_a_convergence(machine: str) -> None:
    """The limit may cut a round before the method's own check; the ending agrees with the certificate."""
    x, y = blobs(n=45, classes=3)
    problem = pose(x, y, machine=machine, kernel=kernel_named("linear"), cost=2.0, bias="regularized")
    endings = set()
    for steps in np.geomspace(20, 50_000, 60).astype(int).tolist():
        run = Run(problem, "auto", Limits(1e-3, steps=steps))
        while run.running:
            run.advance()
        assert (run.ending is Ending.CONVERGED) == (run.certificate().violation <= 1e-3), steps
        endings.add(run.ending)
    assert endings == {Ending.CONVERGED, Ending.STEP_LIMIT}
