"""The code that runs on a worker: one task of a search."""

from __future__ import annotations

import pickle
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from mcsvm.solvers.selection.executor import Folds, perform_one
from mcsvm.solvers.selection.folds import Fold
from mcsvm.solvers.selection.settings import TrainingSettings
from mcsvm.solvers.selection.trials.shared import FoldRows
from mcsvm.solvers.selection.trials.task import Done, Task
from mcsvm.solvers.work import limited

if TYPE_CHECKING:
    from distributed import Event, Queue, Worker

HANDED_OVER_EVERY = 0.25  # seconds
ASKED_EVERY = 0.2  # seconds between checks for a stop, which ask the scheduler


class FoldShare:
    """The folds of one plan; data that a worker prepares from them are stored there, and freed with them."""

    def __init__(self, parts: Sequence[Fold]) -> None:
        self.parts, self._lock = parts, threading.Lock()
        self._folds: Folds | None = None

    def __reduce__(self) -> tuple[object, ...]:
        return FoldShare, (self.parts,)

    def folds(self, prepare: Callable[[Fold], FoldRows]) -> Folds:
        with self._lock:
            if self._folds is None:
                self._folds = Folds(self.parts, prepare)
            return self._folds


def work(
    task: Task, share: FoldShare, prepare: Callable[[Fold], FoldRows], settings: TrainingSettings, name: str
) -> None:
    """Perform a task; results enter the queue as they are done, all of them before the task is finished."""
    from distributed import Event, Queue, get_worker

    worker = get_worker()
    results, stopped = Queue(name), StopSignal(Event(name), worker, str(worker.get_current_task()))
    try:
        with limited(settings.threads or 1):
            _hand_over(perform_one(task, share.folds(prepare), settings, stopped), results)
    finally:
        results.close()


def _hand_over(found: Iterable[Done], results: Queue) -> None:
    handful: list[Done] = []
    last = time.monotonic()
    for done in found:
        handful.append(done)
        if time.monotonic() - last >= HANDED_OVER_EVERY:
            results.put(pickle.dumps(handful))
            handful, last = [], time.monotonic()
    if handful:
        results.put(pickle.dumps(handful))


class StopSignal:
    """Whether to stop: because of a request, or because no client waits for the task any more."""

    def __init__(self, event: Event, worker: Worker, key: str) -> None:
        self._event, self._worker, self._key = event, worker, key
        self._stop, self._asked = False, 0.0

    def __call__(self) -> bool:
        now = time.monotonic()
        if not self._stop and now - self._asked >= ASKED_EVERY:
            self._asked = now
            self._stop = self._forgotten() or self._event.is_set()
        return self._stop

    def _forgotten(self) -> bool:
        """Return whether the client of the task is gone: Dask marks such a running task but does not stop it."""
        task = self._worker.state.tasks.get(self._key)
        return task is None or task.state == "cancelled"
