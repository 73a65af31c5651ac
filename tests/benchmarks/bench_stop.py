"""The longest piece of work between two moments at which a run can be stopped, on rows that ask for every phase.

    python -m pytest tests/benchmarks/bench_stop.py -s
    python -m pytest tests/benchmarks/bench_stop.py -s -k "million or sparse"  # 2 GB

A stop is heard at the next tick (solvers/interrupt.py), so the longest time between two is the longest wait. It is
printed as the CPU time of the thread, which other processes do not lengthen, and as wall time.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter, thread_time

import numpy as np
import pytest
import scipy.sparse as sp
from table_3 import DATA, ROWS, Row

from mcsvm import Limits, Run, pose
from mcsvm.solvers.interrupt import listening
from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.run.warmup import warm_up
from mcsvm.solvers.work import limited

pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.timeout(0),
    pytest.mark.skipif(not DATA.exists(), reason="needs the measuring data sets"),
]
HARD = [
    row
    for row in ROWS
    if (row.data, row.machine) in {("segment", "llw"), ("page-blocks", "cs"), ("optdigits", "llw"), ("abalone", "cs")}
]


@pytest.fixture(scope="module")
def lines() -> Iterator[list[str]]:
    lines: list[str] = []
    yield lines
    print("\n" + "\n".join(lines))


def longest_piece(run: Run) -> str:
    """Measure from tick to tick, from the first on; what a tiny problem compiles is compiled before."""
    warm_up(run.current.solver, run.current.view)
    longest, wall, count = 0.0, 0.0, 0
    began, cpu = perf_counter(), thread_time()

    def listener() -> None:
        nonlocal longest, wall, count, began, cpu
        longest, wall, count = max(longest, thread_time() - cpu), max(wall, perf_counter() - began), count + 1
        began, cpu = perf_counter(), thread_time()

    with limited(1), listening(listener, rest=0.0):
        while run.running:
            run.advance(64)
            listener()
    return f"longest of {count} pieces {1e3 * longest:.0f} ms (wall {1e3 * wall:.0f} ms)"


def clouds(rows: int, features: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.arange(rows) % 7
    return rng.normal(size=(rows, features)) + rng.normal(size=(7, features))[y], y


def documents(rows: int, features: int = 47_000, stored: int = 70) -> tuple[sp.csr_array, np.ndarray]:
    """As many rows, features and numbers as rcv1, frequent features first."""
    rng = np.random.default_rng(0)
    y = np.arange(rows) % 7
    columns = (rng.zipf(1.3, size=rows * stored) + 31 * np.repeat(y, stored)) % features
    starts = np.arange(0, rows * stored + 1, stored)
    table = sp.csr_array((rng.random(rows * stored), columns, starts), shape=(rows, features))
    table.sum_duplicates()
    return table, y


@pytest.mark.parametrize("row", HARD, ids=lambda row: f"{row.data}-{row.machine}")
def test_pieces_of_hard_rows(row: Row, lines: list[str]) -> None:
    lines.append(f"{row.data:>12} {row.machine:>4}: {longest_piece(row.begun('auto', Limits(1e-9, 1e-6)))}")


@pytest.mark.parametrize("features", [20, 784])
@pytest.mark.parametrize("machine", ["ww", "cs", "llw", "ova", "ovo"])
def test_pieces_of_many_rows(machine: str, features: int, lines: list[str]) -> None:
    X, y = clouds(20_000, features)
    problem = pose(X, y, machine=machine, kernel=KERNELS["rbf"](gamma=0.5 / features), cost=4.0)
    found = longest_piece(Run(problem, "auto", Limits(1e-2, steps=20_000)))
    lines.append(f"{y.size:>12} {machine:>4}, {features} features: {found}")


@pytest.mark.parametrize("method", ["s2do", "smo", "bsvm", "fw", "lasvm"])
def test_pieces_of_methods_of_the_literature(method: str, lines: list[str]) -> None:
    X, y = clouds(20_000, 784)
    machine = "ovo" if method == "lasvm" else "ww"
    problem = pose(X, y, machine=machine, kernel=KERNELS["rbf"](gamma=0.5 / 784), cost=4.0)
    lines.append(
        f"{y.size:>12} {machine:>4}, {method}: {longest_piece(Run(problem, method, Limits(1e-2, steps=3000)))}"
    )


@pytest.mark.parametrize("bias", ["none", "exact"])
@pytest.mark.parametrize("machine", ["ww", "ovo"])
@pytest.mark.parametrize("rows", ["a million", "sparse"])
def test_pieces_of_linear_kernels(rows: str, machine: str, bias: str, lines: list[str]) -> None:
    X, y = clouds(1_000_000, 100) if rows == "a million" else documents(200_000)
    problem = pose(X, y, machine=machine, kernel=KERNELS["linear"](), bias=bias)
    found = longest_piece(Run(problem, "auto", Limits(1e-2, seconds=20.0)))
    lines.append(f"{rows:>12} {machine:>4}, bias {bias}: {found}")
