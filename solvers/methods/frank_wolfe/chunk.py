"""The dual over a chunk of examples, all other examples fixed, as flat arrays over its variables.

maximise margin'x - 1/2 x'Qx + (a linear term from the fixed examples) over 0 <= x <= upper or, for a simplex, sums of
every example in [0, limit]; with an exact bias also balance @ x = target. Note on the WW-M-SVM, section 5.3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from mcsvm.solvers.dual.geometry import BOX, Geometry
from mcsvm.solvers.dual.quantities import weights_of
from mcsvm.solvers.jit.rounding import LAST_DIGITS
from mcsvm.solvers.methods.base import State
from mcsvm.solvers.methods.frank_wolfe.groups import SumGroups
from mcsvm.solvers.problem import Part


@dataclass
class Chunk:
    """A sub-problem with its current point. If it is `balanced`, `functions` do not include the bias."""

    examples: np.ndarray  # (q,) of the part
    member: np.ndarray  # (v,) which of the examples a variable belongs to, rising
    slot: np.ndarray  # (v,)
    kernel: np.ndarray  # (q, q) float64, offset included
    expand: csr_array  # (q * outputs, v): point -> weights
    read: csr_array  # its transpose: functions -> <direction, f>
    margin: np.ndarray  # (v,)
    upper: np.ndarray  # (v,)
    geometry: Geometry
    groups: SumGroups | None  # the examples of bounded sums
    balanced: bool
    balance: np.ndarray  # (outputs, v): the directions as columns
    target: np.ndarray  # (outputs,) the required balance @ point, if `balanced`
    point: np.ndarray  # (v,)
    functions: np.ndarray  # (q, outputs)
    bias: np.ndarray  # (outputs,) the multipliers of the balance
    gained: float = 0.0  # rise of the dual so far

    def gradient(self) -> np.ndarray:
        """Return the gradient of the dual, without the bias if the chunk is `balanced`."""
        return np.asarray(self.margin - self.read @ self.functions.ravel())

    def reduced(self, gradient: np.ndarray, bias: np.ndarray) -> np.ndarray:
        """Return the gradient of the Lagrangian: the bias, as multiplier of the balance, is added to the functions."""
        return gradient - bias @ self.balance if self.balanced else gradient

    def product(self, direction: np.ndarray) -> tuple[np.ndarray, float]:
        """Return (change of the functions by a unit step, direction' Q direction)."""
        weights = (self.expand @ direction).reshape(self.functions.shape)
        change = self.kernel @ weights
        return change, float(np.vdot(weights, change))

    def free(self) -> np.ndarray:
        """Return which variables are free: they span the smallest face around the point."""
        return self.geometry.face(self.point, self.upper)

    def room(self, direction: np.ndarray) -> float:
        """Return the longest step that stays feasible, for a direction that does not point outwards at any bound."""
        falling = (self.point > 0.0) & (direction < 0.0)
        room = float(np.min(self.point[falling] / -direction[falling], initial=np.inf))
        if self.groups is None:
            rising = BOX.room_up(self.point, self.upper) & (direction > 0.0)
            return float(np.min((self.upper - self.point)[rising] / direction[rising], initial=room))
        rate = self.groups.sums(direction)
        rising = ~self.groups.full(self.point) & (rate > 0.0)
        return float(np.min(self.groups.slack(self.point)[rising] / rate[rising], initial=room))

    def move(self, direction: np.ndarray, step: float, change: np.ndarray, gain: float) -> bool:
        """Move by step * direction, and put variables within rounding of a bound onto it; return whether any moved."""
        arrived = BOX.snapped(self.point + step * direction, self.upper)
        moved = bool(np.any(arrived != self.point))
        self.point = arrived
        self.functions = self.functions + step * change
        self.gained += gain
        return moved

    def violation(self, gradient: np.ndarray) -> float:
        """Return the KKT violation (jit/scan.py) for a gradient that includes the bias."""
        if self.groups is None:
            return BOX.violation(gradient, self.point, self.upper)
        top = np.maximum(self.groups.largest(gradient), 0.0)
        bottom = -self.groups.largest(np.where(self.point > 0.0, -gradient, -np.inf))
        bottom = np.where(self.groups.full(self.point), bottom, np.minimum(bottom, 0.0))
        return float(np.max(top - bottom, initial=0.0))

    def tidy(self) -> None:
        """Remove rounding errors in the sums and in the balance."""
        if self.groups is not None:
            self.point = self.groups.completed(self.point)
        if self.balanced:
            self._restore_balance()

    def _restore_balance(self) -> None:
        left = self.target - self.balance @ self.point
        room = np.minimum(self.point, self._headroom())
        if np.abs(left).max() > LAST_DIGITS * max(1.0, float(np.abs(self.target).max())) and room.any():
            multipliers = np.linalg.lstsq((self.balance * room) @ self.balance.T, left, rcond=1e-10)[0]
            step = np.clip(room * (multipliers @ self.balance), -0.5 * room, 0.5 * room)
            self.move(step, 1.0, self.product(step)[0], 0.0)

    def _headroom(self) -> np.ndarray:
        if self.groups is None:
            return self.upper - self.point
        return self.groups.spread(self.groups.slack(self.point) / self.groups.sizes)


def cut(part: Part, state: State, examples: np.ndarray, kernel: np.ndarray) -> Chunk:
    """Return the sub-problem of these examples; `kernel` is their float64 kernel matrix with the offset."""
    form, labels = part.form, part.labels[examples]
    member, slot = np.nonzero(form.real[labels])
    direction = form.direction[labels[member], slot]
    row, output = np.nonzero(direction)
    place = (member[row] * form.outputs + output, row)
    expand = csr_array((direction[row, output], place), shape=(examples.size * form.outputs, member.size))
    point, upper = state.alpha[examples[member], slot], part.upper[examples][member]
    target = np.zeros(form.outputs)
    if part.balanced:
        target = direction.T @ point - weights_of(part, state.alpha).sum(axis=0)
    return Chunk(
        examples=examples,
        member=member,
        slot=slot,
        kernel=kernel,
        expand=expand,
        read=expand.T.tocsr(),
        margin=form.margin[labels[member], slot],
        upper=upper,
        geometry=part.geometry,
        groups=SumGroups.of(member, upper) if part.geometry.sums else None,
        balanced=part.balanced,
        balance=np.ascontiguousarray(direction.T),
        target=target,
        point=point,
        functions=state.functions[examples] - (state.constant if part.balanced else 0.0),
        bias=state.constant.copy(),
    )
