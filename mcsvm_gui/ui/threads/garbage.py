"""When memory is freed. Cyclic garbage is collected by the window's thread alone, and never among what stays anyway.

* Python lets whichever thread makes one object too many collect. Where that was a training, it tore down what plots
  had left of Qt's objects, which only their own thread may touch: the program crashed, or hung, once in a long while.
  So Python's own collections are off, and a timer of the window's thread does what is due.
* Modules, pages and the runs of a project stay. A collection that looks through them holds every thread: 150 to 250 ms
  for 280 000 objects. So they are frozen once they are there, after one collection: garbage that is frozen is
  never found.
* What jobs freed stays with glibc, in arenas of threads that have ended: 8 MB after 30 trainings of 200 rows. So it is
  returned to the system once no job is left.

Nothing else in this package asks for a collection, or forbids one.
"""

from __future__ import annotations

import ctypes
import gc
import sys

from PySide6.QtCore import QObject, QTimer

EVERY = 1000  # ms
MANY_RUNS = 1000  # of a project; 10 000 of them are 100 000 objects


class GarbageCollector(QObject):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        timer = QTimer(self)
        timer.timeout.connect(collect_what_is_due)
        timer.start(EVERY)

    def spare_what_is_loaded(self) -> None:
        """All imports are done and all pages are made."""
        spare_what_is_here()

    def spare_runs(self, count: int) -> None:
        """A project was read."""
        if count > MANY_RUNS:
            spare_what_is_here()


def spare_what_is_here() -> None:
    gc.collect()
    gc.freeze()


def return_freed_memory() -> None:
    """To the system; other C libraries than glibc do so by themselves."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


def collect_what_is_due() -> None:
    """As Python would itself: the oldest generation that is, with all younger ones."""
    counts, limits = gc.get_count(), gc.get_threshold()
    due = [generation for generation in range(3) if counts[generation] > limits[generation]]
    if due:
        gc.collect(due[-1])
