"""Phase BLOCKS, two-level S2DO: pair steps on the dense problem of the most violating examples, in cache.

A round picks the most violating examples (half of them from the last round), cuts out the dense problem of their free
and violating variables, solves it by pair steps to a share of the outer violation, and updates all class functions.
Rounds run in compiled code (jit/rounds.py) until kernel rows are missing or another action is due. A Newton step on all
free variables (faces.py) follows when several rounds in a row ran out of pair steps and have cost as much as that step.
alpha and functions are in Fortran order: class by class.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from mcsvm.solvers.budget import BUDGET, INNER, Budget
from mcsvm.solvers.dual.geometry import BOX, LINE, SUMS, Geometry
from mcsvm.solvers.dual.quantities import gradients, weights_of
from mcsvm.solvers.interrupt import tick, undivided
from mcsvm.solvers.jit import block
from mcsvm.solvers.jit import rounds as jit
from mcsvm.solvers.methods.auto import faces, price
from mcsvm.solvers.methods.base import Progress, State, refresh
from mcsvm.solvers.problem import Part
from mcsvm.solvers.work import COLUMNS, ENTRY, MOVED_COLUMNS, PIECE_SECONDS, spread


@dataclass
class Spending:
    """The cost of steps, in seconds of the budget."""

    total: float = 0.0
    since_newton: float = 0.0  # rounds since the last Newton step on all free variables
    newton_price: float = 0.0  # the cost of rounds at which the next Newton step is considered
    short_rounds: int = 0  # rounds in a row that ran out of pair steps


@dataclass
class Progression:
    """The course of the violation."""

    peak_since_refresh: float = 0.0  # largest violation since the functions were recomputed
    least: float = np.inf  # least violation; falls too small to be progress are not counted
    steps: int = 0  # step count at `least`


@dataclass
class BlockState(State):
    recent: np.ndarray = field(default_factory=partial(np.empty, 0, np.int64))  # examples of the last round
    spending: Spending = field(default_factory=Spending)
    progression: Progression = field(default_factory=Progression)
    newton_next: bool = False  # the last round moved nothing: a Newton step is next, whatever its price

    def forget_rounds(self) -> None:
        """Reset the memory of rounds, after a change of the point or of the cost U."""
        self.spending.short_rounds, self.spending.since_newton, self.spending.newton_price = 0, 0.0, 0.0
        self.progression = Progression(steps=self.steps)
        self.recent = np.empty(0, dtype=np.int64)


def by_class(state: BlockState) -> BlockState:
    """Lay out the arrays of the state class by class, and return the state."""
    state.alpha, state.functions = np.asfortranarray(state.alpha), np.asfortranarray(state.functions)
    return state


@dataclass
class RowTrial:
    """Rounds that may compute a bounded number of kernel rows."""

    left: int = 0  # kernel rows that may still be computed
    used: int = 0  # kernel rows computed so far
    looks: int = 0  # number of decisions whether the trial continues


def advance(
    part: Part, state: BlockState, until: int, tolerance: float, budget: Budget = BUDGET, trial: RowTrial | None = None
) -> Progress:
    """Run rounds up to the step count `until`; return earlier, MOVING, if a trial has no kernel rows left."""
    bench = Workbench.of(part, budget)
    newton = True  # whether a Newton step may be asked for before the next round
    while state.steps < until or (state.newton_next and state.steps_left > 0):
        if state.newton_next:
            moved = bench.newton(state, tolerance, at_any_price=True)
            state.newton_next = False
            if not moved:
                return Progress.STALLED
            continue
        event, violation, wanted = bench.rounds(state, until, tolerance, newton=newton)
        if event in ENDS:
            return ENDS[event]
        if event == jit.ROWS:
            missing = int((part.gram.slot_of[wanted] < 0).sum())
            if trial is not None and missing > trial.left:
                return Progress.MOVING
            bench.fetch(wanted)
            if trial is not None:
                trial.left, trial.used = trial.left - missing, trial.used + missing
            continue
        newton = True
        if event == jit.REFRESH:
            refresh(part, state)
            state.progression.peak_since_refresh = violation
        elif event == jit.NEWTON:
            newton = bench.newton(state, tolerance)
        elif event == jit.MOVE:
            bench.close_round(state)
        else:
            state.newton_next = event == jit.IDLE
        tick()
    return Progress.MOVING


ENDS = {jit.CONVERGED: Progress.CONVERGED, jit.STUCK: Progress.STALLED}


def solvable_at_once(part: Part, chosen: faces.Selection, budget: Budget = BUDGET) -> bool:
    """Return whether a Newton step on these variables fits into memory and into `newton_most`."""
    room = max(part.gram.spare("newton"), budget.newton_bytes)
    return chosen.slot.size <= budget.newton_most and budget.newton_pair_bytes * chosen.slot.size**2 <= room


class Workbench:
    """Rounds and Newton steps on one part; its arrays are work space: nothing reads their values after a round."""

    @classmethod
    def of(cls, part: Part, budget: Budget) -> Workbench:
        """Return the workbench that is kept for the part."""
        kept: Workbench | None = part.kept.get("bench")
        if kept is None or kept.budget is not budget:
            part.kept["bench"] = kept = cls(part, budget)
        return kept

    def __init__(self, part: Part, budget: Budget = BUDGET) -> None:
        self.part, self.budget, self.kind = part, budget, KINDS[part.geometry]
        self.space = work_space(part, budget)
        stuck = float(max(budget.stuck_steps, budget.stuck_steps_each * part.variables))
        self.rules = jit.RoundRules(
            budget.block_examples, budget.block_variables, budget.block_patience, budget.sum_patience, INNER.share,
            budget.short_rounds, budget.helped, stuck,
            budget.refresh_until, budget.refresh_fall, budget.round_price, budget.step_price, budget.full_step_price,
        )  # fmt: skip

    def look(self, state: BlockState) -> float:
        """Return the KKT violation, and write the violation of every example into `worst`."""
        return self.part.geometry.scan(self.part, state.alpha, state.functions, self.space.own, self.space.worst)

    def rounds(
        self, state: BlockState, until: int, tolerance: float, *, newton: bool = True
    ) -> tuple[int, float, np.ndarray]:
        """Run rounds up to the step count `until`, for at most PIECE_SECONDS.

        Return (why they ended, violation, the examples whose rows are wanted).
        """
        part, gram = self.part, self.part.gram
        constant = state.constant.reshape(-1, part.form.outputs).copy()
        point = jit.PointByClass(part.labels, part.upper, part.offset, constant, state.alpha.T, state.functions.T)
        rows = jit.Rows(gram.store, gram.slot_of, gram.last_use, gram.clock)
        space = self.space._replace(chosen=self.space.chosen[: gram.capacity])  # a Newton step may take memory of rows
        event, violation, memory, recent, wanted = jit.rounds(
            *self.kind, part.form.rule, self.rules, point, rows, space, memory_of(state), state.recent, tolerance,
            until, state.limit, PIECE_SECONDS, len(part) <= COLUMNS, newton,
        )  # fmt: skip
        state.constant = constant.reshape(state.constant.shape)
        remember(state, memory)
        state.recent = recent
        return event, violation, wanted

    def newton(self, state: BlockState, tolerance: float, *, at_any_price: bool = False) -> bool:
        """Take Newton steps on all free variables if rounds have cost their price; return whether anything moved."""
        part, spending = self.part, state.spending
        goal = INNER.newton_share * tolerance
        chosen = faces.select(part, state.alpha, self.gradient_of_all(state), goal)
        asked = price.newton(chosen.slot.size, self.budget)
        too_dear = asked > spending.since_newton and not at_any_price
        if too_dear or not solvable_at_once(part, chosen, self.budget):
            spending.newton_price = min(asked, 1.5 * spending.since_newton)
            return False
        moved = self.solve_chosen(state, chosen, goal)
        spending.short_rounds, spending.since_newton, spending.newton_price = 0, 0.0, 0.0
        spending.total += asked
        return moved

    def gradient_of_all(self, state: BlockState) -> np.ndarray:
        part, functions = self.part, state.functions
        return part.geometry.reduced(part, state.alpha, functions, gradients(part, functions))

    def solve_chosen(self, state: BlockState, chosen: faces.Selection, goal: float, *, exact: bool = False) -> bool:
        """Solve for the chosen variables; return whether any has changed.

        With `exact`, the functions are exact and are updated by the change of the weights; otherwise recomputed.
        """
        part = self.part
        part.gram.reserve("newton", self.budget.newton_pair_bytes * chosen.slot.size**2)
        values, steps, _ = faces.polish(part, state.alpha, chosen, goal, self.budget, state.steps_left)
        rows = chosen.examples[chosen.member]
        alpha = state.alpha.copy(order="K")
        alpha[rows, chosen.slot] = values
        weights = weights_of(part, alpha)
        moved = weights - weights_of(part, state.alpha)
        shift = part.offset * moved.sum(axis=0)
        if exact:
            change = part.gram.products(moved) + shift
            state.functions += change
        else:  # the error of functions by float32 rows would hide the gain
            products = part.products(weights)
            state.functions[...] = products + (state.constant + shift)
        changed = bool((alpha != state.alpha).any())
        state.constant = state.constant + shift
        state.alpha[...] = alpha
        state.steps += steps
        return changed

    def fetch(self, examples: np.ndarray) -> None:
        """Fetch the rows of these examples, or all rows of a small part."""
        gram = self.part.gram
        if gram.ready_for_all:
            gram.fetch_all()
        else:
            gram.fetch(self.with_next(examples))

    def with_next(self, examples: np.ndarray) -> np.ndarray:
        """Return these examples and, if few of their rows are missing, the most violating others without a row.

        A product of few long rows waits for memory: with 784 features, 10 rows take 3 times as long per row as 64.
        """
        gram = self.part.gram
        if gram.points.stored < self.budget.fetch_features:
            return examples
        missing = int((gram.slot_of[examples] < 0).sum())
        count = min(self.budget.fetch_rows - missing, gram.capacity - examples.size)
        if count <= 0:
            return examples
        violation = np.where(gram.slot_of < 0, np.abs(self.space.worst), 0.0)
        violation[examples] = 0.0
        count = min(count, violation.size)
        following = np.argpartition(-violation, count - 1)[:count]
        return np.concatenate([examples, np.sort(following[violation[following] > 0.0])])

    def close_round(self, state: BlockState) -> None:
        """Update all class functions for the change of the block's weights, on all threads."""
        part, space, functions, size = self.part, self.space, state.functions.T, state.recent.size
        moved = np.flatnonzero(space.weights[:size].any(axis=1) | (space.common[:size] != 0.0))
        weights, common, slots = space.weights[moved], space.common[moved], space.slots[moved]

        def move(first: int) -> None:
            block.move_functions(
                part.gram.store, slots, weights, common, functions, first, min(first + MOVED_COLUMNS, len(part))
            )

        each = 2.0 * np.count_nonzero(weights) + ENTRY * moved.size
        with undivided():
            spread(move, range(0, len(part), MOVED_COLUMNS), each * MOVED_COLUMNS)
        shift = part.offset * (weights.sum(axis=0) + common.sum())
        if part.offset:
            state.functions += shift
        state.constant = state.constant + shift
        state.newton_next = not moved.size


