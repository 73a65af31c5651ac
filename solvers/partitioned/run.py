"""PartitionedRun: a training in rounds, whose rows are stored in several partitions.

In one round, every partition adds the change of the last block to its functions, and offers the rows that violate most.
These rows are gathered and solved as a problem of their own (block.py); the next round sends the changes. A claim of
convergence is accepted only after all functions were recomputed from alpha in float64 (proof.py). The run stores a copy
of alpha only: a lost partition is read again, gets its variables from this copy, and its functions from the same pass
as a certificate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np

from mcsvm.solvers import clock
from mcsvm.solvers.budget import LOOP, PARTITIONED
from mcsvm.solvers.decision import Decision
from mcsvm.solvers.dual.certificate import Certificate
from mcsvm.solvers.dual.gap import TINY
from mcsvm.solvers.dual.geometry import BOX, LINE
from mcsvm.solvers.dual.quantities import weights_of
from mcsvm.solvers.jit.rounding import FEASIBLE
from mcsvm.solvers.kernels import Points
from mcsvm.solvers.model import Model, stored_expansion
from mcsvm.solvers.partitioned import proof
from mcsvm.solvers.partitioned.block import solve_block, stacked
from mcsvm.solvers.partitioned.messages import (
    BlockChange,
    LostPartitionsError,
    PartitionSize,
    PartitionStanding,
    Restored,
    RowOffer,
)
from mcsvm.solvers.partitioned.partitions import Partitions
from mcsvm.solvers.posing import SharedTerms
from mcsvm.solvers.problem import Part, Problem
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.limits import Limits
from mcsvm.solvers.run.trace import Sample, Trace

T = TypeVar("T")

ROUNDS = "Rows lie in several places: blocks of those that violate most are gathered and solved in rounds."


@dataclass(frozen=True)
class Support:
    """The support vectors of one part in one partition."""

    rows: np.ndarray  # row numbers of the partition
    classes: np.ndarray  # classes of the problem
    alpha: np.ndarray  # (support, slots)
    weights: np.ndarray  # (support, outputs)
    full: np.ndarray  # (support,) whether a variable is at its bound


@dataclass(frozen=True)
class Done:
    """A part that has ended."""

    certificate: Certificate
    bias: np.ndarray
    support: tuple[Support, ...]  # one for each partition
    right: tuple[float, float]  # weight of the correctly predicted rows, and of all rows
    stalled: bool


class PartitionedRun:
    """Call `advance` until `running` is False, or `stop` at any moment; then `certificate()` and `model()`."""

    def __init__(self, terms: SharedTerms, partitions: Partitions, limits: Limits | None = None) -> None:
        self.terms, self.partitions, self.limits = terms, partitions, limits or Limits()
        self._shape: Problem = terms.problem(np.empty((0, 1)), np.empty(0, dtype=np.int64))  # without rows
        self.ending: Ending | None = None
        self.trace = Trace()
        self.rounds = self.iterations = self.kernel_evaluations = 0
        self.seconds = 0.0
        self._done: list[Done] = []
        self._alpha: list[np.ndarray] = []  # alpha of each partition; empty if no part is current
        sizes: list[PartitionSize] = self._surely(lambda: partitions.ask_all("welcome"))
        self.sizes = [size.rows for size in sizes]
        fitting = PARTITIONED.block_bytes / (4.0 * max(1.0, *(size.stored for size in sizes)))
        self.block = int(np.clip(fitting, PARTITIONED.block_least, PARTITIONED.block))
        self._portion = min(self.block, PARTITIONED.portion_rows)
        self._waiting = np.append(np.cumsum(np.sum([size.primal_at_zero for size in sizes], axis=0)[::-1])[::-1], 0.0)
        self._begin()
        self.last = self._first_sample()
        # (classes,) support vectors, weight of the correctly predicted rows, and of all, in the last round
        self.counted = np.zeros(terms.classes, dtype=np.int64), 0.0, 0.0

    # -- properties -------------------------------------------------------------------------------

    @property
    def running(self) -> bool:
        return self.ending is None

    @property
    def parts(self) -> int:
        return self._shape.part_count

    @property
    def decisions(self) -> list[Decision]:
        return [Decision(0, "rounds", ROUNDS, {"partitions": self.partitions.count, "block": self.block})]

    @cached_property
    def _empty_part(self) -> Part:
        return self._shape.part(0)

    @property
    def _line(self) -> bool:
        return self._shape.geometry is LINE

    @property
    def _offset(self) -> float:
        return 1.0 if self.terms.bias == "regularized" else 0.0

    # -- a part -----------------------------------------------------------------------------------

    def _begin(self) -> None:
        form = self._shape.form
        self._serial, self._failures, self._vain, self._strictness = 0, 0, 0, 1.0
        self._change: list[BlockChange] | None = None
        self._total, self._bias = np.zeros(form.outputs), np.zeros(form.outputs)
        self._best_violation = np.inf
        counts = self._surely(lambda: self.partitions.ask_all("begin", len(self._done)))
        self._alpha = [np.zeros((count, form.slots)) for count in counts]

    @property
    def _constant(self) -> np.ndarray:
        return self._offset * self._total

    def advance(self, steps: int | None = None) -> Sample:
        """Run one round; `steps` is ignored, and exists for callers of other runs."""
        began = clock.seconds()
        offers = self._surely(self._ask_round)
        self.rounds += 1
        self._look(offers)
        self.seconds += clock.seconds() - began
        if self.running:
            self._check_limits()
        self.trace.append(self.last)
        return self.last

    def _ask_round(self) -> list[RowOffer]:
        share = -(-self.block // self.partitions.count)
        changes: Sequence[BlockChange | None] = self._change or [None] * self.partitions.count
        common = self._constant, self._bias, share
        return self.partitions.ask("round", [(self._serial, change, *common) for change in changes])

    def _look(self, offers: list[RowOffer]) -> None:
        standings = [offer.standing for offer in offers]
        here = self._running(standings)
        self.last = self._sample(here, standings)
        if self._line:
            high, low = max(one.high for one in standings), min(one.low for one in standings)
            self._bias = np.array([0.5 * (high + low)]) if np.isfinite(high + low) else self._bias
        claimed = self._gap_reached(here) or here.violation <= self._tolerance
        if claimed or self._vain > PARTITIONED.vain:
            self._examine_claim()
        else:
            self._solve(offers, here.violation)

    @property
    def _tolerance(self) -> float:
        return self.limits.tolerance * self._strictness

    def _running(self, standings: Sequence[PartitionStanding]) -> Certificate:
        return proof.certificate_of(
            standings, self._total, self._offset, line=self._line, balanced=self._shape.bias == "exact"
        )

    def _solve(self, offers: list[RowOffer], violation: float) -> None:
        solved = solve_block(self.terms, self._shape, offers, violation, self._tolerance)
        shift = self._offset * solved.weights.sum(axis=0)
        self._total = self._total + solved.weights.sum(axis=0)
        self._change, start = [], 0
        for number, offer in enumerate(offers):
            mine = solved.alpha[start : start + offer.positions.size]
            self._alpha[number][offer.positions] = mine
            self._change.append(BlockChange(solved.rows, solved.weights, shift, offer.positions, mine))
            start += offer.positions.size
        moved = int(np.count_nonzero(solved.weights.any(axis=1)))
        self._vain = 0 if moved else self._vain + 1
        self.iterations += solved.steps
        self.kernel_evaluations += solved.evaluations + moved * sum(alpha.shape[0] for alpha in self._alpha)
        self._serial += 1

    # -- claims -----------------------------------------------------------------------------------

    def _examine_claim(self) -> None:
        done = self._surely(self._prove)
        found, goal = done.certificate, self.limits.gap_tolerance
        proved = self._gap_reached(found) if goal is not None else found.violation <= self.limits.tolerance
        self._failures = 0 if found.violation < LOOP.nearer * self._best_violation else self._failures + 1
        self._best_violation = min(self._best_violation, found.violation)
        if proved and found.infeasibility <= FEASIBLE * found.scale:
            self._finish_part(done, stalled=False)
        elif self._failures > LOOP.most or (self._vain > PARTITIONED.vain and self._failures > PARTITIONED.vain):
            self._finish_part(done, stalled=True)
        else:
            if goal is not None and found.violation <= self._tolerance:
                factor = goal / max(found.relative_gap, TINY)
                self._strictness *= min(max(factor, LOOP.tightest), LOOP.loosest)
            self._vain = 0
            self._surely(lambda: self.partitions.ask_all("adopt", self._constant))
            self._change = None

    def _gap_reached(self, certificate: Certificate) -> bool:
        goal = self.limits.gap_tolerance
        return goal is not None and certificate.reaches(goal, self.limits.tolerance)

    def _prove(self) -> Done:
        """Recompute all functions from alpha in float64; if a partition is lost meanwhile, `_surely` repeats it all."""
        self._deliver()
        proof.recompute(self.partitions, self._portion)
        bias = np.array([proof.best_bias(self.partitions)]) if self._line else self._constant
        standings = self.partitions.ask_all("proved", bias)
        right = sum(one.right for one in standings), sum(one.total for one in standings)
        return Done(self._running(standings), bias, (), right, False)

    def _deliver(self) -> None:
        """Send the change that was not sent yet: alpha of the partitions must be alpha of the run."""
        if self._change is not None:
            self._ask_round()
            self._change = None

    def _finish_part(self, done: Done, *, stalled: bool) -> None:
        support = self._surely(self._supports)
        self._done.append(Done(done.certificate, done.bias, tuple(support), done.right, stalled))
        self._alpha = []
        if len(self._done) < self.parts:
            self._begin()
        elif self.ending is None:
            self.ending = Ending.STALLED if any(one.stalled for one in self._done) else Ending.CONVERGED

    def _supports(self) -> list[Support]:
        used = [np.flatnonzero((alpha != 0.0).any(axis=1)) for alpha in self._alpha]
        places = self.partitions.ask("places", [(positions,) for positions in used])
        found = []
        for alpha, positions, (rows, classes, labels, upper) in zip(self._alpha, used, places, strict=True):
            mine = alpha[positions]
            part = replace(self._empty_part, labels=labels, upper=upper)
            full = np.any(BOX.at_upper(mine, upper), axis=1)
            found.append(Support(rows, classes, mine, weights_of(part, mine), full))
        return found

    # -- ending -----------------------------------------------------------------------------------

    def stop(self) -> None:
        """Stop with the model of the current alpha; its certificate bounds the distance to the optimum."""
        if self.running:
            self.ending = Ending.STOPPED

    def _check_limits(self) -> None:
        if self.limits.steps is not None and self.iterations >= self.limits.steps:
            self.ending = Ending.STEP_LIMIT
        elif self.limits.seconds is not None and self.seconds >= self.limits.seconds:
            self.ending = Ending.TIME_LIMIT

    def finish(self) -> None:
        """Prove all parts that were not proved when the run ended; parts that had not begun are at alpha = 0."""
        assert self.ending is not None
        while len(self._done) < self.parts:
            self._finish_part(self._surely(self._prove), stalled=False)

    # -- lost partitions --------------------------------------------------------------------------

    def _surely(self, ask: Callable[[], T]) -> T:
        """Call `ask`; if partitions are lost, rebuild them and call it again."""
        while True:
            try:
                return ask()
            except LostPartitionsError as loss:
                self._restore(loss.numbers)

    def _restore(self, lost: set[int]) -> None:
        """Rebuild lost partitions, with the change of the current round, which the other partitions have applied."""
        while True:
            numbers = sorted(lost)
            try:
                self.partitions.ask("remember", [self._supporting(number) for number in numbers], of=numbers)
                if self._alpha:
                    kept = [(Restored(len(self._done), self._serial, self._alpha[number]),) for number in numbers]
                    self.partitions.ask("restore", kept, of=numbers)
                    proof.recompute(self.partitions, self._portion, of=numbers)
                    self.partitions.ask_all("adopt", self._constant, of=numbers)
                return
            except LostPartitionsError as more:
                lost = lost | more.numbers

    def _supporting(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the support vectors of finished parts as rows of a partition, and those of them at their bound."""
        mine = [done.support[number] for done in self._done]
        none = np.empty(0, dtype=np.int64)
        used = np.concatenate([none, *(one.rows for one in mine)])
        return used, np.concatenate([none, *(one.rows[one.full] for one in mine)])

    # -- results ----------------------------------------------------------------------------------

    def _first_sample(self) -> Sample:
        return Sample(0, 0.0, 0.0, float(self._waiting[0]), float(self._shape.form.margin.max()), 0, 0)

    def _sample(self, here: Certificate, standings: Sequence[PartitionStanding]) -> Sample:
        done = sum((one.certificate for one in self._done), Certificate(0.0, 0.0, 0.0, 0.0))
        total = done + here
        right, weight = (sum(getattr(one, name) for one in standings) for name in ("right", "total"))
        self.counted = np.sum([one.support for one in standings], axis=0), right, weight
        return Sample(
            self.iterations,
            self.seconds,
            total.dual,
            total.primal + float(self._waiting[len(self._done) + 1]),
            total.violation,
            int(sum(one.support.sum() for one in standings)),
            sum(one.bounded for one in standings),
        )

    def sample(self) -> Sample:
        return self.last

    def certificate(self) -> Certificate:
        return sum((one.certificate for one in self._done), Certificate(0.0, 0.0, 0.0, 0.0))

    def count_bounded(self) -> int:
        """Count the rows that have a variable at its upper bound in any part, after all parts are proved.

        The last sample may come from an earlier round, so its count is not used.
        """
        return sum(np.unique(self._supporting(number)[1]).size for number in range(len(self.sizes)))

    @property
    def first_rows(self) -> np.ndarray:
        """The (partitions,) number of the first row of each partition, if all rows are numbered consecutively."""
        return np.concatenate([[0], np.cumsum(self.sizes)[:-1]]).astype(np.int64)

    def duals(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return (rows, alpha) of the support vectors of each part."""
        return [
            (
                np.concatenate([first + one.rows for first, one in zip(self.first_rows, done.support, strict=True)]),
                np.concatenate([one.alpha for one in done.support]),
            )
            for done in self._done
        ]

    def model(self) -> Model:
        outputs = self._shape.outputs
        rows, owners, expansions, numbers = [], [], [], []
        for number, first in enumerate(self.first_rows.tolist()):
            local, classes, expansion = self._expansion(number, outputs)
            numbers.append(first + local)
            owners.append(classes)
            expansions.append(expansion)
            rows += self._features(number, local)
        return Model(
            machine=self._shape.machine,
            kernel=self.terms.kernel,
            classes=self.terms.classes,
            support=np.concatenate(numbers),
            points=Points(stacked(rows)),
            owners=np.concatenate(owners),
            expansion=stored_expansion(self._shape.machine, self.terms.classes, np.concatenate(expansions)),
            bias=np.concatenate([done.bias for done in self._done]),
        )

    def _expansion(self, number: int, outputs: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return (rows of the partition, their classes, weights in all parts) of the support vectors."""
        mine = [done.support[number] for done in self._done]
        local = np.unique(np.concatenate([one.rows for one in mine]))
        classes, expansion = np.empty(local.size, dtype=np.int64), np.zeros((local.size, outputs))
        for column, one in enumerate(mine):
            at = np.searchsorted(local, one.rows)
            classes[at] = one.classes
            if self._shape.machine.split == "joint":
                expansion[at] = one.weights
            else:
                expansion[at, column] = one.weights[:, 0]
        kept = expansion.any(axis=1)
        return local[kept], classes[kept], expansion[kept]

    def _features(self, number: int, local: np.ndarray) -> list[Any]:
        """Return the features of rows in portions; for no rows, one table of the right width without rows."""
        size = self._portion
        cuts = [local[start : start + size] for start in range(0, max(local.size, 1), size)]
        return [self._surely(partial(self._taken, number, rows)) for rows in cuts]

    def _taken(self, number: int, rows: np.ndarray) -> Any:
        return self.partitions.ask_all("taken", rows, of=[number])[0]

    def train_accuracy(self, model: Model) -> float:
        """Return the training accuracy, for a joint machine from its proof, else by predictions of all rows."""
        right, total = self._done[0].right if self._shape.machine.split == "joint" else (0.0, 0.0)
        if not total:
            answers = self._surely(lambda: self.partitions.ask_all("right", model))
            right, total = (sum(part) for part in zip(*answers, strict=True))
        return right / total
