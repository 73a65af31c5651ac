"""Words and numbers of a plot: none covers another, and what is too long ends in … with a tooltip."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from cut_texts import of_numbers
from PySide6.QtCore import QRectF
from pytestqt.qtbot import QtBot

from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.plots.axis import apart
from mcsvm_gui.ui.plots.base import Plot
from mcsvm_gui.ui.plots.lines import LinePlot, LineStyle
from mcsvm_gui.ui.plots.live import ConvergencePlot
from mcsvm_gui.ui.plots.unit import RunLine, UnitPlot


@pytest.mark.parametrize("gap", [2.0, 7.0, 13.0, 30.0])
@pytest.mark.parametrize("count", [1, 2, 5, 9])
@pytest.mark.parametrize("upright", [True, False])
def test_numbers_keep_apart_and_as_many_stay_as_can(gap: float, count: int, upright: bool) -> None:
    places = [(0.0, gap * number) if upright else (gap * number, 0.0) for number in range(count)]
    texts = [(QRectF(x, y, 12.0, 12.0), None, str(number)) for number, (x, y) in enumerate(places)]
    kept = apart(texts, upright=upright)
    ends = [(area.top(), area.bottom()) if upright else (area.left(), area.right()) for area, _, _ in kept]
    assert all(one[1] <= other[0] for one, other in pairwise(ends))
    steps = {int(other[2]) - int(one[2]) for one, other in pairwise(kept)}
    assert len(steps) <= 1
    assert steps <= {int(np.ceil(12.0 / gap))}
    if gap >= 12.0:
        assert len(kept) == count


@pytest.mark.parametrize("height", [77, 100, 200, 400])
@pytest.mark.parametrize("highest", [4.0, 100.0, 330_000.0])
def test_numbers_of_a_plot_keep_apart_however_low_it_is(height: int, highest: float, qtbot: QtBot) -> None:
    plot = made(qtbot, ConvergencePlot(), 290, height)
    plot.setYRange(0.0, highest)
    assert not list(of_numbers(plot.getAxis("left")))
    assert plot.grab().width() == 290


def made(qtbot: QtBot, plot: Plot, width: int, height: int) -> Plot:
    qtbot.addWidget(plot)
    plot.resize(width, height)
    with qtbot.waitExposed(plot):
        plot.show()
    return plot


def test_a_name_longer_than_its_axis_ends_in_dots_and_has_a_tooltip(qtbot: QtBot) -> None:
    plot = made(qtbot, Plot("plot", "a title " * 20, "below", "violation of optimality"), 200, 180)
    name, title = plot.getAxis("left").label, plot.getPlotItem().titleLabel
    assert name.toPlainText().endswith("…")
    assert name.boundingRect().width() <= plot.getAxis("left").height()
    assert name.toolTip() == "violation of optimality"
    assert title.item.boundingRect().width() <= plot.width()
    assert title.item.toolTip() == plot.titled
    plot.resize(2000, 500)
    qtbot.waitUntil(lambda: name.toPlainText() == "violation of optimality")
    assert not name.toolTip()
    assert not title.item.toolTip()


@pytest.mark.parametrize("words", ["gap", "violation", "Verletzung der Optimalität"])
@pytest.mark.parametrize("height", [77, 100, 140, 200])
def test_a_name_of_which_less_than_two_thirds_could_be_read_is_left_out(words: str, height: int, qtbot: QtBot) -> None:
    plot = made(qtbot, Plot("plot", "a title", "", words), 290, height)
    shown = plot.getAxis("left").label.toPlainText()
    assert shown in ("", words) or 3 * len(shown) > 2 * len(words), shown


@pytest.mark.parametrize("size", [(560, 320), (1200, 700)])
@pytest.mark.parametrize("corner", [(0, 0), (1, 0), (0, 1), (1, 1)])
@pytest.mark.parametrize("first", [(0.0, 1.0), (1.0, 1.0)])
def test_a_legend_covers_no_line_where_a_corner_is_free(
    size: tuple[int, int], corner: tuple[int, int], first: tuple[float, float], qtbot: QtBot
) -> None:
    """Of lines that leave one corner of the four free: across, down."""
    plot = made(qtbot, UnitPlot("plot", "Lines", "x", "y", key=first, chance=False), *size)
    free = np.array([corner[0], 1.0 - corner[1]])
    opposite = 1.0 - free
    through = [free * [1, 0] + opposite * [0, 1], opposite, free * [0, 1] + opposite * [1, 0]]
    line = tuple(np.array(through).T)
    plot.show_lines([RunLine(run, f"run {run}: 0.9", "ww", line) for run in (1, 2, 3)])
    qtbot.waitUntil(plot.key.isVisible)
    key = plot.key.mapRectToItem(plot.area, plot.key.boundingRect())
    (left, right), (bottom, top) = plot.area.viewRange()
    for x, y in zip(*(np.linspace(ends[:-1], ends[1:], 500).ravel() for ends in line), strict=True):
        place = (x - left) / (right - left) * plot.area.width(), (top - y) / (top - bottom) * plot.area.height()
        assert not key.contains(*place)


class Named(LinePlot):
    named_at_ends = True


@pytest.mark.parametrize("width", [180, 400, 900])
def test_no_name_at_the_end_of_the_longest_line_lies_on_a_line(width: int, qtbot: QtBot) -> None:
    plot = Named("plot", "Lines", "", "")
    made(qtbot, plot, width, 120)
    for kind, words in (("all", "all of them"), ("held", "held out and kept")):
        line = np.linspace(0.0, 4.0, 30), np.full(30, float(len(words)))
        plot.put(LineStyle(1, kind, words, theme.machine_style("ww")), line)
    plot.reach, plot.room = (0.0, 4.0), plot.names_room()
    plot.finish()
    placed = plot._names._placed()
    assert len(placed) == 2
    for _, area, end in placed:
        assert area.left() > end.x()
        assert area.right() <= plot.area.width()
