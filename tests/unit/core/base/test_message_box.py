"""A graphical program on Windows has no console: what it refuses is seen in a message box."""

from __future__ import annotations

import ctypes
import sys
from types import SimpleNamespace

import pytest

from mcsvm_gui import app
from mcsvm_gui.core.base import message_box


@pytest.fixture
def boxes(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, int]]:
    """Record message boxes as Windows would show them."""
    shown: list[tuple[str, str, int]] = []
    user32 = SimpleNamespace(MessageBoxW=lambda parent, words, title, kind: shown.append((words, title, kind)))
    monkeypatch.setattr(ctypes, "windll", SimpleNamespace(user32=user32), raising=False)
    return shown


def without_console(monkeypatch: pytest.MonkeyPatch) -> None:
    """As under `pythonw`, which the launcher `mcsvm-gui.exe` starts."""
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(sys, "stderr", None)


def test_a_window_without_qt_says_what_to_install(
    boxes: list[tuple[str, str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "find_spec", lambda name: None)
    without_console(monkeypatch)
    assert app.main([]) == 2
    ((words, title, kind),) = boxes
    assert "PySide6" in words
    assert "pip install 'mcsvm[gui]'" in words
    assert (title, kind & 0xF0) == ("mcsvm", 0x10)


def test_a_file_that_is_missing_is_named(boxes: list[tuple[str, str, int]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "find_spec", lambda name: name)
    without_console(monkeypatch)
    assert app.main(["no such file.csv"]) == 2
    assert "no such file.csv" in boxes[0][0]


def test_success_shows_nothing(boxes: list[tuple[str, str, int]], monkeypatch: pytest.MonkeyPatch) -> None:
    without_console(monkeypatch)
    assert message_box.with_message_box(lambda: 0) == 0
    assert boxes == []


def test_a_program_with_a_console_writes_there(
    boxes: list[tuple[str, str, int]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert app.main(["--unknown"]) == 2
    assert "usage: mcsvm-gui" in capsys.readouterr().err
    assert boxes == []
