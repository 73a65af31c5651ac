"""One loop for all sequential methods: run compiled steps, supply kernel rows, shrink, wake, judge the end.

A rule says how variables are laid out, which compiled loop steps, and what may sleep. All that decides the path
lies in the state: alpha, functions and `memory`; so slices of any length and checkpoints give the same bits.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from solvers.dual.quantities import weights_of
from solvers.jit.sequential import loop as leaf
from solvers.jit.sequential.sums import Groups
from solvers.methods.base import Progress, State
from solvers.problem import Part

BATCH = 32  # kernel rows computed at once: the one wanted and those of the most violating examples
FULL_BATCH = 4  # the same where others must go for them
PERIOD = 1000  # steps between two shrinkings, or n where that is less
NEAR = 10.0  # times the tolerance: below it, everything wakes once before the last stretch
QUIET_STEPS = 100_000  # without the dual rising beyond rounding: no step improves any more

COUNTDOWN, NEARED, MOVED, STUCK, QUIET = range(5)  # places in memory["counts"]


class Rule(Protocol):
    """One way of stepping."""

    @property
    def by_slot(self) -> bool:
        """Variables lie slot after slot, else example after example."""

    @property
    def examples(self) -> int:
        """How many examples' rows a step may need at once."""

    def arrange(self, search: Search) -> None:
        """After the variables awake have changed."""

    def run(self, search: Search, stop: float, limit: int) -> tuple[int, int, int]:
        """(why it came back, steps, how many examples are wanted)."""

    def idle(self, search: Search) -> np.ndarray:
        """Which of the variables awake may sleep."""

    def stuck(self, search: Search) -> np.ndarray | int:
        """The variables awake of the step that did not move."""

    def violations(self, search: Search) -> np.ndarray:
        """(n,) each example's share in the violation."""


def start(part: Part) -> State:
    state = State.zero(part)
    state.memory["awake"] = part.form.real[part.labels]
    state.memory["touched"] = np.zeros(len(part), dtype=bool)
    state.memory["counts"] = np.zeros(5, dtype=np.int64)
    state.memory["counts"][COUNTDOWN] = period(part)
    state.memory["best"] = np.array([-np.inf])
    return state


def period(part: Part) -> int:
    return min(len(part), PERIOD)


def advance(part: Part, state: State, steps: int, tolerance: float, rule: Rule) -> Progress:
    search = Search(part, state, rule)
    progress = search.go(state.steps + steps, tolerance)
    state.functions[...] = search.moving.columns.reshape(part.form.outputs, len(part)).T
    return progress


