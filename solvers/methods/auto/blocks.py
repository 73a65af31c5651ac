"""Phase BLOCKS, two-level S2DO: pair steps on the dense problem of the most violating examples, in cache.

A round picks the most violating examples (half of them from the last round), cuts out the dense problem of their free
and violating variables, solves it by pair steps to a share of the outer violation, and updates all class functions by
one matrix product. After several rounds in a row without enough pair steps, a Newton step on all free variables
(faces.py) follows, once these rounds have cost as much. alpha and functions are in Fortran order: class by class.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from solvers.budget import BUDGET, INNER, Budget
from solvers.dual.geometry import BOX, LINE, SUMS, Geometry
from solvers.dual.quantities import gradients, weights_of
from solvers.jit import block, box, line, sums
from solvers.methods.auto import faces, price
from solvers.methods.base import Progress, State, refresh
from solvers.problem import Part
from solvers.work import COLUMNS, Work, finish, spread


@dataclass
class Spending:
    """What steps have cost, in seconds of the budget."""

    total: float = 0.0
    since_newton: float = 0.0  # rounds since the last Newton step on all free variables
    newton_price: float = 0.0  # the cost of rounds at which the next Newton step is considered
    short_rounds: int = 0  # rounds in a row that ran out of pair steps


@dataclass
class Progression:
    """How the violation falls."""

    peak_since_refresh: float = 0.0  # largest violation since the functions were recomputed
    least: float = np.inf  # least violation; a fall that is no progress is not counted
    steps: int = 0  # step count at `least`


@dataclass
class BlockState(State):
    recent: np.ndarray = field(default_factory=partial(np.empty, 0, np.int64))  # examples of the last round
    spending: Spending = field(default_factory=Spending)
    progression: Progression = field(default_factory=Progression)
    newton_next: bool = False  # the last round moved nothing: a Newton step is next, whatever its price

    def forget_rounds(self) -> None:
        """Reset what rounds remember, as the point or the cost has changed."""
        self.spending.short_rounds, self.spending.since_newton, self.spending.newton_price = 0, 0.0, 0.0
        self.progression = Progression(steps=self.steps)
        self.recent = np.empty(0, dtype=np.int64)


def by_class(state: BlockState) -> BlockState:
    """The same state with its arrays laid out class by class."""
    state.alpha, state.functions = np.asfortranarray(state.alpha), np.asfortranarray(state.functions)
    return state


def advance(part: Part, state: BlockState, until: int, tolerance: float, budget: Budget = BUDGET) -> Work[Progress]:
    """Rounds up to the step count `until`."""
    bench = Workbench(part, budget)
    while state.steps < until or state.newton_next:
        if state.newton_next:
            moved = yield from bench.newton(state, tolerance, at_any_price=True)
            state.newton_next = False
            if not moved:
                return Progress.STALLED
            continue
        violation = bench.look(state)
        if violation <= tolerance:
            return Progress.CONVERGED
        if bench.stuck(state, violation):
            return Progress.STALLED
        if bench.refresh_due(state, violation, tolerance):
            yield from refresh(part, state)
            state.progression.peak_since_refresh = violation
            continue
        if bench.newton_due(state) and (yield from bench.newton(state, tolerance)):
            continue
        state.newton_next = not (yield from bench.round(state, violation, tolerance))
        yield
    return Progress.MOVING


def solvable_at_once(part: Part, chosen: faces.Selection, budget: Budget = BUDGET) -> bool:
    """Whether a Newton step on these variables fits into memory and into `newton_most`."""
    room = max(part.gram.spare("newton"), budget.newton_bytes)
    return chosen.slot.size <= budget.newton_most and budget.newton_pair_bytes * chosen.slot.size**2 <= room


@dataclass
class Block:
    """The examples of a round, the slots of their rows in the row store, and their kernel matrix with offset."""

    examples: np.ndarray
    slots: np.ndarray
    kernel: np.ndarray  # float32


class Workbench:
    """Rounds and Newton steps on one part; its arrays are work space, and nothing in it outlives a slice."""

    def __init__(self, part: Part, budget: Budget = BUDGET) -> None:
        self.part, self.rule, self.budget = part, part.form.rule, budget
        self.worst = np.empty_like(part.upper)
        self.own = np.zeros_like(part.upper)  # the scan of machines without f_y multiplies it by zero, so no NaN
        most = budget.block_variables
        self.member, self.slot = np.empty(most, np.int64), np.empty(most, np.int64)
        self.gradient, self.amount = np.empty(most), np.empty(most)
        self.kernel, self.matrix = np.empty(budget.block_examples**2, np.float32), np.empty(most**2, np.float32)

    def look(self, state: BlockState) -> float:
        """The KKT violation, and that of every example into `worst`."""
        return self.part.geometry.scan(self.part, state.alpha, state.functions, self.own, self.worst)

    def round(self, state: BlockState, violation: float, tolerance: float) -> Work[bool]:
        """One block; returns whether anything moved."""
        part, budget, spending = self.part, self.budget, state.spending
        choose, solve = KINDS[part.geometry]
        examples = choose(self.worst, state.recent, min(budget.block_examples, part.gram.capacity))
        slots = yield from part.gram.fetch(examples)
        kernel = self.kernel[: examples.size**2].reshape(examples.size, -1)
        block.cut_kernel(part.gram.store, slots, examples, np.float32(part.offset), kernel)
        goal = max(0.5 * tolerance, INNER.share * violation)
        weights, common, steps, left = solve(self, state, Block(examples, slots, kernel), goal)
        self.apply(state, slots, weights, common)
        state.recent = examples
        spending.short_rounds = spending.short_rounds + 1 if left > goal else 0
        spending.since_newton += budget.round_price + budget.step_price * steps
        spending.total += budget.round_price + budget.full_step_price * steps
        state.steps += steps
        return bool(weights.any() or common.any())

    def stuck(self, state: BlockState, violation: float) -> bool:
        """Whether the violation has not fallen for too many steps: with float32 rows, steps may cycle near rounding."""
        least, budget = state.progression, self.budget
        if violation < budget.helped * least.least:
            least.least, least.steps = violation, state.steps
        return state.steps - least.steps > max(budget.stuck_steps, budget.stuck_steps_each * state.alpha.size)

    def refresh_due(self, state: BlockState, violation: float, tolerance: float) -> bool:
        """Whether the violation has fallen so far since the functions were exact that it may be their error."""
        progression, budget = state.progression, self.budget
        due = budget.refresh_until * tolerance < violation <= budget.refresh_fall * progression.peak_since_refresh
        if not due:
            progression.peak_since_refresh = max(progression.peak_since_refresh, violation)
        return bool(due)

    def newton_due(self, state: BlockState) -> bool:
        """Whether enough rounds in a row ran out of pair steps, and have cost as much as a Newton step."""
        spending = state.spending
        short = spending.short_rounds >= self.budget.short_rounds
        return short and spending.since_newton >= spending.newton_price

    def newton(self, state: BlockState, tolerance: float, *, at_any_price: bool = False) -> Work[bool]:
        """Newton steps on all free variables, if rounds have cost their price; returns whether anything moved."""
        part, spending = self.part, state.spending
        goal = INNER.newton_share * tolerance
        chosen = faces.select(part, state.alpha, self.gradient_of_all(state), goal)
        asked = price.newton(chosen.slot.size, self.budget)
        too_dear = asked > spending.since_newton and not at_any_price
        if too_dear or not solvable_at_once(part, chosen, self.budget):
            spending.newton_price = min(asked, 1.5 * spending.since_newton)
            return False
        moved = yield from self.solve_chosen(state, chosen, goal)
        spending.short_rounds, spending.since_newton, spending.newton_price = 0, 0.0, 0.0
        spending.total += asked
        return moved

    def gradient_of_all(self, state: BlockState) -> np.ndarray:
        part, functions = self.part, state.functions
        return part.geometry.reduced(part, state.alpha, functions, gradients(part, functions))

    def solve_chosen(
        self, state: BlockState, chosen: faces.Selection, goal: float, *, exact: bool = False
    ) -> Work[bool]:
        """Solve for the chosen variables; returns whether any has changed.

        With `exact`, the functions are exact and are updated by the change of the weights, else recomputed.
        """
        part = self.part
        part.gram.reserve("newton", self.budget.newton_pair_bytes * chosen.slot.size**2)
        values, steps, _ = yield from faces.polish(part, state.alpha, chosen, goal)
        rows = chosen.examples[chosen.member]
        alpha = state.alpha.copy(order="K")
        alpha[rows, chosen.slot] = values
        weights = weights_of(part, alpha)
        moved = weights - weights_of(part, state.alpha)
        shift = part.offset * moved.sum(axis=0)
        if exact:
            change = (yield from part.gram.products(moved)) + shift
            state.functions += change
        else:  # the error of functions by float32 rows would hide what was gained
            products = yield from part.gram.products(weights)
            state.functions[...] = products + (state.constant + shift)
        changed = bool((alpha != state.alpha).any())
        state.constant = state.constant + shift
        state.alpha[...] = alpha
        state.steps += steps
        return changed

    def solve(self, state: BlockState, cut: Block, goal: float) -> tuple[np.ndarray, np.ndarray, int, float]:
        """Pair steps on the free and violating variables of a block: (weights, common, steps, violation left)."""
        part, form, rule = self.part, self.part.form, self.rule
        count = block.pick_variables(
            rule, state.functions.T, state.alpha.T, part.labels, part.upper, cut.examples, 0.5 * goal,
            part.geometry.sums, self.member, self.slot, self.gradient, self.amount,
        )  # fmt: skip
        member, slot, amount = self.member[:count], self.slot[:count], self.amount[:count]
        chosen = cut.examples[member]
        labels = part.labels[chosen]
        Q = self.couple(cut, member, slot, labels)
        before = amount.copy()
        if part.geometry.sums:
            upper = part.upper[cut.examples]
            starts = np.searchsorted(member, np.arange(cut.examples.size + 1))
            slack = upper - state.alpha[cut.examples].sum(axis=1)
            steps, left = sums.solve_simplex(
                Q,
                self.gradient[:count],
                amount,
                slack,
                starts,
                upper,
                goal,
                self.budget.sum_patience * count,
                INNER.share,
            )
        else:
            limit = self.budget.block_patience * count
            steps, left = box.solve_box(Q, self.gradient[:count], amount, part.upper[chosen], goal, limit)
        state.alpha[chosen, slot] = amount
        weights, common = np.empty((cut.examples.size, form.outputs)), np.empty(cut.examples.size)
        block.sparse_changes(rule, member, slot, labels, amount - before, weights, common)
        return weights, common, steps, left

    def couple(self, cut: Block, member: np.ndarray, slot: np.ndarray, labels: np.ndarray) -> np.ndarray:
        rule = self.rule
        mine = slot == labels
        first = np.where(mine, 0.0, rule.before).astype(np.float32)
        second = np.where(mine, rule.own, rule.other).astype(np.float32)
        Q = self.matrix[: member.size**2].reshape(member.size, -1)
        block.couple(rule, cut.kernel, member, labels.astype(np.int32), slot.astype(np.int32), first, second, Q)
        return Q

    def solve_line(self, state: BlockState, cut: Block, goal: float) -> tuple[np.ndarray, np.ndarray, int, float]:
        """As `solve` for a Line: pair steps on all beta of the block, along the equality."""
        part, examples = self.part, cut.examples
        beta, low, high = LINE.signed(part, state.alpha, examples)
        z, before = LINE.beta_gradient(part, state.functions, examples), beta.copy()
        limit = self.budget.block_patience * examples.size
        steps, left = line.solve_pairs(cut.kernel, z, beta, low, high, goal, limit, 0)
        state.alpha[examples, 0] = LINE.signs(part, examples) * beta
        return (beta - before)[:, None], np.zeros(examples.size), steps, left

    def apply(self, state: BlockState, slots: np.ndarray, weights: np.ndarray, common: np.ndarray) -> None:
        """Update all class functions for the change of these examples' weights (jit/block.py: sparse_changes)."""
        part, moved = self.part, np.flatnonzero(weights.any(axis=1))
        weights, common = weights[moved], common[moved]
        store, slots, functions = self.part.gram.store, slots[moved], state.functions.T

        def move(first: int) -> None:
            block.move_functions(store, slots, weights, common, functions, first, min(first + COLUMNS, len(part)))

        if len(part) <= COLUMNS:
            move(0)
        else:
            finish(spread(move, range(0, len(part), COLUMNS), 2.0 * np.count_nonzero(weights) * COLUMNS))
        if part.offset:
            shift = part.offset * (weights.sum(axis=0) + common.sum())
            state.functions += shift
            state.constant = state.constant + shift


