"""Learning example by example: the pool's kernel values, the steps of LASVM, and streams of rows."""

from __future__ import annotations

import io
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracles import binary_dual, optimum_of_programme
from small_data import KERNEL_PARAMETERS, blobs, dense_kernel, finished, kernel_named, problem_of

from mcsvm.solvers.budget import LASVM
from mcsvm.solvers.jit import online as jit
from mcsvm.solvers.kernels import Points
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.methods.lasvm.choice import CHOICES, draw
from mcsvm.solvers.methods.lasvm.machine import OnlineMachine
from mcsvm.solvers.methods.lasvm.pool import Pool
from mcsvm.solvers.methods.lasvm.stream import OnlineSettings, Stream
from mcsvm.solvers.run.loop import Run
from mcsvm.solvers.work import LEAST_ROWS

QUICK = settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
X, Y = blobs(n=160, classes=2, seed=6)
K = {name: dense_kernel(name, X, X) for name in KERNEL_PARAMETERS}
TINY = 0.001  # MB: the fewest rows
COST, TOLERANCE = 3.0, 1e-3


# -- the pool -------------------------------------------------------------------------------------


def mixed(kernel: str, seed: int, cache_mb: float, *, sparse: bool = False) -> Pool:
    """After many arrivals, departures and fetches."""
    rng = np.random.default_rng(seed)
    pool = Pool(kernel_named(kernel), Points(sp.csr_array(X) if sparse else X), cache_mb)
    for example in rng.permutation(len(X)):
        slot = pool.insert(int(example), pool.row(int(example)))
        pool.slots.users[slot] = 1
        held = pool.held
        if rng.random() < 0.4:
            pool.release(rng.choice(held, 1))
        elif rng.random() < 0.5:
            pool.fetch(np.unique(rng.choice(held, 2)))
    return pool


@pytest.mark.slow
@QUICK
@given(
    kernel=st.sampled_from(list(KERNEL_PARAMETERS)),
    seed=st.integers(0, 10**6),
    cache_mb=st.sampled_from([TINY, 500.0]),
    sparse=st.booleans(),
)
def test_the_pool_holds_kernel_values_and_makes_the_same_bits_again(
    kernel: str, seed: int, cache_mb: float, sparse: bool
) -> None:
    pool = mixed(kernel, seed, cache_mb, sparse=sparse)
    held = pool.held
    rows = np.flatnonzero(pool.slots.owner >= 0)
    assert pool.store.shape[0] == LEAST_ROWS if cache_mb == TINY else rows.size == held.size
    values = pool.store[np.ix_(rows, held)]
    expected = K[kernel][np.ix_(pool.slots.example[pool.slots.owner[rows]], pool.slots.example[held])]
    np.testing.assert_allclose(values, expected, atol=1e-12)
    again = Pool(pool.kernel, pool.points, cache_mb, deepcopy(pool.slots))
    assert again.store[np.ix_(rows, held)].tobytes() == values.tobytes()
    newcomer = len(X) - 1
    assert again.row(newcomer)[held].tobytes() == pool.row(newcomer)[held].tobytes()


def test_what_no_pool_can_have_left_is_refused() -> None:
    slots = mixed("rbf", 1, 500.0).slots
    for name in ("example", "row_of", "owner", "filled_width", "made_width"):
        wrong, words = getattr(slots, name).copy(), "missing example" if name == "example" else "position is larger"
        wrong[0] = 10**6
        with pytest.raises(ValueError, match=words):
            Pool(kernel_named("rbf"), Points(X), 500.0, replace(slots, **{name: wrong}))
    for name, words in (("users", "by slot differ in length"), ("used", "by row of the store differ in length")):
        with pytest.raises(ValueError, match=words):
            Pool(kernel_named("rbf"), Points(X), 500.0, replace(slots, **{name: getattr(slots, name)[:-1]}))


# -- one machine ----------------------------------------------------------------------------------


def learnt(
    kernel: str, rows: int, seed: int = 0, *, second_order: bool = True, cache_mb: float = 500.0
) -> OnlineMachine:
    pool = Pool(kernel_named(kernel), Points(X), cache_mb)
    machine = OnlineMachine(pool, 1.0, second_order=second_order)
    for example in np.random.default_rng(seed).permutation(len(X))[:rows].tolist():
        diagonal = float(K[kernel][example, example])
        machine.process(example, pool.row(example), diagonal, COST, TOLERANCE, positive=bool(Y[example] == 0))
        machine.reprocess(TOLERANCE, 1)
    return machine


