"""Searches on a cluster: the cells of threads here, whatever happens to workers; a stop, and an end that is no end."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
from cluster.searches import ASKED, LONG, assert_same, folds_of, here, iris, there, wait_until
from command_line import mcsvm
from dask_cluster import DaskCluster
from pytestqt.qtbot import QtBot

from mcsvm.solvers.selection.grid import Range
from mcsvm.solvers.selection.trials.task import Done
from mcsvm_gui.core.base.resources import dataset
from mcsvm_gui.core.cluster.examining import examine
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.state import JobState
from mcsvm_gui.core.tune.search import TuneRequest, Tuning
from mcsvm_gui.ui.threads.queue import JobQueue
from mcsvm_gui.ui.threads.search import Searched, SearchJob, Tried

pytest.importorskip("distributed")


@pytest.mark.slow
@pytest.mark.parametrize(
    "wanted",
    [
        ASKED,
        replace(ASKED, machines=("ovo", "cs"), C=Range(0, 4, 2), gamma=Range(-4, 0, 2), nested=True),
        replace(ASKED, machines=("dag",), C=Range(0, 2), search="per-pair", repeats=2),
    ],
    ids=["grid", "nested", "per-pair"],
)
def test_cells_are_those_of_threads_here(cluster: DaskCluster, wanted: TuneRequest) -> None:
    reported: list[Done] = []
    found = there(cluster, wanted, reported.append)
    assert not found.stopped
    assert_same(found, here(wanted))
    if not wanted.nested:
        assert len({trial for trial, _ in reported}) == len(reported) == folds_of(found)


def test_a_stop_is_heard_soon_and_leaves_nothing_running(cluster: DaskCluster) -> None:
    came: list[Done] = []
    asked: list[float] = []

    def stopped() -> bool:
        if len(came) > 20 and not asked:
            asked.append(time.monotonic())
        return bool(asked)

    found = there(cluster, LONG, came.append, stopped)
    assert time.monotonic() - asked[0] < 4.0  # a third of a second where nothing else runs: bench_cluster
    assert found.stopped
    assert not found.trouble
    assert folds_of(found) == len(came) > 20
    wait_until(cluster, busy=False, seconds=5.0)


def test_a_pause_gives_the_workers_back_and_the_search_ends_as_threads_here_would(
    cluster: DaskCluster, qtbot: QtBot
) -> None:
    queue, tried, ended = JobQueue(), [], []

    def hear(key: object, facts: list[object]) -> None:
        tried.extend(fact for fact in facts if isinstance(fact, Tried))
        ended.extend(fact.tuned for fact in facts if isinstance(fact, Searched))

    queue.told.connect(hear)
    queue.submit(SearchJob("a", Request(), replace(ASKED, scheduler=cluster.address), iris(), {}))
    qtbot.waitUntil(lambda: len(tried) > 5, timeout=60_000)
    queue.pause("a")
    qtbot.waitUntil(lambda: queue.state("a") in (JobState.PAUSED, JobState.DONE), timeout=20_000)
    wait_until(cluster, busy=False, seconds=5.0)
    queue.resume("a")
    qtbot.waitUntil(lambda: not queue.active(), timeout=60_000)
    assert len({fact.trial for fact in tried}) == len(tried) == folds_of(ended[0])
    assert_same(ended[0], here(ASKED))
    assert queue.shut_down(10_000)


def test_a_stop_is_heard_before_the_cluster_has_answered(cluster: DaskCluster) -> None:
    found = there(cluster, LONG, stopped=lambda: True)
    assert found.stopped
    assert not found.results


def test_the_command_says_what_the_command_says_here(cluster: DaskCluster) -> None:
    options = "--machine", "ww", "--C", "1:4", "--gamma", "2^-2", "--folds", "3", "--json"
    far, near = (mcsvm("tune", dataset("iris"), *options, *more) for more in (["--scheduler", cluster.address], []))
    assert (far.code, far.err) == (near.code, near.err) == (0, "")
    timeless = [{**document, "seconds": 0} for document in (far.document, near.document)]
    for document in timeless:
        document["cells"] = [{**cell, "seconds": 0} for cell in document["cells"]]
    assert timeless[0] == timeless[1]


def test_threads_and_a_cluster_are_not_asked_for_together(cluster: DaskCluster) -> None:
    answer = mcsvm("tune", dataset("iris"), "--scheduler", cluster.address, "--jobs", "2")
    assert "--jobs" in answer.complaint


def test_what_is_examined_is_there(cluster: DaskCluster) -> None:
    found = examine(cluster.address)
    assert (found.threads, found.differences) == ((1, 1), ())


@pytest.mark.slow
def test_a_killed_worker_changes_nothing(cluster: DaskCluster) -> None:
    """Its tasks are done again."""
    victim = next(worker for worker in cluster.workers if worker.poll() is None)
    came: list[Done] = []

    def report(done: Done) -> None:
        came.append(done)
        if len(came) == 40:
            victim.kill()

    found = there(cluster, ASKED, report)
    assert not found.stopped, found.trouble
    assert victim.wait(0) < 0
    assert len({trial for trial, _ in came}) == len(came)
    assert_same(found, here(ASKED))


@pytest.mark.parametrize("search", ["grid", "halving"])
def test_weights_count_on_a_cluster_as_they_do_here(cluster: DaskCluster, search: str) -> None:
    """And are no ones: another cell wins, or wins by another score."""
    weights = np.where(np.arange(iris().rows) % 3 == 0, 4.0, 0.5)
    weighted = replace(iris(), weights=weights, weight_name="w")
    wanted = replace(ASKED, search=search, score="macro-f1")
    near = Tuning(Request(), replace(wanted, jobs=2), weighted).run()
    far = Tuning(Request(), replace(wanted, scheduler=cluster.address), weighted).run()
    assert not far.stopped, far.trouble
    assert_same(far, near)
    plain = here(wanted)
    assert [plain.results[cell].mean for cell in near.results] != [result.mean for result in near.results.values()]
