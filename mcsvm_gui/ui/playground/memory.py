"""Stores points and fit settings of the playground in the project, a moment after the last change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QTimer

from mcsvm_gui.core.playground.drawing import Drawing
from mcsvm_gui.core.playground.fit_options import FitOptions
from mcsvm_gui.ui.runs.collection import RunCollection

KEPT = "playground"  # the key under which a project stores the playground
REST = 300  # milliseconds


class Memory(QObject):
    """`now` returns the current state; `show` is called with the state that another project holds."""

    def __init__(
        self,
        runs: RunCollection,
        now: Callable[[], tuple[Drawing, FitOptions]],
        show: Callable[[Drawing, FitOptions], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._runs, self._now, self._show = runs, now, show
        self._known: Any = None  # the stored state that was written or read last
        self._rest = QTimer(self, singleShot=True, interval=REST)
        self._rest.timeout.connect(self.keep)
        runs.project_read.connect(self.restore)

    def changed(self) -> None:
        self._rest.start()

    def keep(self) -> None:
        self._rest.stop()
        drawing, setting = self._now()
        self._known = {
            "places": drawing.places.tolist(),
            "classes": drawing.classes.tolist(),
            "setting": setting.document(),
        }
        self._runs.keep_setting(KEPT, self._known)

    def restore(self) -> None:
        """Restore the state of a project that was read again, unless it is the one shown."""
        kept = self._runs.setting(KEPT)
        if kept is None or kept == self._known:
            return
        self._rest.stop()
        self._known = kept
        try:
            drawing = Drawing.from_lists(kept["places"], kept["classes"])
            setting = FitOptions.from_document(kept["setting"])
        except (TypeError, ValueError, LookupError, OverflowError):  # files may hold anything
            return
        self._show(drawing, setting)
