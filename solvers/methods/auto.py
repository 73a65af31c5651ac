"""Two-level S2DO: dense blocks of the worst variables, solved in cache, between matrix products.

A round picks the most violating examples (half of them kept from the last round), cuts the dense problem of
their free and violating variables, solves it down to a share of the outer violation, and moves all class
functions by one matrix product. A slice ends between rounds.
"""

from __future__ import annotations

import numpy as np

from solvers.jit import block, box, pair, simplex
from solvers.methods.state import Progress, State, equality_range, examine
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
    state.memory["recent"] = np.empty(0, dtype=np.int64)
    return state


def advance(part: Part, state: State, steps: int, tolerance: float) -> Progress:
    goal = state.steps + steps
    while state.steps < goal:
        violation, violations = look(part, state)
        if violation <= tolerance:
            return Progress.CONVERGED
        if not advance_round(part, state, violation, violations, tolerance):
            return Progress.STALLED
    return Progress.MOVING


def look(part: Part, state: State) -> tuple[float, np.ndarray]:
    """The violation to be brought below the tolerance, and every example's share in it."""
    if not part.balanced:
        standing = examine(part, state.alpha, state.functions)
        return standing.violation, standing.violations
    high, low = equality_range(part, state.alpha, state.functions)
    standing = examine(part, state.alpha, state.functions + 0.5 * (high + low))
    return high - low, standing.violations


def advance_round(part: Part, state: State, violation: float, violations: np.ndarray, tolerance: float) -> bool:
    """One block; returns whether anything moved."""
    examples = choose(violations, state.memory["recent"])
    slots = part.gram.rows(examples)
    kernel = np.empty((examples.size, examples.size))
    block.cut_kernel(part.gram.store, slots, examples, part.offset, kernel)
    goal = max(0.5 * tolerance, SHARE * violation)
    solve = solve_balanced_block if part.balanced else solve_block
    weights, steps = solve(part, state, examples, kernel, goal)
    moved = np.flatnonzero(weights.any(axis=1))
    apply(part, state, part.gram.store[slots[moved]], weights[moved])
    state.memory["recent"] = examples
    state.steps += steps
    return moved.size > 0


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


def solve_block(part: Part, state: State, examples: np.ndarray, kernel: np.ndarray, goal: float) -> tuple[np.ndarray, int]:
    form, sums = part.form, part.form.feasible == "simplex"
    member, slot = np.empty(VARIABLES, np.int64), np.empty(VARIABLES, np.int64)
    gradient, amount = np.empty(VARIABLES), np.empty(VARIABLES)
    index, value = form.reading
    count = block.pick_variables(
        state.functions, state.alpha, part.labels, part.upper, form.margin, index, value, form.real,
        examples, 0.5 * goal, sums, member, slot, gradient, amount,
    )  # fmt: skip
    member, slot, gradient, amount = member[:count], slot[:count], gradient[:count], amount[:count]
    chosen = examples[member]
    kind = part.labels[chosen]
    directions = form.direction[kind, slot]
    Q = np.empty((count, count))
    block.couple(kernel, member, directions, index[kind, slot], value[kind, slot], Q)
    before = amount.copy()
    if sums:
        starts = np.searchsorted(member, np.arange(examples.size + 1))
        slack = part.upper[examples] - state.alpha[examples].sum(axis=1)
        steps, _ = simplex.solve_simplex(Q, gradient, amount, slack, starts, part.upper[examples], goal, PATIENCE * count)
    else:
        steps, _ = box.solve_box(Q, gradient, amount, part.upper[chosen], goal, PATIENCE * count)
    state.alpha[chosen, slot] = amount
    weights = np.empty((examples.size, form.outputs))
    block.gather_changes(member, before, amount, directions, weights)
    return weights, steps


def solve_balanced_block(part: Part, state: State, examples: np.ndarray, kernel: np.ndarray, goal: float) -> tuple[np.ndarray, int]:
    """Binary with exact bias: all variables of the block, signed, under one equality."""
    sign = part.form.direction[part.labels[examples], 0, 0]
    beta = sign * state.alpha[examples, 0]
    bound = sign * part.upper[examples]
    z = sign * part.form.margin[part.labels[examples], 0] - state.functions[examples, 0]
    before = beta.copy()
    low, high = np.minimum(bound, 0.0), np.maximum(bound, 0.0)
    steps, _ = pair.solve_pairs(kernel, z, beta, low, high, goal, PATIENCE * examples.size, True)
    state.alpha[examples, 0] = sign * beta
    return (beta - before)[:, None], steps


def apply(part: Part, state: State, rows: np.ndarray, weights: np.ndarray) -> None:
    """Move all class functions by the change of these examples' weights."""
    state.functions += rows.T @ weights.astype(np.float32)
    if part.offset:
        shift = part.offset * weights.sum(axis=0)
        state.functions += shift
        state.constant += shift
