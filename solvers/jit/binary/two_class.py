"""A binary machine with exact bias on a shared kernel matrix, for searches: pair steps in blocks of variables.

The rows of the matrix are all training examples, class after class. The examples of a machine are two ranges of rows,
`spans` = (start, stop, start, stop), numbered from 0 to n - 1 across both. beta = s alpha, where s = +-1 is the class;
functions = K beta in float64, without b.
"""

import numpy as np

from mcsvm.solvers.jit import compiled
from mcsvm.solvers.jit.binary.face import balanced_direction, flat_direction, longest
from mcsvm.solvers.jit.bound import free as is_free
from mcsvm.solvers.jit.bound import reached
from mcsvm.solvers.jit.choice import largest_but
from mcsvm.solvers.jit.linalg import add_scaled
from mcsvm.solvers.jit.line import solve_pairs
from mcsvm.solvers.jit.order import sort_by
from mcsvm.solvers.jit.rounding import HUGE, ROUNDING

MOVING, CONVERGED, STALLED = 0, 1, 2  # status that `advance` and `solve` return


@compiled
def row_of(spans, b):
    """Return the matrix row of example b of the machine."""
    first = spans[1] - spans[0]
    return spans[0] + b if b < first else spans[2] + b - first


@compiled
def add_row(K, spans, b, factor, functions):
    first = spans[1] - spans[0]
    row = K[row_of(spans, b)]
    add_scaled(functions[:first], row[spans[0] : spans[1]], factor)
    add_scaled(functions[first:], row[spans[2] : spans[3]], factor)


@compiled
def multiply(K, spans, beta, functions):
    """Set functions = K beta."""
    functions[:] = 0.0
    for b in range(beta.size):
        if beta[b] != 0.0:
            add_row(K, spans, b, beta[b], functions)


@compiled(relaxed=True)
def reach(sign, margin, upper, beta, functions, z):
    """Compute z = s margin - f; return (max z over beta that may rise, min z over beta that may fall)."""
    high, low = -HUGE, HUGE
    for b in range(beta.size):
        s, value = sign[b], beta[b]
        t = s * margin - functions[b]
        z[b] = t
        most, least = (upper[b], 0.0) if s > 0.0 else (0.0, -upper[b])
        rise = t if value < most else -HUGE
        fall = t if value > least else HUGE
        high = rise if rise > high else high
        low = fall if fall < low else low
    return high, low


@compiled
def pick(sign, upper, beta, z, middle, recent, chosen):
    """Choose the examples of a block: all free and all violating ones or, if they do not fit, the worst.

    An example violates if its z is on the wrong side of `middle`. Return how many examples there are.
    """
    n = beta.size
    pull = np.zeros(n)
    count = 0
    for b in range(n):
        most, least = (upper[b], 0.0) if sign[b] > 0.0 else (0.0, -upper[b])
        t = z[b] - middle
        may_rise, may_fall = beta[b] < most, beta[b] > least
        if (t > 0.0 and may_rise) or (t < 0.0 and may_fall):
            pull[b] = t
        if pull[b] != 0.0 or (may_rise and may_fall):
            if count < chosen.size:
                chosen[count] = b
            count += 1
    return count if count <= chosen.size else worst(pull, recent, chosen)


@compiled
def worst(pull, recent, chosen):
    """Fill a quarter of the block by the largest upward pulls, a quarter by downward ones, the rest by recent examples.

    If room is left, other examples with a pull follow. Return how many examples there are.
    """
    n, quarter = pull.size, chosen.size // 4
    work, taken = np.empty(n), np.zeros(n, np.bool_)
    for b in range(n):
        work[b] = pull[b]
    top, bottom = max(largest_but(work, quarter - 1), 1e-300), min(largest_but(work, n - quarter), -1e-300)
    up, down = 0, 0
    for b in range(n):
        rises, falls = pull[b] >= top and up < quarter, pull[b] <= bottom and down < quarter
        if rises or falls:
            chosen[up + down], taken[b] = b, True
            up += 1 if rises else 0
            down += 1 if falls else 0
    count = up + down
    for turn in range(2):
        for b in range(n):
            if count < chosen.size and not taken[b] and (recent[b] if turn == 0 else pull[b] != 0.0):
                chosen[count], taken[b] = b, True
                count += 1
    return count


@compiled
def cut(K, spans, chosen, out):
    """Write K among the chosen examples into `out`, in single precision."""
    rows = np.empty(chosen.size, np.int64)
    for a in range(chosen.size):
        rows[a] = row_of(spans, chosen[a])
    for a in range(chosen.size):
        row = K[rows[a]]
        for b in range(chosen.size):
            out[a, b] = np.float32(row[rows[b]])


