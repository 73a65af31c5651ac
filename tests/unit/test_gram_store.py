"""The store of kernel rows: right values, the oldest out first, never those of the request, the same bits again."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from small_data import blobs, dense_kernel, kernel_named

from mcsvm.solvers import gram as module
from mcsvm.solvers import products
from mcsvm.solvers.gram import Gram
from mcsvm.solvers.kernels import KERNELS, Points
from mcsvm.solvers.kernels.precomputed import MatrixRows

X, _ = blobs(n=40, features=3, seed=1)
FULL = dense_kernel("rbf", X, X)


def store_of(capacity: int, points: Points | None = None) -> Gram:
    """A store of exactly so many rows."""
    return Gram(kernel_named("rbf"), points or Points(X), cache_mb=1e-9, least=capacity)


def asked(gram: Gram, *requests: list[int]) -> Gram:
    for request in requests:
        gram.fetch(np.array(request))
    return gram


def held(gram: Gram) -> list[int]:
    return sorted(np.flatnonzero(gram.slot_of >= 0).tolist())


@pytest.mark.parametrize("capacity", [7, 16, 40])
def test_rows_are_kernel_rows_however_small_the_store(capacity: int) -> None:
    gram, rng = store_of(capacity), np.random.default_rng(0)
    for _ in range(60):
        examples = rng.permutation(len(X))[: rng.integers(1, capacity + 1)]
        slots = gram.fetch(examples)
        np.testing.assert_allclose(gram.store[slots], FULL[examples], atol=1e-5)
        assert len(held(gram)) <= capacity


def test_the_least_recently_used_row_goes_first() -> None:
    gram = asked(store_of(4), [0], [1], [2], [3], [0], [4, 5])
    assert held(gram) == [0, 3, 4, 5]


def test_of_rows_equally_old_those_in_the_first_slots_go() -> None:
    assert held(asked(store_of(4), [7, 3, 9, 1], [5])) == [1, 3, 5, 9]


def test_a_request_never_loses_its_own_rows() -> None:
    gram = asked(store_of(4), [0], [1], [2], [3])
    slots = gram.fetch(np.array([0, 9, 8, 7]))
    np.testing.assert_allclose(gram.store[slots], FULL[[0, 9, 8, 7]], atol=1e-5)


def test_more_rows_than_the_store_holds_are_refused() -> None:
    with pytest.raises(AssertionError, match="5 rows asked of a store of 4"):
        asked(store_of(4), [0, 1, 2, 3, 4])


def test_only_missing_rows_count_as_evaluations() -> None:
    assert asked(store_of(4), [0, 1], [1, 2], [0]).evaluations == 3 * len(X)


@pytest.mark.parametrize(
    ("n", "cache_mb", "capacity"),
    [(40, 500.0, 40), (40, 0.001, 32), (1000, 1.0, 262), (1000, 0.01, 32), (20, 0.001, 20)],
)
def test_the_capacity_follows_cache_mb_down_to_a_few_rows(n: int, cache_mb: float, capacity: int) -> None:
    assert Gram(kernel_named("rbf"), Points(np.zeros((n, 1))), cache_mb).capacity == capacity


def test_no_memory_is_taken_before_it_is_needed() -> None:
    gram = Gram(kernel_named("rbf"), Points(X), 500.0)
    assert gram.store.size == 0
    asked(gram, [1]).release()
    assert (gram.store.size, held(gram)) == (0, [])


def test_a_large_block_is_computed_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WORK_BYTES", 4 * 8 * 8 * 15)
    widths = []

    class Watching(type(kernel_named("rbf"))):  # type: ignore[misc]
        def block(self, left: Points, right: Points, out: np.ndarray) -> np.ndarray:
            widths.append(len(right))
            return super().block(left, right, out)

    gram = Gram(Watching(0.7), Points(X), 500.0)
    slots = gram.fetch(np.arange(8))
    assert widths == [15, 15, 10]
    np.testing.assert_allclose(gram.store[slots], FULL[:8], atol=1e-5)


POINTS = {
    "dense": lambda: Points(X),
    "sparse": lambda: Points(sp.csr_array(np.where(X > 0.5, X, 0.0))),
    "wide": lambda: Points(np.random.default_rng(2).normal(size=(40, 67))),
}


@pytest.mark.parametrize("kind", POINTS)
@pytest.mark.parametrize("pieces", [1 << 25, 8 * 40 * 3])
def test_a_restored_store_has_the_same_bits_and_the_same_future(
    kind: str, pieces: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "WORK_BYTES", pieces)
    rng = np.random.default_rng(5)
    gram, again = store_of(11, POINTS[kind]()), store_of(11, POINTS[kind]())
    for turn in range(80):
        examples = rng.permutation(len(X))[: rng.integers(1, 12)]
        if turn % 9 == 5:
            again.restore(gram.pack())
        for store in (gram, again) if turn >= 5 else (gram,):
            store.fetch(examples)
        if turn >= 5:
            assert_same(gram, again)


@pytest.mark.parametrize("kind", POINTS)
def test_rows_computed_all_at_once_are_right_and_restored(kind: str) -> None:
    """Half of the values are computed, in double precision, which products use too."""
    points = POINTS[kind]()
    rows = points.rows.toarray() if points.sparse else points.rows
    full, weights = dense_kernel("rbf", rows, rows), np.random.default_rng(1).normal(size=(40, 3))
    gram, again = (Gram(kernel_named("rbf"), POINTS[kind](), 500.0) for _ in range(2))
    gram.fetch_all()
    np.testing.assert_allclose(gram.store[gram.slot_of], full, atol=1e-4)
    np.testing.assert_allclose(gram.products(weights), full @ weights, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(gram.exact_column(7), full[7:8], rtol=1e-12)
    assert (gram.small, gram.evaluations, gram.ready_for_all) == (True, 40 * 41 // 2, False)
    gram.reserve("newton", int(gram.cache_bytes) - 4 * 40 * 35)  # evicts five rows
    again.restore(gram.pack())
    assert_same(gram, again)
    assert len(held(again)) == 35


@pytest.mark.parametrize("left", [33, 40])
@pytest.mark.parametrize("kind", POINTS)
def test_the_whole_matrix_of_some_examples_is_right_and_restored(
    kind: str, left: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In tiles of 16, in single precision; also where a Newton step has taken the memory of some of its rows."""
    monkeypatch.setattr(products, "TILE", 16)
    points, examples = POINTS[kind](), np.random.default_rng(3).permutation(len(X))
    rows = (points.rows.toarray() if points.sparse else points.rows)[examples]
    grams = [Gram(kernel_named("rbf"), POINTS[kind](), 4 * 40 * 40 / 2**20) for _ in range(2)]
    inner = grams[0].narrow(examples)
    inner.fetch_all()
    np.testing.assert_allclose(inner.store[inner.slot_of], dense_kernel("rbf", rows, rows), atol=1e-4)
    grams[0].reserve("newton", 4 * 40 * (40 - left))
    grams[1].restore(grams[0].pack())
    assert_same(inner, grams[1].narrow(examples))
    assert len(held(inner)) == left
    assert inner.evaluations == 40 * 41 // 2


