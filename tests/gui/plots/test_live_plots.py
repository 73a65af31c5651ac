"""The live plots: true lines, true values under the mouse, files that other programs can open."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPointF
from PySide6.QtGui import QAction, QGuiApplication, QImage
from pytestqt.qtbot import QtBot

from mcsvm_gui.core.evaluate import curves
from mcsvm_gui.core.evaluate.curves import History
from mcsvm_gui.ui.kit import file_dialogs, theme
from mcsvm_gui.ui.plots import export
from mcsvm_gui.ui.plots.end_labels import spread
from mcsvm_gui.ui.plots.lines import PALE
from mcsvm_gui.ui.plots.live import AccuracyPlot, ConvergencePlot, LivePlot, SupportPlot, ViolationPlot

PLOTS = ConvergencePlot, ViolationPlot, SupportPlot, AccuracyPlot


def history(run: int = 1, machine: str = "ww", points: int = 60, classes: int = 3) -> History:
    seconds = np.linspace(0.0, 2.0, points)
    fading = np.exp(-3.0 * seconds)
    trace = {
        "iteration": 100.0 * np.arange(points),
        "seconds": seconds,
        "primal": 10.0 + 90.0 * fading,
        "dual": 10.0 - 10.0 * fading,
        "violation": fading,
        "support": np.round(50 * (1.0 - fading)),
        "bounded": np.round(20 * (1.0 - fading)),
    }
    readings = {
        "iteration": trace["iteration"],
        "seconds": seconds,
        "train_accuracy": 1.0 - 0.5 * fading,
        "test_accuracy": np.full(points, np.nan),
        "support_per_class": np.outer(1.0 - fading, np.arange(1.0, classes + 1.0)),
    }
    return History(run, f"{machine} #{run}", machine, trace, readings, tuple("abcdefghijklmnop"[:classes]))


def shown(qtbot: QtBot, kind: type[LivePlot]) -> LivePlot:
    plot = kind()
    qtbot.addWidget(plot)
    plot.resize(480, 320)
    with qtbot.waitExposed(plot):
        plot.show()
    return plot


@pytest.fixture(params=PLOTS, ids=lambda kind: kind.__name__)
def plot(request: pytest.FixtureRequest, qtbot: QtBot) -> LivePlot:
    return shown(qtbot, request.param)


@pytest.fixture(autouse=True)
def light() -> Iterator[None]:
    yield
    if theme.current().name != "light":
        theme.use("light")


def drawn(plot: LivePlot, *histories: History, axis: curves.Axis = "seconds") -> None:
    for one in histories:
        plot.draw(one, axis, alone=len(histories) == 1)
    plot.finish()


def test_lines_hold_the_numbers_of_the_run(plot: LivePlot) -> None:
    one = history()
    drawn(plot, one)
    sources = {**one.trace, **one.readings}
    factor = 100.0 if isinstance(plot, AccuracyPlot) else 1.0
    for (_, kind), curve in plot._curves.items():
        if kind in sources:
            x, y = curve.getOriginalDataset()
            np.testing.assert_array_equal(x, one.trace["seconds"])
            np.testing.assert_array_equal(y, factor * sources[kind])


def test_against_iterations(plot: LivePlot) -> None:
    one = history()
    drawn(plot, one, axis="iteration")
    for curve in plot._curves.values():
        np.testing.assert_array_equal(curve.getOriginalDataset()[0], one.trace["iteration"])


def test_one_curve_per_line_however_often_it_is_drawn(plot: LivePlot) -> None:
    drawn(plot, history(points=10))
    before = {key: id(curve) for key, curve in plot._curves.items()}
    drawn(plot, history(points=20))
    assert {key: id(curve) for key, curve in plot._curves.items()} == before


def test_a_dropped_run_leaves_nothing(plot: LivePlot) -> None:
    empty = len(plot.getPlotItem().items)
    drawn(plot, history(1), history(2, "cs"))
    plot.drop(1)
    plot.drop(2)
    plot.finish()
    assert plot.runs == set()
    assert len(plot.getPlotItem().items) == empty
    assert plot._names.texts == []


def test_colours_and_dashes_are_the_machines(plot: LivePlot) -> None:
    drawn(plot, history(1, "ww"), history(2, "llw"))
    for (run, _), curve in plot._curves.items():
        style = theme.machine_style({1: "ww", 2: "llw"}[run])
        made = curve.opts["pen"]
        assert made.color().name() == style.colour
        assert made.width() == 1
        assert tuple(made.dashPattern()) == style.dash


def test_lines_of_one_run_are_named_at_their_ends_and_runs_where_there_are_several(qtbot: QtBot) -> None:
    plot = shown(qtbot, ConvergencePlot)
    drawn(plot, history(1))
    assert plot._names.texts == ["primal", "dual"]
    plot.labels = {1: "ww #1", 2: "cs <b> #2"}
    drawn(plot, history(1), history(2, "cs"))
    assert plot._names.texts == ["ww #1", "cs <b> #2"]
    assert not plot.key.isVisible()


def test_several_runs_are_compared_by_their_relative_gap(qtbot: QtBot) -> None:
    plot = shown(qtbot, ConvergencePlot)
    one, other = history(1), history(2, "cs")
    drawn(plot, one, other)
    assert plot.titled == "Relative gap"
    assert plot._log == (False, True)
    x, y = plot._curves[1, "gap"].getOriginalDataset()
    np.testing.assert_array_equal(x, one.trace["seconds"])
    np.testing.assert_allclose(y, (one.trace["primal"] - one.trace["dual"]) / one.trace["primal"], rtol=1e-14)
    plot.drop(2)
    drawn(plot, one)
    assert plot.titled == "Primal and dual"
    assert {kind for _, kind in plot._curves} == {"primal", "dual"}
    assert plot._log == (False, False)


def test_a_marked_run_stands_out_and_the_others_are_pale(plot: LivePlot) -> None:
    drawn(plot, history(1), history(2, "cs"))
    plot.mark(1)
    alphas = {run: curve.opts["pen"].color().alpha() for (run, _), curve in plot._curves.items()}
    assert alphas[2] <= PALE < alphas[1]
    plot.mark(None)
    assert all(curve.opts["pen"].color().alpha() > PALE for curve in plot._curves.values())


def test_the_line_under_the_mouse_is_pointed_at(qtbot: QtBot) -> None:
    plot = shown(qtbot, SupportPlot)
    lower = history(2, "cs")
    lower.trace["support"][:] = 5.0
    drawn(plot, history(1), lower)
    told: list[object] = []
    plot.pointed.connect(told.append)
    for run, height in ((1, history(1).trace["support"][30]), (2, 5.0)):
        plot._look_at(plot.area.mapViewToScene(QPointF(lower.trace["seconds"][30] + 1e-6, height)))
        assert told[-1] == run
    plot._look_at(QPointF(-5.0, -5.0))
    assert told[-1] is None


@given(st.lists(st.floats(0.0, 200.0), max_size=8))
def test_names_at_ends_never_cover_each_other_and_stay_near(wanted: list[float]) -> None:
    wanted.sort()
    found = spread(wanted, 12.0, 190.0)
    assert all(after - before >= 12.0 - 1e-9 for before, after in pairwise(found))
    assert all(-1e-9 <= place <= 190.0 + 1e-9 for place in found)
    if all(after - before >= 12.0 for before, after in pairwise(wanted)) and all(place <= 190.0 for place in wanted):
        np.testing.assert_allclose(found, wanted, atol=1e-9)


def test_classes_have_lines_while_a_run_is_alone(qtbot: QtBot) -> None:
    plot = shown(qtbot, SupportPlot)
    drawn(plot, history(1))
    assert plot._names.texts == ["all", "bounded", "a", "b", "c"]
    drawn(plot, history(1), history(2, "cs"))
    assert {kind for _, kind in plot._curves} == {"support", "bounded"}


def test_logarithms_are_drawn_of_what_has_one(plot: LivePlot) -> None:
    drawn(plot, history())
    for x, y in ((True, True), (False, False)):
        plot.scale(x, y)
        plot.grab()
    assert plot._log == (False, plot.always_log)


def test_what_comes_first_does_not_hide_what_comes_last(qtbot: QtBot) -> None:
    plot = shown(qtbot, ConvergencePlot)
    one = history(points=400)
    one.trace["primal"][0] = 1e9
    drawn(plot, one)
    low, high = plot.area.viewRange()[1]
    assert low < one.trace["dual"][-1] < one.trace["primal"][-1] < high < 1e3


def test_values_under_the_mouse(plot: LivePlot) -> None:
    one = history()
    drawn(plot, one)
    middle = plot.area.sceneBoundingRect().center()
    plot._look_at(middle)
    assert plot._values.isVisible()
    plot._look_at(QPointF(-5.0, -5.0))
    assert not plot._values.isVisible()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-5, 5), min_size=1, max_size=30), st.floats(-6.0, 6.0))
def test_the_value_at_a_place_is_the_last_before_it(places: list[int], place: float) -> None:
    x = np.sort(np.array(places, dtype=float))
    y = np.arange(x.size, dtype=float)
    before = [value for where, value in zip(x, y, strict=True) if where <= place]
    assert curves.at((x, y), place) == (before[-1] if before else None)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 2000), st.integers(0, 10))
def test_a_band_holds_both_of_its_lines(points: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    x = np.sort(draw.random(points))
    low = draw.normal(size=points)
    high = low + draw.random(points)
    outline_x, outline_y = curves.band((x, low), (x, high))
    half = outline_x.size // 2
    assert half <= curves.BAND
    assert (outline_x[0], outline_x[half - 1]) == (x[0], x[-1])
    np.testing.assert_array_equal(outline_x[:half], outline_x[half:][::-1])
    assert outline_y[:half].max() == high.max()
    assert outline_y[half:].min() == low.min()
    assert (outline_y[:half] >= outline_y[half:][::-1]).all()


# -- elsewhere ------------------------------------------------------------------------------------


def test_png(plot: LivePlot, tmp_path: Path) -> None:
    drawn(plot, history(1), history(2, "cs"))
    path = tmp_path / "plot.png"
    plot.save(str(path), "png")
    image = QImage(str(path))
    assert abs(image.width() - export.SHARPNESS * 480) <= 4
    colours = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(0, image.height(), 3)}
    assert {theme.machine_style("ww").colour, theme.machine_style("cs").colour} & colours
    assert theme.current().surface in colours


def test_svg(plot: LivePlot, tmp_path: Path) -> None:
    drawn(plot, history(1))
    path = tmp_path / "plot.svg"
    plot.save(str(path), "svg")
    root = ElementTree.parse(path).getroot()
    assert root.tag.endswith("svg")
    assert plot.titled in "".join(root.itertext())
    assert len(list(root.iter("{http://www.w3.org/2000/svg}path"))) >= 1


def test_pdf(plot: LivePlot, tmp_path: Path) -> None:
    drawn(plot, history(1))
    path = tmp_path / "plot.pdf"
    plot.save(str(path), "pdf")
    content = path.read_bytes()
    assert content.startswith(b"%PDF-")
    assert content.rstrip().endswith(b"%%EOF")
    assert content.count(b"/Type /Page\n") == 1
    assert b"/FontFile2" in content, "text stays text"
    assert b"/Subtype /Image" not in content, "lines stay lines"


def test_clipboard(plot: LivePlot) -> None:
    drawn(plot, history(1))
    plot.copy_image()
    assert QGuiApplication.clipboard().image().width() >= 480


def test_where_nothing_can_be_written(plot: LivePlot, tmp_path: Path, qtbot: QtBot) -> None:
    with qtbot.waitSignal(plot.save_failed) as told:
        plot.save(str(tmp_path / "nowhere" / "plot.pdf"), "pdf")
    assert "nowhere" in told.args[0]


@pytest.mark.parametrize("kind", export.KINDS)
def test_the_menu_asks_where_to_save(kind: str, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plot, place = shown(qtbot, ViolationPlot), str(tmp_path / f"here.{kind}")
    monkeypatch.setattr(file_dialogs, "choose_target", lambda *asked: asked[-1](place))
    action = plot.menu.findChild(QAction, f"violationPlotSave{kind.title()}")
    assert isinstance(action, QAction)
    with qtbot.waitSignal(plot.saved) as told:
        action.trigger()
    assert told.args == [place]
    assert Path(place).stat().st_size > 0


def test_plots_follow_the_theme(plot: LivePlot) -> None:
    drawn(plot, history(1))
    theme.use("dark")
    assert plot.backgroundBrush().color().name() == theme.DARK.surface
