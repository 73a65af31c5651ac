"""Methods that keep one weight per feature: the same optima as with kernel values, without any kernel value."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import LinearSVC
from small_data import blobs, finished, problem_of

from mcsvm import InputError, MultiClassSVC
from mcsvm.solvers.budget import LINEAR, PROXIMAL
from mcsvm.solvers.jit.linear import loop as jit
from mcsvm.solvers.jit.linear.system import project_sum
from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.methods.linear import coordinate as linear
from mcsvm.solvers.methods.linear import newton as linear_newton
from mcsvm.solvers.methods.linear import system
from mcsvm.solvers.methods.linear.newton import NewtonPhase
from mcsvm.solvers.methods.linear.proximal import FeatureStep
from mcsvm.solvers.methods.linear.system import Features
from mcsvm.solvers.posing import pose
from mcsvm.solvers.problem import BIASES
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.loop import Limits, Run

WAYS = ["linear", "linear-newton", "newton alone"]
X, Y = blobs(n=90, classes=3, features=4, seed=4)
SPARSE_X = np.where(np.random.default_rng(0).random((90, 9)) < 0.3, np.hstack([X, X, X[:, :1]]), 0.0)


@pytest.fixture(params=WAYS)
def method(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Coordinate steps, these and then Newton's, or Newton's from the beginning."""
    if request.param == "newton alone":
        monkeypatch.setattr(linear_newton, "LINEAR", replace(LINEAR, expected=0))
    return "linear-newton" if request.param == "newton alone" else request.param


@pytest.fixture
def newton_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear_newton, "LINEAR", replace(LINEAR, expected=0))


def solved(features: Any, method: str, machine: str = "ww", **more: Any) -> Run:
    run = finished(problem_of(features, Y, machine, "linear", **{"cost": 2.0, **more}), method, 1e-5)
    assert run.ending is Ending.CONVERGED
    return run


WEIGHTS = [1.0, 0.5, 2.0]


@cache
def optimum_of_the_kernel_matrix(machine: str, bias: str) -> float:
    matrix = pose(
        X @ X.T, Y, machine=machine, kernel=KERNELS["precomputed"](), cost=2.0, bias=bias, class_weight=WEIGHTS
    )
    return finished(matrix, "s2do", 1e-5).certificate().dual


@pytest.mark.parametrize(
    ("before", "after", "epochs", "expected"),
    [
        (2.0, 8.0, 16, False),  # texts at C = 100: the first round leaves violations of the size of the functions
        (2.0, 0.02, 16, True),  # texts at C = 1
        (2.0, 1.3, 16, True),
        (2.0, 1.5, 16, False),
        (1.0, 0.9, 16, True),  # below the margin of 1: visits may end exactly where Newton steps stall
        (2.0, 0.02, 1_000_000, False),  # the budget is spent
        (np.inf, 8.0, 16, True),  # the first round has nothing to compare with
    ],
)
def test_visits_end_with_a_round_that_hardly_lowers_the_violation(
    before: float, after: float, epochs: int, expected: bool
) -> None:
    part = problem_of(X, Y, "ww", "linear").part(0)
    assert linear_newton.visits_pay(part, epochs * len(part), before, after) is expected


def test_a_large_cost_ends_visits_before_their_budget() -> None:
    """At a cost of 10,000, visits of classes that overlap would continue until their budget is spent."""
    rng = np.random.default_rng(0)
    part = problem_of(rng.normal(size=(60, 4)), rng.integers(0, 2, 60), "ww", "linear", cost=1e4).part(0)
    method = METHODS["linear-newton"]
    state: Any = method.start(part, 0)
    while state.phase is NewtonPhase.VISITING:
        method.advance(part, state, 1, 1e-3)
    assert state.steps * linear.visit_price(part) < 0.5 * linear_newton.visiting_budget(part)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("machine", MACHINES)
def test_the_optimum_is_that_of_the_kernel_matrix(machine: str, bias: str, method: str) -> None:
    certificate = solved(X, method, machine, bias=bias, class_weight=WEIGHTS).certificate()
    assert certificate.dual == pytest.approx(optimum_of_the_kernel_matrix(machine, bias), rel=2e-6)
    assert certificate.infeasibility <= 1e-9


