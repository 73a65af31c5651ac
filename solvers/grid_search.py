"""search: choose machine, C and gamma by cross-validation, with one kernel matrix per fold and gamma."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, check_array, column_or_1d, indexable
from sklearn.utils.multiclass import check_classification_targets

from mcsvm.solvers.arguments import pairwise, row_weights, weighing_rows, weights_by_label
from mcsvm.solvers.errors import InputError
from mcsvm.solvers.estimator import MultiClassSVC
from mcsvm.solvers.kernels import Kernel
from mcsvm.solvers.scikit.prediction import PRECISIONS
from mcsvm.solvers.selection.cell import Cell, FoldResult, Trial
from mcsvm.solvers.selection.executor import Folds, Threads
from mcsvm.solvers.selection.folds import Fold
from mcsvm.solvers.selection.scores import SCORES
from mcsvm.solvers.selection.settings import TrainingSettings
from mcsvm.solvers.selection.trials.shared import FoldRows, KernelFamily
from mcsvm.solvers.selection.trials.task import Task, tasks_of
from mcsvm.solvers.work import cores, limited

SEARCHED = "machine", "C", "gamma"  # parameters whose candidates share kernel matrices
SCORINGS = {"accuracy": "accuracy", "balanced_accuracy": "balanced-accuracy", "f1_macro": "macro-f1"}  # scikit-learn's


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The result of `search`, with the attributes of scikit-learn's GridSearchCV.

    Attributes
    ----------
    cv_results_ : dict
        `params` (a list of dicts), `param_NAME` (masked arrays), `split0_test_score` and so on, `mean_test_score`,
        `std_test_score`, `rank_test_score`, `mean_fit_time`, `std_fit_time` and `mean_n_support`.
    best_index_ : int
        The index of the best candidate in `cv_results_`.
    best_params_ : dict
        Its parameters.
    best_score_ : float
        Its mean score.
    best_estimator_ : MultiClassSVC, Pipeline or None
        The estimator with the best parameters, trained on all rows; None with refit=False.
    refit_time_ : float
        Seconds of that training.
    n_splits_ : int
        The number of folds.
    scoring : str
        The measure.
    """

    cv_results_: dict[str, Any]
    best_index_: int
    best_estimator_: Any
    refit_time_: float
    n_splits_: int
    scoring: str

    @property
    def best_params_(self) -> dict[str, Any]:
        params: dict[str, Any] = self.cv_results_["params"][self.best_index_]
        return params

    @property
    def best_score_(self) -> float:
        return float(self.cv_results_["mean_test_score"][self.best_index_])


