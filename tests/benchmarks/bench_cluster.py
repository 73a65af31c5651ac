"""What a cluster costs beside threads on the same cores: its overhead, the wait after a stop, a worker lost; of one
training on it bytes per round, and how it would scale to 64 workers.

`python -m pytest tests/benchmarks/bench_cluster.py -s`
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from dask_cluster import DaskCluster

from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.partitioned import run as partitioned_run
from mcsvm.solvers.partitioned.partition import Partition
from mcsvm.solvers.partitioned.partitions import LocalPartitions
from mcsvm.solvers.partitioned.run import PartitionedRun
from mcsvm.solvers.posing import terms_of
from mcsvm.solvers.selection.grid import Range
from mcsvm.solvers.selection.trials.task import Done
from mcsvm.solvers.work import limited
from mcsvm_gui.core.base.resources import dataset
from mcsvm_gui.core.cluster.connection import Connection
from mcsvm_gui.core.cluster.examining import examine
from mcsvm_gui.core.cluster.session import ClusterSession
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.tune.search import TuneRequest, Tuning

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


# -- one training over all workers ----------------------------------------------------------------

CLASSES, FEATURES = 7, 20
NETWORK = 1.25e8  # bytes a second: Gigabit Ethernet
SIZES = 10_000, 100_000


def overlapping(n: int) -> tuple[np.ndarray, np.ndarray]:
    """As in bench_large: 7 overlapping classes, over a third of the rows support vectors."""
    random = np.random.default_rng(0)
    labels = random.integers(0, CLASSES, n)
    centres = 0.35 * random.normal(size=(CLASSES, FEATURES))
    return np.tanh(centres[labels] + 0.6 * random.normal(size=(n, FEATURES))), labels


def in_parts(folder: Path, n: int, parts: int = 4) -> Path:
    folder.mkdir()
    rows, labels = overlapping(n)
    for number, chosen in enumerate(np.array_split(np.arange(n), parts)):
        table = pd.DataFrame(rows[chosen].round(6), columns=[f"x{column}" for column in range(FEATURES)])
        table.assign(label=labels[chosen]).to_csv(folder / f"{number}.csv", index=False)
    return folder


def far(folder: Path, cluster: DaskCluster, **more: Any) -> Request:
    return Request(data=str(folder), gamma=0.1, scheduler=cluster.address, threads=1, **more)


def test_bytes_per_round(cluster: DaskCluster, tmp_path: Path) -> None:
    """The largest of ten rounds, of two sizes; the first round of a programme has no change to tell, and is smaller.
    The pass of the certificate is not among them."""
    for machine in ("ww", "ovo"):
        found = []
        for n in SIZES:
            folder = tmp_path / f"{machine}-{n}"
            with Connection(cluster.address) as connection:
                session = ClusterSession(far(in_parts(folder, n), cluster, machine=machine, tol=1e-6), connection)
                each = []
                for _ in range(10):
                    session.advance()
                    each.append(session.posed.partitions.per_round)
            found.append(float(max(each)))
        print(f"\n{machine}: bytes per round", *(f"{n}: {size:,.0f}" for n, size in zip(SIZES, found, strict=True)))
        print(f"ratio {found[1] / found[0]:.4f}")
        assert abs(found[1] / found[0] - 1.0) <= 0.01


def test_a_killed_worker(cluster: DaskCluster, tmp_path: Path) -> None:
    """Killed after half of the rounds of the training before: the same certificate within the tolerance."""
    folder, duals = in_parts(tmp_path / "parts", SIZES[0]), []
    rounds = 0
    for kill in (False, True):
        with Connection(cluster.address) as connection:
            session = ClusterSession(far(folder, cluster, tol=1e-4), connection)
            while session.running:
                session.advance()
                if kill and session.run.rounds == rounds // 2:
                    cluster.workers[0].kill()
            outcome = session.finish()
        rounds, told = session.run.rounds, outcome.document["cluster"]
        duals.append(outcome.trained.certificate.dual)
        print(f"\n{told}, {session.run.seconds:.2f} s, {outcome.document['certificate']}")
    assert duals[1] == pytest.approx(duals[0], rel=1e-5)


def test_prediction_for_64_workers(cluster: DaskCluster, tmp_path: Path) -> None:
    """Costs of a round, measured one by one: of a row (CPU time), of a block, of a message."""
    row, block = costs_of_a_round()
    with Connection(cluster.address) as connection:
        session = ClusterSession(far(in_parts(tmp_path / "parts", SIZES[0]), cluster, tol=1e-4), connection)
        times = []
        for _ in range(50):
            began = time.perf_counter()
            session.posed.partitions.ask_all("welcome")
            times.append(time.perf_counter() - began)
        while session.running:
            session.advance()
    message, size = float(np.median(times)), session.posed.partitions.per_round / 2.0
    print(f"\nper round: {1e6 * row:.2f} us a row, {block:.3f} s a block, {1e3 * message:.1f} ms a message to all,")
    print(f"{size / 1e6:.3f} MB to and from each worker; {session.run.rounds} rounds for {SIZES[0]} rows")
    print("seconds of a round = rows / workers * a row + a block + a message + workers * bytes / 1 Gbit/s")
    print("\n| workers | 10^5 rows: s a round | speedup | 10^6 rows | speedup | 10^7 rows | speedup |")
    print("|---|---|---|---|---|---|---|")
    alone = {n: n * row + block for n in (10**5, 10**6, 10**7)}
    for workers in (1, 2, 4, 8, 16, 32, 64):
        cells = []
        for n, one in alone.items():
            seconds = n * row / workers + block + message + workers * size / NETWORK
            cells += [f"{seconds:.2f}", f"{one / seconds:.1f}"]
        print(f"| {workers} | {' | '.join(cells)} |")


def costs_of_a_round() -> tuple[float, float]:
    """(CPU seconds a row, CPU seconds of a block), of rounds of ww in this process."""
    terms = terms_of(machine="ww", kernel=KERNELS["rbf"](gamma=0.1), classes=CLASSES)
    spent = {}
    with limited(1):
        for n in (20_000, 40_000):
            rows, labels = overlapping(n)
            solving: list[float] = []
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(partitioned_run, "solve_block", timed(partitioned_run.solve_block, solving))
                run = PartitionedRun(terms, LocalPartitions([Partition(terms.problem(rows, labels))]))
                run.advance()
                began = time.process_time() - sum(solving)
                for _ in range(6):
                    run.advance()
                spent[n] = (time.process_time() - sum(solving) - began) / 6.0
    return (spent[40_000] - spent[20_000]) / 20_000.0, float(np.mean(solving))


def timed(work: Callable[..., Any], seconds: list[float]) -> Callable[..., Any]:
    def measured(*given: Any) -> Any:
        began = time.process_time()
        found = work(*given)
        seconds.append(time.process_time() - began)
        return found

    return measured
