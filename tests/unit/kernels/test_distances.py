"""rbf values where products of rows lose all digits: against differences in extended precision."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from mcsvm import MultiClassSVC
from mcsvm.solvers.kernels import KERNELS, Points, squared_distances
from mcsvm.solvers.products import kernel_matrix, kernel_times, symmetric_products

RNG = np.random.default_rng(3)


def by_differences(left: np.ndarray, right: np.ndarray, gamma: float) -> np.ndarray:
    apart = left.astype(np.longdouble)[:, None] - right.astype(np.longdouble)[None]
    return np.exp(-np.longdouble(gamma) * np.square(apart).sum(axis=2)).astype(np.float64)


def far_rows(scale: float, columns: int = 12) -> np.ndarray:
    """60 rows, each twice; pairs of rows that differ by about 1, and columns of up to `scale`."""
    rows = RNG.normal(size=(30, columns)) * np.logspace(0.0, np.log10(scale), columns)
    close = rows[:10] + RNG.normal(size=(10, columns)) * 0.3
    return np.concatenate([rows, rows, close])


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scale", [1.0, 1e3, 1e8, 1e20, 1e150])
def test_values_do_not_depend_on_the_spread_of_the_columns(scale: float, dtype: type, sparse: bool) -> None:
    rows = far_rows(scale)
    points, kernel = Points(sp.csr_array(rows) if sparse else rows), KERNELS["rbf"](gamma=0.1)
    kernel.prepare(points, dtype)
    values = kernel.block(points, points, np.empty((len(rows), len(rows)), dtype))
    tolerance = 1e-9 if dtype is np.float64 else 2e-3 if sparse else 1e-4
    np.testing.assert_allclose(values, by_differences(rows, rows, 0.1), atol=tolerance)
    np.testing.assert_array_equal(np.diag(values), 1.0)
    np.testing.assert_array_equal(values[np.arange(30), np.arange(30, 60)], 1.0, "rows 30 to 59 are rows 0 to 29")


@pytest.mark.parametrize("gamma", [1e-3, 1.0, 50.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_row_is_at_distance_zero_of_itself_in_every_path(dtype: type, gamma: float) -> None:
    rows = np.repeat(RNG.normal(size=(400, 7)) + 3.0, 2, axis=0)
    kernel = KERNELS["rbf"](gamma=gamma)
    matrix = np.empty((800, 800), dtype)
    kernel_matrix(kernel, Points(rows), matrix)
    np.testing.assert_array_equal(np.diag(matrix), 1.0)
    np.testing.assert_array_equal(np.diag(matrix, 1)[::2], 1.0, "a row and its copy")
    np.testing.assert_allclose(matrix[0], matrix[1], rtol=1e-4 if dtype is np.float32 else 1e-12)
    distances = squared_distances(Points(rows), Points(rows), np.empty((800, 800)))
    np.testing.assert_array_equal(np.diag(distances), 0.0)
    one = np.zeros((800, 1))
    one[5] = 1.0
    assert kernel_times(kernel, Points(rows[4:6]), Points(rows), one).tolist() == [[1.0], [1.0]]
    np.testing.assert_array_equal(symmetric_products(kernel, Points(rows), one)[4:6], 1.0)


def test_rows_with_a_column_that_hides_the_others_are_told_apart_by_them() -> None:
    """A date in seconds beside measurements: all close pairs are those that products cannot see."""
    rows = np.column_stack([np.full(50, 1.6e9), RNG.normal(size=(50, 3))])
    rows[:5, 0] = 0.0  # an origin amid the rows does not help
    values = KERNELS["rbf"](gamma=1.0).block(Points(rows), Points(rows), np.empty((50, 50)))
    np.testing.assert_allclose(values, by_differences(rows, rows, 1.0), atol=1e-12)


@pytest.mark.parametrize(("scale", "machine"), [(1e7, "ww"), (1e8, "ww"), (1e8, "ovo"), (1e20, "cs")])
def test_a_certificate_on_unscaled_columns_is_true(scale: float, machine: str) -> None:
    """It said primal 453.21 and dual 453.07, and was 2633.5 and -1763.3."""
    rows = far_rows(scale)
    labels = np.arange(len(rows)) % 3
    model = MultiClassSVC(machine=machine, kernel="rbf", gamma=1.0, C=10.0, bias="none", tol=1e-4).fit(rows, labels)
    K = by_differences(rows, rows, 1.0)
    weights = np.zeros((len(rows), model.dual_coef_.shape[0]))
    weights[model.support_] = model.dual_coef_.T
    energy = 0.5 * float(np.vdot(weights, K @ weights))
    proof = model.certificate_
    functions = K @ weights
    if machine == "ovo":
        losses = 0.0
        for number, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
            hinges = np.maximum(0.0, 1.0 - np.where(labels == a, 1.0, -1.0) * functions[:, number])
            losses += hinges[(labels == a) | (labels == b)].sum()
    else:
        hinges = np.maximum(0.0, 1.0 - functions[np.arange(len(rows)), labels][:, None] + functions)
        hinges[np.arange(len(rows)), labels] = 0.0
        losses = hinges.max(axis=1).sum() if machine == "cs" else hinges.sum()
    assert proof.primal == pytest.approx(energy + 10.0 * losses, rel=1e-7)
    assert proof.relative_gap <= 1e-2
