"""Gradients of decision functions: f_c(x) = sum_j a_jc K(x, s_j) + b_c, by the derivative of each kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.kernels.points import Points, transposed_times
from mcsvm.solvers.model import Model


def gradients(model: Model, row: np.ndarray) -> np.ndarray:
    """Return the (features, outputs) gradients at a dense row."""
    derivative = DERIVATIVES.get(model.kernel.name)
    if derivative is None:
        raise InputError("the kernel {kernel} has no gradient here", kernel=model.kernel.name)
    return derivative(model, row)


def _rbf(model: Model, row: np.ndarray) -> np.ndarray:
    """Return 2 gamma sum_j a_j K_j (s_j - x)."""
    kernel: Any = model.kernel
    values = _values(model, row)
    return 2.0 * kernel.gamma * (_weighted_sum(model, values) - row[:, None] * (values @ model.expansion))


def _linear(model: Model, row: np.ndarray) -> np.ndarray:
    return transposed_times(model.points.rows, model.expansion)


def _polynomial(model: Model, row: np.ndarray) -> np.ndarray:
    """Return sum_j a_j gamma degree (gamma <x, s_j> + coef0)^(degree - 1) s_j."""
    kernel: Any = model.kernel
    slopes = kernel.gamma * kernel.degree * (kernel.gamma * _products(model, row) + kernel.coef0) ** (kernel.degree - 1)
    return _weighted_sum(model, slopes)


def _sigmoid(model: Model, row: np.ndarray) -> np.ndarray:
    """Return sum_j a_j gamma (1 - K_j^2) s_j."""
    kernel: Any = model.kernel
    slopes = kernel.gamma * (1.0 - _values(model, row) ** 2)
    return _weighted_sum(model, slopes)


def _weighted_sum(model: Model, slopes: np.ndarray) -> np.ndarray:
    """Return (features, outputs) sums of slope * s * coefficient over the support vectors s."""
    rows = model.points.rows
    weighted = sp.csr_array(rows.multiply(slopes[:, None])) if sp.issparse(rows) else rows * slopes[:, None]
    return transposed_times(weighted, model.expansion)


def _values(model: Model, row: np.ndarray) -> np.ndarray:
    return model.kernel.block(Points(row[None]), model.points, np.empty((1, len(model.points))))[0]


def _products(model: Model, row: np.ndarray) -> np.ndarray:
    return np.asarray(model.points.rows @ row)


DERIVATIVES: dict[str, Callable[[Model, np.ndarray], np.ndarray]] = {
    "rbf": _rbf,
    "linear": _linear,
    "polynomial": _polynomial,
    "sigmoid": _sigmoid,
}
