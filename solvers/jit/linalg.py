"""The one axpy of the compiled code."""

from solvers.jit import compiled


@compiled(relaxed=True)
def add_scaled(target, row, factor):
    """target += factor * row."""
    for i in range(target.size):
        target[i] += factor * row[i]
