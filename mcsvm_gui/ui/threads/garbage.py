"""When memory is freed. Only the window's thread collects cyclic garbage, and never searches permanent objects.

* Python runs a collection in any thread that allocates one object too many. In a training's thread, it destroyed Qt
  objects left by plots, which only their own thread may touch: in rare cases, the program crashed or hung. So Python's
  automatic collections are off, and a timer of the window's thread collects instead.
* Modules, pages and the runs of a project are permanent. A collection that searches them holds every thread:
  150 to 250 ms for 280,000 objects. So they are frozen once they exist, after one collection, because frozen garbage
  is never found.
* Memory that jobs freed stays with glibc, in arenas of threads that have ended: 8 MB after 30 trainings of 200 rows.
  So it is returned to the system once no job is left.

Nothing else in this package starts or disables collections.
"""

from __future__ import annotations

import ctypes
import gc
import sys

from PySide6.QtCore import QObject, QTimer

EVERY = 1000  # ms
MANY_RUNS = 1000  # in a project; 10,000 runs are 100,000 objects


class GarbageCollector(QObject):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        timer = QTimer(self)
        timer.timeout.connect(collect_what_is_due)
        timer.start(EVERY)

    def spare_what_is_loaded(self) -> None:
        """Freeze all objects, now that all imports are done and all pages exist."""
        spare_what_is_here()

    def spare_runs(self, count: int) -> None:
        """Freeze all objects after a project with many runs was read."""
        if count > MANY_RUNS:
            spare_what_is_here()


def spare_what_is_here() -> None:
    gc.collect()
    gc.freeze()


def return_freed_memory() -> None:
    """Return freed memory to the system; C libraries other than glibc do so by themselves."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


def collect_what_is_due() -> None:
    """Collect as Python would: the oldest generation that is due, with all younger ones."""
    counts, limits = gc.get_count(), gc.get_threshold()
    due = [generation for generation in range(3) if counts[generation] > limits[generation]]
    if due:
        gc.collect(due[-1])
