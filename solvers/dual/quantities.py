"""Quantities that follow from alpha and the class functions: weights, gradients, violations, losses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcsvm.solvers.interrupt import undivided
from mcsvm.solvers.jit import scan
from mcsvm.solvers.problem import Part
from mcsvm.solvers.work import strips


@dataclass(frozen=True)
class Optimality:
    """The KKT violation of an alpha with given class functions, and the terms of primal and dual."""

    violation: float  # the largest of `violations`
    loss: float  # sum_i U_i loss_i, a term of the primal
    linear: float  # sum m_ip alpha_ip, a term of the dual
    violations: np.ndarray  # (n,) the KKT violation of each example


def weights_of(part: Part, alpha: np.ndarray) -> np.ndarray:
    """Return (n, outputs) the coefficients of the class functions in the kernel expansion."""
    weights = np.empty((alpha.shape[0], part.form.outputs))
    for some in strips(len(part)):
        scan.expand(np.ascontiguousarray(alpha[some]), part.labels[some], part.form.direction, weights[some])
    return weights


def examine(part: Part, alpha: np.ndarray, functions: np.ndarray, bias: np.ndarray | None = None) -> Optimality:
    """Examine all variables once, with functions + bias; without `bias` the functions already include b."""
    violations = np.empty_like(part.upper)
    with undivided():  # methods call this while they change their state
        violation, loss, linear = part.geometry.examine(part, alpha, functions, bias, violations)
    return Optimality(violation, loss, linear, violations)


def gradients(part: Part, functions: np.ndarray) -> np.ndarray:
    """Return (n, slots) margin - <direction, f>, with zero in slots without a variable."""
    rule, labels, n = part.form.rule, part.labels, len(part)
    values = rule.margin_other - rule.other * functions[:, : part.form.slots]
    if rule.cross:
        values = values - rule.cross * functions[np.arange(n), labels][:, None]
    own = np.flatnonzero(labels < part.form.slots)
    values[own, labels[own]] = rule.margin_own - rule.own * functions[own, labels[own]]
    return values


def linear_of(part: Part, alpha: np.ndarray) -> float:
    """Return sum m_ip alpha_ip, the linear term of the dual."""
    margin, labels = part.form.margin, part.labels
    return float(sum(np.vdot(margin[labels[some]], alpha[some]) for some in strips(len(part))))


def energy_of(part: Part, weights: np.ndarray, products: np.ndarray) -> float:
    """Return 1/2 sum_c W_c' (K + offset) W_c, from products = K W."""
    total = weights.sum(axis=0)
    return 0.5 * float(np.vdot(weights, products)) + 0.5 * part.offset * float(total @ total)


def dual_of(part: Part, alpha: np.ndarray, functions: np.ndarray, constant: np.ndarray) -> float:
    """Return the dual from functions = K W + constant; constant is offset * sum_i W_i + a bias given from outside."""
    weights = weights_of(part, alpha)
    total = weights.sum(axis=0)
    given = constant - part.offset * total
    return linear_of(part, alpha) - energy_of(part, weights, functions - constant) - float(total @ given)
