"""A scheduler and two workers, as processes of their own."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from dask_cluster import DaskCluster

from mcsvm_gui.core.cluster.examining import examine


@pytest.fixture(scope="session")
def processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    made = DaskCluster(tmp_path_factory.mktemp("cluster"))
    yield made
    made.close()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Three programs start for them; before marks choose what runs."""
    for item in items:
        if "cluster" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)


@pytest.fixture
def cluster(processes: DaskCluster) -> DaskCluster:
    """With two workers, whatever the tests before did to them."""
    while sum(worker.poll() is None for worker in processes.workers) < 2:
        processes.add_worker()
    deadline = time.monotonic() + 60.0
    while examine(processes.address).workers != 2:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return processes
