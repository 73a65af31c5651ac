"""What a round of blocks chooses: distinct examples, the worst of either kind among them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mcsvm.solvers.jit.choice import choose_both_signs, choose_worst, largest_but


@given(values=st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.5, 7.0]), min_size=1, max_size=60), data=st.data())
def test_the_largest_but_k_is_that_of_the_sorted_values(values: list[float], data) -> None:
    k = data.draw(st.integers(0, len(values) - 1))
    work = np.array(values)
    assert largest_but(work, k) == sorted(values, reverse=True)[k]
    assert sorted(work[: k + 1]) == sorted(sorted(values, reverse=True)[: k + 1])


@given(data=st.data(), seed=st.integers(0, 10**6), count=st.sampled_from([8, 32, 128]))
def test_a_block_has_the_worst_once_and_half_of_the_last_block(data, seed: int, count: int) -> None:
    """Where hardly any example violates, those chosen already were chosen again, and a balance was lost."""
    rng = np.random.default_rng(seed)
    n = data.draw(st.integers(1, 200))
    signed = rng.normal(size=n) * (rng.random(n) < data.draw(st.sampled_from([0.0, 0.05, 0.5, 1.0])))
    recent = rng.choice(n, size=min(n, data.draw(st.integers(0, count))), replace=False)
    balanced = chosen_by(choose_both_signs, signed, recent, count)
    worst = [i for i in (int(signed.argmax()), int(signed.argmin())) if signed[i] != 0.0]
    assert set(worst) <= set(balanced.tolist())
    plain = chosen_by(choose_worst, np.abs(signed), recent, count)
    fresh = count - min(recent.size, count // 2)
    order = np.argsort(-np.abs(signed), kind="stable")[:fresh]
    assert set(order[signed[order] != 0.0].tolist()) <= set(plain.tolist())
    for block in (balanced, plain):
        wanted = min(n, count) if n <= count else min(count, np.union1d(np.flatnonzero(signed), recent).size)
        assert np.unique(block).size == block.size == wanted


def chosen_by(choose, values: np.ndarray, recent: np.ndarray, count: int) -> np.ndarray:
    chosen = np.empty(count, np.int64)
    return chosen[: choose(values, recent, np.empty(values.size, np.bool_), chosen, np.empty(values.size))]
