"""asvm and lsvm: reference methods for another machine (linear, two classes, squared hinge, b^2 in the norm).

minimise (|w|^2 + b^2) / 2 + C sum_i xi_i^2, xi_i >= 1 - s_i (<w, x_i> + b). Its dual is
minimise alpha' Q alpha / 2 - sum alpha over alpha >= 0, with Q = H H' + I / (2 C) and H = diag(s) [X 1], so that every
system with Q, or with the free part of it, is one of features + 1 unknowns (Sherman, Morrison & Woodbury).
For comparison only: Mangasarian & Musicant 2000 (asvm), 2001 (lsvm); Kao et al. 2004, section 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg as sl
import scipy.sparse as sp

from mcsvm.solvers.errors import InputError

STEP = 1.9  # beta of lsvm, in units of 1 / (2 C): below 2 it converges from any start
NEGLIGIBLE = 0.01  # distance to zero that counts as zero, in units of the tolerance (Chung et al. 2002, appendix C)
DECREASE = 1e-4  # Armijo constant of asvm's backtracking
SHORTEST = 1e-10  # step size at which backtracking gives up
LONGER = 4.0  # largest factor by which a step size exceeds the previous one
FRESH = 100  # updates of H'H before it is computed again, against rounding errors


@dataclass(frozen=True)
class Solution:
    """A result with its certificate: dual (of alpha) <= optimum <= primal (of the weights), converged or not."""

    weights: np.ndarray
    bias: float
    iterate: np.ndarray  # weights = H' iterate; entries of lsvm approach zero from both sides
    alpha: np.ndarray  # max(iterate, 0), which is feasible
    iterations: int
    converged: bool
    primal: float
    dual: float
    violation: float  # of the KKT conditions, at the end


class _Programme:
    def __init__(self, features: Any, signs: Any, cost: float) -> None:
        self.signs = np.asarray(signs, dtype=np.float64)
        rows = sp.csr_array(features) if sp.issparse(features) else np.asarray(features, dtype=np.float64)
        if self.signs.shape != rows.shape[:1] or not np.isin(self.signs, (-1.0, 1.0)).all():
            raise InputError("The signs must be one -1 or +1 per row of features.")
        if not cost > 0.0:
            raise InputError("C must be a positive number, not {cost!r}.", cost=cost)
        self.cost, self.ridge = float(cost), 0.5 / float(cost)
        ones = np.ones((self.signs.size, 1))
        if sp.issparse(rows):
            self.H = sp.csr_array(sp.diags_array(self.signs) @ sp.hstack([rows, sp.csr_array(ones)]))
        else:
            self.H = self.signs[:, None] * np.hstack([rows, ones])

    def gradient(self, alpha: np.ndarray, vector: np.ndarray) -> np.ndarray:
        """Return Q alpha - 1; `vector` is H' alpha, in all methods."""
        return self.H @ vector + self.ridge * alpha - 1.0

    def value(self, alpha: np.ndarray, vector: np.ndarray) -> float:
        return float(0.5 * (vector @ vector) + 0.5 * self.ridge * (alpha @ alpha) - alpha.sum())

    def solution(self, alpha: np.ndarray, iterations: int, violation: float, tolerance: float) -> Solution:
        iterate, alpha = alpha, np.maximum(alpha, 0.0)
        vector = self.H.T @ iterate
        slack = np.maximum(0.0, 1.0 - self.H @ vector)
        primal = 0.5 * float(vector @ vector) + self.cost * float(slack @ slack)
        return Solution(
            weights=vector[:-1],
            bias=float(vector[-1]),
            iterate=iterate,
            alpha=alpha,
            iterations=iterations,
            converged=violation <= tolerance,
            primal=primal,
            dual=-self.value(alpha, self.H.T @ alpha),
            violation=violation,
        )


