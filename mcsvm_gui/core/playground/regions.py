"""The class that a machine predicts at every pixel of a square, by fast evaluation on a grid if the kernel allows it.

On a grid the Gaussian kernel is a product of one factor per axis, and polynomials are sums of products of powers: the
functions of all pixels are then one matrix product, of float64 numbers as in `Model.decision`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import factorial

import numpy as np

from mcsvm.solvers.model import Model, decide, dense_expansion
from mcsvm.solvers.problem import Problem
from mcsvm_gui.core.playground.drawing import REACH
from mcsvm_gui.core.playground.margins import clearance
from mcsvm_gui.core.playground.palette import BAND, LINE, MARGIN_LINE

STRIP = 40000  # pixels per slice


@dataclass(frozen=True, eq=False)
class Regions:
    labels: np.ndarray  # (side, side) uint8: classes as drawn; row 0 is the top of the picture
    clear: np.ndarray  # (side, side) bool: whether a point of that class would have no loss

    def codes(self) -> np.ndarray:
        """Return one number per pixel, see palette.py."""
        codes = self.labels + BAND * self.clear.astype(np.uint8)
        edge = _edges(self.clear)
        down, across = np.nonzero(edge)
        dashed = (down + across) % 6 < 3
        codes[down[dashed], across[dashed]] = MARGIN_LINE
        codes[_edges(self.labels)] = LINE
        return codes


def centres(side: int) -> np.ndarray:
    """Return the rising coordinates of pixel centres along an axis."""
    return REACH * ((2.0 * np.arange(side) + 1.0) / side - 1.0)


def regions(model: Model, problem: Problem, used: np.ndarray, side: int) -> Regions:
    """Compute slice by slice, so that the data stay in cache: three times as fast as the whole square at once."""
    across, classes = centres(side), used.astype(np.uint8)
    found = Regions(np.empty((side, side), dtype=np.uint8), np.empty((side, side), dtype=bool))
    height = max(1, STRIP // side)
    for first in range(0, side, height):
        strip = slice(first, min(first + height, side))
        values = planes(model, across, across[::-1][strip])
        labels = decide(model.machine, values.reshape(len(values), -1).T, model.classes).reshape(-1, side)
        found.labels[strip] = classes[labels]
        found.clear[strip] = clearance(problem, values, labels) >= 0.0
    return found


def planes(model: Model, across: np.ndarray, down: np.ndarray) -> np.ndarray:
    """Return (outputs, down, across): the decision values at the points of a grid."""
    if len(model.points) == 0:
        return np.broadcast_to(model.bias[:, None, None], (model.bias.size, down.size, across.size)).copy()
    on_grid = ON_GRID.get(model.kernel.name, _anywhere)
    return on_grid(model, across, down)


def _gaussian(model: Model, across: np.ndarray, down: np.ndarray) -> np.ndarray:
    gamma, rows = model.kernel.gamma, model.points.rows  # type: ignore[attr-defined]
    right = np.exp(-gamma * (rows[:, 0, None] - across) ** 2)
    left = np.exp(-gamma * (down[:, None] - rows[:, 1]) ** 2)
    return _products(model, left, right)


def _products(model: Model, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the sum over support vectors of left[y, s] * expansion[s, c] * right[s, x], plus the bias."""
    values = np.empty((model.bias.size, left.shape[0], right.shape[1]))
    for output in range(model.bias.size):
        weights = model.column(output)
        used = np.flatnonzero(weights)  # a pair's function uses the support vectors of two classes only
        np.matmul(left[:, used] * weights[used], right[used], out=values[output])
    values += model.bias[:, None, None]
    return values


def _linear(model: Model, across: np.ndarray, down: np.ndarray) -> np.ndarray:
    slopes = dense_expansion(model.expansion).T @ model.points.rows
    return slopes[:, 0, None, None] * across + slopes[:, 1, None, None] * down[:, None] + model.bias[:, None, None]


def _polynomial(model: Model, across: np.ndarray, down: np.ndarray) -> np.ndarray:
    """Evaluate (gamma (x u + y v) + coef0)^degree, multiplied out."""
    kernel, rows = model.kernel, model.points.rows
    gamma, degree, coef0 = kernel.gamma, kernel.degree, kernel.coef0  # type: ignore[attr-defined]
    powers = np.arange(degree + 1)
    u, v = rows[:, 0, None] ** powers, rows[:, 1, None] ** powers
    factors = np.array([[_term(degree, i, j, gamma, coef0) for i in powers] for j in powers])
    moments = np.einsum("sc,sj,si->cji", dense_expansion(model.expansion), v, u) * factors
    values = (down[:, None] ** powers) @ moments @ (across[:, None] ** powers).T
    return values + model.bias[:, None, None]


def _term(degree: int, i: int, j: int, gamma: float, coef0: float) -> float:
    rest = degree - int(i) - int(j)
    if rest < 0:
        return 0.0
    ways = factorial(degree) // (factorial(int(i)) * factorial(int(j)) * factorial(rest))
    return ways * gamma ** int(i + j) * coef0**rest


def _anywhere(model: Model, across: np.ndarray, down: np.ndarray) -> np.ndarray:
    """Evaluate any kernel, pixel by pixel."""
    x, y = np.meshgrid(across, down)
    values = model.decision(np.stack([x.ravel(), y.ravel()], axis=1))
    return np.ascontiguousarray(values.T).reshape(-1, down.size, across.size)


ON_GRID: dict[str, Callable[[Model, np.ndarray, np.ndarray], np.ndarray]] = {
    "rbf": _gaussian,
    "linear": _linear,
    "polynomial": _polynomial,
}


def _edges(values: np.ndarray) -> np.ndarray:
    """Mark the pixels that differ from their right or lower neighbour."""
    edges = np.zeros(values.shape, dtype=bool)
    edges[:, :-1] = values[:, :-1] != values[:, 1:]
    edges[:-1] |= values[:-1] != values[1:]
    return edges
