"""Rows in float32, and arrays mapped from a file, give the bits of the same numbers in float64, and are not copied."""

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_data import blobs

from mcsvm.solvers import MultiClassSVC, pose, work
from mcsvm.solvers.arguments import gamma_of
from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.kernels.points import Points

DOUBLE, LABELS = blobs(n=80, classes=3, seed=6)
SINGLE = DOUBLE.astype(np.float32)
SINGLE.flags.writeable = False
WEIGHTS = np.linspace(0.5, 2.0, LABELS.size)
MANY, COLUMNS = 100_000, 100  # 40 MB in float32


def bits(rows: np.ndarray, machine: str, kernel: str, solver: str) -> tuple[Any, ...]:
    model = MultiClassSVC(machine=machine, kernel=kernel, solver=solver, coef0=1.0, max_iter=10_000)
    model.fit(rows, LABELS, WEIGHTS)
    assert model.support_vectors_.dtype == np.float64
    arrays = model.dual_coef_, model.intercept_, model.support_vectors_, model.decision_function(rows)
    return (*(array.tobytes() for array in arrays), model.certificate_, model.n_iter_, model._gamma)


def of_file(folder: Path, rows: np.ndarray) -> np.ndarray:
    np.save(folder / "rows.npy", rows)
    found: np.ndarray = np.load(folder / "rows.npy", mmap_mode="r")
    return found


def taken(work: Callable[[], object]) -> int:
    """Bytes of arrays, at most, while the work is done."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "sigmoid"])
@pytest.mark.parametrize("machine", ["ww", "cs", "ova", "ovo"])
def test_all_bits_are_those_of_float64(machine: str, kernel: str) -> None:
    assert bits(SINGLE, machine, kernel, "auto") == bits(SINGLE.astype(np.float64), machine, kernel, "auto")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("machine", "kernel", "solver"),
    [
        ("ww", "linear", "linear"),
        ("ww", "linear", "linear-newton"),
        ("ova", "linear", "linear"),
        ("ova", "linear", "linear-newton"),
        ("ww", "rbf", "ipm"),
        ("ww", "rbf", "fw"),
        ("ovo", "rbf", "lasvm"),
        ("cs", "rbf", "smo"),
    ],
)
def test_so_are_those_of_other_methods(machine: str, kernel: str, solver: str, tmp_path: Path) -> None:
    mapped = of_file(tmp_path, SINGLE)
    assert bits(mapped, machine, kernel, solver) == bits(SINGLE.astype(np.float64), machine, kernel, solver)


@pytest.mark.slow
def test_gamma_of_many_rows_is_that_of_float64() -> None:
    rows = np.random.default_rng(0).standard_normal((60_000, 100), dtype=np.float32) + np.float32(7.0)
    weights = np.linspace(0.0, 1.0, len(rows))
    double = rows.astype(np.float64)
    assert gamma_of("scale", rows) == gamma_of("scale", double)
    assert gamma_of("scale", rows, weights) == gamma_of("scale", double, weights)
    np.testing.assert_allclose(gamma_of("scale", rows), 1.0 / (100 * double.var()), rtol=1e-12)


def test_wrong_values_of_float32_are_counted_and_placed() -> None:
    rows = SINGLE.copy()
    rows[[3, 9], 1] = np.nan
    with pytest.raises(ValueError, match="NaN or infinity 2 times, first in row 3, column 1"):
        pose(rows, LABELS, machine="ww", kernel=KERNELS["rbf"](gamma=1.0))


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_mapped_rows_are_posed_and_predicted_without_a_copy(
    dtype: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "PIECE", 5e7)  # 4 MB in float64, and two of them are there at once
    rng = np.random.default_rng(1)
    rows = of_file(tmp_path, rng.standard_normal((MANY, COLUMNS), dtype=dtype))
    labels = np.arange(MANY) % 2
    model = MultiClassSVC(threads=1, gamma=0.01).fit(rows[:40], labels[:40])
    problem = pose(rows, labels, machine="ww", kernel=KERNELS["rbf"](gamma=0.01))
    assert np.shares_memory(problem.points.rows, rows)
    assert taken(lambda: pose(rows, labels, machine="ww", kernel=KERNELS["linear"]())) < 2 * MANY * COLUMNS
    assert taken(lambda: model.predict(rows)) < 2 * MANY * COLUMNS


def test_float32_rows_are_their_own_float32_copy() -> None:
    points = Points(SINGLE)
    assert points.array(np.dtype(np.float32)) is SINGLE
    assert Points(DOUBLE).in_double().rows is DOUBLE
