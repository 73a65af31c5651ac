"""How soon confusion, mean cost and rejected share follow where a cost is typed: the goal is 50 ms at 10^5 rows.

python -m pytest tests/benchmarks/bench_costs.py -s
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QEventLoop, QObject
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from mcsvm_gui.core.compare.evaluated_runs import EvaluatedRun
from mcsvm_gui.core.evaluate.evaluation import DecidedRows
from mcsvm_gui.ui.compare.evaluation_tabs import EvaluationTabs
from mcsvm_gui.ui.compare.evaluations import EvaluationPresenter
from mcsvm_gui.ui.threads.tasks import Tasks

ROWS, TYPED = 100_000, 30


class Workspace:
    def __init__(self) -> None:
        self.tasks, self.runs, self.message = Tasks(), None, None


class Painted(QObject):
    """Whether a widget has painted what changed."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.times = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.times += event.type() == QEvent.Type.Paint
        return False

    def wait(self) -> None:
        while not self.times:
            QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)


@pytest.mark.benchmark
@pytest.mark.parametrize("classes", [3, 10, 26])
def test_typing_a_cost(classes: int, qtbot: QtBot) -> None:
    rng = np.random.default_rng(0)
    true = rng.integers(classes, size=ROWS)
    shares = np.exp(2.0 * np.eye(classes)[true] + rng.normal(size=(ROWS, classes)))
    shares /= shares.sum(axis=1, keepdims=True)
    names = tuple(map(str, range(classes)))
    rows = DecidedRows(names, classes, true, shares.argmax(axis=1), shares, shares, np.ones(ROWS))
    work: Any = Workspace()
    window = QWidget()
    qtbot.addWidget(window)
    tabs = EvaluationTabs(window)
    view = tabs.thresholds
    view.resize(1000, 600)
    view.show()
    presenter = EvaluationPresenter(tabs, work, lambda: None)
    presenter._known = {1: EvaluatedRun(1, "ww", "ww", rows, class_counts=(1,) * classes)}
    presenter.choose(1)
    qtbot.waitUntil(lambda: not work.tasks.busy and bool(view.result.text()))
    painted = Painted(view.confusion.viewport())
    times, spent = [], []
    for number in range(TYPED):
        before = view.result.text()
        painted.times = 0
        began, cpu = time.perf_counter(), time.process_time()
        view.table.costs.setData(view.table.costs.index(0, 1), str(2 + number))
        while view.result.text() == before:
            QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        painted.wait()
        times.append(time.perf_counter() - began)
        spent.append(time.process_time() - cpu)
    wall, busy = 1e3 * np.median(times), 1e3 * np.median(spent)
    print(f"\n{classes} classes, {ROWS} rows, until painted: {wall:.0f} ms, of which {busy:.0f} CPU")
    qtbot.waitUntil(lambda: not work.tasks.busy)
    for plot in tabs.plots:
        plot.close()
