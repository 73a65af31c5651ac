"""The proximal step that `linear-newton`, `auto` and searches share: one Newton method, one line search.

A proximal step maximises dual(alpha) - |alpha - anchor|^2 / (2 sigma). Its own dual is smooth and unconstrained in the
class functions f: alpha(f) = projection(anchor + sigma gradient(f)), and at the optimum f = K weights(alpha(f)). It is
piecewise quadratic, so that semismooth Newton steps end at its exact minimum (Li, Sun & Toh 2018 for the lasso).

f is kept by coordinates u, f = start + expand(u): W = X' weights (linear/proximal.py), D = V' of the change of the
weights, K ~ V V' (auto/proximal_newton.py), or variables of the size of alpha (selection/proximal.py). With M the inner
product of coordinates, <Mu, d> = <u, d> in W and D and u' Q d for variables, the function descended has along a step d
the slope <Mu, d> - <weights(alpha), expand(d)>. A subclass says what its coordinates are and solves the Newton system.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum, auto

import numpy as np

from solvers.budget import PROXIMAL
from solvers.dual.quantities import weights_of
from solvers.problem import Part
from solvers.work import Work


class End(Enum):
    CLOSE = auto()  # near enough to the minimum
    STUCK = auto()  # no direction descends any more
    STEPS = auto()  # all steps taken


@dataclass
class Iterate:
    """Coordinates with their class functions and the alpha that follows from these."""

    point: np.ndarray  # coordinates
    functions: np.ndarray  # (n, outputs)
    alpha: np.ndarray  # (n, slots)
    weights: np.ndarray  # what alpha gives to slopes: its weights, or itself where coordinates are variables
    full: np.ndarray  # (n,) whether a bounded sum is at its bound


@dataclass
class Move:
    """A step d of the coordinates, and what slopes along it need."""

    direction: np.ndarray  # d
    functions: np.ndarray  # expand(d)
    bent: np.ndarray  # M d, in the shape of coordinates
    seen: np.ndarray  # what Iterate.weights is multiplied with
    slope: float  # at its start, from the residual: there the general formula is the difference of near equals

    def slope_at(self, trial: Iterate) -> float:
        return float(np.vdot(trial.point, self.bent)) - float(np.vdot(trial.weights, self.seen))


class ProximalStep(ABC):
    flat = PROXIMAL.flat  # share of the first slope that may be left where a line search ends
    farthest = 1.0  # factor by which a step size may grow at once; 1: a full step that still descends is taken

    def __init__(self, part: Part, anchor: np.ndarray, sigma: float) -> None:
        self.part, self.anchor, self.sigma = part, np.ascontiguousarray(anchor), sigma

    # -- what depends on the coordinates ----------------------------------------------------------

    @abstractmethod
    def residual(self, trial: Iterate) -> Work[np.ndarray]:
        """Coordinates of alpha less those of the trial: minus the gradient, in the inner product M."""

    @abstractmethod
    def expand(self, coordinates: np.ndarray) -> Work[np.ndarray]:
        """Their class functions."""

    @abstractmethod
    def newton(self, trial: Iterate, residual: np.ndarray, lacking: np.ndarray) -> Work[Move | None]:
        """The Newton step, `lacking` being the class functions of the residual; None where its system fails."""

    @abstractmethod
    def close(self, trial: Iterate, residual: np.ndarray, lacking: np.ndarray) -> bool:
        """Whether the trial is near enough to the minimum."""

    def weights(self, alpha: np.ndarray) -> np.ndarray:
        return weights_of(self.part, alpha)

    # -- the algorithm ----------------------------------------------------------------------------

    def at(self, point: np.ndarray, functions: np.ndarray) -> Iterate:
        alpha, full = self.part.geometry.respond(self.part, functions, self.anchor, self.sigma)
        return Iterate(point, functions, alpha, self.weights(alpha), full)

    def free(self, alpha: np.ndarray) -> np.ndarray:
        return self.part.geometry.face(alpha, self.part.upper) & self.part.form.real[self.part.labels]

    def away(self, trial: Iterate) -> float:
        """By how much the proximal term moves gradients."""
        return float(np.abs(trial.alpha - self.anchor).max()) / self.sigma

    def solve(self, trial: Iterate, most: int) -> Work[tuple[Iterate, int, End]]:
        """At most this many Newton steps: (the last point, their number, what ended them)."""
        for steps in range(most):
            residual = yield from self.residual(trial)
            lacking = yield from self.expand(residual)
            if self.close(trial, residual, lacking):
                return trial, steps, End.CLOSE
            move = yield from self.newton(trial, residual, lacking)
            if move is None or not move.slope < 0.0:
                return trial, steps, End.STUCK
            trial = yield from self.search(trial, move)
        return trial, most, End.STEPS

    def line(self, trial: Iterate, move: Move) -> SearchLine:
        return SearchLine(self, trial, move)

    def search(self, trial: Iterate, move: Move) -> Work[Iterate]:
        """Line search for a slope of nearly zero: slopes still show what values lose to rounding."""
        line, low, high, length = self.line(trial, move), 0.0, np.inf, 1.0
        at_low, at_high = move.slope, np.inf
        for _ in range(PROXIMAL.tries):
            yield
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
    """The function that Newton steps descend, along one of them: its slope, and the trial at the end."""

    def __init__(self, step: ProximalStep, start: Iterate, move: Move) -> None:
        self.step, self.start, self.move = step, start, move

    def ahead(self, length: float) -> Iterate:
        start, move = self.start, self.move
        return self.step.at(start.point + length * move.direction, start.functions + length * move.functions)

    def slope(self, length: float) -> float:
        self.trial = self.ahead(length)
        return self.move.slope_at(self.trial)

    def end(self, length: float) -> Iterate:
        """The trial at the step size of the last slope."""
        return self.trial
