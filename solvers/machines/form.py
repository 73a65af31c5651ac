"""DualForm: the dual programme of a machine as a table of directions, margins and a feasible set; Machine.

A variable alpha[i, p] adds alpha * direction[y_i, p] to the weights of example i; its gradient in the dual is
margin[y_i, p] - <direction[y_i, p], f(x_i)>. The couplings Q are inner products of rows of the table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np

from mcsvm.solvers.jit.rounding import ROUNDING
from mcsvm.solvers.machines.rule import Rule

Feasible = Literal["box", "simplex"]
Split = Literal["joint", "one-vs-rest", "pairs"]
Vote = Literal["argmax", "votes", "graph"]


@dataclass(frozen=True, eq=False)
class DualForm:
    """The dual programme of one part. Slot p of class y is not a variable if its direction is zero (ww: p = y)."""

    direction: np.ndarray  # (classes, slots, outputs): change of the weights of an example per unit of alpha
    margin: np.ndarray  # (classes, slots): the linear term of the dual
    feasible: Feasible  # each variable in [0, U_i], or each example's sum in [0, U_i]

    @cached_property
    def classes(self) -> int:
        return self.direction.shape[0]

    @cached_property
    def slots(self) -> int:
        return self.direction.shape[1]

    @cached_property
    def outputs(self) -> int:
        return self.direction.shape[2]

    @cached_property
    def real(self) -> np.ndarray:
        """Return (classes, slots) which slots are variables."""
        return np.any(self.direction != 0.0, axis=2)

    @cached_property
    def is_readable(self) -> bool:
        """Tell whether alpha follows from the weights W without rounding: each variable has an entry of its own.

        This holds for the relative machines (ww, cs), where W_p = -alpha_p for every wrong class p, and for binary
        parts.
        """
        if self.slots == 1 and self.outputs == 1:
            return bool((np.abs(self.direction) == 1.0).all())
        own, wrong = self.direction[0], -np.eye(self.slots, self.outputs)[:, 1:]  # of class 0; all classes are alike
        return bool(not own[0].any() and np.array_equal(own[:, 1:], wrong))

    def read_alpha(self, labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return (n, slots) the variables of examples with these weights, for a form that `is_readable`."""
        alpha = np.abs(weights)
        if self.slots > 1:
            alpha[np.arange(labels.size), labels] = 0.0
        return alpha

    @cached_property
    def length(self) -> np.ndarray:
        """Return (classes, slots) |direction|^2; multiplied by K(x, x), it is the diagonal of Q."""
        return np.einsum("ypc,ypc->yp", self.direction, self.direction)

    @cached_property
    def centred(self) -> bool:
        """Tell whether all directions, and therefore the class functions, sum to zero over the outputs."""
        return self.outputs > 1 and _alike(self.direction.sum(axis=2), 0.0)

    @cached_property
    def uniform(self) -> tuple[float, float] | None:
        """Return (own, shared) such that <d_p, d_q> = own [p = q] + shared within every example, or None."""
        # Two own classes suffice, as `rule` checks that all are alike.
        direction, real = self.direction[:2], self.real[:2]
        inner = direction @ direction.transpose(0, 2, 1)
        both = real[:, :, None] & real[:, None, :]
        same = np.eye(self.slots, dtype=bool)
        lengths, others = inner[both & same], inner[both & ~same]
        shared = float(others[0]) if others.size else 0.0
        own = float(lengths[0]) - shared
        alike = np.allclose(lengths, own + shared) and np.allclose(others, shared)
        return (own, shared) if alike and own > ROUNDING else None

    @cached_property
    def rule(self) -> Rule:
        """Return the table as seven numbers; raise ValueError if the wrong classes are not treated alike."""
        rule = _read_off(self)
        for own in range(self.classes):
            if not _alike(_written_out(rule, self, own), self._read(own)):
                raise ValueError("a machine's directions must be the same for every own class and every wrong class")
        return rule

    @cached_property
    def longest_reading(self) -> float:
        """Return the largest sum of absolute values in a row of `reading`, without building that table."""
        rule = self.rule
        return max(abs(rule.own), abs(rule.other) + abs(rule.cross))

    @cached_property
    def reading(self) -> tuple[np.ndarray, np.ndarray]:
        """Return sparse rows (index, value), each (classes, slots, width), with <direction, f> = value . f[index].

        If the class functions sum to zero, subtracting a constant from a direction changes no gradient, and most
        entries vanish: llw reads one class function instead of all.
        """
        width = max(1, *(int(np.count_nonzero(self._read(own), axis=1).max()) for own in range(self.classes)))
        index = np.empty((self.classes, self.slots, width), dtype=np.int64)
        value = np.empty((self.classes, self.slots, width))
        for own in range(self.classes):
            table = self._read(own)
            index[own] = np.argsort(table == 0.0, axis=1, kind="stable")[:, :width]
            value[own] = np.take_along_axis(table, index[own], axis=1)
        return index, value

    def _read(self, own: int) -> np.ndarray:
        """Return (slots, outputs) the directions of an own class.

        Centred directions have their value at a third class subtracted. The third class is neither the own class nor
        that of the slot. The method takes one own class at a time, because the table of all has classes^3 numbers.
        """
        table = self.direction[own]
        if not self.centred:
            return table
        slot = np.arange(self.slots)
        if self.outputs == 2:
            bystander = np.where(slot == own, 1 - own, own)
        else:  # the first class that is neither the own nor the slot's
            bystander = np.where((own != 0) & (slot != 0), 0, np.where((own != 1) & (slot != 1), 1, 2))
        table = table - np.take_along_axis(table, bystander[:, None], axis=1)
        table[np.abs(table) < ROUNDING] = 0.0
        return table


