"""Errors that nobody foresaw are written down, whatever happens."""

import faulthandler
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcsvm_gui.core.base import crash_log

HERE = Path(__file__).resolve().parents[4]


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    heard: list[str] = []
    monkeypatch.setattr(sys, "excepthook", lambda *facts: None)
    monkeypatch.setattr(threading, "excepthook", lambda facts: None)
    monkeypatch.setattr(faulthandler, "enable", lambda file: None)
    for name in ("_fault_file", "_folder", "_heard"):  # put back as they are now, so that no later test reads this log
        monkeypatch.setattr(crash_log, name, getattr(crash_log, name))
    monkeypatch.setattr(crash_log, "_fault_file", None)
    crash_log.install(tmp_path / "logs")
    crash_log.tell(heard.append)
    yield heard
    assert crash_log._fault_file is not None
    crash_log._fault_file.close()  # else open as long as the process lives


def test_an_error_of_the_main_thread_and_of_another_are_written_down(log: list[str]) -> None:
    error = ValueError("of the main thread")
    sys.excepthook(ValueError, error, None)
    thread = threading.Thread(target=lambda: 1 / 0, name="divider")
    thread.start()
    thread.join()
    text = crash_log.read()
    assert text.index("ValueError: of the main thread") < text.index("thread divider") < text.index("ZeroDivisionError")
    assert log == ["ValueError: of the main thread", "ZeroDivisionError: division by zero"]


def test_an_interruption_by_the_user_is_no_crash(log: list[str]) -> None:
    sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert (crash_log.read(), log) == ("", [])


def test_the_files_stay_small_and_the_latest_entry_is_there(log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crash_log, "LARGEST", 2000)
    for number in range(200):
        crash_log.record(RuntimeError(f"number {number}."))
    files = [path for path in crash_log.folder().iterdir() if path.name.startswith(crash_log.NAME)]
    assert len(files) == 1 + crash_log.OLDER
    assert sum(path.stat().st_size for path in files) < 4 * 2600
    text = crash_log.read()
    assert text.index("number 198.") < text.index("number 199.")
    assert "number 0." not in text


def test_nothing_is_raised_where_nothing_can_be_written(log, tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(crash_log, "_folder", tmp_path / "file" / "logs")
    crash_log.record(RuntimeError("lost"))
    assert crash_log.read() == ""
    assert log == ["RuntimeError: lost"]


def test_a_listener_or_an_error_that_fails_does_not_matter(log, monkeypatch: pytest.MonkeyPatch) -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no words")

    monkeypatch.setattr(crash_log, "_heard", lambda line: 1 / 0)
    crash_log.record(Mute())
    crash_log.record(ValueError("still here"))
    assert "still here" in crash_log.read()


def test_a_fault_of_compiled_code_is_found_by_the_next_session(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path; from mcsvm_gui.core.base import crash_log; "
        f"crash_log.install(Path({str(tmp_path)!r}))"
    )
    dies = f"{code}; import ctypes; ctypes.string_at(0)"
    assert subprocess.run([sys.executable, "-c", dies], cwd=HERE, capture_output=True, timeout=60).returncode != 0
    after = [sys.executable, "-c", f"{code}; print(crash_log.last_fault())"]
    found = subprocess.run(after, cwd=HERE, capture_output=True, text=True, timeout=60)
    assert "Fatal Python error" in found.stdout or "exception: access violation" in found.stdout
