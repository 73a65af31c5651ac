"""The mathematics once more, slowly and by hand: nothing here uses the solvers' tables or compiled code.

Machines as in the table of solvers/notes/mathematics.md: ww, cs, llw, and the unified view (adm, atm, ats, mmr).
`alpha` is (n, classes): the variable of example i and class c; f is (n, classes).
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

JOINT = ("ww", "cs", "llw", "adm", "atm", "ats", "mmr")
SUMS = ("cs", "adm", "atm")  # sum_c alpha_ic <= C instead of alpha_ic <= C


def direction(machine: str, own: int, c: int, classes: int) -> np.ndarray | None:
    """What one unit of alpha_ic does to the class functions; None where there is no such variable."""
    unit = np.eye(classes)
    if machine in ("ww", "cs"):
        return None if c == own else unit[own] - unit[c]
    centred = unit[c] - 1.0 / classes
    if c == own:
        return centred if machine in ("atm", "ats", "mmr") else None
    return None if machine == "mmr" else -centred


def loss_of_example(machine: str, f: np.ndarray, own: int, m: float) -> float:
    others = [c for c in range(f.size) if c != own]
    relative = [max(0.0, m - (f[own] - f[c])) for c in others]
    absolute = [max(0.0, m + f[c]) for c in others]
    mine = max(0.0, m - f[own])
    return {
        "ww": sum(relative),
        "cs": max(relative),
        "llw": sum(absolute),
        "adm": max(absolute),
        "atm": max([mine, *absolute]),
        "ats": sum([mine, *absolute]),
        "mmr": mine,
    }[machine]


def weights_by_hand(machine: str, y: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    n, classes = alpha.shape
    weights = np.zeros((n, classes))
    for i in range(n):
        for c in range(classes):
            step = direction(machine, int(y[i]), c, classes)
            if step is not None:
                weights[i] += alpha[i, c] * step
    return weights


def energy(kernel: np.ndarray, weights: np.ndarray) -> float:
    return 0.5 * sum(weights[:, c] @ kernel @ weights[:, c] for c in range(weights.shape[1]))


def primal_by_hand(
    machine: str, kernel: np.ndarray, y: np.ndarray, weights: np.ndarray, upper: np.ndarray, m: float, b: np.ndarray
) -> float:
    f = kernel @ weights + b
    losses = [upper[i] * loss_of_example(machine, f[i], int(y[i]), m) for i in range(y.size)]
    return energy(kernel, weights) + sum(losses)


def dual_by_hand(machine: str, kernel: np.ndarray, y: np.ndarray, alpha: np.ndarray, m: float) -> float:
    classes = alpha.shape[1]
    linear = sum(
        m * alpha[i, c]
        for i in range(y.size)
        for c in range(classes)
        if direction(machine, int(y[i]), c, classes) is not None
    )
    return linear - energy(kernel, weights_by_hand(machine, y, alpha))


def binary_primal(
    kernel: np.ndarray, sign: np.ndarray, weights: np.ndarray, upper: np.ndarray, m: float, b: float
) -> float:
    f = kernel @ weights + b
    return 0.5 * weights @ kernel @ weights + float(upper @ np.maximum(0.0, m - sign * f))


def binary_dual(kernel: np.ndarray, sign: np.ndarray, alpha: np.ndarray, m: float) -> float:
    weights = alpha * sign
    return m * alpha.sum() - 0.5 * weights @ kernel @ weights


def random_alpha(machine: str, y: np.ndarray, upper: np.ndarray, classes: int, rng: np.random.Generator) -> np.ndarray:
    """Feasible, with variables at both bounds and between them."""
    alpha = rng.choice([0.0, 0.3, 1.0], size=(y.size, classes)) * rng.uniform(0.5, 1.0, size=(y.size, classes))
    alpha[rng.random(alpha.shape) < 0.2] = 1.0
    for i in range(y.size):
        for c in range(classes):
            if direction(machine, int(y[i]), c, classes) is None:
                alpha[i, c] = 0.0
        if machine in SUMS and alpha[i].sum() > 0.0:
            alpha[i] *= rng.choice([0.5, 1.0]) / alpha[i].sum()
    return alpha * upper[:, None]


def optimum_by_scipy(
    machine: str, kernel: np.ndarray, y: np.ndarray, upper: np.ndarray, classes: int, m: float, *, balanced: bool
) -> float:
    """The dual optimum of a joint machine by sequential least squares: tiny problems only."""
    places = [
        (i, c, direction(machine, int(y[i]), c, classes))
        for i in range(y.size)
        for c in range(classes)
        if direction(machine, int(y[i]), c, classes) is not None
    ]
    examples = np.array([i for i, _, _ in places])
    steps = np.array([step for _, _, step in places])
    coupling = (steps @ steps.T) * kernel[np.ix_(examples, examples)]
    return optimum_of_programme(
        coupling,
        np.full(len(places), m),
        upper[examples],
        equalities=steps.T[:-1] if balanced else None,
        sums=[(examples == i, upper[i]) for i in range(y.size)] if machine in SUMS else [],
    )


def optimum_of_programme(
    coupling: np.ndarray,
    linear: np.ndarray,
    upper: np.ndarray,
    *,
    equalities: np.ndarray | None = None,
    sums: list[tuple[np.ndarray, float]] | None = None,
) -> float:
    """max linear'a - 1/2 a' coupling a, 0 <= a <= upper, equalities a = 0, sums of members bounded."""
    constraints = []
    if equalities is not None:
        constraints.append({"type": "eq", "fun": lambda a: equalities @ a, "jac": lambda a: equalities})
    if sums:
        rows = np.array([members.astype(float) for members, _ in sums])
        bounds = np.array([bound for _, bound in sums])
        constraints.append({"type": "ineq", "fun": lambda a: bounds - rows @ a, "jac": lambda a: -rows})
    answer = minimize(
        lambda a: 0.5 * a @ coupling @ a - linear @ a,
        np.zeros(linear.size),
        jac=lambda a: coupling @ a - linear,
        bounds=[(0.0, bound) for bound in upper],
        constraints=constraints,
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 1000},
    )
    assert answer.success or answer.status == 8, answer.message  # 8: no better to within rounding
    return -float(answer.fun)


def vote_by_hand(values: np.ndarray, classes: int) -> np.ndarray:
    """Pair (a, b) votes a when its function is positive, else b; ties to the smaller index."""
    labels = []
    for row in values:
        counts, column = [0] * classes, 0
        for a in range(classes):
            for b in range(a + 1, classes):
                counts[a if row[column] > 0 else b] += 1
                column += 1
        labels.append(counts.index(max(counts)))
    return np.array(labels)


def walk_by_hand(values: np.ndarray, classes: int) -> np.ndarray:
    """All classes in a list; compare first and last, drop the loser, until one is left."""
    column = {}
    for a in range(classes):
        for b in range(a + 1, classes):
            column[a, b] = len(column)
    labels = []
    for row in values:
        left = list(range(classes))
        while len(left) > 1:
            first, last = left[0], left[-1]
            left.remove(last if row[column[first, last]] > 0 else first)
        labels.append(left[0])
    return np.array(labels)
