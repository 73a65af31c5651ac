"""The feature rows X of a part, for compiled loops and for the products W = X' weights and f = X W."""

from __future__ import annotations

from typing import Any

import numpy as np

from mcsvm.solvers.dual.quantities import weights_of
from mcsvm.solvers.errors import Sentence
from mcsvm.solvers.jit.linear.loop import FeatureRows
from mcsvm.solvers.kernels.points import in_double, rows_times, transposed_times
from mcsvm.solvers.problem import Part


def refuse_other_kernels(name: str, part: Part) -> Sentence | None:
    kernel = part.gram.kernel.name
    if kernel == "linear":
        return None
    return Sentence(
        "{name} keeps one weight per feature instead of kernel values, which only the linear kernel allows;"
        " use auto, s2do or ipm with the kernel {kernel}.",
        name=name,
        kernel=kernel,
    )


def rows_of(part: Part) -> FeatureRows:
    """Return the rows for compiled loops, dense or CSR; the part keeps a float64 copy of float32 values."""
    kept = part.kept.get("linear rows")
    if kept is None:
        kept = part.kept["linear rows"] = _rows(part)
    found: FeatureRows = kept
    return found


def _rows(part: Part) -> FeatureRows:
    points = part.gram.points
    stored: Any = points.rows
    if points.sparse:
        return FeatureRows(stored.data, stored.indices.astype(np.int32, copy=False), stored.indptr.astype(np.int64))
    starts = np.arange(len(part) + 1, dtype=np.int64) * points.features
    return FeatureRows(in_double(stored).reshape(-1), np.empty(0, dtype=np.int32), starts)


def vectors_of(part: Part, alpha: np.ndarray) -> np.ndarray:
    """Return W = X' weights, (features, outputs)."""
    weights = weights_of(part, alpha)
    return np.ascontiguousarray(transposed_times(part.gram.points.rows, weights))


def functions_of(part: Part, vectors: np.ndarray, constant: np.ndarray) -> np.ndarray:
    """Return all class functions, computed from W."""
    functions = rows_times(part.gram.points.rows, vectors)
    functions += constant
    return functions
