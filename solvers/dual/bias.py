"""The exact bias: b from the free variables if they determine it, else from minimising the primal over b."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, hstack

from mcsvm.solvers.budget import PROOF
from mcsvm.solvers.dual.quantities import examine
from mcsvm.solvers.jit.rounding import ROUNDING
from mcsvm.solvers.problem import Part


def best_bias(part: Part, alpha: np.ndarray, products: np.ndarray, hint: np.ndarray | None) -> np.ndarray:
    """Return the candidate b with the smallest primal.

    It is centred to sum_c b_c = 0 if only differences of class functions matter. The candidates are the b of the free
    variables by least squares, and `hint`. Without a hint, the optimum of the linear programme is a candidate if the
    free variables do not determine b and the programme is small enough.
    """
    if part.form.outputs == 1:
        return _binary_bias(part, products)
    rows, targets = _equations(part, alpha, products)
    candidates = [np.linalg.lstsq(rows, targets, rcond=None)[0]]
    if hint is not None:
        candidates.append(hint)
    elif (
        np.linalg.matrix_rank(rows) < part.form.outputs - 1
        and part.form.real[part.labels].sum() <= PROOF.programme_hinges
    ):
        candidates.append(_programme(part, products))
    centred = [b - b.mean() if part.form.centred else b for b in candidates]
    return min(centred, key=lambda b: examine(part, alpha, products + b).loss)


def _equations(part: Part, alpha: np.ndarray, products: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (rows, targets) of <direction, f + b> = margin for the free variables: the KKT conditions on b."""
    form = part.form
    example, slot = np.nonzero(part.geometry.free(alpha, part.upper) & form.real[part.labels])
    rows = form.direction[part.labels[example], slot]
    targets = form.margin[part.labels[example], slot] - np.einsum("vc,vc->v", rows, products[example])
    return rows.reshape(-1, form.outputs), targets


def _programme(part: Part, products: np.ndarray) -> np.ndarray:
    """Return the b that minimises sum U_i xi over (b, xi), subject to xi >= margin - <direction, f + b> and xi >= 0."""
    from scipy.optimize import linprog  # 93 modules, which most trainings never need

    form = part.form
    example, slot = np.nonzero(form.real[part.labels])
    rows = form.direction[part.labels[example], slot]
    needed = form.margin[part.labels[example], slot] - np.einsum("vc,vc->v", rows, products[example])
    hinge, costs = part.geometry.hinges(part, example)
    pick = csr_array((np.ones(example.size), (np.arange(example.size), hinge)), shape=(example.size, costs.size))
    solution = linprog(
        np.concatenate([np.zeros(form.outputs), costs]),
        A_ub=-hstack([csr_array(rows), pick]),
        b_ub=-needed,
        bounds=[(None, None)] * form.outputs + [(0.0, None)] * costs.size,
        method="highs",
    )
    return solution.x[: form.outputs] if solution.x is not None else np.zeros(form.outputs)


def _binary_bias(part: Part, products: np.ndarray) -> np.ndarray:
    """Return the b that minimises sum_i U_i [m - s_i (f_i + b)]+: a weighted median of its kinks.

    If a whole interval is optimal, return its middle.
    """
    sign = part.form.direction[part.labels, 0, 0]
    kinks = sign * part.form.margin[part.labels, 0] - products[:, 0]
    order = np.argsort(kinks)
    slope = -part.upper[sign > 0.0].sum() + np.cumsum(part.upper[order])
    reach = part.upper.sum() * ROUNDING
    first = int(np.argmax(slope >= -reach))
    last = first + 1 if abs(slope[first]) <= reach and first + 1 < order.size else first
    return np.array([0.5 * (kinks[order[first]] + kinks[order[last]])])
