"""Newton steps of searches (selection/trials) on a whole kernel matrix: gradients, products, the factor of the system.

Arrays of variables have the shape (examples, variables) and class functions (classes, examples), so that products run
along examples. The system of the free variables is cut out of the matrix and factored in one compiled call, because
SciPy's factorisation would hold the interpreter lock.
"""

import numpy as np

from mcsvm.solvers.jit import compiled
from mcsvm.solvers.jit.block import variable_gradient
from mcsvm.solvers.jit.linalg import add_scaled


@compiled
def gradients(rule, functions, labels, slot, out):
    """Compute the gradient margin - <direction, f> of every variable."""
    for i in range(slot.shape[0]):
        for j in range(slot.shape[1]):
            out[i, j] = variable_gradient(rule, functions, labels[i], slot[i, j], i)


@compiled
def combine(K, weights, products):
    """Add weights' K to `products`, skipping zero weights: as fast as BLAS without zeros, faster with many."""
    for i in range(K.shape[0]):
        for c in range(weights.shape[1]):
            if weights[i, c] != 0.0:
                add_scaled(products[c], K[i], weights[i, c])


@compiled
def add_products(rule, K, labels, slot, change, functions):
    """Add K @ weights(change) to `functions`; examples whose variables do not change cost nothing."""
    outputs, n = functions.shape
    weights, shared, everywhere = np.empty(outputs), np.zeros(n), False
    for i in range(n):
        y, common, used = labels[i], 0.0, False
        weights[:] = 0.0
        for j in range(slot.shape[1]):
            p, x = slot[i, j], change[i, j]
            if x == 0.0:
                continue
            used = True
            if p == y:
                weights[p] += x * rule.own
                common += x * rule.constant_own
            else:
                weights[p] += x * rule.other
                weights[y] += x * rule.cross
                common += x * rule.constant_other
        if not used:
            continue
        for c in range(outputs):
            if weights[c] != 0.0:
                add_scaled(functions[c], K[i], weights[c])
        if common != 0.0:
            everywhere = True
            add_scaled(shared, K[i], common)
    if everywhere:
        for c in range(outputs):
            add_scaled(functions[c], shared, 1.0)


@compiled
def clipped_product(start, read, length, upper):
    """Return <projection(start - length read), read>, the projection being onto the box."""
    total = 0.0
    for i in range(read.shape[0]):
        for j in range(read.shape[1]):
            r = read[i, j]
            total += min(max(start[i, j] - length * r, 0.0), upper[i]) * r
    return total


@compiled
def factor_free(K, examples, kinds, couplings, ridge):
    """Return the lower factor of Q + ridge, where Q[a, b] = couplings[kind a, kind b] K[example a, example b]."""
    m = examples.size
    A = np.zeros((m, m))
    for a in range(m):
        row, coupling = K[examples[a]], couplings[kinds[a]]
        for b in range(a, m):
            A[a, b] = coupling[kinds[b]] * row[examples[b]]
        A[a, a] += ridge
    return np.linalg.cholesky(A.T)  # argument and factor are stored by columns; only their lower halves are used
