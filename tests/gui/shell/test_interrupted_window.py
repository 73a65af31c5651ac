"""Ctrl-C and SIGTERM close the window as its close button does, with what ran kept; so do ends in a hurry."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mcsvm_gui.core.project.store import ProjectStore

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
LONG = {"solver": "smo", "C": 1e4, "gamma": 0.7, "tol": 1e-9}
WINDOW = """
import sys
sys.path.insert(0, {tests!r})
from PySide6.QtCore import QTimer
from mcsvm_gui import app, assembly
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.ui.threads.training import Sampled, Training
from small_table import clouds

def begin(window):
    runs, queue = window.assembly.workspace.runs, window.assembly.workspace.queue
    long = Request(**{long!r})
    run = runs.begin(long, "clouds")
    queue.told.connect(lambda run, facts: [print("runs", flush=True) for fact in facts if isinstance(fact, Sampled)])
    queue.submit(Training(run, long, clouds(600)))

plain = assembly.assemble
def assemble(*facts):
    window = plain({project!r})
    QTimer.singleShot(0, lambda: begin(window))
    return window
assembly.assemble = assemble
sys.exit(app.main([]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("word", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_closes_the_window_and_keeps_what_ran(word: signal.Signals, tmp_path: Path) -> None:
    project = tmp_path / "a.mcsvmproj"
    code = WINDOW.format(tests=str(ROOT / "tests"), long=LONG, project=str(project))
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=ROOT, text=True) as window:
        assert window.stdout is not None
        assert window.stdout.readline() == "runs\n"
        window.send_signal(word)
        assert window.wait(60) == 0
    store = ProjectStore(project)
    (record,) = store.records()
    assert (record.state, record.ending) == ("done", "stopped")
    store.close()


CLOSED_AT_ONCE = """
import sys
from mcsvm_gui import app, assembly

plain = assembly.assemble
def assemble(*facts):
    window = plain({project!r})
    show = window.show
    window.show = lambda: (show(), window.close())
    return window
assembly.assemble = assemble
sys.exit(app.main([]))
"""


def test_a_window_closed_while_it_comes_up_ends_the_program(tmp_path: Path) -> None:
    code = CLOSED_AT_ONCE.format(project=str(tmp_path / "a.mcsvmproj"))
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=60, check=False)
    assert done.returncode == 0
