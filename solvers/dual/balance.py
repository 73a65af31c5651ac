"""A feasible alpha whose weights sum to zero, near one whose weights nearly do: the equality of an exact bias."""

from __future__ import annotations

import numpy as np

from solvers.budget import PROOF
from solvers.dual.geometry import BOX, LINE, SUMS
from solvers.dual.quantities import weights_of
from solvers.jit.rounding import LAST_DIGITS, ROUNDING
from solvers.problem import Part

SHARES = 1e-6 * 8.0 ** np.arange(7)  # of the way to the middle of the bounds, where too few variables can move


def repair(part: Part, alpha: np.ndarray) -> np.ndarray:
    """The nearest alpha, by moves of free variables, whose weights sum to zero.

    Where that cannot be, as all or nearly all are at a bound, the nearest that is a little farther inside.
    """
    found = _moved(part, alpha)
    if is_balanced(part, found):
        return found
    middle = 0.5 * even(part)
    for share in SHARES:
        found = _moved(part, (1.0 - share) * alpha + share * middle)
        if is_balanced(part, found):
            return found
    return np.zeros_like(alpha)


def is_balanced(part: Part, alpha: np.ndarray) -> bool:
    left = float(np.abs(weights_of(part, alpha).sum(axis=0)).max())
    return left <= ROUNDING * float(np.abs(alpha).sum())


def even(part: Part) -> np.ndarray:
    """The largest feasible alpha of equal totals in all classes, which balance, equal within each example."""
    return level(part)[:, None] * part.form.real[part.labels]


def level(part: Part) -> np.ndarray:
    """(n,) the value that each variable of an example has in `even`."""
    shares = part.geometry.even(part.upper, part.form.real[part.labels].sum(axis=1))
    masses = np.bincount(part.labels, weights=shares)
    return shares * (masses.min() / np.maximum(masses, 1e-300))[part.labels]


def _moved(part: Part, alpha: np.ndarray) -> np.ndarray:
    alpha, real = alpha.copy(), part.form.real[part.labels]
    for _ in range(PROOF.balance_rounds):
        total = weights_of(part, alpha).sum(axis=0)
        if np.abs(total).max() <= LAST_DIGITS * max(1.0, float(np.abs(alpha).sum())):
            break
        MOVES[part.geometry](part, alpha, real, total)
    return alpha


def balanced(part: Part, alpha: np.ndarray) -> np.ndarray:
    """A feasible alpha to start from, near a given one; zero where there is none near it."""
    alpha = part.geometry.within(alpha, part.upper)
    if part.form.outputs > 1:
        alpha = _moved(part, alpha)
        return alpha if is_balanced(part, alpha) else np.zeros_like(alpha)
    first = part.form.direction[part.labels, 0, 0] > 0.0
    sides = float(alpha[first].sum()), float(alpha[~first].sum())
    if max(sides) > 0.0:  # the heavier side gives way
        alpha[first] *= min(sides) / sides[0] if sides[0] > sides[1] else 1.0
        alpha[~first] *= min(sides) / sides[1] if sides[1] > sides[0] else 1.0
    return alpha


def _move_in_box(part: Part, alpha: np.ndarray, real: np.ndarray, total: np.ndarray) -> None:
    """Weighted least squares: delta = room * <direction, z>, so that the sum of directions is -total."""
    room = np.minimum(alpha, part.upper[:, None] - alpha) * real
    example, slot = np.nonzero(room > 0.0)
    rows, weight = part.form.direction[part.labels[example], slot], room[example, slot]
    z = np.linalg.lstsq((rows * weight[:, None]).T @ rows, -total, rcond=None)[0]
    step = weight * (rows @ z)
    alpha[example, slot] += np.clip(step, -0.5 * weight, 0.5 * weight)


def _move_in_simplex(part: Part, alpha: np.ndarray, real: np.ndarray, total: np.ndarray) -> None:
    """The same within the sums: variables and slack of an example exchange, each at most half of itself."""
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
    """sum_ip weight_ip d_ip d_ip', by class: all directions of all examples at once would be far too large."""
    mass = np.zeros(part.form.margin.shape)
    np.add.at(mass, labels, weight)
    rows = part.form.direction.reshape(-1, part.form.outputs)
    return (rows * mass.reshape(-1, 1)).T @ rows


MOVES = {BOX: _move_in_box, LINE: _move_in_box, SUMS: _move_in_simplex}
