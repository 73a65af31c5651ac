"""Parts of a training on workers: questions are sent as tasks; another worker reads a lost part again.

Each part is a PartHolder in the memory of one worker. If the worker is lost, Dask would create the part again, but
without its later state. Therefore a part is bound to its worker, and this module creates it again.
"""

from __future__ import annotations

import asyncio
import pickle
import time
import uuid
from collections.abc import Collection, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.partitioned.messages import LostPartitionsError
from mcsvm.solvers.partitioned.partitions import Partitions
from mcsvm.solvers.selection.executor import LostWorkers
from mcsvm_gui.core.cluster.connection import Connection
from mcsvm_gui.core.cluster.holder import PartFiles, PartHolder, Settled

if TYPE_CHECKING:
    from distributed import Future

LOOK_EVERY = 0.25  # seconds between two checks whether the workers are still connected
RETURN_WITHIN = 60.0  # seconds to wait for a worker after the last one is gone


@dataclass
class _Place:
    worker: str
    holder: Future


class WorkerPartitions(Partitions):
    """`sent` and `received` count the bytes of all questions and answers."""

    def __init__(self, connection: Connection, sources: Sequence[PartFiles], workers: Sequence[str]) -> None:
        self.sources, self._connection = list(sources), connection
        self._name = f"mcsvm-{uuid.uuid4().hex}"
        self._asked = self.sent = self.received = self.lost = 0
        self.per_round = 0  # bytes of all questions and answers in the last round
        self._settled: Settled | None = None
        self._places: dict[int, _Place] = {}
        for number, worker in enumerate(workers[: len(sources)]):
            self._call(self._hold(number, worker))

    @property
    def count(self) -> int:
        return len(self.sources)

    def hold(self, held: Sequence[np.ndarray]) -> None:
        """Hold rows of each part out of training, also if the part is read again later."""
        self.sources = [replace(source, held=rows) for source, rows in zip(self.sources, held, strict=True)]
        while True:
            try:
                self.ask("hold", [(rows,) for rows in held])
                return
            except LostPartitionsError:
                continue

    def settle(self, settled: Settled) -> None:
        """Settle all parts, also if a part is lost in the meantime."""
        self._settled = settled
        while True:
            try:
                self.ask_all("settle", settled)
                return
            except LostPartitionsError:
                continue

    def ask(self, question: str, arguments: Sequence[Sequence[Any]], of: Collection[int] | None = None) -> list[Any]:
        numbers = list(range(self.count) if of is None else of)
        packed = [pickle.dumps((question, tuple(given))) for given in arguments]
        answers, lost = self._call(self._answers(numbers, packed))
        if lost:
            self.lost += len(lost)
            self._make_again(sorted(lost))
            raise LostPartitionsError(lost)
        sent, received = sum(map(len, packed)), sum(map(len, answers))
        self.sent, self.received = self.sent + sent, self.received + received
        self.per_round = sent + received if question == "round" else self.per_round
        return [pickle.loads(answer) for answer in answers]

    def _call(self, work: Any) -> Any:
        try:
            return self._connection.call(work, float("inf"))
        except (OSError, CancelledError) as error:
            raise self._gone() from error

    def _gone(self) -> LostWorkers:
        return LostWorkers("{address}: the scheduler has gone, and with it the rows", address=self._connection.address)

    # -- in the connection's thread ----------------------------------------------------------------

    async def _hold(self, number: int, worker: str) -> None:
        holder = self._submit(worker, PartHolder, self.sources[number])
        self._places[number] = _Place(worker, holder)

    def _submit(self, worker: str, what: Any, *given: Any) -> Future:
        self._asked += 1
        key = f"{self._name}-{self._asked}"
        found: Future = self._connection.client.submit(what, *given, key=key, workers=[worker], pure=False)
        return found

    async def _answers(self, numbers: Sequence[int], packed: Sequence[bytes]) -> tuple[list[bytes], set[int]]:
        """Return (answers, lost parts) when every other part has answered."""
        futures = {}
        for number, question in zip(numbers, packed, strict=True):
            place = self._places[number]
            futures[number] = self._submit(place.worker, PartHolder.answer, place.holder, question)
        waiting = {number: asyncio.ensure_future(_result(future)) for number, future in futures.items()}
        try:
            while any(not task.done() for task in waiting.values()):
                await asyncio.wait(waiting.values(), timeout=LOOK_EVERY)
                there = await self._workers()
                for number in [one for one in waiting if self._places[one].worker not in there]:
                    waiting.pop(number).cancel()
            for number, task in waiting.items():
                if task.exception() is not None:
                    raise _told(task.exception(), self._places[number].worker)
            answers = {number: answer for number, task in waiting.items() if (answer := task.result()) is not None}
            return [answers[number] for number in numbers if number in answers], set(numbers) - set(answers)
        finally:
            for task in waiting.values():
                task.cancel()

    async def _workers(self) -> list[str]:
        if self._connection.client.status != "running":
            raise self._gone()
        return sorted(await self._connection.client.nthreads())

    # -- lost parts -------------------------------------------------------------------------------

    def _make_again(self, lost: Sequence[int]) -> None:
        """Create lost parts again, on the workers that hold the fewest parts."""
        while True:
            workers = self._call(self._wait_for_workers())
            for number in lost:
                load = [place.worker for other, place in self._places.items() if other not in lost]
                least = min(workers, key=load.count)
                self._call(self._hold(number, least))
            if self._settled is None:
                return
            questions = [pickle.dumps(("settle", (self._settled,)))] * len(lost)
            if not self._call(self._answers(lost, questions))[1]:
                return

    async def _wait_for_workers(self) -> list[str]:
        deadline = time.monotonic() + RETURN_WITHIN
        while time.monotonic() < deadline:
            if workers := await self._workers():
                return workers
            await asyncio.sleep(LOOK_EVERY)
        raise LostWorkers("{address}: all workers have gone, and with them the rows", address=self._connection.address)


async def _result(future: Future) -> bytes | None:
    """Return the answer of a task; None if its worker is lost."""
    from distributed import KilledWorker

    try:
        found: bytes = await future
        return found
    except (KilledWorker, CancelledError):
        return None


def _told(error: BaseException | None, worker: str) -> BaseException:
    """Return the error of a worker, with its name, because a worker may see other files than this computer."""
    if isinstance(error, InputError):
        return InputError("{error} (worker {worker})", error=error.sentence, worker=worker)
    assert error is not None
    return error
