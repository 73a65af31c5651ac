"""Tables in Markdown, and lines on doubly logarithmic axes as SVG with their fitted exponents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

Curve = Mapping[float, float]  # seconds by size


def table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    return [*lines, *(f"| {' | '.join(map(shown, row))} |" for row in rows)]


def shown(value: object) -> str:
    if value is None:
        return "not installed"
    if isinstance(value, float):
        return f"{value:.3g}" if value < 1000.0 else f"{value:.0f}"
    return str(value)


def exponent(curve: Curve) -> float:
    """Of the power of the size that fits best: the slope of the logarithms; NaN of fewer than two sizes."""
    if len(curve) < 2:
        return float("nan")
    sizes, seconds = (np.log(np.array(list(values), dtype=float)) for values in (curve.keys(), curve.values()))
    return float(np.polyfit(sizes, seconds, 1)[0])


def draw(path: Path, curves: Mapping[str, Curve], size: str, limit: str) -> None:
    """One line for each; that of the limit is dashed."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    axes = figure.add_subplot()
    for name, curve in curves.items():
        style = {"linestyle": "--", "color": "0.4"} if name == limit else {"marker": "o"}
        axes.plot(list(curve), list(curve.values()), label=f"{name} ({size}^{exponent(curve):.2f})", **style)
    axes.set(xscale="log", yscale="log", xlabel=size, ylabel="seconds")
    axes.grid(visible=True, which="both", linewidth=0.3)
    axes.legend(fontsize="small")
    figure.savefig(path, metadata={"Date": None})