class Search:
    """A slice of the path: the state laid out for the compiled loops."""

    awake: leaf.Awake
    groups: Groups  # only where sums over examples are bounded

    def __init__(self, part: Part, state: State, rule: Rule) -> None:
        form = part.form
        keys = form.classes * form.slots
        index, value = form.reading
        self.part, self.state, self.rule = part, state, rule
        self.counts, self.mask = state.memory["counts"], state.memory["awake"]
        self.tables = leaf.Tables(
            form.direction.reshape(keys, form.outputs), form.margin.ravel(), form.length.ravel(),
            index.reshape(keys, -1), value.reshape(keys, -1),
        )  # fmt: skip
        self.moving = leaf.Moving(
            np.ascontiguousarray(state.functions.T).ravel(), state.alpha, state.constant,
            state.memory["touched"], np.zeros((2, form.outputs)),
        )  # fmt: skip
        self.coupling = np.empty(keys)
        self.wanted = np.zeros(rule.examples, dtype=np.int64)
        self.arrange()

    @property
    def rows(self) -> leaf.Rows:
        gram = self.part.gram
        return leaf.Rows(gram.store, gram.slot_of, self.part.offset)

    # -- the loop ---------------------------------------------------------------------------------

    def go(self, goal: int, tolerance: float) -> Progress:
        while True:
            stop = tolerance if self.counts[NEARED] else NEAR * tolerance
            limit = min(goal - self.state.steps, int(self.counts[COUNTDOWN]))
            why, steps, count = self.rule.run(self, stop, limit)
            self._count(steps)
            if why == leaf.MISSING:
                self._supply(np.unique(self.wanted[:count]))
            elif why == leaf.STUCK:
                self._put_to_sleep(self.rule.stuck(self))
                self.counts[STUCK] += 1
            elif why == leaf.REACHED:
                ending = self._reached()
                if ending is not None:
                    return ending
            elif self.counts[COUNTDOWN] == 0:
                if self._quiet():
                    return Progress.STALLED
                self._put_to_sleep(self.rule.idle(self))
            if why == leaf.LIMIT and self.state.steps >= goal:
                return Progress.MOVING

    def _count(self, steps: int) -> None:
        self.state.steps += steps
        self.counts[COUNTDOWN] -= steps
        self.counts[MOVED] += steps

    def _reached(self) -> Progress | None:
        """What is awake is solved: wake the rest, or end."""
        first, asleep = not self.counts[NEARED], not self._all_awake
        self.counts[NEARED] = 1
        if asleep:
            if self.counts[STUCK] and not self.counts[MOVED]:
                return Progress.STALLED
            self._wake()
            return None
        if first:
            return None
        self.state.memory["best"][0], self.counts[QUIET] = -np.inf, 0
        return Progress.CONVERGED

    def _quiet(self) -> bool:
        """Whether the dual has stopped rising: rows in float32 and indefinite kernels can turn in circles."""
        best, linear, now = self.state.memory["best"], *self._dual()
        if now > best[0] + 1e-15 * linear:
            best[0], self.counts[QUIET] = now, 0
        self.counts[QUIET] += period(self.part)
        return bool(self.counts[QUIET] > QUIET_STEPS)

    def _dual(self) -> tuple[float, float]:
        """(the linear term, the dual), by the running functions, a bias given from outside being constant."""
        form, state = self.part.form, self.state
        weights = weights_of(self.part, state.alpha)
        total = weights.sum(axis=0)
        given = state.constant - self.part.offset * total
        linear = float(np.vdot(form.margin[self.part.labels], state.alpha))
        columns = self.moving.columns.reshape(form.outputs, -1)
        return linear, linear - 0.5 * float(np.vdot(weights.T, columns)) - 0.5 * float(total @ given)

    # -- who is awake -----------------------------------------------------------------------------

    @property
    def _all_awake(self) -> bool:
        return self.awake.example.size == np.count_nonzero(self.part.form.real[self.part.labels])

    def _wake(self) -> None:
        """All awake for one look; what is idle then goes back to sleep at once."""
        self.mask[...] = self.part.form.real[self.part.labels]
        self.counts[STUCK] = self.counts[MOVED] = self.counts[COUNTDOWN] = 0
        self.arrange()

    def _put_to_sleep(self, which: np.ndarray | int) -> None:
        if self.counts[COUNTDOWN] == 0:
            self.counts[COUNTDOWN] = period(self.part)
        example, slot = self.awake.example[which], self.awake.slot[which]
        if np.size(example):
            self.mask[example, slot] = False
            self.arrange()

    def arrange(self) -> None:
        """Lay out the variables awake."""
        part, form = self.part, self.part.form
        count, width = np.count_nonzero(self.mask), self.tables.output.shape[1]
        whole = np.empty((3, count), dtype=np.uint32)
        real = np.empty((9, count))
        real[:] = 1.0
        reading = np.empty((width, count), np.uint32), np.empty((width, count))
        self.awake = leaf.Awake._make([*whole, *reading, *real, np.zeros(-(-count // leaf.BLOCK))])
        leaf.list_variables(self.mask, self.rule.by_slot, self.awake.example, self.awake.slot)
        leaf.describe(self.awake, self.tables, part.labels, part.upper, part.curvature, self.state.alpha)
        assert form.outputs * len(part) < 2**32
        self.rule.arrange(self)

    # -- kernel rows ------------------------------------------------------------------------------

    def _supply(self, wanted: np.ndarray) -> None:
        """Rows of the wanted examples, and of the most violating ones that have none, in one block."""
        gram, touched = self.part.gram, self.moving.touched
        bounded = gram.capacity < len(gram)
        if bounded:  # tell the store what was used, so that the oldest go first
            used = np.flatnonzero(touched)
            if used.size:
                gram.rows(used)
            touched[:] = False
        violations = self.rule.violations(self)
        violations[gram.slot_of >= 0] = 0.0
        violations[wanted] = 0.0
        batch = FULL_BATCH if bounded and np.count_nonzero(gram.slot_of >= 0) + BATCH > gram.capacity else BATCH
        room = min(max(batch - wanted.size, 0), int(np.count_nonzero(violations)))
        extra = np.argpartition(-violations, room)[:room] if room else np.empty(0, dtype=np.int64)
        gram.rows(np.concatenate([wanted, np.sort(extra)]))
