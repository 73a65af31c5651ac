"""Show the standard error of a program without a console in a message box on Windows."""

from __future__ import annotations

import ctypes
import io
import sys
from collections.abc import Callable

WITHOUT_CONSOLE = ("win32",)  # systems whose graphical programs have no console
ERROR_ICON, TO_FOREGROUND = 0x10, 0x10000  # MB_ICONERROR, MB_SETFOREGROUND


def with_message_box(run: Callable[[], int]) -> int:
    """Run a program, and show its errors in a message box if it fails and nobody can see standard error.

    The launchers of graphical programs on Windows have no console: there `sys.stderr` is None.
    """
    if sys.platform not in WITHOUT_CONSOLE or sys.stderr is not None:
        return run()
    sys.stderr = errors = io.StringIO()
    status = run()
    words = errors.getvalue().strip().removeprefix("error: ")
    if status and words:
        show_message(words)
    return status


def show_message(words: str) -> None:
    """Show a native message box, which needs no other library, and wait until it is closed."""
    ctypes.windll.user32.MessageBoxW(None, words, "mcsvm", ERROR_ICON | TO_FOREGROUND)  # type: ignore[attr-defined]
