"""Small searches, here and on a cluster, and what both must have in common."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from dask_cluster import DaskCluster

from mcsvm.solvers.selection.cell import FoldResult
from mcsvm.solvers.selection.grid import Range
from mcsvm.solvers.selection.trials.task import Done
from mcsvm_gui.core.base.resources import dataset
from mcsvm_gui.core.cluster.connection import Connection
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.tune.search import Tuned, TuneRequest, Tuning

ASKED = TuneRequest(("ww", "ovo"), Range(0, 4), Range(-4, 2), folds=3)
LONG = TuneRequest(("llw",), Range(-2, 20, 0.25), Range(-10, 4, 0.25), folds=10)


@cache
def iris() -> Dataset:
    return open_dataset(dataset("iris"))


@cache
def here(wanted: TuneRequest) -> Tuned:
    return Tuning(Request(), replace(wanted, jobs=2), iris()).run()


def there(
    cluster: DaskCluster,
    wanted: TuneRequest,
    report: Callable[[Done], object] | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> Tuned:
    return Tuning(Request(), replace(wanted, scheduler=cluster.address), iris()).run(report, stopped)


def assert_same(one: Tuned, other: Tuned) -> None:
    """All but the time."""
    assert list(one.results) == list(other.results)
    for cell, result in one.results.items():
        found = [_plain(fold) for fold in result.by_fold.values()]
        assert found == [_plain(fold) for fold in other.results[cell].by_fold.values()], cell
    assert [(found.chosen, found.fold_accuracy) for found in one.nested] == [
        (found.chosen, found.fold_accuracy) for found in other.nested
    ]


def _plain(fold: FoldResult) -> tuple[FoldResult, dict[str, Any]]:
    """What can be compared: arrays have no one truth."""
    arrays = {**vars(fold.tested), "values": fold.values}
    return replace(fold, seconds=0.0, tested=None, values=None), {
        name: np.asarray(value).tolist() for name, value in arrays.items()
    }


def folds_of(tuned: Tuned) -> int:
    return sum(result.folds for result in tuned.results.values())


def running(cluster: DaskCluster) -> bool:
    """Whether any worker has a task in hand."""

    async def asked(connection: Connection) -> bool:
        return any((await connection.client.call_stack()).values())

    with Connection(cluster.address) as connection:
        return connection.call(asked(connection), 10.0)


def wait_until(cluster: DaskCluster, *, busy: bool, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while running(cluster) is not busy:
        assert time.monotonic() < deadline
        time.sleep(0.1)
