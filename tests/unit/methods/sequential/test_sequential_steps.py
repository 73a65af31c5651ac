"""What one step chooses and where it goes, against choices made by hand and general solvers."""

import numpy as np
import pytest
from scipy.optimize import minimize
from small_data import blobs, problem_of

from mcsvm.solvers.dual.geometry import BOX
from mcsvm.solvers.jit.sequential import box as sequential_box
from mcsvm.solvers.jit.sequential import line as sequential_pair
from mcsvm.solvers.jit.sequential import loop as jit
from mcsvm.solvers.jit.sequential import set as sequential_set
from mcsvm.solvers.jit.sequential import whole as sequential_whole
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.methods.sequential.loop import WorkingSetSearch
from mcsvm.solvers.methods.sequential.rules import BoxSteps, Pairs, difference_lengths
from mcsvm.solvers.methods.sequential.table import BSVM, S2DO, SMO, Sequential
from mcsvm.solvers.problem import Part


def searching(machine: str, method: Sequential = S2DO, steps: int = 15, **more) -> tuple[Part, WorkingSetSearch]:
    """A search in the middle of a run, all rows at hand."""
    x, y = blobs(n=30, classes=4, seed=2)
    part = problem_of(x, y, machine, cost=1.0, **more).part(0)
    state = method.start(part, 0)
    method.advance(part, state, steps, 1e-9)
    part.gram.fetch(np.arange(30))
    rule = Pairs(second_order=True) if part.balanced else BoxSteps(pairs=True, scaled=False)
    return part, WorkingSetSearch(part, state, rule, 1e-9)


def couplings(part: Part, search: WorkingSetSearch) -> np.ndarray:
    """Q of all active variables, from the definition."""
    variables = search.variables
    direction = part.form.direction[part.labels[variables.example], variables.slot]
    kernel = part.gram.store[part.gram.slot_of].astype(float) + part.offset
    return (direction @ direction.T) * kernel[np.ix_(variables.example, variables.example)]


@pytest.mark.parametrize(("machine", "bias"), [("ww", "none"), ("llw", "regularized"), ("ats", "none")])
def test_gradients_are_margins_less_readings(machine: str, bias: str) -> None:
    part, search = searching(machine, bias=bias)
    worst = jit.look(search.variables, search.moving.columns)
    alpha = search.variables.alpha
    margin = part.form.margin[part.labels[search.variables.example], search.variables.slot]
    expected = margin - couplings(part, search) @ alpha
    np.testing.assert_allclose(search.variables.gradient, expected, atol=1e-5)
    violation = np.maximum(np.where(alpha < 1.0, expected, 0.0), np.where(alpha > 0.0, -expected, 0.0))
    assert worst == pytest.approx(violation.max(), abs=1e-5)


@pytest.mark.parametrize(("machine", "bias"), [("ww", "none"), ("llw", "regularized"), ("ats", "none")])
def test_the_second_variable_has_the_largest_gain_of_all_that_violate(machine: str, bias: str) -> None:
    part, search = searching(machine, bias=bias)
    variables = search.variables
    jit.look(variables, search.moving.columns)
    a = jit.best_in(variables.score, variables.tops)
    assert variables.score[a] == variables.score.max()
    b = sequential_box.partner(variables, search.rows, search.tables, search.coupling, a)
    Q = couplings(part, search)
    g = variables.gradient
    others = [v for v in np.flatnonzero(variables.score > 0.0) if v != a]
    gains = [0.5 * g[[a, v]] @ np.linalg.pinv(Q[np.ix_([a, v], [a, v])], hermitian=True) @ g[[a, v]] for v in others]
    assert len(others) > 3
    assert gains[others.index(b)] == pytest.approx(max(gains), rel=1e-6)


def test_smo_takes_the_largest_gain_of_one_variable() -> None:
    x, y = blobs(n=30, classes=4, seed=2)
    part = problem_of(x, y, "ww", "polynomial", cost=1.0).part(0)
    state = SMO.start(part, 0)
    SMO.advance(part, state, 10, 1e-9)
    search = WorkingSetSearch(part, state, BoxSteps(pairs=False, scaled=True), 1e-9)
    variables = search.variables
    jit.look(variables, search.moving.columns)
    a = jit.best_in(variables.score, variables.tops)
    g, alpha = variables.gradient, variables.alpha
    movable = ((g > 0.0) & (alpha < 1.0)) | ((g < 0.0) & (alpha > 0.0))
    assert a == np.argmax(np.where(movable, g * g / variables.diagonal, 0.0))
    assert a != np.argmax(np.where(movable, np.abs(g), 0.0))  # or the data would not tell the rules apart


def test_the_pair_of_an_exact_bias_is_that_of_fan_chen_and_lin() -> None:
    part, search = searching("ova", SMO, steps=8)
    variables = search.variables
    high, low = sequential_pair.look_signed(variables, search.moving.columns)
    sign, z, alpha = variables.value[0], variables.gradient, variables.alpha
    rises = np.where(sign > 0, alpha < 1.0, alpha > 0.0)
    falls = np.where(sign > 0, alpha > 0.0, alpha < 1.0)
    assert high == z[rises].max()
    assert low == z[falls].min()
    a = jit.best_in(variables.score, variables.tops)
    assert a == np.argmax(np.where(rises, z, -np.inf))
    kernel = part.gram.store[part.gram.slot_of].astype(float)
    curvature = np.maximum(kernel[a, a] + np.diag(kernel) - 2.0 * kernel[a], 1e-12)
    gains = np.where(falls & (z < z[a]), (z[a] - z) ** 2 / curvature, -1.0)
    sequential_pair.signed_gains(
        variables, search.rows.store[search.rows.slot_of[a]], high, variables.diagonal[a], True
    )
    assert jit.best_in(variables.gain, variables.tops) == np.argmax(gains)


