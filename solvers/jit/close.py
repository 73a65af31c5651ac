"""Search of a matrix for the few values that lie below a bound of their row and column."""

import numpy as np

from mcsvm.solvers.jit import compiled

STEP = 32  # values of a row whose smallest is compared, before any of them is looked at


@compiled(relaxed=True)
def find_below(values, sign, candidates, left, right, rows, columns):
    """The places where sign * value is below left[row] + right[column] in the candidate rows, written into `rows` and
    `columns` as far as these have room; returns how many there are."""
    count, n = 0, values.shape[1]
    largest = np.empty(n // STEP + 1, right.dtype)
    for start in range(0, n, STEP):
        bound = right[start]
        for j in range(start + 1, min(start + STEP, n)):
            bound = right[j] if right[j] > bound else bound
        largest[start // STEP] = bound
    for i in candidates:
        row = values[i]
        for start in range(0, n, STEP):
            some, bounds = row[start : start + STEP], right[start : start + STEP]
            least = sign * some[0]
            for j in range(some.size):
                value = sign * some[j]
                least = value if value < least else least
            if least < left[i] + largest[start // STEP]:
                for j in range(some.size):
                    if sign * some[j] < left[i] + bounds[j]:
                        if count < rows.size:
                            rows[count], columns[count] = i, start + j
                        count += 1
    return count
