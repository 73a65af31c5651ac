"""The share of the support vectors that are at their bound."""

from __future__ import annotations

import numpy as np

from mcsvm_gui.core.evaluate.curves import Axis, Course
from mcsvm_gui.ui.plots.live import LivePlot


class ToyPlot(LivePlot):
    def __init__(self) -> None:
        super().__init__("toyPlot", "Toys", "", "share")

    def draw(self, course: Course, axis: Axis, *, alone: bool) -> None:
        places, bounded = course.trace[axis], course.trace["bounded"]
        share = bounded / np.maximum(1, course.trace["support"])
        self._put(course, {"share": (places, share)}, {"share": "share"})
