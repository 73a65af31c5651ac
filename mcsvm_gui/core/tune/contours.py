"""Lines of equal value over a lattice; a missing value interrupts the line."""

from __future__ import annotations

import numpy as np

POINT = 1e-6  # a shorter line is not drawn
EDGES = (0, 1), (1, 2), (2, 0)


def contour(corners: np.ndarray, level: float) -> np.ndarray:
    """Return (segments, 2 ends, 2 coordinates) of the line along `level` through `triangles`."""
    above = corners[:, :, 2] > level
    crossing = np.stack([above[:, a] != above[:, b] for a, b in EDGES], axis=1)
    crossed = crossing.any(axis=1)
    corners, crossing = corners[crossed], crossing[crossed]
    points = np.stack([_crossing(corners[:, a], corners[:, b], level) for a, b in EDGES], axis=1)
    segments = points[crossing].reshape(-1, 2, 2)  # a line that enters a triangle leaves it: two crossings each
    return segments[np.abs(segments[:, 0] - segments[:, 1]).max(axis=1) > POINT]


def triangles(x: np.ndarray, y: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return four triangles around the middle of every complete square: (triangles, 3 corners, x y value)."""
    whole = np.stack([x, y, values], axis=-1)
    around = [whole[corner] for corner in _squares(x, y)]
    middle = sum(around) / 4.0
    parts = [np.stack([around[i], around[(i + 1) % 4], middle], axis=-2) for i in range(4)]
    return np.concatenate([part.reshape(-1, 3, 3) for part in parts])


def _squares(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return (4, squares) indices of the points at the corners, in turn.

    The full lattice is never built: if points do not form a grid, it has far more places than there are points.
    """
    (xs, column), (_, row) = (np.unique(places, return_inverse=True) for places in (x, y))
    width = xs.size + 1  # there is no point beyond the last column, nor is the next row there
    place = row * width + column
    order = np.argsort(place)
    wanted = place + np.array([[0], [1], [width + 1], [width]])
    found = order[np.minimum(np.searchsorted(place, wanted, sorter=order), place.size - 1)]
    return found[:, (place[found] == wanted).all(axis=0)]


def _crossing(start: np.ndarray, end: np.ndarray, level: float) -> np.ndarray:
    """Return where the value passes the level; without meaning, and not used, if it does not."""
    rise, lacking = end[:, 2] - start[:, 2], level - start[:, 2]
    passed = (rise != 0.0) & (np.abs(lacking) <= np.abs(rise))  # else the quotient may overflow
    share = np.divide(lacking, rise, out=np.zeros_like(rise), where=passed)
    return start[:, :2] + share[:, None] * (end[:, :2] - start[:, :2])
