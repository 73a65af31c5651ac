"""Derived arrays, chosen rows and products of points: in many pieces as in one."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from ticks import counted

from mcsvm.solvers import work
from mcsvm.solvers.kernels.points import DERIVED, Points, rows_times, transposed_times

RNG = np.random.default_rng(2)
ROWS = RNG.normal(size=(60, 5)) * (RNG.random((60, 5)) < 0.6)
FORMS = pytest.mark.parametrize("form", [np.asarray, sp.csr_array])


def dense(array: Any) -> np.ndarray:
    return array.toarray() if sp.issparse(array) else np.asarray(array)


@pytest.mark.parametrize("name", [name for name in DERIVED if name != "centred"])
def test_derived_arrays_have_the_same_bits(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = ROWS.astype(np.float32) if name == "double" else ROWS
    whole = Points(rows).prepare(name)
    monkeypatch.setattr(work, "PIECE", 1000.0)
    cut, times = counted(lambda: Points(rows).prepare(name))
    assert cut.dtype == whole.dtype
    np.testing.assert_array_equal(cut, whole)
    assert times > 3


def test_rows_are_moved_to_their_mean_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "PIECE", 1000.0)
    centred, times = counted(lambda: Points(ROWS + 1e3).prepare("centred"))
    moved = ROWS - ROWS.mean(axis=0)
    assert 0.5 < np.abs(centred.rows[:, :5]).max() <= 1.0
    np.testing.assert_allclose(centred.scale * centred.rows[:, :5], moved, atol=1e-6)
    np.testing.assert_allclose(centred.scale**2 * centred.halves, 0.5 * (moved**2).sum(axis=1), rtol=1e-11)
    assert times > 3


def test_a_view_has_what_was_derived_and_copies_nothing() -> None:
    points = Points(ROWS)
    for name in DERIVED:
        points.prepare(name)
    part, some = points.view(slice(10, 30)), np.arange(10, 30)
    assert np.shares_memory(part.rows, points.rows)
    assert part.centred is not None
    assert np.shares_memory(part.centred.rows, points.centred.rows)  # type: ignore[union-attr]
    np.testing.assert_array_equal(part.squares, points.squares[some])
    for dtype in (np.dtype(np.float32), np.dtype(np.float64)):
        assert np.shares_memory(part.folded(dtype), points.folded(dtype))
        np.testing.assert_array_equal(part.folded(dtype), points.folded(dtype)[:, some])


@FORMS
def test_chosen_rows_have_the_same_bits(form: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    index = RNG.permutation(60)[:40]
    points = Points(form(ROWS))
    points.prepare("single")
    monkeypatch.setattr(work, "PIECE", 1000.0)
    taken = points.take(index)
    np.testing.assert_array_equal(dense(taken.rows), ROWS[index])
    np.testing.assert_array_equal(dense(taken.array(np.dtype(np.float32))), ROWS[index].astype(np.float32))


@FORMS
@pytest.mark.parametrize("product", [rows_times, transposed_times])
def test_products_with_rows_are_sums_over_pieces(
    product: Callable[..., np.ndarray], form: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    right = RNG.normal(size=(5 if product is rows_times else 60, 3))
    whole = product(form(ROWS), right)
    monkeypatch.setattr(work, "PIECE", 1000.0)
    monkeypatch.setattr("mcsvm.solvers.kernels.points.PIECE", 1000.0)
    cut, times = counted(lambda: product(form(ROWS), right))
    np.testing.assert_allclose(cut, whole, rtol=1e-13, atol=1e-13)
    assert times > 3
