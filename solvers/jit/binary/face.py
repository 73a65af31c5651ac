"""Newton steps on the free variables of a binary machine with exact bias, used if pair steps are slow (large C).

Only the upper half of a matrix is read and written, row by row, so that inner loops vectorise.
"""

import numpy as np

from mcsvm.solvers.jit import compiled
from mcsvm.solvers.jit.linalg import add_scaled
from mcsvm.solvers.jit.rounding import RIDGE


@compiled
def factorise(A):
    """Factor A = U'U in its upper half; return the last variable whose pivot is too small, or -1.

    A pivot is too small below RIDGE times the largest diagonal entry. It becomes 1e150, so that its variable does not
    move.
    """
    n = A.shape[0]
    least, fixed = 0.0, -1
    for a in range(n):
        least = max(least, A[a, a])
    least *= RIDGE
    for a in range(n):
        if A[a, a] <= least:
            fixed = a
        pivot = np.sqrt(A[a, a]) if A[a, a] > least else 1e150
        A[a, a] = pivot
        for b in range(a + 1, n):
            A[a, b] /= pivot
        for b in range(a + 1, n):
            add_scaled(A[b, b:], A[a, b:], -A[a, b])
    return fixed


@compiled
def substitute(U, x):
    """Replace x by the solution y of U'U y = x."""
    n = x.size
    for a in range(n):
        x[a] /= U[a, a]
        add_scaled(x[a + 1 :], U[a, a + 1 :], -x[a])
    for a in range(n - 1, -1, -1):
        total = x[a]
        for b in range(a + 1, n):
            total -= U[a, b] * x[b]
        x[a] = total / U[a, a]


@compiled
def balanced_direction(A, slope, ones):
    """Put the maximiser of slope'd - 1/2 d'Ad over sum d = 0 into `slope`; A becomes U, `ones` is work space.

    Return a variable that could not move, or -1.
    """
    fixed = factorise(A)
    substitute(A, slope)
    balance(A, slope, ones)
    return fixed


@compiled
def balance(U, direction, ones):
    """Adjust the sum of `direction` to 0 by a multiple of A^-1 1.

    Two passes are needed, because a nearly singular A leads to large entries, whose sum has large rounding errors.
    """
    ones[:] = 1.0
    substitute(U, ones)
    total = sum_of(ones)
    for _ in range(2):
        if total > 0.0:
            add_scaled(direction, ones, -sum_of(direction) / total)


@compiled
def sum_of(values):
    total = 0.0
    for a in range(values.size):
        total += values[a]
    return total


@compiled
def flat_direction(A, U, slope, fixed, d, ones):
    """Put into d the direction of sum 0 along which A is flat or nearly so, up to the maximum of slope'd - 1/2 d'Ad.

    Variable `fixed` moves, and the others follow so that their functions do not change: A_rest d_rest = -A_fixed.
    """
    n = slope.size
    for a in range(n):
        d[a] = -A[min(a, fixed), max(a, fixed)]
    substitute(U, d)
    d[fixed] = 1.0
    balance(U, d, ones)
    gain, curvature = 0.0, 0.0
    for a in range(n):
        gain += slope[a] * d[a]
        curvature += A[a, a] * d[a] * d[a]
        for b in range(a + 1, n):
            curvature += 2.0 * A[a, b] * d[a] * d[b]
    length = gain / curvature if curvature > 0.0 else 1e12 * gain
    length = min(max(length, -1e12), 1e12)
    for a in range(n):
        d[a] *= length


@compiled
def longest(value, direction, low, high):
    """Return (the longest step in [0, 1] within bounds, the variable that limits it or -1)."""
    step, end = 1.0, -1
    for b in range(value.size):
        d = direction[b]
        room = high[b] - value[b] if d > 0.0 else low[b] - value[b]
        if d != 0.0 and room / d < step:
            step, end = room / d, b
    return step, end
