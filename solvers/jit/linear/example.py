"""A visit of dual coordinate steps: solving for the variables of one example (jit/linear/loop.py)."""

import numpy as np

from mcsvm.solvers.jit import compiled
from mcsvm.solvers.jit.bound import pull, room_down, room_up, sum_has_room


@compiled
def box_target(alpha, g, q, upper):
    """Return the optimum over one variable."""
    if q <= 0.0:
        return upper if g > 0.0 else (0.0 if g < 0.0 else alpha)
    return min(max(alpha + g / q, 0.0), upper)


@compiled
def gradient_of(rule, y, p, functions):
    if p == y:
        return rule.margin_own - rule.own * functions[p]
    gradient = rule.margin_other - rule.other * functions[p]
    return gradient - rule.cross * functions[y] if rule.cross != 0.0 else gradient  # binary forms have no f_y


@compiled
def add_direction(rule, y, p, amount, out):
    """Add `amount` times the direction of variable p to `out`."""
    if p == y:
        out[p] += amount * rule.own
    else:
        out[y] += amount * rule.cross
        out[p] += amount * rule.other
    hidden = amount * (rule.constant_own if p == y else rule.constant_other)
    if hidden != 0.0:
        for c in range(out.size):
            out[c] += hidden


@compiled
def box_example(real, alpha, gradient, upper, bar):
    """Return (violation, whether to shrink: all variables are at bounds, with gradients into these above `bar`)."""
    violation, shrinks = 0.0, True
    for p in range(alpha.size):
        if real[p]:
            a, g = alpha[p], gradient[p]
            violation = max(violation, pull(g, a, upper))
            shrinks = shrinks and ((not room_down(a) and g < -bar) or (not room_up(a, upper) and g > bar))
    return violation, shrinks


@compiled
def solve_box(rule, y, real, length, alpha, upper, curvature, functions, change, passes, share):
    """Solve for each variable of an example in turn, in several passes."""
    wanted = 0.0
    for turn in range(passes):
        worst = 0.0
        for p in range(alpha.size):
            if not real[p]:
                continue
            g = gradient_of(rule, y, p, functions)
            worst = max(worst, pull(g, alpha[p], upper))
            target = box_target(alpha[p], g, length[p] * curvature, upper)
            if target != alpha[p]:
                amount = target - alpha[p]
                add_direction(rule, y, p, amount, change)
                add_direction(rule, y, p, amount * curvature, functions)
                alpha[p] = target
        if turn == 0:
            wanted = share * worst
        if worst <= wanted:
            break


@compiled
def ends_of(real, alpha, gradient, upper):
    """Return (up, down, violation): the variables of extreme gradient that may grow and shrink; -1 is the slack."""
    total, up, down, top, bottom = 0.0, -1, -1, 0.0, np.inf
    for p in range(alpha.size):
        if real[p]:
            total += alpha[p]
            if alpha[p] > 0.0 and gradient[p] < bottom:
                down, bottom = p, gradient[p]
            if gradient[p] > top:
                up, top = p, gradient[p]
    if sum_has_room(total, upper) and bottom > 0.0:
        down, bottom = -1, 0.0
    return up, down, top - bottom


@compiled
def sum_example(real, alpha, gradient, upper, bar):
    """Return the same as `box_example`, for a bounded sum: shrink if all are zero or one has the whole sum.

    The gradients must keep the variables there by more than `bar`.
    """
    violation = max(ends_of(real, alpha, gradient, upper)[2], 0.0)
    holder, used, best, other = -1, 0, -np.inf, 0.0
    for p in range(alpha.size):
        if real[p]:
            best = max(best, gradient[p])
            if alpha[p] > 0.0:
                holder, used = p, used + 1
    if used == 0:
        return violation, best < -bar
    if used > 1 or sum_has_room(alpha[holder], upper):
        return violation, False
    for p in range(alpha.size):
        if p != holder and real[p]:
            other = max(other, gradient[p])
    return violation, gradient[holder] > other + bar


@compiled
def solve_sum_pairs(
    rule, y, real, alpha, upper, curvature, functions, gradient, change, between, passes, share
):  # fmt: skip
    """Take exact pair steps between two variables of the example, or between one and the slack."""
    wanted = np.inf
    for turn in range(passes * alpha.size):
        up, down, difference = ends_of(real, alpha, gradient, upper)
        if turn == 0:
            wanted = share * difference
        if difference <= 0.0 or (turn > 0 and difference <= wanted):
            break
        between[:] = 0.0
        if up >= 0:
            add_direction(rule, y, up, 1.0, between)
        if down >= 0:
            add_direction(rule, y, down, -1.0, between)
        q, room = (between * between).sum() * curvature, alpha[down] if down >= 0 else upper - alpha.sum()
        amount = room if q * room <= difference else difference / q
        if up >= 0:
            alpha[up] = min(alpha[up] + amount, upper)
        if down >= 0:
            alpha[down] = 0.0 if amount >= room else alpha[down] - amount
        for c in range(change.size):
            change[c] += amount * between[c]
            functions[c] += amount * curvature * between[c]
        for p in range(alpha.size):
            gradient[p] = gradient_of(rule, y, p, functions) if real[p] else 0.0


@compiled(relaxed=True)
def read_row(values, indices, first, last, w, out):
    """Add W' x to `out`; W is (features, outputs)."""
    if indices.size == 0:
        for s in range(first, last):
            x = values[s]
            for c in range(out.size):
                out[c] += x * w[s - first, c]
    else:
        for s in range(first, last):
            x, t = values[s], indices[s]
            for c in range(out.size):
                out[c] += x * w[t, c]


@compiled(relaxed=True)
def add_row(values, indices, first, last, w, change):
    """Add x change' to W."""
    if indices.size == 0:
        for s in range(first, last):
            x = values[s]
            for c in range(change.size):
                w[s - first, c] += x * change[c]
    else:
        for s in range(first, last):
            x, t = values[s], indices[s]
            for c in range(change.size):
                w[t, c] += x * change[c]
