"""Running a search: its tasks on several threads over the same memory, results merged as they come.

A task depends on nothing but its own trials, so that the numbers are the same on any number of threads.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue

from solvers.selection.cell import Cell, CellResult, FoldResult, Trial, summarise
from solvers.selection.folds import Fold
from solvers.selection.search import Steps
from solvers.selection.settings import Settings
from solvers.selection.shared import FoldRows
from solvers.selection.task import Done, Task, perform, tasks_of
from solvers.threads import limited

EVERY = 0.1  # seconds between looks at what has come and whether to stop

Report = Callable[[Done], object]


class Folds:
    """The rows of each fold, prepared when first asked for; distances go with the last task that needs them."""

    def __init__(self, parts: Sequence[Fold], prepare: Callable[[Fold], FoldRows]) -> None:
        self.parts, self._prepare, self._lock = parts, prepare, threading.Lock()
        self._rows: dict[int, FoldRows] = {}
        self._waiting: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self.parts)

    def expect(self, tasks: Sequence[Task]) -> None:
        for task in tasks:
            self._waiting[task.fold] = self._waiting.get(task.fold, 0) + 1

    def of(self, fold: int) -> FoldRows:
        with self._lock:
            if fold not in self._rows:
                self._rows[fold] = self._prepare(self.parts[fold])
            return self._rows[fold]

    def leave(self, fold: int) -> None:
        with self._lock:
            self._waiting[fold] -= 1
            if self._waiting[fold] == 0 and fold in self._rows:
                vars(self._rows[fold]).pop("distances", None)


@dataclass
class Plan:
    """A search over prepared folds. `run` ends when the search does, or within a second of a wish to stop."""

    search: Steps
    folds: Folds
    settings: Settings
    done: dict[Trial, FoldResult] = field(default_factory=dict)  # from an earlier run: not done again
    stopped: Callable[[], bool] = lambda: False
    report: Report | None = None
    expected: int = 0  # trials asked for so far

    def run(self) -> dict[Cell, CellResult]:
        with limited(self.settings.threads):
            results: dict[Cell, CellResult] | None = None
            while (trials := self._next(results)) is not None and not self.stopped():
                self.expected += len(trials)
                missing = [trial for trial in trials if trial not in self.done]
                for trial, result in self._perform(tasks_of(missing)):
                    self.done[trial] = result
                    if self.report is not None:
                        self.report((trial, result))
                results = self.results()
        return self.results()

    def results(self) -> dict[Cell, CellResult]:
        """In an order that does not depend on which thread was first."""
        return summarise({trial: self.done[trial] for trial in sorted(self.done, key=_order)})

    def _next(self, results: dict[Cell, CellResult] | None) -> list[Trial] | None:
        try:
            return next(self.search) if results is None else self.search.send(results)
        except StopIteration:
            return None

    def _perform(self, tasks: list[Task]) -> Iterator[Done]:
        self.folds.expect(tasks)
        if self.settings.jobs == 1:
            for task in tasks:
                yield from self._one(task, self.stopped)
            return
        yield from self._on_threads(tasks)

    def _one(self, task: Task, stopped: Callable[[], bool]) -> Iterator[Done]:
        try:
            yield from perform(task, self.folds.of(task.fold), self.settings, stopped)
        finally:
            self.folds.leave(task.fold)

    def _on_threads(self, tasks: list[Task]) -> Iterator[Done]:
        halt, came = threading.Event(), SimpleQueue[Done]()

        def work(task: Task) -> None:
            for done in self._one(task, halt.is_set):
                came.put(done)

        pool = ThreadPoolExecutor(self.settings.jobs, thread_name_prefix="tune")
        try:
            waiting: set[Future[None]] = {pool.submit(work, task) for task in tasks}
            while waiting:
                over, waiting = wait(waiting, timeout=EVERY, return_when=FIRST_COMPLETED)
                yield from emptied(came)
                for future in over:
                    future.result()
                if self.stopped():
                    halt.set()
            yield from emptied(came)
        finally:
            halt.set()
            pool.shutdown(cancel_futures=True)


def emptied(queue: SimpleQueue[Done]) -> Iterator[Done]:
    while True:
        try:
            yield queue.get_nowait()
        except Empty:
            return


def _order(trial: Trial) -> tuple[str, float, float, int]:
    cell, fold = trial
    return cell.machine, -1.0 if cell.gamma is None else cell.gamma, cell.C, fold
