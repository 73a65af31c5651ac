"""The share of the support vectors that are at their bound."""

from __future__ import annotations

import numpy as np

from mcsvm_gui.core.evaluate.curves import Axis, History
from mcsvm_gui.ui.plots.live import LivePlot


class ToyPlot(LivePlot):
    def __init__(self) -> None:
        super().__init__("toyPlot", "Toys", "", "share")

    def draw(self, history: History, axis: Axis, *, alone: bool) -> None:
        places, bounded = history.trace[axis], history.trace["bounded"]
        share = bounded / np.maximum(1, history.trace["support"])
        self._put(history, {"share": (places, share)}, {"share": "share"})
