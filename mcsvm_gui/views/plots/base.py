"""What every plot here has: the theme's colours, labels in words, and ways to take it elsewhere."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtGui import QColor, QFont, QPen

from mcsvm_gui.views import theme


class Plot(pg.PlotWidget):
    """A plot with named axes; curves and marks are added by those who derive from it."""

    def __init__(self, name: str, title: str, bottom: str = "", left: str = "") -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.titled = title
        self.names = {"bottom": bottom, "left": left}
        self.setMenuEnabled(True)
        self.hideButtons()
        self.getPlotItem().showGrid(x=True, y=True, alpha=0.12)
        self.retheme()
        theme.notifier().changed.connect(self.retheme)

    def retheme(self) -> None:
        colours = theme.current()
        self.setBackground(QColor(colours.surface))
        self.setTitle(self.titled, color=colours.text, size="10pt")
        for side, words in self.names.items():
            axis = self.getAxis(side)
            axis.setPen(pg.mkPen(colours.line))
            axis.setTextPen(pg.mkPen(colours.muted))
            axis.setTickFont(QFont())
            self.setLabel(side, words, color=colours.muted)

    def name_axis(self, side: str, words: str) -> None:
        self.names[side] = words
        self.setLabel(side, words, color=theme.current().muted)


def pen(colour: str, dash: tuple[float, ...] = ()) -> QPen:
    """One pixel wide: wider antialiased lines cost hundreds of milliseconds."""
    made = pg.mkPen(colour, width=1)
    if dash:
        made.setDashPattern(list(dash))
    return made
