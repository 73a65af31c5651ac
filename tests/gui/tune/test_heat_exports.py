"""Heat maps as files: what is written is what is seen, cell by cell."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from mcsvm.solvers.dual.certificate import Certificate
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.selection.cell import Cell, CellResult, FoldResult
from mcsvm.solvers.selection.grid import Grid, Range
from mcsvm_gui.core.tune import heat
from mcsvm_gui.ui.plots import export
from mcsvm_gui.ui.plots.heatmap import HeatPlot
from mcsvm_gui.ui.plots.scale_bar import colour

GRID = Grid(("ww",), Range(-2, 4, 2), Range(-6, 2, 2))
ASIDE = 0.3  # of a cell: off the cross in its middle and the frame around it


def heat_map(scale: heat.Scale | None = None) -> heat.HeatMap:
    """No two cells are alike, and no neighbours nearly so."""
    tried = [GRID.at("ww", x, y) for x in range(len(GRID.costs.exponents)) for y in range(len(GRID.gammas.exponents))]
    values = np.random.default_rng(3).permutation(np.linspace(0.1, 0.9, len(tried)))
    certificate = Certificate(1.0, 1.0, 0.0, 0.0)
    results = {
        cell: CellResult({0: FoldResult(float(value), 1.0, 5, 7, Ending.CONVERGED, certificate)})
        for cell, value in zip(tried, values, strict=True)
    }
    best = max(results, key=lambda cell: results[cell].mean)
    scale = scale or heat.scale_of("accuracy", results.values())
    return heat.heat_map("ww", "WW", "ww", "ww", GRID, results, best, in_words, "accuracy", scale)


def in_words(cell: Cell) -> str:
    return f"C {cell.C:g} gamma {cell.gamma:g}"


@pytest.fixture(params=["whole", "good cells"])
def seen(request: pytest.FixtureRequest) -> heat.HeatMap:
    return heat_map(None if request.param == "whole" else heat.Scale(0.5, 0.9, cut=True))


@pytest.fixture
def plot(qtbot: QtBot, seen: heat.HeatMap) -> HeatPlot:
    made = HeatPlot("heatmap-ww", "WW")
    qtbot.addWidget(made)
    made.resize(640, 480)
    with qtbot.waitExposed(made):
        made.show()
    made.show_map(seen)
    return made


def test_a_table_holds_the_values_of_the_cells(plot: HeatPlot, seen: heat.HeatMap, tmp_path: Path) -> None:
    plot.save(str(tmp_path / "map.csv"), "csv")
    with open(tmp_path / "map.csv", newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    found = [(float(row["C"]), float(row["gamma"]), float(row["value"])) for row in rows]
    assert found == [(cell.cost, cell.gamma, cell.value) for cell in seen.cells]
    assert len(found) == 20


def test_a_cell_without_gamma_leaves_it_empty(plot: HeatPlot, seen: heat.HeatMap, tmp_path: Path) -> None:
    from dataclasses import replace

    plot._shown = replace(seen, cells=(replace(seen.cells[0], gamma=None),))
    plot.save(str(tmp_path / "map.csv"), "csv")
    assert (tmp_path / "map.csv").read_text("utf-8") == f"C,gamma,value\n{seen.cells[0].cost},,{seen.cells[0].value}\n"


def test_a_picture_has_the_colour_of_each_value_at_its_cell(plot: HeatPlot, seen: heat.HeatMap, tmp_path: Path) -> None:
    plot.save(str(tmp_path / "map.png"), "png")
    picture = QImage(str(tmp_path / "map.png"))
    item = plot.getPlotItem()
    corner = item.mapRectToScene(item.boundingRect()).topLeft()
    for cell in seen.cells:
        corner_of_cell = QPointF(cell.x + ASIDE * cell.side, cell.y - 0.4 * cell.side)
        place = export.SHARPNESS * (plot.area.mapViewToScene(corner_of_cell) - corner)
        assert near(QColor(picture.pixel(place.toPoint())), colour(cell.shade)), (cell, place)


def near(one: QColor, other: QColor) -> bool:
    """But for the rounding of a channel."""
    return max(abs(a - b) for a, b in zip(one.getRgb()[:3], other.getRgb()[:3], strict=True)) <= 1


def test_a_drawing_has_a_shape_of_the_right_colour_for_each_cell(
    plot: HeatPlot, seen: heat.HeatMap, tmp_path: Path
) -> None:
    """In the order they are painted, which is that of the cells; marks and contours have no fill."""
    plot.save(str(tmp_path / "map.svg"), "svg")
    root = ElementTree.parse(tmp_path / "map.svg").getroot()
    fills = [
        element.get("fill", "")
        for group in root.iter()
        if "CellImage" in (group.get("id") or "")
        for element in filled(group)
    ]
    assert [fill for fill in fills if re.fullmatch("#[0-9a-f]{6}", fill)] == [
        colour(cell.shade).name() for cell in seen.cells
    ]


def filled(group: ElementTree.Element) -> list[ElementTree.Element]:
    return [element for element in group.iter() if element.get("fill", "none") not in ("none", "")]


def test_what_cannot_be_written_is_said(plot: HeatPlot, qtbot: QtBot, tmp_path: Path) -> None:
    for kind in plot.kinds:
        with qtbot.waitSignal(plot.save_failed) as said:
            plot.save(str(tmp_path / "nowhere" / f"map.{kind}"), kind)
        assert "could not be written" in said.args[0]
        assert "Traceback" not in said.args[0]
    assert list(tmp_path.iterdir()) == []
