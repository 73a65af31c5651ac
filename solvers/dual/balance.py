"""The equality of an exact bias, sum_i W_i = 0: repairs an alpha whose weights miss it, and finds balanced starts."""

from __future__ import annotations

import numpy as np

from mcsvm.solvers.budget import PROOF
from mcsvm.solvers.dual.geometry import BOX, LINE, SUMS
from mcsvm.solvers.dual.quantities import weights_of
from mcsvm.solvers.errors import Sentence
from mcsvm.solvers.jit.rounding import LAST_DIGITS, ROUNDING
from mcsvm.solvers.problem import Part

SHARES = 1e-6 * 8.0 ** np.arange(7)  # of the way to `even_point` / 2, tried in turn where too few variables are free


def refuse(part: Part) -> Sentence | None:
    """Why the balance of this part cannot be repaired, in a sentence; None where it can."""
    if part.geometry in MOVES:
        return None
    return Sentence(
        "An exact bias is not available for machines with {found}, as nothing balances their weights;"
        " use bias regularized or none.",
        found=Sentence(part.geometry.title),
    )


def repair(part: Part, alpha: np.ndarray) -> np.ndarray:
    """A feasible alpha near the given one whose weights sum to zero: its free variables move.

    Where nearly all variables are at a bound, so that the free ones cannot balance the weights, alpha is first moved
    towards the inside of the bounds by the least of SHARES that suffices.
    """
    repaired = _moved(part, alpha)
    if is_balanced(part, repaired):
        return repaired
    inside = 0.5 * even_point(part)
    for share in SHARES:
        repaired = _moved(part, (1.0 - share) * alpha + share * inside)
        if is_balanced(part, repaired):
            return repaired
    return np.zeros_like(alpha)


def is_balanced(part: Part, alpha: np.ndarray) -> bool:
    """Whether |sum_i W_i| <= ROUNDING * sum |alpha|."""
    left = float(np.abs(weights_of(part, alpha).sum(axis=0)).max())
    return left <= ROUNDING * float(np.abs(alpha).sum())


def even_point(part: Part) -> np.ndarray:
    """The largest feasible alpha with equal variables within each example and equal sums of all classes: balanced."""
    return even_values(part)[:, None] * part.form.real[part.labels]


def even_values(part: Part) -> np.ndarray:
    """(n,) the value that all variables of an example have in `even_point`."""
    largest = part.geometry.even(part.upper, part.form.real[part.labels].sum(axis=1))
    totals = np.bincount(part.labels, weights=largest)
    return largest * (totals.min() / np.maximum(totals, 1e-300))[part.labels]


def _moved(part: Part, alpha: np.ndarray) -> np.ndarray:
    """Moves of free variables towards sum_i W_i = 0, repeated, as each may end at bounds."""
    alpha, real = alpha.copy(), part.form.real[part.labels]
    for _ in range(PROOF.balance_rounds):
        total = weights_of(part, alpha).sum(axis=0)
        if np.abs(total).max() <= LAST_DIGITS * max(1.0, float(np.abs(alpha).sum())):
            break
        MOVES[part.geometry](part, alpha, real, total)
    return alpha


def balanced_start(part: Part, alpha: np.ndarray) -> np.ndarray:
    """A feasible, balanced alpha near the given one, to start from; zero where moves of free variables find none."""
    alpha = part.geometry.within(alpha, part.upper)
    if part.form.outputs > 1:
        alpha = _moved(part, alpha)
        return alpha if is_balanced(part, alpha) else np.zeros_like(alpha)
    first = part.form.direction[part.labels, 0, 0] > 0.0
    sides = float(alpha[first].sum()), float(alpha[~first].sum())
    if max(sides) > 0.0:  # scale the class of larger sum down to the other
        alpha[first] *= min(sides) / sides[0] if sides[0] > sides[1] else 1.0
        alpha[~first] *= min(sides) / sides[1] if sides[1] > sides[0] else 1.0
    return alpha


def _move_in_box(part: Part, alpha: np.ndarray, real: np.ndarray, total: np.ndarray) -> None:
    """delta = room * <direction, z>, z by weighted least squares so that sum delta direction = -total; `room` is the
    distance to the nearer bound, of which a move takes at most half."""
    room = np.minimum(alpha, part.upper[:, None] - alpha) * real
    example, slot = np.nonzero(room > 0.0)
    rows, weight = part.form.direction[part.labels[example], slot], room[example, slot]
    z = np.linalg.lstsq((rows * weight[:, None]).T @ rows, -total, rcond=None)[0]
    step = weight * (rows @ z)
    alpha[example, slot] += np.clip(step, -0.5 * weight, 0.5 * weight)


def _move_in_simplex(part: Part, alpha: np.ndarray, real: np.ndarray, total: np.ndarray) -> None:
    """As `_move_in_box`, within bounded sums: variables and slack of an example exchange at most half of each."""
    used = np.flatnonzero((alpha * real).any(axis=1))
    labels, weight = part.labels[used], alpha[used] * real[used]
    slack = (part.upper[used] - weight.sum(axis=1)).clip(0.0)
    pull = weights_of(part, alpha)[used]
    centre = pull / (weight.sum(axis=1) + slack)[:, None]
    z = np.linalg.lstsq(_squares(part, labels, weight) - pull.T @ centre, -total, rcond=None)[0]
    share = (part.form.direction @ z)[labels] - (centre @ z)[:, None]
    largest = np.maximum(np.where(weight > 0.0, np.abs(share), 0.0).max(axis=1), np.abs(centre @ z))
    share *= np.minimum(1.0, 0.5 / np.maximum(largest, 1e-300))[:, None]
    alpha[used] += weight * share


def _squares(part: Part, labels: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """sum_ip weight_ip d_ip d_ip', summed by class first: a table of all examples' directions could exceed memory."""
    mass = np.zeros(part.form.margin.shape)
    np.add.at(mass, labels, weight)
    rows = part.form.direction.reshape(-1, part.form.outputs)
    return (rows * mass.reshape(-1, 1)).T @ rows


MOVES = {BOX: _move_in_box, LINE: _move_in_box, SUMS: _move_in_simplex}