class _Inverse:
    """Apply (H H' + ridge I)^-1 by Woodbury through (H' H + ridge I)^-1, for a subset of rows of H that may change."""

    def __init__(self, programme: _Programme) -> None:
        self.H, self.ridge = programme.H, programme.ridge
        self.rows = np.zeros(programme.signs.size, dtype=bool)
        self.inner, self.age = np.diag(np.full(self.H.shape[1], self.ridge)), 0

    def choose(self, rows: np.ndarray) -> _Inverse:
        changed, self.age = np.flatnonzero(rows != self.rows), self.age + 1
        if changed.size > rows.sum() or self.age > FRESH:
            self.inner, self.age, changed = np.diag(np.full(self.H.shape[1], self.ridge)), 0, np.flatnonzero(rows)
        part, sign = self.H[changed], np.where(rows[changed], 1.0, -1.0)
        if sp.issparse(part):
            self.inner += (part.T @ (sp.diags_array(sign) @ part)).toarray()
        else:
            self.inner += part.T @ (sign[:, None] * part)
        self.rows, self.factor = rows, sl.cho_factor(self.inner, lower=True)
        return self

    def __call__(self, right: np.ndarray) -> np.ndarray:
        """Return the product with `right`, which is zero outside of the subset, as is the result."""
        vector = sl.cho_solve(self.factor, self.H.T @ right, check_finite=False)  # H' of the returned product
        return np.where(self.rows, (right - self.H @ vector) / self.ridge, 0.0)


def lsvm(features: Any, signs: Any, cost: float, tolerance: float = 1e-3, limit: int = 100_000) -> Solution:
    """Iterate alpha := Q^-1 (1 + [Q alpha - 1 - beta alpha]+) from alpha = Q^-1 1; `gradient` is Q alpha - 1."""
    programme = _Programme(features, signs, cost)
    inverse, beta = _Inverse(programme).choose(np.ones(programme.signs.size, dtype=bool)), STEP * programme.ridge
    gradient = np.zeros(programme.signs.size)
    for iteration in range(limit + 1):
        alpha = inverse(1.0 + gradient)
        violation = _violation(alpha, gradient, NEGLIGIBLE * tolerance)
        if violation <= tolerance or iteration == limit:
            break
        gradient = np.maximum(gradient - beta * alpha, 0.0)
    return programme.solution(alpha, iteration, violation, tolerance)


def _violation(alpha: np.ndarray, gradient: np.ndarray, negligible: float = 0.0) -> float:
    """Return the largest violation of alpha >= 0, gradient >= 0, alpha * gradient = 0.

    Values of alpha up to `negligible` count as zero.
    """
    violation = np.where(alpha > negligible, np.abs(gradient), np.maximum(-gradient, 0.0))
    return max(float(violation.max()), float(np.maximum(-alpha - negligible, 0.0).max()))


def asvm(features: Any, signs: Any, cost: float, tolerance: float = 1e-3, limit: int = 10_000) -> Solution:
    """Take projected Newton steps on the free variables, or a projected gradient step if these do not decrease."""
    programme = _Programme(features, signs, cost)
    everything = np.ones(programme.signs.size, dtype=bool)
    inverse = _Inverse(programme).choose(everything)
    alpha = np.maximum(inverse(everything * 1.0), 0.0)
    vector, length = programme.H.T @ alpha, 1.0
    for iteration in range(limit + 1):
        gradient = programme.gradient(alpha, vector)
        violation = _violation(alpha, gradient)
        if violation <= tolerance or iteration == limit:
            break
        free = (alpha > 0.0) | (gradient < 0.0)
        direction = inverse.choose(free)(free * 1.0) - alpha
        following = _descend(programme, alpha, vector, gradient, direction, min(1.0, LONGER * length))
        if following is None:
            following = _descend(programme, alpha, vector, gradient, -gradient, 1.0)
        if following is None:  # no step decreases the objective: rounding prevents this tolerance
            break
        alpha, vector, length = following
    return programme.solution(alpha, iteration, violation, tolerance)


def _descend(
    programme: _Programme,
    alpha: np.ndarray,
    vector: np.ndarray,
    gradient: np.ndarray,
    direction: np.ndarray,
    length: float,
) -> tuple[np.ndarray, np.ndarray, float] | None:
    """Backtrack along the projection to a sufficient decrease (Armijo); return None if there is no such step."""
    now = programme.value(alpha, vector)
    while length > SHORTEST:
        other = np.maximum(alpha + length * direction, 0.0)
        promised = float(gradient @ (other - alpha))
        there = programme.H.T @ other
        if promised < 0.0 and programme.value(other, there) <= now + DECREASE * promised:
            return other, there, length
        length *= 0.5
    return None
