"""Turns any error into one with a sentence for the user; unexpected errors also go into the crash log."""

from __future__ import annotations

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base import crash_log
from mcsvm_gui.core.base.i18n import worded


def error_of(error: BaseException, where: str) -> InputError:
    if isinstance(error, InputError):
        return error
    if isinstance(error, MemoryError):
        return InputError("There is not enough memory for this; take fewer rows, or a smaller kernel cache.")
    if isinstance(error, OSError) and error.strerror:
        if error.filename:
            return InputError("{place}: {what}", place=error.filename, what=error.strerror)
        return InputError(error.strerror)
    crash_log.record(error, where)
    return InputError(
        "An unexpected error occurred ({kind}: {reason}). The crash log has the details.",
        kind=type(error).__name__,
        reason=error,
    )


def sentence_of(error: BaseException, where: str) -> str:
    return worded(error_of(error, where))
