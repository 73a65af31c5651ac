"""Measures of a search, each equal to scikit-learn's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import softmax
from sklearn import metrics
from small_data import blobs

from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.selection import scores as measures
from mcsvm.solvers.selection.cell import Cell, CellResult, Trial
from mcsvm.solvers.selection.executor import Folds
from mcsvm.solvers.selection.folds import Fold, stratified
from mcsvm.solvers.selection.grid import Grid, Range, best
from mcsvm.solvers.selection.scores import SCORES, Measured
from mcsvm.solvers.selection.search import SEARCHES
from mcsvm.solvers.selection.settings import TrainingSettings
from mcsvm.solvers.selection.study import Study
from mcsvm.solvers.selection.trials.shared import FoldRows, KernelFamily
from mcsvm.solvers.selection.trials.task import Task, perform
from mcsvm.solvers.uncertainty.costs import CostRule
from mcsvm.solvers.uncertainty.probability import best_temperature
from mcsvm.solvers.uncertainty.probability import scores as class_scores

X, Y = blobs(n=120, classes=3, seed=2)


def fold_of(seed: int, classes: int = 3, n: int = 40, *, weighted: bool = True) -> tuple[FoldRows, np.ndarray]:
    """Made-up decision values for rows whose classes are 10, 20, ...; the last class may be missing in training."""
    rng = np.random.default_rng(seed)
    known = np.concatenate([np.arange(classes), rng.integers(0, classes, n)])
    given_labels = 10 * (1 + rng.integers(0, classes, n))
    weights = rng.uniform(0.1, 3.0, n) if weighted else np.full(n, 0.7)
    rows = FoldRows.of(
        np.zeros((known.size, 1)), 10 * (1 + known), np.zeros((n, 1)), given_labels, np.ones(known.size), weights
    )
    values = np.eye(classes)[given_labels // 10 - 1] * rng.uniform(0.0, 2.0) + rng.normal(size=(n, classes))
    return rows, values


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 10**6), classes=st.integers(2, 6), weighted=st.booleans())
def test_measures_are_scikit_learns(seed: int, classes: int, weighted: bool) -> None:
    rows, values = fold_of(seed, classes, weighted=weighted)
    tested = Measured.of(rows, "ww", values)
    decided, known, weights = rows.names[values.argmax(axis=1)], rows.given_labels, rows.test_weights
    expected = {
        "accuracy": metrics.accuracy_score(known, decided, sample_weight=weights),
        "macro-f1": metrics.f1_score(known, decided, average="macro", sample_weight=weights, zero_division=0),
        "cost": metrics.zero_one_loss(known, decided, sample_weight=weights),
    }
    recalls = metrics.recall_score(
        known, decided, labels=np.unique(known), average=None, sample_weight=weights, zero_division=0
    )
    expected["balanced-accuracy"] = recalls.mean()
    for name, value in expected.items():
        assert SCORES[name].of([tested])[0] == pytest.approx(value, abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6), machine=st.sampled_from(["ww", "llw", "ova"]), scale=st.sampled_from([1e-3, 1.0, 30.0])
)
def test_log_losses_at_every_temperature(seed: int, machine: str, scale: float) -> None:
    rows, values = fold_of(seed, weighted=bool(seed % 2))
    tested = Measured.of(rows, machine, scale * values)
    for j in range(0, measures.WIDTH, 3):
        shares = softmax(2.0 ** (tested.first + j / 2) * scale * values, axis=1)
        logs = np.log(np.maximum(shares[np.arange(len(shares)), rows.test_labels], 1e-320))
        if logs.min() > -700:
            assert tested.losses[j] == pytest.approx(-rows.test_weights @ logs, rel=1e-9, abs=1e-9)


def test_the_log_loss_is_told_at_the_temperature_of_the_other_folds() -> None:
    folds = [fold_of(seed, n=200) for seed in range(5)]
    kept = [Measured.of(rows, "ww", values) for rows, values in folds]
    for number, found in enumerate(measures.log_loss(kept)):
        others = [pair for place, pair in enumerate(folds) if place != number]
        temperature = best_temperature(
            np.concatenate([values for _, values in others]),
            np.concatenate([rows.test_labels for rows, _ in others]),
            np.concatenate([rows.test_weights for rows, _ in others]),
        )
        rows, values = folds[number]
        exact = metrics.log_loss(
            rows.test_labels, softmax(values / temperature, axis=1), sample_weight=rows.test_weights
        )
        assert found == pytest.approx(exact, rel=0.003)


def test_costs_by_pair_of_classes() -> None:
    found, values = fold_of(4)
    rows = replace(found, names=np.arange(3), given_labels=found.given_labels // 10 - 1)
    table = np.array([[0.0, 5.0, 1.0], [1.0, 0.5, 1.0], [0.25, 1.0, 0.0]])
    each = table[rows.given_labels, values.argmax(axis=1)]
    score = replace(SCORES["cost"], costs=CostRule.of(table))
    tested = [Measured.of(rows, "ww", values)]
    assert score.of(tested)[0] == pytest.approx(np.average(each, weights=rows.test_weights), abs=1e-12)
    assert score.beside("accuracy").beside("cost") == score
    assert score.beside("accuracy").of(tested) == SCORES["accuracy"].of(tested)


def test_a_class_that_training_lacks_is_wrong_and_unlikely() -> None:
    rows = FoldRows.of(np.zeros((4, 1)), np.array([0, 0, 1, 1]), np.zeros((3, 1)), np.array([0, 1, 2]))
    tested = Measured.of(rows, "ww", np.array([[9.0, 0.0], [0.0, 9.0], [9.0, 0.0]]))
    assert measures.accuracy([tested]) == pytest.approx([2 / 3])
    assert measures.log_loss([tested])[0] == pytest.approx(measures.IMPOSSIBLE / 3, abs=1e-3)


@pytest.mark.parametrize("machine", MACHINES)
def test_every_machine_is_measured(machine: str) -> None:
    part = stratified(Y, 3, 0)[0]
    rows = FoldRows.of(X[part.train], Y[part.train], X[part.test], Y[part.test])
    chosen = TrainingSettings(kernel=KernelFamily("rbf"), keep_values=True)
    [(_, result)] = perform(Task(0, 0.7, {machine: (1.0,)}), rows, chosen, lambda: False)
    assert result.tested is not None
    assert result.values is not None
    assert measures.accuracy([result.tested])[0] == pytest.approx(result.accuracy)
    given_scores = class_scores(MACHINES[machine], result.values, 3)
    exact = best_temperature(given_scores, rows.test_labels, np.ones(len(rows.test)))
    shares = softmax(given_scores / exact, axis=1)
    assert measures.log_loss([result.tested])[0] == pytest.approx(metrics.log_loss(rows.test_labels, shares), rel=0.003)


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("search", ["grid", "coarse-to-fine", "halving"])
def test_a_search_chooses_by_the_score_it_is_given(name: str, search: str) -> None:
    """The winner of the study is the best among its own results by hand."""
    grid = Grid(("ww",), Range(-4, 4, 2), Range(-4, 2, 2))
    y = np.where(Y == 2, np.where(np.arange(Y.size) % 4 == 0, 2, 0), Y)  # unequal classes
    folds = Folds(stratified(y, 3, 0), lambda part: prepared(part, y))
    study = Study(
        SEARCHES[search].steps(grid, 3, 30.0), folds, TrainingSettings(kernel=KernelFamily("rbf")), score=SCORES[name]
    )
    results = study.run()
    chosen = best(results, "ww")
    assert chosen is not None
    complete = {cell: found for cell, found in results.items() if (found.folds, found.share) == (3, 1.0)}
    means = {
        cell: np.mean(SCORES[name].of([f.tested for f in found.by_fold.values()])) for cell, found in complete.items()
    }
    pick = max if SCORES[name].higher_is_better else min
    assert means[chosen] == pytest.approx(pick(means.values()), abs=1e-12)


def prepared(part: Fold, y: np.ndarray) -> FoldRows:
    return FoldRows.of(X[part.train], y[part.train], X[part.test], y[part.test])


def test_results_of_an_earlier_version_have_no_other_measure() -> None:
    part = stratified(Y, 3, 0)[0]
    [(trial, result)] = perform(Task(0, 0.7, {"ww": (1.0,)}), prepared(part, Y), TrainingSettings(), lambda: False)
    from dataclasses import replace

    old = CellResult({0: replace(result, tested=None)}, SCORES["macro-f1"])
    assert np.isnan(old.mean)
    assert old.worth == -np.inf
    assert trial == Trial(Cell("ww", 1.0, 0.7), 0)
    assert CellResult(old.by_fold).mean == result.accuracy
