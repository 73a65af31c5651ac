"""The connection to a scheduler: an event loop in a separate thread, so that every wait has a time limit."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, wait
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from mcsvm.solvers.errors import InputError, Sentence
from mcsvm.solvers.selection.executor import LostWorkers
from mcsvm.solvers.work import LOOK_SECONDS
from mcsvm_gui.core.base import library_warnings
from mcsvm_gui.core.data.files import address as addresses

if TYPE_CHECKING:
    from distributed import Client

T = TypeVar("T")

PATIENCE = 5.0  # seconds for an answer of the scheduler
FAREWELL = 1.0  # seconds


class StoppedWaitingError(LostWorkers):
    """The caller stopped before the answer came."""


class Connection:
    """An open connection as a context manager.

    Entering raises InputError if no scheduler answers, and StoppedWaitingError after a stop.
    """

    def __init__(self, address: str, stopped: Callable[[], bool] = lambda: False) -> None:
        self.address, self._stopped = addresses.full_address(address), stopped
        self.client: Client

    def __enter__(self) -> Connection:
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(lambda loop, context: None)  # errors of tasks that Dask has abandoned
        self._thread = threading.Thread(target=self._loop.run_forever, name="cluster", daemon=True)
        self._thread.start()
        try:
            self._reach()
            self.client = self.call(_open(self.address), 2 * PATIENCE)
        except BaseException as error:
            self._end()
            raise self._sentence(error) from None
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._end()

    def heed(self, stopped: Callable[[], bool]) -> None:
        """Check `stopped` from now on during every wait for an answer."""
        self._stopped = stopped

    def begin(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def give_up(self, what: Callable[[], None]) -> None:
        self._loop.call_soon_threadsafe(what)

    def call(self, work: Coroutine[Any, Any, T], seconds: float) -> T:
        return self._answer(self.begin(work), seconds)

    def _reach(self) -> None:
        """Reach the scheduler in a thread that a stop can abandon: a name lookup or a greeting may take long."""
        self._answer(_on_thread(lambda: addresses.reach(self.address, PATIENCE)))

    def _answer(self, future: Future[T], seconds: float = float("inf")) -> T:
        deadline = time.monotonic() + seconds
        try:
            while not future.done() and time.monotonic() < deadline:
                if self._stopped():
                    raise StoppedWaitingError("stopped before anything was asked")
                wait([future], timeout=LOOK_SECONDS)
            return future.result(0.0)
        finally:
            future.cancel()

    def _sentence(self, error: BaseException) -> BaseException:
        if isinstance(error, InputError) or not isinstance(error, Exception):
            return error
        said = next(iter(str(error).splitlines()), "")
        if not said or isinstance(error, TimeoutError):
            return addresses.unreachable(self.address, addresses.NO_SCHEDULER)
        why = Sentence("{what} ({reason})", what=addresses.NO_SCHEDULER, reason=said)
        return addresses.unreachable(self.address, why)

    def _end(self) -> None:
        """Close the connection and cancel all pending tasks."""
        wait([self.begin(_close(getattr(self, "client", None)))], timeout=2 * FAREWELL)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(FAREWELL)
        if not self._thread.is_alive():
            self._loop.close()


def _on_thread(work: Callable[[], T]) -> Future[T]:
    future: Future[T] = Future()

    def run() -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name="reach", daemon=True).start()
    return future


async def _open(address: str) -> Client:
    from distributed import Client

    _silence()
    client = Client(address, asynchronous=True, timeout=PATIENCE, set_as_default=False, name="mcsvm")
    try:
        return await client
    except BaseException:
        await client.close(FAREWELL)
        raise


async def _close(client: Client | None) -> None:
    if client is not None:
        await client.close(FAREWELL)
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)


def _silence() -> None:
    """Turn off the log messages of distributed: our own sentences report everything important."""
    library_warnings.drop_version_mismatches()
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
