"""Rounds of two-level S2DO without Python: scan for violations, choose and solve a block, move the class functions.

`rounds` returns when its caller must do something: compute kernel rows that are not cached, take a Newton step,
recompute the functions exactly, or end. It may be called again at any time, as it changes nothing before it has solved
a block.

`sums` and `line` name the feasible set (dual/geometry.py): both are None for a box; `sums` is True for bounded sums,
and `line` is True for a line (binary, exact bias). numba compiles a function for each type of its arguments and drops
branches on None, so a training compiles only the code of its own feasible set. Whole arrays are neither copied, sorted
nor assigned to slices here: each such operation of numba compiles for 0.1 to 2 seconds, a loop for 5 milliseconds.
"""

from typing import NamedTuple

import numpy as np

from mcsvm.solvers.jit import block, compiled
from mcsvm.solvers.jit.bound import movable
from mcsvm.solvers.jit.box import solve_box
from mcsvm.solvers.jit.choice import choose_both_signs, choose_worst
from mcsvm.solvers.jit.line import solve_pairs
from mcsvm.solvers.jit.order import sort_by
from mcsvm.solvers.jit.rounding import HUGE
from mcsvm.solvers.jit.scan import equality_violation, scan_box, scan_simplex
from mcsvm.solvers.jit.sums import solve_simplex

BOX, SUMS, LINE = (None, None), (True, None), (None, True)  # (sums, line)
ENDED, CONVERGED, STUCK, REFRESH, NEWTON, ROWS, MOVE, IDLE = range(8)  # why `rounds` returns


class RoundRules(NamedTuple):
    """Numbers of budget.Budget and budget.InnerBudget."""

    examples: int
    variables: int
    patience: int
    sum_patience: int
    share: float
    short_rounds: int
    helped: float
    stuck_steps: float
    refresh_until: float
    refresh_fall: float
    round_price: float
    step_price: float
    full_step_price: float


class RoundMemory(NamedTuple):
    """State between rounds: Spending and Progression of methods/auto/blocks.py, and the step count."""

    total: float
    since_newton: float
    newton_price: float
    short_rounds: int
    peak_since_refresh: float
    least: float
    least_at: int
    steps: int


class PointByClass(NamedTuple):
    """The part and its point, class by class; `constant`, `alpha` and `functions` are changed in place."""

    labels: np.ndarray  # (n,)
    upper: np.ndarray  # (n,)
    offset: float
    constant: np.ndarray  # (1, outputs), or a row for each example
    alpha: np.ndarray  # (slots, n)
    functions: np.ndarray  # (outputs, n)


class Rows(NamedTuple):
    """The row store (solvers/gram.py)."""

    store: np.ndarray
    slot_of: np.ndarray
    last_use: np.ndarray
    clock: np.ndarray


class Space(NamedTuple):
    """Work space; `chosen`, `weights` and `common` describe the changes made by the last round."""

    worst: np.ndarray  # (n,)
    own: np.ndarray  # (n,) zero if the machine does not read f_y: the scan multiplies it by 0, so it must not be NaN
    sorting: np.ndarray  # (n,)
    taken: np.ndarray  # (n,) bool
    chosen: np.ndarray  # (examples,)
    slots: np.ndarray  # (examples,) of the row store
    kernel: np.ndarray  # (examples^2,) float32
    matrix: np.ndarray  # (variables^2,) float32
    member: np.ndarray  # (variables,)
    slot: np.ndarray
    gradient: np.ndarray
    amount: np.ndarray
    weights: np.ndarray  # (examples, outputs)
    common: np.ndarray  # (examples,)


@compiled
def rounds(sums, line, rule, rules, point, rows, space, memory, recent, tolerance, until, most, price, inside, newton):
    """Run rounds up to the step count `until`, or for `price` seconds of effort; stop the last one at the count `most`.

    Return (event, violation, memory, examples of the last block, examples of the next block if ROWS).
    inside: whether to move the class functions here; else every round ends with MOVE. newton: whether the event NEWTON
    is allowed before the first round; after a round it always is.
    """
    begun, event, violation, last, wanted = memory.total, ENDED, HUGE, recent, recent
    while event == ENDED and memory.steps < until and memory.total < begun + price:
        violation = look(sums, line, rule, point, space.own, space.worst)
        if violation <= tolerance:
            event = CONVERGED
        else:
            memory, event = judged(rules, memory, violation, tolerance, newton)
        if event == ENDED:
            size = choose(line, space.worst, last, space.taken, space.chosen, space.sorting)
            chosen, slots = space.chosen[:size], space.slots[:size]
            if stored(rows.slot_of, rows.last_use, rows.clock, chosen, slots):
                goal = max(0.5 * tolerance, rules.share * violation)
                steps_left = most - memory.steps
                steps, left = solve(sums, line, rule, rules, point, rows.store, space, size, goal, steps_left)
                memory, last, newton = paid(rules, memory, steps, left > goal), copied(chosen), True
                wanted = last
                weights, common = space.weights[:size], space.common[:size]
                if not inside:
                    event = MOVE
                elif changed(weights, common):
                    block.move_functions(rows.store, slots, weights, common, point.functions, 0, point.labels.size)
                    shift(point.functions, point.constant, point.offset, weights, common)
                else:
                    event = IDLE
            else:
                event, wanted = ROWS, copied(chosen)
    return event, HUGE if event == ENDED else violation, memory, last, wanted