def search(
    estimator: Any,
    param_grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]],
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    scoring: str = "accuracy",
    refit: bool = True,
    sample_weight: Any = None,
    groups: Any = None,
) -> SearchResult:
    """Choose machine, C and gamma by cross-validation.

    The result is that of scikit-learn's GridSearchCV with the same folds, up to the tolerance of training. It takes
    less time, because all machines and values of C share one kernel matrix per fold and gamma, one-vs-one and DAGSVM
    share their trainings, and each training starts from the solution at the next smaller C.

    Parameters
    ----------
    estimator : MultiClassSVC or Pipeline
        The estimator, or a pipeline that ends with it. The steps before it are fitted on the training part of each
        fold.
    param_grid : dict or list of dicts
        Lists of values for machine, C and gamma; in a pipeline with the name of the step, as in "multiclasssvc__C".
    X : array-like or sparse of shape (n_rows, n_features)
        The rows.
    y : array-like of shape (n_rows,)
        Their labels.
    cv : int, splitter or iterable, default=5
        The folds, as in GridSearchCV: a number of stratified folds, a splitter, or pairs of row numbers.
    scoring : {"accuracy", "balanced_accuracy", "f1_macro"}, default="accuracy"
        The measure to maximise.
    refit : bool, default=True
        Train the best candidate on all rows.
    sample_weight : array-like of shape (n_rows,) or None, default=None
        Weights of the rows, in training and in the scores.
    groups : array-like of shape (n_rows,) or None, default=None
        Groups for splitters that keep rows of one group together.

    Returns
    -------
    result : SearchResult
        `cv_results_`, `best_params_`, `best_score_`, `best_index_` and `best_estimator_`, as in GridSearchCV.

    Notes
    -----
    `threads` of the estimator is the number of trainings at a time. `callback`, `verbose`, `warm_start` and
    `calibration` of the estimator apply to the final training only. For other parameters, for callable and precomputed
    kernels, and for other measures use GridSearchCV.

    Examples
    --------
    >>> from mcsvm import MultiClassSVC, search
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> result = search(MultiClassSVC(), {"machine": ["ww", "ovo"], "C": [0.1, 1, 10], "gamma": [0.1, 1]}, X, y)
    >>> sorted(result.best_params_)
    ['C', 'gamma', 'machine']
    >>> result.best_estimator_.score(X, y) > 0.9
    True
    """
    from sklearn.model_selection import ParameterGrid, check_cv

    steps, svc, prefix = _parts_of(estimator)
    candidates = list(ParameterGrid(param_grid))
    machines = [_checked(svc, params, prefix) for params in candidates]
    if scoring not in SCORINGS:
        raise InputError(
            "scoring must be one of {choices}, not {scoring!r}. For other measures use GridSearchCV.",
            choices=", ".join(SCORINGS),
            scoring=scoring,
        )
    X, y, groups = indexable(X, y, groups)
    check_classification_targets(y)
    labels = column_or_1d(y)
    weights = row_weights(sample_weight, labels.size)
    score, results = SCORES[SCORINGS[scoring]], []
    splits = [Fold(train, test) for train, test in check_cv(cv, labels, classifier=True).split(X, labels, groups)]
    classes, codes = np.unique(labels, return_inverse=True)
    factors = _factors(svc.class_weight, classes)
    for fold in splits:
        train, test = _transformed(steps, X, labels, fold)
        kernels = {one.gamma: one._kernel(train) for one in machines}
        weighted = weighing_rows(weights[fold.train], codes[fold.train])
        kept = fold.train[weighted]
        sides = train[weighted], codes[kept], test, codes[fold.test]
        rows = FoldRows.of(*sides, weights[kept], weights[fold.test])
        results.append(_fold_results(machines, rows, kernels, factors))
    table = _table(candidates, results, [[score.of([_measured(one)])[0] for one in fold] for fold in results])
    _warn_of_unfinished([one for fold in results for one in fold])
    best, fitted, seconds = int(table["rank_test_score"].argmin()), None, 0.0
    if refit:
        began = time.perf_counter()
        more = {} if sample_weight is None else {f"{prefix}sample_weight": weights}
        fitted = clone(estimator).set_params(**candidates[best]).fit(X, y, **more)
        seconds = time.perf_counter() - began
    return SearchResult(table, best, fitted, seconds, len(splits), scoring)


def _parts_of(estimator: Any) -> tuple[Any, MultiClassSVC, str]:
    """Return (the steps before the machine or None, the machine, the prefix of its parameters)."""
    steps, svc, prefix = None, estimator, ""
    if isinstance(estimator, Pipeline):
        name, svc = estimator.steps[-1]
        steps, prefix = estimator[:-1] if len(estimator.steps) > 1 else None, f"{name}__"
    if not isinstance(svc, MultiClassSVC):
        raise InputError(
            "search takes a MultiClassSVC, or a Pipeline that ends with one, not a {type}. For other estimators use"
            " GridSearchCV.",
            type=type(svc).__name__,
        )
    if pairwise(svc.kernel):
        raise InputError("search needs features, and this kernel is precomputed or callable. Use GridSearchCV.")
    if svc.break_ties:
        raise InputError("search breaks ties by class order. Set break_ties=False, or use GridSearchCV.")
    return steps, svc, prefix


def _checked(svc: MultiClassSVC, params: Mapping[str, Any], prefix: str) -> MultiClassSVC:
    """Return the machine with the parameters of a candidate."""
    for name in params:
        if not name.startswith(prefix) or name.removeprefix(prefix) not in SEARCHED:
            raise InputError(
                "search varies {names}, not {name!r}. For other parameters use GridSearchCV.",
                names=", ".join(prefix + one for one in SEARCHED),
                name=name,
            )
    candidate: MultiClassSVC = clone(svc).set_params(**{name.removeprefix(prefix): params[name] for name in params})
    candidate._validate_params()
    return candidate


