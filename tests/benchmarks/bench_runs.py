"""10 000 runs: opening the project without blocking, sorting and filtering the table.

python -m pytest tests/benchmarks/bench_runs.py -s
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt, QTimer
from pytestqt.qtbot import QtBot
from run_examples import record

from mcsvm_gui.core.base.arrays import packed
from mcsvm_gui.core.project.columns import columns
from mcsvm_gui.core.project.store import Change, ProjectStore
from mcsvm_gui.ui.runs.collection import RunCollection
from mcsvm_gui.ui.runs.presenter import RunListPresenter
from mcsvm_gui.ui.runs.table import RunPanel
from mcsvm_gui.ui.runs.workspace import Workspace
from mcsvm_gui.ui.threads.queue import JobQueue
from mcsvm_gui.ui.threads.tasks import Tasks

pytestmark = pytest.mark.benchmark
RUNS = 10_000


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("many") / "many.mcsvmproj"
    store = ProjectStore(path)
    trace = packed(np.ones((100, 7)))
    store.write(Change(record(run, note="kept" * (run % 3)), parts={"trace": trace}) for run in range(1, RUNS + 1))
    store.close()
    return path


def milliseconds(began: float) -> float:
    return 1e3 * (time.perf_counter() - began)


def test_opening_never_blocks(project: Path, qtbot: QtBot) -> None:
    waits: list[float] = []
    last = time.perf_counter()

    def tick() -> None:
        nonlocal last
        waits.append(milliseconds(last))
        last = time.perf_counter()

    timer = QTimer(interval=5)
    timer.timeout.connect(tick)
    queue, tasks = JobQueue(), Tasks()
    panel = RunPanel(columns())
    qtbot.addWidget(panel)
    panel.show()
    timer.start()
    qtbot.wait(50)
    waits.clear()
    began = time.perf_counter()
    collection = RunCollection(queue, ProjectStore(project))
    constructed = milliseconds(began)
    presenter = RunListPresenter(panel, Workspace(collection, queue, tasks, None))  # type: ignore[arg-type]
    qtbot.waitUntil(lambda: panel.model.total == RUNS)
    opened = milliseconds(began)
    qtbot.wait(100)
    timer.stop()
    size = project.stat().st_size / 1e6
    print(f"\n{RUNS} runs ({size:.0f} MB): collection made in {constructed:.0f} ms, table full after {opened:.0f} ms,")
    print(f"longest wait of a 5 ms timer meanwhile {max(waits):.0f} ms")
    collection.close()
    presenter.deleteLater()
    assert opened < 1000.0


def test_sorting_and_filtering(project: Path, qtbot: QtBot) -> None:
    store = ProjectStore(project)
    records = store.records()
    store.close()
    panel = RunPanel(columns())
    qtbot.addWidget(panel)
    panel.resize(1280, 700)
    panel.show()
    began = time.perf_counter()
    panel.set_records(records)
    print(f"\nfilled in {milliseconds(began):.0f} ms")
    panel.choose(range(1, 200))
    qtbot.wait(2000)  # what a filter looks through is read ahead
    worst = 0.0
    for place, column in enumerate(panel.model.columns):
        began = time.perf_counter()
        panel.table.sortByColumn(place, Qt.SortOrder.DescendingOrder)
        panel.table.viewport().repaint()
        took = milliseconds(began)
        worst = max(worst, took)
        print(f"  sort by {column.name:15} {took:6.1f} ms")
    for words in ("l", "letter", "letter ww", "", "kept solved"):
        began = time.perf_counter()
        panel.filter.setText(words)
        panel.table.viewport().repaint()
        took = milliseconds(began)
        worst = max(worst, took)
        print(f"  filter {words!r:16} {took:6.1f} ms, {panel.model.rowCount()} rows")
    began = time.perf_counter()
    panel.differences.setChecked(True)
    print(f"  differences only        {milliseconds(began):6.1f} ms")
    print(f"worst {worst:.1f} ms")
    assert worst < 100.0