def test_the_memory_of_a_matrix_serves_the_next() -> None:
    gram = Gram(kernel_named("rbf"), Points(X), 4 * 40 * 40 / 2**20)
    before = None
    for count in (12, 30, 21):
        inner = gram.narrow(np.arange(count))
        inner.fetch_all()
        np.testing.assert_allclose(inner.store, FULL[:count, :count], atol=1e-5)
        assert before is None or np.shares_memory(before, inner.store)
        before = inner.store


def test_rows_and_matrices_take_turns_in_one_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """The system clears new memory, which took half of the time of a training with a large cache."""
    sizes: list[int] = []
    make = module.Pages
    monkeypatch.setattr(module, "Pages", lambda size: [sizes.append(size), make(size)][1])
    gram = Gram(kernel_named("rbf"), Points(X), cache_mb=4 * 20 * len(X) / 2**20, least=4)
    for some in (np.arange(5, 25), np.arange(0, 28)):
        slots = gram.fetch(np.arange(10))
        np.testing.assert_allclose(gram.store[slots], FULL[:10], atol=1e-5)
        inner = gram.narrow(some)
        inner.fetch_all()
        np.testing.assert_allclose(inner.store, FULL[np.ix_(some, some)], atol=1e-5)
        gram.widen()
    assert sizes == [4 * 20 * len(X)]


def test_a_store_that_never_held_all_rows_is_not_restored_from_them() -> None:
    gram = Gram(kernel_named("rbf"), Points(X), 500.0)
    gram.fetch_all()
    packed = gram.pack()
    other = Gram(kernel_named("rbf"), Points(np.vstack([X, X])), 4 * 80 * 40 / 2**20)
    assert other.capacity == 40
    with pytest.raises(ValueError, match=r"never|another|that"):
        other.restore(packed)


def assert_same(one: Gram, other: Gram) -> None:
    np.testing.assert_array_equal(one.slot_of, other.slot_of)
    filled = np.sort(one.slot_of[one.slot_of >= 0])
    assert one.store[filled].tobytes() == other.store[filled].tobytes()
    assert one.evaluations == other.evaluations
    for name, array in one.pack().items():
        np.testing.assert_array_equal(array, other.pack()[name])


def test_a_precomputed_kernel_is_restored_too() -> None:
    points = MatrixRows(FULL, np.arange(len(X)))
    gram = asked(Gram(KERNELS["precomputed"](), points, 1e-9, least=5), [0, 3], [5, 7, 9], [1, 3])
    again = Gram(KERNELS["precomputed"](), points, 1e-9, least=5)
    again.restore(gram.pack())
    assert_same(gram, again)


def test_an_empty_store_is_restored_empty() -> None:
    gram = asked(store_of(4), [0, 1])
    gram.restore(store_of(4).pack())
    assert (held(gram), gram.evaluations) == ([], 0)


BROKEN = {
    "another size": ("example_in", lambda a: a[:-1]),
    "another type": ("last_use", lambda a: a.astype(float)),
    "an example that is not there": ("example_in", lambda a: np.where(a == 2, 99, a)),
    "an example twice": ("example_in", lambda a: np.where(a == 2, 1, a)),
    "a block that is not there": ("block_of", lambda a: a + 1),
    "a row outside its block": ("block_members", lambda a: np.where(a == 2, 30, a)),
    "counts that do not add up": ("block_sizes", lambda a: a + 1),
    "too many filled": ("counters", lambda a: a + 100),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_no_store_can_have_packed_is_refused(case: str) -> None:
    name, breaking = BROKEN[case]
    packed = asked(store_of(6), [1, 2, 3], [2, 4]).pack()
    packed[name] = breaking(packed[name])
    gram = store_of(6)
    with pytest.raises(ValueError, match=r"that|another|outside"):
        gram.restore(packed)
    assert held(gram) == []
