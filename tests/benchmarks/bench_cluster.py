"""What a cluster costs beside threads on the same cores: its overhead, the wait after a stop, a worker lost.

`python -m pytest tests/benchmarks/bench_cluster.py -s`
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from dask_cluster import DaskCluster

from mcsvm_gui.core.base.resources import dataset
from mcsvm_gui.core.cluster.examining import examine
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.tune.search import TuneRequest, Tuning
from solvers.selection.grid import Range
from solvers.selection.task import Done

pytestmark = pytest.mark.benchmark
pytest.importorskip("distributed")
psutil = pytest.importorskip("psutil")  # comes with it
ASKED = TuneRequest(("ovo", "ww"), Range(-2, 6, 2), Range(-6, 0, 2), folds=5)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[DaskCluster]:
    made = DaskCluster(tmp_path)
    for _ in range(2):
        made.add_worker()
    while examine(made.address).workers < 2:
        time.sleep(0.1)
    yield made
    made.close()


def segment() -> Dataset:
    return open_dataset(dataset("segment"))


class Clock:
    """By the wall and by the processors, of this process and of those beside it."""

    def __init__(self, cluster: DaskCluster) -> None:
        self._cluster = cluster
        self._began = time.monotonic(), self._worked()

    def _worked(self) -> float:
        processes = [psutil.Process(one.pid) for one in (*self._cluster.workers, self._cluster.scheduler)]
        here = time.process_time()
        return here + sum(sum(process.cpu_times()[:2]) for process in processes if process.status() != "zombie")

    def read(self) -> tuple[float, float]:
        return time.monotonic() - self._began[0], self._worked() - self._began[1]


def search(
    wanted: TuneRequest, report: Callable[[Done], object] | None = None, stopped: Callable[[], bool] = lambda: False
) -> None:
    Tuning(Request(), wanted, segment()).run(report, stopped)


def test_overhead(cluster: DaskCluster) -> None:
    there, here = replace(ASKED, scheduler=cluster.address), replace(ASKED, jobs=2)
    search(replace(there, C=Range(0, 0), gamma=Range(0, 0)))  # compiles, and loads what is compiled
    search(replace(here, C=Range(0, 0), gamma=Range(0, 0)))
    for _ in range(2):
        clock = Clock(cluster)
        search(here)
        near = clock.read()
        clock = Clock(cluster)
        search(there)
        far = clock.read()
        ratios = f"ratio {far[0] / near[0]:.2f}, of CPU {far[1] / near[1]:.2f}"
        print(f"\nthreads {near[0]:.2f} s, cluster {far[0]:.2f}: {ratios}")


def test_from_stop_to_end(cluster: DaskCluster) -> None:
    for _ in range(5):
        came: list[Done] = []
        asked: list[float] = []

        def stopped(came: list[Done] = came, asked: list[float] = asked) -> bool:
            if len(came) > 20 and not asked:
                asked.append(time.monotonic())
            return bool(asked)

        search(replace(ASKED, machines=("llw",), scheduler=cluster.address), came.append, stopped)
        print(f"\nfrom stop to end {time.monotonic() - asked[0]:.2f} s")


def test_a_lost_worker(cluster: DaskCluster) -> None:
    """Beside one worker from the moment on: what is lost is what it had in hand."""
    there = replace(ASKED, scheduler=cluster.address)
    search(replace(there, C=Range(0, 0), gamma=Range(0, 0)))
    times: list[float] = []

    def report(done: Done) -> None:
        times.append(time.monotonic())
        if len(times) == 50:
            cluster.workers[0].kill()

    search(there, report)
    after = times[49:]
    pause = max(b - a for a, b in itertools.pairwise(after))
    began = time.monotonic()
    search(there)
    alone = time.monotonic() - began
    expected = alone * (len(times) - 50) / len(times)
    print(f"\nafter the loss {times[-1] - times[49]:.2f} s, at one worker's rate {expected:.2f}")
    print(f"longest pause {pause:.2f} s")
