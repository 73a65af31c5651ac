"""What a feasible set can do, against definitions and brute force on tiny parts."""

from __future__ import annotations

import copy
import pickle
import re
from itertools import chain, combinations, product
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize
from small_data import blobs, problem_of

from mcsvm import solvers
from mcsvm.solvers.dual.geometry import BOX, LINE, SUMS, Box, Geometry
from mcsvm.solvers.dual.quantities import examine, gradients, weights_of
from mcsvm.solvers.errors import InputError
from mcsvm.solvers.jit.bound import AT_BOUND
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.problem import Part
from mcsvm.solvers.run.parts import delegated

SOURCES = Path(solvers.__file__).parent
DECLARES = "machines/form.py", "dual/geometry.py"  # what a machine declares, and who reads it
COST = 0.7
KINDS = {"ww": BOX, "llw": BOX, "cs": SUMS, "atm": SUMS, "adm": SUMS, "ova": LINE}


def part_of(machine: str, n: int = 6, seed: int = 0) -> Part:
    bias = "exact" if KINDS[machine] == LINE else "none"
    return problem_of(*blobs(n=n, seed=seed), machine, cost=COST, bias=bias).part(0)


def point_of(part: Part, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Some alpha with variables and sums at their bounds, and functions that are not its own."""
    rng = np.random.default_rng(seed)
    real, n = part.form.real[part.labels], len(part)
    alpha = np.where(real, rng.choice([0.0, 0.4, 1.0], size=real.shape), 0.0) * part.upper[:, None]
    if part.geometry == SUMS:  # empty, within, full with one variable, full with several
        alpha *= (rng.choice([0.5, 1.0], size=n) * part.upper / np.maximum(alpha.sum(axis=1), part.upper))[:, None]
    functions = rng.normal(size=(n, part.form.outputs))
    if part.form.centred:
        functions -= functions.mean(axis=1, keepdims=True)
    return np.asfortranarray(alpha), np.asfortranarray(functions)


def violation_by_definition(part: Part, alpha: np.ndarray, functions: np.ndarray) -> np.ndarray:
    """The KKT violation by its definition, one variable at a time: (n,), or of an equality the one number."""
    found, rising, falling = [], [], []
    for i, y in enumerate(part.labels):
        moves, up, down = [0.0], [0.0], []
        total = alpha[i].sum()
        if total < part.upper[i] * (1.0 - 1e-9):
            down.append(0.0)  # the slack shrinks
        for p in np.flatnonzero(part.form.real[y]):
            g = part.form.margin[y, p] - part.form.direction[y, p] @ functions[i]
            room, used = bool(alpha[i, p] < part.upper[i]), bool(alpha[i, p] > 0.0)
            moves += [g] * room + [-g] * used
            up.append(g)
            down += [g] * used
            s = part.form.direction[y, p, 0]
            rising += [s * g] * (room if s > 0.0 else used)
            falling += [s * g] * (used if s > 0.0 else room)
        found.append(max(up) - min(down) if part.geometry == SUMS else max(moves))
    return np.array([max(0.0, max(rising) - min(falling))] if part.geometry == LINE else found)


@pytest.mark.parametrize("machine", KINDS)
def test_every_part_knows_its_geometry(machine: str) -> None:
    assert part_of(machine).geometry == KINDS[machine]
    joint = problem_of(*blobs(n=6), "ww", bias="exact").part(0)
    assert (joint.geometry, joint.balanced) == (BOX, True), "the sums of a joint machine are not the one of a line"


@pytest.mark.parametrize("geometry", [BOX, SUMS, LINE])
def test_there_is_one_of_each_wherever_it_travels(geometry: Geometry) -> None:
    assert pickle.loads(pickle.dumps(geometry)) is geometry
    assert copy.deepcopy(geometry) is geometry


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("machine", KINDS)
def test_the_violation_is_that_of_its_definition(machine: str, seed: int) -> None:
    part = part_of(machine, n=9, seed=seed)
    alpha, functions = point_of(part, seed)
    expected, worst = violation_by_definition(part, alpha, functions), np.empty(len(part))
    found = part.geometry.scan(part, alpha, functions, np.zeros(len(part)), worst)
    standing = examine(part, alpha, functions)
    assert max(0.0, found) == pytest.approx(expected.max(), abs=1e-12)
    assert standing.violation == pytest.approx(expected.max(), abs=1e-12)
    if part.geometry != LINE:
        np.testing.assert_allclose(worst, expected, atol=1e-12)
        np.testing.assert_allclose(standing.violations, expected, atol=1e-12)


@pytest.mark.parametrize("machine", KINDS)
def test_the_loss_and_the_linear_term_are_sums_over_examples(machine: str) -> None:
    part = part_of(machine)
    alpha, functions = point_of(part)
    hinge = np.maximum(gradients(part, functions), 0.0) * part.form.real[part.labels]
    each = hinge.max(axis=1) if part.geometry == SUMS else hinge.sum(axis=1)
    standing = examine(part, alpha, functions)
    assert standing.loss == pytest.approx(part.upper @ each)
    assert standing.linear == pytest.approx((part.form.margin[part.labels] * alpha).sum())
    np.testing.assert_allclose(part.geometry.loss(hinge), each)


@pytest.mark.parametrize("machine", KINDS)
def test_the_slacks_of_the_primal_cost_what_the_loss_says(machine: str) -> None:
    part = part_of(machine)
    hinge = np.maximum(gradients(part, point_of(part)[1]), 0.0)
    example, slot = np.nonzero(part.form.real[part.labels])
    number, costs = part.geometry.hinges(part, example)
    slack = np.zeros(costs.size)
    np.maximum.at(slack, number, hinge[example, slot])
    assert costs @ slack == pytest.approx(part.upper @ part.geometry.loss(hinge * part.form.real[part.labels]))


def test_b_must_span_from_the_largest_rise_to_the_smallest_fall() -> None:
    part = part_of("ova", n=9)
    alpha, functions = point_of(part)
    high, low = LINE.span(part, alpha, functions)
    shifts = np.linspace(-5.0, 5.0, 4001)
    worst = np.empty(len(part))
    boxed = [
        max(BOX.examine(part, alpha, functions, np.array([b]), worst)[0], 0.0) for b in (*shifts, 0.5 * (high + low))
    ]
    assert min(boxed) == pytest.approx(0.5 * (high - low), abs=1e-12), "in the middle both sides violate alike"
    assert BOX.span(part, alpha, functions) is None


def test_the_reduced_gradient_of_a_line_is_that_of_the_middle_b() -> None:
    part = part_of("ova", n=9)
    alpha, functions = point_of(part)
    middle = 0.5 * sum(LINE.span(part, alpha, functions))
    reduced = LINE.reduced(part, alpha, functions, gradients(part, functions))
    np.testing.assert_allclose(reduced, gradients(part, functions + middle))


def test_a_signed_scan_says_who_rises_and_who_falls() -> None:
    part = part_of("ova", n=9)
    alpha, functions = point_of(part)
    worst = np.empty(len(part))
    LINE.scan(part, alpha, functions, np.zeros(len(part)), worst)
    rises, falls = LINE.movable(part, alpha)
    assert rises[worst > 0.0].all()
    assert falls[worst < 0.0].all()
    assert (worst > 0.0).any()
    assert (worst < 0.0).any()


def test_the_signed_view_is_beta_between_its_bounds() -> None:
    part = part_of("ova")
    alpha, functions = point_of(part)
    some = np.array([4, 1])
    beta, low, high = LINE.signed(part, alpha, some)
    np.testing.assert_array_equal(beta, weights_of(part, alpha)[some, 0])
    assert (low <= beta).all()
    assert (beta <= high).all()
    np.testing.assert_array_equal(high - low, part.upper[some])
    expected = LINE.signs(part, some) * gradients(part, functions)[some, 0]
    np.testing.assert_allclose(LINE.beta_gradient(part, functions, some), expected)


# -- bounds ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("machine", KINDS)
def test_free_is_what_can_move_both_ways_alone(machine: str) -> None:
    part = part_of(machine, n=12)
    alpha, _ = point_of(part)
    step = 1e-6 * COST

    def keeps(i: int, p: int, by: float) -> bool:
        moved = alpha.copy()
        moved[i, p] += by
        return BOX.infeasibility(part, moved, np.zeros(1)) == 0.0 and (
            part.geometry != SUMS or moved[i].sum() <= part.upper[i] * (1.0 + 1e-9)
        )

    expected = [[keeps(i, p, step) and keeps(i, p, -step) for p in range(part.form.slots)] for i in range(len(part))]
    found = part.geometry.free(alpha, part.upper) & part.form.real[part.labels]
    np.testing.assert_array_equal(found, np.array(expected) & part.form.real[part.labels])


def test_the_face_of_a_sum_is_what_is_used() -> None:
    part = part_of("cs", n=12)
    alpha, _ = point_of(part)
    np.testing.assert_array_equal(SUMS.face(alpha, part.upper), alpha > 0.0)
    np.testing.assert_array_equal(BOX.face(alpha, part.upper), BOX.free(alpha, part.upper))


@pytest.mark.parametrize("scale", [1e-3, 1.0, 3e4])
def test_a_sum_is_full_in_whatever_order_it_is_added_up(scale: float) -> None:
    rng, upper = np.random.default_rng(0), np.array([scale])
    shares = rng.random(1000)
    alpha = (scale * shares / shares.sum())[None, :]
    for _ in range(20):
        assert SUMS.at_upper(rng.permuted(alpha, axis=1), upper).all()
    assert not SUMS.at_upper(alpha * (1.0 - 1e-11), upper).any()


@pytest.mark.parametrize("geometry", [BOX, LINE])
def test_a_variable_is_at_its_bound_where_it_equals_it(geometry: Geometry) -> None:
    upper = np.array([3e3])
    assert geometry.at_upper(np.array([[3e3]]), upper).all()
    assert not geometry.at_upper(np.array([[3e3 * AT_BOUND]]), upper).any()


@pytest.mark.parametrize("geometry", [BOX, SUMS])
def test_what_is_within_is_feasible_and_what_was_stays(geometry: Geometry) -> None:
    rng, upper = np.random.default_rng(1), np.array([1.0, 2.0, 0.5, 1.0])
    found = geometry.within(rng.normal(scale=2.0, size=(4, 3)), upper)
    assert (found >= 0.0).all()
    assert (geometry.reach(found) <= upper[:, None] * (1.0 + 1e-15)).all()
    np.testing.assert_allclose(geometry.within(0.99 * found, upper), 0.99 * found, rtol=1e-15)


@pytest.mark.parametrize("geometry", [BOX, SUMS])
def test_filled_bounds_are_at_their_bound(geometry: Geometry) -> None:
    upper, alpha = np.array([1.0, 2.0, 5.0]), np.array([[0.2, 0.3], [0.0, 1.9], [0.0, 0.0]])
    full = np.ones(geometry.reach(alpha).shape, dtype=bool)
    full[2] = False
    found = geometry.filled(alpha, upper, full)
    np.testing.assert_allclose(geometry.reach(found)[:2] - upper[:2, None], 0.0, atol=1e-15)
    np.testing.assert_array_equal(found[2], alpha[2])


@pytest.mark.parametrize(
    ("geometry", "alpha", "expected"),
    [
        (BOX, [[0.2, 0.25, 0.5, 0.75, 0.8]], [[0.0, 0.25, 0.5, 0.75, 1.0]]),
        (
            SUMS,
            [[0.2, 0.25], [0.5, 0.25], [0.25, 0.55], [0.2, 0.8]],
            [[0.0, 0.25], [0.5, 0.25], [0.3125, 0.6875], [0, 1]],
        ),
    ],
)
@pytest.mark.parametrize("scale", [1.0, 2.0**-9])
def test_what_is_nearer_than_rounding_is_put_onto_its_bound(
    geometry: Geometry, alpha: list[list[float]], expected: list[list[float]], scale: float
) -> None:
    """Rounding is a quarter here, so that sums are exact and what stands just there stays."""
    upper = np.full(len(alpha), scale)
    np.testing.assert_allclose(geometry.snapped(scale * np.array(alpha), upper, 0.25), scale * np.array(expected))


def test_a_full_sum_pins_who_is_alone_in_it() -> None:
    used, full = np.array([[True, False], [True, True], [True, False]]), np.array([[True], [True], [False]])
    np.testing.assert_array_equal(SUMS.pinned(used, full), [[True, False], [False, False], [False, False]])
    np.testing.assert_array_equal(BOX.pinned(used, used & full), used & full)


@pytest.mark.parametrize("machine", KINDS)
def test_even_shares_are_the_largest(machine: str) -> None:
    part = part_of(machine)
    real = part.form.real[part.labels]
    alpha = part.geometry.even(part.upper, real.sum(axis=1))[:, None] * real
    assert part.geometry.infeasibility(part, alpha, np.zeros(1)) <= 1e-15
    assert part.geometry.infeasibility(part, alpha * 1.01, np.zeros(1)) == pytest.approx(0.01 * COST)


@pytest.mark.parametrize(
    ("machine", "change", "expected"),
    [
        ("ww", {"some": -0.25}, 0.25),
        ("ww", {"some": COST + 0.5}, 0.5),
        ("ww", {"some": COST, "other": COST}, 0.0),
        ("cs", {"some": COST, "other": 0.125}, 0.125),
        ("cs", {"some": COST}, 0.0),
        ("ova", {"some": 0.5}, 0.5),
    ],
)
def test_infeasibility_is_the_largest_breach(machine: str, change: dict[str, float], expected: float) -> None:
    part = part_of(machine)
    alpha = np.zeros((len(part), part.form.slots))
    slots = np.flatnonzero(part.form.real[part.labels[0]])
    for which, value in change.items():
        alpha[0, slots[0 if which == "some" else 1]] = value
    total = weights_of(part, alpha).sum(axis=0)
    assert part.geometry.infeasibility(part, alpha, total) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("machine", ["ww", "cs", "llw", "adm"])
def test_the_response_is_the_projection(machine: str) -> None:
    """By enumeration of the variables at zero and of whether a bound is reached: a quadratic each."""
    part, sigma = part_of(machine), 0.8
    anchor, functions = point_of(part, 2)
    anchor, functions = np.ascontiguousarray(anchor), np.ascontiguousarray(functions)
    alpha, full = part.geometry.respond(part, functions, anchor, sigma)
    wish = anchor + sigma * gradients(part, functions)
    for i, y in enumerate(part.labels):
        real = part.form.real[y]
        expected, tight = projection(wish[i, real], float(part.upper[i]), bounded_sum=part.geometry == SUMS)
        np.testing.assert_allclose(alpha[i, real], expected, atol=1e-9)
        assert not alpha[i, ~real].any()
        assert bool(full[i]) == tight


def projection(wish: np.ndarray, upper: float, *, bounded_sum: bool) -> tuple[np.ndarray, bool]:
    if not bounded_sum:
        return np.array([minimize(lambda x, w=w: (x - w) ** 2, 0.0, bounds=[(0.0, upper)]).x[0] for w in wish]), False
    candidates = [np.zeros(wish.size)]
    indices = range(wish.size)
    for some in chain.from_iterable(combinations(indices, size) for size in range(1, wish.size + 1)):
        for tight in (False, True):
            x = np.zeros(wish.size)
            x[list(some)] = wish[list(some)] - tight * (wish[list(some)].sum() - upper) / len(some)
            candidates.append(x)
    feasible = [x for x in candidates if (x >= 0.0).all() and x.sum() <= upper * (1.0 + 1e-12)]
    best = min(feasible, key=lambda x: float(((x - wish) ** 2).sum()))
    return best, bool(np.maximum(wish, 0.0).sum() > upper)


# -- working sets ----------------------------------------------------------------------------------


@pytest.mark.parametrize("distance", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("machine", KINDS)
def test_settled_examples_do_not_violate_after_any_change_of_that_size(machine: str, distance: float) -> None:
    part = part_of(machine, n=60)
    alpha, functions = point_of(part)
    gradient, geometry = gradients(part, functions), part.geometry
    settled = ~geometry.unsettled(part, alpha, gradient, distance)
    random, real = np.random.default_rng(3), part.form.real[part.labels]
    for _ in range(50):  # of slots of one example by half of it each, as these compete
        moved = gradient + random.choice([-0.499, 0.499], size=gradient.shape) * distance
        for i in np.flatnonzero(settled):
            slots, room = np.flatnonzero(real[i]), part.upper[i] - alpha[i].sum() > 1e-9
            if geometry == SUMS:
                used = slots[alpha[i, slots] > 0.0]
                least = min([*moved[i, used], *([0.0] if room else [])])
                assert max(0.0, *moved[i, slots]) <= max(least, 0.0) + 1e-12
                assert not used.size or moved[i, used].min() >= 0.0
            else:
                rises, falls = alpha[i, slots] < part.upper[i], alpha[i, slots] > 0.0
                assert not (rises & falls).any()
                assert (moved[i, slots][rises] <= 0.0).all()
                assert (moved[i, slots][falls] >= 0.0).all()
    if distance == 0.0:
        assert settled.any()


@pytest.mark.parametrize("machine", KINDS)
def test_a_working_set_holds_what_is_free_and_what_violates(machine: str) -> None:
    part, threshold = part_of(machine, n=12), 0.1
    alpha, functions = point_of(part)
    gradient, geometry = gradients(part, functions), part.geometry
    real = part.form.real[part.labels]
    chosen = geometry.working_set(part, alpha, gradient, threshold)
    assert not chosen[~real].any()
    assert chosen[geometry.free(alpha, part.upper) & real].all()
    if geometry != SUMS:
        rises, falls = (gradient > threshold) & (alpha < part.upper[:, None]), (gradient < -threshold) & (alpha > 0.0)
        np.testing.assert_array_equal(chosen, real & (geometry.free(alpha, part.upper) | rises | falls))
        return
    for i, y in enumerate(part.labels):  # any exchange that gains is within the set
        slots, slack = np.flatnonzero(part.form.real[y]), part.upper[i] - alpha[i].sum() > 1e-9
        for p, q in product(slots, slots):
            if alpha[i, q] > 0.0 and gradient[i, p] > gradient[i, q] + threshold:
                assert chosen[i, p]
                assert chosen[i, q]
        for p in slots:
            assert chosen[i, p] or not (slack and gradient[i, p] > threshold)


@pytest.mark.parametrize("machine", ["ww", "ova"])
def test_who_violates_by_just_the_threshold_is_left_out(machine: str) -> None:
    part = part_of(machine)
    full = np.where(part.form.real[part.labels], part.upper[:, None], 0.0)
    for alpha, sign in ((full, -1.0), (0.0 * full, 1.0)):
        assert not part.geometry.working_set(part, alpha, np.full(full.shape, 0.25 * sign), 0.25).any()
        beyond = part.geometry.working_set(part, alpha, np.full(full.shape, 0.26 * sign), 0.25)
        np.testing.assert_array_equal(beyond, part.form.real[part.labels])


@pytest.mark.parametrize("machine", KINDS)
def test_the_foremost_are_free_or_the_worst(machine: str) -> None:
    part, threshold = part_of(machine, n=12), 0.05
    alpha, functions = point_of(part)
    gradient, geometry = gradients(part, functions), part.geometry
    few = geometry.foremost(part, alpha, gradient, threshold, 1, 0.0)
    free = geometry.free(alpha, part.upper) & part.form.real[part.labels]
    assert few[free].all()
    if geometry != SUMS:
        pull = np.where(alpha > 0.0, -gradient, gradient) * (part.form.real[part.labels] & ~free)
        assert (few & ~free).sum() == 1
        assert pull[few & ~free] == pull.max()
    else:
        used = alpha > 0.0
        moves = used.any(axis=1) & ((used.sum(axis=1) > 1) | (alpha.sum(axis=1) < part.upper * (1.0 - 1e-9)))
        violation = np.where(moves, 0.0, violation_by_definition(part, alpha, functions))
        small = geometry.foremost(part, alpha, 0.1 * gradient, 0.1 * threshold, 1, 0.0)
        np.testing.assert_array_equal(few, small)
        others = few.any(axis=1) & ~moves
        assert (violation > threshold).sum() > 1, "one to choose among several"
        assert others.sum() == 1
        assert violation[others] == pytest.approx(violation.max())
    many = geometry.foremost(part, alpha, gradient, threshold, few.size, 0.0)
    assert (few <= many).all()


def test_the_violation_of_a_box_by_known_gradients() -> None:
    gradient, alpha = np.array([0.5, -0.7, 2.0, -3.0]), np.array([0.0, 0.3, 1.0, 0.0])
    assert BOX.violation(gradient, alpha, np.ones(4)) == 0.7


# -- one home --------------------------------------------------------------------------------------


class Toy(Box):
    """A feasible set that no method knows."""

    title = "a bound on nothing in particular"


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("method", METHODS)
def test_a_method_without_a_row_refuses_in_a_sentence(method: str, kernel: str) -> None:
    part = problem_of(*blobs(n=6), "ww", kernel).part(0)
    part.__dict__["geometry"] = Toy()
    reason = METHODS[method].refuse(part)
    assert reason is not None
    assert reason.startswith(method)
    assert reason.endswith(".")


def test_an_exact_bias_without_a_row_is_refused_in_a_sentence() -> None:
    """It ended in a KeyError of dual/balance.py, after the run."""
    part = problem_of(*blobs(n=6), "ww", bias="exact").part(0)
    part.__dict__["geometry"] = Toy()
    with pytest.raises(InputError, match=r"a bound on nothing in particular.* use bias regularized or none") as refused:
        delegated(part, METHODS["s2do"])  # which sees a copy of the part, with a feasible set that it knows
    assert str(refused.value).endswith(".")


def test_nobody_else_asks_what_is_feasible() -> None:
    asking = [
        str(path.relative_to(SOURCES))
        for path in SOURCES.rglob("*.py")
        if re.search(r"\.feasible\b", path.read_text("utf-8"))
    ]
    assert set(asking) <= set(DECLARES)


def test_at_its_bound_is_defined_once() -> None:
    """A threshold near one, or a rounding near 1e-12 next to a bound, is jit/bound.py's."""
    pattern = re.compile(r"1\.0 - 1e-\d+")
    found = {str(path.relative_to(SOURCES)) for path in SOURCES.rglob("*.py") if pattern.search(path.read_text())}
    assert found <= {"methods/auto/splitting.py"}, "which puts single-precision results onto bounds"
