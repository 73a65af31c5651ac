"""CPU seconds against C = 2^-2 .. 2^20 on page-blocks and vehicle, at a violation of 1e-3, one thread.

    python -m pytest tests/benchmarks/bench_cost.py -s

After a first run that compiles. Beside the slowest C over the fastest, the middling and C = 1 stands what is needed at
the least: by a method for which C does not matter, one kernel matrix of all examples and its factor; by any that has
found who is a support vector and who is free at the slowest C, their kernel rows, a factor of the free variables'
matrix, and the certificate.
`auto` beside plain smo and s2do, which are given SECONDS, then count as out of time (`>`) and are left off beyond.
The gamma is that of table 1 for the machine. Plotted into build/seconds_against_C.svg where there is matplotlib.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import process_time
from typing import NamedTuple

import numpy as np
import pytest
from scipy.linalg import cho_factor
from table_3 import DATA, ROWS, Row, read

from mcsvm.solvers.dual.certificate import certify
from mcsvm.solvers.dual.quantities import gradients
from mcsvm.solvers.kernels import KERNELS, Points
from mcsvm.solvers.methods.auto import faces as polish
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.loop import Limits, Run
from mcsvm.solvers.work import limited

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
Curves = dict[tuple[str, str], Curve]


class Measured(NamedTuple):
    curves: Curves
    needed: dict[str, tuple[float, float]]  # by case, at the slowest C so far: its seconds, and those of the answer


@pytest.fixture(scope="module")
def measured() -> Iterator[Measured]:
    measured = Measured({}, {})
    yield measured
    print("\n" + f"{'log2 C':>32}" + "".join(f"{exponent:8}" for exponent in EXPONENTS))
    for (case, method), curve in measured.curves.items():
        cells = "".join(f"{seconds:8.2f}" if seconds < SECONDS[method] else f"{'>':>8}" for _, seconds in curve)
        print(f"{case:>24}{method:>8}{cells}")
    for case, line in summary(measured).items():
        print(f"{case}: {line}")
    plot(measured.curves)


def summary(measured: Measured) -> dict[str, str]:
    """Of auto: the fastest, the middling and the slowest C, and how often these and the least go into the slowest."""
    lines = {}
    for (case, method), curve in measured.curves.items():
        if method == "auto":
            seconds, floors = [s for _, s in curve], (floor(case), measured.needed[case][1])
            fastest, middling, slowest = min(seconds), median(seconds), max(seconds)
            lines[case] = (
                f"auto {fastest:.2f} / {middling:.2f} / {slowest:.2f} s, slowest to fastest {slowest / fastest:.0f},"
                f" to middling {slowest / middling:.1f}, to C = 1 {slowest / dict(curve)[0]:.0f}; one kernel matrix and"
                f" its factor {floors[0]:.2f} s, slowest to that {slowest / floors[0]:.1f}; rows, face and certificate"
                f" of the answer {floors[1]:.3f} s, slowest to that {slowest / floors[1]:.0f}"
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


def answer(run: Run) -> float:
    """Seconds of its support vectors' kernel rows, a factor of its free variables' matrix, and its certificate."""
    part, alpha, began = run.problem.part(0), run.alphas()[0], process_time()
    support = np.flatnonzero(alpha.any(axis=1))
    part.gram.kernel.block(part.gram.points.take(support), part.gram.points, np.empty((support.size, len(part))))
    proof = certify(part, alpha)
    chosen = polish.select(part, alpha, gradients(part, proof.products + proof.bias), 0.0)
    rows = chosen.examples[chosen.member]
    directions = part.form.direction[part.labels[rows], chosen.slot]
    Q = directions @ directions.T * polish.exact_block(part, chosen.examples)[np.ix_(chosen.member, chosen.member)]
    Q[np.diag_indices_from(Q)] += 1.0
    cho_factor(Q, overwrite_a=True, check_finite=False)
    return process_time() - began


def plot(curves: Curves) -> None:
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
def test_seconds_against_cost(row: Row, method: str, measured: Measured) -> None:
    case = f"{row.data} {row.machine}"
    curve = measured.curves.setdefault((case, method), [])
    with limited(1):
        row._replace(cost=1.0).run(method, Limits(1e-3, seconds=1.0))  # compiles
        for exponent in EXPONENTS:
            began = process_time()
            run = row._replace(cost=2.0**exponent).run(method, Limits(1e-3, seconds=SECONDS[method]))
            seconds, out_of_time = process_time() - began, run.ending is Ending.TIME_LIMIT
            assert method != "auto" or not out_of_time
            curve.append((exponent, SECONDS[method] if out_of_time else seconds))
            if out_of_time:
                break
            if method == "auto" and seconds > measured.needed.get(case, (0.0, 0.0))[0]:
                measured.needed[case] = seconds, answer(run)
