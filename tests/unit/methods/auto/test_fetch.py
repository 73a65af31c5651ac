"""Which kernel rows blocks ask for: those of the block and, where few are missing, of the worst others."""

import io
from dataclasses import replace

import numpy as np
import pytest
from small_data import blobs

from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.methods.auto.blocks import Workbench
from mcsvm.solvers.methods.auto.conductor import Auto
from mcsvm.solvers.posing import pose
from mcsvm.solvers.problem import Part
from mcsvm.solvers.run.limits import Limits
from mcsvm.solvers.run.loop import Run
from mcsvm.solvers.work import limited

X, Y = blobs(n=400, classes=3, features=3, seed=4)
AUTO = METHODS["auto"]
assert isinstance(AUTO, Auto)
BATCH = AUTO.budget.fetch_rows


def bench_of(monkeypatch: pytest.MonkeyPatch, width: int = 784) -> tuple[Part, Workbench]:
    """A part whose example i violates by i."""
    monkeypatch.setattr("mcsvm.solvers.gram.EXACT_ROWS", 0)
    part = pose(np.pad(X, [(0, 0), (0, width - 3)]), Y, machine="ova", kernel=KERNELS["rbf"](0.5)).part(0)
    bench = Workbench(part)
    bench.space.worst[:] = np.arange(400) * np.where(np.arange(400) % 2, -1.0, 1.0)
    return part, bench


def test_the_worst_without_a_row_come_along(monkeypatch: pytest.MonkeyPatch) -> None:
    part, bench = bench_of(monkeypatch)
    part.gram.fetch(np.array([5, 399, 397]))
    wanted = bench.with_next(np.array([5, 7]))
    assert wanted[:2].tolist() == [5, 7]
    others = [i for i in range(399, -1, -1) if i not in (399, 397)][: BATCH - 1]
    assert wanted[2:].tolist() == sorted(others)


def test_examples_that_do_not_violate_stay_away(monkeypatch: pytest.MonkeyPatch) -> None:
    _, bench = bench_of(monkeypatch)
    bench.space.worst[:398] = 0.0
    assert bench.with_next(np.array([3])).tolist() == [3, 398, 399]


def test_short_rows_come_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    _, bench = bench_of(monkeypatch, width=20)
    assert bench.with_next(np.array([3])).tolist() == [3]


def test_many_missing_rows_come_alone_and_the_store_is_not_overfilled(monkeypatch: pytest.MonkeyPatch) -> None:
    part, bench = bench_of(monkeypatch)
    many = np.arange(BATCH)
    assert bench.with_next(many) is many
    part.gram.capacity = 10
    assert bench.with_next(np.array([0, 1])).size == 10


def test_parts_that_share_a_store_open_with_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a store for a third of the rows, ova begins with blocks, a joint machine with the phase of small stores."""
    monkeypatch.setattr("mcsvm.solvers.gram.LEAST_ROWS", 1)
    size = 1.4 * AUTO.budget.shrunk_shared * 4.0 * len(X) ** 2 / 2**20
    few = Auto(AUTO.budget.__class__(shrunk_least=1))
    opened = {}
    for machine in ("ova", "ww"):
        run = Run(pose(X, Y, machine=machine, kernel=KERNELS["rbf"](0.5), cache_mb=size), few, Limits(1e-3))
        opened[machine] = run.decisions[0].phase
    assert opened == {"ova": "blocks", "ww": "shrunk"}


@pytest.mark.parametrize("cache", [0.3, 2.0])
@pytest.mark.parametrize("machine", ["ova", "ww"])
def test_rows_that_came_along_give_the_same_bits_after_checkpoints(
    machine: str, cache: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcsvm.solvers.gram.EXACT_ROWS", 0)
    monkeypatch.setattr("mcsvm.solvers.products.LEAST_SWEEP", 0)
    method = Auto(replace(AUTO.budget, fetch_features=1))

    def begun() -> Run:
        problem = pose(X, Y, machine=machine, kernel=KERNELS["rbf"](0.5), cost=10.0, cache_mb=cache)
        return Run(problem, method, Limits(1e-3))

    whole, run, random = begun(), begun(), np.random.default_rng(0)
    while whole.running:
        whole.advance()
    with limited(2):
        while run.running:
            run.advance(int(random.integers(1, 400)))
            if run.running:
                run = Run.load(run.problem, io.BytesIO(run.pack()), method)
    assert run.kernel_evaluations == whole.kernel_evaluations
    assert run.certificate() == whole.certificate()
    for one, other in zip(run.alphas(), whole.alphas(), strict=True):
        np.testing.assert_array_equal(one, other)
