"""Axes that paint themselves."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from mcsvm_gui.core.evaluate.curves import History
from mcsvm_gui.ui.compare.curve_panel import LearningPlot
from mcsvm_gui.ui.plots.axis import Axis
from mcsvm_gui.ui.plots.base import Plot
from mcsvm_gui.ui.plots.live import AccuracyPlot, ConvergencePlot
from mcsvm_gui.ui.plots.unit import UnitPlot


@pytest.mark.parametrize(("low", "high"), [(0.0, 4000.0), (-5000.0, 2.0), (-3.0, 2.0), (0.1, 0.9)])
def test_every_mark_of_a_logarithmic_axis_is_a_number(low: float, high: float, qtbot: QtBot) -> None:
    """Also of the range of plain values that a plot has until it is told its new one."""
    axis = Axis("left")
    axis.setLogMode(y=True)
    ((_, marks),) = axis.logTickValues(low, high, 300.0, None)
    assert marks
    assert all(low <= mark <= high for mark in marks)
    assert len(axis.logTickStrings(marks, 1.0, None)) == len(marks)


def test_numbers_are_what_they_are_whatever_range_was_seen_before(qtbot: QtBot) -> None:
    """A theme chosen while a training was a hundredth of a second old made seconds a thousand times as long."""
    plot = ConvergencePlot()
    qtbot.addWidget(plot)
    plot.show()
    axis = plot.getAxis("bottom")
    plot.setRange(xRange=(0.0, 0.01))
    plot.retheme()
    plot.setRange(xRange=(0.0, 2.0))
    assert axis.tickStrings([0.0, 1.0, 2.0], axis.autoSIPrefixScale * axis.scale, 1.0) == ["0", "1", "2"]


def labels(plot: Plot, side: str, qtbot: QtBot) -> list[float]:
    """Return the numbers painted at an axis, from the smallest."""
    plot.resize(480, 320)
    with qtbot.waitExposed(plot):
        plot.show()
    plot.grab()
    _, _, texts = plot.getAxis(side)._specs
    return sorted(float(text) for _, _, text in texts)


@pytest.mark.parametrize("share", [0.0, 0.004, 0.998, 1.0])
def test_an_accuracy_axis_has_no_labels_beyond_0_and_100_percent(share: float, qtbot: QtBot) -> None:
    plot = AccuracyPlot()
    qtbot.addWidget(plot)
    places = np.array([0.0, 1.0, 2.0])
    readings = {"seconds": places, "iteration": places, "train_accuracy": np.full(3, share)}
    readings |= {"test_accuracy": np.full(3, np.nan)}
    plot.draw(History(1, "ww #1", "ww", {}, readings, ()), "seconds", alone=True)
    plot.finish()
    low, high = plot.area.viewRange()[1]
    assert low < 0.0 or high > 100.0, "the range has room around the line"
    found = labels(plot, "left", qtbot)
    assert found
    assert found[0] >= 0.0
    assert found[-1] <= 100.0


def test_the_axis_of_a_learning_curve_ends_at_1_though_the_deviation_goes_beyond(qtbot: QtBot) -> None:
    plot = LearningPlot()
    qtbot.addWidget(plot)
    points = [{"rows": 100 * k, "accuracy": 0.9, "std": 0.3} for k in (1, 2, 3)]
    plot.show_curve(1, "ww", {"points": points, "projected": None})
    assert plot.area.viewRange()[1][1] > 1.1
    assert labels(plot, "left", qtbot)[-1] <= 1.0
    assert labels(plot, "bottom", qtbot)[-1] >= 200.0, "rows have no such limit"


@pytest.mark.parametrize("side", ["bottom", "left"])
def test_axes_of_shares_end_at_0_and_1_in_any_zoom(side: str, qtbot: QtBot) -> None:
    plot = UnitPlot("plot", "Lines", "x", "y", key=(1.0, 1.0), chance=True)
    qtbot.addWidget(plot)
    plot.setRange(xRange=(-1.0, 2.0), yRange=(-1.0, 2.0))
    found = labels(plot, side, qtbot)
    assert (found[0], found[-1]) == (0.0, 1.0)
