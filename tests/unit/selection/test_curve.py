"""Learning curves: laws that are known are found again, and what is not known is said to be uncertain."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcsvm.solvers.selection.curve import DRAWS, Laws, extrapolate, fitted

ROWS = np.array([100.0, 200.0, 400.0, 800.0, 1600.0])


def law(a: float, b: float, c: float) -> np.ndarray:
    return a - b * ROWS**-c


@pytest.mark.slow
@given(a=st.floats(0.6, 0.99), b=st.floats(0.5, 3.0), c=st.floats(0.3, 1.0))
def test_a_curve_without_noise_is_extrapolated(a: float, b: float, c: float) -> None:
    found = fitted(ROWS, law(a, b, c)[None])
    for times in (2.0, 4.0):
        assert found.at(times * ROWS[-1])[0] == pytest.approx(a - b * (times * ROWS[-1]) ** -c, abs=2e-3)


@pytest.mark.slow
@given(st.lists(st.floats(0.0, 1.0), min_size=5, max_size=5))
def test_the_law_is_one_of_accuracies(accuracies: list[float]) -> None:
    found = fitted(ROWS, np.array([accuracies]))
    assert found.a[0] <= 1.0
    assert found.b[0] >= 0.0
    assert 0.0 < found.c[0] <= 2.0
    values = [found.at(rows)[0] for rows in (1e3, 1e4, 1e6)]
    assert values == sorted(values), "more rows make nothing worse"
    assert 0.0 <= values[0] <= values[-1] <= 1.0


@pytest.mark.slow
@given(st.lists(st.floats(0.2, 1.0), min_size=5, max_size=5))
def test_no_other_law_fits_better(accuracies: list[float]) -> None:
    """Least squares, against laws nearby."""
    y = np.array(accuracies)
    found = fitted(ROWS, y[None])
    least = ((found.at(ROWS[0])[0] * 0 + found.a[0] - found.b[0] * ROWS ** -found.c[0] - y) ** 2).sum()
    for a, b in ((1e-3, 0.0), (-1e-3, 0.0), (0.0, 1e-3), (0.0, -1e-3)):
        other = Laws(np.minimum(found.a + a, 1.0), np.maximum(found.b + b, 0.0), found.c)
        assert least <= ((other.a[0] - other.b[0] * ROWS ** -other.c[0] - y) ** 2).sum() + 1e-12


def test_laws_are_fitted_together_as_one_by_one() -> None:
    many = np.array([law(0.9, 2.0, 0.5), law(0.7, 1.0, 0.8), np.linspace(0.9, 0.5, 5)])
    together = fitted(ROWS, many)
    for number, one in enumerate(many):
        alone = fitted(ROWS, one[None])
        for name in ("a", "b", "c"):
            assert getattr(together, name)[number] == pytest.approx(getattr(alone, name)[0], rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.001, 0.01])
def test_the_interval_grows_with_the_noise_and_holds_the_truth(noise: float) -> None:
    """Of 40 curves with ten folds: nine tenths would be right; folds are few, so that some fewer are."""
    inside, widths = 0, []
    truth = 0.95 - 2.0 * 3200.0**-0.5
    for seed in range(40):
        chance = np.random.default_rng(seed)
        found = extrapolate(ROWS, law(0.95, 2.0, 0.5)[:, None] + noise * chance.normal(size=(5, 10)), seed).at(3200.0)
        inside += found.low <= truth <= found.high
        widths.append(found.high - found.low)
    assert inside >= 28
    assert noise / 10 < np.mean(widths) < 4 * noise


def test_a_curve_that_has_ended_promises_nothing() -> None:
    flat = np.tile(np.full(5, 0.8)[:, None], 5)
    found = extrapolate(ROWS, flat, 0)
    assert found.gain(1600.0, 2.0).value == pytest.approx(0.0, abs=1e-12)
    assert found.limit.high == pytest.approx(0.8)
    assert found.drawn.a.size == DRAWS
    assert extrapolate(ROWS, flat, 0).at(5000.0) == found.at(5000.0)
