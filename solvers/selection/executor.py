"""Executor: runs the tasks of a search. Threads, in this process; a Dask cluster in mcsvm_gui/core/tune/cluster.

The result of a task depends on its trials alone, so that every executor gives the same numbers.
"""

from __future__ import annotations

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


class Folds:
    """The prepared rows of each fold, made on first use; distances are freed when no task uses their fold."""

    def __init__(self, parts: Sequence[Fold], prepare: Callable[[Fold], FoldRows]) -> None:
        self.parts, self.prepare, self._lock = parts, prepare, threading.Lock()
        self._rows: dict[int, FoldRows] = {}
        self._users: Counter[int] = Counter()

    def __len__(self) -> int:
        return len(self.parts)

    @contextmanager
    def used(self, fold: int) -> Iterator[FoldRows]:
        """Rows of a fold for one task. Tasks come fold after fold; entering a fold frees the distances of others."""
        with self._lock:
            rows = self._prepared(fold)
            self._users[fold] += 1
            self._forget_idle(but=fold)
        try:
            yield rows
        finally:
            with self._lock:
                self._users[fold] -= 1

    def forget_distances(self) -> None:
        """Of all folds, at the end of a round of tasks."""
        with self._lock:
            self._forget_idle()

    def _prepared(self, fold: int) -> FoldRows:
        if fold not in self._rows:
            self._rows[fold] = self.prepare(self.parts[fold])
        return self._rows[fold]

    def _forget_idle(self, but: int | None = None) -> None:
        """The distances of folds that no task uses."""
        for fold, rows in self._rows.items():
            if fold != but and not self._users[fold]:
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
    with folds.used(task.fold) as rows:
        yield from perform(task, rows, settings, stopped)


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