@pytest.mark.parametrize("machine", ["ww", "cs", "llw", "ova", "ovo"])
def test_no_kernel_value_is_computed(machine: str, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a kernel value was asked for")

    monkeypatch.setattr(KERNELS["linear"], "block", refuse)
    run = solved(X, method, machine, bias="none")
    assert run.kernel_evaluations == 0
    assert (run.model().predict(X) == Y).mean() > 0.5


@pytest.mark.parametrize("machine", ["ww", "cs", "llw", "ova", "ovo"])
def test_sparse_features_give_the_same_solution(machine: str, method: str) -> None:
    dense, sparse = solved(SPARSE_X, method, machine), solved(sp.csr_array(SPARSE_X), method, machine)
    assert sparse.certificate().dual == pytest.approx(dense.certificate().dual, rel=1e-6)
    np.testing.assert_allclose(
        sparse.model().decision(sp.csr_array(SPARSE_X)), dense.model().decision(SPARSE_X), atol=1e-3
    )


def test_other_kernels_are_refused_in_a_sentence(method: str) -> None:
    with pytest.raises(InputError, match=r"only the linear kernel allows; use auto.*rbf\.$"):
        Run(problem_of(X, Y), method)


@pytest.mark.parametrize("cost", [2.0**-4, 1.0, 16.0])
def test_the_binary_optimum_is_liblinears(cost: float, method: str) -> None:
    y = (Y > 0).astype(int)
    reference = LinearSVC(loss="hinge", dual=True, C=cost, tol=1e-8, max_iter=1_000_000, random_state=0).fit(X, y)
    w, b = reference.coef_[0], reference.intercept_[0]
    hinges = np.maximum(0.0, 1.0 - (2.0 * y - 1.0) * (X @ w + b))
    primal = 0.5 * (w @ w + b * b) + cost * hinges.sum()
    run = finished(problem_of(X, y, "ovo", "linear", cost=cost, bias="regularized"), method, 1e-6)
    assert run.certificate().dual == pytest.approx(primal, rel=1e-5)


@pytest.mark.parametrize("cost", [0.1, 10.0])
def test_the_optimum_of_crammer_singer_is_liblinears(cost: float, method: str) -> None:
    reference = LinearSVC(
        multi_class="crammer_singer", C=cost, tol=1e-8, max_iter=1_000_000, fit_intercept=False, random_state=0
    ).fit(X, Y)
    f = X @ reference.coef_.T
    others = f + 1.0 - (np.arange(3) == Y[:, None])
    primal = 0.5 * (reference.coef_**2).sum() + cost * (others.max(axis=1) - f[np.arange(Y.size), Y]).sum()
    assert solved(X, method, "cs", cost=cost, bias="none").certificate().dual == pytest.approx(primal, rel=1e-5)


@pytest.mark.parametrize("machine", ["ww", "cs", "llw", "ova", "atm"])
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.usefixtures("newton_alone")
def test_conjugate_gradients_reach_the_same_optimum(machine: str, bias: str, monkeypatch: pytest.MonkeyPatch) -> None:
    factored = solved(X, "linear-newton", machine, bias=bias).certificate()
    monkeypatch.setattr(system, "LINEAR", replace(LINEAR, dense=0))
    iterated = solved(X, "linear-newton", machine, bias=bias).certificate()
    assert iterated.dual == pytest.approx(factored.dual, rel=2e-6)


@pytest.mark.parametrize(
    ("machine", "bias"), [("ww", "none"), ("cs", "regularized"), ("ova", "exact"), ("ovo", "none")]
)
def test_the_solution_at_another_cost_saves_steps(machine: str, bias: str, method: str) -> None:
    """Alpha seeding: the optimum at C, times the ratio, is nearly that of a larger C."""
    before = [4.0 / 3.0 * alpha for alpha in solved(X, method, machine, bias=bias, cost=3.0).alphas()]
    problem = problem_of(X, Y, machine, "linear", cost=4.0, bias=bias)
    cold, warm = Run(problem, method, Limits(1e-3)), Run(problem, method, Limits(1e-3), before)
    for run in (cold, warm):
        while run.running:
            run.advance()
        assert run.ending is Ending.CONVERGED
    assert warm.iterations < cold.iterations
    assert warm.certificate().dual == pytest.approx(cold.certificate().dual, rel=1e-4)


@pytest.mark.parametrize(
    ("machine", "bias"),
    [*((machine, "regularized") for machine in ("ww", "cs", "llw", "ova", "ovo")), ("ova", "exact"), ("ovo", "exact")],
)
def test_a_run_that_ends_early_still_bounds_the_optimum(machine: str, bias: str, method: str) -> None:
    """The certificate holds the optimum between two numbers, wherever the steps end, and alpha is feasible."""
    optimum = solved(X, "linear", machine, bias=bias).certificate()
    for limit in (1, 20, 200, 2000):
        run = Run(problem_of(X, Y, machine, "linear", cost=2.0, bias=bias), method, Limits(1e-7, steps=limit))
        while run.running:
            run.advance()
        certificate = run.certificate()
        assert run.ending in (Ending.STEP_LIMIT, Ending.CONVERGED)
        assert certificate.dual <= optimum.primal * (1.0 + 1e-9)
        assert certificate.primal >= optimum.dual * (1.0 - 1e-9)
        assert certificate.infeasibility <= 1e-9


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("machine", ["ovo", "cs", "llw"])
def test_no_step_leads_far_below_the_alpha_begun_with(machine: str, bias: str, newton_alone: None) -> None:
    """Nor to a bias far away: both happened where the first system was solved at a bias of zero."""
    before = solved(X + 20.0, "linear-newton", machine, bias=bias).alphas()
    problem = problem_of(X + 20.0, Y, machine, "linear", cost=2.0, bias=bias)
    run = Run(problem, "linear-newton", Limits(1e-9), [0.7 * alpha for alpha in before])
    duals = [run.certificate().dual, *(run.advance(1).dual for _ in range(5))]
    assert min(duals) >= duals[0] - 1.1e-3 * abs(duals[0])


def test_an_optimum_whose_bounds_were_rounded_away_is_found_again(newton_alone: None) -> None:
    """As by scaling: what was at its bound lies a rounding below and violates, though the dual cannot rise."""
    cost = 2.0**-8
    before = solved(X, "linear-newton", "ovo", cost=cost, bias="exact").alphas()
    start = [alpha * (1.0 - 1e-15) for alpha in before]
    run = Run(problem_of(X, Y, "ovo", "linear", cost=cost, bias="exact"), "linear-newton", Limits(1e-6), start)
    while run.running:
        run.advance()
    assert run.ending is Ending.CONVERGED
    assert run.certificate().violation <= 1e-6


def test_a_free_bias_that_nothing_holds_is_found_from_far_away() -> None:
    part = problem_of(X, Y, "ovo", "linear", cost=2.0, bias="exact").part(0)
    step = FeatureStep(part, Features.of(part), np.zeros((len(part), 1)), sigma=1.0, closeness=1e-9)
    far = np.zeros((X.shape[1] + 1, 1))
    near, *_ = step.solve(step.begin(far.copy()), PROXIMAL.steps)
    far[-1] = 1e6
    found, steps, _ = step.solve(step.begin(far), PROXIMAL.steps)
    assert steps <= 20
    np.testing.assert_allclose(found.point, near.point, atol=1e-6)


def test_rows_of_zeros_and_features_without_values(method: str) -> None:
    """A row of zeros has curvature 0: its variables go to the bound."""
    x = np.hstack([X, np.zeros((90, 2))])
    x[::7] = 0.0
    for machine in ("ww", "cs", "ova"):
        run = solved(x, method, machine, bias="none")
        others = finished(problem_of(x, Y, machine, "linear", cost=2.0, bias="none"), "smo", 1e-5)
        assert run.certificate().dual == pytest.approx(others.certificate().dual, rel=1e-6)


@pytest.mark.usefixtures("newton_alone")
def test_a_cost_at_which_coordinate_steps_crawl_is_nothing_to_newton() -> None:
    steps = {cost: solved(X, "linear-newton", "ww", cost=cost).iterations for cost in (1.0, 2.0**10, 2.0**20)}
    assert max(steps.values()) < 20 * steps[1.0]


def test_newton_takes_over_where_coordinates_have_had_their_share() -> None:
    run = Run(problem_of(X, Y, "ww", "linear", cost=1000.0), "linear-newton", Limits(1e-6))
    visiting = []
    while run.running:
        visiting.append(run.current.state.phase is NewtonPhase.VISITING)
        run.advance()
    assert run.ending is Ending.CONVERGED
    assert visiting == sorted(visiting, reverse=True)
    assert len(set(visiting)) == 2


def texts(n: int, words: int, topics: int) -> tuple[sp.csr_array, np.ndarray]:
    """Draw bags of words in which a third of the words depend on the topic, as rows of length 1."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, topics, n)
    frequency = 1.0 / np.arange(1, words + 1)
    row = np.repeat(np.arange(n), 25)
    word = rng.choice(words, row.size, p=frequency / frequency.sum())
    of_topic, orders = rng.random(row.size) < 0.3, np.array([rng.permutation(words) for _ in range(topics)])
    word[of_topic] = orders[y[row[of_topic]], word[of_topic]]
    counts = sp.csr_array((np.ones(row.size), (row, word)), shape=(n, words))
    return sp.csr_array(sp.diags_array(1.0 / np.sqrt(counts.multiply(counts).sum(axis=1))) @ counts), y


@pytest.mark.parametrize("machine", ["ova", "ovo"])
@pytest.mark.parametrize(("n", "words"), [(1500, 300), (600, 900)])
def test_visits_alone_solve_texts_with_an_exact_bias(
    n: int, words: int, machine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of many words each row has few: neither Newton systems of all words nor kernel rows are needed."""

    def refuse(*_: object) -> None:
        raise AssertionError("the run left the coordinate steps")

    x, y = texts(n, words, 4)
    regularized = finished(problem_of(x, y, machine, "linear", bias="regularized"), "auto")
    monkeypatch.setattr(linear_newton, "move", refuse)
    monkeypatch.setattr(KERNELS["linear"], "block", refuse)
    problem = problem_of(x, y, machine, "linear", bias="exact")
    run = finished(problem, "auto")
    assert run.ending is Ending.CONVERGED
    assert run.certificate().infeasibility <= 1e-9
    assert run.certificate().relative_gap <= 1e-3
    assert run.iterations <= 4 * regularized.iterations  # visits
    examples = sum(len(problem.part(number)) for number in range(problem.part_count))
    assert run.iterations <= 80 * examples


def test_newton_steps_come_at_once_where_they_cost_less_than_the_epochs_of_an_exact_bias() -> None:
    """30 epochs of long rows of few features cost more than all Newton steps."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20_000, 4))
    y = (x[:, 0] + rng.normal(size=20_000) > 0.0).astype(int)
    for bias, phase in (("exact", NewtonPhase.NEWTON), ("regularized", NewtonPhase.VISITING)):
        part = problem_of(x, y, "ovo", "linear", bias=bias).part(0)
        assert METHODS["linear-newton"].start(part, 0).phase is phase


def test_orders_are_permutations() -> None:
    order, state = np.arange(50), np.uint64(linear.FIRST_STATE)
    seen = set()
    for _ in range(20):
        state = jit.shuffle(order, 50, np.uint64(state))
        assert sorted(order) == list(range(50))
        seen.add(tuple(order.tolist()))
    assert len(seen) == 20


@settings(max_examples=50, deadline=None, derandomize=True)
@given(
    wish=st.lists(st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=3), min_size=1, max_size=5),
    upper=st.floats(1e-2, 1e2),
)
def test_a_projection_is_the_nearest_point(wish: list[list[float]], upper: float) -> None:
    """By its optimality condition: what the wish exceeds the point by is normal to the set there."""
    rows = np.array(wish)
    point = np.maximum(rows, 0.0)
    full = point.sum(axis=1) > upper
    for place in np.flatnonzero(full):
        project_sum(point[place], upper, np.empty(3))
    sums = point.sum(axis=1)
    assert (point >= 0.0).all()
    assert (sums <= upper * (1 + 1e-12)).all()
    np.testing.assert_array_equal(point[~full], np.maximum(rows[~full], 0.0))
    np.testing.assert_allclose(sums[full], upper, rtol=1e-12)
    shift = (rows - point).max(axis=1, keepdims=True)[full]
    assert (shift >= -1e-9).all()
    np.testing.assert_allclose(np.where(point > 0.0, rows - point, 0.0)[full], (point[full] > 0.0) * shift, atol=1e-9)


def test_memory_follows_features_not_examples(method: str) -> None:
    """100 000 examples: their kernel matrix would take 80 GB."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(100_000, 3))
    y = (x[:, 0] + 0.5 * rng.normal(size=100_000) > 0).astype(int)
    model = MultiClassSVC(machine="ovo", kernel="linear", solver=method, bias="none", C=0.01, cache_mb=1).fit(x, y)
    assert model.ending_ is Ending.CONVERGED
    assert model.kernel_evaluations_ == 0
    assert model.score(x, y) > 0.8
