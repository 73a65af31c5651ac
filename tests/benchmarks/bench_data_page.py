"""How long the window waits while a large file is opened, counted and projected.

    python -m pytest tests/benchmarks/bench_data_page.py -s

Times are printed, never asserted.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QPoint, Qt, QTimer
from PySide6.QtTest import QTest

from mcsvm_gui.core.base.settings import Settings
from mcsvm_gui.core.data.roles.arrangement import PICKS
from mcsvm_gui.ui.data.page import DataPage
from mcsvm_gui.ui.data.presenter import DataPresenter
from mcsvm_gui.ui.runs.workspace import Workspace
from mcsvm_gui.ui.threads.tasks import Tasks
from tests.gui.fake_queue import FakeQueue, NoRuns

ROWS, FEATURES, CLASSES = 200_000, 20, 8
WIDE = 1_000_000


def table(folder: Path) -> Path:
    lots = np.random.default_rng(0)
    values, codes = lots.normal(size=(ROWS, FEATURES)).round(4), lots.integers(0, CLASSES, ROWS)
    lines = [f"{','.join(map(str, row))},class {code}\n" for row, code in zip(values.tolist(), codes, strict=True)]
    path = folder / "table.csv"
    path.write_text(",".join([*(f"x{j}" for j in range(FEATURES)), "class"]) + "\n" + "".join(lines))
    return path


def sparse(folder: Path) -> Path:
    lots = np.random.default_rng(0)
    path = folder / "wide.libsvm"
    rows = [np.unique(lots.integers(1, WIDE + 1, 40)) for _ in range(3000)]
    path.write_text(
        "".join(f"{i % 4} " + " ".join(f"{j}:{j % 7 + 1}" for j in row) + "\n" for i, row in enumerate(rows))
    )
    return path


class Watch:
    """A timer of 10 ms, and how late it was."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self._last = time.perf_counter()
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._timer.start(10)

    def _tick(self) -> None:
        now = time.perf_counter()
        self.waits.append(1e3 * (now - self._last))
        self._last = now

    def worst(self) -> str:
        self._timer.stop()
        return " ".join(f"{wait:.0f}" for wait in sorted(self.waits, reverse=True)[:4])


@pytest.mark.benchmark
@pytest.mark.parametrize("make", [table, sparse])
def test_waits_while_opening(qapp: QCoreApplication, tmp_path: Path, make: Any) -> None:
    import mcsvm_gui.core.check.table
    import mcsvm_gui.core.data.inspection
    import mcsvm_gui.core.data.projections.projection  # noqa: F401 - the program imports these behind its first picture

    path, tasks = make(tmp_path), Tasks()
    page = DataPage()
    workspace = Workspace(NoRuns(), FakeQueue(), tasks, Settings())  # type: ignore[arg-type]
    presenter = DataPresenter(page, workspace)
    page.resize(928, 640)
    page.show()
    for turn in ("first", "second"):
        watch, began = Watch(), time.perf_counter()
        workspace.open_data(str(path))
        while tasks.busy or presenter.looking:
            qapp.processEvents()
            time.sleep(0.0005)
        print(f"\n{path.name}, {turn} time: {time.perf_counter() - began:.2f} s, worst waits {watch.worst()} ms")
        workspace.close_data()
    page.close()
    page.deleteLater()


class Turns:
    """How long each turn of the event loop took the window's thread: by the clock, and of its processor alone."""

    def __init__(self, qapp: QCoreApplication) -> None:
        self._qapp = qapp
        self.turns: list[tuple[float, float]] = []

    def turn(self, act: Callable[[], object] | None = None) -> None:
        clock, own = time.perf_counter(), time.thread_time()
        if act is not None:
            act()
        self._qapp.processEvents()
        self.turns.append((1e3 * (time.perf_counter() - clock), 1e3 * (time.thread_time() - own)))

    def until(self, ended: Callable[[], bool]) -> None:
        while not ended():
            self.turn()
            time.sleep(0.0005)

    def worst(self) -> str:
        clock, own = (sorted(column, reverse=True)[:3] for column in zip(*self.turns, strict=True))
        self.turns.clear()
        return f"{' '.join(f'{one:.0f}' for one in clock)} ms, own {' '.join(f'{one:.0f}' for one in own)} ms"


