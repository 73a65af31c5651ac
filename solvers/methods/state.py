"""The single mutable thing of a run, and what a method says after a slice."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto

import numpy as np

from solvers.jit import scan as optimality
from solvers.problem import Part


class Progress(Enum):
    MOVING = auto()
    CONVERGED = auto()  # by the running numbers; the run confirms it in float64
    STALLED = auto()


@dataclass
class State:
    """Where the solution of one part stands.

    functions = K @ weights(alpha) + constant, the constant being offset * sum(weights) plus any bias given
    from outside; both move together with alpha.
    """

    alpha: np.ndarray  # (n, slots)
    functions: np.ndarray  # (n, outputs)
    constant: np.ndarray  # (outputs,)
    steps: int = 0
    memory: dict[str, np.ndarray] = field(default_factory=dict)  # what a method keeps between slices

    @classmethod
    def zero(cls, part: Part) -> State:
        n, outputs = len(part), part.form.outputs
        return cls(np.zeros((n, part.form.slots)), np.zeros((n, outputs)), np.zeros(outputs))


@dataclass(frozen=True)
class Standing:
    """How far from optimal a state is, by its own functions."""

    violation: float
    loss: float
    linear: float
    violations: np.ndarray  # (n,)


def weights_of(part: Part, alpha: np.ndarray) -> np.ndarray:
    """(n, outputs): the coefficients of the class functions in the kernel expansion."""
    weights = np.empty((alpha.shape[0], part.form.outputs))
    optimality.expand(np.ascontiguousarray(alpha), part.labels, part.form.direction, weights)
    return weights


def examine(part: Part, alpha: np.ndarray, functions: np.ndarray) -> Standing:
    violations = np.empty(len(part))
    look = optimality.examine_box if part.form.feasible == "box" else optimality.examine_simplex
    largest, loss, linear = look(
        part.form.rule, by_class(functions), by_class(alpha), part.labels, part.upper, violations
    )
    return Standing(largest, loss, linear, violations)


def by_class(table: np.ndarray) -> np.ndarray:
    """(n, c) as (c, n), contiguous along the examples; nothing is copied where the method keeps it so."""
    return np.ascontiguousarray(table.T)


def gradients(part: Part, functions: np.ndarray) -> np.ndarray:
    """(n, slots): margin - <direction, f>, zero where there is no variable."""
    rule, labels, n = part.form.rule, part.labels, len(part)
    values = rule.margin_other - rule.other * functions[:, : part.form.slots]
    if rule.before:
        values = values - rule.before * functions[np.arange(n), labels][:, None]
    mine = labels < part.form.slots
    own = np.flatnonzero(mine)
    values[own, labels[own]] = rule.margin_own - rule.own * functions[own, labels[own]]
    return values


def equality_range(part: Part, alpha: np.ndarray, functions: np.ndarray) -> tuple[float, float]:
    """For a binary part with exact bias: the range that b must span; high - low is the violation."""
    function, values = by_class(functions)[0], by_class(alpha)[0]
    high, low = optimality.equality_violation(part.form.rule, function, values, part.labels, part.upper)
    return float(high), float(low)


def refresh(part: Part, state: State) -> None:
    """The functions anew from alpha, in float64."""
    state.functions[...] = part.gram.times(weights_of(part, state.alpha)) + state.constant


def within(part: Part, alpha: np.ndarray) -> np.ndarray:
    """An alpha near a given one that keeps its bounds."""
    alpha = np.clip(alpha, 0.0, part.upper[:, None])
    if part.form.feasible == "simplex":
        alpha *= np.minimum(1.0, part.upper / np.maximum(alpha.sum(axis=1), 1e-300))[:, None]
    return alpha


def seed(part: Part, state: State, alpha: np.ndarray) -> None:
    """Start from a given alpha instead of zero; it is taken into its bounds."""
    state.alpha[...] = within(part, alpha)
    state.constant = state.constant + part.offset * weights_of(part, state.alpha).sum(axis=0)
    refresh(part, state)
