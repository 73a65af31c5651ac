"""CPU seconds against C = 2^-2 .. 2^20 on page-blocks and vehicle, at a violation of 1e-3, one thread.

    python -m pytest tests/benchmarks/bench_cost.py -s

After a first run that compiles. Beside the ratio of the slowest to the fastest C stands what a method whose time does
not depend on C would take at the least: one kernel matrix of all examples and its factor.
`auto` beside plain smo and s2do, which are given SECONDS, then count as out of time (`>`) and are left off beyond.
The gamma is that of table 1 for the machine. Plotted into build/seconds_against_C.svg where there is matplotlib.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import process_time

import numpy as np
import pytest
from scipy.linalg import cho_factor
from table_3 import DATA, ROWS, Row, read

from solvers.ending import Ending
from solvers.kernels import KERNELS, Points
from solvers.run import Limits
from solvers.threads import limited

pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.timeout(0),
    pytest.mark.skipif(not DATA.exists(), reason="needs the measuring data sets"),
]
PICTURE = Path(__file__).resolve().parents[2] / "build" / "seconds_against_C.svg"
EXPONENTS = range(-2, 21, 2)
SECONDS = {"auto": 120.0, "s2do": 20.0, "smo": 20.0}
CASES = [row for row in ROWS if row.data in ("page-blocks", "vehicle") and row.machine in ("llw", "ww", "cs")]

Curve = list[tuple[int, float]]


@pytest.fixture(scope="module")
def curves() -> Iterator[dict[tuple[str, str], Curve]]:
    curves: dict[tuple[str, str], Curve] = {}
    yield curves
    print("\n" + f"{'log2 C':>32}" + "".join(f"{exponent:8}" for exponent in EXPONENTS))
    for (case, method), curve in curves.items():
        cells = "".join(f"{seconds:8.2f}" if seconds < SECONDS[method] else f"{'>':>8}" for _, seconds in curve)
        print(f"{case:>24}{method:>8}{cells}")
    for case, line in summary(curves).items():
        print(f"{case}: {line}")
    plot(curves)


def summary(curves: dict[tuple[str, str], Curve]) -> dict[str, str]:
    """Of auto: the fastest, the middling and the slowest C, also beside C = 1 and beside what no C can change."""
    lines = {}
    for (case, method), curve in curves.items():
        if method == "auto":
            seconds, one, least = [s for _, s in curve], dict(curve)[0], floor(case)
            lines[case] = (
                f"auto {min(seconds):.2f} / {median(seconds):.2f} / {max(seconds):.2f} s, slowest to fastest"
                f" {max(seconds) / min(seconds):.0f}, to C = 1 {max(seconds) / one:.0f};"
                f" one kernel matrix and its factor {least:.2f} s, slowest to that {max(seconds) / least:.1f}"
            )
    return lines


def floor(case: str) -> float:
    """Seconds of the kernel matrix of all examples and its Cholesky factor."""
    features, _ = read(case.split()[0])
    points, began = Points(features), process_time()
    with limited(1):
        K = KERNELS["rbf"](gamma=2.0**-7).block(points, points, np.empty((len(features), len(features))))
        K[np.diag_indices_from(K)] += 1.0
        cho_factor(K, overwrite_a=True, check_finite=False)
    return process_time() - began


def plot(curves: dict[tuple[str, str], Curve]) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    cases = list(dict.fromkeys(case for case, _ in curves))
    figure, axes = pyplot.subplots(1, len(cases), figsize=(4 * len(cases), 3.5), sharey=True, squeeze=False)
    for case, axis in zip(cases, axes[0], strict=True):
        for (of, method), curve in curves.items():
            if of == case:
                axis.plot(*zip(*curve, strict=True), marker="o", markersize=3, label=method)
        axis.set(title=case, xlabel="log2 C", yscale="log")
    axes[0][0].set_ylabel("seconds")
    axes[0][0].legend()
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, bbox_inches="tight")
    print(f"plotted into {PICTURE.name}")


@pytest.mark.parametrize("method", SECONDS)
@pytest.mark.parametrize("row", CASES, ids=lambda row: f"{row.data}-{row.machine}")
def test_seconds_against_cost(row: Row, method: str, curves: dict[tuple[str, str], Curve]) -> None:
    curve = curves.setdefault((f"{row.data} {row.machine}", method), [])
    with limited(1):
        row._replace(cost=1.0).run(method, Limits(1e-3, seconds=1.0))  # compiles
        for exponent in EXPONENTS:
            began = process_time()
            run = row._replace(cost=2.0**exponent).run(method, Limits(1e-3, seconds=SECONDS[method]))
            out_of_time = run.ending is Ending.TIME_LIMIT
            assert method != "auto" or not out_of_time
            curve.append((exponent, SECONDS[method] if out_of_time else process_time() - began))
            if out_of_time:
                break
