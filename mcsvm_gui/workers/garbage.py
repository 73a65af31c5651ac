"""Cyclic garbage is collected by the window's thread alone.

Python lets whichever thread makes one object too many do it. Where that was a training, it tore down what plots had
left of Qt's objects, which only their own thread may touch: the program crashed, or hung, once in a long while.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

EVERY = 1000  # ms


class GarbageCollector(QObject):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        timer = QTimer(self)
        timer.timeout.connect(collect_what_is_due)
        timer.start(EVERY)

    def spare_what_is_loaded(self) -> None:
        """Modules and pages live as long as the program; to look through them again and again holds up the window."""
        gc.freeze()


def collect_what_is_due() -> None:
    """As Python would itself: the oldest generation that is, with all younger ones."""
    counts, limits = gc.get_count(), gc.get_threshold()
    due = [generation for generation in range(3) if counts[generation] > limits[generation]]
    if due:
        gc.collect(due[-1])
