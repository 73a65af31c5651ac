"""Rounds of two-level S2DO without Python: look, choose a block, cut it out, solve it, move the class functions.

`rounds` goes on until something is due that is not its own: kernel rows that are not stored, a Newton step, exact
functions, or the end. It may be called again at any time: it changes nothing before it has solved a block.
"""

from typing import NamedTuple

import numpy as np

from mcsvm.solvers.jit import block, compiled
from mcsvm.solvers.jit.bound import movable
from mcsvm.solvers.jit.box import solve_box
from mcsvm.solvers.jit.choice import choose_both_signs, choose_worst
from mcsvm.solvers.jit.line import solve_pairs
from mcsvm.solvers.jit.rounding import HUGE
from mcsvm.solvers.jit.scan import equality_violation, scan_box, scan_simplex
from mcsvm.solvers.jit.sums import solve_simplex

BOX, SUMS, LINE = range(3)  # feasible sets (dual/geometry.py)
ENDED, CONVERGED, STUCK, REFRESH, NEWTON, ROWS, MOVE, IDLE = range(8)  # why `rounds` returns


class RoundRules(NamedTuple):
    """Numbers of budget.Budget and budget.InnerBudget, by their names there."""

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
    """What rounds remember: Spending and Progression of methods/auto/blocks.py, and the step count."""

    total: float
    since_newton: float
    newton_price: float
    short_rounds: int
    peak_since_refresh: float
    least: float
    least_at: int
    steps: int


class PointByClass(NamedTuple):
    """The part and its point, class by class; `constant` and the last two are changed in place."""

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
    """Work space; `chosen`, `weights` and `common` say what the last round has changed."""

    worst: np.ndarray  # (n,)
    own: np.ndarray  # (n,) zero where the machine does not read f_y: the scan multiplies it by zero, so no NaN
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
def rounds(kind, rule, rules, point, rows, space, memory, recent, tolerance, until, most, price, inside, newton):
    """Rounds up to the step count `until`, or for a price; the last round is cut at the step count `most`.

    Returns (why it ended, violation, memory, examples of the last block, with ROWS: of the next one).
    inside: whether the class functions are moved here; else MOVE follows every round. newton: whether a Newton step may
    be asked for at once; later it may in any case.
    """
    begun, last = memory.total, recent
    while memory.steps < until and memory.total < begun + price:
        violation = look(kind, rule, point, space)
        if violation <= tolerance:
            return CONVERGED, violation, memory, last, last
        memory, event = judged(rules, memory, violation, tolerance, newton)
        if event != ENDED:
            return event, violation, memory, last, last
        size = choose(kind, last, space)
        if not stored(rows, space.chosen[:size], space.slots[:size]):
            return ROWS, violation, memory, last, space.chosen[:size].copy()
        goal = max(0.5 * tolerance, rules.share * violation)
        steps, left = solve(kind, rule, rules, point, rows, space, size, goal, most - memory.steps)
        memory, last, newton = paid(rules, memory, steps, left > goal), space.chosen[:size].copy(), True
        if not inside:
            return MOVE, violation, memory, last, last
        if not move(point, rows, space, size):
            return IDLE, violation, memory, last, last
    return ENDED, HUGE, memory, last, last


@compiled
def judged(rules, memory, violation, tolerance, newton):
    """(the memory with this violation in it, what is due before another round; ENDED: nothing)."""
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
    """The memory after a round of so many steps."""
    total = memory.total + rules.round_price + rules.full_step_price * steps
    since = memory.since_newton + rules.round_price + rules.step_price * steps
    short_rounds = memory.short_rounds + 1 if short else 0
    return remembered(
        memory, total, since, short_rounds, memory.peak_since_refresh, memory.least, memory.least_at, steps
    )


@compiled
def remembered(memory, total, since, short_rounds, peak, least, least_at, steps):
    return RoundMemory(total, since, memory.newton_price, short_rounds, peak, least, least_at, memory.steps + steps)


# -- looking and choosing --------------------------------------------------------------------------


@compiled
def look(kind, rule, point, space):
    """The KKT violation, and that of every example into `worst`; of a line signed, positive where beta should rise."""
    if kind == LINE:
        return look_along_line(rule, point, space.worst)
    if kind == SUMS:
        return scan_simplex(
            rule, point.functions, point.alpha, point.labels, point.upper, space.own, space.worst
        )  # fmt: skip
    return scan_box(rule, point.functions, point.alpha, point.labels, point.upper, space.own, space.worst)


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
    """s m - f: the gradient of beta = s alpha, without b."""
    return (rule.own * rule.margin_own if label == 0 else rule.other * rule.margin_other) - function


@compiled
def choose(kind, recent, space):
    if kind == LINE:
        return choose_both_signs(space.worst, recent, space.taken, space.chosen, space.sorting)
    return choose_worst(space.worst, recent, space.taken, space.chosen, space.sorting)


@compiled
def stored(rows, chosen, slots):
    """Whether the store has the rows of these examples; if so, they are the newest, and `slots` are their slots."""
    for e in range(chosen.size):
        slots[e] = rows.slot_of[chosen[e]]
        if slots[e] < 0:
            return False
    rows.clock[0] += 1
    for e in range(chosen.size):
        rows.last_use[slots[e]] = rows.clock[0]
    return True


