"""kill -9 during a training: the next start finds everything but the running slice, and can go on from there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot
from small_table import clouds

from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import train
from mcsvm_gui.core.project.store import ProjectStore
from mcsvm_gui.ui.runs.collection import RunCollection
from mcsvm_gui.ui.threads.queue import JobQueue
from mcsvm_gui.ui.threads.training import Training

pytestmark = pytest.mark.slow

TESTS = Path(__file__).resolve().parents[2]
LONG = {"solver": "smo", "C": 1e4, "gamma": 0.7, "tol": 1e-9}
WINDOW = """
import sys
sys.path.insert(0, {tests!r})
from PySide6.QtCore import QCoreApplication
from mcsvm_gui.core.project.store import ProjectStore
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.ui.runs.collection import RunCollection
from mcsvm_gui.ui.threads import training
from mcsvm_gui.ui.threads.queue import JobQueue
from small_table import clouds

training.BETWEEN_CHECKPOINTS = 0.1
application = QCoreApplication([])
queue = JobQueue()
collection = RunCollection(queue, ProjectStore({path!r}))
data = clouds(600)
quick, long = Request(C=3.0, gamma=0.7), Request(**{long!r})
first, second = collection.begin(quick, "clouds"), collection.begin(long, "clouds")
saved = []
queue.told.connect(lambda run, facts: saved.extend(fact for fact in facts if isinstance(fact, training.Checkpointed)))
def written(runs):
    if len(saved) > 1 and collection.record(first).state == "done" and not len(collection._writer.backlog):
        print(collection.record(first).document["certificate"]["primal"], flush=True)
collection._writer.written.connect(written)
queue.submit(training.Training(first, quick, data))
queue.submit(training.Training(second, long, data))
application.exec()
"""


def test_a_killed_window_loses_the_running_slice_and_nothing_else(tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "a.mcsvmproj"
    code = WINDOW.format(tests=str(TESTS), path=str(path), long=LONG)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as window:
        assert window.stdout is not None
        primal = float(window.stdout.readline())
        window.kill()
    queue = JobQueue()
    collection = RunCollection(queue, ProjectStore(path))
    qtbot.waitUntil(lambda: collection.loaded, timeout=20_000)
    (cut,) = collection.interrupted()
    (done,) = set(collection.ids()) - {cut.id}
    assert collection.record(done).document["certificate"]["primal"] == primal  # type: ignore[index]
    assert collection.model(done).certificate.primal == primal
    qtbot.waitUntil(lambda: len(collection.trace(cut.id)) > 0, timeout=20_000)
    reached = collection.trace(cut.id).last.iteration
    assert reached > 0
    data, checkpoint = clouds(600), collection.checkpoint(cut.id)
    assert checkpoint
    collection.go_on(cut.id)
    queue.submit(Training(cut.id, cut.request, data, checkpoint=checkpoint))
    qtbot.waitUntil(
        lambda: collection.live(cut.id) is not None and collection.live(cut.id).iteration > reached, timeout=20_000
    )
    qtbot.waitUntil(
        lambda: collection.trace(cut.id).table()["iteration"][0] < reached, timeout=20_000
    )  # once the file was read
    queue.stop(cut.id)
    qtbot.waitUntil(lambda: not collection.record(cut.id).active, timeout=20_000)
    assert collection.record(cut.id).ending == "stopped"
    assert np.all(np.diff(collection.trace(cut.id).table()["iteration"]) >= 0)
    assert queue.shut_down(10_000)
    assert collection.close()
    oracle = train(Request(C=3.0, gamma=0.7), data).document
    assert collection.record(done).document["certificate"] == oracle["certificate"]  # type: ignore[index]
