"""Bars, swarms, the map and the table of a change: what they show, in both themes, and how they are saved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex, QPointF, Qt
from PySide6.QtGui import QTextDocument
from pytestqt.qtbot import QtBot
from small_data import blobs, trained

from mcsvm_gui.core.compare.result_table import Header, ResultTable, TableCell
from mcsvm_gui.core.explain.surface import BAND, LINE, Plane, Surface
from mcsvm_gui.ui.explain.column_bars import ColumnBar, ColumnBars
from mcsvm_gui.ui.explain.flip_table import FlipTable
from mcsvm_gui.ui.explain.map_plot import BLANK, _table
from mcsvm_gui.ui.explain.swarm import HIGH, SHADES, BeeswarmPlot, DependencePlot, Swarm, heights, shades
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.plots.class_marks import shortened
from mcsvm_gui.ui.tables.result_view import ResultTableView

HOSTILE = '<img src="x">{y}\u202e=1+1'
ROWS = [f"{98 + row} (S-{row})" for row in range(32)]  # numbers and names in the file


@pytest.fixture(params=["light", "dark"])
def looks(request: pytest.FixtureRequest, qtbot: QtBot) -> Iterator[str]:
    theme.use(request.param)
    yield str(request.param)
    theme.use("light")


@pytest.mark.slow
def test_bars_are_said_drawn_and_saved(looks: str, qtbot: QtBot, tmp_path: Path) -> None:
    plot = ColumnBars("shapleyPlot", "What each column adds")
    qtbot.addWidget(plot)
    plot.resize(400, 300)
    plot.show()
    bars = [ColumnBar(HOSTILE, 0.5, "+0.5", (0.2, 0.7)), ColumnBar("b", -0.25, "-0.25")]
    plot.show_bars("Heading", bars, ("#0072b2", "#e69f00"))
    assert "+0.5" in plot.accessibleDescription()
    low, high = plot.getViewBox().viewRange()[0]
    assert low <= -0.25
    assert high > 0.7
    for kind in ("png", "svg", "pdf"):
        plot.save(str(tmp_path / f"bars.{kind}"), kind)
        assert (tmp_path / f"bars.{kind}").stat().st_size > 500
    assert "<img" not in (tmp_path / "bars.svg").read_text("utf-8")
    plot.show_bars("Nothing", ())
    plot.resize(200, 150)


@pytest.mark.parametrize("count", [1, 4, 13])
def test_bars_are_never_so_low_that_their_names_touch(count: int, qtbot: QtBot) -> None:
    """With the letters that reach below the line, such as the _ in A_1070nm."""
    plot = ColumnBars("shapleyPlot", "What each column adds")
    qtbot.addWidget(plot)
    plot.show_bars("Heading", [ColumnBar(f"x{number}", 1.0 + number, "+1") for number in range(count)])
    plot.resize(400, plot.minimumHeight())
    with qtbot.waitExposed(plot):
        plot.show()
    low, high = plot.getViewBox().viewRange()[1]
    assert plot.getViewBox().height() / (high - low) >= plot.fontMetrics().height() - 1


@pytest.mark.slow
def test_swarms_lie_beside_each_other_and_colours_go_by_rank(looks: str, qtbot: QtBot) -> None:
    values = np.repeat([0.0, 1.0], [30, 2])
    up = heights(values)
    assert len(set(up[:30])) == 30
    assert np.abs(up).max() < 0.5
    found = shades(np.array([5.0, 1.0, 5.0, 9.0]))
    assert found[0] == found[2]
    assert (found.min(), found.max()) == (0, SHADES - 1)
    assert shades(np.ones(3)).tolist() == [0, 0, 0]
    plot = BeeswarmPlot()
    qtbot.addWidget(plot)
    plot.show_swarms([Swarm(HOSTILE, values, values), Swarm("b", -values, values)], ROWS)
    assert len(plot.swarms) == 2
    assert plot.getViewBox().viewRange()[0][0] <= -1.0
    sizes = {item.opts["size"]: item.opts["brush"].color().name() for item in plot.listDataItems()}
    assert len(sizes) == len(set(sizes.values())) == 2, "large numbers are told by size, not by colour alone"
    assert sizes[max(sizes)] == HIGH
    shown = DependencePlot()
    qtbot.addWidget(shown)
    shown.show_column(Swarm("a", values, values), Swarm("b", values, values), ("red", "green"), ROWS)
    assert "b" in shown.heading
    shown.resize(400, 300)
    shown.show()
    place = shown.getViewBox().mapViewToScene(QPointF(values[0], values[0]))
    assert shown.named_at(place) in {f"row {row}: +0" for row in ROWS[:30]}, "as the file numbers them"
    shown.show_column(None, None, (), ())


@pytest.mark.slow
def test_every_code_of_a_map_has_its_colour(looks: str) -> None:
    X, y = blobs(40, 3, 3)
    surface = Surface(trained(X, y, C=10.0)._model, Plane.of_features(0, 1, X))
    codes = np.unique(surface.frame(X[0]).codes)
    assert codes.max() <= LINE < BLANK
    table = _table()
    assert len(np.unique(table[: 2 * BAND], axis=0)) == 2 * BAND
    assert (table[LINE] != table[BLANK]).any()


def test_the_table_of_a_change_lets_columns_be_fixed(qtbot: QtBot) -> None:
    table = FlipTable()
    qtbot.addWidget(table)
    model = table.entries
    model.show_row(["a", HOSTILE, "c"], ["1", "2", "3"])
    model.show_changes({HOSTILE: "5"})
    assert model.line(0) == (HOSTILE, "2", "5")
    with qtbot.waitSignal(table.fixed_changed):
        model.setData(model.index(0, 0), Qt.CheckState.Unchecked, Qt.ItemDataRole.CheckStateRole)
    assert model.fixed == {HOSTILE}
    model.show_row(["a", HOSTILE, "c"], ["4", "5", "6"])
    assert model.fixed == {HOSTILE}, "it stays fixed for the next row"
    assert model.data(model.index(1, 0), Qt.ItemDataRole.CheckStateRole) is Qt.CheckState.Unchecked
    assert model.rowCount(QModelIndex()) == 3
    assert table.plain()[1][1] == [HOSTILE, "5", ""]


def test_names_of_a_file_are_no_markup_and_turn_nothing(qtbot: QtBot) -> None:
    spelled = HOSTILE.replace("\u202e", r"\u202e")
    plot, flips, results = ColumnBars("plot", "Plot"), FlipTable(), ResultTableView("results", "Results")
    for widget in (plot, flips, results):
        qtbot.addWidget(widget)
    plot.name_axis("bottom", HOSTILE)
    plot.retheme()
    assert plot.getAxis("bottom").label.toPlainText().strip() == HOSTILE
    flips.entries.show_row([HOSTILE], [HOSTILE], held=[HOSTILE], why_held="why")
    assert flips.entries.data(flips.entries.index(0, 0)) == spelled
    assert not flips.entries.flags(flips.entries.index(0, 0)) & Qt.ItemFlag.ItemIsEnabled
    flips.entries.show_row([HOSTILE], [HOSTILE])
    results.show_table(ResultTable((Header(HOSTILE),), ((TableCell(HOSTILE, HOSTILE, tip=HOSTILE),),)))
    shown, tip = Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole
    assert results.entries.headerData(0, Qt.Orientation.Horizontal, shown) == spelled
    assert results.entries.data(results.entries.index(0, 0), shown) == spelled
    tips = [
        flips.entries.data(flips.entries.index(0, 0), tip),
        results.entries.data(results.entries.index(0, 0), tip),
        results.entries.headerData(0, Qt.Orientation.Horizontal, tip),
    ]
    for found in tips:
        document = QTextDocument()
        document.setHtml(found)
        assert "<img" not in found
        assert document.toPlainText() == HOSTILE


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("plain", "plain"),
        ("a very long name", "a very lo…"),
        ("two\nlines", r"two\nlines"),
        ("\u202eabc", r"\u202eabc"),
        ("\u05e9\u05dc", "\u2068\u05e9\u05dc\u2069"),
        ("\U0001f468\u200d\U0001f469", "\U0001f468\u200d\U0001f469"),
    ],
)
def test_names_are_short_on_one_line_and_turn_nothing(name: str, found: str) -> None:
    assert shortened(name, 10) == found
