"""Newton steps on the free variables of a binary machine with exact bias: where pair steps are slow (large C).

Only the upper half of a matrix is read and written, row by row, so that inner loops vectorise.
"""

import numpy as np

from solvers.jit import compiled
from solvers.jit.linalg import add_scaled
from solvers.jit.rounding import RIDGE


@compiled
def factorise(A):
    """A = U'U in its upper half; a pivot below RIDGE becomes 1e150, so that its variable does not move."""
    n = A.shape[0]
    least = 0.0
    for a in range(n):
        least = max(least, A[a, a])
    least *= RIDGE
    for a in range(n):
        pivot = np.sqrt(A[a, a]) if A[a, a] > least else 1e150
        A[a, a] = pivot
        for b in range(a + 1, n):
            A[a, b] /= pivot
        for b in range(a + 1, n):
            add_scaled(A[b, b:], A[a, b:], -A[a, b])


@compiled
def substitute(U, x):
    """x becomes the solution of U'U y = x."""
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
def balanced_direction(A, slope):
    """The maximiser of slope'd - 1/2 d'Ad over sum d = 0; A is overwritten."""
    factorise(A)
    ones = np.ones(slope.size)
    substitute(A, slope)
    substitute(A, ones)
    total = ones.sum()
    share = slope.sum() / total if total > 0.0 else 0.0
    return slope - share * ones


@compiled
def longest(value, direction, low, high):
    """(the longest step in [0, 1] within bounds, the variable that limits it or -1)."""
    step, end = 1.0, -1
    for b in range(value.size):
        d = direction[b]
        room = high[b] - value[b] if d > 0.0 else low[b] - value[b]
        if d != 0.0 and room / d < step:
            step, end = room / d, b
    return step, end
