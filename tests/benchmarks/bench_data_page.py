"""How long the window waits while a large file is opened, counted and projected.

    python -m pytest tests/benchmarks/bench_data_page.py -s

Times are printed, never asserted.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_queue import FakeQueue, NoRuns
from PySide6.QtCore import QCoreApplication, Qt, QTimer

from mcsvm_gui.core.base.settings import Settings
from mcsvm_gui.ui.data.page import DataPage
from mcsvm_gui.ui.data.presenter import DataPresenter
from mcsvm_gui.ui.runs.workspace import Workspace
from mcsvm_gui.ui.threads.tasks import Tasks

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
        presenter.open(str(path))
        while tasks.busy or presenter.looking:
            qapp.processEvents()
            time.sleep(0.0005)
        print(f"\n{path.name}, {turn} time: {time.perf_counter() - began:.2f} s, worst waits {watch.worst()} ms")
        workspace.close_data()
    page.close()
    page.deleteLater()