KINDS: dict[Geometry, tuple[Any, Any]] = {BOX: jit.BOX, SUMS: jit.SUMS, LINE: jit.LINE}


def work_space(part: Part, budget: Budget) -> jit.Space:
    """Return uninitialised arrays, except `own`, which must be finite for machines that do not read f_y."""
    n, examples = len(part), min(budget.block_examples, len(part))
    variables = min(budget.block_variables, examples * part.form.slots)
    return jit.Space(
        worst=np.empty(n), own=np.zeros(n), sorting=np.empty(n), taken=np.empty(n, np.bool_),
        chosen=np.empty(examples, np.int64), slots=np.empty(examples, np.int64),
        kernel=np.empty(examples**2, np.float32), matrix=np.empty(variables**2, np.float32),
        member=np.empty(variables, np.int64), slot=np.empty(variables, np.int64),
        gradient=np.empty(variables), amount=np.empty(variables),
        weights=np.empty((examples, part.form.outputs)), common=np.empty(examples),
    )  # fmt: skip


def rehearse(part: Part, state: BlockState) -> None:
    """Compile the functions that only Python calls: looks, moves on several threads, steps in faces."""
    bench = Workbench(part)
    bench.look(state)
    bench.close_round(state)
    faces.rehearse(part, bench.gradient_of_all(state))


def memory_of(state: BlockState) -> jit.RoundMemory:
    spending, progression = state.spending, state.progression
    return jit.RoundMemory(
        float(spending.total), float(spending.since_newton), float(spending.newton_price), int(spending.short_rounds),
        float(progression.peak_since_refresh), float(progression.least), int(progression.steps), int(state.steps),
    )  # fmt: skip


def remember(state: BlockState, memory: jit.RoundMemory) -> None:
    spending, progression = state.spending, state.progression
    spending.total, spending.since_newton, spending.short_rounds = memory[0], memory[1], memory[3]
    progression.peak_since_refresh, progression.least, progression.steps, state.steps = memory[4:]
