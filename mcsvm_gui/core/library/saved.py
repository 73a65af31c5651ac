"""SavedModel: a trained model with the methods that users of scikit-learn expect."""

from __future__ import annotations

from typing import Any

import numpy as np

from mcsvm.solvers.dual.certificate import Certificate
from mcsvm.solvers.errors import InputError
from mcsvm.solvers.run.ending import Ending
from mcsvm_gui.core.library.arrays import dataset_of
from mcsvm_gui.core.machine.trained import Decisions, TrainedModel, accuracy, labels_of


class SavedModel:
    """A trained model that predicts raw rows. `load_model` returns it.

    Rows may be an array or a sparse matrix with the columns in the order of the training data, a pandas table whose
    columns are matched by name, a data set of `open_dataset`, or the name of a file.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels. Models of the command line and of the window have text labels.
    machine : str
        The multi-class formulation, such as "ww".
    certificate : Certificate
        primal, dual, gap, relative_gap, violation and infeasibility, as stored in the file; `verify` recomputes them.
    ending : Ending
        Why training ended: a string such as "converged".
    feature_names_in_ : ndarray of shape (n_columns,)
        The columns of the training data.
    trained : TrainedModel
        The model with its preprocessing, request and origin.
    """

    def __init__(self, trained: TrainedModel) -> None:
        self.trained = trained
        self.classes_ = labels_of(trained.class_names, trained.label_kind)
        self.feature_names_in_ = np.array([column.name for column in trained.preparation.columns], dtype=object)

    def __repr__(self) -> str:
        return f"SavedModel(machine={self.machine!r}, classes={len(self.classes_)}, ending={str(self.ending)!r})"

    @property
    def machine(self) -> str:
        return self.trained.model.machine.name

    @property
    def certificate(self) -> Certificate:
        return self.trained.certificate

    @property
    def ending(self) -> Ending:
        return self.trained.origin.ending

    def predict(self, X: Any) -> np.ndarray:
        """Return the predicted class of each row.

        If the model leaves rows out (missing values that are dropped, or costs with a rejection), the result is an
        array of objects with None for these rows.
        """
        labels = self._decisions(X).labels
        rejected = np.array([label is None for label in labels], dtype=bool)
        codes = {name: code for code, name in enumerate(self.trained.class_names)}
        if not rejected.any():
            return self.classes_[[codes[label] for label in labels]]
        predicted = np.full(labels.size, None, dtype=object)
        predicted[~rejected] = self.classes_[[codes[label] for label in labels[~rejected]]]
        return predicted

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of each class, in the order of `classes_`; raise InputError without calibration."""
        if self.trained.calibrated is None:
            raise InputError(
                "this model gives no probabilities. Train it with calibration='temperature', or with --calibrate."
            )
        probabilities = self._decisions(X, probabilities=True).probabilities
        assert probabilities is not None
        return probabilities

    def scores(self, X: Any) -> np.ndarray:
        """Return a score for each class, (n_rows, n_classes); the largest is that of the predicted class."""
        return self._decisions(X).scores

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows whose predicted class is that of `y`."""
        right = self.predict(X) == np.asarray(y)
        return accuracy(right, None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64))

    def _decisions(self, X: Any, *, probabilities: bool = False) -> Decisions:
        return self.trained.predictions(dataset_of(self.trained, X), probabilities=probabilities)
