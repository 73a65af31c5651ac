"""Two-level S2DO: dense blocks of the worst variables, solved in cache, between matrix products.

A round picks the most violating examples (half of them kept from the last round), cuts the dense problem of
their free and violating variables, solves it down to a share of the outer violation, and moves all class
functions. A slice ends between rounds. alpha and functions are kept class by class (Fortran order).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.jit import block, box, pair, simplex
from solvers.methods.state import Progress, State, equality_range
from solvers.problem import Part

NAME = "auto"
SUPPORTS = "every machine, kernel and bias"

EXAMPLES = 128  # of a block
VARIABLES = 384  # of a block, at most
SHARE = 0.1  # of the outer violation that a block is solved to
PATIENCE = 3  # steps per variable of a block before the next round


def refuse(part: Part) -> str | None:
    return None


def start(part: Part) -> State:
    state = State.zero(part)
    state.alpha, state.functions = np.asfortranarray(state.alpha), np.asfortranarray(state.functions)
    state.memory["recent"] = np.empty(0, dtype=np.int64)
    return state


def advance(part: Part, state: State, steps: int, tolerance: float) -> Progress:
    goal, bench = state.steps + steps, Workbench(part)
    while state.steps < goal:
        violation = bench.look(state)
        if violation <= tolerance:
            return Progress.CONVERGED
        if not bench.round(state, violation, tolerance):
            return Progress.STALLED
    return Progress.MOVING


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
        self.worst, self.own = np.empty(n), np.empty(n)
        self.member, self.slot = np.empty(VARIABLES, np.int64), np.empty(VARIABLES, np.int64)
        self.gradient, self.amount = np.empty(VARIABLES), np.empty(VARIABLES)
        self.kernel = np.empty(EXAMPLES * EXAMPLES, np.float32)
        self.matrix = np.empty(VARIABLES * VARIABLES, np.float32)

    def look(self, state: State) -> float:
        """The violation to be brought below the tolerance; every example's share in it into `worst`."""
        part, functions = self.part, state.functions.T
        if part.balanced:
            high, low = equality_range(part, state.alpha, state.functions)
            functions = functions + 0.5 * (high + low)
        scan = block.scan_box if part.form.feasible == "box" else block.scan_simplex
        largest = scan(self.rule, functions, state.alpha.T, part.labels, part.upper, self.own, self.worst)
        return high - low if part.balanced else largest

    def round(self, state: State, violation: float, tolerance: float) -> bool:
        """One block; returns whether anything moved."""
        part = self.part
        examples = choose(self.worst, state.memory["recent"])
        slots = part.gram.rows(examples)
        kernel = self.kernel[: examples.size**2].reshape(examples.size, -1)
        block.cut_kernel(part.gram.store, slots, examples, np.float32(part.offset), kernel)
        goal = max(0.5 * tolerance, SHARE * violation)
        solve = self.solve_balanced if part.balanced else self.solve
        weights, common, steps = solve(state, Block(examples, slots, kernel), goal)
        self.apply(state, slots, weights, common)
        state.memory["recent"] = examples
        state.steps += steps
        return steps > 0

    def solve(self, state: State, cut: Block, goal: float) -> tuple[np.ndarray, np.ndarray, int]:
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
            steps, _ = simplex.solve_simplex(Q, self.gradient[:count], amount, slack, starts, upper, goal, PATIENCE * count)
        else:
            steps, _ = box.solve_box(Q, self.gradient[:count], amount, part.upper[chosen], goal, PATIENCE * count)
        state.alpha[chosen, slot] = amount
        weights, common = np.empty((cut.examples.size, form.outputs)), np.empty(cut.examples.size)
        block.sparse_changes(rule, member, slot, labels, amount - before, weights, common)
        return weights, common, steps

    def couple(self, cut: Block, member: np.ndarray, slot: np.ndarray, labels: np.ndarray) -> np.ndarray:
        form, rule = self.part.form, self.rule
        mine = slot == labels
        first = np.where(mine, 0.0, rule.before).astype(np.float32)
        second = np.where(mine, rule.own, rule.other).astype(np.float32)
        directions = form.single[labels, slot]
        Q = self.matrix[: member.size**2].reshape(member.size, -1)
        own = np.minimum(labels, form.outputs - 1)
        block.couple(cut.kernel, member, slot, own, directions, first, second, Q)
        return Q

    def solve_balanced(self, state: State, cut: Block, goal: float) -> tuple[np.ndarray, np.ndarray, int]:
        """Binary with exact bias: all variables of the block, signed, under one equality."""
        part, examples = self.part, cut.examples
        sign = part.form.direction[part.labels[examples], 0, 0]
        beta = sign * state.alpha[examples, 0]
        bound = sign * part.upper[examples]
        z = sign * part.form.margin[part.labels[examples], 0] - state.functions[examples, 0]
        before = beta.copy()
        low, high = np.minimum(bound, 0.0), np.maximum(bound, 0.0)
        steps, _ = pair.solve_pairs(cut.kernel, z, beta, low, high, goal, PATIENCE * examples.size, 0)
        state.alpha[examples, 0] = sign * beta
        return (beta - before)[:, None], np.zeros(examples.size), steps

    def apply(self, state: State, slots: np.ndarray, weights: np.ndarray, common: np.ndarray) -> None:
        """Move all class functions by the change of these examples' weights."""
        moved = np.flatnonzero(weights.any(axis=1))
        weights, common = weights[moved], common[moved]
        block.move_functions(self.part.gram.store, slots[moved], weights, common, state.functions.T)
        if self.part.offset:
            shift = self.part.offset * (weights.sum(axis=0) + common.sum())
            state.functions += shift
            state.constant += shift


def choose(violations: np.ndarray, recent: np.ndarray) -> np.ndarray:
    """The most violating examples, up to half of the block left to those of the last round."""
    n = violations.size
    if n <= EXAMPLES:
        return np.arange(n)
    order = np.argpartition(-violations, EXAMPLES - 1)[:EXAMPLES]
    order = order[np.argsort(-violations[order], kind="stable")]
    fresh = order[: EXAMPLES - min(recent.size, EXAMPLES // 2)]
    chosen = np.zeros(n, dtype=bool)
    chosen[fresh] = True
    kept = recent[~chosen[recent]][: EXAMPLES - fresh.size]
    chosen[kept] = True
    rest = order[~chosen[order]][: EXAMPLES - fresh.size - kept.size]
    return np.concatenate([fresh, kept, rest])