def test_bsvm_takes_free_variables_near_the_optimum_and_the_most_violating() -> None:
    _, search = searching("ww", BSVM, steps=4, bias="regularized")
    variables = search.variables
    jit.look(variables, search.moving.columns)
    room = np.empty(BSVM.rules[BOX].examples, dtype=np.int64)
    chosen = room[: sequential_set.choose_set(variables, room)]
    free = np.flatnonzero((variables.alpha > 0.0) & (variables.alpha < variables.upper))
    near = free[np.argsort(np.abs(variables.gradient[free]), kind="stable")][:5]
    assert near.size == 5
    assert set(chosen[:5]) == set(near)
    rest = [v for v in np.argsort(-variables.score, kind="stable") if v not in near and variables.score[v] > 0.0]
    np.testing.assert_array_equal(
        np.sort(variables.score[chosen[5:]]), np.sort(variables.score[rest[: chosen.size - 5]])
    )
    assert np.unique(chosen).size == chosen.size


@pytest.mark.parametrize("machine", ["cs", "adm"])
@pytest.mark.parametrize("seed", range(12))
def test_the_whole_example_sub_problem_is_solved_exactly(machine: str, seed: int) -> None:
    form = MACHINES[machine].form(6, 1.0)
    own, shared = form.uniform
    rng = np.random.default_rng(seed)
    bound, curvature = (0.3, 2.0, 30.0)[seed % 3], (0.5, 3.0)[seed % 2]
    alpha = rng.dirichlet(np.ones(6))[:5] * bound * (seed % 4 > 0)
    gradient = rng.normal(size=5)
    after = np.empty(5)
    sequential_whole.solve_example(gradient, alpha, bound, curvature, own, shared, after)
    directions = form.direction[0][form.real[0]]
    Q = curvature * directions @ directions.T

    def loss(point: np.ndarray) -> float:
        step = point - alpha
        return -float(gradient @ step - 0.5 * step @ Q @ step)

    constraint = {"type": "ineq", "fun": lambda point: bound - point.sum()}
    best = min(
        minimize(
            loss, start, jac=lambda point: Q @ (point - alpha) - gradient, bounds=[(0.0, bound)] * 5,
            constraints=constraint, method="SLSQP", options={"ftol": 1e-15, "maxiter": 500},
        ).fun
        for start in (np.full(5, bound / 10), alpha)
    )  # fmt: skip
    assert (after >= 0.0).all()
    assert after.sum() <= bound * (1 + 1e-12)
    assert loss(after) <= best + 1e-9 * max(1.0, abs(best))


@pytest.mark.parametrize("curvature", [0.0, -1.0])
def test_without_curvature_a_vertex_is_best(curvature: float) -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        alpha, gradient, after = rng.dirichlet(np.ones(5))[:4], rng.normal(size=4), np.empty(4)
        sequential_whole.solve_example(gradient, alpha, 1.0, curvature, 1.0, 1.0, after)
        Q = curvature * (np.eye(4) + 1.0)
        corners = np.vstack([np.zeros(4), np.eye(4)]) - alpha
        gains = corners @ gradient - 0.5 * np.einsum("vp,pq,vq->v", corners, Q, corners)
        step = after - alpha
        assert gradient @ step - 0.5 * step @ Q @ step == pytest.approx(max(0.0, gains.max()))


def test_the_geometry_of_examples() -> None:
    assert MACHINES["cs"].form(5, 1.0).uniform == pytest.approx((1.0, 1.0))
    assert MACHINES["adm"].form(5, 1.0).uniform == pytest.approx((1.0, -0.2))
    assert MACHINES["atm"].form(5, 1.0).uniform is None
    table = difference_lengths(MACHINES["cs"].form(4, 1.0))
    assert table[0, 1, 2] == pytest.approx(2.0)  # e_2 - e_1
    assert table[0, 1, 4] == pytest.approx(2.0)  # against the slack


def test_listing_goes_slot_by_slot_or_example_by_example() -> None:
    mask = np.array([[True, False], [True, True]])
    example, slot = np.empty(3, np.uint32), np.empty(3, np.uint32)
    jit.list_variables(mask, True, example, slot)
    assert list(zip(example.tolist(), slot.tolist(), strict=True)) == [(0, 0), (1, 0), (1, 1)]
    jit.list_variables(mask, False, example, slot)
    assert list(zip(example.tolist(), slot.tolist(), strict=True)) == [(0, 0), (1, 0), (1, 1)]
    jit.list_variables(mask.T.copy(), True, example, slot)
    assert list(zip(example.tolist(), slot.tolist(), strict=True)) == [(0, 0), (0, 1), (1, 1)]