@compiled
def judged(rules, memory, violation, tolerance, newton):
    """Return (memory updated by this violation, event that must precede another round, or ENDED for no event)."""
    least, least_at, peak = memory.least, memory.least_at, memory.peak_since_refresh
    if violation < rules.helped * least:
        least, least_at = violation, memory.steps
    refresh = rules.refresh_until * tolerance < violation <= rules.refresh_fall * peak
    if not refresh:
        peak = max(peak, violation)
    event = ENDED
    if memory.steps - least_at > rules.stuck_steps:
        event = STUCK
    elif refresh:
        event = REFRESH
    elif newton and memory.short_rounds >= rules.short_rounds and memory.since_newton >= memory.newton_price:
        event = NEWTON
    return remembered(memory, memory.total, memory.since_newton, memory.short_rounds, peak, least, least_at, 0), event


@compiled
def paid(rules, memory, steps, short):
    """Return the memory after a round of `steps` steps; `short`: the round ended before it reached its goal."""
    total = memory.total + rules.round_price + rules.full_step_price * steps
    since = memory.since_newton + rules.round_price + rules.step_price * steps
    short_rounds = memory.short_rounds + 1 if short else 0
    return remembered(
        memory, total, since, short_rounds, memory.peak_since_refresh, memory.least, memory.least_at, steps
    )


@compiled
def remembered(memory, total, since, short_rounds, peak, least, least_at, steps):
    return RoundMemory(total, since, memory.newton_price, short_rounds, peak, least, least_at, memory.steps + steps)


@compiled
def copied(examples):
    out = np.empty(examples.size, np.int64)
    for e in range(examples.size):
        out[e] = examples[e]
    return out


# -- violations and choice -------------------------------------------------------------------------


@compiled
def look(sums, line, rule, point, own, worst):
    """Return the KKT violation, and write that of every example into `worst`.

    On a line, the violations in `worst` are signed: positive if beta should rise.
    """
    if line is not None:
        return look_along_line(rule, point, worst)
    if sums is not None:
        return scan_simplex(rule, point.functions, point.alpha, point.labels, point.upper, own, worst)
    return scan_box(rule, point.functions, point.alpha, point.labels, point.upper, own, worst)


@compiled
def look_along_line(rule, point, worst):
    function, alpha, labels, upper = point.functions[0], point.alpha[0], point.labels, point.upper
    high, low = equality_violation(rule, function, alpha, labels, upper)
    middle = 0.5 * (high + low)
    for i in range(labels.size):
        pull = slope(rule, labels[i], function[i]) - middle
        rises, falls = movable(labels[i] == 0, alpha[i], upper[i])
        worst[i] = pull if (pull > 0.0 and rises) or (pull < 0.0 and falls) else 0.0
    return high - low


@compiled
def slope(rule, label, function):
    """Return s m - f, the gradient along beta = s alpha, without b."""
    return (rule.own * rule.margin_own if label == 0 else rule.other * rule.margin_other) - function


@compiled
def choose(line, worst, recent, taken, chosen, work):
    if line is not None:
        return choose_both_signs(worst, recent, taken, chosen, work)
    return choose_worst(worst, recent, taken, chosen, work)


@compiled
def stored(slot_of, last_use, clock, chosen, slots):
    """Return whether all rows of these examples are cached; if so, fill in `slots` and mark the rows as the newest."""
    for e in range(chosen.size):
        slots[e] = slot_of[chosen[e]]
        if slots[e] < 0:
            return False
    clock[0] += 1
    for e in range(chosen.size):
        last_use[slots[e]] = clock[0]
    return True


# -- solving a block -------------------------------------------------------------------------------


