"""The Tune page's widgets: names of the contract, maps under the pointer and the keys, what is said and to whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pyqtgraph as pg
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QListWidget, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from mcsvm.solvers.dual.certificate import Certificate
from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.selection.cell import Cell, CellResult, FoldResult
from mcsvm.solvers.selection.grid import Grid, Range
from mcsvm_gui.core.check.advice import Action, Advice
from mcsvm_gui.core.machine.choices import FIRST_MACHINES
from mcsvm_gui.core.report.chapters import OF_SEARCH
from mcsvm_gui.core.tune import heat
from mcsvm_gui.core.tune.form import DEFAULTS
from mcsvm_gui.core.tune.options import SEARCHES
from mcsvm_gui.ui.kit import file_dialogs, theme
from mcsvm_gui.ui.plots.heatmap import HeatPlot
from mcsvm_gui.ui.tune.heat_tabs import HeatTabs
from mcsvm_gui.ui.tune.page import TunePage

CONTRACT = (
    *("tuneMachineList", "costFromEdit", "costToEdit", "gammaFromEdit", "gammaToEdit", "gridStepEdit", "foldsSpin"),
    *("searchCombo", "jobsSpin", "schedulerEdit", "tuneStartButton", "tuneStopButton", "tuneProgress", "heatmapTabs"),
    *("bestLabel", "trainBestButton", "exportReportButton"),
)
GRID = Grid(("ww", "cs"), Range(0, 4, 2), Range(-2, 2, 2))


@pytest.fixture
def page(qtbot: QtBot) -> Iterator[TunePage]:
    made = TunePage()
    qtbot.addWidget(made, before_close_func=lambda page: page.tabs.show_maps([]))
    made.resize(1000, 640)
    made.set_texts(DEFAULTS)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    if theme.current().name != "light":
        theme.use("light")


def in_words(cell: Cell) -> str:
    return f"C {cell.C:g} gamma {cell.gamma:g}"


def heat_map(machine: str, best: Cell | None = None) -> heat.HeatMap:
    """Brighter to the right and upwards."""
    cells = {
        cell: CellResult({0: FoldResult((x + 3 * y) / 8, 1.0, 5, 7, Ending.CONVERGED, Certificate(1.0, 1.0, 0.0, 0.0))})
        for x in range(3)
        for y in range(3)
        for cell in [GRID.at(machine, x, y)]
    }
    scale = heat.scale_of("accuracy", cells.values())
    return heat.heat_map(
        machine,
        machine.upper(),
        machine,
        machine,
        GRID,
        cells,
        best or GRID.at(machine, 2, 2),
        in_words,
        "accuracy",
        scale,
    )


def shown(page: TunePage, machine: str = "ww") -> HeatPlot:
    """The plot of one machine, where it is seen."""
    page.show_maps([heat_map("ww"), heat_map("cs")])
    page.tabs.setCurrentWidget(page.tabs.plots[machine])
    QApplication.processEvents()
    return page.tabs.plots[machine]


def place(plot: HeatPlot, x: float, y: float) -> QPoint:
    return plot.mapFromScene(plot.area.mapViewToScene(QPointF(x, y)))


# -- the form -------------------------------------------------------------------------------------


def test_a_long_command_is_cut_and_copied_whole(page: TunePage) -> None:
    command = "mcsvm tune a.csv --costs '" + "x" * 5000 + "'"
    page.show_command(command)
    shown = page.command.label.text()
    assert len(shown) < 600
    assert command.startswith(shown.split(" …")[0])
    page.command.button.click()
    assert QGuiApplication.clipboard().text() == command
    page.show_command("mcsvm tune a.csv")
    assert page.command.label.text() == "mcsvm tune a.csv"


def test_every_control_of_the_contract_is_there_with_a_name_to_read_out(page: TunePage) -> None:
    for name in CONTRACT:
        widget = page.findChild(QWidget, name)
        assert widget is not None, name
        assert widget.accessibleName() or name == "tuneProgress" or isinstance(widget, QLabel), name


def test_a_report_is_offered_once_its_formats_are_known(page: TunePage, monkeypatch: pytest.MonkeyPatch) -> None:
    assert page.report_button.isHidden()
    page.show_formats([("HTML", ".html"), ("PDF", ".pdf")])
    assert page.report_button.isVisible()
    asked: list[object] = []
    monkeypatch.setattr(file_dialogs, "choose_target", lambda *given: given[-1](given[3]))
    page.report_asked.connect(asked.append)
    page.chapters_chosen.connect(asked.append)
    page.report_button.menu().actions()[1].trigger()
    entries = page.findChild(QListWidget, "reportChaptersList")
    assert [entries.item(row).checkState() for row in range(entries.count())] == [Qt.CheckState.Checked] * len(
        OF_SEARCH
    )
    entries.item(1).setCheckState(Qt.CheckState.Unchecked)
    page.findChild(QPushButton, "applyChoiceButton").click()
    assert asked == [[name for name in OF_SEARCH if name != OF_SEARCH[1]], "search.pdf"]
    page.show_report(False)
    assert not page.report_button.isEnabled()


def test_entries_come_back_as_they_were_set(page: TunePage, qtbot: QtBot) -> None:
    wanted = {
        **DEFAULTS,
        "machines": "llw,dag",
        "kernel": "polynomial",
        "C_from": "1",
        "search": "halving",
        "folds": "7",
        "jobs": "3",
    }
    with qtbot.assertNotEmitted(page.form_changed):
        page.set_texts(wanted)
    assert page.texts() == wanted
    page.set_texts(DEFAULTS)
    assert page.texts() == DEFAULTS


@pytest.mark.parametrize("name", ["costFromEdit", "gammaToEdit", "gridStepEdit", "tuneTimeLimitEdit"])
def test_typing_is_told(page: TunePage, qtbot: QtBot, name: str) -> None:
    field = page.findChild(QLineEdit, name)
    with qtbot.waitSignal(page.form_changed):
        QTest.keyClicks(field, "1")


def test_lists_hold_names_of_the_contract(page: TunePage) -> None:
    assert page.texts()["machines"] == ",".join(FIRST_MACHINES)
    searches = page.fields.combos["search"]
    assert [searches.itemData(place) for place in range(searches.count())] == list(SEARCHES)


@pytest.mark.parametrize("kernel", [name for name in KERNELS if name != "precomputed"])
def test_only_what_the_kernel_declares_is_asked_for(page: TunePage, kernel: str) -> None:
    page.show_parameters(KERNELS[kernel].parameters)
    for name, parameter in (("gammaFromEdit", "gamma"), ("tuneDegreeEdit", "degree"), ("tuneCoef0Edit", "coef0")):
        field = page.findChild(QLineEdit, name)
        assert field is not None
        assert field.isVisible() == (parameter in KERNELS[kernel].parameters)


def test_what_is_wrong_stands_at_its_field_even_where_that_was_folded_away(page: TunePage) -> None:
    assert not page.fields.edits["time_limit"].isVisible()
    page.show_errors({"C_from": "no number", "time_limit": "too short"})
    told = {
        label.text() for label in page.findChildren(QLabel) if label.isVisible() and label.property("role") == "bad"
    }
    assert told == {"no number", "too short"}
    assert page.fields.edits["C_from"].accessibleDescription() == "no number"
    page.show_errors({})
    assert not page.findChild(QLabel, "costFromEditError").isVisible()


def test_while_it_is_searched_what_is_searched_stays(page: TunePage) -> None:
    page.show_classes({"a": 2, "b": 3})
    tables = [page.findChild(QToolButton, name) for name in ("tuneCostsButton", "tuneClassWeightButton")]
    assert all(button.isEnabled() for button in tables)
    page.show_running(True, False)
    assert not page.fields.edits["C_from"].isEnabled()
    page.show_classes({"a": 2, "b": 3})
    assert not any(button.isEnabled() for button in tables)
    assert page.start.isHidden()
    assert page.stop.isEnabled()
    page.show_running(True, True)
    assert not page.stop.isEnabled()
    page.show_running(False, False)
    assert page.fields.edits["C_from"].isEnabled()
    assert all(button.isEnabled() for button in tables)
    assert not page.stop.isEnabled()


def test_without_a_cluster_the_field_says_why(page: TunePage) -> None:
    page.close_field("scheduler", "no cluster here")
    page.show_cluster("no cluster here", "muted", False)
    for busy in (True, False):
        page.show_running(busy, False)
        assert not page.fields.scheduler.isEnabled()
    assert not page.fields.test.isEnabled()
    assert page.fields.cluster.text() == page.fields.scheduler.accessibleDescription() == "no cluster here"


def test_a_field_that_was_closed_opens_again(page: TunePage) -> None:
    jobs = page.fields.spins["jobs"]
    tip = jobs.toolTip()
    page.close_field("jobs", "of the cluster")
    assert (jobs.isEnabled(), jobs.toolTip()) == (False, "of the cluster")
    page.close_field("jobs", "")
    assert (jobs.isEnabled(), jobs.toolTip()) == (True, tip)


def test_the_test_button_asks_once(page: TunePage, qtbot: QtBot) -> None:
    page.show_cluster("", "muted", True)
    page.fields.more.setChecked(True)
    with qtbot.waitSignal(page.scheduler_test_asked):
        qtbot.mouseClick(page.fields.test, Qt.MouseButton.LeftButton)
    page.show_cluster("asking", "muted", False)
    assert not page.fields.test.isEnabled()


def test_the_command_goes_to_the_clipboard(page: TunePage, qtbot: QtBot) -> None:
    page.show_command("mcsvm tune x")
    with qtbot.waitSignal(page.message):
        qtbot.mouseClick(page.command.button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "mcsvm tune x"


# -- maps -----------------------------------------------------------------------------------------


def test_one_tab_for_each_machine_after_all_of_them(page: TunePage, qtbot: QtBot) -> None:
    page.show_maps([heat_map("ww"), heat_map("cs")])
    assert [page.tabs.tabText(place) for place in range(page.tabs.count())] == ["All", "ww", "cs"]
    assert page.machine == ""
    with qtbot.waitSignal(page.machine_shown) as turned:
        page.tabs.setCurrentIndex(2)
    assert turned.args == ["cs"]
    page.show_maps([heat_map("cs")])
    assert (page.tabs.count(), page.machine) == (1, "cs")


def test_the_cell_under_the_pointer_is_named(page: TunePage) -> None:
    plot = shown(page)
    QTest.mouseMove(plot.viewport(), place(plot, 2.3, -0.4))
    plot.scene().sigMouseMoved.emit(plot.area.mapViewToScene(QPointF(2.3, -0.4)))
    assert plot.heading == "C 4 gamma 1"
    plot.leaveEvent(QEvent(QEvent.Type.Leave))
    assert plot.heading == "WW"


def test_marks_are_explained_and_the_cell_under_the_pointer_is_read_whole(page: TunePage) -> None:
    """The title has no room for all of it."""
    plot = shown(page)
    assert page.legend.texts() == ["best", "as good", "other machine", "fewer folds"]
    plot.scene().sigMouseMoved.emit(plot.area.mapViewToScene(QPointF(2.3, -0.4)))
    assert "C 4 gamma 1" in page.legend.texts()
    assert page.legend._cell.isVisibleTo(page)
    plot.leaveEvent(QEvent(QEvent.Type.Leave))
    assert not page.legend._cell.isVisibleTo(page)


def test_a_click_chooses_the_cell(page: TunePage, qtbot: QtBot) -> None:
    plot = shown(page, "cs")
    with qtbot.waitSignal(page.cell_chosen) as chosen:
        qtbot.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=place(plot, 4.0, 2.0))
    assert chosen.args == ["cs", 16.0, 4.0]


def test_a_cell_can_be_gone_to_and_chosen_by_keys(page: TunePage, qtbot: QtBot) -> None:
    plot = shown(page)
    plot.setFocus()
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Down, Qt.Key.Key_Left):  # the first one finds the best
        QTest.keyClick(plot, key)
    assert plot.heading == plot.accessibleDescription() == "C 1 gamma 1"
    with qtbot.waitSignal(page.cell_chosen) as chosen:
        QTest.keyClick(plot, Qt.Key.Key_Return)
    assert chosen.args == ["ww", 1.0, 1.0]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["light", "dark"])
def test_colours_are_those_of_viridis_in_every_theme(page: TunePage, name: str) -> None:
    theme.use(name)
    plot = shown(page)
    picture = plot.grab().toImage()
    viridis = pg.colormap.get("viridis")
    for x, y, shade in ((0.0, -2.0, 0.0), (4.0, -2.0, 0.25), (0.0, 2.0, 0.75)):
        assert _close(picture, place(plot, x - 0.7, y - 0.7), viridis.map(shade, mode=pg.ColorMap.QCOLOR))


def _close(picture: QImage, where: QPoint, colour: QColor) -> bool:
    ratio = picture.devicePixelRatio()
    seen = picture.pixelColor(int(where.x() * ratio), int(where.y() * ratio))
    return max(abs(a - b) for a, b in zip(seen.getRgb(), colour.getRgb(), strict=True)) <= 2


def test_the_scale_is_that_of_all_maps(page: TunePage) -> None:
    maps = [heat_map("ww"), heat_map("cs")]
    assert maps[0].ticks == maps[1].ticks
    assert maps[0].ticks[0][1] == "0%"
    assert maps[0].ticks[-1][0] == 1.0


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_maps_can_be_saved(page: TunePage, qtbot: QtBot, tmp_path: Any, kind: str) -> None:
    plot = shown(page)
    target = tmp_path / f"map.{kind}"
    with qtbot.waitSignal(page.message):
        plot.save(str(target), kind)
    assert target.stat().st_size > 500


# -- what is said ---------------------------------------------------------------------------------


def test_progress_is_a_bar_where_the_end_is_known_and_words_where_not(page: TunePage) -> None:
    page.show_progress(3, 10, "3 of 10")
    assert (page.progress.value(), page.progress.maximum(), page.progress.isVisible()) == (3, 10, True)
    page.show_progress(3, None, "3 fits")
    assert not page.progress.isVisible()
    assert page.progress_text.text() == "3 fits"


def test_the_offer_to_extend_is_there_only_when_made(page: TunePage, qtbot: QtBot) -> None:
    page.show_maps([heat_map("ww")])
    assert not page.checks.isVisible()
    page.show_checks([Advice("Look further.", actions=(Action("Extend and continue the search", "extend"),))])
    extend = page.findChild(QPushButton, "extendAdvice")
    with qtbot.waitSignal(page.check_acted) as heard:
        qtbot.mouseClick(extend, Qt.MouseButton.LeftButton)
    assert heard.args == ["extend", None]
    page.show_best("ww: 90 %", "Train it")
    with qtbot.waitSignal(page.train_best_asked):
        qtbot.mouseClick(page.train_best, Qt.MouseButton.LeftButton)
    page.show_best("", "Train it")
    assert not page.train_best.isEnabled()


def test_searches_of_other_machines_make_no_plots_anew(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def counted(self: HeatTabs, name: str, shown: heat.HeatMap, small: bool) -> HeatPlot:
        made.append(name)
        return new(self, name, shown, small)

    new = HeatTabs._new_plot
    monkeypatch.setattr(HeatTabs, "_new_plot", counted)
    tabs = HeatTabs()
    qtbot.addWidget(tabs)
    tabs.show()
    for machines in (("ww",), ("ww", "ovo"), ("ww",), ("ovo", "ww"), ("ww", "ovo")):
        tabs.show_maps([heat_map(name) for name in machines])
        assert list(tabs.plots) == list(machines)
        assert list(tabs.tiles) == (list(machines) if len(machines) > 1 else [])
        assert not any(tile.isHidden() for tile in tabs.tiles.values())
        assert tabs.currentWidget().isVisible()
    assert sorted(made) == ["heatmap-ovo", "heatmap-ww", "heatmapTile-ovo", "heatmapTile-ww"]


def test_a_title_that_has_no_room_leaves_out_what_is_least_needed(qtbot: QtBot, page: TunePage) -> None:
    plot = shown(page)
    known = replace(
        heat_map("ww"), title="Weston-Watkins  100% (2 of 5 folds)", short="ww  100% (2 of 5)", brief="ww  100%"
    )
    plot.show_map(known)
    titles = []
    for width in (900, 260, 150):
        plot.setFixedWidth(width)
        QApplication.processEvents()
        titles.append(plot.heading)
    assert titles[0] == known.title
    assert titles[-1] == known.brief
