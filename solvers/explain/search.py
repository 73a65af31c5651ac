"""A search for the smallest change of a row that changes its predicted class; the model confirms every answer.

The search starts from seen rows of other classes, moved into the room of the row, and from the border along gradients.
Each start is tightened in turn. Categories and whole steps go back one by one as long as the predicted class stays the
wanted one. Free columns go to the point of the linearised border nearest to the row, and from there along the line to
the row until the predicted class changes (sequential quadratic programming with exact verification). Last, the columns
that change least are reset if the change is then hardly farther.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mcsvm.solvers.budget import EXPLAIN
from mcsvm.solvers.errors import Sentence
from mcsvm.solvers.explain.game import between, decision_of_few
from mcsvm.solvers.explain.gradients import DERIVATIVES, gradients
from mcsvm.solvers.explain.room import Room
from mcsvm.solvers.model import Model

Decide = Callable[[np.ndarray], np.ndarray]  # (rows,) class numbers of dense rows; negative without a prediction


@dataclass(frozen=True, eq=False)
class Found:
    row: np.ndarray | None
    own: int
    other: int | None
    distance: float | None
    why: Sentence | None  # the reason if there is no row


def smallest_change(model: Model, room: Room, decide: Decide, to: int | None = None) -> Found:
    own = int(decide(room.x[None])[0])

    def other(rows: np.ndarray) -> np.ndarray:
        """Return (rows,) bool: whether the predicted class is a wanted one."""
        codes = decide(rows)
        return (codes >= 0) & (codes != own) if to is None else codes == to

    if room.closed:
        return Found(None, own, None, None, Sentence("no column that may change has a second value"))
    found = [_tightened(model, room, start, own, other, decide) for start in _starts(model, room, own, other, decide)]
    if not found:
        return Found(None, own, None, None, _why(room))
    best = _of_fewer_columns(room, min(found, key=lambda row: float(room.distances(row[None])[0])), other)
    return Found(best, own, int(decide(best[None])[0]), float(room.distances(best[None])[0]), None)


def _why(room: Room) -> Sentence:
    return Sentence(
        "with the fixed columns unchanged, the {count} known row does not get the wanted prediction, and following the"
        " gradients reaches no decision boundary",
        "with the fixed columns unchanged, none of the {count} known rows gets the wanted prediction, and following the"
        " gradients reaches no decision boundary",
        count=len(room.seen),
    )


def _starts(model: Model, room: Room, own: int, other: Callable[..., np.ndarray], decide: Decide) -> list[np.ndarray]:
    """Return rows of a wanted class: the nearest seen ones, and those reached along gradients."""
    rows = room.brought_in(room.seen)
    rows = rows[other(rows)]
    rows = rows[np.argsort(room.distances(rows), kind="stable")]
    rivals = np.unique(decide(rows)) if rows.size else np.arange(model.classes)
    along = [_along_gradient(model, room, own, int(rival), other) for rival in rivals if rival >= 0 and rival != own]
    return [*rows[: EXPLAIN.starts], *(row for row in along if row is not None)]


def _along_gradient(
    model: Model, room: Room, own: int, rival: int, other: Callable[..., np.ndarray]
) -> np.ndarray | None:
    if not room.free.any() or own < 0:
        return None
    row = room.x
    for _ in range(EXPLAIN.rounds // 5):
        row = _across(model, room, row, own, rival)
        met = _on_line(room, row, other)
        if met is not None:
            return met
    return None


def _across(model: Model, room: Room, row: np.ndarray, own: int, rival: int) -> np.ndarray:
    """Return the row nearest to x at which f_own - f_rival, linearised at `row`, is zero."""
    if model.kernel.name not in DERIVATIVES:
        return row
    slope = between(model, gradients(model, row), own, rival)
    value = float(between(model, decision_of_few(model, row[None])[0], own, rival))
    return room.nearest(row, slope, float(slope @ row) - value)


def _on_line(room: Room, row: np.ndarray, other: Callable[..., np.ndarray]) -> np.ndarray | None:
    """Return the first point of a wanted class on the line of the free columns from x through `row`, or None.

    All other columns have the values of `row`.
    """
    origin = np.where(room.free, room.x, row)
    low, high = 0.0, EXPLAIN.reach
    found = None
    for _ in range(EXPLAIN.narrowings):
        shares = np.linspace(low, high, EXPLAIN.mesh + 1)
        points = np.clip(origin + shares[:, None] * (row - origin), room.low, room.high)
        points[:, ~room.free] = row[~room.free]
        right = np.flatnonzero(other(points))
        if not right.size:
            return found
        first = int(right[0])
        found = points[first]
        if first == 0:
            return found
        low, high = shares[first - 1], shares[first]
    return found


def _tightened(
    model: Model, room: Room, row: np.ndarray, own: int, other: Callable[..., np.ndarray], decide: Decide
) -> np.ndarray:
    for _ in range(2):
        row = _stepped_back(room, row, other)
        row = _along_border(model, room, row, own, other, decide)
    return row


def _stepped_back(room: Room, row: np.ndarray, other: Callable[..., np.ndarray]) -> np.ndarray:
    """Move categories and columns of steps as near to x as the predicted class allows."""
    while True:
        rows = room.back(row)
        rows = rows[other(rows)] if len(rows) else rows
        if not len(rows):
            return row
        nearest = rows[np.argmin(room.distances(rows))]
        if room.distances(nearest[None])[0] >= room.distances(row[None])[0]:
            return row
        row = nearest


def _of_fewer_columns(room: Room, row: np.ndarray, other: Callable[..., np.ndarray]) -> np.ndarray:
    """Reset as many free columns to x as possible, those that change least first, if the row is then hardly farther."""
    farther = np.clip(room.x + EXPLAIN.slack * (row - room.x), room.low, room.high)
    pushed = np.where(room.free, farther, row)
    sizes = np.where(room.free, np.abs(row - room.x) / room.spread, 0.0)
    order = np.argsort(sizes, kind="stable")[int((sizes == 0.0).sum()) :]
    rows = np.repeat(pushed[None], order.size, axis=0)
    for count, column in enumerate(order):
        rows[count:, column] = room.x[column]
    fewer = np.flatnonzero(other(rows)) if order.size else order
    met = _on_line(room, rows[fewer[-1]], other) if fewer.size else None
    if met is None or room.distances(met[None])[0] > EXPLAIN.slack * room.distances(row[None])[0]:
        return row
    return met


def _along_border(
    model: Model, room: Room, row: np.ndarray, own: int, other: Callable[..., np.ndarray], decide: Decide
) -> np.ndarray:
    """Move the free columns to the nearest point of the border."""
    met = _on_line(room, row, other)
    row = row if met is None else met
    for _ in range(EXPLAIN.rounds if room.free.any() and own >= 0 else 0):
        rival = int(decide(row[None])[0])
        there = _across(model, room, row, own, rival)
        tried = [_on_line(room, row + share * (there - row), other) for share in (1.0, 0.3)]
        better = [one for one in tried if one is not None]
        if not better:
            return row
        nearest = min(better, key=lambda one: float(room.distances(one[None])[0]))
        gained = 1.0 - room.distances(nearest[None])[0] / room.distances(row[None])[0]
        if gained > 0.0:
            row = nearest
        if gained < EXPLAIN.gain:
            return row
    return row
