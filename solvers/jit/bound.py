"""What counts as at a bound, once: for compiled loops, and through dual/geometry.py for everything else.

A variable is at a bound if it equals it: every step puts a variable that comes within ROUNDING of a bound exactly onto
the bound (`snapped`, `reached`, `given`). A sum is at its bound if it exceeds the share AT_BOUND of it: added up in
another order, the same variables give another last digit.
"""

from mcsvm.solvers.jit import compiled
from mcsvm.solvers.jit.rounding import ROUNDING

AT_BOUND = 1.0 - ROUNDING


# -- where a variable or a sum stands --------------------------------------------------------------


@compiled(relaxed=True)
def room_up(alpha, upper):
    """Whether the variable may rise."""
    return alpha < upper


@compiled(relaxed=True)
def room_down(alpha):
    """Whether the variable may fall."""
    return alpha > 0.0


@compiled(relaxed=True)
def free(alpha, upper):
    """Whether the variable may rise and fall."""
    return alpha > 0.0 and alpha < upper


@compiled(relaxed=True)
def movable(positive, alpha, upper):
    """(whether beta may rise, whether it may fall), beta = s alpha: under one equality; `positive`: s > 0."""
    up, down = room_up(alpha, upper), room_down(alpha)
    return (up, down) if positive else (down, up)


@compiled(relaxed=True)
def sum_has_room(total, upper):
    """Whether the variables of an example may rise together."""
    return total < upper * AT_BOUND


@compiled(relaxed=True)
def pull(gradient, alpha, upper):
    """The violation of a variable with bounds of its own: |gradient| if the variable may move along it, else 0."""
    up = gradient if room_up(alpha, upper) else 0.0
    down = -gradient if room_down(alpha) else 0.0
    return up if up > down else down


# -- steps that end at a bound ---------------------------------------------------------------------


@compiled
def snapped(before, step, bound):
    """before + step, put onto a bound that is within rounding. At zero, rounding is relative to the variable before the
    step and not to U: with large costs all of an optimum may lie below 1e-12 U."""
    x = before + step
    if x < ROUNDING * before or x < 0.0:
        return 0.0
    if x > bound * AT_BOUND:
        return bound
    return x


@compiled
def reached(before, step, low, high):
    """before + step, put onto a bound within ROUNDING of it, of the bound or of the distance before the step."""
    x = before + step
    if x <= low or x - low < ROUNDING * max(abs(low), before - low):
        return low
    if x >= high or high - x < ROUNDING * max(abs(high), high - before):
        return high
    return x


@compiled
def slack_within(slack, upper):
    """The slack of a sum, zero within rounding of the bound."""
    return slack if slack > ROUNDING * upper else 0.0


@compiled
def given(available, amount, scale):
    """What of an amount is taken: all that is available where the rest would be rounding, as a share of `scale`."""
    return available if available - amount < ROUNDING * scale else amount


@compiled
def until_zero(value, step, longest):
    """The longest step, up to `longest`, that keeps all values non-negative."""
    for b in range(value.size):
        if step[b] < 0.0 and -value[b] / step[b] < longest:
            longest = -value[b] / step[b]
    return longest
