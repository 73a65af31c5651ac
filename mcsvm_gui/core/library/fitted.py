"""A fitted MultiClassSVC as a trained model, which can be saved, verified and exported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mcsvm.solvers import MultiClassSVC
from mcsvm.solvers.errors import InputError
from mcsvm.solvers.model import Model
from mcsvm.solvers.scikit.record import FitRecord
from mcsvm_gui.core.base import hardware
from mcsvm_gui.core.data.dataset import Column, NumberedColumns
from mcsvm_gui.core.data.options import Rules
from mcsvm_gui.core.data.preparation import Preparation, take_as_given
from mcsvm_gui.core.machine.model_document import read_duals
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.trained import (
    Calibrated,
    Duals,
    LabelKind,
    Origin,
    TrainedModel,
    Weighing,
    versions,
)

RULES = Rules(scale="none", as_given=True)
LABEL_NAMES = "label", "class", "target", "y"  # names that readers take for the label column
WEIGHTS = "sample_weight"
LABEL_KINDS: dict[str, LabelKind] = {"i": "integer", "u": "integer", "f": "real", "b": "boolean"}


def trained_of(estimator: Any) -> TrainedModel:
    """Return the trained model of a fitted estimator; raise InputError if a model file cannot hold it."""
    _check(estimator)
    model, record, classes = estimator._model, estimator._record, estimator._labels
    names = class_names(classes)
    columns = column_names(estimator)
    return TrainedModel(
        model=model,
        class_names=names,
        preparation=_preparation(estimator, columns),
        request=_request(estimator, record.seed, names),
        label_name=next((name for name in LABEL_NAMES if name not in columns), None),
        origin=_origin(estimator, record),
        duals=_duals(model, record),
        calibrated=_calibrated(estimator),
        weighing=None if record.total_weight is None else Weighing(WEIGHTS, record.total_weight, record.weightless),
        label_kind=LABEL_KINDS.get(classes.dtype.kind, "text"),
    )


def _check(estimator: Any) -> None:
    if not isinstance(estimator, MultiClassSVC):
        raise InputError(
            "a model file holds a fitted MultiClassSVC, not a {type}. Give the estimator itself, and apply other steps"
            " of a pipeline to the rows before.",
            type=type(estimator).__name__,
        )
    if not hasattr(estimator, "_model"):
        raise InputError("this MultiClassSVC is not fitted yet. Call fit first.")
    if not hasattr(estimator, "_record"):
        raise InputError("a model of partial_fit has no certificate, which every model file has. Call fit instead.")
    if callable(estimator.kernel) or estimator.kernel == "precomputed":
        raise InputError(
            "a model file holds the formula of a kernel, and this model has a precomputed or callable one. Use pickle"
            " or skops instead."
        )


def class_names(classes: np.ndarray) -> tuple[str, ...]:
    """Return labels as text, from which `labels_of` returns them again."""
    return tuple(label if isinstance(label, str) else repr(label) for label in classes.tolist())


def column_names(estimator: Any) -> tuple[str, ...]:
    """Return the names of the features, or those that scikit-learn gives to columns without a name."""
    names = getattr(estimator, "feature_names_in_", None)
    return tuple(f"x{number}" for number in range(estimator.n_features_in_)) if names is None else tuple(names.tolist())


def _preparation(estimator: Any, names: Sequence[str]) -> Preparation:
    numbered = estimator._sparse and not hasattr(estimator, "feature_names_in_")
    columns = NumberedColumns(1, len(names)) if numbered else [Column(name, "number") for name in names]
    return take_as_given(RULES, columns, sparse=estimator._sparse)


def _request(estimator: Any, seed: int, names: tuple[str, ...]) -> Request:
    """Return the request of the same training; gamma is the number that was used."""
    kernel = estimator._model.kernel
    given = estimator.class_weight
    weight = given if given is None or isinstance(given, str) else _weights_by_name(given, estimator._labels, names)
    return Request(
        machine=estimator.machine,
        solver=estimator.solver,
        kernel=kernel.name,
        C=float(estimator.C),
        bias=estimator.bias,
        tol=float(estimator.tol),
        margin=None if estimator.margin is None else float(estimator.margin),
        class_weight=weight,
        gap_tol=None if estimator.gap_tol is None else float(estimator.gap_tol),
        max_iter=None if estimator.max_iter in (None, -1) else int(estimator.max_iter),
        time_limit=None if estimator.time_limit is None else float(estimator.time_limit),
        cache_mb=float(estimator._cache_mb),
        threads=None if estimator._threads is None else int(estimator._threads),
        calibrate=estimator.calibration or "none",
        calibration_folds=int(estimator.calibration_folds),
        seed=seed,
        rules=RULES,
        **{name: getattr(kernel, name) for name in kernel.parameters},
    )


def _weights_by_name(given: Any, classes: np.ndarray, names: tuple[str, ...]) -> tuple[tuple[str, float], ...]:
    labels = zip(classes.tolist(), names, strict=True)
    return tuple((name, float(given[label])) for label, name in labels if label in given)


def _origin(estimator: Any, record: FitRecord) -> Origin:
    return Origin(
        solver=estimator.solver_used_,
        ending=estimator.ending_,
        certificate=estimator.certificate_,
        iterations=int(estimator.n_iter_),
        kernel_evaluations=int(estimator.kernel_evaluations_),
        seconds=estimator.seconds_,
        n_train=int(record.class_counts.sum()),
        class_counts=tuple(record.class_counts.tolist()),
        n_bounded=record.bounded,
        digest="",
        versions=versions(),
        system=hardware.system(),
        processor=hardware.processor(),
        decisions=tuple(estimator.decisions_),
    )


def _duals(model: Model, record: FitRecord) -> Duals:
    """Return the dual variables: as the record has them, or from the coefficients."""
    if record.support_alpha is not None:
        return Duals(np.array([0, model.support.size]), model.support, record.support_alpha)
    duals = read_duals(model)
    assert duals is not None, "a record has all dual variables that do not follow from the coefficients"
    return duals


def _calibrated(estimator: Any) -> Calibrated | None:
    if estimator.calibration is None:
        return None
    return Calibrated(estimator.calibration_, int(estimator.calibration_folds), None)
