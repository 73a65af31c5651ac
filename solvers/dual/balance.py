"""The equality of an exact bias, sum_i W_i = 0: repair an alpha whose weights violate it, and find balanced starts."""

from __future__ import annotations

import numpy as np

from mcsvm.solvers.budget import PROOF
from mcsvm.solvers.dual.geometry import BOX, LINE, SUMS
from mcsvm.solvers.dual.quantities import weights_of
from mcsvm.solvers.errors import Sentence
from mcsvm.solvers.jit.rounding import LAST_DIGITS, ROUNDING
from mcsvm.solvers.problem import Part

SHARES = 1e-6 * 8.0 ** np.arange(7)  # of the way to `even_point` / 2, tried in turn if too few variables are free


def refuse(part: Part) -> Sentence | None:
    """Return the reason, as a sentence, why the balance of this part cannot be repaired; None if it can."""
    if part.geometry in MOVES:
        return None
    return Sentence(
        "An exact bias is not available for machines with {found}, as nothing balances their weights;"
        " use bias regularized or none.",
        found=Sentence(part.geometry.title),
    )


def repair(part: Part, alpha: np.ndarray) -> np.ndarray:
    """Return a feasible alpha near the given one whose weights sum to zero, by moving its free variables.

    If nearly all variables are at a bound, the free ones cannot balance the weights. Then alpha is first moved towards
    the inside of the bounds by the smallest of SHARES that suffices.
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
    """Return whether |sum_i W_i| <= ROUNDING * sum |alpha|."""
    left = float(np.abs(weights_of(part, alpha).sum(axis=0)).max())
    return left <= ROUNDING * float(np.abs(alpha).sum())


def even_point(part: Part) -> np.ndarray:
    """Return the largest feasible alpha with equal variables within each example and equal sums of all classes.

    This alpha is balanced.
    """
    return even_values(part)[:, None] * part.form.real[part.labels]


def even_values(part: Part) -> np.ndarray:
    """Return (n,) the value of all variables of an example in `even_point`."""
    largest = part.geometry.even(part.upper, part.form.real[part.labels].sum(axis=1))
    totals = np.bincount(part.labels, weights=largest)
    return largest * (totals.min() / np.maximum(totals, 1e-300))[part.labels]


def _moved(part: Part, alpha: np.ndarray) -> np.ndarray:
    """Move free variables towards sum_i W_i = 0, repeatedly, because a move may end at bounds."""
    alpha, real = alpha.copy(), part.form.real[part.labels]
    for _ in range(PROOF.balance_rounds):
        total = weights_of(part, alpha).sum(axis=0)
        if np.abs(total).max() <= LAST_DIGITS * max(1.0, float(np.abs(alpha).sum())):
            break
        MOVES[part.geometry](part, alpha, real, total)
    return alpha


def balanced_start(part: Part, alpha: np.ndarray) -> np.ndarray:
    """Return a feasible, balanced alpha near the given one, as a start.

    Zero if moves of free variables cannot balance it.
    """
    alpha = part.geometry.within(alpha, part.upper)
    if part.form.outputs > 1:
        alpha = _moved(part, alpha)
        return alpha if is_balanced(part, alpha) else np.zeros_like(alpha)
    first = part.form.direction[part.labels, 0, 0] > 0.0
    sides = float(alpha[first].sum()), float(alpha[~first].sum())
    if max(sides) > 0.0:  # scale the class with the larger sum down to the other
        alpha[first] *= min(sides) / sides[0] if sides[0] > sides[1] else 1.0
        alpha[~first] *= min(sides) / sides[1] if sides[1] > sides[0] else 1.0
    return alpha


def _move_in_box(part: Part, alpha: np.ndarray, real: np.ndarray, total: np.ndarray) -> None:
    """Move each variable by delta = room * <direction, z>, where `room` is its distance to the nearer bound.

    z follows by weighted least squares such that sum delta direction = -total. A move takes at most half of the room.
    """
    room = np.minimum(alpha, part.upper[:, None] - alpha) * real
    example, slot = np.nonzero(room > 0.0)
    rows, weight = part.form.direction[part.labels[example], slot], room[example, slot]
    z = np.linalg.lstsq((rows * weight[:, None]).T @ rows, -total, rcond=None)[0]
    step = weight * (rows @ z)
    alpha[example, slot] += np.clip(step, -0.5 * weight, 0.5 * weight)


def _move_in_simplex(part: Part, alpha: np.ndarray, real: np.ndarray, total: np.ndarray) -> None:
    """Move as in `_move_in_box`, within bounded sums: variables and slack of an example exchange up to half of each."""
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
    """Return sum_ip weight_ip d_ip d_ip'.

    The weights are summed by class first, because a table of all examples' directions could exceed the memory.
    """
    mass = np.zeros(part.form.margin.shape)
    np.add.at(mass, labels, weight)
    rows = part.form.direction.reshape(-1, part.form.outputs)
    return (rows * mass.reshape(-1, 1)).T @ rows


MOVES = {BOX: _move_in_box, LINE: _move_in_box, SUMS: _move_in_simplex}
