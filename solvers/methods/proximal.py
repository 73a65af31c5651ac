"""The proximal step that `linear-newton`, `auto` and searches share: one Newton method, one line search.

A proximal step maximises dual(alpha) - |alpha - anchor|^2 / (2 sigma). The dual of this problem is to minimise a
smooth, piecewise quadratic function psi of the class functions f, without constraints: alpha(f) = projection(anchor +
sigma gradient(f)), and f = K weights(alpha(f)) at the minimum. So semismooth Newton steps end exactly there (Li, Sun &
Toh 2018 for the lasso).

Coordinates u stand for f = start + expand(u): W = X' weights (linear/proximal.py), V' times the change of the weights,
K ~ V V' (auto/proximal_newton.py), or variables of the size of alpha (selection/trials). The slope of psi along a
step d is <Mu, d> - <weights(alpha), expand(d)>, M the inner product of coordinates: <Mu, d> = <u, d> for the first two,
u' Q d for variables. A subclass defines the coordinates and solves the Newton system.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum, auto

import numpy as np

from mcsvm.solvers.budget import PROXIMAL
from mcsvm.solvers.dual.quantities import weights_of
from mcsvm.solvers.interrupt import tick
from mcsvm.solvers.problem import Part
from mcsvm.solvers.work import strips


class End(Enum):
    CLOSE = auto()  # near enough to the minimum
    STUCK = auto()  # no direction descends any more
    STEPS = auto()  # all steps taken


@dataclass
class Iterate:
    """Coordinates, their class functions f, and alpha(f)."""

    point: np.ndarray  # coordinates
    functions: np.ndarray  # (n, outputs)
    alpha: np.ndarray  # (n, slots)
    weights: np.ndarray  # of alpha; alpha itself if coordinates are variables
    full: np.ndarray  # (n,) whether a bounded sum is at its bound


@dataclass
class NewtonStep:
    """A step d of the coordinates, and the products that its slopes need."""

    direction: np.ndarray  # d
    functions: np.ndarray  # expand(d)
    bent: np.ndarray  # M d, in the shape of coordinates
    seen: np.ndarray  # the factor of Iterate.weights in slopes: expand(d), or <direction, expand(d)> of variables
    slope: float  # at length 0, from the residual: `slope_at` would cancel there

    def slope_at(self, trial: Iterate) -> float:
        return float(np.vdot(trial.point, self.bent)) - float(np.vdot(trial.weights, self.seen))


def largest(values: np.ndarray, others: np.ndarray | None = None) -> float:
    """Return max |values - others|, in strips: 10^6 x 7 at once take 130 ms, most of it for new memory."""
    cuts = strips(len(values))
    return float(np.max([np.abs(values[at] if others is None else values[at] - others[at]).max() for at in cuts]))


class ProximalStep(ABC):
    """The problem of one proximal step, and semismooth Newton steps that solve it."""

    flat = PROXIMAL.flat  # share of the first slope that may remain when a line search ends
    farthest = 1.0  # factor by which a step size may grow at once; 1: a full step that still descends is taken

    def __init__(self, part: Part, anchor: np.ndarray, sigma: float) -> None:
        self.part, self.anchor, self.sigma = part, np.ascontiguousarray(anchor), sigma

    # -- defined by the coordinates ---------------------------------------------------------------

    @abstractmethod
    def residual(self, trial: Iterate) -> np.ndarray:
        """Return the coordinates of alpha(f) minus those of the trial: minus the gradient of psi in the product M."""

    @abstractmethod
    def expand(self, coordinates: np.ndarray) -> np.ndarray:
        """Return the class functions of coordinates, without `start`."""

    @abstractmethod
    def newton(self, trial: Iterate, residual: np.ndarray, lacking: np.ndarray) -> NewtonStep | None:
        """Return the Newton step, or None if its system fails. `lacking` is expand(residual)."""

    @abstractmethod
    def close(self, trial: Iterate, residual: np.ndarray, lacking: np.ndarray) -> bool:
        """Return whether the trial is near enough to the minimum of psi."""

    def weights(self, alpha: np.ndarray) -> np.ndarray:
        return weights_of(self.part, alpha)

    # -- the algorithm ----------------------------------------------------------------------------

    def at(self, point: np.ndarray, functions: np.ndarray) -> Iterate:
        alpha, full = self.part.geometry.respond(self.part, functions, self.anchor, self.sigma)
        return Iterate(point, functions, alpha, self.weights(alpha), full)

    def free(self, alpha: np.ndarray) -> np.ndarray:
        return self.part.geometry.face(alpha, self.part.upper) & self.part.form.real[self.part.labels]

    def away(self, trial: Iterate) -> float:
        """Return max |alpha - anchor| / sigma, the size of the proximal term in gradients of the dual."""
        return largest(trial.alpha, self.anchor) / self.sigma

    def solve(self, trial: Iterate, most: int) -> tuple[Iterate, int, End]:
        """Take at most `most` Newton steps; return (the last iterate, the number of steps, why they ended)."""
        for steps in range(most):
            residual = self.residual(trial)
            lacking = self.expand(residual)
            if self.close(trial, residual, lacking):
                return trial, steps, End.CLOSE
            move = self.newton(trial, residual, lacking)
            if move is None or not move.slope < 0.0:
                return trial, steps, End.STUCK
            trial = self.search(trial, move)
        return trial, most, End.STEPS

    def line(self, trial: Iterate, move: NewtonStep) -> SearchLine:
        return SearchLine(self, trial, move)

    def search(self, trial: Iterate, move: NewtonStep) -> Iterate:
        """Search the line for a slope of nearly zero: near the minimum, slopes keep digits that values have lost."""
        line, low, high, length = self.line(trial, move), 0.0, np.inf, 1.0
        at_low, at_high = move.slope, np.inf
        for _ in range(PROXIMAL.tries):
            tick()
            here, tried = line.slope(length), length
            enough = here < 0.0 and high == np.inf and self.farthest == 1.0
            if abs(here) <= -self.flat * move.slope or enough:
                break
            if here < 0.0:
                low, at_low = length, here
            else:
                high, at_high = length, here
            if high < np.inf:
                length = low + min(max(at_low / (at_low - at_high), 0.1), 0.9) * (high - low)
            else:
                growth = max(move.slope / (move.slope - here), 2.0) if here > move.slope else np.inf
                length *= min(growth, self.farthest)
        return line.end(tried)


class SearchLine:
    """psi along a Newton step: slopes at step sizes, and the iterate at the last of them."""

    def __init__(self, step: ProximalStep, start: Iterate, move: NewtonStep) -> None:
        self.step, self.start, self.move = step, start, move

    def ahead(self, length: float) -> Iterate:
        start, move = self.start, self.move
        functions = np.empty_like(start.functions)
        for some in strips(len(functions)):
            np.multiply(move.functions[some], length, out=functions[some])
            functions[some] += start.functions[some]
            tick()
        return self.step.at(start.point + length * move.direction, functions)

    def slope(self, length: float) -> float:
        self.trial = self.ahead(length)
        return self.move.slope_at(self.trial)

    def end(self, length: float) -> Iterate:
        """Return the iterate at the step size of the last slope."""
        return self.trial
