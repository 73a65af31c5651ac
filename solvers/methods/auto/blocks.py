"""Two-level S2DO: dense blocks of the worst variables, solved in cache, between matrix products.

A round picks the most violating examples (half of them kept from the last round), cuts the dense problem of
their free and violating variables, solves it down to a share of the outer violation, and moves all class
functions. A slice ends between rounds. alpha and functions are kept class by class (Fortran order).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.dual.quantities import equality_range, gradients, weights_of
from solvers.jit import block, box
from solvers.jit import line as pair
from solvers.jit import scan as optimality
from solvers.jit import sums as simplex
from solvers.methods.auto import faces as polishing
from solvers.methods.base import Progress, State, refresh
from solvers.problem import Part

EXAMPLES = 128  # of a block
VARIABLES = 768  # of a block, at most
SHARE = 0.1  # of the outer violation that a block is solved to
PATIENCE, SUM_PATIENCE = 3, 8  # steps per variable of a block before the next round; within an example they are cheap
WEARY = 4  # rounds in a row that ran out of patience before all free variables are solved for at once
ROUND_PRICE, STEP_PRICE = 1.2e-4, 2.5e-7  # seconds, roughly, on the scale of `price_of`
FULL_STEP_PRICE = 7e-7  # of a step in a full block, which is what hard problems are made of
POLISHED = 4000  # variables up to which that is tried, where memory allows:
PAIR_BYTES = 48  # of its work space per pair of variables, slacks being variables too; as much as the store may have
LITTLE = 1 << 26  # bytes it may always have
RENEWED = 1e-3  # fall of the violation after which the functions are computed anew: errors of single precision stay
FAR = 30.0  # tolerances, nearer to which the end will do that anyway
LESS = 0.99  # of the least violation, which counts as progress
STUCK_ALONE, STUCK = 200_000, 1_000  # steps without any, at least and per variable, after which there will be none


def start(part: Part) -> State:
    state = State.zero(part)
    state.alpha, state.functions = np.asfortranarray(state.alpha), np.asfortranarray(state.functions)
    state.memory["recent"] = np.empty(0, dtype=np.int64)
    # rounds in a row out of patience; what was spent since the last polishing; its price; what was spent in all
    state.memory["effort"] = np.zeros(4)
    state.memory["exact"] = np.zeros(1)  # the violation when the functions were exact
    state.memory["least"] = np.array([np.inf, 0.0])  # violation, and the steps at it
    return state


def advance(part: Part, state: State, steps: int, tolerance: float) -> Progress:
    goal, bench = state.steps + steps, Workbench(part)
    while state.steps < goal:
        violation = bench.look(state)
        if violation <= tolerance:
            return Progress.CONVERGED
        if bench.stuck(state, violation):
            return Progress.STALLED
        if bench.blurred(state, violation, tolerance):
            refresh(part, state)
            continue
        if bench.tired(state) and bench.polish(state, tolerance):
            continue
        if not bench.round(state, violation, tolerance) and not bench.polish(state, tolerance, at_any_price=True):
            return Progress.STALLED
    return Progress.MOVING


def price_of(variables: int) -> float:
    """Seconds, roughly, to solve a dense problem of this size: measured, only to compare with rounds."""
    return 6e-8 * variables**2 + 2.1e-10 * variables**3


def polishable(part: Part, chosen: polishing.Selection) -> bool:
    slacks = chosen.examples.size if part.form.feasible == "simplex" else 0
    room = max(part.gram.cache_bytes, LITTLE)
    return chosen.slot.size <= POLISHED and PAIR_BYTES * (chosen.slot.size + slacks) ** 2 <= room


@dataclass
class Block:
    """The examples of a round, their kernel values, and where they stand in the store."""

    examples: np.ndarray
    slots: np.ndarray
    kernel: np.ndarray


class Workbench:
    """What rounds need besides the state: nothing that outlives a slice."""

    def __init__(self, part: Part) -> None:
        self.part, self.rule = part, part.form.rule
        n = len(part)
        self.worst, self.own = np.empty(n), np.zeros(n)  # `own` is multiplied by zero where it is not filled
        self.member, self.slot = np.empty(VARIABLES, np.int64), np.empty(VARIABLES, np.int64)
        self.gradient, self.amount = np.empty(VARIABLES), np.empty(VARIABLES)
        self.kernel = np.empty(EXAMPLES * EXAMPLES, np.float32)
        self.matrix = np.empty(VARIABLES * VARIABLES, np.float32)

    def look(self, state: State) -> float:
        """The violation to be brought below the tolerance; every example's share in it into `worst`."""
        part, functions = self.part, state.functions.T
        if part.balanced:
            return self.look_balanced(state)
        scan = optimality.scan_box if part.form.feasible == "box" else optimality.scan_simplex
        return scan(self.rule, functions, state.alpha.T, part.labels, part.upper, self.own, self.worst)

    def look_balanced(self, state: State) -> float:
        """As `look`; one equality needs both kinds in a block, so `worst` is signed: rising above, falling below 0."""
        part = self.part
        high, low = equality_range(part, state.alpha, state.functions)
        middle = 0.5 * (high + low)
        optimality.scan_box(
            self.rule, state.functions.T + middle, state.alpha.T, part.labels, part.upper, self.own, self.worst
        )
        sign = part.form.direction[part.labels, 0, 0]
        z = sign * part.form.margin[part.labels, 0] - state.functions[:, 0] - middle
        np.copysign(self.worst, z, out=self.worst)
        return high - low

    def round(self, state: State, violation: float, tolerance: float) -> bool:
        """One block; returns whether anything moved."""
        part = self.part
        recent = state.memory["recent"]
        pick = choose_balanced if part.balanced else choose
        examples = pick(self.worst, recent, min(EXAMPLES, part.gram.capacity))
        slots = part.gram.rows(examples)
        kernel = self.kernel[: examples.size**2].reshape(examples.size, -1)
        block.cut_kernel(part.gram.store, slots, examples, np.float32(part.offset), kernel)
        goal = max(0.5 * tolerance, SHARE * violation)
        solve = self.solve_balanced if part.balanced else self.solve
        weights, common, steps, left = solve(state, Block(examples, slots, kernel), goal)
        self.apply(state, slots, weights, common)
        state.memory["recent"] = examples
        effort = state.memory["effort"]
        effort[0] = effort[0] + 1.0 if left > goal else 0.0
        effort[1] += ROUND_PRICE + STEP_PRICE * steps
        effort[3] += ROUND_PRICE + FULL_STEP_PRICE * steps
        state.steps += steps
        return bool(weights.any() or common.any())

    def stuck(self, state: State, violation: float) -> bool:
        """Single precision may go in circles, for ever, where tolerances are beyond it."""
        least = state.memory["least"]
        if violation < LESS * least[0]:
            least[:] = violation, state.steps
        return bool(state.steps - least[1] > max(STUCK_ALONE, STUCK * state.alpha.size))

    def blurred(self, state: State, violation: float, tolerance: float) -> bool:
        """Whether so much has been solved since the functions were exact that their error may be what is left."""
        exact = state.memory["exact"]
        due = FAR * tolerance < violation <= RENEWED * exact[0]
        exact[0] = violation if due else max(exact[0], violation)
        return bool(due)

    def tired(self, state: State) -> bool:
        """Rounds fall short again and again, and what they cost would pay for solving all at once."""
        short, spent, price, _ = state.memory["effort"]
        return bool(short >= WEARY and spent >= price)

    def polish(self, state: State, tolerance: float, *, at_any_price: bool = False) -> bool:
        """Solve for everything free, where rounds have cost as much already; returns whether anything moved."""
        part, effort = self.part, state.memory["effort"]
        goal = 0.25 * tolerance
        chosen = polishing.select(part, state.alpha, self.gradient_of_all(state), goal)
        price = price_of(chosen.slot.size)
        if (price > effort[1] and not at_any_price) or not polishable(part, chosen):
            effort[2] = min(price, 1.5 * effort[1])
            return False
        effort[:3] = 0.0
        effort[3] += price
        return self.solve_chosen(state, chosen, goal)

    def gradient_of_all(self, state: State) -> np.ndarray:
        part, gradient = self.part, gradients(self.part, state.functions)
        if part.balanced:
            high, low = equality_range(part, state.alpha, state.functions)
            gradient -= part.form.direction[part.labels, :, 0] * 0.5 * (high + low)
        return gradient

    def solve_chosen(self, state: State, chosen: polishing.Selection, goal: float, *, exact: bool = False) -> bool:
        """`exact`: the functions are, so that it is enough to move them by what changes."""
        part = self.part
        values, steps, _ = polishing.polish(part, state.alpha, chosen, goal)
        rows = chosen.examples[chosen.member]
        change = values - state.alpha[rows, chosen.slot]
        before = weights_of(part, state.alpha)
        state.alpha[rows, chosen.slot] = values
        moved = weights_of(part, state.alpha) - before
        shift = part.offset * moved.sum(axis=0)
        state.constant += shift
        if exact:
            state.functions += part.gram.times(moved) + shift
        else:
            refresh(part, state)  # single-precision rows would hide how well this is solved
        state.steps += steps
        return bool(change.any())

    def solve(self, state: State, cut: Block, goal: float) -> tuple[np.ndarray, np.ndarray, int, float]:
        part, form, rule = self.part, self.part.form, self.rule
        sums = form.feasible == "simplex"
        count = block.pick_variables(
            rule, state.functions.T, state.alpha.T, part.labels, part.upper, cut.examples, 0.5 * goal, sums,
            self.member, self.slot, self.gradient, self.amount,
        )  # fmt: skip
        member, slot, amount = self.member[:count], self.slot[:count], self.amount[:count]
        chosen = cut.examples[member]
        labels = part.labels[chosen]
        Q = self.couple(cut, member, slot, labels)
        before = amount.copy()
        if sums:
            upper = part.upper[cut.examples]
            starts = np.searchsorted(member, np.arange(cut.examples.size + 1))
            slack = upper - state.alpha[cut.examples].sum(axis=1)
            steps, left = simplex.solve_simplex(
                Q, self.gradient[:count], amount, slack, starts, upper, goal, SUM_PATIENCE * count
            )
        else:
            steps, left = box.solve_box(Q, self.gradient[:count], amount, part.upper[chosen], goal, PATIENCE * count)
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

    def solve_balanced(self, state: State, cut: Block, goal: float) -> tuple[np.ndarray, np.ndarray, int, float]:
        """Binary with exact bias: all variables of the block, signed, under one equality."""
        part, examples = self.part, cut.examples
        sign = part.form.direction[part.labels[examples], 0, 0]
        beta = sign * state.alpha[examples, 0]
        bound = sign * part.upper[examples]
        z = sign * part.form.margin[part.labels[examples], 0] - state.functions[examples, 0]
        before = beta.copy()
        low, high = np.minimum(bound, 0.0), np.maximum(bound, 0.0)
        steps, left = pair.solve_pairs(cut.kernel, z, beta, low, high, goal, PATIENCE * examples.size, 0)
        state.alpha[examples, 0] = sign * beta
        return (beta - before)[:, None], np.zeros(examples.size), steps, left

    def apply(self, state: State, slots: np.ndarray, weights: np.ndarray, common: np.ndarray) -> None:
        """Move all class functions by the change of these examples' weights."""
        moved = np.flatnonzero(weights.any(axis=1))
        weights, common = weights[moved], common[moved]
        block.move_functions(self.part.gram.store, slots[moved], weights, common, state.functions.T)
        if self.part.offset:
            shift = self.part.offset * (weights.sum(axis=0) + common.sum())
            state.functions += shift
            state.constant += shift


def choose(violations: np.ndarray, recent: np.ndarray, count: int) -> np.ndarray:
    """The most violating examples, up to half of the block left to those of the last round."""
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


def choose_balanced(signed: np.ndarray, recent: np.ndarray, count: int) -> np.ndarray:
    """Half of the block from those that want to rise, half from those that want to fall."""
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
    order = np.argsort(-np.abs(np.where(chosen, 0.0, signed)), kind="stable")[: count - fresh.size - kept.size]
    return np.concatenate([fresh, kept, order])
