"""Functions known roughly: who must be computed exactly, so that violation and loss are as if all were exact."""

from __future__ import annotations

import numpy as np
import pytest
from small_data import blobs, problem_of

from mcsvm.solvers.dual.quantities import examine, gradients
from mcsvm.solvers.problem import Part

KINDS = {"ww": "none", "llw": "none", "cs": "none", "atm": "none", "adm": "none", "ova": "exact", "ovo": "exact"}


def rough(part: Part, functions: np.ndarray, error: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Functions whose gradients are off by up to `error`, and by just that in every second example."""
    change = random.normal(size=functions.shape)
    moved = np.abs(gradients(part, functions + change) - gradients(part, functions))
    share = random.choice([0.3, 1.0], size=len(part)) / np.where(part.form.real[part.labels], moved, 0.0).max(axis=1)
    return np.asfortranarray(functions + change * (error * share)[:, None])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("machine", KINDS)
def test_with_the_unclear_exact_all_is_as_if_everything_were(machine: str, seed: int) -> None:
    part = problem_of(*blobs(n=60, seed=seed), machine, cost=0.7, bias=KINDS[machine]).part(0)
    random, n = np.random.default_rng(seed), len(part)
    real, used = part.form.real[part.labels], random.random(n) < 0.4
    alpha = np.where(real & used[:, None], random.choice([0.3, 1.0], size=(n, 1)) * part.upper[:, None], 0.0)
    alpha = np.asfortranarray(part.geometry.within(alpha, part.upper))
    exact = np.asfortranarray(random.normal(scale=2.0, size=(n, part.form.outputs)))
    error = np.where(used | (random.random(n) < 0.2), 0.0, random.choice([0.01, 0.5], size=n))
    known = rough(part, exact, error, random)
    sharpened = np.zeros(n, dtype=bool)
    while (unclear := part.geometry.unclear(part, alpha, known, error)).size:
        assert (error[unclear] > 0.0).all(), "who is exact is clear"
        sharpened[unclear], error[unclear], known[unclear] = True, 0.0, exact[unclear]
    wanted, found = examine(part, alpha, exact), examine(part, alpha, known)
    assert found.violation == pytest.approx(wanted.violation, abs=1e-12)
    assert found.loss == pytest.approx(wanted.loss, abs=1e-9)
    assert sharpened.any()
    assert (error > 0.0).any(), "nor is everything unclear"
