"""Kernels against their definitions, in both precisions, dense and sparse."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import sigmoid_kernel
from small_data import KERNEL_PARAMETERS, dense_kernel, kernel_named

from mcsvm.solvers.kernels import KERNELS, Kernel, Points, squared_distances
from mcsvm.solvers.kernels.precomputed import MatrixRows
from mcsvm.solvers.products import kernel_times

RNG = np.random.default_rng(5)
LEFT, RIGHT = RNG.normal(size=(7, 4)), RNG.normal(size=(5, 4))


def block(kernel: Kernel, left: Points, right: Points, dtype: type) -> np.ndarray:
    return kernel.block(left, right, np.empty((len(left), len(right)), dtype=dtype))


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(("dtype", "digits"), [(np.float64, 1e-12), (np.float32, 2e-5)])
@pytest.mark.parametrize("name", KERNEL_PARAMETERS)
def test_a_block_is_the_definition(name: str, dtype: type, digits: float, form: type) -> None:
    values = block(kernel_named(name), Points(form(LEFT)), Points(form(RIGHT)), dtype)
    assert values.dtype == dtype
    np.testing.assert_allclose(values, dense_kernel(name, LEFT, RIGHT), rtol=digits, atol=digits)


def test_sigmoid_is_scikit_learns() -> None:
    values = block(KERNELS["sigmoid"](gamma=0.3, coef0=-0.2), Points(LEFT), Points(RIGHT), np.float64)
    np.testing.assert_allclose(values, sigmoid_kernel(LEFT, RIGHT, gamma=0.3, coef0=-0.2), rtol=1e-12)


@pytest.mark.parametrize("name", KERNEL_PARAMETERS)
def test_the_diagonal_is_each_point_with_itself(name: str) -> None:
    expected = np.diag(dense_kernel(name, LEFT, LEFT))
    np.testing.assert_allclose(kernel_named(name).diagonal(Points(LEFT)), expected, rtol=1e-12)


def test_the_diagonal_may_be_written_to() -> None:
    points = Points(LEFT)
    kernel_named("linear").diagonal(points)[:] = 0.0
    assert points.squares.all()


def test_distances_never_fall_below_zero() -> None:
    rows = np.repeat(RNG.normal(size=(1, 4)) * 1e3, 6, axis=0)
    assert (squared_distances(Points(rows), Points(rows), np.empty((6, 6), dtype=np.float32)) >= 0.0).all()


def test_one_distance_matrix_serves_every_gamma() -> None:
    distances = squared_distances(Points(LEFT), Points(RIGHT), np.empty((7, 5)))
    for gamma in (0.1, 2.0):
        rbf = KERNELS["rbf"](gamma=gamma)
        values = rbf.from_distances(distances)
        np.testing.assert_allclose(values, block(rbf, Points(LEFT), Points(RIGHT), np.float64), rtol=1e-12)


def test_a_narrow_kernel_on_long_rows_is_exact_in_single_precision() -> None:
    far = LEFT + 1000.0
    values = block(kernel_named("rbf"), Points(far), Points(far), np.float32)
    np.testing.assert_allclose(values, dense_kernel("rbf", far, far), atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_far_from_zero_lose_no_digits(dtype: type) -> None:
    moved = 1e6 * np.array([1.0, -1.0, 3.0, 0.0])
    left, right = LEFT + moved, RIGHT + moved
    right[2] = 1e9  # an outlier among the support vectors
    expected = dense_kernel("rbf", left - moved, right - moved)
    values = block(kernel_named("rbf"), Points(left), Points(right), dtype)
    np.testing.assert_allclose(values, expected, atol=1e-6 if dtype is np.float32 else 1e-9)
    distances = squared_distances(Points(left), Points(right[:2]), np.empty((7, 2), dtype))
    expected = ((left[:, None] - right[None, :2]) ** 2).sum(axis=2)
    np.testing.assert_allclose(distances, expected, rtol=1e-5 if dtype is np.float32 else 1e-12, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_precomputed_kernel_is_looked_up(dtype: type) -> None:
    matrix = LEFT @ LEFT.T
    points = MatrixRows(matrix, np.arange(7))
    some = points.take(np.array([5, 2]))
    kernel = KERNELS["precomputed"]()
    np.testing.assert_allclose(block(kernel, some, points, dtype), matrix[[5, 2]], rtol=1e-6)
    np.testing.assert_allclose(block(kernel, points, some, dtype), matrix[:, [5, 2]], rtol=1e-6)
    np.testing.assert_allclose(kernel.diagonal(some), np.diag(matrix)[[5, 2]])


def test_taking_rows_keeps_what_was_made_of_them() -> None:
    points = Points(LEFT)
    assert points.squares.size == 7
    part = points.take(np.array([3, 1]))
    np.testing.assert_array_equal(part.squares, points.squares[[3, 1]])
    np.testing.assert_array_equal(part.rows, LEFT[[3, 1]])


@pytest.mark.parametrize("name", KERNEL_PARAMETERS)
def test_kernel_times_in_blocks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcsvm.solvers.products.EXACT_BLOCK_BYTES", 100)
    weights = RNG.normal(size=(5, 3))
    np.testing.assert_allclose(
        kernel_times(kernel_named(name), Points(LEFT), Points(RIGHT), weights),
        dense_kernel(name, LEFT, RIGHT) @ weights,
        rtol=1e-10,
        atol=1e-12,
    )


def test_every_kernel_declares_its_parameters() -> None:
    for name, kind in KERNELS.items():
        assert kind.name == name
        made = kind(**dict.fromkeys(kind.parameters, 1))
        assert all(hasattr(made, parameter) for parameter in kind.parameters)
