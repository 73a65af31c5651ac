"""pose: one canonical form, and independent parts."""

import numpy as np
import pytest
import scipy.sparse as sp
from small_data import blobs, kernel_named, problem_of

from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.posing import pose

X, Y = blobs(n=20, classes=4, seed=1)


@pytest.mark.parametrize(
    "features", [X, X.tolist(), np.asfortranarray(X), X.astype(np.float32), sp.csc_array(X), sp.coo_matrix(X)]
)
def test_arrays_become_canonical(features: object) -> None:
    problem = pose(features, Y.astype(np.int8), machine="ww", kernel=kernel_named("rbf"), cost=np.float32(2))
    rows = problem.points.rows
    assert rows.dtype == (np.float32 if getattr(features, "dtype", None) == np.float32 else np.float64)
    assert problem.labels.dtype == np.int64
    assert problem.upper.dtype == np.float64
    assert rows.has_canonical_format if sp.issparse(rows) else rows.flags.c_contiguous


def test_the_number_of_parts() -> None:
    parts = {name: problem_of(X, Y, name).part_count for name in MACHINES}
    assert parts.pop("ova") == 4
    assert parts.pop("ovo") == parts.pop("dag") == 6
    assert set(parts.values()) == {1}


def test_a_pair_has_the_examples_of_its_classes() -> None:
    problem = problem_of(X, Y, "ovo", class_weight=[1.0, 2.0, 3.0, 4.0], cost=0.5)
    for number, (first, second) in enumerate([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]):
        rows, part = problem.rows_of(number), problem.part(number)
        np.testing.assert_array_equal(rows, np.flatnonzero(np.isin(Y, [first, second])))
        np.testing.assert_array_equal(part.labels, (Y[rows] == second).astype(int))
        np.testing.assert_array_equal(part.upper, 0.5 * (Y[rows] + 1.0))
        np.testing.assert_array_equal(part.gram.points.rows, X[rows])


def test_one_against_all_shares_one_gram() -> None:
    problem = problem_of(X, Y, "ova")
    gram = problem.whole_gram()
    assert problem.part(0, gram).gram is problem.part(3, gram).gram is gram
    assert problem.part(0).gram is not gram, "runs share no rows by accident"
    np.testing.assert_array_equal(problem.part(2).labels, (Y != 2).astype(int))


@pytest.mark.parametrize("machine", MACHINES)
def test_what_zero_costs(machine: str) -> None:
    """w = 0 leaves every hinge at its margin."""
    problem = problem_of(X, Y, machine, cost=2.0)
    hinges = {"ww": 3 * 20, "cs": 20, "llw": 20, "ova": 4 * 20, "ovo": 3 * 20, "dag": 3 * 20}
    expected = hinges | {"adm": 20, "atm": 20, "ats": 4 * 20, "mmr": 20}
    total = sum(problem.primal_at_zero(number) for number in range(problem.part_count))
    assert total == pytest.approx(2.0 * expected[machine])  # llw: three hinges of a third


def test_the_digest_tells_problems_apart() -> None:
    digest = problem_of(X, Y).digest
    assert digest == problem_of(X.copy(), Y.copy()).digest
    others = [
        problem_of(X, Y, "cs"),
        problem_of(X, Y, cost=2.0),
        problem_of(X, Y, kernel="linear"),
        problem_of(X, Y, margin=2.0),
        problem_of(X, Y, bias="exact"),
        problem_of(X + 1e-9, Y),
        problem_of(X, np.roll(Y, 1)),
    ]
    assert len({digest, *(other.digest for other in others)}) == len(others) + 1
