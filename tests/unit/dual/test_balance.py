"""Repair: alpha whose weights sum to zero, still feasible, and near."""

import numpy as np
import pytest
from oracles import JOINT, SUMS, random_alpha
from small_data import blobs, problem_of

from mcsvm.solvers.dual.balance import repair
from mcsvm.solvers.dual.quantities import weights_of

X, Y = blobs(n=30, classes=3, seed=21)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("machine", [name for name in JOINT if name != "mmr"])
def test_a_repaired_sum_is_zero(machine: str, seed: int) -> None:
    part = problem_of(X, Y, machine, cost=2.0, bias="exact").part(0)
    balanced = repair(part, 0.7 * random_alpha(machine, Y, part.upper, 3, np.random.default_rng(seed)))
    total = weights_of(part, balanced).sum(axis=0)
    np.testing.assert_allclose(total, 0.0, atol=1e-9)
    reach = balanced.sum(axis=1) if machine in SUMS else balanced.max(axis=1)
    assert (balanced >= 0.0).all()
    assert (reach <= part.upper + 1e-12).all()


def test_what_is_balanced_stays() -> None:
    part = problem_of(X, Y, "ww", bias="exact").part(0)
    alpha = np.zeros((30, 3))
    np.testing.assert_array_equal(repair(part, alpha), alpha)


@pytest.mark.parametrize("machine", ["ww", "llw", "cs", "atm"])
def test_what_stands_at_its_bounds_moves_inside_until_it_is_balanced(machine: str) -> None:
    """Two classes of a third of the examples of the other one, all at their bounds: none is free to balance them."""
    y = np.array([0] * 18 + [1] * 6 + [2] * 6)
    part = problem_of(X, y, machine, cost=2.0, bias="exact").part(0)
    real = part.form.real[part.labels]
    if machine in SUMS:  # one variable holds all of its sum
        real &= real.cumsum(axis=1) == 1
    alpha = np.where(real, part.upper[:, None], 0.0)
    balanced = repair(part, alpha)
    np.testing.assert_allclose(weights_of(part, balanced).sum(axis=0), 0.0, atol=1e-9)
    reach = balanced.sum(axis=1) if machine in SUMS else balanced.max(axis=1)
    assert (balanced >= 0.0).all()
    assert (reach <= part.upper + 1e-12).all()
    assert balanced.sum() > 0.1 * alpha.sum()
