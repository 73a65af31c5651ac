"""Photographs of every page in its states, light and dark, small and large, into build/screenshots.

    python -m tests.screenshots [--size 1024x700] [--theme light]

The window works without a screen; what is seen is what a user would see, trained on the bundled data.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

TARGET = Path(__file__).resolve().parent.parent / "build" / "screenshots"
SIZES, THEMES = ("1024x700", "1920x1080"), ("light", "dark")
PATIENCE = 120.0  # seconds that a state may take to come


class Studio:
    """A window on a project of its own, and a camera."""

    def __init__(self, folder: Path, theme: str, size: str) -> None:
        from mcsvm_gui.app import create_window

        self.theme, self.size = theme, size
        self.window: Any = create_window(folder / "photos.mcsvmproj", folder / "settings.json")
        self.work, self.data = self.window.assembly.workspace, Path(__file__).resolve().parent.parent / "resources"
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

    def shoot(self, name: str) -> None:
        self.rest()
        TARGET.mkdir(parents=True, exist_ok=True)
        self.window.grab().save(str(TARGET / f"{name}-{self.theme}-{self.size}.png"))

    def open(self, name: str) -> None:
        self.work.open_data(str(self.data / "datasets" / f"{name}.csv"))
        self.wait(lambda: not self.work.tasks.busy)

    def train(self, **machine: Any) -> list[int]:
        return self.work.train([self.work.base_request(**machine)])

    def settle(self) -> None:
        self.wait(lambda: not self.work.queue.active())


def data_page(studio: Studio, folder: Path) -> None:
    studio.wait(lambda: not studio.work.tasks.busy)
    studio.window.show_page("data")
    studio.shoot("data-empty")
    broken = folder / "broken.csv"
    broken.write_text("a,b,label\n1,2,x\n3,4,5,y\n", "utf-8")
    studio.work.open_data(str(broken))
    studio.wait(lambda: not studio.work.tasks.busy)
    studio.shoot("data-failed")
    studio.open("vowel_train")
    studio.shoot("data-loaded")


def train_page(studio: Studio, folder: Path) -> None:
    studio.window.show_page("train")
    studio.shoot("train-empty")
    (slow,) = studio.train(machine="llw", solver="smo", C=1024.0, gamma=0.05, tol=1e-9)
    studio.work.runs.select([slow])
    studio.rest(3.0)
    studio.shoot("train-running")
    studio.work.queue.stop(slow)
    studio.settle()
    six = [studio.train(machine=name, C=4.0, gamma=1.0)[0] for name in ("ww", "llw", "cs", "ova", "ovo", "dag")]
    studio.settle()
    studio.work.runs.select(six)
    studio.shoot("train-finished")
    failed = studio.train(machine="ww", C=1.0, class_weight=(("nobody", 2.0),))
    studio.settle()
    studio.work.runs.select(failed)
    studio.shoot("train-failed")
    studio.work.runs.select(six)


def predict_page(studio: Studio, folder: Path) -> None:
    studio.window.show_page("predict")
    studio.shoot("predict-empty")


def scenes() -> Iterator[Callable[[Studio, Path], None]]:
    yield from (data_page, train_page, predict_page)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=SIZES, action="append")
    parser.add_argument("--theme", choices=THEMES, action="append")
    options = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtWidgets import QApplication

    application = QApplication([])
    for theme in options.theme or THEMES:
        for size in options.size or SIZES:
            with tempfile.TemporaryDirectory() as folder:
                studio = Studio(Path(folder), theme, size)
                for scene in scenes():
                    scene(studio, Path(folder))
                studio.window.close()
                studio.rest(0.1)
    print(f"{len(list(TARGET.glob('*.png')))} pictures in {TARGET}")
    application.quit()


if __name__ == "__main__":
    main()
