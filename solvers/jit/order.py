"""Sorting of indices. numba's own sort compiles for a second, as it is written for all types."""

from mcsvm.solvers.jit import compiled


@compiled
def sort_by(values, order, work):
    """Sort the indices `order` by rising values[index]; equal values keep their order (bottom-up merge sort).

    Return the array that contains the result, which is `order` or `work`.
    """
    source, target, width = order, work, 1
    while width < source.size:
        for left in range(0, source.size, 2 * width):
            middle, right = min(left + width, source.size), min(left + 2 * width, source.size)
            i, j = left, middle
            for place in range(left, right):
                if j >= right or (i < middle and values[source[i]] <= values[source[j]]):
                    target[place] = source[i]
                    i += 1
                else:
                    target[place] = source[j]
                    j += 1
        source, target = target, source
        width *= 2
    return source
