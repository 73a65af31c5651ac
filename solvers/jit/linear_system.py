"""What the free variables of each example couple: R' P R, R being how they read the class functions."""

import numpy as np

from solvers.jit import compiled


@compiled
def couple(table, labels, free, full, out):
    """out[a, b, i] of example i with free[i, p], P the identity or, where full[i], less the mean of the free ones."""
    slots, outputs = free.shape[1], table.shape[2]
    total = np.empty(outputs)
    out[:] = 0.0
    for i in range(labels.size):
        y, count = labels[i], 0
        total[:] = 0.0
        for p in range(slots):
            if not free[i, p]:
                continue
            count += 1
            for a in range(outputs):
                value = table[y, p, a]
                if value != 0.0:
                    total[a] += value
                    for b in range(outputs):
                        out[a, b, i] += value * table[y, p, b]
        if full[i]:
            for a in range(outputs):
                if total[a] != 0.0:
                    for b in range(outputs):
                        out[a, b, i] -= total[a] * total[b] / count
