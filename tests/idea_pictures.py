"""The pictures of the ideas, taken anew from the playground into resources/pictures/ideas.

    python -m tests.idea_pictures

Panels without words, so that they serve every language; light and dark.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from tests.screenshots import DATA, ROOT, Studio

TARGET = ROOT / "resources" / "pictures" / "ideas"
ONE, MANY, GAP = 384, 176, 16  # pixels: the side of a panel alone, of several, and between them
SHARE = {ONE: 0.55, MANY: 0.95}  # of a panel's pixels: those that the playground draws it with
COLOURS = 48


def stops() -> dict[str, list[Any]]:
    """What is shown for each idea, panel by panel."""
    from mcsvm_gui.core.playground.fit_options import SIX, FitOptions
    from mcsvm_gui.core.playground.tours import Stop

    def moons(log_cost: float, log_gamma: float) -> Any:
        return Stop("", "moons", FitOptions(machines=("ww",), log_cost=log_cost, log_gamma=log_gamma), 60)

    one = {name: [Stop("", "gaussians", FitOptions(machines=(name,)), 60)] for name in SIX}
    descent = FitOptions(machines=("ww",), log_cost=4.0, log_gamma=1.0)
    return {
        **one,
        "six": [stop for stop, *_ in one.values()],
        "margin": [Stop("", "gaussians", FitOptions(machines=("ww",), kernel="linear", log_cost=4.0), 60)],
        "certificate": [Stop("", "gaussians", descent, 60, steps) for steps in (1, 11, -1)],
        "cost": [moons(log_cost, 2.0) for log_cost in (-4.0, 3.0, 12.0)],
        "gamma": [moons(3.0, log_gamma) for log_gamma in (-3.0, 1.0, 6.0)],
    }


def panel(studio: Studio, stop: Any, side: int) -> Any:
    """The first panel of the stage that is set, without its heading."""
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QColor, QPainter, QPixmap

    presenter = studio.window.assembly.page("playground")
    canvas = presenter.view.canvas
    across = round(SHARE[side] * side)  # marks are of one size: so that they can be told apart on a small panel
    beside = 1 if stop.steps is None else 3  # solvers
    canvas.setFixedSize(beside * (across + 8) - 8, across + canvas._head())
    studio.rest(0.1)
    presenter._set_stage(stop)
    studio.rest(0.3)
    studio.wait(lambda: not presenter.busy and canvas.pictures)
    studio.rest(0.2)
    area = canvas.areas()[0]
    sharp = 4
    large = QPixmap(canvas.size() * sharp)
    large.setDevicePixelRatio(sharp)
    large.fill(QColor("white"))
    painter = QPainter(large)
    canvas.draw(painter, vector=True)
    painter.end()
    cut = large.copy(*(sharp * edge for edge in (area.left(), area.top(), area.width(), area.height()))).toImage()
    cut.setDevicePixelRatio(1.0)
    return cut.scaled(side, side, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation)


def compose(panels: list[Any], columns: int) -> Any:
    from PySide6.QtGui import QImage, QPainter

    side = panels[0].width()
    rows = -(-len(panels) // columns)
    whole = QImage(*(count * side + (count - 1) * GAP for count in (columns, rows)), QImage.Format.Format_ARGB32)
    whole.fill(0)
    painter = QPainter(whole)
    for place, image in enumerate(panels):
        painter.drawImage((place % columns) * (side + GAP), (place // columns) * (side + GAP), image)
    painter.end()
    return whole


def save(image: Any, path: Path) -> None:
    from PIL import Image

    image.save(str(path))
    Image.open(path).quantize(COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(
        path, optimize=True
    )


def take(theme: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        studio = Studio(Path(folder), theme, "1024x700")
        try:
            studio.window.show_page("playground")
            studio.rest(1.0)
            for name, shown in stops().items():
                side = ONE if len(shown) == 1 else MANY
                panels = [panel(studio, stop, side) for stop in shown]
                save(compose(panels, min(len(panels), 3)), TARGET / f"{name}-{theme}.png")
        finally:
            studio.leave()


def main() -> None:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.chdir(DATA)
    TARGET.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        for kind in ("DATA", "CONFIG", "STATE"):
            os.environ[f"XDG_{kind}_HOME"] = home
        from PySide6.QtWidgets import QApplication

        application = QApplication([])
        for theme in ("light", "dark"):
            take(theme)
        application.quit()


if __name__ == "__main__":
    main()