@compiled
def solve_block(K, spans, sign, upper, beta, functions, z, chosen, goal, patience, work):
    """Take pair steps on the chosen variables, then update the functions; return the number of steps."""
    m = chosen.size
    Q = work[: m * m].reshape(m, m)
    cut(K, spans, chosen, Q)
    low, high, value, slope = np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    for a in range(m):
        b = chosen[a]
        bound = sign[b] * upper[b]
        low[a], high[a], value[a], slope[a] = min(bound, 0.0), max(bound, 0.0), beta[b], z[b]
    steps, _ = solve_pairs(Q, slope, value, low, high, goal, patience * m, 0)
    for a in range(m):
        b = chosen[a]
        change = value[a] - beta[b]
        if change != 0.0:
            beta[b] = value[a]
            add_row(K, spans, b, change, functions)
    return steps


@compiled
def put_free(sign, upper, beta, free):
    """Write the examples strictly between their bounds into `free`, if it has room; return how many there are."""
    count = 0
    for b in range(beta.size):
        if is_free(sign[b] * beta[b], upper[b]):
            if count < free.size:
                free[count] = b
            count += 1
    return count


@compiled
def slopes(sign, margin, functions, free, out):
    """Compute s margin - f of the free variables."""
    for a in range(free.size):
        out[a] = sign[free[a]] * margin - functions[free[a]]


@compiled
def walk_face(K, spans, sign, margin, upper, beta, functions, rules):
    """Take Newton steps on the free variables; one that meets a bound leaves the face. Return the number of steps."""
    most = min(beta.size, rules.face)
    free = np.empty(most, np.int64)
    count = put_free(sign, upper, beta, free)
    if count > most:
        return 0
    turns = 0
    direction, ones, inside = np.empty(most), np.empty(most), np.empty(most, np.bool_)
    while count >= 2 and turns < rules.turns:
        turns += 1
        chosen, step = free[:count], direction[:count]
        A, U = np.empty((count, count)), np.empty((count, count))
        for a in range(count):
            row = K[row_of(spans, chosen[a])]
            for b in range(a, count):
                A[a, b] = U[a, b] = row[row_of(spans, chosen[b])]
        slopes(sign, margin, functions, chosen, step)
        fixed = balanced_direction(U, step, ones[:count])
        end = move(K, spans, sign, upper, beta, functions, chosen, step, inside)
        if end < 0 and fixed >= 0:  # K of the free variables is singular: move along the flat direction up to a bound
            slope = np.empty(count)
            slopes(sign, margin, functions, chosen, slope)
            flat_direction(A, U, slope, fixed, step, ones[:count])
            end = move(K, spans, sign, upper, beta, functions, chosen, step, inside)
        if end < 0:
            return turns
        count = 0
        for a in range(chosen.size):
            if inside[a]:
                free[count] = chosen[a]
                count += 1
    return turns


@compiled
def move(K, spans, sign, upper, beta, functions, free, direction, inside):
    """Move the free variables as far as bounds allow; return the one that met its bound, or -1.

    Set inside[a] to whether variable free[a] is strictly between its bounds afterwards.
    """
    n = free.size
    low, high, value = np.empty(n), np.empty(n), np.empty(n)
    for a in range(n):
        bound = sign[free[a]] * upper[free[a]]
        low[a], high[a], value[a] = min(bound, 0.0), max(bound, 0.0), beta[free[a]]
    step, end = longest(value, direction, low, high)
    for a in range(n):
        b = free[a]
        reaches = reached(value[a], step * direction[a], low[a], high[a])
        if a == end:
            reaches = high[a] if direction[a] > 0.0 else low[a]
        if reaches != value[a]:
            add_row(K, spans, b, reaches - value[a], functions)
            beta[b] = reaches
        inside[a] = low[a] < reaches < high[a]
    return end


@compiled
def advance(K, spans, sign, margin, upper, beta, functions, tolerance, limit, recent, rules):
    """Take about `limit` steps, by the numbers of `rules` (budget.TwoClassBudget); return (status, steps).

    The status is CONVERGED only after the functions were recomputed from beta.
    """
    n = beta.size
    z, chosen = np.empty(n), np.empty(min(n, rules.block), np.int64)
    work = np.empty(chosen.size * chosen.size, np.float32)
    steps, disproved, rounds, best = 0, 0, 0, HUGE
    while steps < limit:
        high, low = reach(sign, margin, upper, beta, functions, z)
        if high - low < rules.progress * best:
            best, rounds = high - low, 0
        if high - low < rules.near * tolerance:
            rounds += 1
        if high - low <= tolerance:
            multiply(K, spans, beta, functions)
            high, low = reach(sign, margin, upper, beta, functions, z)
            if high - low <= tolerance:
                return CONVERGED, steps
            disproved += 1
            if disproved > rules.disproved:
                return STALLED, steps
        room = chosen if any_used(beta) else chosen[: rules.first]
        count = pick(sign, upper, beta, z, 0.5 * (high + low), recent, room)
        goal = max(0.5 * tolerance, rules.share * (high - low))
        taken = solve_block(K, spans, sign, upper, beta, functions, z, chosen[:count], goal, rules.patience, work)
        recent[:] = False
        for a in range(count):
            recent[chosen[a]] = True
        if taken == 0:
            disproved += 1
        if disproved > rules.disproved or rounds > rules.rounds:
            multiply(K, spans, beta, functions)
            return STALLED, steps
        # Near the tolerance, steps in single precision may make no progress, or repeat in a cycle.
        if taken == 0 or taken >= rules.patience * count or rounds % rules.disproved == rules.disproved - 1:
            taken += walk_face(K, spans, sign, margin, upper, beta, functions, rules)
        steps += max(taken, 1)
    return MOVING, steps


