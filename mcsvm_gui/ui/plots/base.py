"""The base of every plot: the theme's colours, axis labels, and ways to copy and save it."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QColor, QContextMenuEvent, QFont, QFontMetrics, QPen, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QMenu

from mcsvm_gui.ui.kit import file_dialogs, theme
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.plots import export
from mcsvm_gui.ui.plots.axis import axes

TITLE = 10  # points


class Area(pg.ViewBox):
    """The area in which data are drawn; a right click opens our menu instead of pyqtgraph's."""

    menu_asked = Signal(QPoint)
    enlarged = Signal()

    def mouseClickEvent(self, ev: Any) -> None:
        if ev.button() is Qt.MouseButton.RightButton:
            ev.accept()
            self.menu_asked.emit(ev.screenPos().toPoint())
        elif ev.double() and ev.button() is Qt.MouseButton.LeftButton:
            ev.accept()
            self.enlarged.emit()


class Plot(pg.PlotWidget):
    """A plot with named axes; subclasses add curves and marks."""

    enlarged = Signal()  # a double click
    saved = Signal(str)  # the file, or words for the clipboard
    save_failed = Signal(str)  # a sentence that says why
    kinds: tuple[str, ...] = export.KINDS  # of files that can be saved
    limits: Mapping[str, tuple[float, float]] = {}  # possible values by side, such as 0 to 100 for a percentage

    def __init__(self, name: str, title: str, bottom: str = "", left: str = "") -> None:
        self.area = Area(enableMenu=False)
        super().__init__(viewBox=self.area, enableMenu=False, axisItems=axes(self.limits))
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.titled = title
        self.names = {"bottom": bottom, "left": left}
        self.hideButtons()
        self.getPlotItem().showGrid(x=True, y=True, alpha=0.3)
        self.menu = self._menu()
        self.area.menu_asked.connect(self.menu.popup)
        self.area.enlarged.connect(self.enlarged)
        self._outdated = False  # whether the theme has changed while the plot was hidden
        self.retheme()
        theme.notifier().changed.connect(self._follow_theme)

    def close(self) -> bool:
        """Stop following the theme first: a closed plot has no plot item any more."""
        theme.notifier().changed.disconnect(self._follow_theme)
        return super().close()

    def _follow_theme(self) -> None:
        """Recolour a visible plot now, and a plot of another page once it is shown: drawing all of them takes 0.2 s."""
        if self.isVisible() or self.parentWidget() is None:
            self.retheme()
        else:
            self._outdated = True

    def showEvent(self, event: QShowEvent) -> None:
        if self._outdated:
            self._outdated = False
            self.retheme()
        super().showEvent(event)

    def retheme(self) -> None:
        colours = theme.current()
        self.setBackground(QColor(colours.surface))
        self.write_heading()
        self.getPlotItem().titleLabel.setMinimumWidth(0)  # otherwise a long title pushes the plot out of its widget
        for side, words in self.names.items():
            axis = self.getAxis(side)
            axis.setPen(pg.mkPen(colours.line))
            axis.setTextPen(pg.mkPen(colours.muted))
            axis.setTickFont(QFont())
            axis.enableAutoSIPrefix(False)
            axis.setStyle(maxTickLevel=0)
            self.setLabel(side, html.escape(words), color=colours.muted)

    def name_axis(self, side: str, words: str) -> None:
        self.names[side] = words
        self.setLabel(side, html.escape(words), color=theme.current().muted)

    # -- words that fit ---------------------------------------------------------------------------

    def title_room(self) -> int:
        """Return the width that the title may take, in pixels."""
        least, beside = 8 * theme.UNIT, int(self.getAxis("left").width()) + self.room_beside() + 3 * theme.UNIT
        return max(least, self.width() - beside)

    def room_beside(self) -> int:
        """Return how many pixels at the right the title must leave free."""
        return 0

    @property
    def heading(self) -> str:
        return self.titled

    def _title_metrics(self) -> QFontMetrics:
        font = QFont(self.font())
        font.setPointSize(TITLE)
        return QFontMetrics(font)

    def fits(self, words: str) -> bool:
        """Return whether a title can be shown whole."""
        return self._title_metrics().horizontalAdvance(words) <= self.title_room()

    def write_heading(self) -> None:
        """Show the title, elided if necessary: a title that is too long would push the plot out of its widget."""
        words = self.heading
        shown = self._title_metrics().elidedText(words, Qt.TextElideMode.ElideRight, self.title_room())
        self.setTitle(html.escape(shown), color=theme.current().text, size=f"{TITLE}pt")
        self.getPlotItem().titleLabel.item.setToolTip("" if shown == words else words)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit titles and labels to the new size; pyqtgraph also resizes while it builds the plot and takes it down."""
        super().resizeEvent(event)
        if hasattr(self, "names") and self.plotItem is not None:
            self.fit_words()

    def fit_words(self) -> None:
        """Fit titles and labels to a new size."""
        self.write_heading()

    @contextmanager
    def exporting(self) -> Iterator[None]:
        """Adapt the plot while it is drawn for a file or the clipboard."""
        yield

    # -- taking it elsewhere ----------------------------------------------------------------------

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu for the keyboard; the area handles the mouse, so that a right drag still zooms."""
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            self.menu.popup(self.mapToGlobal(self.rect().center()))
        event.accept()

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        self._offer(menu, "Fit", tr("Show all"), self.fit)
        menu.addSeparator()
        self._offer(menu, "Copy", tr("Copy as image"), self.copy_image)
        for kind in self.kinds:
            self._offer(
                menu,
                f"Save{kind.title()}",
                tr("Save as {kind}…", kind=kind.upper()),
                lambda _=False, k=kind: self.ask(k),
            )
        return menu

    def _offer(self, menu: QMenu, name: str, text: str, act: Any) -> None:
        action = QAction(text, menu)
        action.setObjectName(self.objectName() + name)
        action.triggered.connect(act)
        menu.addAction(action)

    def fit(self) -> None:
        self.enableAutoRange()

    def copy_image(self) -> None:
        with self.exporting():
            export.copy(self)
        self.saved.emit(tr("the clipboard"))

    def ask(self, kind: str) -> None:
        title = tr("Save the plot as {kind}", kind=kind.upper())
        place = f"{self.objectName()}.{kind}"
        file_dialogs.choose_target(self, title, kind, place, kind, lambda path: self.save(path, kind))

    def save(self, path: str, kind: str) -> None:
        with self.exporting():
            trouble = self.write(path, kind)
        if trouble is None:
            self.saved.emit(path)
        else:
            self.save_failed.emit(tr("{file} could not be written: {trouble}", file=path, trouble=trouble))

    def write(self, path: str, kind: str) -> str | None:
        """Write the plot to a file; return why that failed, or None."""
        return export.save(self, path, kind)


CORNERS = (0, 0), (1, 0), (0, 1), (1, 1)  # across, down


def freest_corner(
    places: np.ndarray, across: float, down: float, first: tuple[float, float] = (0, 0)
) -> tuple[float, float]:
    """Return the corner where a rectangle of this size covers the fewest of `places`.

    Places and sizes are shares of the area, measured from its upper left. `first` is the corner to prefer in a tie.
    """
    corners = [first, *CORNERS]
    held = [((abs(places[:, 0] - x) < across) & (abs(places[:, 1] - y) < down)).sum() for x, y in corners]
    return corners[int(np.argmin(held))]


def pen(colour: str | QColor, dash: tuple[float, ...] = ()) -> QPen:
    """Return a pen one pixel wide: wider antialiased lines cost hundreds of milliseconds."""
    made = pg.mkPen(colour, width=1)
    if dash:
        made.setDashPattern(list(dash))
    return made
