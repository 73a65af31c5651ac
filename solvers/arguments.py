"""The arguments of MultiClassSVC as numbers: gamma, weights, callable kernels. Does not import scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

import numpy as np
import scipy.sparse as sp

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.jit.rounding import ROUNDING
from mcsvm.solvers.kernels.points import in_double, passes
from mcsvm.solvers.posing import TOO_LARGE, listing, positive


def gamma_of(gamma: Any, features: Any, weights: np.ndarray | None = None) -> float:
    """Return gamma as a number: "auto" is 1 / d and "scale" is 1 / (d v).

    v is the weighted variance of all values of the d columns.
    """
    if not isinstance(gamma, str):
        return positive("gamma", gamma)
    if gamma not in ("scale", "auto"):
        raise InputError("gamma must be a positive number, 'scale' or 'auto', not {gamma!r}.", gamma=gamma)
    count = features.shape[1]
    if gamma == "auto":
        return 1.0 / count
    return gamma_from(count, *_moments(features, weights))


def gamma_from(count: int, mean: float, square: float) -> float:
    """Return the gamma of "scale", from the number of columns, the mean of all values and that of their squares."""
    if not isfinite(square):
        raise InputError(TOO_LARGE)
    variance = square - mean * mean
    if not variance > ROUNDING * square:
        return 1.0
    gamma = 1.0 / (count * variance)
    if not isfinite(gamma):
        raise InputError("The features are too small: gamma is beyond double precision. Scale the features first.")
    return gamma


def _moments(features: Any, weights: np.ndarray | None) -> tuple[float, float]:
    """Return (weighted mean of all values, weighted mean of their squares)."""
    n, count = features.shape
    share = None if weights is None else weights / (weights.sum() * count)
    cuts = [slice(0, n)] if sp.issparse(features) else passes(n, count)
    sums = [_sums(in_double(features[some]), None if share is None else share[some]) for some in cuts]
    mean, square = (float(sum(each)) / (n * count if share is None else 1) for each in zip(*sums, strict=True))
    return mean, square


def _sums(rows: Any, share: np.ndarray | None) -> tuple[float, float]:
    """Return (sum of all values, sum of their squares), with each row multiplied by its share."""
    with np.errstate(over="ignore", invalid="ignore"):  # gamma_from refuses values that overflow
        squares = rows.multiply(rows) if sp.issparse(rows) else np.square(rows)
        if share is None:
            return rows.sum(), squares.sum()
        return (share @ rows).sum(), (share @ squares).sum()


def class_weights(class_weight: Any, labels: np.ndarray, codes: np.ndarray, weights: np.ndarray) -> np.ndarray | None:
    """Return (classes,) factors on C.

    "balanced" is the sum of all weights / (classes * sum of the weights of the class).
    """
    if class_weight is None:
        return None
    if isinstance(class_weight, Mapping):
        return weights_by_label(class_weight, labels)
    if not (isinstance(class_weight, str) and class_weight == "balanced"):
        raise InputError("class_weight must be 'balanced' or a mapping, not {weight!r}.", weight=class_weight)
    return weights.sum() / (labels.size * np.bincount(codes, weights, minlength=labels.size))


def weights_by_label(weights: Mapping[Any, float], labels: np.ndarray) -> np.ndarray:
    """Return (labels,) weights, with 1 for labels without a weight.

    A fold may lack a class. Therefore names of other labels are allowed if every given label has a weight.
    """
    known = labels.tolist()
    strange = [label for label in weights if label not in known]
    if strange and any(label not in weights for label in known):
        raise InputError(
            "class_weight names {strange!r}, which is no label; the labels are {labels}.",
            strange=strange[0],
            labels=listing(known),
        )
    return np.array([positive(f"class_weight of {label!r}", weights.get(label, 1.0)) for label in known])


def row_weights(sample_weight: Any, count: int) -> np.ndarray:
    """Return (count,) finite weights in float64: 1 if None is given, and a scalar for all rows."""
    if sample_weight is None:
        return np.ones(count)
    try:
        given = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("sample_weight must hold one number per row.") from None
    weights = np.full(count, float(given)) if given.ndim == 0 else given
    if weights.ndim != 1:
        raise InputError(
            "Sample weights must be 1D array or scalar: one number per row, not of shape {shape}.", shape=given.shape
        )
    if weights.size != count:
        raise InputError(
            "sample_weight.shape == {shape}, expected {expected}: one weight for each row.",
            shape=given.shape,
            expected=(count,),
        )
    if not np.isfinite(weights).all():
        raise InputError("Input sample_weight contains NaN or infinity; every weight must be a finite number.")
    return weights


def weighing_rows(weights: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return the rows of positive weight; raise InputError unless they belong to at least two classes."""
    kept = np.flatnonzero(weights > 0.0)
    if not kept.size:
        raise InputError("Invalid input - all samples have zero or negative weights.")
    if np.all(codes[kept] == codes[kept[0]]) and not np.all(codes == codes[0]):
        raise InputError("Invalid input - all samples with positive weights belong to the same class.")
    refuse_negative(weights)
    return kept


def refuse_negative(weights: np.ndarray) -> None:
    if (weights < 0.0).any():
        row = int(np.argmax(weights < 0.0))
        raise InputError(
            "sample_weight must not be negative, but is {weight:g} in row {row}.", weight=float(weights[row]), row=row
        )


def refuse_several_targets(y: Any) -> None:
    """Raise InputError if `y` has several columns: one class per row can be learnt."""
    shape: tuple[int, ...] = getattr(y, "shape", ())
    if len(shape) == 2 and shape[1] > 1:
        raise InputError(
            "Multilabel and multioutput targets are not supported: y should be a 1d array, got an array of shape"
            " {shape} instead. Train one model for each column, as scikit-learn's MultiOutputClassifier does.",
            shape=tuple(shape),
        )


def pairwise(kernel: Any) -> bool:
    """Tell whether the columns of the features are training rows: kernel values instead of features."""
    return callable(kernel) or kernel == "precomputed"


def kernel_matrix(kernel: Callable[[Any, Any], Any], left: Any, right: Any) -> np.ndarray:
    """Return the values of a callable kernel, checked."""
    values = kernel(left, right)
    values = np.asarray(values.toarray() if sp.issparse(values) else values, dtype=np.float64)
    expected = (_count(left), _count(right))
    if values.shape != expected:
        raise InputError(
            "The kernel must return an array of shape {expected}, one value for each pair of rows, not {shape}.",
            expected=expected,
            shape=values.shape,
        )
    return values


def _count(rows: Any) -> int:
    """Return the number of rows; sparse matrices have a shape but no length."""
    return int(rows.shape[0]) if hasattr(rows, "shape") else len(rows)
