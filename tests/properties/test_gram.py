"""The store of kernel rows, whatever is asked of it in whatever order, against the dense matrix."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from small_data import KERNEL_PARAMETERS, dense_kernel, kernel_named

from mcsvm.solvers.gram import Gram
from mcsvm.solvers.kernels import KERNELS, Points

N = 23
ROWS = np.random.default_rng(0).normal(size=(N, 3))
DENSE = {name: dense_kernel(name, ROWS, ROWS) for name in KERNEL_PARAMETERS}
CAPACITY = 9
ASKED = st.lists(st.lists(st.integers(0, N - 1), min_size=1, max_size=CAPACITY, unique=True), max_size=12)
QUICK = settings(max_examples=40, deadline=None)


def gram_of(kernel: str = "rbf", capacity: int = CAPACITY) -> Gram:
    return Gram(kernel_named(kernel), Points(ROWS.copy()), cache_mb=1e-9, least=capacity)


def assert_holds(gram: Gram, kernel: str = "rbf") -> None:
    held = np.flatnonzero(gram.slot_of >= 0)
    assert held.size <= gram.capacity
    assert np.unique(gram.slot_of[held]).size == held.size
    np.testing.assert_allclose(gram.store[gram.slot_of[held]], DENSE[kernel][held], rtol=1e-4, atol=1e-5)


@QUICK
@given(asked=ASKED, kernel=st.sampled_from(list(KERNEL_PARAMETERS)))
def test_rows_are_right_after_any_eviction(asked: list[list[int]], kernel: str) -> None:
    gram = gram_of(kernel)
    for examples in map(np.array, asked):
        slots = gram.fetch(examples)
        np.testing.assert_allclose(gram.store[slots], DENSE[kernel][examples], rtol=1e-4, atol=1e-5)
        assert_holds(gram, kernel)


@QUICK
@given(asked=ASKED, later=ASKED)
def test_restoring_gives_the_same_bits_and_the_same_future(asked: list[list[int]], later: list[list[int]]) -> None:
    gram, again = gram_of(), gram_of()
    for examples in asked:
        gram.fetch(np.array(examples))
    again.restore(gram.pack())
    for examples in [None, *later]:
        if examples is not None:
            np.testing.assert_array_equal(gram.fetch(np.array(examples)), again.fetch(np.array(examples)))
        held = np.flatnonzero(gram.slot_of >= 0)
        np.testing.assert_array_equal(gram.slot_of, again.slot_of)
        np.testing.assert_array_equal(gram.store[gram.slot_of[held]], again.store[again.slot_of[held]])
    assert gram.evaluations == again.evaluations


@QUICK
@given(seed=st.integers(0, 1000), kernel=st.sampled_from(list(KERNEL_PARAMETERS)), share=st.floats(0.0, 1.0))
def test_times_is_the_matrix_product(seed: int, kernel: str, share: float) -> None:
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=(N, 4)) * (rng.random((N, 1)) < share)
    np.testing.assert_allclose(gram_of(kernel).products(weights), DENSE[kernel] @ weights, rtol=1e-10, atol=1e-9)


def test_what_is_held_is_not_computed_again() -> None:
    gram = gram_of()
    gram.fetch(np.arange(5))
    assert gram.evaluations == 5 * N
    gram.fetch(np.array([3, 1]))
    assert gram.evaluations == 5 * N
    gram.fetch(np.array([3, 8]))
    assert gram.evaluations == 6 * N


def test_the_oldest_rows_go_first() -> None:
    gram = gram_of(capacity=4)
    gram.fetch(np.array([0, 1, 2, 3]))
    gram.fetch(np.array([0, 1]))
    gram.fetch(np.array([7, 8]))
    assert set(np.flatnonzero(gram.slot_of >= 0)) == {0, 1, 7, 8}


def test_capacity_follows_the_memory_given() -> None:
    points = Points(np.zeros((4000, 2)))
    gram = Gram(kernel_named("rbf"), points, cache_mb=10)
    assert gram.capacity == 10 * 2**20 // (4 * 4000)
    assert Gram(kernel_named("rbf"), points, cache_mb=10**6).capacity == 4000
    assert gram.store.nbytes == 0  # until the first row is asked for


def test_release_forgets_every_row() -> None:
    gram = gram_of()
    gram.fetch(np.arange(5))
    gram.release()
    assert gram.store.size == 0
    assert (gram.slot_of < 0).all()
    assert_holds(gram)


def test_the_diagonal_is_that_of_the_matrix() -> None:
    for kernel, dense in DENSE.items():
        np.testing.assert_allclose(gram_of(kernel).diagonal, np.diag(dense), rtol=1e-12)


@given(data=st.data())
def test_rows_make_way_for_other_holders_of_the_cache(data) -> None:
    """What is left is right, newest first, and a checkpoint stands as it was."""
    n = 40
    points = Points(np.random.default_rng(0).normal(size=(n, 3)))
    kernel = KERNELS["rbf"](gamma=0.5)
    exact = kernel.block(points, points, np.empty((n, n)))
    gram = Gram(kernel, points, 4 * n * n / 2**20, least=4)
    for _ in range(data.draw(st.integers(1, 12))):
        if data.draw(st.booleans()):
            holder = data.draw(st.sampled_from(["factor", "newton"]))
            gram.reserve(holder, data.draw(st.integers(0, 4 * n * n)))
            held = 4 * n * gram.capacity + sum(gram.reserved.values())
            assert held <= gram.cache_bytes or gram.capacity == 4
        else:
            most = min(gram.capacity, 10)
            examples = np.array(data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=most, unique=True)))
            slots = gram.fetch(examples)
            np.testing.assert_allclose(gram.store[slots], exact[examples], atol=1e-6)
        held = np.flatnonzero(gram.slot_of >= 0)
        assert held.size <= gram.capacity
        np.testing.assert_allclose(gram.store[gram.slot_of[held]], exact[held], atol=1e-6)
    again = Gram(kernel, points, 4 * n * n / 2**20, least=4)
    again.restore(gram.pack())
    assert again.capacity == gram.capacity
    np.testing.assert_array_equal(again.slot_of, gram.slot_of)
    held = np.flatnonzero(gram.slot_of >= 0)
    np.testing.assert_array_equal(again.store[again.slot_of[held]], gram.store[gram.slot_of[held]])
