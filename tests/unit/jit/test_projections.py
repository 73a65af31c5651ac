"""Projections onto sums keep them to the last digits, wherever the point comes from."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mcsvm.solvers.jit.sums import project_box_sum, project_sums

SIZES = st.sampled_from([1.0, 1e3, 1e9, 1e12])


@settings(deadline=None)  # the first call compiles, or loads
@given(seed=st.integers(0, 10**6), size=SIZES)
def test_group_sums_reach_their_bound(seed: int, size: float) -> None:
    """A Newton step on a face without curvature ends 1e9 bounds away."""
    rng = np.random.default_rng(seed)
    group = np.concatenate([np.arange(4), rng.integers(0, 4, 12)])
    bound = rng.uniform(0.5, 2.0, 4)
    found = project_sums(size * rng.normal(size=16), group, bound[group])
    assert (found >= 0.0).all()
    np.testing.assert_allclose(np.bincount(group, weights=found), bound, rtol=1e-14)


@settings(deadline=None)  # the first call compiles, or loads
@given(seed=st.integers(0, 10**6), size=SIZES, share=st.floats(0.0, 1.0))
def test_the_sum_within_bounds_is_the_one_asked_for(seed: int, size: float, share: float) -> None:
    rng = np.random.default_rng(seed)
    low, high = -rng.uniform(0.0, 1.0, 12), rng.uniform(0.0, 1.0, 12)
    total = float((low + share * (high - low)).sum())
    found = project_box_sum(size * rng.normal(size=12), low, high, total)
    assert (found >= low).all()
    assert (found <= high).all()
    free = (found > low) & (found < high)
    assert abs(found.sum() - total) <= (1e-13 if free.any() else 1e-15 * size + 1e-9)