def _factors(class_weight: Any, classes: np.ndarray) -> str | dict[int, float] | None:
    """Return the factors on C by class number."""
    if class_weight is None or isinstance(class_weight, str):
        return class_weight
    return dict(enumerate(weights_by_label(class_weight, classes).tolist()))


def _transformed(steps: Any, X: Any, labels: np.ndarray, fold: Fold) -> list[Any]:
    """Return the training and the test rows, transformed by steps that are fitted on the training rows."""
    sides = _safe_indexing(X, fold.train), _safe_indexing(X, fold.test)
    if steps is not None:
        fitted = clone(steps)
        sides = fitted.fit_transform(sides[0], labels[fold.train]), fitted.transform(sides[1])
    return [check_array(one, accept_sparse="csr", dtype=PRECISIONS, order="C") for one in sides]


def _fold_results(
    candidates: Sequence[MultiClassSVC], rows: FoldRows, kernels: Mapping[Any, Kernel], factors: Any
) -> list[FoldResult]:
    """Return the result of each candidate on one fold. `kernels`: the kernel for each value of gamma."""
    trials = [
        Trial(Cell(one.machine, float(one.C), getattr(kernels[one.gamma], "gamma", None)), 0) for one in candidates
    ]
    tasks = tasks_of(dict.fromkeys(trials))
    settings = _settings(candidates[0], KernelFamily.of(kernels[candidates[0].gamma]), factors, tasks)
    folds = Folds([Fold(np.arange(len(rows.train)), np.arange(len(rows.test)))], lambda fold: rows)
    with limited(1):
        found = dict(Threads().perform(tasks, folds, settings, lambda: False))
    return [found[trial] for trial in trials]


def _settings(svc: MultiClassSVC, family: KernelFamily, factors: Any, tasks: Sequence[Task]) -> TrainingSettings:
    return TrainingSettings(
        kernel=family,
        solver=svc.solver,
        margin=svc.margin,
        bias=svc.bias,
        class_weight=factors,
        limits=svc._limits(),
        cache_mb=svc._cache_mb,
        jobs=max(1, min(svc._threads or cores(), len(tasks))),
    )


def _measured(result: FoldResult) -> Any:
    assert result.tested is not None
    return result.tested


def _table(
    candidates: Sequence[Mapping[str, Any]], results: Sequence[Sequence[FoldResult]], scores: Sequence[Sequence[float]]
) -> dict[str, Any]:
    """Return `cv_results_`: an entry per candidate, from the results and scores of each fold."""
    from scipy.stats import rankdata

    table: dict[str, Any] = {"params": [dict(params) for params in candidates]}
    for name in dict.fromkeys(name for params in candidates for name in params):
        values = np.empty(len(candidates), dtype=object)
        values[:] = [params.get(name) for params in candidates]
        table[f"param_{name}"] = np.ma.MaskedArray(values, mask=[name not in params for params in candidates])
    by_fold = np.array(scores)
    for number, values in enumerate(by_fold):
        table[f"split{number}_test_score"] = values
    table["mean_test_score"], table["std_test_score"] = by_fold.mean(axis=0), by_fold.std(axis=0)
    table["rank_test_score"] = rankdata(-table["mean_test_score"], method="min").astype(np.int32)
    seconds = np.array([[one.seconds for one in fold] for fold in results])
    table["mean_fit_time"], table["std_fit_time"] = seconds.mean(axis=0), seconds.std(axis=0)
    table["mean_n_support"] = np.array([[one.n_support for one in fold] for fold in results]).mean(axis=0)
    return table


def _warn_of_unfinished(results: Sequence[FoldResult]) -> None:
    unfinished = [one for one in results if not one.ending.is_enough]
    if unfinished:
        gap = max(one.certificate.relative_gap for one in unfinished)
        warnings.warn(
            f"{len(unfinished)} of {len(results)} trainings of the search did not converge; the largest relative gap is"
            f" {gap:.2g}. Increase max_iter or time_limit, or scale the features.",
            ConvergenceWarning,
            stacklevel=3,
        )
