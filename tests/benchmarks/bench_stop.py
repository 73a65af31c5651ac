"""The longest piece of work between two moments at which a run can be stopped, on rows that ask for every phase.

    python -m pytest tests/benchmarks/bench_stop.py -s

A stop is heard at the next yield (solvers/work.py), so the longest piece is the longest wait.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

import numpy as np
import pytest
from table_3 import DATA, ROWS, Row

from solvers import Limits, Run, pose
from solvers.kernels import KERNELS
from solvers.work import limited

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


def longest_piece(run: Run) -> tuple[float, int]:
    """Seconds of the longest piece, and how many there were; the first slice, which may compile, left out."""
    run.advance(1)
    longest, count = 0.0, 0
    while run.running:
        work = run._slice(64)
        while True:
            began = perf_counter()
            ended = next(work, ended_marker) is ended_marker
            longest, count = max(longest, perf_counter() - began), count + 1
            if ended:
                break
        run._record()
    return longest, count


ended_marker = object()


@pytest.mark.parametrize("row", HARD, ids=lambda row: f"{row.data}-{row.machine}")
def test_pieces_of_hard_rows(row: Row, lines: list[str]) -> None:
    with limited(1):
        longest, count = longest_piece(row.begun("auto", Limits(1e-9, 1e-6)))
    lines.append(f"{row.data:>12} {row.machine:>4}: longest of {count} pieces {1e3 * longest:.0f} ms")


@pytest.mark.parametrize("features", [20, 784])
@pytest.mark.parametrize("machine", ["ww", "ovo"])
def test_pieces_of_many_rows(machine: str, features: int, lines: list[str]) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(20_000) % 7
    X = rng.normal(size=(y.size, features)) + rng.normal(size=(7, features))[y]
    problem = pose(X, y, machine=machine, kernel=KERNELS["rbf"](gamma=0.5 / features), cost=4.0)
    with limited(1):
        longest, count = longest_piece(Run(problem, "auto", Limits(1e-2, steps=20_000)))
    lines.append(f"{y.size:>12} {machine:>4}, {features} features: longest of {count} pieces {1e3 * longest:.0f} ms")
