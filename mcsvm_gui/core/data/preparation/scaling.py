"""Shift and scale per column, from the training part."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.data.dataset import Notice
from mcsvm_gui.core.data.preparation.rules import some_names
from mcsvm_gui.core.data.remedies import Remedy

WIDE = 10.0  # largest ratio between the widths of unscaled columns without a notice
NOTHING_VARIES = Sentence("every column is constant: the model can only answer with the most frequent class")


class Scaling(NamedTuple):
    shift: np.ndarray
    scale: np.ndarray
    constant: np.ndarray  # mask: constant columns carry no information
    reach: np.ndarray  # largest minus smallest value; infinite if a double cannot hold it


def dense_scaling(rule: str, values: np.ndarray, weights: np.ndarray | None) -> Scaling:
    """Scale columns without missing cells; mean and deviation use the rows' weights."""
    low, high = values.min(axis=0), values.max(axis=0)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        reach = high - low
        if rule == "minmax":
            shift, scale = 0.5 * low + 0.5 * high, 2.0 / reach
        elif rule == "standard":
            shift = _mean(values, weights)
            scale = 1.0 / (values.std(axis=0) if weights is None else np.sqrt(_mean((values - shift) ** 2, weights)))
        else:
            shift, scale = np.zeros(low.size), np.ones(low.size)
    constant = (reach == 0.0) | np.isposinf(scale)
    return Scaling(shift, scale, constant, reach)


def _mean(values: np.ndarray | sp.csr_array, weights: np.ndarray | None) -> np.ndarray:
    return np.asarray(values.mean(axis=0) if weights is None else (weights / weights.sum()) @ values).ravel()


def sparse_scaling(rule: str, matrix: sp.csr_array, weights: np.ndarray | None) -> Scaling:
    """Scale by the largest magnitude or the deviation, without a shift, so that zero stays zero."""
    low, high = (
        np.asarray(side.toarray(), dtype=np.float64).ravel() for side in (matrix.min(axis=0), matrix.max(axis=0))
    )
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        if rule == "minmax":
            scale = 1.0 / np.maximum(np.abs(low), np.abs(high))
        elif rule == "standard":
            mean, square = _mean(matrix, weights), _mean(matrix.multiply(matrix).tocsr(), weights)
            scale = 1.0 / np.sqrt(np.maximum(square - mean**2, 0.0))
        else:
            scale = np.ones(low.size)
        reach = high - low
    return Scaling(np.zeros(low.size), scale, (reach == 0.0) | np.isposinf(scale), reach)


def constant_notice(names: list[str]) -> Notice:
    return Notice("constant columns", Sentence("constant columns are left out: {names}", names=some_names(names)))


def spread_notice(rule: str, names: list[str], reach: np.ndarray) -> list[Notice]:
    """Return a notice on the cost of unscaled columns, if their widths differ much."""
    if rule != "none" or reach.size < 2 or reach.max() <= WIDE * reach.min():
        return []
    widest, narrowest = int(reach.argmax()), int(reach.argmin())
    with np.errstate(over="ignore"):
        times = float(reach[widest] / reach[narrowest])
    sentence = Sentence(
        "the columns are not scaled, and {widest} spreads {times:.3g} times as wide as {narrowest}:"
        " it decides nearly alone, and training can take many times longer; {scale} cures both",
        widest=names[widest],
        times=times,
        narrowest=names[narrowest],
        scale=Remedy("scale", "minmax"),
    )
    return [Notice("unscaled", sentence)]
