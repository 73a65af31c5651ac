"""PredictionMixin: the methods and properties of a fitted MultiClassSVC: decision values, classes, probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from mcsvm.solvers.arguments import kernel_matrix, pairwise
from mcsvm.solvers.errors import InputError
from mcsvm.solvers.kernels.points import transposed_times
from mcsvm.solvers.machines import Machine
from mcsvm.solvers.model import Model, class_scores, dense_expansion, function_of_two, pair_scores
from mcsvm.solvers.scikit.resources import ResourceMixin
from mcsvm.solvers.uncertainty.probability import Calibration
from mcsvm.solvers.work import limited

PRECISIONS = [np.float64, np.float32]  # rows of these types are not converted; others become float64


class PredictionMixin(ResourceMixin):
    """The methods of a fitted estimator."""

    kernel: Any
    decision_function_shape: str
    break_ties: bool
    calibration: str | None
    classes_: np.ndarray
    support_: np.ndarray
    calibration_: Calibration
    _model: Model
    _kept: np.ndarray  # the training rows of positive weight
    _trained: np.ndarray  # positions in classes_ of the classes with rows of positive weight: those of the model
    _sparse: bool
    _fitted_on: Any  # the training rows for a callable kernel

    def _new_rows(self, X: Any) -> Any:
        """Return the checked rows to predict, or their kernel values with the training rows."""
        check_is_fitted(self, "_model")
        if callable(self.kernel):
            X = validate_data(self, X, accept_sparse="csr", dtype=None, ensure_2d=False, reset=False)
            X = kernel_matrix(self.kernel, X, self._fitted_on)
        else:
            X = validate_data(self, X, accept_sparse="csr", dtype=PRECISIONS, order="C", reset=False)
            if sp.issparse(X) and not self._sparse:
                raise InputError("cannot use sparse input in {name!r} trained on dense data", name=type(self).__name__)
        return X[:, self._kept] if pairwise(self.kernel) and self._kept.size < X.shape[1] else X

    @property
    def support_vectors_(self) -> Any:
        """Return the support vectors, (n_support, n_features); empty if the kernel is precomputed."""
        check_is_fitted(self, "_model")
        if callable(self.kernel):
            return self._fitted_on[self.support_] if hasattr(self._fitted_on, "shape") else np.empty((0, 0))
        return np.empty((0, 0)) if pairwise(self.kernel) else self._model.points.rows

    @property
    def dual_coef_(self) -> np.ndarray:
        """Return the coefficients of the support vectors in each function, (n_functions, n_support), read-only.

        Each access builds the table. For ovo and dag it has a row per pair, and most of it is zero: the model itself
        stores only the coefficients of the two classes of each pair.
        """
        check_is_fitted(self, "_model")
        expansion = self._model.expansion
        binary = self.classes_.size == 2  # one function, positive for the second class
        table = function_of_two(self._model.machine, expansion)[None, :] if binary else dense_expansion(expansion).T
        table.flags.writeable = False
        return table

    @property
    def coef_(self) -> np.ndarray:
        """Return the weights of each decision function, (n_functions, n_features), for the linear kernel only."""
        if self.kernel != "linear":
            raise AttributeError(f"coef_ is only available with kernel='linear', not {self.kernel!r}")
        check_is_fitted(self, "_model")
        slopes = transposed_times(self._model.points.rows, self._model.expansion)
        weights = np.ascontiguousarray(slopes.T)
        if self.classes_.size == 2:
            weights = function_of_two(self._model.machine, slopes)[None, :]
        weights.flags.writeable = False
        return weights

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the score of each class, or of each pair of classes.

        Parameters
        ----------
        X : array-like or sparse of shape (n_rows, n_features)
            Rows to predict.

        Returns
        -------
        values : ndarray of shape (n_rows, n_classes) or (n_rows, n_pairs); (n_rows,) for two classes
            A column for each class, in the order of `classes_`. For ovo and dag with decision_function_shape="ovo" a
            column for each pair, in the order (0, 1), (0, 2), ..., positive for the first class of the pair. For two
            classes one value, positive for ``classes_[1]``. A class whose training rows all have weight 0 gets lower
            values than every other class.

        Examples
        --------
        >>> from mcsvm import MultiClassSVC
        >>> model = MultiClassSVC(kernel="linear", C=10.0, gap_tol=1e-9).fit([[-1.0], [1.0]], [0, 1])
        >>> model.decision_function([[3.0]]).shape
        (1,)
        """
        X = self._new_rows(X)
        with limited(self._threads):
            values = self._model.decision(X)
        if self.classes_.size == 2:
            return function_of_two(self._model.machine, values)
        if self._trained.size < self.classes_.size:
            values = with_untrained(self._model.machine, values, self._trained, self.classes_.size)
        by_class = self._by_pairs and self.decision_function_shape == "ovr"
        return self._scores(values, self.classes_.size) if by_class else values

    def predict(self, X: Any) -> np.ndarray:
        """Return the predicted class of each row; ties go to the class that comes first.

        Parameters
        ----------
        X : array-like or sparse of shape (n_rows, n_features)
            Rows to predict.

        Returns
        -------
        labels : ndarray of shape (n_rows,)
            One of `classes_` for each row.

        Examples
        --------
        >>> from mcsvm import MultiClassSVC
        >>> MultiClassSVC().fit([[0.0], [1.0]], ["no", "yes"]).predict([[0.9]])
        array(['yes'], dtype='<U3')
        """
        if self.break_ties and self.decision_function_shape == "ovo":
            raise InputError("break_ties must be False when decision_function_shape is 'ovo'")
        X = self._new_rows(X)
        with limited(self._threads):
            return self._labels[self._codes(X)]

    def _codes(self, rows: Any) -> np.ndarray:
        """Return the class number of each checked row."""
        if self.break_ties and self._by_pairs and self._model.classes > 2:
            return np.asarray(self._scores(self._model.decision(rows), self._model.classes).argmax(axis=1))
        return self._model.predict(rows)

    @available_if(lambda self: self.calibration is not None)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of each class; available if `calibration` is set.

        Parameters
        ----------
        X : array-like or sparse of shape (n_rows, n_features)
            Rows to predict.

        Returns
        -------
        probabilities : ndarray of shape (n_rows, n_classes)
            In the order of `classes_`; each row sums to 1.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from mcsvm import MultiClassSVC
        >>> X, y = load_iris(return_X_y=True)
        >>> MultiClassSVC(calibration="temperature").fit(X, y).predict_proba(X[:1]).round(1)
        array([[1., 0., 0.]])
        """
        return self._probabilities(X, "probabilities")

    @available_if(lambda self: self.calibration is not None)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Return the logarithm of `predict_proba`, also for probabilities near 0 in full precision.

        Parameters
        ----------
        X : array-like or sparse of shape (n_rows, n_features)
            Rows to predict.

        Returns
        -------
        logarithms : ndarray of shape (n_rows, n_classes)
            In the order of `classes_`.
        """
        return self._probabilities(X, "log_probabilities")

    def _probabilities(self, X: Any, name: str) -> np.ndarray:
        X = self._new_rows(X)
        check_is_fitted(self, "calibration_")
        with limited(self._threads):
            values = self._model.decision(X)
        trained: np.ndarray = getattr(self.calibration_, name)(self._model.machine, values, self._model.classes)
        table = np.full((len(trained), self.classes_.size), 0.0 if name == "probabilities" else -np.inf)
        table[:, self._trained] = trained
        return table

    @property
    def _by_pairs(self) -> bool:
        return self._model.machine.split == "pairs"

    @property
    def _labels(self) -> np.ndarray:
        """Return the label of each class number of the model."""
        return self.classes_[self._trained]

    def _scores(self, values: np.ndarray, classes: int) -> np.ndarray:
        """Return a score per class from decision values of pairs; the largest belongs to the predicted class."""
        if self.break_ties and self._model.machine.vote == "votes":
            return pair_scores(values, classes)
        return class_scores(self._model.machine, values, classes)


def with_untrained(machine: Machine, values: np.ndarray, trained: np.ndarray, classes: int) -> np.ndarray:
    """Return decision values of all classes, from those of the trained classes.

    A class without training rows loses against every other class: in a pair by the margin 1, else by a class function
    that is 1 below the smallest of the trained classes.
    """
    if machine.split != "pairs":
        table = np.repeat(values.min(axis=1, keepdims=True) - 1.0, classes, axis=1)
        table[:, trained] = values
        return table
    first, second = np.triu_indices(classes, 1)
    table = np.repeat(np.where(np.isin(first, trained), 1.0, -1.0)[None, :], len(values), axis=0)
    table[:, np.isin(first, trained) & np.isin(second, trained)] = values
    return table