def _alike(table: np.ndarray, other: np.ndarray | float) -> bool:
    """Return whether two tables are equal up to rounding; the coefficients of directions are about 1."""
    return bool(np.abs(table - other).max(initial=0.0) <= ROUNDING)


def _read_off(form: DualForm) -> Rule:
    y, p = (0, 1) if form.slots > 1 else (1, 0)  # a wrong slot; of a binary form, slot 0 for class 1
    own, wrong = form._read(0), form._read(y)
    return Rule(
        float(form.margin[0, 0]),
        float(own[0, 0]),
        float(form.direction[0, 0, 0] - own[0, 0]),
        float(form.margin[y, p]),
        float(wrong[p, y]) if form.slots > 1 else 0.0,
        float(wrong[p, p]),
        float(form.direction[y, p, 0] - wrong[p, 0]),
    )


def _written_out(rule: Rule, form: DualForm, own: int) -> np.ndarray:
    """Return (slots, outputs) the table `_read` of this own class as the rule defines it."""
    table, slot = np.zeros((form.slots, form.outputs)), np.arange(form.slots)
    table[slot, slot] = rule.other
    if rule.cross:
        table[:, own] += rule.cross
    if own < form.slots:
        table[own] = 0.0
        table[own, own] = rule.own
    return table


@dataclass(frozen=True)
class Machine:
    """A multi-class machine: its programme (`form`), how it splits into parts, and how it predicts."""

    name: str
    title: str
    decides: str  # how it trains and predicts, for users
    form: Callable[[int, float], DualForm]  # (classes, margin) -> the problem of one part
    margin: Callable[[int], float] = lambda classes: 1.0  # the default, by number of classes
    bias: Literal["exact"] | None = None  # the default; None leaves it to the kernel, see `default_bias`
    split: Split = "joint"
    vote: Vote = "argmax"

    def problem_cost(self, classes: int, cost: float) -> float:
        """Return the C of the machine's problem for the C that users give.

        They are equal for more than two classes. For two classes, every machine is the problem of SVC, min 1/2 |w|^2 +
        C sum_i [1 - s_i f(x_i)]+, in other variables, and users give the C of SVC. A step on the variables of an
        example has the curvature |d|^2 K(x, x), summed over its slots (a simplex uses one slot at a time). In SVC the
        curvature is K(x, x). So the problem is SVC's with C multiplied by the sum: 2 for ww and cs, 1/2 for llw, adm,
        atm, mmr.
        """
        if classes != 2:
            return cost
        form = form_of(self, 2, 1.0)
        lengths = form.length[0]
        return cost / float(lengths.sum() if form.feasible == "box" else lengths.max())

    @property
    def reading_of_two(self) -> float:
        """Return the factor that makes f_1 - f_0 of two classes SVC's decision function, which is +-1 at the margins.

        It is 1 for machines that compare f_1 with f_0 (ww, cs), and 1/2 for machines that compare each with the margin.
        """
        relative = self.split == "joint" and float(np.abs(form_of(self, 2, 1.0).direction).max()) == 1.0
        return 1.0 if relative else 0.5


KEPT_CLASSES = 32  # classes up to which forms are kept: a table of 32^3 numbers is 260 kB


def form_of(machine: Machine, classes: int, margin: float) -> DualForm:
    """Return the programme of one part; up to KEPT_CLASSES classes it is cached, because many fits use the same one."""
    return _kept_form(machine, classes, margin) if classes <= KEPT_CLASSES else machine.form(classes, margin)


@lru_cache(maxsize=16)
def _kept_form(machine: Machine, classes: int, margin: float) -> DualForm:
    return machine.form(classes, margin)


def binary_form(margin: float) -> DualForm:
    """Return the form of two classes and one function.

    The function should be above the margin for class 0, and below minus the margin for class 1.
    """
    return DualForm(np.array([[[1.0]], [[-1.0]]]), np.full((2, 1), float(margin)), "box")


def relative_form(classes: int, margin: float, feasible: Feasible) -> DualForm:
    """Return the form that compares f_y with every f_c: direction e_y - e_c (ww, cs)."""
    eye = np.eye(classes)
    direction = eye[:, None, :] - eye[None, :, :]
    return DualForm(direction, margin * (1.0 - eye), feasible)


def absolute_form(classes: int, margin: float, feasible: Feasible, *, own: bool, others: bool) -> DualForm:
    """Return the form that treats each f_c on its own, under sum_c f_c = 0.

    The own slot has the direction e_y - 1/k, the other slots have -(e_c - 1/k).
    """
    eye = np.eye(classes)
    sign = np.where(np.eye(classes, dtype=bool), float(own), -float(others))
    direction = sign[:, :, None] * (eye - 1.0 / classes)[None, :, :]
    return DualForm(direction, margin * np.abs(sign), feasible)
