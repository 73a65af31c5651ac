"""Cyclic garbage of any thread is collected by the window's."""

from __future__ import annotations

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

from mcsvm_gui.workers import garbage

ROOT = Path(__file__).resolve().parents[2]


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


def test_the_program_leaves_it_to_no_other_thread(tmp_path: Path) -> None:
    code = SHOWN.format(project=str(tmp_path / "a.mcsvmproj"))
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=60, check=True, capture_output=True)
    assert done.stdout == b"False\n"