def test_what_no_machine_can_have_left_is_refused() -> None:
    machine = learnt("rbf", 20)
    entries = machine.entries
    outside = entries.slot.copy()
    outside[0] = machine.pool.width
    for wrong in (replace(entries, slot=outside), replace(entries, beta=entries.beta[:-1])):
        with pytest.raises(ValueError, match=r"arrays of a machine differ in length or refer to missing slots"):
            OnlineMachine(machine.pool, 1.0, entries=wrong)


def by_hand(machine: OnlineMachine, kernel: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Kernel matrix, signs, beta and z of what is kept, z by its definition."""
    examples = machine.pool.slots.example[machine.slot]
    signs, beta = np.where(Y[examples] == 0, 1.0, -1.0), machine.beta.copy()
    matrix = K[kernel][np.ix_(examples, examples)]
    return matrix, signs, beta, signs - matrix @ beta


@QUICK
@given(
    kernel=st.sampled_from(list(KERNEL_PARAMETERS)),
    rows=st.integers(1, 160),
    seed=st.integers(0, 10**6),
    second_order=st.booleans(),
    cache_mb=st.sampled_from([TINY, 500.0]),
)
def test_what_is_kept_is_feasible_and_its_gradients_are_true(
    kernel: str, rows: int, seed: int, second_order: bool, cache_mb: float
) -> None:
    machine = learnt(kernel, rows, seed, second_order=second_order, cache_mb=cache_mb)
    _, signs, beta, z = by_hand(machine, kernel)
    np.testing.assert_allclose(machine.z, z, atol=1e-9)
    assert beta.sum() == pytest.approx(0.0, abs=1e-9)
    assert ((signs * beta >= 0.0) & (signs * beta <= COST)).all()
    examples = machine.pool.slots.example[machine.slot]
    assert np.unique(examples).size == examples.size
    held = machine.pool.slots.example >= 0
    np.testing.assert_array_equal(np.sort(np.flatnonzero(held)), np.sort(machine.slot))


@pytest.mark.parametrize("second_order", [True, False])
@pytest.mark.parametrize("kernel", KERNEL_PARAMETERS)
def test_finishing_finds_the_optimum_of_what_was_kept(kernel: str, second_order: bool) -> None:
    machine = learnt(kernel, 60, second_order=second_order)
    matrix, signs, before, _ = by_hand(machine, kernel)
    best = optimum_of_programme(
        np.outer(signs, signs) * matrix, np.ones(signs.size), np.full(signs.size, COST), equalities=signs[None]
    )
    assert machine.reprocess(1e-6, 1_000_000)[0] == jit.REACHED
    matrix, signs, beta, z = by_hand(machine, kernel)
    dual = binary_dual(matrix, signs, signs * beta, 1.0)
    assert dual == pytest.approx(best, rel=1e-5)
    free = np.abs(beta) * (COST - np.abs(beta)) > 0.0
    assert free.any()
    np.testing.assert_allclose(z[free], machine.bias(), atol=1e-5)
    assert before.size >= beta.size


@pytest.mark.parametrize("second_order", [True, False])
def test_every_step_raises_the_dual(second_order: bool) -> None:
    machine = learnt("rbf", 100, second_order=second_order)
    before = -np.inf
    for _ in range(50):
        matrix, signs, beta, _ = by_hand(machine, "rbf")
        dual = binary_dual(matrix, signs, signs * beta, 1.0)
        assert dual > before
        before = dual
        if machine.reprocess(TOLERANCE, 1)[0] == jit.REACHED:
            break


def numbers(low: float, high: float, count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(low, high, count)


@QUICK
@given(count=st.integers(1, 40), seed=st.integers(0, 10**6), rises=st.booleans(), second_order=st.booleans())
def test_the_partner_is_the_one_that_gains_most(count: int, seed: int, rises: bool, second_order: bool) -> None:
    kept = some_kept(count, seed)
    row, diagonal = numbers(-1.0, 1.0, count, seed + 1), numbers(1.0, 2.0, count, seed + 2)
    z, q = 0.3, 1.5
    gains = np.full(count, -np.inf)
    for b in range(count):
        movable = kept.beta[b] > kept.low[b] if rises else kept.beta[b] < kept.high[b]
        difference = (z - kept.z[b]) * (1.0 if rises else -1.0)
        if movable and difference > 0.0:
            p = kept.slot[b]
            gains[b] = difference**2 / (q + diagonal[p] - 2.0 * row[p] if second_order else 1.0)
    expected = int(np.argmax(gains)) if np.isfinite(gains).any() else -1
    assert jit.partner_of(kept, row, diagonal, z, q, rises, second_order) == expected


def some_kept(count: int, seed: int) -> jit.Kept:
    rng = np.random.default_rng(seed)
    positive = rng.random(count) < 0.5
    low, high = np.where(positive, 0.0, -1.0), np.where(positive, 1.0, 0.0)
    beta = np.where(rng.random(count) < 0.4, 0.0, rng.uniform(low, high))
    room = np.zeros(count, dtype=np.int64), np.zeros(1, dtype=np.int64)
    return jit.Kept(rng.permutation(count), rng.normal(size=count), beta, low, high, np.array([count]), *room)


@QUICK
@given(count=st.integers(1, 12), seed=st.integers(0, 10**6))
def test_only_what_violates_with_nothing_is_let_go(count: int, seed: int) -> None:
    kept, before = some_kept(count, seed), some_kept(count, seed)
    told = jit.drop_idle(kept)
    rising, falling = before.beta < before.high, before.beta > before.low
    for b in range(count):
        others = before.z[falling] < before.z[b] if rising[b] else before.z[rising] > before.z[b]
        partners = falling if rising[b] else rising
        gone = before.slot[b] in kept.dropped[: kept.drops[0]]
        assert gone == (before.beta[b] == 0.0 and partners.any() and not others.any())
    left = kept.slot[: kept.length[0]]
    np.testing.assert_array_equal(np.sort(np.r_[left, kept.dropped[: kept.drops[0]]]), np.arange(count))
    _, high, _, low = jit.extremes(before)
    assert told[1::2] == (high, low)
    assert told == jit.extremes(kept) or high <= low


# -- choices --------------------------------------------------------------------------------------


def test_gradient_takes_the_most_wrong_and_active_the_least_certain() -> None:
    functions, signs = np.array([2.0, -0.1, 1.0, -3.0]), np.array([1.0, 1.0, -1.0, -1.0])
    gradient, active = CHOICES["gradient"], CHOICES["active"]
    assert gradient is not None
    assert active is not None
    assert np.argmax(gradient(functions, signs)) == 2
    assert np.argmax(active(functions, signs)) == 1


@QUICK
@given(size=st.integers(1, 200), position=st.integers(0, 199), seed=st.integers(0, 99))
def test_candidates_are_still_to_come(size: int, position: int, seed: int) -> None:
    position = min(position, size - 1)
    places = draw(np.arange(size), position, [seed])
    assert np.unique(places).size == places.size == min(LASVM.candidates, size - position)
    assert ((places >= position) & (places < size)).all()
    np.testing.assert_array_equal(places, draw(np.arange(size), position, [seed]))


# -- streams --------------------------------------------------------------------------------------


def streamed(x: np.ndarray, y: np.ndarray, split: str, portion: int, **settings: object) -> Stream:
    classes = int(y.max()) + 1
    stream = Stream(
        kernel_named("rbf"), split, OnlineSettings(np.full(classes, COST), 1.0, TOLERANCE, **settings), 500.0
    )  # type: ignore[arg-type]
    for start in range(0, y.size, portion):
        stream.learn(Points(x[start : start + portion]), y[start : start + portion])
    return stream


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("portion", [1, 17, 200])
@pytest.mark.parametrize("split", ["one-vs-rest", "pairs"])
def test_a_stream_tells_which_rows_it_uses(split: str, portion: int, choice: str) -> None:
    x, y = blobs(n=200, classes=3, seed=2)
    found = streamed(x, y, split, portion, choice=choice).expansion()
    assert (np.diff(found.numbers) > 0).all()
    np.testing.assert_array_equal(found.points.rows, x[found.numbers])
    np.testing.assert_array_equal(found.labels, y[found.numbers])
    np.testing.assert_allclose(found.weights.sum(axis=0), 0.0, atol=1e-9)
    assert np.abs(found.weights).max() <= COST
    sides = [(0, 1), (0, 2), (1, 2)] if split == "pairs" else [(0, None), (1, None), (2, None)]
    for column, (first, second) in enumerate(sides):
        weights = found.weights[:, column]
        assert (weights[found.labels == first] >= 0.0).all()
        assert (weights[found.labels != first] <= 0.0).all()
        if second is not None:
            assert not weights[~np.isin(found.labels, [first, second])].any()


def test_memory_follows_what_is_kept_not_what_was_seen() -> None:
    x, y = blobs(n=1500, classes=2, seed=3)
    x[:, 0] += 8.0 * y
    stream = streamed(x, y, "pairs", 100)
    assert len(stream.pool.points) == stream.labels.size < 100
    assert stream.seen == 1500
    assert stream.pool.store.size < 200**2


def test_machines_on_one_pool_share_their_kernel_rows() -> None:
    x, y = blobs(n=200, classes=4, seed=2)
    together = streamed(x, y, "one-vs-rest", 200).evaluations
    alone = sum(streamed(x, (y != c).astype(int), "pairs", 200).evaluations for c in range(4))
    assert together < 0.6 * alone


def test_a_class_not_yet_seen_is_not_decided_for() -> None:
    x, y = blobs(n=40, classes=2, seed=2)
    stream = Stream(kernel_named("rbf"), "one-vs-rest", OnlineSettings(np.full(3, COST), 1.0, TOLERANCE), 500.0)
    assert stream.expansion().bias.tolist() == [0.0, 0.0, 0.0]
    stream.learn(Points(x), y)
    assert stream.expansion().bias[2] == -1.0
    assert not stream.expansion().weights[:, 2].any()


# -- second order and first -----------------------------------------------------------------------


def board(n: int, seed: int, noise: float = 0.1) -> tuple[np.ndarray, np.ndarray]:
    """A checkerboard of 4 x 4 fields, some labels wrong."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(0.0, 4.0, size=(n, 2))
    return x, (x.astype(int).sum(axis=1) + (rng.random(n) < noise)) % 2


@pytest.mark.parametrize("seed", range(3))
def test_second_order_keeps_fewer_on_a_noisy_checkerboard(seed: int) -> None:
    x, y = board(600, seed)
    few, many = (streamed(x, y, "pairs", 600, second_order=order).expansion().labels.size for order in (True, False))
    assert few < many


def test_first_order_takes_more_steps_to_the_same_end() -> None:
    second, first = (
        finished(problem_of(X, Y, "ovo", cost=20.0), name, 1e-4) for name in ("lasvm", "lasvm-first-order")
    )
    assert second.iterations < first.iterations
    assert second.certificate().dual == pytest.approx(first.certificate().dual, rel=1e-5)


@pytest.mark.parametrize("method", [name for name in METHODS if name.startswith("lasvm")])
def test_a_solver_keeps_few_of_many_examples(method: str) -> None:
    x, y = blobs(n=1000, classes=2, seed=3)
    x[:, 0] += 8.0 * y
    run = Run(problem_of(x, y, "ovo"), method)
    while run.running:
        run.advance()
    assert run.current.state.slots.example.size < len(x) / 2
    assert run.certificate().violation <= 1e-3


@pytest.mark.parametrize(("machine", "classes", "least"), [("ova", 2, 160), ("ovo", 2, 160), ("ova", 3, 480)])
def test_examples_are_counted_as_they_are_taken(machine: str, classes: int, least: int) -> None:
    """Every part takes each of its examples once and then those that violate; a checkpoint goes on counting.

    Of two classes, "ova" trains one part, and the other is its mirror image.
    """
    problem = problem_of(*blobs(n=160, classes=classes, seed=6), machine, cost=5.0)
    run, counts = Run(problem, "lasvm"), [0]
    while run.running:
        run.advance(8 if len(counts) == 1 else 50)
        assert run.examples_seen is not None
        assert run.examples_seen >= counts[-1]
        counts.append(run.examples_seen)
        run = Run.load(problem, io.BytesIO(run.pack()))
    assert counts[1] <= 8
    assert counts[-1] >= least
    assert Run(problem, "smo").examples_seen is None
