"""Whether a linear kernel is solved through W, and how: what it costs there against rows of the kernel matrix."""

from __future__ import annotations

from solvers.methods.linear.features import stored_of
from solvers.methods.linear.system import DENSE
from solvers.problem import Part

MANY = 20_000  # examples of which kernel rows are too long to be worth it
THIN = 0.02  # stored features of a row, as a share of the examples, below which reading it beats a kernel row


def choose(part: Part) -> str | None:
    """`linear-newton` where its systems can be factored, `linear` for long and thin features, else None."""
    if part.gram.kernel.name != "linear":
        return None
    n, features, outputs = len(part), part.gram.points.features, part.form.outputs
    if features < n and (features + 1) * outputs <= DENSE:
        return "linear-newton"
    one_at_a_time = not (part.balanced and outputs == 1)
    return "linear" if n >= MANY and stored_of(part) <= THIN * n and one_at_a_time else None
