"""Photographs of every page in its states, light and dark, small and large, into build/screenshots.

    python -m tests.screenshots [--size 1024x700] [--theme light]; LANG=de_DE.UTF-8 for German

The window works without a screen; what is seen is what a user would see, trained on the bundled data.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TARGET, DATA = ROOT / "build" / "screenshots", ROOT / "resources" / "datasets"
SIZES, THEMES = ("1024x700", "1920x1080"), ("light", "dark")
PATIENCE = 120.0  # seconds that a state may take to come


class Studio:
    """A window on a project of its own, and a camera."""

    def __init__(self, folder: Path, theme: str, size: str) -> None:
        from mcsvm_gui.app import create_window

        self.theme, self.size = theme, size
        self.window: Any = create_window(folder / "photos.mcsvmproj", folder / "settings.json")
        self.work = self.window.assembly.workspace
        self.work.settings["theme"], self.work.settings["confirm_close"] = theme, False
        self.window.resize(*(int(side) for side in size.split("x")))
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

    def shoot(self, name: str, widget: Any = None, rest: float = 0.5) -> None:
        self.rest(rest)
        TARGET.mkdir(parents=True, exist_ok=True)
        (widget or self.window).grab().save(str(TARGET / f"{name}-{self.theme}-{self.size}.png"))

    def shoot_dialog(self, action: str, name: str) -> None:
        from PySide6.QtWidgets import QDialog

        self.window.action(action).trigger()
        self.wait(lambda: self.window.findChild(QDialog, name) is not None)
        self.wait(lambda: not self.work.tasks.busy)
        dialog = self.window.findChild(QDialog, name)
        self.shoot(name.removesuffix("Dialog"), dialog)
        dialog.close()

    def open(self, name: str) -> None:
        self.work.open_data(f"{name}.csv")
        self.wait(lambda: not self.work.tasks.busy)

    def train(self, **machine: Any) -> list[int]:
        return self.work.train([self.work.base_request(**machine)])

    def settle(self) -> None:
        self.wait(lambda: not self.work.queue.active())

    def leave(self) -> None:
        self.window.close()
        self.wait(lambda: not self.window.isVisible())
        self.window.deleteLater()
        self.rest(0.1)
        from mcsvm_gui.core import crash_log

        assert not crash_log.read(), crash_log.read()


SLOW = {"machine": "llw", "solver": "smo", "C": 1024.0, "gamma": 0.05, "tol": 1e-9}


def data_page(studio: Studio, folder: Path) -> None:
    studio.wait(lambda: not studio.work.tasks.busy)
    studio.window.show_page("data")
    studio.shoot("data-empty")
    broken, large = folder / "broken.csv", folder / "large.csv"
    broken.write_text("a,b,label\n1,2,x\n3,4,5,y\n", "utf-8")
    studio.work.open_data(str(broken))
    studio.wait(lambda: not studio.work.tasks.busy)
    studio.shoot("data-failed")
    large.write_text("a,b,c,label\n" + "".join(f"{i},{i * 7 % 13},0.5,{i % 3}\n" for i in range(600_000)), "utf-8")
    studio.work.open_data(str(large))
    studio.shoot("data-loading", rest=0.15)
    studio.wait(lambda: not studio.work.tasks.busy)
    studio.rest(2.0)
    studio.shoot("data-large")
    studio.open("vowel_train")
    studio.shoot("data-loaded")
    studio.work.open_test(str(broken))
    studio.wait(lambda: not studio.work.tasks.busy)
    studio.shoot("data-test-refused")


def train_page(studio: Studio, folder: Path) -> None:
    studio.window.show_page("train")
    studio.shoot("train-empty")
    slow = [studio.train(**{**SLOW, "C": cost})[0] for cost in (1024.0, 512.0, 256.0, 128.0)]
    failed = studio.train(machine="ww", C=1.0, class_weight=(("nobody", 2.0),))
    studio.work.runs.select(slow[:1])
    studio.rest(3.0)
    studio.shoot("train-running")
    studio.work.queue.pause(slow[0])
    studio.rest()
    studio.shoot("train-paused")
    for run in slow[1:]:
        studio.work.queue.discard(run)
    studio.work.queue.stop(slow[0])
    studio.settle()
    studio.shoot("train-stopped")
    studio.work.runs.select(failed)
    studio.shoot("train-failed")
    studio.window.assembly.jobs.dismiss(failed[0])
    six = [studio.train(machine=name, C=4.0, gamma=1.0)[0] for name in ("ww", "llw", "cs", "ova", "ovo", "dag")]
    studio.settle()
    studio.work.runs.select(six)
    studio.shoot("train-finished")
    studio.work.runs.select(six[:1])
    studio.shoot("train-one")


def tune_page(studio: Studio, folder: Path) -> None:
    from PySide6.QtCore import QPointF

    work, tune, searches = studio.work, studio.window.assembly.page("tune"), studio.window.assembly.searches
    page = studio.window.pages["tune"].page
    studio.open("wine")
    studio.window.show_page("tune")
    studio.shoot("tune-empty")

    def search(**texts: str) -> None:
        studio.wait(lambda: not searches.running and not work.tasks.busy)
        page.set_texts({**page.texts(), **texts})
        page.form_changed.emit()
        tune.start()
        studio.wait(lambda: searches.running)

    search(step="1", C_to="2^8")
    studio.wait(lambda: page.progress.value() > 2000 or not searches.running)
    studio.shoot("tune-running", rest=0.1)
    tune.stop()
    studio.wait(lambda: not searches.running)
    studio.shoot("tune-stopped")
    search(machines="ww,ovo,dag", step="2")
    studio.wait(lambda: not searches.running)
    studio.shoot("tune-done")
    page.tabs.setCurrentIndex(2)
    plot = page.tabs.plots["ovo"]
    plot.scene().sigMouseMoved.emit(plot.area.mapViewToScene(QPointF(4.0, -4.0)))
    studio.shoot("tune-machine")
    page.values.setCurrentIndex(1)
    page.fields.more.setChecked(True)
    studio.shoot("tune-times")
    page.values.setCurrentIndex(0)
    search(machines="ovo", search="two-line", C_to="2^2")
    studio.wait(lambda: not searches.running)
    studio.shoot("tune-two-line")
    studio.open("vowel_train")


def playground_page(studio: Studio, folder: Path) -> None:
    """Every stop of every tour, the empty canvas, and the data at hand."""
    from mcsvm_gui.core.playground.tours import tours

    presenter = studio.window.assembly.page("playground")
    page = presenter.view
    studio.window.show_page("playground")

    def shoot(name: str) -> None:
        studio.rest(0.2)
        studio.wait(lambda: not presenter.busy)
        studio.shoot(f"playground-{name}")

    shoot("begun")
    for tour in tours().values():
        page.tour_asked.emit(tour.name)
        for number in range(len(tour.stops)):
            shoot(f"{tour.name}-{number + 1}")
            page.tour_moved.emit(1)
    page.steps_toggled.emit(False)
    page.components_asked.emit()
    studio.wait(lambda: not studio.work.tasks.busy)
    shoot("vowels")
    page.clear_asked.emit()
    shoot("empty")


def compare_page(studio: Studio, folder: Path) -> None:
    """Every tab, of six machines on rows that they do not all decide alike."""
    studio.window.show_page("compare")
    page = studio.window.pages["compare"].page
    studio.work.runs.select(())
    studio.shoot("compare-empty")
    studio.open("glass")
    six = [studio.train(machine=name, C=4.0, gamma=1.0)[0] for name in ("ww", "llw", "cs", "ova", "ovo", "dag")]
    studio.settle()
    studio.work.runs.select(six)
    studio.wait(lambda: not studio.work.tasks.busy and not page.tools.progress.text())
    for place in range(page.tabs.count()):
        page.tabs.setCurrentIndex(place)
        studio.shoot(f"compare-{page.tabs.currentWidget().objectName()}")
    page.tabs.setCurrentIndex(0)
    studio.work.runs.select(six[:1])
    studio.wait(lambda: not studio.work.tasks.busy)
    studio.shoot("compare-one")


def predict_page(studio: Studio, folder: Path) -> None:
    studio.window.show_page("predict")
    studio.shoot("predict-empty")
    predict = studio.window.assembly.page("predict")
    predict.use_selected_run()
    predict.open_data("vowel_test.csv")
    studio.wait(lambda: not studio.work.tasks.busy)
    studio.shoot("predict-results")
    predict.open_data("iris.csv")
    studio.wait(lambda: not studio.work.tasks.busy)
    studio.shoot("predict-refused")


def around(studio: Studio, folder: Path) -> None:
    from mcsvm_gui.presenters import recovery
    from mcsvm_gui.views.recovery_bar import RecoveryBar

    for action, name in DIALOGS:
        studio.shoot_dialog(action, name)
    bar = studio.window.findChild(RecoveryBar)
    studio.window.show_page("train")
    bar.show_names(recovery._words(2), ["ww 14", "llw 15"])
    studio.shoot("recovery")
    bar.show_names("", [])


DIALOGS = (
    ("settingsAction", "settingsDialog"),
    ("shortcutsAction", "shortcutsDialog"),
    ("aboutAction", "aboutDialog"),
    ("doctorAction", "doctorDialog"),
    ("crashLogAction", "crashDialog"),
)
SCENES = (data_page, train_page, tune_page, playground_page, compare_page, predict_page, around)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=SIZES, action="append")
    parser.add_argument("--theme", choices=THEMES, action="append")
    options = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.chdir(DATA)  # no picture names folders of a particular machine
    with tempfile.TemporaryDirectory() as home:
        for kind in ("DATA", "CONFIG", "STATE"):  # the user's own files are no motif
            os.environ[f"XDG_{kind}_HOME"] = home
        from PySide6.QtWidgets import QApplication

        application = QApplication([])
        for theme in options.theme or THEMES:
            for size in options.size or SIZES:
                _session(theme, size)
        application.quit()
    print(f"{len(list(TARGET.glob('*.png')))} pictures in {TARGET}")


def _session(theme: str, size: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        studio = Studio(Path(folder), theme, size)
        try:
            for scene in SCENES:
                scene(studio, Path(folder))
        finally:
            studio.leave()


if __name__ == "__main__":
    main()
