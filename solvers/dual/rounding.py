"""Bounds of the rounding errors in a certificate, and a certificate that is widened by them. Used by proofs.

f_i is a sum of products K_ij W_j, whose rounding errors are practically independent. A sum of q terms has an error of
about sqrt(q) u sum |K_ij W_j| (Higham & Mary 2019), and errors e_j of the kernel values add up to sqrt(sum (e_j
W_j)^2). As |K_ij| <= s_i s_j (Kernel.magnitude), both follow in O(n) from s and W. The bounds are DEVIATIONS standard
deviations wide. A certificate is not widened if the bounds are below the share ENOUGH of primal and dual, or below a
tenth of the gap.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from mcsvm.solvers.kernels.base import Magnitude
from mcsvm.solvers.machines import DualForm
from mcsvm.solvers.work import strips

if TYPE_CHECKING:
    from mcsvm.solvers.dual.certificate import Certificate

UNIT = 2.0**-53
DEVIATIONS = 4.0
SUMMED = 600  # upper bound on the terms of one sequential sum: a tile of 512, and the sums of tiles
ENOUGH = 1e-6  # relative precision of a certificate; smaller rounding errors are not added
TENTH = 0.1


@dataclass(frozen=True)
class Rounding:
    """Bounds of the errors of every gradient and of the energy 1/2 W' K W."""

    gradient: np.ndarray  # (n,)
    energy: float


def rounding_of(magnitude: Magnitude, offset: float, form: DualForm, weights: np.ndarray) -> Rounding:
    """Return the rounding errors of functions and energy that are computed from weights in float64."""
    sums, squares = np.zeros(form.outputs), np.zeros(form.outputs)
    with np.errstate(over="ignore", invalid="ignore"):
        size = np.sqrt(np.square(magnitude.size) + offset)
        for chunk in strips(len(weights)):
            sized = size[chunk, None] * np.abs(weights[chunk])
            sums += sized.sum(axis=0)
            squares += np.square(sized, out=sized).sum(axis=0)
        support = int(np.count_nonzero(weights.any(axis=1)))
        each = DEVIATIONS * UNIT * (np.sqrt(min(support, SUMMED)) * sums + magnitude.error * np.sqrt(squares))
        reading = form.longest_reading
        gradient = reading * float(each.max(initial=0.0)) * size
        energy = 0.5 * float(np.sqrt((np.square(each) * squares).sum()))
    return Rounding(gradient, energy)


@dataclass(frozen=True)
class CoarseBound:
    """A coarse bound of the amount that `widen` adds for binary machines, whose pairs take a tenth of a ms each.

    All machines of one problem share it.
    """

    size: float  # the largest of Magnitude.size
    error: float  # Magnitude.error
    cost: float  # the largest U_i
    slots: int

    @classmethod
    def of(cls, magnitude: Magnitude, form: DualForm, upper: np.ndarray) -> CoarseBound:
        return cls(float(magnitude.size.max()), magnitude.error, float(upper.max()), form.slots)

    def is_negligible(self, certificate: Certificate, n: int, total: float) -> bool:
        """Return whether rounding changes nothing; `total` is the sum of |weights| of the n examples."""
        each = DEVIATIONS * UNIT * self.size * self.size * (sqrt(min(n, SUMMED)) + self.error) * total
        added = each * (0.5 * total + self.slots * sqrt(n) * self.cost)
        return added <= ENOUGH * max(abs(certificate.primal), abs(certificate.dual))


def widen(
    certificate: Certificate,
    rounding: Rounding,
    form: DualForm,
    upper: np.ndarray,
    costing: Callable[[np.ndarray], np.ndarray] = lambda error: np.arange(error.size),
) -> Certificate:
    """Return a certificate whose bounds allow for rounding errors, or the same one if these are negligible.

    `costing` returns the indices of the examples that may have a loss under the given gradient errors; by default all.
    """
    enough = max(TENTH * certificate.gap, ENOUGH * max(abs(certificate.primal), abs(certificate.dual)))
    if rounding.energy + _loss(rounding, form, upper) <= enough:
        return certificate
    lossy = costing(rounding.gradient)
    loss = _loss(Rounding(rounding.gradient[lossy], rounding.energy), form, upper[lossy])
    if rounding.energy + loss <= enough:
        return certificate
    return replace(
        certificate,
        primal=certificate.primal + rounding.energy + loss,
        dual=certificate.dual - rounding.energy,
        violation=certificate.violation + float(rounding.gradient.max()),
    )


def _loss(rounding: Rounding, form: DualForm, upper: np.ndarray) -> float:
    with np.errstate(over="ignore"):
        return form.slots * float(np.sqrt(np.square(upper * rounding.gradient).sum()))
