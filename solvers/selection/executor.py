"""Executor: runs the tasks of a search, here on threads of this process; mcsvm_gui/core/tune/cluster has one for Dask.

The result of a task depends on its trials alone, so that every executor gives the same numbers.
"""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import Protocol

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.selection.folds import Fold
from mcsvm.solvers.selection.settings import TrainingSettings
from mcsvm.solvers.selection.trials.shared import FoldRows
from mcsvm.solvers.selection.trials.task import Done, Task, perform
from mcsvm.solvers.work import LOOK_SECONDS, limited

RowsKey = tuple[int, float, float]  # fold, share of the training rows, share of the test rows


class StoppedError(Exception):
    """The search stopped before rows were prepared."""


class Folds:
    """A cache of the prepared rows of each fold. Rows are prepared at first use, distances freed after the last task.

    `prepare` may have a method `sample(fold, share, tested, stopped)`. It prepares only these shares of the training
    rows and the test rows, and raises StoppedError after a stop. Rows that no task uses stay in the cache while all
    cached rows take at most `most_bytes`.
    """

    def __init__(
        self, parts: Sequence[Fold], prepare: Callable[[Fold], FoldRows], most_bytes: float = math.inf
    ) -> None:
        self.parts, self.prepare, self._lock = parts, prepare, threading.Lock()
        self._sample = getattr(prepare, "sample", None)
        self._most_bytes = most_bytes
        self._rows: dict[RowsKey, FoldRows] = {}  # sorted by last use, the latest last
        self._users: Counter[RowsKey] = Counter()

    def __len__(self) -> int:
        return len(self.parts)

    @contextmanager
    def used(
        self, fold: int, share: float = 1.0, tested: float = 1.0, stopped: Callable[[], bool] = lambda: False
    ) -> Iterator[FoldRows]:
        """Provide the rows of a fold for one task: a share of the training rows, and a share of the test rows.

        Tasks are sorted by fold; the first task of a fold frees the distances of idle folds. Raise StoppedError after a
        stop.
        """
        key = (fold, 1.0, 1.0) if self._sample is None else (fold, share, tested)
        with self._lock:
            if stopped():  # a stop may come while another task prepares its rows
                raise StoppedError
            rows = self._prepare_rows(key, stopped)
            self._users[key] += 1
            self._forget_idle(but=fold)
        try:
            yield rows.nested(share, tested) if self._sample is None else rows
        finally:
            with self._lock:
                self._users[key] -= 1

    def forget_distances(self) -> None:
        """Free the distances of all folds that no task uses, at the end of a round of tasks."""
        with self._lock:
            self._forget_idle()

    def _prepare_rows(self, key: RowsKey, stopped: Callable[[], bool]) -> FoldRows:
        rows = self._rows.pop(key, None)
        if rows is None:
            self._make_room()
            fold, share, tested = key
            if self._sample is None:
                rows = self.prepare(self.parts[fold])
            else:
                rows = self._sample(self.parts[fold], share, tested, stopped)
        self._rows[key] = rows
        return rows

    def _make_room(self) -> None:
        """Remove idle rows, the least recently used first, until at most half of `most_bytes` is in use."""
        sizes = {key: rows.prepared_bytes for key, rows in self._rows.items()}
        for key, size in sizes.items():
            if sum(sizes[remaining] for remaining in self._rows) <= 0.5 * self._most_bytes:
                break
            if size and not self._users[key]:
                del self._rows[key]

    def _forget_idle(self, but: int | None = None) -> None:
        """Free the distances of all folds that no task uses, except for the fold `but`."""
        for key, rows in self._rows.items():
            if key[0] != but and not self._users[key]:
                rows.forget_distances()


class LostWorkers(InputError):
    """All workers were lost before the end of the search; results so far are kept."""


class Executor(Protocol):
    """Every working thread calls `stopped` between two slices. The search pauses while the call does not return."""

    def perform(
        self, tasks: Sequence[Task], folds: Folds, settings: TrainingSettings, stopped: Callable[[], bool]
    ) -> Iterator[Done]:
        """Yield results as tasks finish; end within a second of a stop."""
        ...


class Threads:
    """`settings.jobs` threads in this process."""

    def perform(
        self, tasks: Sequence[Task], folds: Folds, settings: TrainingSettings, stopped: Callable[[], bool]
    ) -> Iterator[Done]:
        try:
            if settings.jobs == 1:
                for task in tasks:
                    yield from perform_one(task, folds, settings, stopped)
            else:
                yield from _on_threads(tasks, folds, settings, stopped)
        finally:
            folds.forget_distances()


def perform_one(task: Task, folds: Folds, settings: TrainingSettings, stopped: Callable[[], bool]) -> Iterator[Done]:
    if stopped():  # before the fold is prepared
        return
    try:
        with folds.used(task.fold, task.share, settings.tested.get(task.share, 1.0), stopped) as rows:
            yield from perform(task, rows, settings, stopped)
    except StoppedError:
        return


def _on_threads(
    tasks: Sequence[Task], folds: Folds, settings: TrainingSettings, stopped: Callable[[], bool]
) -> Iterator[Done]:
    halt, came = threading.Event(), SimpleQueue[Done]()

    def work(task: Task) -> None:
        with limited(settings.threads or 1):
            for done in perform_one(task, folds, settings, lambda: halt.is_set() or stopped()):
                came.put(done)

    pool = ThreadPoolExecutor(settings.jobs, thread_name_prefix="tune")
    try:
        waiting: set[Future[None]] = {pool.submit(work, task) for task in tasks}
        while waiting:
            over, waiting = wait(waiting, timeout=LOOK_SECONDS, return_when=FIRST_COMPLETED)
            yield from drained(came)
            for future in over:
                future.result()
            if stopped():
                halt.set()
        yield from drained(came)
    finally:
        halt.set()
        pool.shutdown(cancel_futures=True)


def drained(queue: SimpleQueue[Done]) -> Iterator[Done]:
    while True:
        try:
            yield queue.get_nowait()
        except Empty:
            return
