"""What follows from alpha and the class functions: weights, gradients, violations, losses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.jit import scan
from solvers.problem import Part


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
    scan.expand(np.ascontiguousarray(alpha), part.labels, part.form.direction, weights)
    return weights


def examine(part: Part, alpha: np.ndarray, functions: np.ndarray) -> Standing:
    violations = np.empty(len(part))
    violation, loss, linear = part.geometry.examine(part, alpha, functions, violations)
    return Standing(violation, loss, linear, violations)


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


def dual_of(part: Part, alpha: np.ndarray, functions: np.ndarray, constant: np.ndarray) -> float:
    """The dual by these class functions, a bias given from outside being constant."""
    weights = weights_of(part, alpha)
    total = weights.sum(axis=0)
    given = constant - part.offset * total
    linear = float(np.vdot(part.form.margin[part.labels], alpha))
    return linear - 0.5 * float(np.vdot(weights, functions)) - 0.5 * float(total @ given)
