"""The same rows in two files: with a column of weights, and each as often as it weighs."""

from __future__ import annotations

from pathlib import Path

import numpy as np

CLASSES = 3


def rows(count: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Overlapping clouds with weights 0, 1, 2 or 3; columns of different widths."""
    rng = np.random.default_rng(seed)
    codes = np.arange(count) % CLASSES
    centres = np.random.default_rng(99).normal(scale=1.5, size=(CLASSES, 3))
    points = (centres[codes] + rng.normal(size=(count, 3))) * [1.0, 100.0, 0.01]
    return points, codes, rng.integers(0, 4, count)


def write(folder: Path, count: int = 60, seed: int = 0, name: str = "") -> tuple[Path, Path]:
    """The weights stand between the features; the label is found by its name."""
    points, codes, weights = rows(count, seed)
    weighted, repeated = folder / f"weighted{name}.csv", folder / f"repeated{name}.csv"
    lines = [f"{a!r},{b!r},{{}}{c!r},k{code}" for (a, b, c), code in zip(points.tolist(), codes.tolist(), strict=True)]
    pairs = list(zip(lines, weights.tolist(), strict=True))
    weighted.write_text("a,b,w,c,class\n" + "".join(f"{line.format(f'{w}.0,')}\n" for line, w in pairs), "utf-8")
    repeated.write_text("a,b,c,class\n" + "".join(f"{line.format('')}\n" * w for line, w in pairs), "utf-8")
    return weighted, repeated
