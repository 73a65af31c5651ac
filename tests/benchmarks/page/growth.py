"""How the cost of one fit grows with rows, columns, classes, C and threads, on overlapping classes.

The limit beside each is one pass: n x n_support kernel values, computed once in single precision by matrix products of
512 rows with all threads, squared distances and exponentials in place. For threads it is the time of one, divided.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from mcsvm import MultiClassSVC
from mcsvm.solvers.work import cores
from tests.benchmarks.page.markdown import draw, exponent, table
from tests.benchmarks.page.peers import SVC

ROWS = 512  # of a block of a pass
PASS, SHARED = "one pass", "one thread, shared out"
BASE = {"n": 4000.0, "d": 20.0, "k": 7.0, "C": 1.0}
GROWTHS: Mapping[str, tuple[str, Sequence[float]]] = {
    "n": ("rows", (1000, 2000, 4000, 8000, 16_000)),
    "d": ("columns", (5, 20, 80, 320)),
    "k": ("classes", (2, 4, 8, 16)),
    "C": ("C", tuple(2.0**power for power in range(-4, 9, 3))),
}


@dataclass(frozen=True)
class Fitted:
    seconds: float
    support: np.ndarray


def overlapping(n: int, d: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """k classes around k centres, half of all rows support vectors or more; the same for every call."""
    rng = np.random.default_rng(n + 1000 * d + k)
    y = np.arange(n) % k
    centres = rng.normal(size=(k, d)) * (2.0 / np.sqrt(d))
    return centres[y] + rng.normal(size=(n, d)) * np.sqrt(1.0 / d) * 2.0, y


def fitted(machine: str, X: np.ndarray, y: np.ndarray, cost: float, threads: int | None = 1) -> Fitted:
    began = time.perf_counter()
    model = MultiClassSVC(machine=machine, C=cost, gamma=0.5, threads=threads).fit(X, y)
    return Fitted(time.perf_counter() - began, model.support_)


def one_pass(X: np.ndarray, support: np.ndarray) -> float:
    """Seconds of one pass over the kernel values of all rows with these."""
    rows = X.astype(np.float32)
    columns = rows[support]
    squares = np.einsum("ij,ij->i", columns, columns)
    began = time.perf_counter()
    with threadpool_limits(cores()):
        for start in range(0, len(rows), ROWS):
            block = rows[start : start + ROWS]
            values = block @ columns.T
            values *= -2.0
            values += squares
            values += np.einsum("ij,ij->i", block, block)[:, None]
            values *= -0.5
            np.exp(values, out=values)
    return time.perf_counter() - began


def growth(letter: str, folder: Path, scale: float) -> list[str]:
    title, sizes = GROWTHS[letter]
    curves: dict[str, dict[float, float]] = {name: {} for name in ("ww", "ovo", "SVC", PASS)}
    for size in sizes:
        point = {**BASE, letter: float(size)}
        X, y = overlapping(max(200, round(point["n"] * scale)), int(point["d"]), int(point["k"]))
        place = float(len(X) if letter == "n" else size)
        found = {machine: fitted(machine, X, y, point["C"]) for machine in ("ww", "ovo")}
        for machine, fit in found.items():
            curves[machine][place] = fit.seconds
        curves["SVC"][place] = SVC.seconds(X, y, point["C"], 0.5) or np.nan
        curves[PASS][place] = one_pass(X, found["ww"].support)
    rest = ", ".join(f"{name} = {value * (scale if name == 'n' else 1):g}" for name, value in BASE.items())
    said = f"One thread, one fit with its certificate; otherwise {rest}. The limit: one pass, of ww's support vectors."
    return [f"### {title.capitalize()}", "", said, "", *_shown(curves, letter, PASS, folder)]


def over_threads(folder: Path, scale: float) -> list[str]:
    X, y = overlapping(max(400, round(16_000 * scale)), 20, 7)
    counts = sorted({1, *(2**power for power in range(1, 7) if 2**power <= cores()), cores()})
    curves = {machine: {float(n): fitted(machine, X, y, 1.0, n).seconds for n in counts} for machine in ("ww", "ovo")}
    curves[SHARED] = {float(n): curves["ww"][1.0] / n for n in counts}
    said = f"{len(X)} rows, 20 columns, 7 classes, C = 1. The limit: the time of one thread, shared out."
    return ["### Threads", "", said, "", *_shown(curves, "threads", SHARED, folder)]


def _shown(curves: Mapping[str, Mapping[float, float]], size: str, limit: str, folder: Path) -> list[str]:
    picture = f"growth_{size}.svg"
    draw(folder / picture, curves, size, limit)
    sizes = list(curves[limit])
    rows = [[f"{place:g}", *(curve[place] for curve in curves.values())] for place in sizes]
    rows.append(["exponent", *(f"{exponent(curve):.2f}" for curve in curves.values())])
    return [*table([size, *(f"{name}, s" for name in curves)], rows), "", f"![Seconds against {size}]({picture})", ""]


def sections() -> dict[str, Callable[[Path, float], list[str]]]:
    def of(letter: str) -> Callable[[Path, float], list[str]]:
        return lambda folder, scale: growth(letter, folder, scale)

    return {**{letter: of(letter) for letter in GROWTHS}, "threads": over_threads}
