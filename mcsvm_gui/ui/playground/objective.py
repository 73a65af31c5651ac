"""The dual of several solvers against their steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg

from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.playground.panel_header import style_of
from mcsvm_gui.ui.plots.base import Plot, pen

if TYPE_CHECKING:
    from mcsvm_gui.core.playground.pictures import Picture

MARKED = 40  # largest number of samples for which each gets a mark


class ObjectivePlot(Plot):
    def __init__(self) -> None:
        self._pictures: tuple[Picture, ...] = ()
        self._curves: list[pg.PlotDataItem] = []
        super().__init__("playgroundObjectivePlot", tr("The dual rises"), tr("steps + 1"), tr("dual"))
        self.setLogMode(x=True, y=False)
        self.getViewBox().setMouseEnabled(x=False, y=False)

    def show_pictures(self, pictures: tuple[Picture, ...]) -> None:
        self._pictures = pictures
        while len(self._curves) < len(pictures):
            self._curves.append(self.plot([], []))
        for number, (curve, picture) in enumerate(zip(self._curves, pictures, strict=False)):
            style = style_of(picture.key, number)
            curve.setPen(pen(style.colour, style.dash))
            few = picture.steps.size <= MARKED
            curve.setSymbol(style.marker if few else None)
            curve.setSymbolBrush(style.colour)
            curve.setSymbolPen(None)
            curve.setSymbolSize(theme.UNIT - 1)
            curve.setData(picture.steps + 1.0, picture.dual)
        for curve in self._curves[len(pictures) :]:
            curve.setData(np.empty(0), np.empty(0))

    def retheme(self) -> None:
        super().retheme()
        if getattr(self, "_curves", None):
            self.show_pictures(self._pictures)
