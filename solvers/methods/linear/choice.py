"""The choice of `auto` for a linear kernel: a method that keeps W, or kernel rows, whichever costs less."""

from __future__ import annotations

from mcsvm.solvers.budget import LINEAR
from mcsvm.solvers.problem import Part

ROWS = "The kernel is linear, but kernel rows are cheaper than its many features."
NEWTON = "The kernel is linear and its features are few: Newton systems in their weights replace kernel rows."
VISITS = "The kernel is linear and rows of features are short or sparse: coordinate steps replace kernel rows."


def choose(part: Part) -> tuple[str | None, str, dict[str, float]]:
    """Return (the method: "linear-newton", "linear", or None for kernel rows; the reason; the numbers compared)."""
    n, features, outputs = len(part), part.gram.points.features, part.form.outputs
    unknowns, stored = (features + 1) * outputs, part.gram.points.stored
    numbers = {"rows": float(n), "features": float(features), "unknowns": float(unknowns), "stored": stored}
    if features < n and unknowns <= LINEAR.dense:
        return "linear-newton", NEWTON, numbers
    filled = part.gram.points.sparse and stored <= LINEAR.filled * features
    if filled or (n >= LINEAR.many and stored <= LINEAR.thin * n):
        return "linear", VISITS, numbers
    return None, ROWS, numbers
