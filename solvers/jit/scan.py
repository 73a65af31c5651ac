"""The KKT violation, on which every stopping rule is based, and the loss and the linear term from the same gradients.

With g the gradient of the dual, the violation is, for a box: the maximum of g over alpha < U and of -g over alpha > 0.
simplex (bounded sums): the largest gradient, including the slack's 0, minus the smallest one of nonzero variables and a
positive slack. equality (binary, exact bias): the maximum of s g over variables whose beta = s alpha may rise, minus
the minimum over variables whose beta may fall.

alpha (slots, n) and functions (outputs, n) are stored class by class, so that loops run along examples and vectorise.
"""

import numpy as np

from mcsvm.solvers.jit import compiled
from mcsvm.solvers.jit.bound import movable, pull, room_down, sum_has_room
from mcsvm.solvers.jit.rounding import HUGE


@compiled
def own_functions(functions, labels, out):
    for i in range(labels.size):
        out[i] = functions[labels[i], i]


@compiled(relaxed=True)
def scan_slot(rule, p, function, own, alpha, labels, upper, worst):
    """Raise worst[i] to the violation of slot p of example i, if that is larger."""
    for i in range(labels.size):
        mine = labels[i] == p
        g = (
            rule.margin_own - rule.own * function[i]
            if mine
            else rule.margin_other - rule.cross * own[i] - rule.other * function[i]
        )
        v = pull(g, alpha[i], upper[i])
        worst[i] = v if v > worst[i] else worst[i]


@compiled(relaxed=True)
def scan_sum_slot(rule, p, function, own, alpha, labels, top, bottom, total):
    """Update the largest gradient, the smallest gradient of a nonzero variable, and the sum, for bounded sums."""
    for i in range(labels.size):
        mine = labels[i] == p
        g = (
            rule.margin_own - rule.own * function[i]
            if mine
            else rule.margin_other - rule.cross * own[i] - rule.other * function[i]
        )
        a = alpha[i]
        low = g if room_down(a) else HUGE
        top[i] = g if g > top[i] else top[i]
        bottom[i] = low if low < bottom[i] else bottom[i]
        total[i] += a


@compiled(relaxed=True)
def close_sums(top, bottom, total, upper, worst):
    for i in range(top.size):
        low = 0.0 if sum_has_room(total[i], upper[i]) and bottom[i] > 0.0 else bottom[i]
        worst[i] = top[i] - low


@compiled
def largest(values):
    top = 0.0
    for i in range(values.size):
        top = values[i] if values[i] > top else top
    return top


@compiled
def scan_box(rule, functions, alpha, labels, upper, own, worst):
    """Write the violation of every example into `worst`; return the largest."""
    if rule.cross != 0.0:
        own_functions(functions, labels, own)
    worst[:] = 0.0
    for p in range(alpha.shape[0]):
        scan_slot(rule, p, functions[p], own, alpha[p], labels, upper, worst)
    return largest(worst)


@compiled
def scan_simplex(rule, functions, alpha, labels, upper, own, worst):
    n = labels.size
    if rule.cross != 0.0:
        own_functions(functions, labels, own)
    top, bottom, total = np.zeros(n), np.full(n, HUGE), np.zeros(n)
    for p in range(alpha.shape[0]):
        scan_sum_slot(rule, p, functions[p], own, alpha[p], labels, top, bottom, total)
    close_sums(top, bottom, total, upper, worst)
    return largest(worst)


@compiled(relaxed=True)
def hinge_slot(rule, p, function, own, alpha, labels, hinge, linear):
    """Add the hinge [g]+ and the linear term m alpha of slot p to the sums of every example."""
    for i in range(labels.size):
        mine = labels[i] == p
        g = (
            rule.margin_own - rule.own * function[i]
            if mine
            else rule.margin_other - rule.cross * own[i] - rule.other * function[i]
        )
        m = rule.margin_own if mine else rule.margin_other
        hinge[i] += g if g > 0.0 else 0.0
        linear[i] += m * alpha[i]


@compiled
def examine_box(rule, functions, alpha, labels, upper, violations, loss, linear_term):
    """Write the largest violation of each example into `violations`; return (largest, loss, linear term of the dual).

    `loss` and `linear_term` are the sums over earlier chunks of examples, to which these examples are added: a sum over
    several chunks has the same bits as the sum over one.
    """
    n = labels.size
    own, hinge, linear = np.zeros(n), np.zeros(n), np.zeros(n)
    largest = scan_box(rule, functions, alpha, labels, upper, own, violations)
    for p in range(alpha.shape[0]):
        hinge_slot(rule, p, functions[p], own, alpha[p], labels, hinge, linear)
    return largest, weighted_sum(upper, hinge, loss), plain_sum(linear, linear_term)


@compiled
def examine_simplex(rule, functions, alpha, labels, upper, violations, loss, linear_term):
    """Return the same as `examine_box`, for sums in [0, U_i]: only the worst hinge of an example enters the loss."""
    n = labels.size
    own, unused, linear = np.zeros(n), np.zeros(n), np.zeros(n)
    top, bottom, total = np.zeros(n), np.full(n, HUGE), np.zeros(n)
    if rule.cross != 0.0:
        own_functions(functions, labels, own)
    for p in range(alpha.shape[0]):
        scan_sum_slot(rule, p, functions[p], own, alpha[p], labels, top, bottom, total)
        hinge_slot(rule, p, functions[p], own, alpha[p], labels, unused, linear)
    close_sums(top, bottom, total, upper, violations)
    return largest(violations), weighted_sum(upper, top, loss), plain_sum(linear, linear_term)


@compiled
def weighted_sum(weights, values, total):
    for i in range(values.size):
        total += weights[i] * values[i]
    return total


@compiled
def plain_sum(values, total):
    for i in range(values.size):
        total += values[i]
    return total


@compiled
def equality_violation(rule, function, alpha, labels, upper):
    """Return (max of s g over I_up, min of s g over I_down), s the sign of the direction (binary, exact bias)."""
    high, low = -np.inf, np.inf
    for i in range(labels.size):
        first = labels[i] == 0
        z = (rule.own * rule.margin_own if first else rule.other * rule.margin_other) - function[i]
        rises, falls = movable(first, alpha[i], upper[i])
        if rises:
            high = max(high, z)
        if falls:
            low = min(low, z)
    return high, low


@compiled
def expand(alpha, labels, direction, weights):
    """Set weights[i] = sum_p alpha[i, p] direction[y_i, p]."""
    n, slots = alpha.shape
    for i in range(n):
        weights[i] = 0.0
        for p in range(slots):
            a = alpha[i, p]
            if a != 0.0:
                for c in range(weights.shape[1]):
                    weights[i, c] += a * direction[labels[i], p, c]
