"""Axes that paint themselves."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from mcsvm_gui.ui.plots.axis import Axis
from mcsvm_gui.ui.plots.live import ConvergencePlot


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
