"""The loop of all sequential methods: runs compiled steps, supplies kernel rows, shrinks, unshrinks, ends.

A rule (`rules.py`) decides the layout of variables, the compiled loop that takes the steps, and the variables that may
be shrunk. The state has everything that determines the path, and is up to date at every tick: slices of any length give
the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcsvm.solvers.budget import SEQUENTIAL
from mcsvm.solvers.dual.quantities import dual_of, linear_of
from mcsvm.solvers.interrupt import tick
from mcsvm.solvers.jit.rounding import LAST_DIGITS
from mcsvm.solvers.jit.sequential import loop as jit
from mcsvm.solvers.jit.sequential.sums import Groups
from mcsvm.solvers.methods.base import Progress, State
from mcsvm.solvers.methods.sequential.rules import SelectionRule
from mcsvm.solvers.problem import Part
from mcsvm.solvers.work import PIECE, STEP_OPERATIONS


@dataclass(kw_only=True)
class SequentialState(State):
    active: np.ndarray  # (n, slots) bool: the active set, the variables that are not shrunk
    touched: np.ndarray  # (n,) bool: examples whose kernel rows were used since rows were last fetched
    until_shrinking: int  # steps
    near: bool = False  # whether the violation has fallen below SEQUENTIAL.near * tolerance
    moved: int = 0  # steps since all variables were last unshrunk
    stuck: int = 0  # working sets that could not move since that time
    quiet: int = 0  # steps since the dual last rose by more than rounding
    best_dual: float = -np.inf


def begun(part: Part) -> SequentialState:
    state: SequentialState = SequentialState.zero(
        part,
        active=part.form.real[part.labels],
        touched=np.zeros(len(part), dtype=bool),
        until_shrinking=period(part),
    )
    return state


def period(part: Part) -> int:
    return min(len(part), SEQUENTIAL.period)


class WorkingSetSearch:
    """The state in the layout of the compiled loops, which change its arrays in place; it exists for one slice."""

    variables: jit.ActiveVariables  # the active ones
    groups: Groups  # only if sums over examples are bounded

    def __init__(self, part: Part, state: SequentialState, rule: SelectionRule, tolerance: float) -> None:
        form = part.form
        keys = form.classes * form.slots
        index, value = form.reading
        self.part, self.state, self.rule, self.tolerance = part, state, rule, tolerance
        self.tables = jit.Tables(
            form.direction.reshape(keys, form.outputs), form.margin.ravel(), form.length.ravel(),
            index.reshape(keys, -1), value.reshape(keys, -1),
        )  # fmt: skip
        state.functions = np.asfortranarray(state.functions)  # so that `ravel` below is a view of it
        self.moving = jit.Moving(
            state.functions.T.ravel(), state.alpha, state.constant, state.touched, np.zeros((2, form.outputs))
        )
        self.coupling = np.empty(keys)
        self.wanted = np.zeros(rule.examples, dtype=np.int64)
        self.arrange()

    @property
    def rows(self) -> jit.KernelRows:
        gram = self.part.gram
        return jit.KernelRows(gram.store, gram.slot_of, self.part.offset)

    # -- the loop ---------------------------------------------------------------------------------

    def go(self, goal: int) -> Progress:
        """Take steps until the state has taken `goal` in all, or the method ends."""
        state = self.state
        while True:
            stop = self.tolerance if state.near else SEQUENTIAL.near * self.tolerance
            limit = min(goal - state.steps, state.until_shrinking)
            why, steps, count = self.rule.run(self, stop, min(limit, self._steps_of_a_piece))
            self._count(steps)
            if why == jit.MISSING:
                self._supply(np.unique(self.wanted[:count]))
            elif why == jit.STUCK:
                self._shrink(self.rule.stuck(self))
                state.stuck += 1
            elif why == jit.REACHED:
                ending = self._reached()
                if ending is not None:
                    return ending
            elif state.until_shrinking == 0:
                if self._quiet():
                    return Progress.STALLED
                self._shrink(self.rule.idle(self))
            if why == jit.LIMIT and state.steps >= goal:
                return Progress.MOVING
            tick()

    @property
    def _steps_of_a_piece(self) -> int:
        return max(1, int(PIECE / (STEP_OPERATIONS * (self.variables.example.size + 1))))

    def _count(self, steps: int) -> None:
        self.state.steps += steps
        self.state.until_shrinking -= steps
        self.state.moved += steps

    def _reached(self) -> Progress | None:
        """Handle a solved active set: unshrink, or end if all variables were active."""
        state, first = self.state, not self.state.near
        state.near = True
        if not self._all_active:
            if state.stuck and not state.moved:
                return Progress.STALLED
            self._unshrink()
            return None
        if first:
            return None
        state.best_dual, state.quiet = -np.inf, 0
        return Progress.CONVERGED

    def _quiet(self) -> bool:
        """Return whether the dual has stopped rising: float32 rows and indefinite kernels can make steps cycle."""
        state = self.state
        dual = dual_of(self.part, state.alpha, state.functions, state.constant)
        if dual > state.best_dual + LAST_DIGITS * linear_of(self.part, state.alpha):
            state.best_dual, state.quiet = dual, 0
        state.quiet += period(self.part)
        return state.quiet > SEQUENTIAL.quiet_steps

    # -- the active set ---------------------------------------------------------------------------

    @property
    def _all_active(self) -> bool:
        return self.variables.example.size == np.count_nonzero(self.part.form.real[self.part.labels])

    def _unshrink(self) -> None:
        """Make all variables active; those that may be shrunk leave again at the next step."""
        self.state.active[...] = self.part.form.real[self.part.labels]
        self.state.stuck = self.state.moved = self.state.until_shrinking = 0
        self.arrange()

    def _shrink(self, which: np.ndarray | int) -> None:
        if self.state.until_shrinking == 0:
            self.state.until_shrinking = period(self.part)
        example, slot = self.variables.example[which], self.variables.slot[which]
        if np.size(example):
            self.state.active[example, slot] = False
            self.arrange()

    def arrange(self) -> None:
        """Lay out the active variables for the compiled loops."""
        part, form, active = self.part, self.part.form, self.state.active
        count, width = np.count_nonzero(active), self.tables.output.shape[1]
        whole = np.empty((3, count), dtype=np.uint32)
        real = np.empty((9, count))
        real[:] = 1.0
        reading = np.empty((width, count), np.uint32), np.empty((width, count))
        self.variables = jit.ActiveVariables._make([*whole, *reading, *real, np.zeros(-(-count // jit.BLOCK))])
        jit.list_variables(active, self.rule.by_slot, self.variables.example, self.variables.slot)
        jit.describe(self.variables, self.tables, part.labels, part.upper, part.curvature, self.state.alpha)
        assert form.outputs * len(part) < 2**32
        self.rule.arrange(self)

    # -- kernel rows ------------------------------------------------------------------------------

    def _supply(self, wanted: np.ndarray) -> None:
        """Fetch kernel rows of these examples, and of the most violating examples without a row, in one block."""
        gram, touched = self.part.gram, self.state.touched
        bounded = gram.capacity < len(gram)
        if bounded:  # mark the rows that compiled steps have used, so that the least recently used rows are evicted
            used = np.flatnonzero(touched)
            if used.size:
                gram.fetch(used)
            touched[:] = False
        violations = self.rule.violations(self)
        violations[gram.slot_of >= 0] = 0.0
        violations[wanted] = 0.0
        full = bounded and np.count_nonzero(gram.slot_of >= 0) + SEQUENTIAL.batch > gram.capacity
        batch = SEQUENTIAL.full_batch if full else SEQUENTIAL.batch
        room = min(max(batch - wanted.size, 0), int(np.count_nonzero(violations)))
        extra = np.argpartition(-violations, room)[:room] if room else np.empty(0, dtype=np.int64)
        gram.fetch(np.concatenate([wanted, np.sort(extra)]))
