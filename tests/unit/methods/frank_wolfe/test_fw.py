"""Frank-Wolfe as a method: feasible after every slice, monotone, indifferent to slices, right at any bias."""

from dataclasses import replace

import numpy as np
import pytest

from mcsvm.solvers.budget import FRANK_WOLFE
from mcsvm.solvers.dual.certificate import certify
from mcsvm.solvers.dual.quantities import weights_of
from mcsvm.solvers.kernels import KERNELS, Kernel
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.methods import METHODS, Progress, State
from mcsvm.solvers.methods.frank_wolfe import method as fw
from mcsvm.solvers.posing import pose
from mcsvm.solvers.problem import BIASES, Part, Problem
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.loop import Limits, Run

MOST = 50  # steps of a run in slices
VARIANTS = ["fw", "fw-away", "fw-pairwise"]
CORRECTIVE = ["fw-away", "fw-pairwise"]
RBF = KERNELS["rbf"](0.5)
JOINT = [name for name, machine in MACHINES.items() if machine.split == "joint"]


def small(machine: str = "ww", bias: str = "none", cost: float = 2.0, kernel: Kernel = RBF) -> Problem:
    random = np.random.default_rng(5)
    labels = np.arange(30) % 3
    features = random.normal(size=(30, 2)) + 1.2 * np.column_stack([np.cos(labels), np.sin(labels)])
    return pose(features, labels, machine=machine, kernel=kernel, cost=cost, bias=bias)


def solve(problem: Problem, method: str, tolerance: float = 1e-6, steps: int = 20_000) -> Run:
    run = Run(problem, method, Limits(tolerance, steps=steps))
    while run.running:
        run.advance()
    return run


def dual_of(part: Part, alpha: np.ndarray) -> float:
    return certify(part, alpha).certificate.dual


@pytest.fixture
def chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks of twelve examples instead of everything at once."""
    monkeypatch.setattr(fw, "FRANK_WOLFE", replace(FRANK_WOLFE, whole=8, examples=12, in_turn=3))


@pytest.mark.slow
@pytest.mark.parametrize("method", VARIANTS)
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("machine", [*JOINT, "ova"])
def test_every_slice_is_feasible_and_no_worse(method: str, bias: str, machine: str) -> None:
    part = small(machine, bias).part(0)
    solver = METHODS[method]
    state, before = solver.start(part, 0), 0.0
    for _ in range(4):
        solver.advance(part, state, 20, 1e-8)
        certificate = certify(part, state.alpha, hint=state.constant).certificate
        assert certificate.infeasibility <= 1e-12
        assert before - 1e-9 * abs(before) <= certificate.dual <= certificate.primal + 1e-9
        products = part.gram.products(weights_of(part, state.alpha))
        np.testing.assert_allclose(state.functions, products + state.constant, atol=1e-9)
        before = certificate.dual


@pytest.mark.parametrize("method", CORRECTIVE)
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("machine", MACHINES)
def test_the_variants_reach_the_optimum(method: str, bias: str, machine: str) -> None:
    run = solve(small(machine, bias), method)
    assert run.ending is Ending.CONVERGED
    assert run.certificate().violation <= 1e-6
    assert abs(run.certificate().relative_gap) <= 1e-6


@pytest.mark.slow
@pytest.mark.usefixtures("chunks")
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("machine", [*JOINT, "ova"])
def test_chunks_lead_to_the_same_optimum(bias: str, machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    chunked = solve(small(machine, bias), "fw-pairwise", 1e-5)
    monkeypatch.setattr(fw, "FRANK_WOLFE", replace(FRANK_WOLFE, whole=1000))
    whole = solve(small(machine, bias), "fw-pairwise", 1e-5)
    assert chunked.ending is whole.ending is Ending.CONVERGED
    assert chunked.certificate().dual == pytest.approx(whole.certificate().dual, rel=1e-5)


@pytest.mark.usefixtures("chunks")
def test_every_example_has_its_turn() -> None:
    turn, seen = 0, set[int]()
    for _ in range(8):
        examples, turn = fw.choose(np.zeros(30), turn, 1000)
        assert examples.size == fw.FRANK_WOLFE.examples
        seen |= set(examples.tolist())
    assert seen == set(range(30))


def test_many_classes_make_smaller_chunks() -> None:
    assert fw.choose(np.zeros(100), 0, 50)[0].size == 50
    assert fw.choose(np.zeros(100), 0, 100)[0].size == 100
    assert fw.choose(np.zeros(3), 0, 1)[0].size == 3


def sliced(method: str, bias: str, slices: list[int]) -> State:
    """So many steps, or to the end."""
    part = small("ww", bias).part(0)
    state, progress = METHODS[method].start(part, 0), Progress.MOVING
    for steps in slices:
        if progress is Progress.MOVING and state.steps < MOST:
            progress = METHODS[method].advance(part, state, min(steps, MOST - state.steps), 1e-7)
    return state


@pytest.mark.parametrize("method", VARIANTS)
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("whole", [True, False])
def test_slices_leave_no_trace(method: str, bias: str, whole: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = replace(FRANK_WOLFE, whole=1000 if whole else 8, examples=12, in_turn=3)
    monkeypatch.setattr(fw, "FRANK_WOLFE", numbers)
    ends = [sliced(method, bias, slices) for slices in ([MOST], [1] * MOST, [30, 7, MOST])]
    for state in ends[1:]:
        assert state.steps == ends[0].steps
        assert np.array_equal(state.alpha, ends[0].alpha)
        assert np.array_equal(state.functions, ends[0].functions)


@pytest.mark.parametrize("method", VARIANTS)
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("machine", ["ww", "cs", "ovo"])
def test_a_kernel_that_is_not_positive_ends(method: str, bias: str, machine: str) -> None:
    problem = small(machine, bias, kernel=KERNELS["sigmoid"](2.0, -1.0))
    run = solve(problem, method, steps=60 if method == "fw" else 5_000)
    assert run.ending in (Ending.STALLED, Ending.CONVERGED, Ending.STEP_LIMIT)
    assert np.isfinite(run.certificate().primal)
    if method != "fw":
        assert run.ending is not Ending.STEP_LIMIT


@pytest.mark.parametrize("machine", ["ww", "ova"])
def test_a_start_that_cannot_be_balanced_is_given_up(machine: str) -> None:
    part = small(machine, "exact").part(0)
    state = METHODS["fw-pairwise"].start(part, 0)
    state.alpha[...] = np.where(part.form.real[part.labels] & (part.labels == 0)[:, None], part.upper[:, None], 0.0)
    state.functions = part.gram.products(weights_of(part, state.alpha))
    METHODS["fw-pairwise"].advance(part, state, 1, 1e-6)
    assert certify(part, state.alpha).certificate.infeasibility <= 1e-12
    products = part.gram.products(weights_of(part, state.alpha))
    np.testing.assert_allclose(state.functions, products + state.constant, atol=1e-9)


@pytest.mark.parametrize("method", CORRECTIVE)
def test_two_classes_and_a_constant_kernel(method: str) -> None:
    """Nothing to learn but the bias: a linear programme in disguise."""
    problem = pose(np.ones((9, 2)), np.arange(9) % 2, machine="ww", kernel=KERNELS["linear"](), bias="exact")
    run = solve(problem, method)
    assert run.ending is Ending.CONVERGED
    assert abs(run.certificate().gap) <= 1e-6
