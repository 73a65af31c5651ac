"""The pictures of README and of the guide, taken anew into resources/pictures.

python -m tests.guide_pictures
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.screenshots import DATA, ROOT, Studio

PICTURES = ROOT / "resources" / "pictures"


def take(studio: Studio, name: str, state: Callable[[], object]) -> None:
    """`state`: what must be true of what is seen. In 256 colours, which keeps it small; nothing in the window fades."""
    from PIL import Image

    studio.rest(1.0)
    assert state(), f"{name}: the window is in another state"
    path = PICTURES / f"{name}.png"
    studio.window.grab().save(str(path))
    Image.open(path).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)


def shoot(studio: Studio) -> None:
    studio.wait(
        lambda: set(studio.window.pages) >= {"data", "train", "tune", "compare", "explain", "playground", "predict"}
    )
    studio.open("vowel_train")
    studio.window.show_page("data")
    take(studio, "data", lambda: studio.sees("dataTable") and studio.sees("projectionPlot"))
    train(studio)
    compare_and_predict(studio)
    explain(studio)
    tune(studio)
    playground(studio)


def train(studio: Studio) -> None:
    studio.window.show_page("train")
    six = studio.train_six()
    plots = studio.window.pages["train"].page.plots.plots
    take(studio, "train", lambda: studio.sees("convergencePlot") and plots[0].runs >= set(six))


def compare_and_predict(studio: Studio) -> None:
    studio.open("glass")
    studio.window.show_page("compare")
    page = studio.window.pages["compare"].page
    studio.train_six()
    studio.wait(lambda: not studio.work.tasks.busy and not page.tools.progress.text())
    page.tabs.setCurrentIndex(1)
    take(studio, "compare", page.tabs.widget(1).isVisible)
    studio.open("vowel_train")
    studio.work.runs.select(studio.train(machine="ww", C=4.0, gamma=1.0))
    studio.settle()
    predict: Any = studio.window.assembly.page("predict")
    studio.window.show_page("predict")
    predict.use_selected_run()
    predict.open_data("vowel_test.csv")
    studio.wait(lambda: not studio.work.tasks.busy)
    take(studio, "predict", lambda: studio.sees("predictTable") and studio.sees("predictResult"))


def explain(studio: Studio) -> None:
    studio.open("wine")
    runs = [studio.train(machine=name, C=4.0, gamma=0.1)[0] for name in ("ww", "cs")]
    studio.settle()
    studio.work.runs.select(runs)
    studio.window.show_page("explain")
    presenter = studio.window.assembly.page("explain")
    studio.wait(lambda: presenter._found is not None and not studio.work.tasks.busy)
    presenter.find_flip()
    studio.wait(lambda: not studio.work.tasks.busy)
    take(studio, "explain", lambda: studio.sees("shapleyPlot") and studio.sees("flipWords"))


def tune(studio: Studio) -> None:
    studio.open("glass")
    studio.window.show_page("tune")
    page, queue = studio.window.pages["tune"].page, studio.work.queue
    page.set_texts({**page.texts(), "machines": "ww,ovo", "step": "1", "C_to": "2^8", "gamma_from": "2^-8"})
    page.form_changed.emit()
    studio.window.assembly.page("tune").start()
    studio.wait(lambda: bool(queue.active()))
    studio.wait(lambda: not queue.active())
    take(studio, "tune", lambda: studio.sees("heatmapTabs") and studio.sees("bestLabel"))


def playground(studio: Studio) -> None:
    presenter = studio.window.assembly.page("playground")
    studio.window.show_page("playground")
    studio.rest(0.5)
    studio.wait(lambda: not presenter.busy)
    take(studio, "playground", lambda: studio.sees("playgroundCanvas") and presenter.view.canvas.pictures)


def main() -> None:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ["LANG"] = "C.UTF-8"
    os.chdir(DATA)  # no picture names folders of a particular machine
    with tempfile.TemporaryDirectory() as home:
        for kind in ("DATA", "CONFIG", "STATE"):
            os.environ[f"XDG_{kind}_HOME"] = home
        from PySide6.QtWidgets import QApplication

        application = QApplication([])
        studio = Studio(Path(home), "light", "1440x900")
        try:
            shoot(studio)
        finally:
            studio.leave()
        application.quit()


if __name__ == "__main__":
    main()