def packed(folder: Path, rows: int, columns: int) -> Path:
    lots = np.random.default_rng(0)
    path = folder / f"{rows} x {columns}.npz"
    names = np.array([f"x{j}" for j in range(columns)])
    values = lots.standard_normal((rows, columns))
    values[:: rows // 100, 3] = np.nan
    np.savez(path, X=values, y=lots.integers(0, CLASSES, rows), feature_names=names)
    return path


@pytest.mark.benchmark
@pytest.mark.timeout(0)
@pytest.mark.parametrize(("rows", "columns"), [(1_000_000, 100), (1_000, 10_000)])
def test_waits_while_browsing(qapp: QCoreApplication, tmp_path: Path, rows: int, columns: int) -> None:
    path, tasks = packed(tmp_path, rows, columns), Tasks()
    page = DataPage()
    workspace = Workspace(NoRuns(), FakeQueue(), tasks, Settings())  # type: ignore[arg-type]
    workspace.set_preparation(missing="mean")
    presenter = DataPresenter(page, workspace)
    page.resize(1400, 900)
    page.show()
    turns, still = Turns(qapp), lambda: not tasks.busy and not presenter.looking
    table, roles = page.table, page.roles

    def measured(what: str, *acts: Callable[[], object]) -> None:
        for act in acts:
            turns.turn(act)
            turns.until(still)
        print(f"{what}: worst turns {turns.worst()}")

    print(f"\n{path.name}")
    measured("opened and looked at", lambda: workspace.open_data(str(path)))
    bars = table.grid.verticalScrollBar(), table.grid.horizontalScrollBar()
    for name, bar in zip(("down", "sideways"), bars, strict=True):
        steps = np.linspace(0, bar.maximum(), 60).astype(int).tolist()
        measured(f"scrolled {name}", *(lambda step=step, bar=bar: bar.setValue(step) for step in steps))  # type: ignore[misc]
    measured("sorted", *(lambda c=c: table._sort_by(c) for c in (3, 3, 0, 0, 7)))  # type: ignore[misc]
    for words in ("x1>1; x2<0", "CLASS=3", ""):
        measured(f"filtered {words!r}", lambda words=words: (table.rows.setText(words), table._ask()))  # type: ignore[misc]
    for pick in PICKS:
        measured(f"picked {pick}", lambda pick=pick: page.pick_rows(pick))  # type: ignore[misc]
    page.pick_rows("all")
    turns.until(still)
    grid = table.grid
    heading = grid.horizontalHeader()
    middle = QPoint(heading.sectionViewportPosition(2) + 20, 10)
    click = lambda: QTest.mouseClick(heading.viewport(), Qt.MouseButton.LeftButton, pos=middle)  # noqa: E731
    measured("heading clicked", click, click, click)
    measured("column selected", lambda: grid.selectColumn(3))
    measured("everything selected", grid.selectAll)
    measured("went to a column", lambda: (table.go_to.setText(f"x{columns - 1}"), table._go()))
    page.tabs.setCurrentIndex(1)
    bar = roles.view.verticalScrollBar()
    steps = np.linspace(0, bar.maximum(), 60).astype(int).tolist()
    measured("columns scrolled", *(lambda step=step: bar.setValue(step) for step in steps))  # type: ignore[misc]
    measured("columns sorted", *(lambda c=c: roles.view.sortByColumn(c, Qt.SortOrder.AscendingOrder) for c in range(7)))  # type: ignore[misc]
    measured("columns filtered", *(lambda w=w: roles.filter.setText(w) for w in ("9", "99", "")))  # type: ignore[misc]
    measured("projected by LDA", lambda: presenter._project_otherwise("lda"))
    page.close()
    page.deleteLater()
