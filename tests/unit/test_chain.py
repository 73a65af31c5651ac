"""Matrices that keep values of the one before: right, and of the same bits however they came about."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from small_data import blobs, dense_kernel, kernel_named
from ticks import stopped_at

from mcsvm.solvers import chain, products, work
from mcsvm.solvers.gram import Gram
from mcsvm.solvers.kernels import Points
from mcsvm.solvers.work import limited

X, _ = blobs(n=90, features=67, seed=1)
X = X / 8.0  # of 67 features: values between 0.2 and 1
POINTS = {"dense": lambda: Points(X), "sparse": lambda: Points(sp.csr_array(np.where(X > 0.1, X, 0.0)))}
ROOM = 60  # examples whose matrix has room
STAGES = [40, 55, 60, 48, 51]


def stages(seed: int = 0) -> list[np.ndarray]:
    """Lists of examples: three quarters stay, in their order, then come others."""
    random, lists = np.random.default_rng(seed), [np.arange(0)]
    for size in STAGES:
        before = lists[-1]
        stay = before[np.sort(random.permutation(before.size)[: 3 * min(before.size, size) // 4])]
        others = np.setdiff1d(np.arange(len(X)), before)
        lists.append(np.concatenate([stay, np.sort(random.permutation(others)[: size - stay.size])]))
    return lists[1:]


def store(kind: str = "dense") -> Gram:
    return Gram(kernel_named("rbf"), POINTS[kind](), 4 * ROOM**2 / 2**20)


def passed(gram: Gram, lists: list[np.ndarray]) -> Gram:
    """The last matrix."""
    inner = gram
    for examples in lists:
        inner = gram.narrow(examples)
        inner.fetch_all()
    return inner


def assert_same(one: Gram, other: Gram) -> None:
    np.testing.assert_array_equal(one.slot_of, other.slot_of)
    held = one.slot_of[one.slot_of >= 0]
    assert one.store[held].tobytes() == other.store[held].tobytes()
    assert one.evaluations == other.evaluations


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products, "TILE", 16)


@pytest.mark.parametrize("kind", POINTS)
@pytest.mark.parametrize("count", range(1, len(STAGES) + 1))
def test_every_matrix_is_right_and_restored_with_the_same_bits(kind: str, count: int) -> None:
    lists, gram, again = stages()[:count], store(kind), store(kind)
    inner = passed(gram, lists)
    rows = gram.points.rows.toarray() if gram.points.sparse else gram.points.rows
    exact = dense_kernel("rbf", rows[lists[-1]], rows[lists[-1]])
    np.testing.assert_allclose(inner.store, exact, atol=2e-6)
    again.restore(gram.pack())
    assert_same(inner, again.narrow(lists[-1]))


def test_values_that_stay_are_not_computed_again() -> None:
    lists, expected = stages(), 0
    for before, examples in zip([np.arange(0), *lists], lists, strict=False):
        stay = np.isin(examples, before).sum()
        expected += examples.size * (examples.size + 1) // 2 - stay * (stay + 1) // 2
    assert passed(store(), lists).evaluations == expected


def test_the_matrix_after_a_restored_one_has_the_same_bits() -> None:
    lists, gram, again = stages(), store(), store()
    passed(gram, lists[:2])
    again.restore(gram.pack())
    assert_same(passed(gram, lists[2:]), passed(again, lists[2:]))


@pytest.mark.parametrize("pieces", [1, 3, 7, 20, 40])
def test_an_interrupted_matrix_has_the_same_bits(pieces: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However far it was: what it moved in memory is computed again."""
    lists, gram, whole = stages(), store(), store()
    passed(gram, lists[:2])
    monkeypatch.setattr(work, "PIECE", 1.0)
    inner = gram.narrow(lists[2])
    stopped_at(pieces, inner.fetch_all)
    assert_same(passed(whole, lists[:3]), passed(gram, lists[2:3]))


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_change_no_bit(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "WORTH", 0.0)
    with limited(threads):
        several = passed(store(), stages())
    assert_same(passed(store(), stages()), several)


@pytest.mark.parametrize("left", [33, 47])
def test_rows_that_a_newton_step_left_are_restored(left: int) -> None:
    lists, gram, again = stages(), store(), store()
    inner = passed(gram, lists)
    gram.reserve("newton", int(gram.cache_bytes) - 4 * lists[-1].size * left)
    again.restore(gram.pack())
    assert np.count_nonzero(inner.slot_of >= 0) == left
    assert_same(inner, again.narrow(lists[-1]))


def test_after_rows_were_evicted_nothing_is_kept() -> None:
    lists, gram = stages(), store()
    passed(gram, lists[:2])
    gram.reserve("newton", 4 * (ROOM**2 - 50**2))
    before, inner = gram.evaluations, passed(gram, lists[3:4])
    count = lists[3].size
    assert inner.evaluations - before == count * (count + 1) // 2
    np.testing.assert_allclose(inner.store, dense_kernel("rbf", X[lists[3]], X[lists[3]]), atol=2e-6)


def test_a_chain_ends_where_less_than_half_stays_or_it_is_long() -> None:
    points, some = Points(X), np.arange(40)
    alone = chain.Chain(points, [some])
    assert len(alone.followed_by(np.arange(10, 60)).lists) == 2
    assert len(alone.followed_by(np.arange(20, 61)).lists) == 1
    assert len(alone.followed_by(some[::-1]).lists) == 1  # in another order
    for _ in range(2 * chain.MOST):
        alone = alone.followed_by(some)
        assert len(alone.lists) <= chain.MOST


BROKEN = {
    "lists that do not add up": ("inner.sizes", lambda a: a + 1),
    "an empty list": ("inner.sizes", lambda a: np.array([0, a.sum()])),
    "an example that is not there": ("inner.examples", lambda a: a + len(X)),
    "an example twice": ("inner.examples", lambda a: np.where(a == a[0], a[1], a)),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_no_chain_can_have_packed_is_refused(case: str) -> None:
    name, breaking = BROKEN[case]
    gram = store()
    passed(gram, stages()[:2])
    packed = gram.pack()
    packed[name] = breaking(packed[name])
    with pytest.raises(ValueError, match=r"not there|another|that"):
        store().restore(packed)


def test_a_checkpoint_from_before_there_were_chains_is_read() -> None:
    gram, again = store(), store()
    inner = passed(gram, stages()[:1])
    packed = gram.pack()
    del packed["inner.sizes"]
    again.restore(packed)
    assert_same(inner, again.narrow(stages()[0]))
