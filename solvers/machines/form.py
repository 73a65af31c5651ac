"""What a machine is made of, and what every solver derives from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

Feasible = Literal["box", "simplex"]
Split = Literal["joint", "one-vs-rest", "pairs"]
Vote = Literal["argmax", "votes", "graph"]


@dataclass(frozen=True, eq=False)
class DualForm:
    """One training problem, as every solver sees it.

    Variables are alpha[i, p] for example i and slot p; a slot whose direction is all zero is no variable.
    """

    direction: np.ndarray  # (classes, slots, outputs): what one unit of alpha does to each class function
    margin: np.ndarray  # (classes, slots): the linear term of the dual
    feasible: Feasible  # each variable in [0, U_i], or each example's sum in [0, U_i]

    @property
    def classes(self) -> int:
        return self.direction.shape[0]

    @property
    def slots(self) -> int:
        return self.direction.shape[1]

    @property
    def outputs(self) -> int:
        return self.direction.shape[2]

    @cached_property
    def real(self) -> np.ndarray:
        """(classes, slots): which slots are variables."""
        return np.any(self.direction != 0.0, axis=2)

    @cached_property
    def length(self) -> np.ndarray:
        """(classes, slots): squared length of the direction, the coupling of a variable with itself."""
        return np.einsum("ypc,ypc->yp", self.direction, self.direction)

    @cached_property
    def centred(self) -> bool:
        """All directions sum to zero, so the class functions always do."""
        return self.outputs > 1 and bool(np.allclose(self.direction.sum(axis=2), 0.0, atol=1e-12))

    @cached_property
    def rule(self) -> Rule:
        """The table as a few numbers: every machine treats all wrong classes alike."""
        reading = self._shifted() if self.centred else self.direction
        rule = _read_off(self, reading)
        if not np.allclose(_written_out(rule, self), reading, atol=1e-12):
            raise ValueError("a machine's directions must be the same for every own class and every wrong class")
        return rule

    @cached_property
    def reading(self) -> tuple[np.ndarray, np.ndarray]:
        """The sparse row (index, value), each (classes, slots, width), with <direction, f> = value . f[index].

        Where the class functions sum to zero, a constant may be taken off the direction: it reads the
        same and most entries vanish (llw reads one class function instead of all).
        """
        table = self._shifted() if self.centred else self.direction
        width = max(1, int((table != 0.0).sum(axis=2).max()))
        order = np.argsort(table == 0.0, axis=2, kind="stable")[:, :, :width]
        return np.ascontiguousarray(order), np.ascontiguousarray(np.take_along_axis(table, order, axis=2))

    def _shifted(self) -> np.ndarray:
        """Directions less what they do to a class that a slot is not about: mostly zeros."""
        table = self.direction.copy()
        for y, p in np.ndindex(self.classes, self.slots):
            bystanders = [c for c in range(self.outputs) if c not in (y, p)] or [c for c in (y, 1 - y) if c != p]
            table[y, p] -= table[y, p, bystanders[0]]
        return np.where(np.abs(table) < 1e-12, 0.0, table)


class Rule(NamedTuple):
    """How slot p of an example of class y reads the class functions.

    own slot (p = y): gradient = margin_own - own * f_y; any other: margin_other - before * f_y - other * f_p.
    A direction is its reading plus a constant on all outputs, which the zero sum of the functions hides.
    """

    margin_own: float
    own: float
    constant_own: float
    margin_other: float
    before: float
    other: float
    constant_other: float


def _read_off(form: DualForm, reading: np.ndarray) -> Rule:
    y, p = (0, 1) if form.slots > 1 else (1, 0)  # a wrong slot; the only one of a binary form is wrong for class 1
    hidden = form.direction - reading
    return Rule(
        float(form.margin[0, 0]),
        float(reading[0, 0, 0]),
        float(hidden[0, 0, 0]),
        float(form.margin[y, p]),
        float(reading[y, p, y]) if form.slots > 1 else 0.0,
        float(reading[y, p, p]),
        float(hidden[y, p, 0]),
    )


def _written_out(rule: Rule, form: DualForm) -> np.ndarray:
    table = np.zeros_like(form.direction)
    for y in range(form.classes):
        for p in range(form.slots):
            if p == y:
                table[y, p, p] = rule.own
            else:
                table[y, p, p] = rule.other
                if rule.before:
                    table[y, p, y] += rule.before
    return table


@dataclass(frozen=True)
class Machine:
    """A multi-class machine: how its training problem looks, splits, and decides."""

    name: str
    title: str
    decides: str  # in words, for results
    form: Callable[[int, float], DualForm]  # (classes, margin) -> the problem of one part
    margin: Callable[[int], float] = lambda classes: 1.0  # the default, by number of classes
    bias: Literal["none", "exact"] = "none"  # the default
    split: Split = "joint"
    vote: Vote = "argmax"


def binary_form(margin: float) -> DualForm:
    """Two classes, one function: class 0 wants it above the margin, class 1 below minus the margin."""
    return DualForm(np.array([[[1.0]], [[-1.0]]]), np.full((2, 1), float(margin)), "box")


def relative_form(classes: int, margin: float, feasible: Feasible) -> DualForm:
    """f_y against every f_c: direction e_y - e_c (ww, cs)."""
    eye = np.eye(classes)
    direction = eye[:, None, :] - eye[None, :, :]
    return DualForm(direction, margin * (1.0 - eye), feasible)


def absolute_form(classes: int, margin: float, feasible: Feasible, *, own: bool, others: bool) -> DualForm:
    """Each f_c on its own, under sum_c f_c = 0: own slot e_y - 1/k, other slots -(e_c - 1/k)."""
    eye = np.eye(classes)
    sign = np.where(np.eye(classes, dtype=bool), float(own), -float(others))
    direction = sign[:, :, None] * (eye - 1.0 / classes)[None, :, :]
    return DualForm(direction, margin * np.abs(sign), feasible)
