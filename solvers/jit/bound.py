"""The one definition of being at a bound, for compiled loops and, through dual/geometry.py, for everything else.

A variable is at a bound if it equals it: every step puts a variable that comes within ROUNDING of a bound exactly onto
the bound (`snapped`, `reached`, `given`). A sum is at its bound if it is at least AT_BOUND times the bound: if the same
variables are added in another order, the last digits differ.
"""

from mcsvm.solvers.jit import compiled
from mcsvm.solvers.jit.rounding import ROUNDING

AT_BOUND = 1.0 - ROUNDING


# -- whether variables and sums are at bounds ------------------------------------------------------


@compiled(relaxed=True)
def room_up(alpha, upper):
    """Return whether the variable may rise."""
    return alpha < upper


@compiled(relaxed=True)
def room_down(alpha):
    """Return whether the variable may fall."""
    return alpha > 0.0


@compiled(relaxed=True)
def free(alpha, upper):
    """Return whether the variable may rise and fall."""
    return alpha > 0.0 and alpha < upper


@compiled(relaxed=True)
def movable(positive, alpha, upper):
    """Return (whether beta = s alpha may rise, whether it may fall), for one equality; `positive`: s > 0."""
    up, down = room_up(alpha, upper), room_down(alpha)
    return (up, down) if positive else (down, up)


@compiled(relaxed=True)
def sum_has_room(total, upper):
    """Return whether the sum over an example may rise."""
    return total < upper * AT_BOUND


@compiled(relaxed=True)
def pull(gradient, alpha, upper):
    """Return the violation of a variable with bounds of its own: |gradient| if it may move along it, else 0."""
    up = gradient if room_up(alpha, upper) else 0.0
    down = -gradient if room_down(alpha) else 0.0
    return up if up > down else down


# -- steps that end at a bound ---------------------------------------------------------------------


@compiled
def snapped(before, step, bound):
    """Return before + step, put onto a bound that is within rounding.

    At zero, rounding is relative to the variable before the step and not to U: with large costs, all variables of an
    optimum may lie below 1e-12 U.
    """
    x = before + step
    if x < ROUNDING * before or x < 0.0:
        return 0.0
    if x > bound * AT_BOUND:
        return bound
    return x


@compiled
def reached(before, step, low, high):
    """Return before + step, put onto a bound that is within rounding.

    Rounding is ROUNDING times the larger of |bound| and the distance from the bound before the step.
    """
    x = before + step
    if x <= low or x - low < ROUNDING * max(abs(low), before - low):
        return low
    if x >= high or high - x < ROUNDING * max(abs(high), high - before):
        return high
    return x


@compiled
def slack_within(slack, upper):
    """Return the slack of a sum, or zero if it is within rounding of the bound."""
    return slack if slack > ROUNDING * upper else 0.0


@compiled
def given(available, amount, scale):
    """Return `amount`, or all of `available` if the remainder would be within rounding, relative to `scale`."""
    return available if available - amount < ROUNDING * scale else amount


@compiled
def until_zero(value, step, longest):
    """Return the longest step, up to `longest`, that keeps all values non-negative."""
    for b in range(value.size):
        if step[b] < 0.0 and -value[b] / step[b] < longest:
            longest = -value[b] / step[b]
    return longest