@compiled
def any_used(beta):
    used = False
    for b in range(beta.size):
        used = used or beta[b] != 0.0
    return used


# -- from one cost to the next --------------------------------------------------------------------


@compiled
def grow(sign, margin, upper, more, beta, functions):
    """Scale beta to the largest dual within the bounds `upper`, which became `more` times as wide (alpha seeding)."""
    linear, energy = 0.0, 0.0
    for b in range(beta.size):
        linear += margin * sign[b] * beta[b]
        energy += beta[b] * functions[b]
    factor = min(max(linear / energy, 1.0), more) if energy > 0.0 else more
    for b in range(beta.size):
        beta[b] = min(max(factor * beta[b], -upper[b]), upper[b])
        functions[b] *= factor


# -- bias, objectives and predictions -------------------------------------------------------------


@compiled
def best_offset(sign, upper, z, low, high):
    """Return the b of least primal, or the middle of an interval of such b (as in dual/bias.py).

    The slope of the primal jumps at each z. The result lies within [low, high], because outside this interval the
    variables at their bounds alone decide the sign of the slope.
    """
    total, slope, count = 0.0, 0.0, 0
    for b in range(z.size):
        total += upper[b]
        if sign[b] > 0.0:
            slope -= upper[b]
        if z[b] < low:
            slope += upper[b]
        elif z[b] <= high:
            count += 1
    within, work = np.empty(count, np.int64), np.empty(count, np.int64)
    count = 0
    for b in range(z.size):
        if low <= z[b] <= high:
            within[count] = b
            count += 1
    order = sort_by(z, within, work)
    slack = total * ROUNDING
    for place in range(count):
        slope += upper[order[place]]
        if slope >= -slack:
            here = z[order[place]]
            if slope > slack:
                return here
            after = z[order[place + 1]] if place + 1 < count else next_above(z, high)
            return 0.5 * (here + after) if after < HUGE else here
    return high


@compiled
def next_above(z, level):
    least = HUGE
    for b in range(z.size):
        least = z[b] if level < z[b] < least else least
    return least


@compiled
def conclude(sign, margin, upper, beta, functions):
    """Return (b, primal, dual, violation), computed from beta and exact functions."""
    z = np.empty(beta.size)
    high, low = reach(sign, margin, upper, beta, functions, z)
    offset = best_offset(sign, upper, z, min(low, high), max(low, high))
    energy, linear, loss = 0.0, 0.0, 0.0
    for b in range(beta.size):
        energy += 0.5 * beta[b] * functions[b]
        linear += margin * sign[b] * beta[b]
        loss += upper[b] * max(0.0, margin - sign[b] * (functions[b] + offset))
    return offset, energy + loss, linear - energy, max(0.0, high - low)


@compiled
def decide(T, spans, beta, offset, values):
    """Set values = T' beta + b; T[i, j] is the kernel of training example i and test row j."""
    values[:] = offset
    for b in range(beta.size):
        if beta[b] != 0.0:
            add_scaled(values, T[row_of(spans, b)], beta[b])


@compiled
def solve(
    K, T, spans, sign, margin, upper, more, beta, functions, tolerance, limit, recent, values, support, sums, rules
):  # fmt: skip
    """Train one machine at one cost, for up to `limit` steps; return (status, steps).

    Everything happens in one call, because every return to Python waits for the interpreter's lock.

    more: factor by which the bounds grew since the last call, 1 to continue. Unless the status is MOVING, the call
    fills values (decision values of test rows), support (training rows) and sums (primal, dual, violation,
    infeasibility).
    """
    if more > 1.0:
        grow(sign, margin, upper, more, beta, functions)
    status, steps = advance(K, spans, sign, margin, upper, beta, functions, tolerance, limit, recent, rules)
    if status == MOVING:
        return status, steps
    finish(T, spans, sign, margin, upper, beta, functions, values, support, sums)
    return status, steps


@compiled
def finish(T, spans, sign, margin, upper, beta, functions, values, support, sums):
    offset, sums[0], sums[1], sums[2] = conclude(sign, margin, upper, beta, functions)
    total = 0.0
    for b in range(beta.size):
        total += beta[b]
        if beta[b] != 0.0:
            support[b] = True
    sums[3] = abs(total)
    decide(T, spans, beta, offset, values)
