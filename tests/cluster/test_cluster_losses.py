"""All workers gone, a search killed, a scheduler gone: each takes some processes with it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from cluster.searches import ASKED, assert_same, here, there, wait_until
from command_line import process
from dask_cluster import DaskCluster

from mcsvm.solvers.selection.trials.task import Done
from mcsvm_gui.core.base.resources import dataset
from mcsvm_gui.core.cluster.examining import examine

pytest.importorskip("distributed")
pytestmark = pytest.mark.large
LONG = "--machine", "llw", "--C", "2^-2:2^20", "--step", "0.25", "--folds", "10"


def test_new_workers_go_on_where_the_last_one_was_lost(cluster: DaskCluster) -> None:
    """The rows were lost with it, and go out again."""
    came: list[Done] = []

    def report(done: Done) -> None:
        came.append(done)
        if len(came) == 40:
            for worker in cluster.workers:
                worker.kill()
            cluster.add_worker()

    found = there(cluster, ASKED, report)
    assert not found.stopped, found.trouble
    assert len({trial for trial, _ in came}) == len(came)
    assert_same(found, here(ASKED))


def test_a_killed_search_leaves_nothing_running(cluster: DaskCluster) -> None:
    program = process("tune", dataset("iris"), *LONG, "--scheduler", cluster.address)
    wait_until(cluster, busy=True, seconds=60.0)
    program.kill()
    program.communicate()
    wait_until(cluster, busy=False, seconds=5.0)


@pytest.fixture
def lonely(tmp_path: Path) -> Iterator[DaskCluster]:
    """A cluster of its own, with one worker."""
    made = DaskCluster(tmp_path)
    made.add_worker()
    yield made
    made.close()


def test_a_lost_scheduler_ends_the_search_with_what_is_done(lonely: DaskCluster, tmp_path: Path) -> None:
    cluster, out = lonely, tmp_path / "cells.csv"
    while not examine(cluster.address).workers:
        time.sleep(0.1)
    program = process("tune", dataset("iris"), *LONG, "--json", "-o", out, "--scheduler", cluster.address)
    wait_until(cluster, busy=True, seconds=60.0)
    cluster.scheduler.kill()
    document, errors = program.communicate(timeout=60)
    assert program.returncode == 130, errors
    assert errors.startswith(f"error: {cluster.address}: the scheduler has gone")
    assert errors.count("\n") == 1
    assert '"stopped": true' in document
    assert len(pd.read_csv(out)) >= 0
