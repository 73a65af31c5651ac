"""What a round of blocks chooses: distinct examples, the worst of either kind among them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from solvers.methods.auto.blocks import choose_both_signs, choose_worst


@given(data=st.data(), seed=st.integers(0, 10**6), count=st.sampled_from([8, 32, 128]))
def test_a_block_has_every_example_once(data, seed: int, count: int) -> None:
    """Where hardly any example violates, those chosen already were chosen again, and a balance was lost."""
    rng = np.random.default_rng(seed)
    n = data.draw(st.integers(1, 200))
    signed = rng.normal(size=n) * (rng.random(n) < data.draw(st.sampled_from([0.0, 0.05, 0.5, 1.0])))
    recent = rng.choice(n, size=min(n, data.draw(st.integers(0, count))), replace=False)
    balanced = choose_both_signs(signed, recent, count)
    assert np.unique(balanced).size == balanced.size == min(n, count)
    worst = {int(signed.argmax()), int(signed.argmin())}
    assert worst <= set(balanced.tolist()) or np.ptp(signed) == 0.0
    plain = choose_worst(np.abs(signed), recent, count)
    assert np.unique(plain).size == plain.size == min(n, count)
