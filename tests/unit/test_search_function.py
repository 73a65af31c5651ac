"""`search`: the choice of GridSearchCV on the same folds, with shared kernel matrices."""

from __future__ import annotations

import doctest
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, GroupKFold, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from small_data import blobs

import mcsvm.solvers.grid_search
from mcsvm import InputError, MultiClassSVC, search

X, Y = blobs(n=90, classes=3, features=3, seed=4)
NAMES = np.array(["ant", "bee", "cow"])[Y]
GRID = {"machine": ["ww", "cs", "ova", "ovo", "dag"], "C": [10.0, 1.0], "gamma": ["scale", 0.05]}
TIGHT = 1e-6


def assert_same(ours: Any, theirs: GridSearchCV) -> None:
    assert ours.cv_results_["params"] == theirs.cv_results_["params"]
    for name in theirs.cv_results_:
        if name.endswith("_test_score"):
            np.testing.assert_allclose(ours.cv_results_[name], theirs.cv_results_[name], atol=1e-12)
        if name.startswith("param_"):
            assert ours.cv_results_[name].tolist() == theirs.cv_results_[name].tolist()
    assert (ours.best_params_, ours.best_index_) == (theirs.best_params_, theirs.best_index_)
    assert ours.best_score_ == pytest.approx(theirs.best_score_)
    assert ours.n_splits_ == theirs.n_splits_


@pytest.mark.parametrize(
    "scoring", ["accuracy", *(pytest.param(one, marks=pytest.mark.slow) for one in ("balanced_accuracy", "f1_macro"))]
)
def test_the_result_is_that_of_a_grid_search(scoring: str) -> None:
    svc = MultiClassSVC(tol=TIGHT)
    ours = search(svc, GRID, X, NAMES, cv=3, scoring=scoring)
    theirs = GridSearchCV(svc, GRID, cv=3, scoring=scoring).fit(X, NAMES)
    assert_same(ours, theirs)
    np.testing.assert_array_equal(ours.best_estimator_.predict(X), theirs.predict(X))


@pytest.mark.slow
@pytest.mark.parametrize(
    "more",
    [
        {"kernel": "linear"},
        {"kernel": "poly", "degree": 2, "coef0": 1.0},
        {"bias": "exact", "class_weight": {"bee": 3.0}},
        {"class_weight": "balanced", "gamma": 0.2},
        {"solver": "smo"},
    ],
)
def test_parameters_of_the_estimator_count(more: dict[str, Any]) -> None:
    svc, grid = MultiClassSVC(tol=TIGHT, **more), {"machine": ["ww", "ovo"], "C": [0.3, 3.0]}
    theirs = GridSearchCV(svc, grid, cv=3).fit(X, NAMES)
    for rows in (X, sp.csr_array(X)):
        assert_same(search(svc, grid, rows, NAMES, cv=3), theirs)


def test_steps_of_a_pipeline_are_fitted_in_each_fold() -> None:
    table = pd.DataFrame(X * [1.0, 100.0, 0.01], columns=["a", "b", "c"])
    model = make_pipeline(StandardScaler(), PCA(2), MultiClassSVC(tol=TIGHT))
    grid = [{"multiclasssvc__C": [0.1, 1.0]}, {"multiclasssvc__machine": ["ovo"], "multiclasssvc__gamma": [0.1]}]
    ours = search(model, grid, table, NAMES, cv=3)
    assert_same(ours, GridSearchCV(model, grid, cv=3).fit(table, NAMES))
    assert ours.best_estimator_.feature_names_in_.tolist() == ["a", "b", "c"]


def test_folds_may_come_from_a_splitter() -> None:
    svc, grid, groups = MultiClassSVC(tol=TIGHT), {"C": [0.1, 1.0]}, np.arange(90) // 9
    by_groups = GridSearchCV(svc, grid, cv=GroupKFold(3)).fit(X, Y, groups=groups)
    assert_same(search(svc, grid, X, Y, cv=GroupKFold(3), groups=groups), by_groups)
    splitter = ShuffleSplit(4, random_state=0)
    assert_same(search(svc, grid, X, Y, cv=splitter), GridSearchCV(svc, grid, cv=splitter).fit(X, Y))


def test_weights_count_in_training_and_in_scores() -> None:
    """Rows of weight 0 are no rows, and a row of weight 2 is two rows."""
    weights = np.repeat([0.0, 1.0, 2.0], 30)[np.random.default_rng(0).permutation(90)]
    halves = [(np.arange(45), np.arange(45, 90)), (np.arange(45, 90), np.arange(45))]
    svc, grid = MultiClassSVC(tol=TIGHT, gamma=0.3), {"machine": ["ww", "ovo"], "C": [0.5, 5.0]}
    times = np.repeat(np.arange(90), weights.astype(int))
    repeated = [(np.flatnonzero(np.isin(times, a)), np.flatnonzero(np.isin(times, b))) for a, b in halves]
    ours = search(svc, grid, X, Y, cv=halves, sample_weight=weights)
    assert_same(ours, GridSearchCV(svc, grid, cv=repeated).fit(X[times], Y[times]))
    weighted = MultiClassSVC(tol=TIGHT, gamma=0.3, **ours.best_params_).fit(X, Y, weights)
    np.testing.assert_array_equal(ours.best_estimator_.decision_function(X), weighted.decision_function(X))


def test_any_number_of_threads_gives_the_same_table() -> None:
    one, two = (search(MultiClassSVC(threads=n), GRID, X, Y, cv=3, refit=False).cv_results_ for n in (1, 2))
    for name in one:
        if "time" not in name and name != "params":
            np.testing.assert_array_equal(one[name], two[name])


def test_without_refit_there_is_no_estimator() -> None:
    assert search(MultiClassSVC(), {"C": [1.0]}, X, Y, refit=False).best_estimator_ is None


def test_trainings_that_do_not_converge_are_counted() -> None:
    with pytest.warns(ConvergenceWarning, match="6 of 6 trainings of the search did not converge"):
        search(MultiClassSVC(solver="smo", max_iter=2), {"C": [100.0, 1000.0]}, X, Y, cv=3, refit=False)


@pytest.mark.parametrize(
    ("estimator", "grid", "more", "words"),
    [
        (SVC(), {"C": [1.0]}, {}, "not a SVC"),
        (make_pipeline(StandardScaler(), SVC()), {"C": [1.0]}, {}, "not a SVC"),
        (MultiClassSVC(), {"C": [1.0], "degree": [2]}, {}, "not 'degree'"),
        (make_pipeline(PCA(), MultiClassSVC()), {"pca__n_components": [1]}, {}, "multiclasssvc__C"),
        (MultiClassSVC(), {"C": [-1.0]}, {}, "'C' parameter"),
        (MultiClassSVC(), {"machine": ["svm"]}, {}, "'machine' parameter"),
        (MultiClassSVC(kernel="precomputed"), {"C": [1.0]}, {}, "precomputed"),
        (MultiClassSVC(break_ties=True), {"C": [1.0]}, {}, "ties"),
        (MultiClassSVC(), {"C": [1.0]}, {"scoring": "roc_auc"}, "not 'roc_auc'"),
    ],
)
def test_what_the_search_cannot_share_is_left_to_grid_search(
    estimator: Any, grid: Any, more: dict[str, Any], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        search(estimator, grid, X, Y, **more)


def test_the_examples_of_the_docstring_are_true() -> None:
    assert doctest.testmod(mcsvm.solvers.grid_search).failed == 0
