"""Executor: runs the tasks of a search. Threads, in this process; a Dask cluster in mcsvm_gui/core/tune/cluster.

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

from solvers.errors import InputError
from solvers.selection.folds import Fold
from solvers.selection.settings import TrainingSettings
from solvers.selection.trials.shared import FoldRows
from solvers.selection.trials.task import Done, Task, perform
from solvers.work import LOOK_SECONDS, limited

RowsKey = tuple[int, float, float]  # fold, share of the training rows, share of the test rows


class StoppedError(Exception):
    """Rows were not prepared to the end, because the search stopped."""


class Folds:
    """The prepared rows of each fold, made on first use; distances are freed when no task uses their fold.

    `prepare` may have a method `sample(fold, share, tested, stopped)`, which prepares a share of the training rows and
    of the test rows without the others, and raises StoppedError after a stop. Rows that no task uses are kept while all
    rows take at most `most_bytes`.
    """

    def __init__(
        self, parts: Sequence[Fold], prepare: Callable[[Fold], FoldRows], most_bytes: float = math.inf
    ) -> None:
        self.parts, self.prepare, self._lock = parts, prepare, threading.Lock()
        self._sample = getattr(prepare, "sample", None)
        self._most_bytes = most_bytes
        self._rows: dict[RowsKey, FoldRows] = {}  # the rows that were used last come last
        self._users: Counter[RowsKey] = Counter()

    def __len__(self) -> int:
        return len(self.parts)

    @contextmanager
    def used(
        self, fold: int, share: float = 1.0, tested: float = 1.0, stopped: Callable[[], bool] = lambda: False
    ) -> Iterator[FoldRows]:
        """Rows of a fold for one task: a share of the training rows, and of the test rows.

        Tasks come fold after fold; entering a fold frees the distances of others. Raises StoppedError after a stop.
        """
        key = (fold, 1.0, 1.0) if self._sample is None else (fold, share, tested)
        with self._lock:
            if stopped():  # while another task prepared its rows
                raise StoppedError
            rows = self._prepared(key, stopped)
            self._users[key] += 1
            self._forget_idle(but=fold)
        try:
            yield rows.nested(share, tested) if self._sample is None else rows
        finally:
            with self._lock:
                self._users[key] -= 1

    def forget_distances(self) -> None:
        """Of all folds, at the end of a round of tasks."""
        with self._lock:
            self._forget_idle()

    def _prepared(self, key: RowsKey, stopped: Callable[[], bool]) -> FoldRows:
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
        """Forget rows that no task uses, those used longest ago first, until half the bytes are free."""
        held = {key: rows.prepared_bytes for key, rows in self._rows.items()}
        for key, size in held.items():
            if sum(held[other] for other in self._rows) <= 0.5 * self._most_bytes:
                break
            if size and not self._users[key]:
                del self._rows[key]

    def _forget_idle(self, but: int | None = None) -> None:
        """The distances of folds that no task uses."""
        for key, rows in self._rows.items():
            if key[0] != but and not self._users[key]:
                rows.forget_distances()


class LostWorkers(InputError):
    """All workers were lost before the end of the search; results so far are kept."""


class Executor(Protocol):
    """`stopped` is asked by every thread that works, between slices; a search pauses where it does not answer yet."""

    def perform(
        self, tasks: Sequence[Task], folds: Folds, settings: TrainingSettings, stopped: Callable[[], bool]
    ) -> Iterator[Done]:
        """Yield results as tasks finish; ends within a second of a stop."""
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
