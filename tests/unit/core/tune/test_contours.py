"""Contours of functions whose lines are known."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mcsvm_gui.core.tune.contours import contour, triangles

X, Y = np.arange(-3.0, 4.0), np.arange(0.0, 5.0)
PLACES = np.meshgrid(X, Y)


def line(values: np.ndarray, level: float) -> np.ndarray:
    """Through what is known of a lattice."""
    known = np.isfinite(values)
    return contour(triangles(PLACES[0][known], PLACES[1][known], values[known]), level)


@example(1.0, 2.2250738585e-313, 0.25)  # steps below the least normal number
@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(-8, 8))
def test_of_a_plane_the_line_is_straight_and_cuts_the_whole_rectangle(across: float, up: float, level: float) -> None:
    values = across * PLACES[0] + up * PLACES[1]
    segments = line(values, level)
    reached = across * segments[..., 0] + up * segments[..., 1]
    assert reached == pytest.approx(np.full(reached.shape, level), abs=1e-6)
    if values.min() + 1e-3 < level < values.max() - 1e-3:
        corners = [(x, y) for x in X[[0, -1]] for y in Y[[0, -1]]]
        sides = [(corners[a], corners[b]) for a, b in ((0, 1), (1, 3), (3, 2), (2, 0))]
        ends = [end for side in sides for end in _crossings(side, across, up, level)]
        longest = max(np.hypot(*(np.array(a) - b)) for a in ends for b in ends)
        assert np.hypot(*(segments[:, 0] - segments[:, 1]).T).sum() == pytest.approx(longest, rel=1e-3, abs=1e-3)


def _crossings(side: tuple, across: float, up: float, level: float) -> list[np.ndarray]:
    start, end = map(np.array, side)
    low, high = across * start[0] + up * start[1], across * end[0] + up * end[1]
    return (
        [start + (level - low) / (high - low) * (end - start)]
        if low != high and (low - level) * (high - level) <= 0.0
        else []
    )


def test_where_a_value_is_missing_there_is_no_line() -> None:
    values = PLACES[0].copy()
    values[2, 3] = np.nan  # at x = 0, y = 2
    segments = line(values, 0.5)
    heights = np.sort(segments.reshape(-1, 2)[:, 1])
    assert not np.any((heights > 1.0) & (heights < 3.0))
    assert heights[0] == 0.0
    assert heights[-1] == 4.0


def test_nothing_known_has_no_lines() -> None:
    assert line(np.full(PLACES[0].shape, np.nan), 0.5).shape == (0, 2, 2)


def test_points_that_share_no_line_cost_no_lattice() -> None:
    places = np.arange(3000.0)
    tracemalloc.start()
    assert contour(triangles(places, places[::-1], places), 0.5).shape == (0, 2, 2)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2000 * places.size