@compiled
def solve(sums, line, rule, rules, point, store, space, size, goal, most):
    """Solve a block for its free and violating variables; return (steps <= most, remaining violation)."""
    chosen, slots, weights, common = space.chosen[:size], space.slots[:size], space.weights[:size], space.common[:size]
    kernel = space.kernel[: size * size].reshape(size, size)
    if line is not None:
        block.cut_kernel(store, slots, chosen, np.float32(point.offset), kernel)
        return solve_line(rule, rules, point, kernel, chosen, weights, common, goal, most)
    count = space.member.size
    for attempt in range(2):
        if attempt == 1:  # not all variables had room: prefer those of the most violating examples
            arrange(space.worst, chosen, slots)
        count = block.pick_variables(
            rule, point.functions, point.alpha, point.labels, point.upper, chosen, 0.5 * goal, sums,
            space.member, space.slot, space.gradient, space.amount,
        )  # fmt: skip
        if count < space.member.size:
            break
    member, slot, gradient = space.member[:count], space.slot[:count], space.gradient[:count]
    amount, change, labels = space.amount[:count], np.empty(count), np.empty(count, np.int32)
    for b in range(count):
        change[b], labels[b] = -amount[b], point.labels[chosen[member[b]]]
    Q = space.matrix[: count * count].reshape(count, count)
    block.cut_kernel(store, slots, chosen, np.float32(point.offset), kernel)
    couple(rule, kernel, member, labels, slot, Q)
    if sums is not None:
        steps, left = solve_sums(rules, point.alpha, point.upper, chosen, Q, member, gradient, amount, goal, most)
    else:
        upper = np.empty(count)
        for b in range(count):
            upper[b] = point.upper[chosen[member[b]]]
        steps, left = solve_box(Q, gradient, amount, upper, goal, min(rules.patience * count, most))
    for b in range(count):
        point.alpha[slot[b], chosen[member[b]]] = amount[b]
        change[b] += amount[b]
    block.sparse_changes(rule, member, slot, labels, change, weights, common)
    return steps, left


@compiled
def arrange(worst, chosen, slots):
    """Put the most violating of the chosen examples first."""
    size = chosen.size
    falling, examples, stored = np.empty(size), np.empty(size, np.int64), np.empty(size, np.int64)
    order, work = np.empty(size, np.int64), np.empty(size, np.int64)
    for e in range(size):
        order[e], examples[e], stored[e], falling[e] = e, chosen[e], slots[e], -worst[chosen[e]]
    order = sort_by(falling, order, work)
    for e in range(size):
        chosen[e], slots[e] = examples[order[e]], stored[order[e]]


@compiled
def couple(rule, kernel, member, labels, slot, Q):
    count = member.size
    short, first, second = np.empty(count, np.int32), np.empty(count, np.float32), np.empty(count, np.float32)
    for b in range(count):
        own = slot[b] == labels[b]
        short[b] = slot[b]
        first[b] = 0.0 if own else rule.cross
        second[b] = rule.own if own else rule.other
    block.couple(rule, kernel, member, labels, short, first, second, Q)


@compiled
def solve_sums(rules, alpha, bounds, chosen, Q, member, gradient, amount, goal, most):
    """Solve a block of bounded sums, whose variables are ordered by example."""
    upper, slack = np.empty(chosen.size), np.empty(chosen.size)
    starts = np.zeros(chosen.size + 1, np.int64)
    for b in range(member.size):
        starts[member[b] + 1] += 1
    for e in range(chosen.size):
        upper[e] = slack[e] = bounds[chosen[e]]
        for p in range(alpha.shape[0]):
            slack[e] -= alpha[p, chosen[e]]
        starts[e + 1] += starts[e]
    limit = min(rules.sum_patience * member.size, most)
    return solve_simplex(Q, gradient, amount, slack, starts, upper, goal, limit, rules.share)


@compiled
def solve_line(rule, rules, point, kernel, chosen, weights, common, goal, most):
    """Solve for all beta of the block, along the equality."""
    size, alpha = chosen.size, point.alpha[0]
    z, beta, low, high = np.empty(size), np.empty(size), np.zeros(size), np.zeros(size)
    for e in range(size):
        i = chosen[e]
        z[e] = slope(rule, point.labels[i], point.functions[0, i])
        if point.labels[i] == 0:
            beta[e], high[e] = alpha[i], point.upper[i]
        else:
            beta[e], low[e] = -alpha[i], -point.upper[i]
        weights[e, 0] = beta[e]
    steps, left = solve_pairs(kernel, z, beta, low, high, goal, min(rules.patience * size, most), 0)
    for e in range(size):
        alpha[chosen[e]] = abs(beta[e])
        weights[e, 0] = beta[e] - weights[e, 0]
        common[e] = 0.0
    return steps, left


# -- moving the functions --------------------------------------------------------------------------


@compiled
def changed(weights, common):
    for e in range(common.size):
        if common[e] != 0.0:
            return True
        for c in range(weights.shape[1]):
            if weights[e, c] != 0.0:
                return True
    return False


@compiled
def shift(functions, constant, offset, weights, common):
    """Add the contribution of the offset to the functions."""
    if offset != 0.0:
        for c in range(weights.shape[1]):
            total, shared = 0.0, 0.0
            for e in range(common.size):
                total += weights[e, c]
                shared += common[e]
            step = offset * (total + shared)
            for row in range(constant.shape[0]):
                constant[row, c] += step
            for i in range(functions.shape[1]):
                functions[c, i] += step
