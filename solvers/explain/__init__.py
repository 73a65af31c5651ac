"""Explanations of predictions: the contribution of every column to the decision functions, and counterfactuals.

values = explain.shapley(model, rows, background)         # (rows, features, outputs)
values.sum_error                                          # deviation of their sum from f(x) - mean f(background)
explain.contrast(model, values, "setosa", "virginica")    # contributions to one class against another
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mcsvm.solvers.arguments import pairwise
from mcsvm.solvers.budget import EXPLAIN
from mcsvm.solvers.errors import InputError, Sentence
from mcsvm.solvers.explain.game import NO_COLUMNS, between, game_of
from mcsvm.solvers.explain.room import Room
from mcsvm.solvers.explain.search import smallest_change
from mcsvm.solvers.explain.values import Explained, explained
from mcsvm.solvers.posing import listing, whole
from mcsvm.solvers.work import limited

__all__ = ["Flip", "ShapleyValues", "contrast", "flip", "log_odds", "shapley"]


@dataclass(frozen=True, eq=False)
class Flip:
    """A changed row with another predicted class; without one, all attributes but `before` and `why` are None."""

    before: Any  # predicted label of the row
    after: Any  # predicted label of the changed row
    row: np.ndarray | None
    changed: np.ndarray | None  # numbers of the changed columns
    distance: float | None  # Euclidean, in shares of each column's seen range; a changed category counts 1
    why: Sentence | None  # the reason if no row was found


class ShapleyValues(np.ndarray):
    """Values (rows, features or groups, outputs) in float64, with their certificate.

    Attributes
    ----------
    expected_value : ndarray of shape (outputs,)
        The mean decision values of the background.
    decision : ndarray of shape (rows, outputs)
        The decision values of the rows.
    sum_errors : ndarray of shape (rows, outputs)
        The deviation of the sum of a row's values and the expected value from its decision value.
    standard_errors : ndarray of the shape of the values, or None
        Standard errors of sampled values; None if the values are exact. The standard error of the difference of two
        outputs is at most the sum of theirs.
    """

    expected_value: Any
    decision: Any
    sum_errors: Any
    standard_errors: Any

    def __array_finalize__(self, source: Any) -> None:
        """Remove the certificate from slices and from results of computations, which are plain numbers."""
        self.expected_value = self.decision = self.sum_errors = self.standard_errors = None

    @property
    def sum_error(self) -> Any:
        """The largest of `sum_errors`."""
        return None if self.sum_errors is None else self.sum_errors.max(initial=0.0)


def shapley(
    model: Any,
    rows: Any,
    background: Any,
    *,
    groups: Sequence[Hashable] | None = None,
    background_weight: Any = None,
    permutations: int = EXPLAIN.permutations,
    callback: Callable[[float], bool | None] | None = None,
) -> ShapleyValues:
    """Compute interventional Shapley values of the decision functions: exactly, or by sampling for the sigmoid kernel.

    Columns of a coalition keep the values of the row, all other columns take those of a background row. The result is
    the mean over the background. For the rbf and polynomial kernels an exact quadrature sums over all coalitions, for
    the linear kernel a formula does. For the sigmoid kernel, random orders of the columns are drawn.

    Parameters
    ----------
    model : MultiClassSVC
        A fitted machine.
    rows : array-like or sparse of shape (n_rows, n_features)
        Rows to explain.
    background : array-like or sparse of shape (n_background, n_features)
        Rows to compare with, such as a hundred rows of the training data.
    groups : sequence of length n_features or None, default=None
        A label for each column. Columns with the same label form one player; use it for the columns of one category.
    background_weight : array-like of shape (n_background,) or None, default=None
        Weight of each background row.
    permutations : int, default=1000
        Number of column orders drawn per row; used for sampled values only. Every background row gets the same number
        of pairs of an order and its reverse, and at least two pairs.
    callback : callable or None, default=None
        Called many times a second with the finished share. If it returns True, only the finished rows are returned.

    Returns
    -------
    values : ShapleyValues of shape (n_rows, n_features or n_groups, n_outputs)
        The outputs are the columns of `decision_function` with decision_function_shape="ovo": a column for each class,
        for ovo and dag a column for each pair of classes, and one column for two classes. ``values.sum_error`` is the
        largest difference between the sum of a row's values and its decision value less the mean over the background:
        only rounding, also for sampled values, whose own errors are in ``values.standard_errors``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mcsvm import MultiClassSVC, explain
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MultiClassSVC(machine="ww").fit(X, y)
    >>> values = explain.shapley(model, X[:2], X[::10])
    >>> values.shape
    (2, 4, 3)
    >>> bool(values.sum_error < 1e-12)
    True
    """
    whole("permutations", permutations)
    rows, others = _checked_rows(model, rows, background)
    with limited(model._threads):
        found = explained(game_of(model._model, others, groups, background_weight), rows, callback, permutations)
    return _with_certificate(found if model._labels.size > 2 else found.of_two(model._model.machine))


def contrast(model: Any, values: np.ndarray, first: Any, second: Any) -> np.ndarray:
    """Return the contributions to the class `first` against the class `second`.

    Parameters
    ----------
    model : MultiClassSVC
        The machine that was explained.
    values : ndarray of shape (..., n_outputs)
        The values that `shapley` returned.
    first, second : labels
        Two of ``model.classes_``.

    Returns
    -------
    values : ndarray of shape (...)
        The values of f_first - f_second, or of the pair function of ovo and dag. For two classes, those of
        `decision_function`. Positive values speak for `first`.
    """
    codes = [_code(model, label) for label in (first, second)]
    if codes[0] == codes[1]:
        raise InputError("a class cannot be compared with itself: {label!r}", label=first)
    if model._labels.size == 2:
        return np.asarray(values[..., 0] * (codes[0] - codes[1]))
    return between(model._model, np.asarray(values), *codes)


def log_odds(model: Any, values: np.ndarray, first: Any, second: Any) -> np.ndarray:
    """Return `contrast` as contributions to log(p_first / p_second), for probabilities by a temperature.

    Parameters
    ----------
    model : MultiClassSVC
        The machine that was explained, with ``calibration="temperature"``.
    values : ndarray of shape (..., n_outputs)
        The values that `shapley` returned.
    first, second : labels
        Two of ``model.classes_``.

    Returns
    -------
    values : ndarray of shape (...)
        They sum to the log-odds less their mean over the background.
    """
    temperature = vars(model).get("temperature_")
    if temperature is None:
        raise InputError('log-odds need probabilities by a temperature; train with calibration="temperature"')
    if model._by_pairs and model._labels.size > 2:
        raise InputError(
            "the probabilities of {machine} come of votes, which are no sum over columns", machine=model.machine
        )
    one = model._labels.size == 2 and not model._by_pairs  # two classes: the temperature is that of f_1 - f_0
    scale = model._model.machine.reading_of_two if one else 1.0
    return contrast(model, values, first, second) / (scale * temperature)


def flip(
    model: Any,
    row: Any,
    background: Any,
    *,
    to: Any = None,
    movable: Any = None,
    integers: Any = (),
    categories: Sequence[Any] = (),
) -> Flip:
    """Find a smallest change of a row that changes its predicted class.

    Every column stays within the values of the background. The model itself predicts the changed row, so every answer
    is confirmed. It need not be the smallest change of all. A change of fewer columns is preferred if it is hardly
    farther.

    Parameters
    ----------
    model : MultiClassSVC
        A fitted machine, of any kernel but a precomputed one.
    row : array-like of shape (n_features,) or (1, n_features)
        The row.
    background : array-like or sparse of shape (n_background, n_features)
        Rows that define the range of each column, such as the training data.
    to : label or None, default=None
        The wanted class; None means any other class.
    movable : columns or None, default=None
        Numbers or names of the columns that may change, or a mask; None means all columns.
    integers : columns, default=()
        Columns that change by whole numbers.
    categories : sequence of columns, default=()
        Lists of columns. The columns of a list change together, to values that occur together.

    Returns
    -------
    found : Flip
        ``row``, ``before``, ``after``, ``changed`` and ``distance``, or the reason ``why`` no row was found.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mcsvm import MultiClassSVC, explain
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MultiClassSVC(machine="ww").fit(X, y)
    >>> found = explain.flip(model, X[0], X, movable=[2, 3])
    >>> int(found.before), int(found.after), found.changed.tolist()
    (0, 1, [2, 3])
    """
    room = _room_around(model, row, background, movable, integers, categories)
    with limited(model._threads):
        found = smallest_change(model._model, room, model._codes, None if to is None else _code(model, to))
    return Flip(
        before=model._labels[found.own],
        after=None if found.other is None else model._labels[found.other],
        row=found.row,
        changed=None if found.row is None else np.flatnonzero(found.row != room.x),
        distance=found.distance,
        why=found.why,
    )


def _room_around(model: Any, row: Any, background: Any, movable: Any, integers: Any, categories: Sequence[Any]) -> Room:
    """Return the room in which `flip` may move the row, from its arguments of the same names."""
    one = row if sp.issparse(row) or np.ndim(row) == 2 else np.asarray(row)[None]
    one, seen = (some.toarray() if sp.issparse(some) else some for some in _checked_rows(model, one, background))
    if one.shape[0] != 1:
        raise InputError("flip changes one row, not {count}", count=one.shape[0])
    return Room(
        x=one[0],
        seen=np.vstack([one, seen]),
        movable=np.ones(one.size, dtype=bool) if movable is None else _mask(model, movable),
        step=_mask(model, integers).astype(np.float64),
        categories=tuple(np.flatnonzero(_mask(model, columns)) for columns in categories),
    )


def _mask(model: Any, columns: Any) -> np.ndarray:
    """Return a (features,) bool mask from column numbers, names or a mask."""
    names = {name: number for number, name in enumerate(vars(model).get("feature_names_in_", ()))}
    given = np.asarray([names.get(column, column) if isinstance(column, str) else column for column in columns])
    mask = np.zeros(model.n_features_in_, dtype=bool)
    try:
        mask[given if given.size else []] = True
    except (IndexError, ValueError):
        raise InputError(
            "{columns} are no columns of the model; give numbers below {count}, names, or a mask",
            columns=listing(list(columns)),
            count=model.n_features_in_,
        ) from None
    return mask


def _code(model: Any, label: Any) -> int:
    found = np.flatnonzero(model._labels == label)
    if not found.size:
        raise InputError(
            "{label!r} is no class; the classes are {classes}", label=label, classes=model._labels.tolist()
        )
    return int(found[0])


def _checked_rows(model: Any, *rows: Any) -> list[Any]:
    """Return each table of rows, checked as `predict` checks it."""
    if pairwise(model.kernel):
        raise InputError(NO_COLUMNS)
    return [model._new_rows(some) for some in rows]


def _with_certificate(found: Explained) -> ShapleyValues:
    values = found.values.view(ShapleyValues)
    values.expected_value, values.decision, values.sum_errors = found.base, found.decision, found.sum_errors
    values.standard_errors = found.standard_errors
    return values
