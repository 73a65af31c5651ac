"""Predictions of a model on a plane through its feature space: two columns, or two directions that separate classes.

On the plane z = x + D (t - D' x), D orthonormal, the rbf kernel is a product of one factor per direction and one for
the remaining directions, exp(-gamma |s - z|^2) = exp(-gamma (t_1 - d_1's)^2) exp(-gamma (t_2 - d_2's)^2) exp(-gamma
rest_s): if the row x moves, only the last factor changes. Each factor is interpolated from its values at Chebyshev
nodes, as many as make the error of every kernel value smaller than ERROR; so a frame costs nodes^2 products per support
vector, whatever its number of pixels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import eigh, qr

from mcsvm.solvers.kernels.points import Points
from mcsvm.solvers.model import Model, decide, pair_column
from mcsvm_gui.core.explain.columns import dense

ERROR = 1e-8  # largest error of a kernel value
NODES = 8, 12, 16, 20, 24, 32, 40, 48, 64, 96, 128
OTHER_NODES = 24  # for kernels other than rbf and linear: tanh is smooth, polynomials of any degree below are exact
SIDE, SMALLER = 320, 200  # pixels of a frame with few and with many functions
MANY = 12  # functions; beyond this, a frame has SMALLER pixels
BAND, LINE = 10, 20  # codes: a class, plus 10 if its margin is at least CLEAR; and the border between classes
CLEAR = 1.0


@dataclass(frozen=True, eq=False)
class Plane:
    """The directions D, and the part of the plane that is drawn."""

    directions: np.ndarray  # (features, 2), orthonormal
    low: np.ndarray  # (2,)
    high: np.ndarray

    @classmethod
    def of_features(cls, first: int, second: int, rows: np.ndarray) -> Plane:
        directions = np.zeros((rows.shape[1], 2))
        directions[first, 0] = directions[second, 1] = 1.0
        return cls._around(directions, rows)

    @classmethod
    def parting(cls, rows: np.ndarray, codes: np.ndarray) -> Plane:
        """Build the plane of Fisher's discriminant directions of the classes, made orthonormal."""
        centre, scatter = rows.mean(axis=0), np.zeros((rows.shape[1], rows.shape[1]))
        within = scatter.copy()
        for code in np.unique(codes):
            part = rows[codes == code]
            within += (part - part.mean(axis=0)).T @ (part - part.mean(axis=0))
            scatter += len(part) * np.outer(part.mean(axis=0) - centre, part.mean(axis=0) - centre)
        within += (1e-6 * np.trace(within) / len(within) + 1e-12) * np.eye(len(within))
        _, found = eigh(scatter, within)
        directions = qr(found[:, ::-1][:, :2], mode="economic")[0]
        return cls._around(directions * np.sign(directions.sum(axis=0) + 1e-300), rows)

    @classmethod
    def _around(cls, directions: np.ndarray, rows: np.ndarray) -> Plane:
        at = rows @ directions
        low, high = at.min(axis=0), at.max(axis=0)
        room = 0.05 * np.where(high > low, high - low, 1.0)
        return cls(directions, low - room, high + room)

    def place(self, row: np.ndarray) -> np.ndarray:
        """Return the (2,) coordinates of a row's projection."""
        return np.asarray(row @ self.directions)

    def through(self, row: np.ndarray, at: np.ndarray) -> np.ndarray:
        """Return (n, features) at the places (n, 2) of the plane through the row."""
        return np.asarray(row + (at - self.place(row)) @ self.directions.T)


@dataclass(frozen=True, eq=False)
class Frame:
    codes: np.ndarray  # (down, across) uint8, the first row at the bottom
    winner: int  # winner at the row


