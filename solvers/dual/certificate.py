"""Primal, dual, gap and violation from alpha alone, in float64, independent of any solver's numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcsvm.solvers.budget import PROOF
from mcsvm.solvers.dual.bias import best_bias
from mcsvm.solvers.dual.gap import is_zero, relative_gap
from mcsvm.solvers.dual.quantities import energy_of, weights_of
from mcsvm.solvers.dual.rounding import rounding_of, widen
from mcsvm.solvers.interrupt import tick
from mcsvm.solvers.jit.rounding import SINGLE
from mcsvm.solvers.problem import Part, Problem
from mcsvm.solvers.products import KnownRows, Sweep, swept


@dataclass(frozen=True)
class Certificate:
    """dual <= optimum <= primal; `infeasibility` is the largest amount by which alpha breaks a constraint."""

    primal: float
    dual: float
    violation: float
    infeasibility: float
    scale: float = 0.0  # sum of the costs U_i of all parts; 0 for running values

    @property
    def gap(self) -> float:
        return self.primal - self.dual

    @property
    def relative_gap(self) -> float:
        return relative_gap(self.primal, self.dual)

    @property
    def is_zero(self) -> bool:
        """Tell whether primal and dual are zero within rounding, so that their relative gap has no meaning."""
        return is_zero(self.primal, self.dual, self.scale)

    def reaches(self, gap: float, tolerance: float) -> bool:
        """Return whether the relative gap is at most `gap`. If every part reaches it, their sum does.

        If primal and dual are zero within rounding, the violation decides: it must be within `tolerance`.
        """
        return self.violation <= tolerance if self.is_zero else self.relative_gap <= gap

    def __add__(self, other: Certificate) -> Certificate:
        return Certificate(
            self.primal + other.primal,
            self.dual + other.dual,
            max(self.violation, other.violation),
            max(self.infeasibility, other.infeasibility),
            self.scale + other.scale,
        )


@dataclass(frozen=True)
class Proof:
    """The certificate of a part, with the weights, products and bias that it was computed from."""

    certificate: Certificate
    weights: np.ndarray  # (n, outputs)
    products: np.ndarray  # K @ weights; in float32 for examples that are proved to be beyond their margin
    bias: np.ndarray  # (outputs,)


def certify(part: Part, alpha: np.ndarray, products: np.ndarray | None = None, hint: np.ndarray | None = None) -> Proof:
    """Recompute everything from alpha. A caller that has K @ weights in float64 may pass it as `products`."""
    weights, sweep = weights_of(part, alpha), None
    if products is None:
        sweep = sweep_of(part, alpha, weights)
        products = part.gram.products(weights) if sweep is None else sweep.products
    total = weights.sum(axis=0)
    while True:
        bias = best_bias(part, alpha, products, hint) if part.balanced else part.offset * total
        tick()
        if sweep is None:
            break
        unclear = part.geometry.unclear(part, alpha, products + bias, sweep.error)
        if not unclear.size:
            break
        sweep.sharpen(part.gram.points, unclear)
    violations = np.empty_like(part.upper)
    violation, loss, linear = part.geometry.examine(part, alpha, products, bias, violations)
    tick()
    energy = energy_of(part, weights, products)
    infeasibility = part.geometry.infeasibility(part, alpha, total)
    tick()
    certificate = Certificate(energy + loss, linear - energy, violation, infeasibility, part.scale)
    rounding = rounding_of(part.gram.kernel.magnitude(part.gram.points), part.offset, part.form, weights)

    def costing(error: np.ndarray) -> np.ndarray:
        return part.geometry.unclear(part, alpha, products + bias, error)

    certificate = widen(certificate, rounding, part.form, part.upper, costing)
    return Proof(certificate, weights, products, bias)


def sweep_of(part: Part, alpha: np.ndarray, weights: np.ndarray) -> Sweep | None:
    """Return K W in float64 for the support vectors, and in float32 for the other examples, or None (products.py)."""
    gram = part.gram
    if gram.small or np.any((alpha != 0.0).any(axis=1) & ~weights.any(axis=1)):
        return None
    reading = part.form.longest_reading
    return swept(gram.kernel, gram.points, weights, reading, KnownRows(gram.store, gram.slot_of))


def total_of(proofs: Sequence[Proof]) -> Certificate:
    """Return the sum of the certificates: the objectives of independent parts add up."""
    total = proofs[0].certificate
    for proof in proofs[1:]:
        total = total + proof.certificate
    return total


def certificate_at_zero(problem: Problem, first: int) -> Certificate:
    """Return the sum of the certificates at alpha = 0 of the parts from `first` on, which have not started.

    These parts are binary: a joint machine has a single part, which always starts. If b is free, the best b
    misclassifies the side of smaller cost, whose examples lose 2 margins each. If b = 0, every example loses 1 margin.
    """
    if first >= problem.part_count:
        return Certificate(0.0, 0.0, 0.0, 0.0)
    positive, negative = problem.side_costs(first)
    exact, total = problem.bias == "exact", float((positive + negative).sum())
    primal = 2.0 * float(np.minimum(positive, negative).sum()) if exact else total
    violation = 2.0 * problem.margin if exact else problem.margin
    return Certificate(problem.margin * primal, 0.0, violation, 0.0, total)


def seen_indefinite(problem: Problem, used: np.ndarray) -> bool:
    """Return whether the kernel matrix of a subset of the support vectors has a negative eigenvalue.

    In this case the problem is not convex: a point without violation need not be the optimum, and the dual is no bound.
    """
    if problem.kernel.semidefinite or not used.any():
        return False
    support = np.flatnonzero(used)
    points = problem.points.take(support[:: -(-support.size // PROOF.support_rows)])
    eigenvalues = np.linalg.eigvalsh(problem.kernel.block(points, points, np.empty((len(points), len(points)))))
    return bool(eigenvalues[0] < -SINGLE * max(eigenvalues[-1], 0.0))
