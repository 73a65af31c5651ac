"""The Train page's widgets: names of the contract, what is shown and hidden, what is said and to whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QStandardItemModel
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QLabel, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.methods import METHODS
from mcsvm_gui.core.evaluate.curves import History
from mcsvm_gui.core.machine import names
from mcsvm_gui.core.machine.choices import Choices, choices
from mcsvm_gui.core.machine.form import DEFAULTS, TYPED
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.summary import Badge
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.plots.lines import PALE
from mcsvm_gui.ui.plots.live import RunConvergencePlot
from mcsvm_gui.ui.train.page import TrainPage

CONTRACT = (
    *("machineCombo", "solverCombo", "kernelCombo", "costEdit", "gammaEdit", "degreeEdit", "coef0Edit", "biasCombo"),
    *("toleranceEdit", "startButton", "trainAllButton", "pauseButton", "stopKeepButton", "discardButton"),
    *("convergencePlot", "violationPlot", "supportPlot", "accuracyPlot", "certificateLabel", "commandLabel"),
)
KERNEL_EDITS = {"gamma": "gammaEdit", "degree": "degreeEdit", "coef0": "coef0Edit"}


@pytest.fixture
def page(qtbot: QtBot) -> Iterator[TrainPage]:
    made = TrainPage()
    qtbot.addWidget(made)
    made.resize(1024, 700)
    made.set_texts(DEFAULTS)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    if theme.current().name != "light":
        theme.use("light")


@pytest.fixture(scope="module")
def found() -> Choices:
    return choices(Request(), 3)


def edit(page: TrainPage, name: str) -> QLineEdit:
    widget = page.findChild(QLineEdit, name)
    assert isinstance(widget, QLineEdit)
    return widget


def combo(page: TrainPage, name: str) -> QComboBox:
    widget = page.findChild(QComboBox, name)
    assert isinstance(widget, QComboBox)
    return widget


def history(run: int, machine: str = "ww", points: int = 50) -> History:
    x = np.linspace(0.0, 1.0, points)
    names = "iteration", "seconds", "primal", "dual", "violation", "support", "bounded"
    return History(run, f"{machine} {run}", machine, dict(zip(names, (x, x, 2.0 - x, x, 1.1 - x, x, x), strict=True)))


# -- the form -------------------------------------------------------------------------------------


def test_every_control_has_its_name_in_two_ways(page: TrainPage) -> None:
    named = {name: page.findChild(QWidget, name) for name in CONTRACT}
    assert [name for name, widget in named.items() if not isinstance(widget, QWidget)] == []
    assert [name for name, widget in named.items() if not widget.accessibleName()] == []


def test_lists_hold_the_contracts_names_before_the_solvers_are_loaded(page: TrainPage) -> None:
    for name, known in (("machineCombo", MACHINES), ("solverCombo", METHODS), ("kernelCombo", KERNELS)):
        values = [combo(page, name).itemData(place) for place in range(combo(page, name).count())]
        assert set(values) <= set(known)
    words = names.machine_titles()
    assert {name: MACHINES[name].title for name in words} == words


def test_lists_hold_all_that_is_registered_afterwards(page: TrainPage, found: Choices) -> None:
    page.show_choices(found)
    for name, known in (("machineCombo", MACHINES), ("solverCombo", METHODS), ("kernelCombo", KERNELS)):
        assert all(combo(page, name).findData(value) >= 0 for value in known)
    assert [combo(page, "biasCombo").itemData(place) for place in range(4)] == ["", "none", "regularized", "exact"]


def test_choices_change_no_choice(page: TrainPage, found: Choices, qtbot: QtBot) -> None:
    page.set_texts({**DEFAULTS, "machine": "cs", "solver": "s2do", "bias": "exact"})
    before = page.texts()
    with qtbot.assertNotEmitted(page.form_changed):
        page.show_choices(choices(Request(machine="cs", solver="s2do", bias="exact"), 3))
    assert page.texts() == before


def test_texts_there_and_back(page: TrainPage, found: Choices) -> None:
    page.show_choices(found)
    texts = {
        **dict.fromkeys(TYPED, "7"),
        "machine": "adm",
        "solver": "bsvm",
        "kernel": "sigmoid",
        "bias": "exact",
        "calibrate": "pairwise",
        "split": "order",
    }
    page.set_texts(texts)
    assert page.texts() == texts


@pytest.mark.parametrize("name", ["costEdit", "toleranceEdit", "marginEdit", "classWeightEdit"])
def test_typing_is_told(page: TrainPage, qtbot: QtBot, name: str) -> None:
    page.form.more.setChecked(True)
    with qtbot.waitSignal(page.form_changed):
        qtbot.keyClicks(edit(page, name), "2")


def test_setting_is_not_told(page: TrainPage, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(page.form_changed):
        page.set_texts({**DEFAULTS, "C": "9", "machine": "cs"})


def test_impossible_entries_are_grey_and_say_why(page: TrainPage) -> None:
    page.show_choices(choices(Request(solver="whole-example"), 3))
    machines = combo(page, "machineCombo")
    model = machines.model()
    assert isinstance(model, QStandardItemModel)
    ww, cs = machines.findData("ww"), machines.findData("cs")
    assert not model.item(ww).isEnabled()
    assert model.item(cs).isEnabled()
    assert "whole-example" in machines.itemData(ww, Qt.ItemDataRole.ToolTipRole)
    reason = page.findChild(QLabel, "reasonLabel")
    assert isinstance(reason, QLabel)
    assert reason.isVisible()
    page.show_choices(choices(Request(), 3))
    assert model.item(ww).isEnabled()
    assert not reason.isVisible()


@pytest.mark.parametrize("kernel", [name for name in KERNELS if name != "precomputed"])
def test_only_what_the_kernel_declares_is_asked_for(page: TrainPage, found: Choices, kernel: str) -> None:
    page.show_choices(replace(found, parameters=KERNELS[kernel].parameters))
    for parameter, name in KERNEL_EDITS.items():
        assert edit(page, name).isVisible() == (parameter in KERNELS[kernel].parameters)


def test_errors_stand_under_their_fields_and_are_never_out_of_sight(page: TrainPage) -> None:
    page.show_errors({"C": "no number", "cache_mb": "too little"})
    for name, text in (("costEditError", "no number"), ("cacheEditError", "too little")):
        label = page.findChild(QLabel, name)
        assert isinstance(label, QLabel)
        assert (label.text(), label.isVisible()) == (text, True)
    assert edit(page, "cacheEdit").isVisible()
    page.show_errors({})
    assert not page.findChild(QLabel, "costEditError").isVisible()


def test_more_is_folded_until_it_is_asked_for_or_used(page: TrainPage) -> None:
    assert not edit(page, "marginEdit").isVisible()
    page.set_texts({**DEFAULTS, "max_iter": "100"})
    assert edit(page, "stepLimitEdit").isVisible()


# -- buttons --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("button", "signal"),
    [
        ("startButton", "start_asked"),
        ("trainAllButton", "train_all_asked"),
        ("pauseButton", "pause_asked"),
        ("stopKeepButton", "stop_asked"),
        ("discardButton", "discard_asked"),
    ],
)
def test_buttons_ask(page: TrainPage, qtbot: QtBot, button: str, signal: str) -> None:
    page.show_obstacle(None, None)
    page.show_run("ww 1", Badge("running", "Gap 1%"), "")
    page.show_actions(True, False)
    widget = page.findChild(QPushButton, button)
    assert isinstance(widget, QPushButton)
    with qtbot.waitSignal(getattr(page, signal)):
        qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)


def test_what_cannot_be_started_says_why(page: TrainPage) -> None:
    page.show_obstacle("because", None)
    start, every = (page.findChild(QPushButton, name) for name in ("startButton", "trainAllButton"))
    assert (start.isEnabled(), start.toolTip(), every.isEnabled()) == (False, "because", True)


def test_pause_becomes_resume(page: TrainPage) -> None:
    page.show_actions(True, True)
    assert page.findChild(QPushButton, "pauseButton").text() == "Resume"
    page.show_actions(True, False)
    assert page.findChild(QPushButton, "pauseButton").text() == "Pause"


def test_the_command_can_be_copied(page: TrainPage, qtbot: QtBot) -> None:
    page.show_command("mcsvm train <b>.csv --C '2^-3'")
    with qtbot.waitSignal(page.message):
        qtbot.mouseClick(page.command.button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "mcsvm train <b>.csv --C '2^-3'"
    assert page.command.label.text() == "mcsvm train <b>.csv --C '2^-3'"
    assert page.command.label.textFormat() is Qt.TextFormat.PlainText


def test_a_runs_own_command_can_be_copied(page: TrainPage, qtbot: QtBot) -> None:
    page.show_command("mcsvm train of-the-form.csv")
    page.show_run("ww 1", Badge("solved", "x"), "")
    page.show_run_command("mcsvm train of-the-run.csv")
    qtbot.mouseClick(page.card.copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "mcsvm train of-the-run.csv"


# -- runs -----------------------------------------------------------------------------------------


def test_what_came_of_a_run_is_shown(page: TrainPage) -> None:
    page.show_run("ww 1", Badge("solved", "Solved to 0.0007%", "recomputed"), "All is well.")
    label = page.findChild(QLabel, "certificateLabel")
    assert (label.text(), label.toolTip(), label.isVisible()) == ("Solved to 0.0007%", "recomputed", True)
    assert page.findChild(QLabel, "resultLabel").text() == "All is well."


def test_runs_of_one_machine_are_told_apart_in_every_plot(page: TrainPage) -> None:
    page.show_run("ww 1", Badge("running", "x"), "")
    page.show_runs([(1, "ww 1", "ww"), (2, "cs 2", "cs"), (3, "ww 3", "ww"), (4, "ww 4", "ww")])
    page.draw([history(1), history(2, "cs"), history(3), history(4)])
    wanted = {1: theme.machine_style("ww"), 2: theme.machine_style("cs")}
    wanted |= {3: theme.machine_style("ww", 1), 4: theme.machine_style("ww", 2)}
    assert len({style.colour for style in wanted.values()}) == 4
    assert len({wanted[run].dash for run in (1, 3, 4)}) == 3
    for plot in page.plots.plots[:3]:  # these runs held no rows out
        assert {look.run: look.style for look in plot._looks.values()} == wanted


def test_a_run_looks_as_its_machine_again_once_the_others_have_left(page: TrainPage) -> None:
    page.show_run("ww 1", Badge("running", "x"), "")
    page.show_runs([(1, "ww 1", "ww"), (3, "ww 3", "ww")])
    page.draw([history(1), history(3)])
    page.show_runs([(3, "ww 3", "ww")])
    (look,) = {look.style for look in page.plots.plots[1]._looks.values()}
    assert look == theme.machine_style("ww")


def test_plots_draw_what_is_to_be_seen_and_nothing_else(page: TrainPage) -> None:
    page.show_run("ww 1", Badge("running", "x"), "")
    page.show_runs([(1, "ww 1", "ww"), (2, "cs 2", "cs")])
    page.draw([history(1), history(2, "cs"), history(3, "ova")])
    convergence = page.plots.plots[0]
    assert convergence.runs == {1, 2}
    page.show_runs([(2, "cs 2", "cs")])
    assert all(plot.runs <= {2} for plot in page.plots.plots)


def test_without_a_sample_words_stand_where_the_axes_of_other_runs_were(page: TrainPage) -> None:
    page.show_run("ww 1", Badge("solved", "x"), "")
    page.show_runs([(1, "ww 1", "ww")])
    page.draw([history(1)])
    instead = page.findChild(QLabel, "plotsInstead")
    assert not instead.isVisible()
    page.show_runs([(2, "ww 2", "ww")])
    page.draw([history(2, points=0)])
    page.show_run("ww 2", Badge("failed", "Failed"), "no such class", bad=True)
    assert instead.isVisible()
    assert "failed" in instead.text()
    assert not any(plot.isVisible() for plot in page.plots.all_plots)
    page.show_runs([(3, "ww 3", "ww")])
    page.draw([history(3, points=0)])
    page.show_run("ww 3", Badge("queued", "Waits"), "")
    assert instead.isVisible()
    assert "failed" not in instead.text()
    page.draw([history(3)])
    assert not instead.isVisible()
    assert all(plot.isVisible() for plot in page.plots.plots)


def test_hidden_plots_are_drawn_once_they_are_seen(page: TrainPage) -> None:
    page.show_runs([(1, "ww 1", "ww")])
    page.draw([history(1)])
    assert page.plots.plots[0].runs == set()
    page.show_run("ww 1", Badge("running", "x"), "")
    assert page.plots.plots[0].runs == {1}


def test_the_axis_can_be_changed(page: TrainPage, qtbot: QtBot) -> None:
    page.show_run("ww 1", Badge("running", "x"), "")
    page.show_runs([(1, "ww 1", "ww")])
    one = history(1)
    one.trace["iteration"] = 1000.0 * one.trace["seconds"]
    page.draw([one])
    with qtbot.waitSignal(page.view_changed):
        qtbot.mouseClick(page.findChild(QPushButton, "axisSteps"), Qt.MouseButton.LeftButton)
    x, _ = page.plots.plots[0]._curves[1, "primal"].getOriginalDataset()
    np.testing.assert_array_equal(x, one.trace["iteration"])
    assert page.plots.plots[0].area.viewRange()[0][1] > 900.0
    assert page.view() == {"axis": "iteration", "logX": False, "logY": False, "perRun": False}


def test_accuracy_of_an_online_run_is_drawn_against_examples(page: TrainPage) -> None:
    page.show_run("ova 1", Badge("running", "x"), "")
    page.show_runs([(1, "ova 1", "ova")])
    button = page.findChild(QPushButton, "axisExamples")
    assert button.isHidden()
    one, taken = history(1, "ova"), np.arange(60.0)
    counted = {"iteration": taken, "seconds": taken, "train_accuracy": np.full(60, 0.5), "examples": 10.0 * taken}
    one = replace(one, readings=counted)
    page.draw([one])
    assert not button.isHidden()
    assert button.isChecked()
    convergence, *_, accuracy = page.plots.plots
    np.testing.assert_array_equal(accuracy._curves[1, "train_accuracy"].getOriginalDataset()[0], 10.0 * taken)
    np.testing.assert_array_equal(convergence._curves[1, "dual"].getOriginalDataset()[0], one.trace["iteration"])
    assert accuracy.getPlotItem().getAxis("bottom").labelText == "examples seen"
    names = accuracy.room / accuracy.area.width()
    assert accuracy.area.viewRange()[0][1] == pytest.approx(590.0 / (1.0 - names), rel=0.08)
    assert page.view()["axis"] == "seconds"  # what is kept for other runs
    page.show_runs([(1, "ova 1", "ova"), (2, "cs 2", "cs")])
    page.draw([history(2, "cs")])
    assert button.isHidden()
    assert page.plots.axis == "seconds"


def test_views_there_and_back(page: TrainPage, qtbot: QtBot) -> None:
    view: dict[str, object] = {"axis": "iteration", "logX": True, "logY": True, "perRun": True}
    with qtbot.assertNotEmitted(page.view_changed):
        page.set_view(view)
    assert page.view() == view


def parted(page: TrainPage, qtbot: QtBot, runs: int = 6) -> list[RunConvergencePlot]:
    """Runs in plots of their own, whose objectives differ by powers of ten."""
    machines = ["ww", "llw", "cs", "ova", "ovo", "dag"][:runs]
    page.show_run("ww 1", Badge("running", "x"), "")
    page.show_runs([(run, f"{machine} {run}", machine) for run, machine in enumerate(machines, 1)])
    histories = [history(run, machine) for run, machine in enumerate(machines, 1)]
    for power, one in enumerate(histories):
        for kind in ("primal", "dual"):
            one.trace[kind] *= 10.0**power
    page.draw(histories)
    page.findChild(QCheckBox, "plotPerRun").setChecked(True)
    qtbot.waitUntil(lambda: len(page.plots._by_run.shown) == runs)
    return page.plots._by_run.shown


def test_each_run_has_a_plot_of_primal_and_dual_with_its_own_scale(page: TrainPage, qtbot: QtBot) -> None:
    plots = parted(page, qtbot)
    assert all(plot.isVisible() for plot in plots)
    assert not any(plot.isVisible() for plot in page.plots.plots)
    for place, plot in enumerate(plots):
        assert plot.runs == {place + 1}
        assert plot._names.texts == ["primal", "dual"]
        assert plot.titled.endswith(f" {place + 1}")
        low, high = plot.area.viewRange()[1]
        assert low < 10.0**place < high < 10.0 * 10.0**place  # where primal and dual meet
    page.findChild(QCheckBox, "plotPerRun").setChecked(False)
    assert all(plot.isVisible() for plot in page.plots.plots)
    assert not any(plot.isVisible() for plot in plots)
    assert page.plots.plots[0].runs == set(range(1, 7))


def test_plots_of_runs_are_used_again(page: TrainPage, qtbot: QtBot) -> None:
    plots = parted(page, qtbot)
    page.show_runs([(7, "ww 7", "ww"), (2, "llw 2", "llw")])
    page.draw([history(7)])
    qtbot.waitUntil(lambda: len(page.plots._by_run.shown) == 2)
    seven, two = page.plots._by_run.shown
    assert {seven, two} <= set(plots)
    assert (seven.runs, two.runs, seven.titled) == ({7}, {2}, "ww 7")
    assert page.plots._by_run.plots == plots
    assert [plot.isVisible() for plot in plots].count(True) == 2


def test_the_run_that_stands_out_does_so_among_plots_of_runs(page: TrainPage, qtbot: QtBot) -> None:
    plots = parted(page, qtbot, 3)
    page.plots.mark(2)
    strengths = [plot._curves[run, "primal"].opts["pen"].color().alpha() for run, plot in enumerate(plots, 1)]
    assert strengths[0] == strengths[2] == PALE < strengths[1]
    page.plots.mark(None)
    assert {plot._curves[run, "primal"].opts["pen"].color().alpha() for run, plot in enumerate(plots, 1)} == {255}


def test_of_one_run_there_are_the_usual_plots(page: TrainPage, qtbot: QtBot) -> None:
    plots = parted(page, qtbot, 2)
    page.show_runs([(2, "llw 2", "llw")])
    assert not page.findChild(QCheckBox, "plotPerRun").isVisible()
    assert all(plot.isVisible() for plot in page.plots.plots)
    assert not any(plot.isVisible() for plot in plots)
    assert page.plots.plots[0].runs == {2}


def test_a_plot_of_a_run_is_enlarged_and_escape_returns(page: TrainPage, qtbot: QtBot) -> None:
    plots = parted(page, qtbot, 3)
    plots[1].area.enlarged.emit()
    assert [plot.isVisible() for plot in plots] == [False, True, False]
    qtbot.keyClick(page.plots, Qt.Key.Key_Escape)
    assert all(plot.isVisible() for plot in plots)


def test_all_four_show_the_same_stretch(page: TrainPage) -> None:
    page.show_run("ww 1", Badge("running", "x"), "")
    page.show_runs([(1, "ww 1", "ww"), (2, "cs 2", "cs")])
    page.draw([history(1), history(2, "cs")])
    ranges = [plot.area.viewRange()[0] for plot in page.plots.plots]
    assert all(found == ranges[0] for found in ranges)
    assert ranges[0][0] <= 0.0 < 1.0 <= ranges[0][1]


def test_a_double_click_enlarges_and_escape_returns(page: TrainPage, qtbot: QtBot) -> None:
    page.show_run("ww 1", Badge("running", "x"), "")
    plot = page.plots.plots[2]
    plot.area.enlarged.emit()
    assert [other.isVisible() for other in page.plots.plots] == [False, False, True, False]
    qtbot.keyClick(page.plots, Qt.Key.Key_Escape)
    assert all(other.isVisible() for other in page.plots.plots)


@pytest.mark.slow
def test_lines_take_the_colours_of_the_theme(page: TrainPage) -> None:
    page.show_run("ww 1", Badge("running", "x"), "")
    page.show_runs([(1, "ww 1", "ww"), (2, "cs 2", "cs")])
    page.draw([history(1), history(2, "cs")])
    for name in ("dark", "light"):
        theme.use(name)
        colour = page.plots.plots[0]._curves[1, "gap"].opts["pen"].color().name()
        assert colour == theme.machine_style("ww").colour


def test_the_run_table_finds_its_place(page: TrainPage) -> None:
    table = QLabel("table")
    page.set_run_table(table)
    QApplication.processEvents()
    assert page.isAncestorOf(table)
    page.tabs.setCurrentWidget(table)
    assert table.isVisible()


def test_everything_fits_into_a_small_window(page: TrainPage, found: Choices) -> None:
    page.show_choices(found)
    page.show_run("ww 1", Badge("not solved", "Not solved: up to 40% off"), "word " * 60)
    page.show_actions(True, False)
    page.show_runs([(run, f"machine {run}", "ww") for run in range(12)])
    page.resize(880, 560)
    QApplication.processEvents()
    assert (page.width(), page.height()) == (880, 560)
    for name in CONTRACT:
        widget = page.findChild(QWidget, name)
        if widget.isVisible() and not page.form.isAncestorOf(widget):
            corner = widget.mapTo(page, widget.rect().bottomRight())
            assert corner.x() <= page.width(), name
            assert corner.y() <= page.height(), name
