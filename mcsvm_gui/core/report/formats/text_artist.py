"""The text of a page in one artist: measuring single Text artists would take longer than drawing them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from matplotlib.artist import Artist
from matplotlib.font_manager import FontProperties

from mcsvm_gui.core.report.formats.drawing import parameters


@lru_cache(maxsize=64)
def font(family: str, size: float, *, bold: bool) -> FontProperties:
    return FontProperties(
        family=family, size=size, weight="bold" if bold else "medium"
    )  # as the files of standard fonts name it


class Lettering(Artist):
    """Texts in standard fonts; places are points from the lower left of the page, on the base line."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[tuple[float, float, str, FontProperties, str]] = []

    def draw(self, renderer: Any) -> None:
        pen = renderer.new_gc()
        with parameters({"pdf.use14corefonts": True}):
            for x, y, text, properties, colour in self.texts:
                pen.set_foreground(colour)
                renderer.draw_text(pen, x, y, text, properties, 0.0)
        pen.restore()
