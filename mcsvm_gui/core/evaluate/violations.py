"""Violations of target margins by training rows, and the bound on the error that follows from them.

Dogan, Glasmachers & Igel (2011), section 5: z_ic = [target - (f_y - f_c)]+ for every wrong class c of row i. Machines
aim at different distances between the own class function and another; `target` is the distance that meets all margins
of a machine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from mcsvm.solvers.machines import Machine
from mcsvm.solvers.work import limited
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.machine.trained import TrainedModel

CONFIDENCE = 0.95
RESOLUTION = 1.0  # eta, the scaling of the output range in the bound


@dataclass(frozen=True)
class RiskBound:
    """Equation (6) as intercept + slope * fat: it is linear in the fat-shattering dimension, which is unknown.

    The bound is loose: values far above 1 are no information about the error, and only serve to compare machines.
    """

    intercept: float
    slope: float

    def __call__(self, fat: float) -> float:
        return self.intercept + self.slope * fat


@dataclass(frozen=True, eq=False)
class Violations:
    target: float
    sums: np.ndarray  # (classes, classes): sums over the rows of class y, of z_ic for class c
    counts: np.ndarray  # (classes,) rows of each class
    spread: float  # twice the largest absolute difference: b - a in the bound
    weighted: bool = False  # the sums count each row by its weight

    @property
    def total(self) -> float:
        return float(self.sums.sum())

    @property
    def of_pairs(self) -> np.ndarray:
        """(classes, classes), upper triangle: the sum of both directions of a pair."""
        return np.triu(self.sums + self.sums.T, 1)

    def bound(self) -> RiskBound | None:
        """Return the bound; None if a class has no rows, the target margin is not positive, or rows are weighted.

        The paper does not cover weighted rows.
        """
        if self.weighted or self.target <= 0.0 or self.spread <= 0.0 or (self.counts == 0).any():
            return None
        total, classes, delta = int(self.counts.sum()), self.counts.size, 1.0 - CONFIDENCE
        hoeffding = math.sqrt((math.log(classes * (classes - 1)) - math.log(delta)) / 2.0) / math.sqrt(total)
        intercept = slope = 0.0
        for c, e in combinations(range(classes), 2):
            rows = int(self.counts[c] + self.counts[e])
            offset, factor = self._pair(rows, float(self.sums[c, e] + self.sums[e, c]), delta)
            intercept += (rows / total + hoeffding) * offset
            slope += (rows / total + hoeffding) * factor
        return RiskBound(intercept, slope)

    def _pair(self, rows: int, z: float, delta: float) -> tuple[float, float]:
        """Return Theorem 1 at confidence delta / 2, as offset and factor of fat."""
        d = 2.0 * (math.sqrt(z * self.spread) + RESOLUTION) / self.target
        logs = math.log2(65.0 * rows * (1.0 + d) ** 3) * math.log2(9.0 * math.e * rows * (1.0 + d))
        last = math.log2(128.0 * rows**1.5 * self.spread / (delta * RESOLUTION))
        return 2.0 / rows * (64.0 * d * d * logs + last), 2.0 / rows * logs


def target_of(machine: Machine, classes: int, margin: float) -> float:
    """Return the smallest f_y - f_c that meets every margin of a row, if all wrong classes have the same function."""
    if machine.split == "pairs":
        return margin
    if machine.split == "one-vs-rest":
        return 2.0 * margin
    form, ahead = machine.form(classes, margin), np.eye(classes)[0] - 1.0 / classes
    real = form.real[0]
    return float((form.margin[0][real] / (form.direction[0][real] @ ahead)).max())


def violations_of(trained: TrainedModel, dataset: Dataset) -> Violations:
    """Compute the violations of a model. `dataset`: its training rows."""
    assert dataset.labels is not None
    prepared = trained.preparation.apply(dataset)
    number = {name: code for code, name in enumerate(trained.class_names)}
    codes = np.array([number[label] for label in dataset.labels[prepared.kept]], dtype=np.int64)
    model, request = trained.model, trained.request
    with limited(request.threads):
        values = model.decision(prepared.rows)
    margin = model.machine.margin(model.classes) if request.margin is None else request.margin
    target = target_of(model.machine, model.classes, margin)
    short_of = _of_pairs if model.machine.split == "pairs" else _of_functions
    weights = np.ones(codes.size) if dataset.weights is None else dataset.weights[prepared.kept]
    sums, spread = short_of(values, codes, weights, model.classes, target)
    counts = np.bincount(codes, minlength=model.classes)
    return Violations(target, sums, counts, spread, dataset.weights is not None)


def _of_functions(
    values: np.ndarray, codes: np.ndarray, weights: np.ndarray, classes: int, target: float
) -> tuple[np.ndarray, float]:
    sums, spread = np.zeros((classes, classes)), 0.0
    for own in range(classes):
        mine = values[codes == own]
        lead = mine[:, own : own + 1] - mine
        short = np.maximum(target - lead, 0.0)
        short[:, own] = 0.0
        sums[own] = weights[codes == own] @ short
        spread = max(spread, float(np.abs(lead).max(initial=0.0)))
    return sums, 2.0 * spread


def _of_pairs(
    values: np.ndarray, codes: np.ndarray, weights: np.ndarray, classes: int, target: float
) -> tuple[np.ndarray, float]:
    sums, spread = np.zeros((classes, classes)), 0.0
    for column, (a, b) in enumerate(combinations(range(classes), 2)):
        for own, other, sign in ((a, b, 1.0), (b, a, -1.0)):
            lead = sign * values[codes == own, column]
            sums[own, other] = weights[codes == own] @ np.maximum(target - lead, 0.0)
            spread = max(spread, float(np.abs(lead).max(initial=0.0)))
    return sums, 2.0 * spread