def choose_worst(violations: np.ndarray, recent: np.ndarray, count: int) -> np.ndarray:
    """The most violating examples; examples of the last round fill up to half of the block."""
    n = violations.size
    if n <= count:
        return np.arange(n)
    order = np.argpartition(-violations, count - 1)[:count]
    order = order[np.argsort(-violations[order], kind="stable")]
    fresh = order[: count - min(recent.size, count // 2)]
    chosen = np.zeros(n, dtype=bool)
    chosen[fresh] = True
    kept = recent[~chosen[recent]][: count - fresh.size]
    chosen[kept] = True
    rest = order[~chosen[order]][: count - fresh.size - kept.size]
    return np.concatenate([fresh, kept, rest])


def choose_both_signs(signed: np.ndarray, recent: np.ndarray, count: int) -> np.ndarray:
    """A quarter of the block from beta that should rise most, a quarter from those that should fall most, then examples
    of the last round, then the most violating others."""
    if signed.size <= count:
        return np.arange(signed.size)
    half = count // 4
    top = np.argpartition(-signed, half - 1)[:half]
    bottom = np.argpartition(signed, half - 1)[:half]
    fresh = np.unique(np.concatenate([top, bottom]))
    chosen = np.zeros(signed.size, dtype=bool)
    chosen[fresh] = True
    kept = recent[~chosen[recent]][: count - fresh.size]
    chosen[kept] = True
    others = np.where(chosen, 1.0, -np.abs(signed))  # behind all that are not chosen, also those that violate nothing
    order = np.argsort(others, kind="stable")[: count - fresh.size - kept.size]
    return np.concatenate([fresh, kept, order])


Chooser = Callable[[np.ndarray, np.ndarray, int], np.ndarray]
Solve = Callable[[Workbench, BlockState, Block, float], tuple[np.ndarray, np.ndarray, int, float]]
KINDS: dict[Geometry, tuple[Chooser, Solve]] = {
    BOX: (choose_worst, Workbench.solve),
    SUMS: (choose_worst, Workbench.solve),
    LINE: (choose_both_signs, Workbench.solve_line),
}
