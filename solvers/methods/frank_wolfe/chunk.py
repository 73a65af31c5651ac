"""The dual over a chunk of examples, all others fixed, as flat arrays over its variables.

maximise margin'x - 1/2 x'Qx + (what the others add) over 0 <= x <= upper or, for a simplex, sums of every
example in [0, limit]; with an exact bias also balance @ x = target. Note on the WW-M-SVM, section 5.3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from solvers.methods.state import State, weights_of
from solvers.problem import Part

SNAP = 1e-13  # within this share of U of a bound, a variable is at it


@dataclass
class Chunk:
    """One sub-problem and the point it stands at. `functions` is without bias where the balance is kept."""

    examples: np.ndarray  # (q,) of the part
    member: np.ndarray  # (v,) which of the examples a variable belongs to, rising
    slot: np.ndarray  # (v,)
    kernel: np.ndarray  # (q, q) float64, offset included
    expand: csr_array  # (q * outputs, v): point -> weights
    read: csr_array  # its transpose: functions -> <direction, f>
    balance: np.ndarray  # (outputs, v): the directions as columns
    margin: np.ndarray  # (v,)
    upper: np.ndarray  # (v,)
    starts: np.ndarray | None  # simplex: the first variable of every example
    target: np.ndarray | None  # (outputs,) exact bias: what balance @ point must be
    point: np.ndarray  # (v,)
    functions: np.ndarray  # (q, outputs)
    bias: np.ndarray  # (outputs,) the multipliers of the balance
    gained: float = 0.0

    @property
    def limits(self) -> np.ndarray:
        """The bound of every example's sum."""
        return self.upper[self.starts]

    def gradient(self) -> np.ndarray:
        return self.margin - self.read @ self.functions.ravel()

    def reduced(self, gradient: np.ndarray, bias: np.ndarray) -> np.ndarray:
        """The gradient of the Lagrangian: what the gradient is once the bias is added to the functions."""
        return gradient if self.target is None else gradient - bias @ self.balance

    def product(self, direction: np.ndarray) -> tuple[np.ndarray, float]:
        """How a unit step changes the functions, and its curvature direction' Q direction."""
        weights = (self.expand @ direction).reshape(self.functions.shape)
        change = self.kernel @ weights
        return change, float(np.vdot(weights, change))

    def sums(self) -> np.ndarray:
        return np.add.reduceat(self.point, self.starts)

    def full(self) -> np.ndarray:
        """Which examples' sums are at their bound."""
        return self.sums() >= self.limits * (1.0 - SNAP)

    def free(self) -> np.ndarray:
        """Which variables are inside: those that span the smallest face around the point."""
        inside = self.point > 0.0
        return inside & (self.point < self.upper) if self.starts is None else inside

    def room(self, direction: np.ndarray) -> float:
        """The longest step that stays feasible; what is at a bound must not be headed outwards."""
        falling = (self.point > 0.0) & (direction < 0.0)
        room = np.min(self.point[falling] / -direction[falling], initial=np.inf)
        if self.starts is None:
            rising = (self.point < self.upper) & (direction > 0.0)
            return float(np.min((self.upper - self.point)[rising] / direction[rising], initial=room))
        rate, slack = np.add.reduceat(direction, self.starts), self.limits - self.sums()
        rising = ~self.full() & (rate > 0.0)
        return float(np.min(slack[rising] / rate[rising], initial=room))

    def move(self, direction: np.ndarray, step: float, change: np.ndarray, gain: float) -> bool:
        """Go there, landing on bounds that are within rounding; returns whether anything moved."""
        arrived = self.point + step * direction
        arrived[arrived < SNAP * self.upper] = 0.0
        arrived = np.where(arrived > self.upper * (1.0 - SNAP), self.upper, arrived)
        moved = bool(np.any(arrived != self.point))
        self.point = arrived
        self.functions = self.functions + step * change
        self.gained += gain
        return moved

    def violation(self, gradient: np.ndarray) -> float:
        """MATH.md, section 2, for a gradient that includes the bias."""
        if self.starts is None:
            up = np.max(gradient[self.point < self.upper], initial=0.0)
            return float(max(up, -np.min(gradient[self.point > 0.0], initial=0.0)))
        top = np.maximum(np.maximum.reduceat(gradient, self.starts), 0.0)
        bottom = np.minimum.reduceat(np.where(self.point > 0.0, gradient, np.inf), self.starts)
        bottom = np.where(self.full(), bottom, np.minimum(bottom, 0.0))
        return float(np.max(top - bottom, initial=0.0))

    def restore_balance(self) -> float:
        """Take what rounding left of the balance out of the free variables; returns what remains."""
        if self.target is None:
            return 0.0
        left = self.target - self.balance @ self.point
        room = np.minimum(self.point, self._headroom())
        scaled = self.balance * room
        if np.abs(left).max() > 1e-15 * max(1.0, float(np.abs(self.target).max())) and room.any():
            step = room * (np.linalg.lstsq(scaled @ self.balance.T, left, rcond=1e-10)[0] @ self.balance)
            step = np.clip(step, -0.5 * room, 0.5 * room)
            self.move(step, 1.0, self.product(step)[0], 0.0)
        return float(np.abs(self.target - self.balance @ self.point).max())

    def restore_sums(self) -> None:
        """Sums within rounding of their bound exactly there, by their largest variable."""
        if self.starts is None:
            return
        sizes = np.diff(np.append(self.starts, self.point.size))
        largest = self.point == np.repeat(np.maximum.reduceat(self.point, self.starts), sizes)
        share = largest / np.repeat(np.add.reduceat(largest, self.starts), sizes)
        self.point = self.point + share * np.repeat(np.where(self.full(), self.limits - self.sums(), 0.0), sizes)

    def _headroom(self) -> np.ndarray:
        if self.starts is None:
            return self.upper - self.point
        sizes = np.diff(np.append(self.starts, self.point.size))
        return np.repeat(np.maximum(self.limits - self.sums(), 0.0) / sizes, sizes)


def cut(part: Part, state: State, examples: np.ndarray, kernel: np.ndarray) -> Chunk:
    """The sub-problem of these examples, `kernel` being their float64 kernel matrix with the offset."""
    form, labels = part.form, part.labels[examples]
    member, slot = np.nonzero(form.real[labels])
    direction = form.direction[labels[member], slot]
    shape = (examples.size * form.outputs, member.size)
    row, output = np.nonzero(direction)
    expand = csr_array((direction[row, output], (member[row] * form.outputs + output, row)), shape=shape)
    point = state.alpha[examples[member], slot]
    starts = np.flatnonzero(np.diff(member, prepend=-1)) if form.feasible == "simplex" else None
    target, functions = None, state.functions[examples]
    if part.balanced:
        target = direction.T @ point - weights_of(part, state.alpha).sum(axis=0)
        functions = functions - state.constant
    return Chunk(
        examples, member, slot, kernel, expand, expand.T.tocsr(), np.ascontiguousarray(direction.T),
        form.margin[labels[member], slot], part.upper[examples][member], starts, target, point, functions,
        state.constant.copy(),
    )  # fmt: skip
