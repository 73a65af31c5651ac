"""Remote workers: tasks are sent as threads come free, and results arrive while tasks run."""

from __future__ import annotations

import asyncio
import pickle
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, wait
from contextlib import contextmanager, suppress
from dataclasses import replace
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from mcsvm.solvers.errors import Sentence
from mcsvm.solvers.selection.cell import Trial
from mcsvm.solvers.selection.executor import Folds, LostWorkers, drained
from mcsvm.solvers.selection.settings import TrainingSettings
from mcsvm.solvers.selection.trials.task import Done, Task
from mcsvm.solvers.work import LOOK_SECONDS
from mcsvm_gui.core.cluster.connection import FAREWELL, Connection
from mcsvm_gui.core.cluster.examining import checked_cluster
from mcsvm_gui.core.tune.cluster import worker
from mcsvm_gui.core.tune.cluster.payload import Payload

if TYPE_CHECKING:
    from distributed import Event, Queue

STOP_WITHIN = 0.8  # seconds; afterwards a stop waits for no worker
AHEAD = 2  # tasks under way per thread: no thread waits for its next task, and a lost worker loses few
COUNTED_EVERY = 1.0  # seconds between counts of the threads
ATTEMPTS = 4  # at a task; Dask gives up a task when several workers have died under it


@contextmanager
def workers_at(address: str, stopped: Callable[[], bool]) -> Iterator[Workers]:
    """Yield the workers; raise InputError without workers, or if they would compute different numbers."""
    with Connection(address, stopped) as connection:
        yield Workers(connection, max(checked_cluster(connection).threads))


class Workers:
    """The workers of a connection that stays open as long as they are needed."""

    def __init__(self, connection: Connection, threads: int) -> None:
        self._connection, self._threads = connection, threads  # the most of one worker: they share its memory
        self._shares: WeakKeyDictionary[Folds, Payload] = WeakKeyDictionary()
        self._prepare: Payload | None = None

    def perform(
        self, tasks: Sequence[Task], folds: Folds, settings: TrainingSettings, stopped: Callable[[], bool]
    ) -> Iterator[Done]:
        if not tasks:
            return
        batch = TaskBatch(self._connection, self._payload(folds), replace(settings, jobs=self._threads))
        work = self._connection.begin(batch.run(tasks))
        try:
            yield from self._followed(work, batch, stopped)
        finally:
            self._connection.give_up(batch.abandon)
            wait([work], timeout=FAREWELL)

    def _payload(self, folds: Folds) -> tuple[Payload, Payload]:
        """Return the payloads: rows are sent once for all plans of a search, folds of a plan once for all its steps."""
        if self._prepare is None or self._prepare.content is not folds.prepare:
            self._prepare = Payload(self._connection, folds.prepare)
        if folds not in self._shares:
            self._shares[folds] = Payload(self._connection, worker.FoldShare(folds.parts))
        return self._shares[folds], self._prepare

    def _followed(self, work: Future[None], batch: TaskBatch, stopped: Callable[[], bool]) -> Iterator[Done]:
        deadline = float("inf")
        while not work.done() and time.monotonic() < deadline:
            wait([work], timeout=LOOK_SECONDS)
            yield from drained(batch.came)
            if stopped() and not batch.stopping:
                batch.stopping, deadline = True, time.monotonic() + STOP_WITHIN
        if work.done():
            work.result()
        yield from drained(batch.came)


class TaskBatch:
    """Tasks under way. It lives in the connection's thread, except for `came` and `stopping`."""

    def __init__(self, connection: Connection, payload: tuple[Payload, Payload], settings: TrainingSettings) -> None:
        self.came: SimpleQueue[Done] = SimpleQueue()
        self.stopping = False
        self._connection, self._payload, self._settings = connection, payload, settings
        self._name = f"mcsvm-{uuid.uuid4().hex}"
        self._seen: set[Trial] = set()  # a repeated task returns its earlier results again
        self._room, self._counted = 0, -COUNTED_EVERY
        self._self: asyncio.Task[Any] | None = None

    def abandon(self) -> None:
        if self._self is not None:
            self._self.cancel()

    async def run(self, tasks: Sequence[Task]) -> None:
        from distributed import Event, Queue

        self._self = asyncio.current_task()
        queue, stop = (
            Queue(self._name, client=self._connection.client),
            Event(self._name, client=self._connection.client),
        )
        try:
            await queue
            await self._work_through(deque(enumerate(tasks)), queue, stop)
        except OSError as error:
            raise LostWorkers(
                "{address}: the scheduler has gone; what was done stands", address=self._connection.address
            ) from error
        finally:
            queue.close()
            with suppress(OSError):
                await asyncio.wait_for(stop.clear(), FAREWELL / 2)
            self._self = None

    async def _work_through(self, waiting: deque[tuple[int, Task]], queue: Queue, stop: Event) -> None:
        under_way: set[asyncio.Task[None]] = set()
        told = False
        try:
            while waiting or under_way:
                if self.stopping and not told:
                    waiting.clear()
                    await stop.set()
                    told = True
                await self._count_threads()
                while waiting and len(under_way) < self._room:
                    under_way.add(asyncio.create_task(self._see_to(*waiting.popleft())))
                over, under_way = await _first(under_way)
                self._take(await queue.get(batch=True))
                for task in over:
                    task.result()
        finally:
            for task in under_way:
                task.cancel()

    async def _count_threads(self) -> None:
        if time.monotonic() - self._counted >= COUNTED_EVERY:
            self._room = max(1, AHEAD * sum((await self._connection.client.nthreads()).values()))
            self._counted = time.monotonic()

    def _take(self, handfuls: Sequence[bytes]) -> None:
        for handful in handfuls:
            for done in pickle.loads(handful):
                if done[0] not in self._seen:
                    self._seen.add(done[0])
                    self.came.put(done)

    async def _see_to(self, number: int, task: Task) -> None:
        from distributed import KilledWorker

        for attempt in range(ATTEMPTS):
            share, prepare = [await piece.sent() for piece in self._payload]
            key = f"{self._name}-{number}-{attempt}"
            try:
                await self._connection.client.submit(
                    worker.work, task, share, prepare, self._settings, self._name, key=key, pure=False
                )
                return
            except KilledWorker as error:
                trouble: Exception = error
            except CancelledError as error:  # of the future: data that it needs were lost with their last holder
                trouble = error
        raise LostWorkers("{address}: {why}", address=self._connection.address, why=_given_up(task)) from trouble


async def _first(tasks: set[asyncio.Task[None]]) -> tuple[set[asyncio.Task[None]], set[asyncio.Task[None]]]:
    if not tasks:
        return set(), set()
    return await asyncio.wait(tasks, timeout=LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED)


def _given_up(task: Task) -> Sentence:
    if task.gamma is None:
        return Sentence(
            "workers died again and again under fold {fold}, perhaps for want of memory: a smaller kernel cache"
            " takes less",
            fold=task.fold + 1,
        )
    return Sentence(
        "workers died again and again under fold {fold} and gamma {gamma:g}, perhaps for want of memory: a smaller"
        " kernel cache takes less",
        fold=task.fold + 1,
        gamma=task.gamma,
    )
