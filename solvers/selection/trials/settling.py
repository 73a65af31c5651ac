"""Tests whether a training of a search may end before its tolerance: searches need predictions, not optima.

Proof: the primal P and minus the dual, as functions of the class weights w, are strongly convex, so |w - w*|^2 <= gap,
summed over the classes (a regularized bias is a weight too). f_a - f_b of a row x is then within
sqrt(2 gap (K(x, x) + o)) of the optimum. If the winner's margin is larger on every test row, no prediction changes any
more. Without a proof: no prediction has changed since SETTLE.share of the effort, at a violation below SETTLE.near.
"""

from __future__ import annotations

import numpy as np

from mcsvm.solvers.budget import SETTLE
from mcsvm.solvers.dual.certificate import Certificate
from mcsvm.solvers.jit.rounding import FEASIBLE, ROUNDING
from mcsvm.solvers.model import Model, decide
from mcsvm.solvers.problem import Part
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.loop import Run
from mcsvm.solvers.run.trace import Sample
from mcsvm.solvers.selection.trials.shared import FoldRows, Matrices

UNTIL = "tolerance", "proved", "unchanged"  # TrainingSettings.until; each value allows the endings of all before it


class DecisionWatch:
    """Predicts the test rows of one run between slices, at efforts a factor SETTLE.apart from each other."""

    def __init__(self, run: Run, rows: FoldRows, matrices: Matrices, until: str) -> None:
        self.run, self.rows, self.matrices, self.until = run, rows, matrices, until
        self.scale = lead_scale(run.problem.part(0), rows)
        self.costs = run.problem.part(0).scale
        self.near = SETTLE.near * float(run.problem.part(0).form.margin.max())
        self.next_look, self.decided, self.since = SETTLE.first, np.empty(0), 0.0

    def settled(self, sample: Sample) -> Ending | None:
        """Return how the run may end here, or None if it must continue."""
        run, effort = self.run, self.run.effort
        if not run.running or effort < self.next_look or run.exploring:
            return None
        self.next_look = SETTLE.apart * effort
        values = decisions(run.running_model(), self.matrices)
        decided = decide(run.problem.machine, values, self.rows.classes)
        if not np.array_equal(decided, self.decided):
            self.decided, self.since = decided, effort
        running = Certificate(sample.primal, sample.dual, sample.violation, 0.0, self.costs)
        if proves(running, values, self.scale) and self._proved():
            return Ending.PROVED
        long = self.since <= SETTLE.share * effort and sample.violation <= self.near
        return Ending.UNCHANGED if long and self.until == "unchanged" else None

    def _proved(self) -> bool:
        """Repeat the proof with numbers recomputed from alpha in float64."""
        proofs = self.run.proofs()
        values = decisions(self.run.model(proofs), self.matrices)
        return proves(self.run.certificate(proofs), values, self.scale)


def watch_of(run: Run, rows: FoldRows, matrices: Matrices | None, until: str) -> DecisionWatch | None:
    """Return the watch of a joint machine on a shared kernel matrix, or None if its run cannot end early.

    With an exact bias, b is not part of w, and f has no such bound.
    """
    joint = run.problem.machine.split == "joint" and not run.problem.part(0).balanced
    if until == "tolerance" or matrices is None or not joint or not run.problem.kernel.semidefinite:
        return None
    return DecisionWatch(run, rows, matrices, until)


def lead_scale(part: Part, rows: FoldRows) -> np.ndarray:
    """Return (test rows,) sqrt(2 (K(x, x) + o)); times sqrt(gap) it bounds changes of f_a - f_b."""
    return np.sqrt(2.0 * (part.gram.kernel.diagonal(rows.test) + part.offset))


def proves(certificate: Certificate, values: np.ndarray, scale: np.ndarray) -> bool:
    """Tell whether every margin over the runner-up is larger than its possible change, with rounding of the gap."""
    first, second = np.partition(values, -2, axis=1)[:, :-3:-1].T
    rounding = FEASIBLE * max(abs(certificate.primal), abs(certificate.dual)) + ROUNDING * certificate.scale
    gap = max(certificate.gap, 0.0) + rounding
    return bool((first - second > scale * np.sqrt(gap)).all())


def decisions(model: Model, matrices: Matrices) -> np.ndarray:
    """Return `model.decision` of the test rows, from stored kernel values."""
    return matrices.test[model.support].T @ model.expansion + model.bias
