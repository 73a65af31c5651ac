"""Active learning asks for a label before it knows it: labels of the pool that were not asked for decide nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

from mcsvm import MultiClassSVC
from mcsvm.solvers.methods.lasvm.choice import class_margins, pair_margins
from mcsvm.solvers.methods.lasvm.stream import Stream

X, Y = load_iris(return_X_y=True)
ORDER = np.random.default_rng(0).permutation(150)
X, Y = X[ORDER], Y[ORDER]
KNOWN = 15  # rows that the model has learnt before it asks for any of the others


def queries(labels: np.ndarray, machine: str, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The rows of the pool in the order in which their labels are read."""
    asked: list[int] = []
    whole = Stream._learn_one

    def noted(self: Stream, example: int, diagonal: float) -> None:
        asked.append(int(self.numbers[example]))
        whole(self, example, diagonal)

    model = MultiClassSVC(machine=machine, gamma=0.5, C=10.0, solver="lasvm-active", random_state=3)
    model.partial_fit(X[:KNOWN], Y[:KNOWN], classes=[0, 1, 2])
    with monkeypatch.context() as patch:
        patch.setattr(Stream, "_learn_one", noted)
        model.partial_fit(X[KNOWN:], labels)
    return asked


@pytest.mark.parametrize("machine", ["ova", "ovo", "dag"])
def test_labels_that_were_not_asked_for_change_no_query(machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With ovo and dag the first query changed in 40 of 40 trials."""
    rng = np.random.default_rng(1)
    expected = queries(Y[KNOWN:], machine, monkeypatch)
    assert sorted(expected) == list(range(KNOWN, 150))
    for count in (0, 1, 2, 5, 20, 60):
        labels, later = Y[KNOWN:].copy(), np.array(expected[count:]) - KNOWN
        labels[later] = rng.permutation(labels[later])
        assert queries(labels, machine, monkeypatch)[: count + 1] == expected[: count + 1], count


@pytest.mark.parametrize("machine", ["ova", "ovo", "dag"])
def test_the_least_certain_row_is_asked_for_first(machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the decision values of the model before: the margin of the two best classes."""
    model: Any = MultiClassSVC(machine=machine, gamma=0.5, C=10.0, solver="lasvm-active", random_state=3)
    model.partial_fit(X[:KNOWN], Y[:KNOWN], classes=[0, 1, 2])
    weights = model.dual_coef_.T
    rows = np.exp(-0.5 * np.square(X[KNOWN:, None] - model.support_vectors_[None]).sum(axis=2))
    functions = rows @ weights + model.intercept_
    if machine == "ova":
        ordered = np.sort(functions, axis=1)
        margin = ordered[:, -1] - ordered[:, -2]
    else:
        pairs = [(0, 1), (0, 2), (1, 2)]
        margin = np.empty(len(rows))
        for i, values in enumerate(functions):
            counts, sums = np.zeros(3), np.zeros(3)
            for (a, b), value in zip(pairs, values, strict=True):
                counts[a if value > 0.0 else b] += 1.0
                sums[a], sums[b] = sums[a] + value, sums[b] - value
            scores = counts + sums / (3.0 * (np.abs(sums) + 1.0))
            best = tuple(sorted(np.argsort(scores)[-2:].tolist()))
            margin[i] = abs(values[pairs.index(best)])
    first = queries(Y[KNOWN:], machine, monkeypatch)[0] - KNOWN
    candidates = np.sort(margin)
    assert margin[first] == pytest.approx(candidates[0], abs=1e-6) or margin[first] <= candidates[10], (
        "the best of the candidates that were drawn"
    )


def test_margins() -> None:
    np.testing.assert_allclose(class_margins(np.array([[1.0, 4.0, 2.5], [0.0, -1.0, -3.0]])), [1.5, 1.0])
    # pairs (0, 1), (0, 2), (1, 2): class 1 has two votes; class 2 has one, as class 0 loses to it by 0.2
    np.testing.assert_allclose(pair_margins(np.array([[-1.0, -0.2, 0.7]]), 3), [0.7])
    np.testing.assert_allclose(pair_margins(np.array([[-0.3]]), 2), [0.3])