# -- solving a block -------------------------------------------------------------------------------


@compiled
def cut(point, rows, space, size):
    kernel = space.kernel[: size * size].reshape(size, size)
    block.cut_kernel(rows.store, space.slots[:size], space.chosen[:size], np.float32(point.offset), kernel)
    return kernel


@compiled
def solve(kind, rule, rules, point, rows, space, size, goal, most):
    """Solve a block for its free and violating variables; returns (steps <= most, violation left)."""
    if kind == LINE:
        return solve_line(rule, rules, point, cut(point, rows, space, size), space, size, goal, most)
    chosen, sums = space.chosen[:size], kind == SUMS
    count = pick(rule, point, space, size, 0.5 * goal, sums)
    if count == space.member.size:  # not all had room: those of the most violating examples
        arrange(space, size)
        count = pick(rule, point, space, size, 0.5 * goal, sums)
    member, slot, gradient = space.member[:count], space.slot[:count], space.gradient[:count]
    amount = space.amount[:count]
    before, labels = amount.copy(), np.empty(count, np.int32)
    for b in range(count):
        labels[b] = point.labels[chosen[member[b]]]
    Q = space.matrix[: count * count].reshape(count, count)
    couple(rule, cut(point, rows, space, size), member, labels, slot, Q)
    if sums:
        steps, left = solve_sums(rules, point, chosen, Q, member, gradient, amount, goal, most)
    else:
        upper = point.upper[chosen][member]
        steps, left = solve_box(Q, gradient, amount, upper, goal, min(rules.patience * count, most))
    for b in range(count):
        point.alpha[slot[b], chosen[member[b]]] = amount[b]
    block.sparse_changes(rule, member, slot, labels, amount - before, space.weights[:size], space.common[:size])
    return steps, left


@compiled
def pick(rule, point, space, size, threshold, sums):
    return block.pick_variables(
        rule, point.functions, point.alpha, point.labels, point.upper, space.chosen[:size], threshold, sums,
        space.member, space.slot, space.gradient, space.amount,
    )  # fmt: skip


@compiled
def arrange(space, size):
    """The chosen examples, the most violating first."""
    order = np.argsort(-space.worst[space.chosen[:size]], kind="mergesort")
    space.chosen[:size], space.slots[:size] = space.chosen[order], space.slots[order]


@compiled
def couple(rule, kernel, member, labels, slot, Q):
    count = member.size
    short, first, second = np.empty(count, np.int32), np.empty(count, np.float32), np.empty(count, np.float32)
    for b in range(count):
        mine = slot[b] == labels[b]
        short[b] = slot[b]
        first[b] = 0.0 if mine else rule.cross
        second[b] = rule.own if mine else rule.other
    block.couple(rule, kernel, member, labels, short, first, second, Q)


@compiled
def solve_sums(rules, point, chosen, Q, member, gradient, amount, goal, most):
    """The variables of a block are ordered by example."""
    upper, slack = point.upper[chosen], point.upper[chosen]
    starts = np.zeros(chosen.size + 1, np.int64)
    for e in range(chosen.size):
        for p in range(point.alpha.shape[0]):
            slack[e] -= point.alpha[p, chosen[e]]
    for b in range(member.size):
        starts[member[b] + 1] += 1
    starts = np.cumsum(starts)
    limit = min(rules.sum_patience * member.size, most)
    return solve_simplex(Q, gradient, amount, slack, starts, upper, goal, limit, rules.share)


@compiled
def solve_line(rule, rules, point, kernel, space, size, goal, most):
    """All beta of the block, along the equality."""
    chosen, alpha = space.chosen[:size], point.alpha[0]
    z, beta, low, high = np.empty(size), np.empty(size), np.zeros(size), np.zeros(size)
    for e in range(size):
        i = chosen[e]
        z[e] = slope(rule, point.labels[i], point.functions[0, i])
        if point.labels[i] == 0:
            beta[e], high[e] = alpha[i], point.upper[i]
        else:
            beta[e], low[e] = -alpha[i], -point.upper[i]
    before = beta.copy()
    steps, left = solve_pairs(kernel, z, beta, low, high, goal, min(rules.patience * size, most), 0)
    for e in range(size):
        alpha[chosen[e]] = abs(beta[e])
        space.weights[e, 0] = beta[e] - before[e]
        space.common[e] = 0.0
    return steps, left


# -- moving the functions --------------------------------------------------------------------------


@compiled
def move(point, rows, space, size):
    """Update all class functions for the change of the block's weights; returns whether anything changed."""
    weights, common, slots = space.weights[:size], space.common[:size], space.slots[:size]
    if not changed(weights, common):
        return False
    block.move_functions(rows.store, slots, weights, common, point.functions, 0, point.labels.size)
    shift(point, weights, common)
    return True


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
def shift(point, weights, common):
    """What the offset adds to the functions."""
    if point.offset != 0.0:
        for c in range(weights.shape[1]):
            step = point.offset * (weights[:, c].sum() + common.sum())
            point.constant[:, c] += step
            for i in range(point.labels.size):
                point.functions[c, i] += step
