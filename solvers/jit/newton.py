"""The Newton system of some variables of a whole part, cut out of a kernel matrix, factored and solved in one call.

NumPy's factorisation here leaves the interpreter lock to other threads; SciPy's would keep it.
"""

import numpy as np

from solvers.jit import compiled


@compiled(relaxed=True)
def subtract(target, column, factor):
    for b in range(target.size):
        target[b] -= factor * column[b]


@compiled
def solve_free(K, examples, kinds, couplings, ridge, right):
    """(Q + ridge) x = right, Q[a, b] = couplings[kind a, kind b] K[example a, example b]."""
    m = examples.size
    A = np.zeros((m, m))
    for a in range(m):
        row, coupling = K[examples[a]], couplings[kinds[a]]
        for b in range(a, m):
            A[a, b] = coupling[kinds[b]] * row[examples[b]]
        A[a, a] += ridge
    L = np.linalg.cholesky(A.T)  # both column by column in memory, of the lower halves
    x = right.copy()
    for a in range(m):
        x[a] /= L[a, a]
        subtract(x[a + 1 :], L[a + 1 :, a], x[a])
    for a in range(m - 1, -1, -1):
        total = x[a]
        for b in range(a + 1, m):
            total -= L[b, a] * x[b]
        x[a] = total / L[a, a]
    return x
