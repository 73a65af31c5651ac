"""Presenter of the map: makes it in the background, and draws frames while the user drags, always the newest one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QObject

from mcsvm_gui.core.base.i18n import tr

if TYPE_CHECKING:
    from mcsvm_gui.core.explain.column_map import ColumnMap
    from mcsvm_gui.core.explain.looked_at import LookedAt
    from mcsvm_gui.core.explain.surface import Frame
    from mcsvm_gui.ui.runs.workspace import Workspace
    from mcsvm_gui.ui.threads.tasks import Ticket


class MapPresenter(QObject):
    def __init__(self, panel: Any, workspace: Workspace, note: Callable[[str], None], parent: QObject) -> None:
        super().__init__(parent)
        self._panel, self._workspace, self._note = panel, workspace, note
        self._of: LookedAt | None = None
        self._row: np.ndarray | None = None  # as it is in the file
        self._held: np.ndarray | None = None  # as the user moved it
        self._map: ColumnMap | None = None
        self._asked: tuple[Any, ...] | None = None
        self._making: Ticket | None = None
        self._framing = self._late = False
        panel.seen.connect(self._make)
        panel.map_asked.connect(self._make)
        panel.moved.connect(self._move)
        panel.place_asked.connect(self._put)
        panel.back_asked.connect(self._back)

    # -- run and row ------------------------------------------------------------------------------

    def show_run(self, of: LookedAt | None) -> None:
        self._of, self._row, self._held, self._map, self._asked = of, None, None, None, None
        self._panel.show_map(None, None)
        if of is None:
            return
        from mcsvm_gui.core.explain.column_map import numeric_columns
        from mcsvm_gui.core.explain.columns import ExplainedColumns

        columns = ExplainedColumns.of(of.trained.preparation)
        numbers = numeric_columns(columns)
        if len(numbers) > 1:
            self._panel.offer_columns(columns.names, numbers, (numbers[0], numbers[1]))

    def show_row(self, row: np.ndarray) -> None:
        """Show a row, given by its features."""
        self._row, self._held = row, row.copy()
        if self._map is None:
            self._make()
        else:
            self._panel.show_row(self._map, self._held)
            self._draw()

    def prefer(self, columns: list[int]) -> None:
        """Preselect the columns with the largest contributions, unless a map was already made."""
        if self._map is None and self._asked is None:
            self._panel.choose_axes(columns)

    def _make(self) -> None:
        """Make the map, if the panel is visible."""
        of, row = self._of, self._row
        if of is None or row is None or not self._panel.isVisible():
            return
        from mcsvm_gui.core.explain.column_map import MOST_FEATURES, column_map

        axes, mode = self._panel.wanted
        asked = (of.run, axes, mode)
        if asked == self._asked or None in axes:
            return
        if axes[0] == axes[1] or len(row) > MOST_FEATURES:
            self._note(tr("A map needs two different columns, of at most {most} features.", most=MOST_FEATURES))
            return
        self._asked = asked
        if self._making is not None:
            self._making.cancel()

        def made(found: ColumnMap) -> None:
            self._map = found
            self._panel.show_map(found, self._held)
            self._draw()

        self._making = self._workspace.tasks.start(lambda: column_map(of, axes, mode), made, self._note)

    # -- dragging ---------------------------------------------------------------------------------

    def _move(self, column: int, value: float) -> None:
        if self._map is not None and self._held is not None:
            self._held = self._map.moved(self._held, column, value)
            self._draw()

    def _put(self, x: float, y: float) -> None:
        if self._map is not None and self._held is not None:
            self._held = self._map.put(self._held, np.array([x, y]))
            self._panel.show_row(self._map, self._held)
            self._draw()

    def _back(self) -> None:
        if self._row is not None:
            self.show_row(self._row)

    def _draw(self) -> None:
        """Draw one frame at a time; of the requests that arrive meanwhile, only the newest is drawn."""
        found, row = self._map, self._held
        if found is None or row is None:
            return
        if self._framing:
            self._late = True
            return
        self._framing, self._late = True, False

        def drawn(frame: Frame) -> None:
            self._framing = False
            if self._map is found:
                self._panel.show_frame(found, frame, row)
            if self._late or self._map is not found:
                self._draw()

        def failed(why: str) -> None:
            self._framing = False
            self._note(why)

        self._workspace.tasks.start(lambda: _framed(found, row), drawn, failed)


def _framed(found: ColumnMap, row: np.ndarray) -> Frame:
    from mcsvm.solvers.work import limited

    with limited(found.of.trained.request.threads):
        return found.surface.frame(row)
