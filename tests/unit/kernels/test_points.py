"""Derived arrays, chosen rows and products of points: in many pieces as in one."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from solvers import work
from solvers.kernels.points import DERIVED, Points, rows_times, transposed_times
from solvers.work import Work, finish

RNG = np.random.default_rng(2)
ROWS = RNG.normal(size=(60, 5)) * (RNG.random((60, 5)) < 0.6)
FORMS = pytest.mark.parametrize("form", [np.asarray, sp.csr_array])


def counted(some_work: Work[Any]) -> tuple[Any, int]:
    """The result, and how often it could be interrupted."""
    count = 0
    while True:
        try:
            next(some_work)
            count += 1
        except StopIteration as end:
            return end.value, count


def dense(array: Any) -> np.ndarray:
    return array.toarray() if sp.issparse(array) else np.asarray(array)


@pytest.mark.parametrize("name", DERIVED)
def test_derived_arrays_have_the_same_bits(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = finish(Points(ROWS).prepare(name))
    monkeypatch.setattr(work, "PIECE", 1000.0)
    cut, times = counted(Points(ROWS).prepare(name))
    assert cut.dtype == whole.dtype
    np.testing.assert_array_equal(cut, whole)
    assert times > 3


@FORMS
def test_chosen_rows_have_the_same_bits(form: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    index = RNG.permutation(60)[:40]
    points = Points(form(ROWS))
    finish(points.prepare("single"))
    monkeypatch.setattr(work, "PIECE", 1000.0)
    taken = finish(points.taking(index))
    np.testing.assert_array_equal(dense(taken.rows), ROWS[index])
    np.testing.assert_array_equal(dense(taken.array(np.dtype(np.float32))), ROWS[index].astype(np.float32))


@FORMS
@pytest.mark.parametrize("product", [rows_times, transposed_times])
def test_products_with_rows_are_sums_over_pieces(
    product: Callable[..., Work[np.ndarray]], form: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    right = RNG.normal(size=(5 if product is rows_times else 60, 3))
    whole = finish(product(form(ROWS), right))
    monkeypatch.setattr(work, "PIECE", 1000.0)
    cut, times = counted(product(form(ROWS), right))
    np.testing.assert_allclose(cut, whole, rtol=1e-13, atol=1e-13)
    assert times > 3
