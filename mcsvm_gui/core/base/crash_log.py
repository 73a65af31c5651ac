"""A log file of unexpected errors that can be copied into a report. No function of this module raises an error."""

from __future__ import annotations

import faulthandler
import platform
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import IO

import platformdirs

NAME, FAULTS = "crash.log", "faults.log"
LARGEST, OLDER = 512 * 1024, 3  # size of one file in bytes, and number of older files that are kept
LONGEST = 64 * 1024  # length of one entry in characters; the trace of an endless recursion is shortened

_lock = threading.Lock()
_folder: Path | None = None
_fault_file: IO[str] | None = None
_last_fault = ""
_heard: Callable[[str], None] | None = None


def folder() -> Path:
    return _folder if _folder is not None else Path(platformdirs.user_log_dir("mcsvm", appauthor=False))


def install(place: Path | None = None) -> None:
    """Record every unexpected error from now on, then handle it as before."""
    global _folder
    _folder = place
    before, before_thread = sys.excepthook, threading.excepthook

    def in_main(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        record(error)
        before(kind, error, trace)

    def in_thread(facts: threading.ExceptHookArgs) -> None:
        if facts.exc_value is not None:
            record(facts.exc_value, f"thread {facts.thread.name if facts.thread else 'unknown'}")
        before_thread(facts)

    sys.excepthook, threading.excepthook = in_main, in_thread
    _watch_faults()


def tell(heard: Callable[[str], None] | None) -> None:
    """Call `heard` with one line about every error from now on, in the thread where the error happened."""
    global _heard
    _heard = heard


def record(error: BaseException, where: str = "") -> None:
    """Record an error, unless it is the user's Ctrl-C or a regular end of the program."""
    if isinstance(error, KeyboardInterrupt | SystemExit):
        return
    with suppress(Exception):
        _append(entry(error, where))
    if _heard is not None:
        with suppress(Exception):
            _heard(one_line(error))


def one_line(error: BaseException) -> str:
    words = " ".join(str(error).split())[:200]
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def entry(error: BaseException, where: str = "") -> str:
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    facts = f"Python {platform.python_version()}, {platform.platform()}"
    lines = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    if len(lines) > LONGEST:
        lines = f"{lines[: LONGEST // 2]}\n[...]\n{lines[-LONGEST // 2 :]}"
    return f"== {now}; {facts}{'; ' + where if where else ''}\n{lines}"


def read() -> str:
    """Return all recorded errors, the oldest first; the text is empty if no error occurred."""
    names = [f"{NAME}.{number}" for number in range(OLDER, 0, -1)] + [NAME, f"{FAULTS}.1", FAULTS]
    parts = []
    for name in names:
        with suppress(OSError):
            parts.append((folder() / name).read_text("utf-8", errors="replace"))
    return "".join(parts)


def _append(text: str) -> None:
    from logging import makeLogRecord
    from logging.handlers import RotatingFileHandler  # importing it takes 35 ms, so only when it is needed

    with _lock:
        folder().mkdir(parents=True, exist_ok=True)
        handler = RotatingFileHandler(
            folder() / NAME, maxBytes=LARGEST, backupCount=OLDER, encoding="utf-8", errors="backslashreplace"
        )
        handler.handleError = lambda record: None  # type: ignore[method-assign] # of a full disk nobody is told
        handler.emit(makeLogRecord({"msg": text}))
        handler.close()


def _watch_faults() -> None:
    """Write Python's stacks to a separate file if a fault in compiled code kills the process."""
    global _fault_file, _last_fault
    with suppress(Exception):
        folder().mkdir(parents=True, exist_ok=True)
        path = folder() / FAULTS
        if path.exists() and path.stat().st_size:
            _last_fault = path.read_text("utf-8", errors="replace")
            path.replace(path.with_name(f"{FAULTS}.1"))
        opened = open(path, "w", encoding="utf-8")  # noqa: SIM115 - open as long as the process lives
        faulthandler.enable(opened)
        if _fault_file is not None:
            _fault_file.close()
        _fault_file = opened


def last_fault() -> str:
    """Return the stacks of the fault that killed the previous session, or an empty text."""
    return _last_fault
