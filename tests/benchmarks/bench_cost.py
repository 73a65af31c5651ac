"""Seconds against C = 2^-2 .. 2^20 on page-blocks and vehicle, at a violation of 1e-3, one thread.

    python -m pytest tests/benchmarks/bench_cost.py -s

`auto` beside plain smo and s2do, which are given SECONDS, then count as out of time (`>`) and are left off beyond.
The gamma is that of table 1 for the machine. Plotted into build/seconds_against_C.svg where there is matplotlib.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from table_3 import DATA, ROWS, Row

from solvers.ending import Ending
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
    for case, worst in spread(curves).items():
        print(f"{case}: auto's slowest C takes {worst:.1f} times as long as its fastest")
    plot(curves)


def spread(curves: dict[tuple[str, str], Curve]) -> dict[str, float]:
    seconds = {case: [s for _, s in curve] for (case, method), curve in curves.items() if method == "auto"}
    return {case: max(values) / min(values) for case, values in seconds.items()}


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
        for exponent in EXPONENTS:
            run = row._replace(cost=2.0**exponent).run(method, Limits(1e-3, seconds=SECONDS[method]))
            out_of_time = run.ending is Ending.TIME_LIMIT
            assert method != "auto" or not out_of_time
            curve.append((exponent, SECONDS[method] if out_of_time else run.seconds))
            if out_of_time:
                break
