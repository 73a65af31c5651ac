"""Probabilities of classes from decision values, fitted on rows on which the model was not trained.

temperature: p_c is proportional to exp(s_c / T), with one T by maximum likelihood. It never changes the predicted
class: s are the scores by which the machine predicts, including its rule for ties.
pairwise: sigmoids of the pair functions give r_ab = P(a | a or b), and p minimises
sum over a != b of (r_ba p_a - r_ab p_b)^2 over the simplex (Wu, Lin, Weng 2004, second method; LIBSVM's -b 1).
sigmoid: one sigmoid for each class against the rest, scaled to sum 1.
A sigmoid is 1 / (1 + exp(A f + B)), fitted to Platt's targets by Newton's method (Lin, Lin, Weng 2007).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy.special import expit, log_softmax

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.jit import likelihood
from mcsvm.solvers.machines import Machine
from mcsvm.solvers.model import decide, pair_scores

CALIBRATION_METHODS = "temperature", "pairwise", "sigmoid"
WIDEST = 10.0  # largest |log(T / spread of the scores)|: if all rows are right, the likelihood has no maximum
LEAST = 1e-7  # least probability of either class of a pair, as in LIBSVM: coupling needs both
ROWS = 4096  # rows coupled at once: k^2 numbers each
NEWTON = 100  # largest number of steps for a sigmoid or a temperature, which usually need about ten
BISECTED = 20  # steps of Newton's method for a temperature, after which log T is bisected
LAST = 1e-12  # gain of log loss per row by a step for a sigmoid after which the next step would be rounding
GAIN = 1e-10  # least gain of log loss per row that a change of T by a factor of e must promise


@dataclass(frozen=True, eq=False)
class Calibration:
    """A fitted map from decision values to probabilities."""

    method: str
    temperature: float | None
    sigmoids: np.ndarray | None  # (functions, 2): A and B
    before: float  # log loss of the rows of the fit, with T = 1
    after: float  # log loss of the same rows with this calibration

    def probabilities(self, machine: Machine, values: np.ndarray, classes: int) -> np.ndarray:
        """Return the (n, classes) probabilities, whose rows have sum 1."""
        if self.temperature is not None:
            shares = np.exp(self.log_probabilities(machine, values, classes))
            return _with_winner(shares, decide(machine, values, classes))
        assert self.sigmoids is not None
        if self.method == "pairwise":
            return coupled(self.pair_shares(machine, values, classes), classes)
        return _scaled(_sigmoid(self.sigmoids, rest_values(machine, values, classes)), classes)

    def pair_shares(self, machine: Machine, values: np.ndarray, classes: int) -> np.ndarray:
        """Return r_ab as (n, pairs), by the sigmoids of the pairs."""
        assert self.sigmoids is not None
        return np.clip(_sigmoid(self.sigmoids, pair_values(machine, values, classes)), LEAST, 1.0 - LEAST)

    def log_probabilities(self, machine: Machine, values: np.ndarray, classes: int) -> np.ndarray:
        if self.temperature is not None:
            return np.asarray(log_softmax(scores(machine, values, classes) / self.temperature, axis=1))
        with np.errstate(divide="ignore"):
            return np.log(self.probabilities(machine, values, classes))

    def document(self) -> dict[str, Any]:
        """Return the calibration as plain JSON."""
        return {
            "method": self.method,
            "temperature": self.temperature,
            "sigmoids": None if self.sigmoids is None else self.sigmoids.tolist(),
            "log_loss": {"before": _finite(self.before), "after": _finite(self.after)},
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Calibration:
        given, loss = document.get("sigmoids"), document.get("log_loss", {})
        method, temperature = document.get("method"), document.get("temperature")
        sigmoids = None if given is None else np.array(given, dtype=np.float64)
        right = temperature is not None and np.isfinite(temperature) and temperature > 0.0
        if method != "temperature":
            right = (
                sigmoids is not None and sigmoids.ndim == 2 and sigmoids.shape[1] == 2 and np.isfinite(sigmoids).all()
            )
        if method not in CALIBRATION_METHODS or not right:
            raise InputError("This is no calibration: {document}.", document=str(dict(document))[:80])
        before, after = (np.inf if loss.get(name) is None else float(loss[name]) for name in ("before", "after"))
        return cls(method, temperature, sigmoids, before, after)

    def fits(self, classes: int) -> bool:
        """Return whether there is a sigmoid for each function of a machine with this number of classes."""
        pairs = classes * (classes - 1) // 2
        wanted = pairs if self.method == "pairwise" or classes == 2 else classes
        return self.sigmoids is None or len(self.sigmoids) == wanted


def _finite(loss: float) -> float | None:
    """Replace an infinite loss by None, as JSON has no infinity: sigmoids may give a true class the probability 0."""
    return float(loss) if np.isfinite(loss) else None


def calibrate(
    method: str, machine: Machine, values: np.ndarray, codes: np.ndarray, classes: int, weights: np.ndarray
) -> Calibration:
    """Fit a calibration to decision values of rows on which the model was not trained, their classes and weights."""
    given, codes = np.ascontiguousarray(scores(machine, values, classes)), codes.astype(np.int64, copy=False)
    before = likelihood.loss(given, codes, weights, 1.0)
    if method == "temperature":
        temperature = best_temperature(given, codes, weights)
        after = likelihood.loss(given, codes, weights, 1.0 / temperature)
        return Calibration(method, temperature, None, before, after)
    fit = _pair_sigmoids if method == "pairwise" else _rest_sigmoids
    fitted = Calibration(method, None, fit(machine, values, codes, classes, weights), before, before)
    logs = fitted.log_probabilities(machine, values, classes)
    after = float(-np.average(logs[np.arange(codes.size), codes], weights=weights))
    return Calibration(method, None, fitted.sigmoids, before, after)


# -- scores -----------------------------------------------------------------------------------------


def scores(machine: Machine, values: np.ndarray, classes: int) -> np.ndarray:
    """Return (n, classes) scores, the largest being that of the predicted class.

    For machines of pairs they are votes or, with two classes, plus and minus half of the one pair function.
    """
    if machine.split != "pairs":
        return values
    if classes == 2:
        return np.hstack([0.5 * values, -0.5 * values])
    given, winners = pair_scores(values, classes), decide(machine, values, classes)
    rows = np.flatnonzero(given.argmax(axis=1) != winners)  # ties, and rows for which dag does not follow the votes
    if not rows.size:
        return given
    first, winner = given[rows].argmax(axis=1), winners[rows]
    given[rows, winner], given[rows, first] = given[rows, first], given[rows, winner]
    return given


def pair_values(machine: Machine, values: np.ndarray, classes: int) -> np.ndarray:
    """Return (n, pairs) values, which are positive for the first class of each pair."""
    if machine.split == "pairs":
        return values
    return np.stack([values[:, a] - values[:, b] for a, b in combinations(range(classes), 2)], axis=1)


def rest_values(machine: Machine, values: np.ndarray, classes: int) -> np.ndarray:
    """Return (n, classes) values, or (n, 1) for two classes, which are positive for the class against the rest."""
    return pair_values(machine, values, 2) if classes == 2 else scores(machine, values, classes)


# -- temperature -----------------------------------------------------------------------------------


def best_temperature(given: np.ndarray, codes: np.ndarray, weights: np.ndarray) -> float:
    """Return the T of largest likelihood.

    If all rows are right, the likelihood rises as T falls. Then T is, within a factor of two, the largest T from which
    no more than GAIN can be gained.
    """
    spread = float(given.std()) or 1.0
    enough = GAIN * float(weights.sum())
    widest = math.exp(WIDEST)
    return spread / likelihood.best(given / spread, codes, weights, enough, widest, NEWTON, BISECTED)


def _with_winner(shares: np.ndarray, winners: np.ndarray) -> np.ndarray:
    """Make the winner of each row the first largest share, even if rounding or ties of scores made shares equal."""
    rows = np.arange(winners.size)
    for _ in range(2):  # first give the winner the largest share, then more than equal shares before it
        wrong = rows[shares.argmax(axis=1) != winners]
        first, winner = shares[wrong].argmax(axis=1), winners[wrong]
        largest, own = shares[wrong, first], shares[wrong, winner]
        shares[wrong, winner] = np.where(own == largest, np.nextafter(largest, 2.0), largest)
        shares[wrong, first] = own
    return shares


# -- sigmoids ----------------------------------------------------------------------------------------


def _sigmoid(sigmoids: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.asarray(expit(-(sigmoids[:, 0] * values + sigmoids[:, 1])))


def _pair_sigmoids(
    machine: Machine, values: np.ndarray, codes: np.ndarray, classes: int, weights: np.ndarray
) -> np.ndarray:
    """Fit the sigmoid of each pair on the rows of its two classes."""
    columns, found = pair_values(machine, values, classes), []
    for (a, b), column in zip(combinations(range(classes), 2), columns.T, strict=True):
        rows = np.flatnonzero((codes == a) | (codes == b))
        found.append(fitted_sigmoid(column[rows], codes[rows] == a, weights[rows]))
    return np.array(found)


def _rest_sigmoids(
    machine: Machine, values: np.ndarray, codes: np.ndarray, classes: int, weights: np.ndarray
) -> np.ndarray:
    columns = rest_values(machine, values, classes).T
    return np.array([fitted_sigmoid(column, codes == number, weights) for number, column in enumerate(columns)])


def fitted_sigmoid(values: np.ndarray, positive: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """Return the A and B of least cross-entropy to Platt's targets, by Newton's method with backtracking."""
    more, less = float(weights[positive].sum()), float(weights[~positive].sum())
    target = np.where(positive, (more + 1.0) / (more + 2.0), 1.0 / (less + 2.0))
    scale = float(np.abs(values).max(initial=0.0)) or 1.0
    x = values / scale

    def loss(a: float, b: float) -> float:
        z = a * x + b  # -t log p - (1 - t) log(1 - p), without overflow
        return float(weights @ (np.logaddexp(0.0, z) - (1.0 - target) * z))

    a, b = 0.0, float(np.log((less + 1.0) / (more + 1.0)))
    now = loss(a, b)
    for _ in range(NEWTON):
        p = expit(-(a * x + b))
        slope, curvature = weights * (target - p), weights * p * (1.0 - p)
        gradient = np.array([slope @ x, slope.sum()])
        hessian = np.array([[curvature @ (x * x), curvature @ x], [curvature @ x, curvature.sum()]]) + 1e-12 * np.eye(2)
        step = -np.linalg.solve(hessian, gradient)
        if -float(gradient @ step) <= LAST * float(weights.sum()):  # the last: the loss cannot resolve such steps
            a, b = a + step[0], b + step[1]
            break
        length = _backtracked(loss, (a, b), step, now, float(gradient @ step))
        if length == 0.0:
            break
        a, b = a + length * step[0], b + length * step[1]
        now = loss(a, b)
    return a / scale, b


def _backtracked(loss: Any, at: tuple[float, float], step: np.ndarray, now: float, slope: float) -> float:
    """Return a step length with enough descent (Armijo), or 0."""
    length = 1.0
    while length > 1e-10:
        if loss(at[0] + length * step[0], at[1] + length * step[1]) <= now + 1e-4 * length * slope:
            return length
        length *= 0.5
    return 0.0


def _scaled(shares: np.ndarray, classes: int) -> np.ndarray:
    if classes == 2:
        return np.hstack([shares, 1.0 - shares])
    total = shares.sum(axis=1, keepdims=True)
    return np.where(total > 0.0, shares / np.where(total > 0.0, total, 1.0), 1.0 / classes)


def coupled(pairs: np.ndarray, classes: int) -> np.ndarray:
    """Return (n, classes) probabilities from (n, pairs) of r_ab: the linear optimality conditions, solved exactly."""
    pairs = np.clip(pairs, LEAST, 1.0 - LEAST)
    if classes == 2:
        return np.hstack([pairs, 1.0 - pairs])
    starts = range(0, max(len(pairs), 1), ROWS)
    return np.concatenate([_coupled(pairs[start : start + ROWS], classes) for start in starts])


def coupling(pairs: np.ndarray, k: int) -> np.ndarray:
    """Return the (n, k, k) matrices Q of p' Q p = sum over a < b of (r_ba p_a - r_ab p_b)^2."""
    r = np.zeros((len(pairs), k, k))
    for column, (a, b) in enumerate(combinations(range(k), 2)):
        r[:, a, b], r[:, b, a] = pairs[:, column], 1.0 - pairs[:, column]
    found = -r * r.transpose(0, 2, 1)
    found[:, np.arange(k), np.arange(k)] = (r * r).sum(axis=1)
    return np.asarray(found)


def _coupled(pairs: np.ndarray, k: int) -> np.ndarray:
    system = np.zeros((len(pairs), k + 1, k + 1))
    system[:, :k, :k] = coupling(pairs, k)
    system[:, :k, k] = system[:, k, :k] = 1.0
    wanted = np.zeros((len(pairs), k + 1, 1))
    wanted[:, k] = 1.0
    found = np.maximum(np.linalg.solve(system, wanted)[:, :k, 0], 0.0)
    return np.asarray(found / found.sum(axis=1, keepdims=True))
