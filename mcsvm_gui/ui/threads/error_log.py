"""Any error as one sentence; those that nobody foresaw also go into the crash log."""

from __future__ import annotations

from mcsvm_gui.core.base import crash_log
from solvers.errors import InputError


def sentence_of(error: BaseException, where: str) -> str:
    if isinstance(error, InputError):
        return str(error)
    if isinstance(error, MemoryError):
        return "There is not enough memory for this; take fewer rows, or a smaller kernel cache."
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    crash_log.record(error, where)
    return f"Something went wrong that should not have ({type(error).__name__}: {error}); the crash log says where."
