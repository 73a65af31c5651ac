"""Trainings of an experiment on a Dask cluster: each training is one task; data are sent to every worker once."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcsvm.solvers.selection.executor import LostWorkers
from mcsvm.solvers.work import LOOK_SECONDS
from mcsvm_gui.core.cluster.connection import FAREWELL, Connection
from mcsvm_gui.core.cluster.examining import checked_cluster
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.tune.cluster.dispatch import AHEAD, ATTEMPTS, STOP_WITHIN
from mcsvm_gui.core.tune.cluster.payload import Payload
from mcsvm_gui.core.tune.cluster.worker import StopSignal

if TYPE_CHECKING:
    from mcsvm_gui.core.compare.comparison import Side
    from mcsvm_gui.core.experiment.running import PlannedTraining
    from mcsvm_gui.core.machine.request import Request

Trained = tuple[Mapping[str, Any], "Side"]


@dataclass(frozen=True, eq=False)
class LoadedRows:
    """The rows of a data set of the experiment."""

    dataset: Dataset
    test: Dataset | None  # its test file


class TrainingTasks:
    """Train on a cluster. Several threads call it, and each waits for its training; `threads` keep all workers busy."""

    def __init__(self, connection: Connection, rows: Mapping[str, LoadedRows], threads: int) -> None:
        self.threads, self._connection = threads, connection
        self._name = f"mcsvm-{uuid.uuid4().hex}"
        self._payloads = {name: Payload(connection, content) for name, content in rows.items()}
        self._told = False

    def train(
        self, job: PlannedTraining, request: Request, how: dict[str, Any] | None, stopped: Callable[[], bool]
    ) -> Trained | None:
        """Return the result of a training; None if a stop came first, or if the worker does not react to the stop."""
        if stopped():
            return None
        work = self._connection.begin(self._train(job, request, how))
        deadline = float("inf")
        while not work.done() and time.monotonic() < deadline:
            time.sleep(LOOK_SECONDS)
            if stopped() and deadline == float("inf"):
                self._connection.begin(self._stop())
                deadline = time.monotonic() + STOP_WITHIN
        if not work.done():
            work.cancel()
            return None
        return work.result()

    # -- in the connection's thread ----------------------------------------------------------------

    async def _train(self, job: PlannedTraining, request: Request, how: dict[str, Any] | None) -> Trained:
        from distributed import KilledWorker

        for attempt in range(ATTEMPTS):
            rows = await self._payloads[job.spec.data].sent()
            key = f"{self._name}-{job.place}-{attempt}"
            try:
                found: Trained = await self._connection.client.submit(
                    _train_there, rows, job, request, how, self._name, key=key, pure=False
                )
                return found
            except (KilledWorker, CancelledError) as error:
                trouble: BaseException = error
            except OSError as error:
                raise LostWorkers("{address}: the scheduler has gone", address=self._connection.address) from error
        raise LostWorkers(
            "{address}: workers died again and again under {training}",
            address=self._connection.address,
            training=job.text,
        ) from trouble

    async def _stop(self) -> None:
        from distributed import Event

        if not self._told:
            self._told = True
            await asyncio.wait_for(Event(self._name, client=self._connection.client).set(), FAREWELL)


def _train_there(
    rows: LoadedRows, job: PlannedTraining, request: Request, how: dict[str, Any] | None, name: str
) -> Trained:
    from distributed import Event, get_worker

    from mcsvm_gui.core.experiment.running import rows_of, train_one

    worker = get_worker()
    stopped = StopSignal(Event(name), worker, str(worker.get_current_task()))
    dataset, test = rows_of(job, rows)
    result = train_one(job, request, how, dataset, test, stopped)
    return result.document, result.side


@contextmanager
def training_tasks(address: str, rows: Mapping[str, LoadedRows]) -> Iterator[TrainingTasks]:
    """Connect to a cluster. Raises InputError without workers, or if a worker would compute other numbers."""
    with Connection(address) as connection:
        yield TrainingTasks(connection, rows, AHEAD * sum(checked_cluster(connection).threads))
