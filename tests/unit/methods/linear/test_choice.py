"""When a linear kernel is solved through W: a pure function of the part, with a reason that says its numbers."""

import numpy as np
import pytest
import scipy.sparse as sp
from small_data import blobs, problem_of

from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.methods.auto.conductor import Why
from mcsvm.solvers.methods.linear.choice import NEWTON, ROWS, VISITS, choose


@pytest.mark.parametrize(
    ("examples", "features", "expected", "says"),
    [
        (90, 4, "linear-newton", NEWTON),
        (30, 50, None, ROWS),  # the kernel matrix is smaller
        (600, 550, None, ROWS),  # for three class functions
    ],
)
def test_few_features_are_left_to_newton(examples: int, features: int, expected: str | None, says: str) -> None:
    x, y = blobs(n=examples, features=features)
    name, reason, numbers = choose(problem_of(x, y, "ww", "linear").part(0))
    assert name == expected
    assert reason == says
    assert all(isinstance(value, float) for value in numbers.values())
    assert numbers


def test_another_kernel_is_left_to_blocks() -> None:
    auto = METHODS["auto"]
    solver, opening = auto.delegate(problem_of(*blobs(n=90, features=4), "ww", "rbf").part(0))
    assert solver is auto
    assert opening is not None
    assert (opening.reason, opening.numbers) == (Why.BLOCKS_FIRST, {})


@pytest.mark.parametrize(("density", "expected"), [(0.02, "linear"), (0.25, "linear"), (0.6, None)])
def test_sparse_rows_are_left_to_coordinates_however_few(density: float, expected: str | None) -> None:
    """Texts: many words, of which each has few."""
    x = sp.random_array((300, 900), density=density, rng=np.random.default_rng(0), format="csr")
    assert choose(problem_of(x, np.arange(300) % 3, "ww", "linear").part(0))[0] == expected
    assert choose(problem_of(x.toarray(), np.arange(300) % 3, "ww", "linear").part(0))[0] is None


@pytest.mark.parametrize(
    "machine",
    ["ww", "ovo"],  # ovo has an exact bias, which coordinate steps move between their epochs
)
def test_long_thin_features_are_left_to_coordinates(machine: str) -> None:
    x = sp.random_array((20_000, 3000), density=1e-3, rng=np.random.default_rng(0), format="csr")
    name, reason, numbers = choose(problem_of(x, np.arange(20_000) % 2, machine, "linear").part(0))
    assert name == "linear"
    assert reason == VISITS
    assert numbers["stored"] == pytest.approx(3.0, rel=0.1)
