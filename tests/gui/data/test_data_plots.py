"""Class bars and projection: every class counted, every point drawn, names under the pointer."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPointF
from pytestqt.qtbot import QtBot

from mcsvm_gui.core.data.projections.projection import Projected
from mcsvm_gui.ui.kit.theme import CLASS_COLOURS
from mcsvm_gui.ui.plots.class_bars import MOST_NAMED, ClassBars
from mcsvm_gui.ui.plots.class_marks import DISTINCT, class_colour, class_marker
from mcsvm_gui.ui.plots.projection import Projection


@pytest.fixture
def bars(qtbot: QtBot) -> ClassBars:
    plot = ClassBars()
    qtbot.addWidget(plot)
    plot.resize(320, 240)
    plot.show()
    return plot


@pytest.fixture
def projection(qtbot: QtBot) -> Projection:
    plot = Projection()
    qtbot.addWidget(plot)
    plot.resize(320, 240)
    plot.show()
    return plot


def drawn(plot: pg.PlotWidget, kind: type) -> list:
    return [item for item in plot.getPlotItem().items if isinstance(item, kind)]


def cloud(classes: int, points: int, total: int | None = None) -> Projected:
    lots = np.random.default_rng(classes)
    names = tuple(f"class {number}" for number in range(classes))
    codes = np.arange(points) % max(1, classes)
    shown = lots.normal(size=(points, 2))
    return Projected(shown, np.arange(points) * 2, codes, names, (0.6, 0.3), total or points, ())


@pytest.mark.parametrize("classes", [2, MOST_NAMED, MOST_NAMED + 1, 1000])
def test_every_class_has_its_bar_and_its_name_under_the_pointer(bars: ClassBars, classes: int) -> None:
    names = [f"c{number}" for number in range(classes)]
    counts = np.random.default_rng(0).permutation(classes) + 1
    bars.show_counts(names, counts.tolist())
    places = range(classes) if bars.named else range(1, classes + 1)
    numbers = [bars.class_at(0.0, place) if bars.named else bars.class_at(place, 0.0) for place in places]
    assert sorted(filter(lambda number: number is not None, numbers)) == list(range(classes))
    heights = np.concatenate(
        [np.atleast_1d(item.opts["width" if bars.named else "height"]) for item in drawn(bars, pg.BarGraphItem)]
    )
    assert heights.tolist() == [counts[number] for number in numbers]
    (left, right), (bottom, top) = bars.getViewBox().viewRange()
    assert left <= 0.5
    assert right >= (counts.max() if bars.named else classes)
    assert bottom <= 0.0
    assert top >= (classes - 1 if bars.named else counts.max())
    assert bars.class_at(-5.0, -5.0) is None


def test_showing_others_leaves_nothing_of_those_before(bars: ClassBars) -> None:
    bars.show_counts([f"c{n}" for n in range(30)], range(1, 31))
    bars.show_counts(["a", "b"], [3, 4])
    assert bars.heading == bars.titled
    assert len(drawn(bars, pg.BarGraphItem)) == 2
    bars.show_counts([], [])
    assert not drawn(bars, pg.BarGraphItem)


@pytest.mark.parametrize("name", ["<b>&amp;", "x" * 500, "\n\t", "größe"])
def test_any_class_name_can_be_drawn(bars: ClassBars, projection: Projection, name: str) -> None:
    bars.show_counts([name, "other"], [3, 4])
    shown = cloud(2, 10)
    projection.show_points(Projected(shown.points, shown.rows, shown.codes, (name, "b"), (0.5, 0.5), 10, (name,)))
    assert not bars.grab().isNull()
    assert not projection.grab().isNull()
    assert bars.getPlotItem().sceneBoundingRect().width() <= bars.width() + 1


def test_marks_differ_up_to_a_hundred_classes_by_more_than_colour() -> None:
    marks = [(class_colour(number), class_marker(number)) for number in range(DISTINCT)]
    assert len(set(marks)) == DISTINCT
    assert len({marker for _, marker in marks[: len(CLASS_COLOURS)]}) == len(CLASS_COLOURS)


@pytest.mark.parametrize("classes", [0, 1, 3, 26, 150])
def test_every_point_is_drawn_with_the_mark_of_its_class(projection: Projection, classes: int) -> None:
    shown = cloud(classes, 400)
    projection.show_points(shown)
    found = {}
    for item in drawn(projection, pg.ScatterPlotItem):
        for x, y in zip(*item.getData(), strict=True):
            found[x, y] = item.opts["symbol"], item.opts["pen"].color().name()
    expected = {
        (x, y): (class_marker(code % DISTINCT), class_colour(code % DISTINCT))
        for (x, y), code in zip(shown.points.tolist(), shown.codes.tolist(), strict=True)
    }
    assert found == expected


def test_the_axes_say_how_much_they_show_and_the_title_of_how_many(projection: Projection) -> None:
    projection.show_points(cloud(3, 100, total=5000))
    assert "60" in projection.getAxis("bottom").labelText
    assert "30" in projection.getAxis("left").labelText
    assert "100" in projection.heading
    assert "5" in projection.heading
    projection.say("still computing")
    assert projection.heading == "still computing"
    assert not drawn(projection, pg.ScatterPlotItem)


def test_the_row_under_the_pointer_is_named(projection: Projection) -> None:
    shown = cloud(3, 40)
    projection.show_points(shown)
    place = int(shown.points[:, 0].argmax())
    where = projection.getViewBox().mapViewToScene(QPointF(*shown.points[place]))
    assert projection.row_at(where) == place
    named = projection.named_at(where)
    assert named is not None
    assert str(shown.rows[place] + 1) in named
    assert shown.classes[shown.codes[place]] in named
    assert projection.named_at(QPointF(-500.0, -500.0)) is None


def test_a_saved_picture_has_its_legend(projection: Projection) -> None:
    projection.show_points(cloud(9, 90))
    assert not projection.legend.isVisible()
    with projection.exporting():
        assert projection.legend.isVisible()
    assert not projection.legend.isVisible()


def test_the_legend_covers_no_points(projection: Projection) -> None:
    """In a corner that is free it is shown; where points fill every corner, the bars beside the plot are the key."""
    projection.resize(420, 320)
    names, codes = ("a", "b"), np.arange(40) % 2
    diagonal = np.column_stack([np.linspace(-1, 1, 40)] * 2)

    def show(points: np.ndarray) -> None:
        rows = np.arange(len(points))
        projection.show_points(Projected(points, rows, codes[: len(points)], names, (0.5, 0.3), len(points), ()))

    show(diagonal)
    assert projection.legend.isVisible()
    corners = np.array([[x, y] for x in (-1.0, 1.0) for y in (-1.0, 1.0)] * 10)
    show(corners)
    assert not projection.legend.isVisible()
    with projection.exporting():
        assert projection.legend.isVisible(), "a picture has no bars beside it"
