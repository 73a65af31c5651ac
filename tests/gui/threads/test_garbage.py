"""Cyclic garbage of any thread is collected by the window's, and large things leave no cycle behind.

Python's own collections are off in tests: what dies here dies with its last reference.
"""

from __future__ import annotations

import ast
import gc
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

import mcsvm_gui
from mcsvm_gui.app import create_window
from mcsvm_gui.ui.threads import garbage
from mcsvm_gui.ui.threads.tasks import Tasks

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = Path(mcsvm_gui.__file__).parent


class Knot:
    def __init__(self, untied: list[int]) -> None:
        self.itself = self
        weakref.finalize(self, lambda: untied.append(threading.get_ident()))


@pytest.fixture
def as_python_does() -> Iterator[None]:
    gc.enable()
    yield
    gc.disable()


def busy(untied: list[int]) -> None:
    """Far more than makes Python look for garbage."""

    def tie() -> None:
        for _ in range(5000):
            Knot(untied)

    thread = threading.Thread(target=tie)
    thread.start()
    thread.join()


@pytest.mark.usefixtures("as_python_does")
def test_what_a_thread_leaves_is_collected_by_the_windows(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    untied: list[int] = []
    busy(untied)
    assert set(untied) - {threading.get_ident()}, "else there is nothing to mend"
    untied.clear()
    monkeypatch.setattr(garbage, "EVERY", 10)
    parent = QObject()
    garbage.GarbageCollector(parent)
    busy(untied)
    qtbot.waitUntil(lambda: len(untied) >= 5000)
    assert set(untied) == {threading.get_ident()}


SHOWN = """
import gc, sys
from PySide6.QtCore import QTimer
from mcsvm_gui import app, assembly

plain = assembly.assemble
def assemble(*facts):
    window = plain({project!r})
    QTimer.singleShot(0, lambda: (print(gc.isenabled()), window.close()))
    return window
assembly.assemble = assemble
sys.exit(app.main([]))
"""


@pytest.mark.slow
def test_the_program_leaves_it_to_no_other_thread(tmp_path: Path) -> None:
    code = SHOWN.format(project=str(tmp_path / "a.mcsvmproj"))
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=60, check=True, capture_output=True)
    assert done.stdout == b"False\n"


def imports_gc(source: str) -> bool:
    nodes = list(ast.walk(ast.parse(source)))
    named = [name.name for node in nodes if isinstance(node, ast.Import) for name in node.names]
    return "gc" in named or any(isinstance(node, ast.ImportFrom) and node.module == "gc" for node in nodes)


@pytest.mark.slow
def test_one_module_decides_when_garbage_is_collected() -> None:
    asked = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py") if imports_gc(path.read_text())}
    assert asked == {"ui/threads/garbage.py"}


def test_garbage_is_not_frozen_with_what_stays() -> None:
    untied: list[int] = []
    Knot(untied)
    garbage.spare_what_is_here()
    assert untied == [threading.get_ident()]


def test_only_many_runs_are_worth_a_collection(monkeypatch: pytest.MonkeyPatch, qapp: object) -> None:
    frozen: list[str] = []
    monkeypatch.setattr(garbage.gc, "freeze", lambda: frozen.append("frozen"))
    collector = garbage.GarbageCollector(QObject())
    collector.spare_runs(garbage.MANY_RUNS)
    assert frozen == []
    collector.spare_runs(garbage.MANY_RUNS + 1)
    assert frozen == ["frozen"]


class Large:
    """What a task works on."""


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("cancelled", [False, True])
def test_a_task_that_has_ended_holds_nothing(qtbot: QtBot, fails: bool, cancelled: bool) -> None:
    tasks, told = Tasks(), list[str]()

    def start() -> weakref.ref[Large]:
        large = Large()

        def work() -> Large:
            if fails:
                raise OSError(2, f"no such {large}")
            return large

        ticket = tasks.start(work, lambda answer: told.append("done"), lambda why: told.append("failed"))
        if cancelled:
            ticket.cancel()
        return weakref.ref(large)

    left = start()
    qtbot.waitUntil(lambda: not tasks.busy)
    assert told == ([] if cancelled else ["failed" if fails else "done"])
    assert left() is None


@pytest.mark.slow
def test_ten_data_sets_opened_trained_on_and_closed_leave_nothing(qtbot: QtBot, tmp_path: Path) -> None:
    window = create_window(tmp_path / "a.mcsvmproj", tmp_path / "settings.json")
    qtbot.addWidget(window)
    assembly = window.assembly
    work, page = assembly.workspace, assembly.page("data")
    qtbot.waitUntil(lambda: assembly.runs.loaded)
    seen = []
    for number in range(10):
        path = tmp_path / f"{number}.csv"
        path.write_text("x,label\n" + "".join(f"{i % 7}.{number},{'ab'[i % 2]}\n" for i in range(40)))
        work.open_data(str(path))
        qtbot.waitUntil(lambda name=str(path): work.dataset is not None and work.dataset.name == name)
        qtbot.waitUntil(lambda: not (page.looking or assembly.tasks.busy))
        seen.append(weakref.ref(work.dataset))
        if number < 2:
            work.train([work.base_request(machine="ovo", gamma=1.0)])
            qtbot.waitUntil(lambda: not assembly.queue.active(), timeout=60_000)
        assert [one() is not None for one in seen] == [False] * number + [True]
    work.close_data()
    qtbot.waitUntil(lambda: not assembly.tasks.busy)
    assert [one() for one in seen] == [None] * 10
    window.close()


FREED = """
import threading
from mcsvm_gui.ui.threads.garbage import return_freed_memory

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096 / 2**20

kept = []
def work():
    held = [bytearray(3000) for _ in range(20_000)]
    kept.extend(held[::100])

thread = threading.Thread(target=work)
thread.start()
thread.join()
before = resident()
return_freed_memory()
print(before - resident())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")
def test_what_a_job_freed_goes_back_to_the_system() -> None:
    """60 MB, of which one part in a hundred is kept; without the call all but a little stays."""
    done = subprocess.run([sys.executable, "-c", FREED], cwd=ROOT, capture_output=True, text=True, check=True)
    assert float(done.stdout) > 25.0
