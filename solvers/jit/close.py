"""Search of a matrix for the few values below the sum of a bound of their row and a bound of their column."""

import numpy as np

from mcsvm.solvers.jit import compiled

STEP = 32  # consecutive values of a row, which are compared one by one only if the smallest may be below its bound


@compiled(relaxed=True)
def find_below(values, sign, candidates, left, right, rows, columns):
    """Find the entries of the candidate rows with sign * value below left[row] + right[column]; return how many.

    Their places are written into `rows` and `columns` as far as these have room.
    """
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
