"""Operator splitting (ADMM) over a factor of the kernel: all variables move in every step, which costs two products.

What variables do to the functions is kept twice: as z, made by variables within their bounds, and as `wanted`, for
which only the kernel counts; u is what they differ by, summed up. The first is found example by example, the second
by (K + rho)^-1, the same in all steps. Errors of many examples alike vanish soon, where blocks of few see least of
them; those of single examples stay, which blocks see best. Small rho does the first better and needs more columns.
"""

from __future__ import annotations

import numpy as np

from solvers.dual.quantities import gradients, weights_of, within
from solvers.factor.pivoted import factor_of
from solvers.jit import splitting
from solvers.methods.base import State
from solvers.problem import Part

STEPS = 100  # of a burst
RELAXATION = 1.7
STIFFNESS = 0.2  # rho, as a share of what functions are to the variables' weights
COARSE = 2.0  # trace that the factor may lack, in units of rho
LEAST, FULL = 1e-9, 1.0 - 1e-6  # shares of its bound that a variable is taken for nothing, or all, at


def applies(part: Part) -> bool:
    """Without a balance; where an example's variables share a class function, it is that of its class alone."""
    rule = part.form.rule
    return not part.balanced and not (rule.own != 0.0 and rule.before != 0.0)


def made_by(part: Part, alpha: np.ndarray) -> np.ndarray:
    """(n, outputs): weights less what the zero sum of the functions hides."""
    rule, own = part.form.rule, np.flatnonzero(part.labels < part.form.slots)
    labels = part.labels[own]
    made = np.multiply(rule.other, alpha, order="C")
    made[own, labels] = rule.own * alpha[own, labels] + rule.before * alpha[own].sum(axis=1)
    return made


def stiffness(part: Part, state: State) -> float:
    """rho for this problem, from how large functions and variables have become."""
    made = float(np.linalg.norm(made_by(part, state.alpha)))
    return STIFFNESS * float(np.linalg.norm(state.functions)) / max(made, 1e-300)


class Splitting:
    def __init__(self, part: Part, rho: float, rank: int) -> None:
        self.part, self.rho = part, rho
        factor = factor_of(part.gram)
        factor.grow(part.gram, rank)
        self.V = np.ascontiguousarray(factor.V[:, :rank])  # the same bits, however far others let it grow
        if part.offset:
            self.V = np.hstack([np.full((len(part), 1), np.sqrt(part.offset)), self.V])
        square = self.V.T @ self.V
        square[np.diag_indices_from(square)] += rho
        half = np.linalg.solve(np.linalg.cholesky(square), self.V.T)  # SciPy's would hold the interpreter's lock
        self.half = np.ascontiguousarray(half.T, dtype=np.float32)  # half half' = V (rho + V'V)^-1 V'

    def centre(self, table: np.ndarray) -> tuple[np.ndarray, np.ndarray | float]:
        """Less the mean over the functions, which is nothing to the kernel where they sum to zero; and that mean."""
        if not self.part.form.centred:
            return table, 0.0
        mean = table.mean(axis=1, keepdims=True)
        return table - mean, mean

    def wanted(self, pull: np.ndarray) -> np.ndarray:
        """rho (K + rho)^-1 pull."""
        pull, mean = self.centre(pull)
        return pull - self.half @ (self.half.T @ pull) + mean

    def carry(self, state: State, steps: int = STEPS) -> bool:
        """A burst from where the state is, exact there; returns whether it led anywhere."""
        part = self.part
        z, u, pull = self.begin(state)
        alpha = np.empty(state.alpha.shape, np.float32)
        for _ in range(steps):
            wanted = np.float32(RELAXATION) * self.wanted(pull + z - u) + np.float32(1.0 - RELAXATION) * z
            splitting.settle(
                part.form.rule, part.form.feasible == "simplex", part.labels, part.upper, self.rho, wanted, z, u, alpha
            )
        return towards(part, state, clean(part, alpha.astype(np.float64)))

    def begin(self, state: State) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        made = made_by(self.part, state.alpha)
        by_factor, _ = self.centre(self.V @ (self.V.T @ made))
        tables = made, -state.functions / self.rho, (by_factor - state.functions) / self.rho
        z, u, pull = (np.asarray(table, np.float32, order="C") for table in tables)
        return z, u, pull


def towards(part: Part, state: State, alpha: np.ndarray) -> bool:
    """To alpha, if the dual is not lower there, else as far towards it as the dual rises; whether anywhere."""
    step = alpha - state.alpha
    weights = weights_of(part, alpha)
    constant = state.constant + part.offset * (weights - weights_of(part, state.alpha)).sum(axis=0)
    functions = part.gram.times(weights) + constant
    before = float(np.vdot(gradients(part, state.functions), step))
    after = float(np.vdot(gradients(part, functions), step))
    share = 1.0 if before + after >= 0.0 else max(0.0, before / (before - after))
    state.alpha += share * step
    state.functions += share * (functions - state.functions)
    state.constant = state.constant + share * (constant - state.constant)
    return share > 0.0


def clean(part: Part, alpha: np.ndarray) -> np.ndarray:
    """In single precision nothing is quite at its bound."""
    upper = part.upper[:, None]
    alpha = np.where(alpha < LEAST * upper, 0.0, alpha)
    if part.form.feasible == "box":
        return np.where(alpha > FULL * upper, upper, alpha)
    total = alpha.sum(axis=1, keepdims=True)
    return within(part, alpha * np.where(total > FULL * upper, upper / np.maximum(total, 1e-300), 1.0))