class Surface:
    """A model on a plane; `frame` is fast enough to follow the mouse."""

    def __init__(self, model: Model, plane: Plane, background: Any = None, weights: np.ndarray | None = None) -> None:
        """Prepare the plane; with `background`, show the mean of the functions over its rows, each on its parallel
        plane."""
        self.model, self.plane = model, plane
        self._points = dense(model.points.rows)
        self._background = None if background is None else dense(background)
        self._weights = weights
        self.side = SIDE if model.bias.size <= MANY else SMALLER

    # -- constant while the row moves ---------------------------------------------------------------

    @cached_property
    def _at(self) -> np.ndarray:
        """The (support, 2) coordinates of the support vectors on the plane."""
        return np.asarray(self._points @ self.plane.directions)

    @cached_property
    def _squares(self) -> np.ndarray:
        return np.asarray(np.square(self._points).sum(axis=1))

    @cached_property
    def nodes(self) -> int:
        kernel: Any = self.model.kernel
        if kernel.name == "linear":
            return 2
        if kernel.name == "polynomial":
            return int(kernel.degree) + 1
        return self._nodes_of_rbf if kernel.name == "rbf" else OTHER_NODES

    @cached_property
    def _nodes_of_rbf(self) -> int:
        """Find the number of nodes on the wider direction, with support vectors on it and next to it."""
        kernel: Any = self.model.kernel
        width = float((self.plane.high - self.plane.low).max())
        centres, fine = np.linspace(-0.2, 1.2, 15) * width, np.linspace(0.0, width, 301)
        exact = np.exp(-kernel.gamma * (fine[:, None] - centres) ** 2)
        for count in NODES:
            at = width * _chebyshev(count)
            found = _interpolation(_chebyshev(count), fine / width) @ np.exp(
                -kernel.gamma * (at[:, None] - centres) ** 2
            )
            if np.abs(found - exact).max() <= ERROR:
                return count
        return NODES[-1]

    @cached_property
    def _grid(self) -> tuple[np.ndarray, np.ndarray]:
        """The places of the nodes, by direction."""
        steps = _chebyshev(self.nodes)
        low, reach = self.plane.low, self.plane.high - self.plane.low
        return low[0] + reach[0] * steps, low[1] + reach[1] * steps

    @cached_property
    def _to_pixels(self) -> np.ndarray:
        """The (side, nodes) interpolation matrix."""
        return _interpolation(_chebyshev(self.nodes), (np.arange(self.side) + 0.5) / self.side)

    @cached_property
    def _factors(self) -> tuple[np.ndarray, np.ndarray]:
        """The factors of the two directions: (nodes, support) across and (support, nodes) down."""
        kernel: Any = self.model.kernel
        across, down = self._grid
        one = np.exp(-kernel.gamma * (across[:, None] - self._at[:, 0]) ** 2)
        two = np.exp(-kernel.gamma * (down - self._at[:, 1, None]) ** 2)
        return one, two

    @cached_property
    def _mean_rest(self) -> np.ndarray:
        assert self._background is not None
        kernel: Any = self.model.kernel
        beside = self._background - (self._background @ self.plane.directions) @ self.plane.directions.T
        points = self._points - self._at @ self.plane.directions.T
        values = kernel.block(Points(beside), Points(points), np.empty((len(beside), len(points))))
        return np.asarray(np.average(values, axis=0, weights=self._weights))

    # -- a frame ----------------------------------------------------------------------------------

    def values(self, row: np.ndarray) -> np.ndarray:
        """Return (outputs, nodes down, nodes across) decision values."""
        if self.model.kernel.name == "rbf" and len(self._points):
            return self._of_rbf(row)
        across, down = self._grid
        at = np.stack(np.meshgrid(across, down), axis=-1).reshape(-1, 2)
        if self._background is None:
            found = self.model.decision(self.plane.through(row, at))
        else:
            each = [self.model.decision(self.plane.through(one, at)) for one in self._background]
            found = np.average(each, axis=0, weights=self._weights)
        return np.ascontiguousarray(found.T).reshape(-1, down.size, across.size)

    def _of_rbf(self, row: np.ndarray) -> np.ndarray:
        one, two = self._factors
        rest = self._rest(row) if self._background is None else self._mean_rest
        used = np.flatnonzero(rest > 0.0)
        found = np.empty((self.model.bias.size, two.shape[1], one.shape[0]))
        for output in range(self.model.bias.size):
            shares = self.model.column(output) * rest
            some = used if shares[used].all() else used[shares[used] != 0.0]  # a pair's function uses two classes only
            left = one * shares if some.size == shares.size else one[:, some] * shares[some]
            right = two if some.size == shares.size else two[some]
            np.matmul(left, right, out=found[output].T)
        return found + self.model.bias[:, None, None]

    def _rest(self, row: np.ndarray) -> np.ndarray:
        kernel: Any = self.model.kernel
        inside = np.square(self._at - self.plane.place(row)).sum(axis=1)
        distances = self._squares - 2.0 * (self._points @ row) + row @ row - inside
        return np.asarray(np.exp(-kernel.gamma * np.maximum(distances, 0.0)))

    def frame(self, row: np.ndarray) -> Frame:
        values = self.values(row)
        pixels = self._to_pixels @ values @ self._to_pixels.T
        flat = np.ascontiguousarray(pixels.reshape(len(pixels), -1).T)
        model = self.model
        labels = decide(model.machine, flat, model.classes)
        clear = leads(model, flat, labels) >= CLEAR
        codes = (labels % BAND).astype(np.uint8) + BAND * clear.astype(np.uint8)
        labels, codes = labels.reshape(self.side, self.side), codes.reshape(self.side, self.side)
        codes[_edges(labels)] = LINE
        winner = int(decide(model.machine, model.decision(row[None]), model.classes)[0])
        return Frame(codes, winner)


def leads(model: Model, values: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the (n,) margin of the predicted class: over the next function, or in the closest of its pair
    functions."""
    rows = np.arange(labels.size)
    if model.machine.split != "pairs":
        top = values[rows, labels]
        rest = values.copy()
        rest[rows, labels] = -np.inf
        return np.asarray(top - rest.max(axis=1))
    found = np.full(labels.size, np.inf)
    for other in range(model.classes):
        low, high = np.minimum(labels, other), np.maximum(labels, other)
        same = labels == other
        column = np.where(same, 0, pair_column(low, np.maximum(high, low + 1), model.classes))
        value = values[rows, column] * np.where(labels < other, 1.0, -1.0)
        found = np.where(same, found, np.minimum(found, value))
    return found


def _chebyshev(count: int) -> np.ndarray:
    """Return the rising nodes of the first kind on [0, 1]."""
    return np.asarray(0.5 - 0.5 * np.cos((2.0 * np.arange(count) + 1.0) * np.pi / (2.0 * count)))


def _interpolation(nodes: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Return the (at, nodes) barycentric matrix from values at Chebyshev nodes."""
    count = nodes.size
    weights = np.sin((2.0 * np.arange(count) + 1.0) * np.pi / (2.0 * count)) * np.where(np.arange(count) % 2, -1.0, 1.0)
    steps = at[:, None] - nodes
    exact = steps == 0.0
    shares = weights / np.where(exact, 1.0, steps)
    shares = np.where(exact.any(axis=1, keepdims=True), exact.astype(float), shares)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _edges(labels: np.ndarray) -> np.ndarray:
    """Mark the pixels that differ from their right or upper neighbour."""
    edges = np.zeros(labels.shape, dtype=bool)
    edges[:, :-1] = labels[:, :-1] != labels[:, 1:]
    edges[:-1] |= labels[:-1] != labels[1:]
    return edges
