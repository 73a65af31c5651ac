"""Photographs of every page in its states, light and dark, small and large, into build/screenshots.

    python -m tests.screenshots [--size 1024x700] [--theme light] [--language de] [--scene train_page]

The window works without a screen; what is seen is what a user would see, trained on the bundled data. Every picture
asserts the state it is named after, and every scene brings about its states by itself.
"""

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TARGET, DATA = ROOT / "build" / "screenshots", ROOT / "resources" / "datasets"
SIZES = {
    "1024x700": 1,
    "1440x900": 1,
    "1920x1080": 1,
    "3840x2160": 2,
}  # in pixels of the screen: pixels to each of Qt's
THEMES, LANGUAGES = ("light", "dark"), ("en", "de")
PATIENCE = 120.0  # seconds that a state may take to come


class Studio:
    """A window on a project of its own, and a camera."""

    def __init__(self, folder: Path, theme: str, size: str) -> None:
        from mcsvm_gui.app import create_window
        from mcsvm_gui.core.base import i18n

        self.window: Any = create_window(folder / "photos.mcsvmproj", folder / "settings.json")
        self.theme, self.size, self.language = theme, size, i18n.language()
        self.work = self.window.assembly.workspace
        self.work.settings["theme"], self.work.settings["confirm_close"] = theme, False
        self.window.resize(*(int(side) // SIZES[size] for side in size.split("x")))
        self.window.show()

    def wait(self, condition: Callable[[], object], seconds: float = PATIENCE) -> None:
        from PySide6.QtWidgets import QApplication

        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "this state did not come"
            QApplication.processEvents()
            time.sleep(0.005)

    def rest(self, seconds: float = 0.5) -> None:
        end = time.monotonic() + seconds
        self.wait(lambda: time.monotonic() > end)

    def shoot(self, name: str, state: Callable[[], object], widget: Any = None, rest: float = 0.5) -> None:
        """`state`: what must be true of what is seen."""
        self.rest(rest)
        assert state(), f"{name}: the window is in another state"
        TARGET.mkdir(parents=True, exist_ok=True)
        shown = f"{name}-{self.theme}-{self.size}-{self.language}.png"
        assert (widget or self.window).grab().save(str(TARGET / shown))

    def sees(self, name: str) -> bool:
        """The widget that is called so is in sight; where it says something, this is not empty."""
        from PySide6.QtWidgets import QLabel, QWidget

        found = self.window.findChild(QWidget, name)
        assert found is not None, f"there is no {name}"
        return found.isVisible() and not (isinstance(found, QLabel) and not found.text())

    def shoot_dialog(self, action: str, name: str) -> None:
        from PySide6.QtWidgets import QDialog

        self.window.action(action).trigger()
        self.wait(lambda: self.window.findChild(QDialog, name) is not None)
        self.wait(lambda: not self.work.tasks.busy)
        dialog = self.window.findChild(QDialog, name)
        self.shoot(name.removesuffix("Dialog"), dialog.isVisible, dialog)
        dialog.close()

    def open(self, name: str) -> None:
        self.work.open_data(f"{name}.csv")
        self.wait(lambda: not self.work.tasks.busy)

    def train(self, **machine: Any) -> list[int]:
        return self.work.train([self.work.base_request(**machine)])

    def train_six(self) -> list[int]:
        runs = [self.train(machine=name, C=4.0, gamma=1.0)[0] for name in SIX]
        self.settle()
        self.work.runs.select(runs)
        return runs

    def settle(self) -> None:
        self.wait(lambda: not self.work.queue.active())

    def leave(self) -> None:
        self.window.close()
        self.wait(lambda: not self.window.isVisible())
        self.window.deleteLater()
        self.rest(0.1)
        from mcsvm_gui.core.base import crash_log

        assert not crash_log.read(), crash_log.read()


SIX = "ww", "llw", "cs", "ova", "ovo", "dag"
SLOW = {"machine": "llw", "solver": "smo", "C": 1024.0, "gamma": 0.05, "tol": 1e-9}


EMPTY = {"train": "trainEmpty", "tune": "tuneStartButton", "compare": "compareEmpty", "explain": "explainEmpty"}


def data_page(studio: Studio, folder: Path) -> None:
    work, presenter = studio.work, studio.window.assembly.page("data")

    def shows(name: str) -> bool:
        return work.data_name == name and studio.sees("dataTable") and studio.sees("dataSummary")

    studio.wait(lambda: not work.tasks.busy)
    for page, empty in EMPTY.items():
        studio.window.show_page(page)
        studio.shoot(f"{page}-nothing", lambda: studio.sees(empty))  # noqa: B023
    studio.window.show_page("data")
    studio.shoot("data-empty", lambda: work.dataset is None and studio.sees("sampleList"))
    broken, large = folder / "broken.csv", folder / "large.csv"
    broken.write_text("a,b,label\n1,2,x\n3,4,5,y\n", "utf-8")
    work.open_data(str(broken))
    studio.wait(lambda: not work.tasks.busy)
    studio.shoot("data-failed", lambda: work.dataset is None and studio.sees("dataError"))
    large.write_text("a,b,c,label\n" + "".join(f"{i},{i * 7 % 13},0.5,{i % 3}\n" for i in range(600_000)), "utf-8")
    work.open_data(str(large))
    studio.shoot("data-loading", lambda: studio.sees("loadingLabel"), rest=0.15)
    studio.wait(lambda: not (work.tasks.busy or presenter.looking))
    studio.shoot("data-large", lambda: shows("large.csv") and work.dataset.rows == 600_000)
    studio.open("vowel_train")
    studio.wait(lambda: not presenter.looking)
    studio.shoot("data-loaded", lambda: shows("vowel_train.csv") and studio.sees("projectionPlot"))
    work.open_test(str(broken))
    studio.wait(lambda: not work.tasks.busy)
    studio.shoot("data-test-refused", lambda: work.test is None and studio.sees("testFileTrouble"))


def train_page(studio: Studio, folder: Path) -> None:
    runs, queue = studio.work.runs, studio.work.queue
    plots = studio.window.pages["train"].page.plots.plots

    def state(run: int) -> str:
        return str(queue.state(run).value) if run in queue.active() else runs.record(run).state

    def shows(*wanted: int) -> bool:
        return studio.sees("convergencePlot") and plots[0].runs >= set(wanted)

    studio.open("vowel_train")
    studio.window.show_page("train")
    studio.shoot("train-empty", lambda: not runs.ids() and studio.sees("trainEmpty"))
    slow = [studio.train(**{**SLOW, "C": cost})[0] for cost in (1024.0, 512.0, 256.0, 128.0)]
    failed = studio.train(machine="ww", C=1.0, class_weight=(("nobody", 2.0),))
    runs.select(slow[:1])
    studio.rest(3.0)
    studio.shoot("train-running", lambda: state(slow[0]) == "running" and shows(slow[0]) and studio.sees("jobsDock"))
    queue.pause(slow[0])
    studio.wait(lambda: state(slow[0]) == "paused")
    studio.shoot("train-paused", lambda: state(slow[0]) == "paused" and shows(slow[0]))
    for run in slow[1:]:
        queue.discard(run)
    queue.stop(slow[0])
    studio.settle()
    studio.shoot("train-stopped", lambda: runs.record(slow[0]).ending == "stopped" and studio.sees("resultLabel"))
    runs.select(failed)
    studio.shoot("train-failed", lambda: state(failed[0]) == "failed" and studio.sees("resultLabel"))
    studio.window.assembly.jobs.dismiss(failed[0])
    slow = studio.train(machine="llw", C=4.0, gamma=1.0, calibrate="temperature", calibration_folds=30)
    runs.select(slow)
    studio.wait(lambda: runs.folds(slow[0]) is not None and runs.folds(slow[0]).done > 0)
    studio.shoot("train-calibrating", lambda: state(slow[0]) == "calibrating" and studio.sees("resultLabel"), rest=0.3)
    queue.stop(slow[0])
    studio.settle()
    calibrated = studio.train(machine="ww", C=4.0, gamma=1.0, calibrate="temperature")
    studio.settle()
    runs.select(calibrated)
    studio.shoot("train-calibrated", lambda: runs.record(calibrated[0]).document["calibration"] is not None)
    six = studio.train_six()
    studio.shoot("train-finished", lambda: {state(run) for run in six} == {"done"} and shows(*six))
    runs.select(six[:1])
    studio.shoot("train-one", lambda: plots[0].runs == {six[0]} and studio.sees("resultLabel"))


def best_model(studio: Studio, folder: Path) -> None:
    """The straight path, while it runs and when it has answered."""
    page = studio.window.pages["train"].page
    studio.open("vowel_train")  # the search takes longer than the picture
    studio.window.show_page("train")
    page.seconds.setValue(12)
    page.find_best.click()
    studio.wait(lambda: studio.work.searches.active and studio.work.searches.active[0].progress is not None)
    studio.shoot("best-running", lambda: studio.work.searches.active and studio.sees("conclusionLabel"), rest=2.0)
    studio.wait(lambda: len(studio.work.runs.selected) > 1 and not studio.work.queue.active())
    studio.wait(lambda: not studio.work.tasks.busy)
    studio.shoot("best-answered", lambda: studio.sees("conclusionLabel") and studio.sees("useBestButton"))


def tune_page(studio: Studio, folder: Path) -> None:
    from PySide6.QtCore import QPointF

    work, tune, queue = studio.work, studio.window.assembly.page("tune"), studio.work.queue
    page = studio.window.pages["tune"].page
    studio.open("wine")
    studio.window.show_page("tune")
    studio.shoot("tune-empty", lambda: studio.sees("tuneStartButton") and not studio.sees("heatmapTabs"))

    def search(**texts: str) -> None:
        studio.wait(lambda: not queue.active() and not work.tasks.busy)
        page.set_texts({**page.texts(), **texts})
        page.form_changed.emit()
        tune.start()
        studio.wait(lambda: bool(queue.active()))

    def ended(machines: str, stopped: bool = False) -> bool:
        shown = ",".join(page.tabs.plots)
        return not queue.active() and shown == machines and tune._tuned.stopped is stopped and studio.sees("bestLabel")

    search(step="1", C_to="2^8")
    studio.wait(lambda: page.progress.value() > 2000 or not queue.active())
    studio.shoot("tune-running", lambda: queue.active() and studio.sees("tuneProgress"), rest=0.1)
    tune.stop()
    studio.wait(lambda: not queue.active())
    studio.shoot("tune-stopped", lambda: ended("ww,llw,cs,ova,ovo,dag", stopped=True))
    search(machines="ww,ovo,dag", step="2")
    studio.wait(lambda: not queue.active())
    studio.shoot("tune-done", lambda: ended("ww,ovo,dag"))
    page.tabs.setCurrentIndex(2)
    plot = page.tabs.plots["ovo"]
    plot.scene().sigMouseMoved.emit(plot.area.mapViewToScene(QPointF(4.0, -4.0)))
    studio.shoot("tune-machine", lambda: page.machine == "ovo" and plot.isVisible())
    page.values.setCurrentIndex(page.values.findData("seconds"))
    page.fields.more.setChecked(True)
    studio.shoot("tune-times", lambda: page.value == "seconds" and page.fields.more.isChecked())
    page.values.setCurrentIndex(0)
    search(machines="ovo", search="two-line", C_to="2^2")
    studio.wait(lambda: not queue.active())
    studio.shoot("tune-two-line", lambda: ended("ovo") and page.texts()["search"] == "two-line")


def playground_page(studio: Studio, folder: Path) -> None:
    """Every stop of every tour, the empty canvas, and the data at hand."""
    from mcsvm_gui.core.playground.tours import tours

    studio.open("vowel_train")
    presenter = studio.window.assembly.page("playground")
    page = presenter.view
    studio.window.show_page("playground")

    def shoot(name: str, state: Callable[[], object]) -> None:
        studio.rest(0.2)
        studio.wait(lambda: not presenter.busy)
        studio.shoot(f"playground-{name}", lambda: studio.sees("playgroundCanvas") and state())

    shoot("begun", lambda: len(page.canvas.pictures) == len(presenter.setting.machines))
    for tour in tours().values():
        page.tour_asked.emit(tour.name)
        for number, stop in enumerate(tour.stops):
            drawn = 3 if stop.steps is not None else len(stop.setting.machines)
            at = tour.name, number
            shoot(f"{tour.name}-{number + 1}", lambda: presenter._tour == at and len(page.canvas.pictures) == drawn)  # noqa: B023
            page.tour_moved.emit(1)
    page.steps_toggled.emit(False)
    page.components_asked.emit()
    studio.wait(lambda: not studio.work.tasks.busy)
    shoot(
        "vowels", lambda: len(presenter.drawing) > 100 and presenter.undo_stack.undoText().endswith("vowel_train.csv")
    )
    page.clear_asked.emit()
    shoot("empty", lambda: not len(presenter.drawing) and not page.canvas.pictures)


def compare_page(studio: Studio, folder: Path) -> None:
    """Every tab, of six machines on rows that they do not all decide alike."""
    studio.window.show_page("compare")
    presenter, page = studio.window.assembly.page("compare"), studio.window.pages["compare"].page
    studio.work.runs.select(())
    studio.shoot("compare-empty", lambda: studio.sees("compareEmpty"))
    studio.open("glass")
    six = studio.train_six()
    studio.wait(lambda: not studio.work.tasks.busy and not page.tools.progress.text())
    for place in range(page.tabs.count()):
        page.tabs.setCurrentIndex(place)
        studio.wait(lambda: not studio.work.tasks.busy and not page.tools.progress.text())
        part = page.tabs.widget(place)
        state = lambda part=part: presenter._pictured == six and part.isVisible()  # noqa: E731
        studio.shoot(f"compare-{part.objectName()}", state)
    evaluated(studio, page)
    learning(studio, page)
    page.tabs.setCurrentIndex(0)
    studio.work.runs.select(six[:1])
    studio.wait(lambda: not studio.work.tasks.busy)
    studio.shoot("compare-one", lambda: presenter._pictured == six[:1] and page.tabs.isVisible())


def evaluated(studio: Studio, page: Any) -> None:
    """Runs with probabilities: curves with bands, reliability, decisions by costs that are typed."""
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QLineEdit

    tabs, three = page.evaluations, ("ww", "ovo", "cs")
    page.tabs.setCurrentWidget(tabs.roc)
    runs = [studio.train(machine=name, C=4.0, gamma=1.0, calibrate="temperature")[0] for name in three]
    studio.settle()
    studio.work.runs.select(runs)
    studio.wait(lambda: not studio.work.tasks.busy and len(tabs.roc.plot.shown) == 3)
    for panel, _ in tabs.named[:3]:
        page.tabs.setCurrentWidget(panel)
        panel.classes.setCurrentIndex(0 if panel is tabs.calibration else 1)
        studio.shoot(f"compare-probabilities-{panel.objectName()}", lambda panel=panel: len(panel.plot.shown) == 3)
    view = tabs.thresholds
    page.tabs.setCurrentWidget(view)
    view.table.setCurrentIndex(view.table.costs.index(0, 1))
    view.table.edit(view.table.currentIndex())
    QTest.keyClicks(view.table.findChild(QLineEdit, "costCellEdit"), "12")
    view.reject.setValue(0.5)
    studio.wait(lambda: not studio.work.tasks.busy)
    studio.shoot("compare-costs", lambda: view.presets.currentData() == "hand" and view.result.text())


def learning(studio: Studio, page: Any) -> None:
    """Is more data worth it? Asked of the first of the runs at hand."""
    page.tabs.setCurrentWidget(page.learning)
    page.learning.start.click()
    studio.wait(lambda: page.learning.plot.points or not studio.work.queue.active())
    studio.shoot("compare-learning-running", lambda: studio.sees("learningCurvePlot"), rest=0.1)
    studio.settle()
    studio.shoot("compare-learning", lambda: len(page.learning.plot.points) > 3 and studio.sees("learningCurveWords"))


def explain_page(studio: Studio, folder: Path) -> None:
    studio.open("wine")
    runs = [studio.train(machine=name, C=4.0, gamma=0.1, calibrate="temperature")[0] for name in ("ww", "cs", "ova")]
    studio.settle()
    studio.work.runs.select(runs)
    explain = explained(studio)
    page = explain._view
    studio.shoot("explain-row", lambda: page.row.plot.bars and page.row.flips.entries.changes)
    for number, name in ((1, "neighbours"), (2, "machines")):
        page.row.tabs.setCurrentIndex(number)
        studio.shoot(
            f"explain-{name}", lambda: page.row.near.entries.rowCount() and page.row.machines.entries.rowCount()
        )
    page.tabs.setCurrentWidget(page.overview)
    studio.wait(lambda: explain._permuted is not None and not studio.work.tasks.busy)
    studio.shoot("explain-all", lambda: page.overview.permutation.bars and page.overview.swarm.swarms)
    page.tabs.setCurrentWidget(page.map)
    studio.wait(lambda: page.map.plot.shown is not None and not studio.work.tasks.busy)
    studio.shoot("explain-map", lambda: page.map.plot._frame is not None)


def explained(studio: Studio) -> Any:
    """The presenter of the page Explain, once a row of the selected runs is explained and its flip found."""
    studio.window.show_page("explain")
    explain = studio.window.assembly.page("explain")
    studio.wait(lambda: explain._found is not None and not studio.work.tasks.busy)
    explain.find_flip()
    studio.wait(lambda: not studio.work.tasks.busy)
    explain._view.tabs.setCurrentWidget(explain._view.row)
    return explain


def predict_page(studio: Studio, folder: Path) -> None:
    studio.open("vowel_train")
    studio.work.runs.select(studio.train(machine="ww", C=4.0, gamma=1.0))
    studio.settle()
    studio.window.show_page("predict")
    predict = studio.window.assembly.page("predict")
    studio.shoot("predict-empty", lambda: predict._opened is None and studio.sees("predictHint"))
    predict.use_selected_run()
    predict.open_data("vowel_test.csv")
    studio.wait(lambda: not studio.work.tasks.busy)
    studio.shoot(
        "predict-results",
        lambda: studio.sees("predictTable") and studio.sees("predictResult") and not studio.sees("predictHint"),
    )
    studio.work.runs.select(studio.train(machine="ww", C=4.0, gamma=1.0, calibrate="temperature"))
    studio.settle()
    predict.use_selected_run()
    studio.wait(lambda: not studio.work.tasks.busy)
    predict.view.choose_sets(0.05)
    studio.shoot("predict-sets", lambda: studio.sees("predictSetsCombo") and studio.sees("predictTable"))
    predict.view.choose_order("margin")
    studio.shoot("predict-probabilities", lambda: studio.sees("predictOrderCombo") and studio.sees("predictTable"))
    predict.open_data("iris.csv")
    studio.wait(lambda: not studio.work.tasks.busy)
    studio.shoot("predict-refused", lambda: studio.sees("predictNotice") and not studio.sees("predictTable"))


HOSTILE_COLUMNS = (
    "very long " + "and longer " * 12,
    "<b>html</b> & <img src=x>",
    "\u05e9\u05dc\u05d5\u05dd \u0639\u0631\u0628\u064a",  # right to left
    "\U0001f600 \U0001f468\u200d\U0001f469\u200d\U0001f467",
    "two\nlines\tand a tab",
    "=cmd() {x} %s",
)
HOSTILE_CLASSES = (
    "<i>class</i> " + "of a long name " * 6,
    "\u0645\u0631\u062d\u0628\u0627 \u202e reversed",
    "\U0001f40d {y}\nnew",
)


def hostile_file(path: Path) -> Path:
    """Numbers whose sum tells three classes, a column that tells them too, a date, and every name a trap."""
    import csv
    import datetime

    import numpy as np

    rng = np.random.default_rng(0)
    cells = rng.normal(size=(240, len(HOSTILE_COLUMNS)))
    codes = np.digitize(cells[:, :3].sum(axis=1) + 0.4 * cells[:, 3], [-1.0, 1.0])
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file)
        lines.writerow([*HOSTILE_COLUMNS, "<u>when</u>", "leak {z}", "label"])
        for number, (row, code) in enumerate(zip(cells.round(2).tolist(), codes.tolist(), strict=True)):
            day = datetime.date(2024, 1, 1) + datetime.timedelta(days=2 * number)
            lines.writerow([*row, day, 3 * code, HOSTILE_CLASSES[code]])
    return path


def hostile_names(studio: Studio, folder: Path) -> None:
    """Lists of findings, Explain, Compare and Predict where no name is a word."""
    from mcsvm_gui.core.data.options import ReadOptions

    path, work = str(hostile_file(folder / "hostile <b>.csv")), studio.work
    for drop, state in ((), "leak"), (("leak {z}",), ""):
        work.open_data(path, ReadOptions(label="label", dates=("<u>when</u>",), drop=drop))
        studio.wait(lambda: work.dataset is not None and not work.tasks.busy)
        for page in ("data", "train") if state else ():
            studio.window.show_page(page)
            studio.shoot(f"hostile-{page}", lambda: bool(work.checks.findings))
    machines = {"ww": {"gamma": 0.1}, "ovo": {"gamma": 0.1}, "cs": {"gamma": 0.1, "kernel": "sigmoid"}}
    runs = [studio.train(machine=name, C=2.0, calibrate="temperature", **more)[0] for name, more in machines.items()]
    studio.settle()
    work.runs.select(runs)
    hostile_pages(studio)
    explain_sampled(studio, runs[2])
    work.runs.select(runs[:1])
    predict = studio.window.assembly.page("predict")
    studio.window.show_page("predict")
    predict.use_selected_run()
    studio.wait(lambda: not work.tasks.busy)
    predict.open_data(path)
    studio.wait(lambda: not work.tasks.busy)
    predict.view.choose_sets(0.1)
    studio.shoot("hostile-predict", lambda: studio.sees("predictTable"))


def hostile_pages(studio: Studio) -> None:
    explain = explained(studio)
    page = explain._view
    studio.shoot("hostile-row", lambda: page.row.plot.bars and page.row.isVisible())
    for number, name in ((1, "neighbours"), (2, "machines")):
        page.row.tabs.setCurrentIndex(number)
        studio.shoot(f"hostile-{name}", lambda: page.row.near.entries.rowCount() and page.row.isVisible())
    page.row.tabs.setCurrentIndex(0)
    page.tabs.setCurrentWidget(page.overview)
    studio.wait(lambda: explain._permuted is not None and not studio.work.tasks.busy)
    studio.shoot("hostile-all", lambda: page.overview.permutation.bars and page.overview.swarm.swarms)
    page.tabs.setCurrentWidget(page.map)
    studio.wait(lambda: page.map.plot.shown is not None and not studio.work.tasks.busy)
    studio.shoot("hostile-map", lambda: studio.sees("explainMapPanel"))
    studio.window.show_page("compare")
    compare = studio.window.assembly.page("compare")._view
    compare.tabs.setCurrentWidget(compare.confusion)
    studio.wait(lambda: compare.confusion.panels and not studio.work.tasks.busy)
    studio.shoot("hostile-confusion", lambda: studio.sees("confusionView"))


def explain_sampled(studio: Studio, run: int) -> None:
    """Intervals on bars, where values are drawn by lot."""
    studio.window.show_page("explain")
    explain = studio.window.assembly.page("explain")
    explain.show_rows(run, "wrong")
    page = explain._view
    studio.wait(lambda: explain._found is not None and not studio.work.tasks.busy)
    studio.shoot("explain-sampled", lambda: all(bar.interval is not None for bar in page.row.plot.bars))


def around(studio: Studio, folder: Path) -> None:
    from mcsvm_gui.ui.shell import recovery
    from mcsvm_gui.ui.shell.question_bar import RecoveryBar

    for action, name in DIALOGS:
        studio.shoot_dialog(action, name)
    bar = studio.window.findChild(RecoveryBar)
    studio.window.show_page("train")
    bar.show_names(recovery._words(2), ["ww 14", "llw 15"])
    studio.shoot("recovery", lambda: studio.sees("recoveryBar") and studio.sees("recoveryLabel"))
    bar.show_names("", [])
    trust = studio.work.trust
    studio.work.settings["trusted_projects"] = []
    trust.ask(["/data/iris.csv"])
    studio.shoot("trust", lambda: studio.sees("trustBar") and studio.sees("trustLabel"))
    trust.agree()


DIALOGS = (
    ("settingsAction", "settingsDialog"),
    ("shortcutsAction", "shortcutsDialog"),
    ("aboutAction", "aboutDialog"),
    ("doctorAction", "doctorDialog"),
    ("crashLogAction", "crashDialog"),
    ("guideAction", "guideDialog"),
)
Scene = Callable[[Studio, Path], None]
SCENES: tuple[Scene, ...] = (
    *(data_page, train_page, best_model, tune_page, playground_page),
    *(compare_page, explain_page, predict_page, hostile_names, around),
)
NAMES = [scene.__name__ for scene in SCENES]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=SIZES, action="append")
    parser.add_argument("--theme", choices=THEMES, action="append")
    parser.add_argument("--language", choices=LANGUAGES, action="append")
    parser.add_argument("--scene", choices=NAMES, action="append")
    options = parser.parse_args()
    scenes = options.scene or NAMES
    wanted = [options.theme or THEMES, options.size or SIZES, options.language or LANGUAGES]
    asked = list(itertools.product(*wanted))
    for theme, size, language in asked:
        if len(asked) == 1:
            _alone(theme, size, language, scenes)
        else:  # scale and language hold for a whole process
            words = [f"--theme={theme}", f"--size={size}", f"--language={language}"]
            words += [f"--scene={scene}" for scene in scenes]
            subprocess.run([sys.executable, "-m", "tests.screenshots", *words], cwd=ROOT, check=True)
    print(f"{len(list(TARGET.glob('*.png')))} pictures in {TARGET}")


def _alone(theme: str, size: str, language: str, scenes: Sequence[str]) -> None:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ["QT_SCALE_FACTOR"], os.environ["LC_ALL"] = str(SIZES[size]), f"{language}.UTF-8"
    os.chdir(DATA)  # no picture names folders of a particular machine
    with tempfile.TemporaryDirectory() as home:
        for kind in ("DATA", "CONFIG", "STATE"):  # the user's own files are no motif
            os.environ[f"XDG_{kind}_HOME"] = home
        from PySide6.QtWidgets import QApplication

        application = QApplication([])
        _session(theme, size, [scene for scene in SCENES if scene.__name__ in scenes])
        application.quit()


def _session(theme: str, size: str, scenes: Sequence[Scene]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        studio = Studio(Path(folder), theme, size)
        try:
            for scene in scenes:
                scene(studio, Path(folder))
        finally:
            studio.leave()


if __name__ == "__main__":
    main()
