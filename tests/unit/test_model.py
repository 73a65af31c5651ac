"""Models: what is kept of training, and how it decides."""

import pickle
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from oracles import vote_by_hand
from small_data import blobs, dense_kernel, finished, problem_of

from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.model import Model, class_scores, decide, dense_expansion, pair_column, votes

X, Y = blobs(n=30, classes=4, seed=13)
NEW = np.random.default_rng(3).normal(size=(9, 2))


def model_of(machine: str) -> Model:
    return finished(problem_of(X, Y, machine), tolerance=1e-4).model()


@pytest.mark.parametrize("machine", MACHINES)
def test_decisions_are_the_kernel_expansion(machine: str) -> None:
    model = model_of(machine)
    expected = dense_kernel("rbf", NEW, X[model.support]) @ model.expansion + model.bias
    np.testing.assert_allclose(model.decision(NEW), expected, atol=1e-12)


@pytest.mark.parametrize("machine", ["ww", "ovo"])
def test_rows_are_handled_in_portions(machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_of(machine)
    whole = model.decision(NEW)
    monkeypatch.setattr("mcsvm.solvers.model.PREDICTION_ROWS", 2)
    np.testing.assert_allclose(model.decision(NEW), whole, atol=1e-13)


def test_no_rows_give_no_decisions() -> None:
    assert model_of("ww").decision(np.empty((0, 2))).shape == (0, 4)


def test_a_pair_knows_only_its_two_classes() -> None:
    model = model_of("ovo")
    pairs = [(a, b) for a in range(4) for b in range(a + 1, 4)]
    for column, pair in enumerate(pairs):
        assert not model.column(column)[~np.isin(model.owners, pair)].any()
        assert model.column(column)[np.isin(model.owners, pair)].any()


def test_coefficients_of_pairs_take_no_more_than_their_own_classes_have() -> None:
    """40 classes of 3 rows: a dense table has 120 x 780 numbers, those of the two classes of each pair are 4,680."""
    x, y = np.random.default_rng(5).normal(size=(120, 3)), np.repeat(np.arange(40), 3)
    model = finished(problem_of(x, y, "ovo"), tolerance=1e-3).model()
    assert model.expansion.nnz <= 6 * 780
    size = len(pickle.dumps(model))
    assert size < 12 * 6 * 780 + 8 * (120 * 5 + 2 * 780) + 2000
    table = dense_expansion(model.expansion)
    np.testing.assert_allclose(
        model.decision(x), dense_kernel("rbf", x, x[model.support]) @ table + model.bias, atol=1e-12
    )


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("machine", ["ovo", "dag"])
@pytest.mark.parametrize("sparse", [False, True])
def test_labels_do_not_depend_on_how_many_rows_are_predicted_at_once(
    machine: str, kernel: str, sparse: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = finished(problem_of(X, Y, machine, kernel=kernel), tolerance=1e-3).model()
    rows = sp.csr_array(NEW) if sparse else NEW
    values = dense_kernel(kernel, NEW, X[model.support]) @ dense_expansion(model.expansion) + model.bias
    expected = decide(model.machine, values, 4)
    for size in (8, 2 * 8 * 6, 1 << 25):
        monkeypatch.setattr("mcsvm.solvers.model.PREDICTION_BYTES", size)
        np.testing.assert_array_equal(model.predict(rows), expected)
        np.testing.assert_allclose(model.decision(rows), values, atol=1e-11)


def test_columns_of_pairs_are_in_order() -> None:
    for classes in (2, 3, 7):
        pairs = [(a, b) for a in range(classes) for b in range(a + 1, classes)]
        first, second = np.array(pairs).T
        np.testing.assert_array_equal(pair_column(first, second, classes), np.arange(len(pairs)))


@pytest.mark.parametrize("machine", MACHINES)
def test_a_pickle_decides_the_same(machine: str) -> None:
    model = model_of(machine)
    before = model.decision(NEW)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision(NEW), before)
    assert again.machine is MACHINES[machine]


@pytest.mark.parametrize("machine", ["ovo", "dag"])
@pytest.mark.parametrize("classes", [3, 5])
def test_scores_per_class_are_highest_for_the_decision(machine: str, classes: int) -> None:
    values = np.random.default_rng(1).choice([-2.0, -0.5, 0.0, 0.5, 2.0], size=(300, classes * (classes - 1) // 2))
    scores = class_scores(MACHINES[machine], values, classes)
    np.testing.assert_array_equal(scores.argmax(axis=1), decide(MACHINES[machine], values, classes))


def test_a_three_way_tie_goes_to_the_first_class() -> None:
    circle = np.array([[1.0, -1.0, 1.0]])  # 0 beats 1, 2 beats 0, 1 beats 2
    assert vote_by_hand(circle, 3).tolist() == decide(MACHINES["ovo"], circle, 3).tolist() == [0]
    assert decide(MACHINES["dag"], circle, 3).tolist() == [1]  # 2 beats 0, then 1 beats 2


@pytest.mark.parametrize("classes", [2, 3, 7, 26])
def test_votes_are_counted_pair_by_pair(classes: int) -> None:
    values = np.random.default_rng(classes).normal(size=(50, classes * (classes - 1) // 2)).round(1)
    expected = np.zeros((50, classes), dtype=np.int64)
    for column, pair in enumerate(combinations(range(classes), 2)):
        for row, value in enumerate(values[:, column]):
            expected[row, pair[0] if value > 0.0 else pair[1]] += 1
    found = votes(values, classes)
    assert found.dtype == np.int64
    assert np.array_equal(found, expected)
