"""How soon six machines follow the mouse on the playground, and how fluid the canvas is meanwhile.

    python -m pytest tests/benchmarks/bench_playground.py -s

300 points of 4 classes, six machines; a point is dragged at 60 moves a second. Times are printed, never asserted.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_queue import FakeQueue, NoRuns
from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QObject, Qt, QTimer
from PySide6.QtTest import QTest

POINTS, MOVES, BETWEEN = 300, 240, 16  # milliseconds between two moves


class Paints(QObject):
    """When the canvas was painted."""

    def __init__(self) -> None:
        super().__init__()
        self.times: list[float] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint:
            self.times.append(time.perf_counter())
        return False


@pytest.fixture
def page(qapp: QCoreApplication, tmp_path: Path) -> Iterator[Any]:
    from mcsvm_gui.core.base.settings import Settings
    from mcsvm_gui.ui.playground.page import PlaygroundPage
    from mcsvm_gui.ui.playground.presenter import PlaygroundPresenter
    from mcsvm_gui.ui.runs.workspace import Workspace
    from mcsvm_gui.ui.threads.tasks import Tasks

    tasks = Tasks()
    page = PlaygroundPage()
    page.presenter = PlaygroundPresenter(page, Workspace(NoRuns(), FakeQueue(), tasks, Settings()))  # type: ignore
    yield page
    page.presenter.close()
    tasks.shut_down(30_000)
    page.close()


def settle(page: Any) -> None:
    while page.presenter.busy:
        QCoreApplication.processEvents()
        time.sleep(0.001)


@pytest.mark.parametrize("size", [(900, 620), (1700, 960)])
def test_dragging_a_point_among_six_machines(page: Any, size: tuple[int, int]) -> None:
    import sys

    from mcsvm_gui.assembly import SWITCH

    sys.setswitchinterval(SWITCH)
    page.resize(*size)
    page.show()
    settle(page)
    page.set_asked.emit("gaussians", POINTS)
    settle(page)
    began = time.process_time()
    waits, paints = drag(page)
    busy = time.process_time() - began
    gaps = np.diff(paints) * 1e3
    print(
        f"\n{size[0]} x {size[1]}, panels of {page.side(6)} pixels: refit and repaint after a move, median"
        f" {np.median(waits) * 1e3:.0f} ms, 95 of 100 within {np.percentile(waits, 95) * 1e3:.0f} ms"
        f" ({len(waits)} refits for {MOVES} moves, {1e3 * busy / len(waits):.0f} ms of processor time each, painting"
        f" included); frames: median {1e3 / np.median(gaps):.0f} a second,"
        f" 95 of 100 over {1e3 / np.percentile(gaps, 95):.0f}, slowest {1e3 / gaps.max():.0f}"
    )


def drag(page: Any) -> tuple[list[float], list[float]]:
    """(from each move that was fitted to the paint that shows its fit, when the canvas was painted)."""
    canvas, presenter, paints = page.canvas, page.presenter, Paints()
    moved: dict[int, float] = {}
    waits: list[float] = []

    def shown(pictures: tuple[Any, ...]) -> None:
        canvas.repaint()
        waits.append(time.perf_counter() - moved[id(pictures[0].drawing)])

    kept = []  # so that no two drawings have the same id
    presenter.refitting.fitted.connect(shown)
    start = canvas.pixel_of(*presenter.drawing.places[0])
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=start.toPoint())
    canvas.installEventFilter(paints)
    loop, count = QEventLoop(), iter(range(MOVES))

    def move() -> None:
        number = next(count, None)
        if number is None:
            loop.quit()
            return
        angle, moment = 4.0 * math.pi * number / MOVES, time.perf_counter()
        QTest.mouseMove(canvas, canvas.pixel_of(0.5 * math.cos(angle), 0.5 * math.sin(angle)).toPoint())
        QCoreApplication.sendPostedEvents()
        moved.setdefault(id(presenter.drawing), moment)
        kept.append(presenter.drawing)

    timer = QTimer(interval=BETWEEN, timerType=Qt.TimerType.PreciseTimer)
    timer.timeout.connect(move)
    timer.start()
    loop.exec()
    timer.stop()
    times = list(paints.times)
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=start.toPoint())
    settle(page)
    return waits, times
