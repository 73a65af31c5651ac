"""Errors of SQLite as sentences for users."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from mcsvm.solvers.errors import Sentence

FULL = Sentence("there is no room left on the disk; what is not saved yet stays in memory and is written when there is")
BUSY = Sentence("the project is open in another window or program; close it there first, or open another project")
READ_ONLY = Sentence("the project cannot be written to; copy it to a folder of your own and open the copy")
DAMAGED = Sentence("the project file is damaged; restore it from a backup, or begin a new project")
WORDS = {
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_BUSY: BUSY,
    sqlite3.SQLITE_LOCKED: BUSY,
    sqlite3.SQLITE_READONLY: READ_ONLY,
    sqlite3.SQLITE_PERM: READ_ONLY,
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_NOTADB: DAMAGED,
    sqlite3.SQLITE_ERROR: DAMAGED,  # such as an unknown file format
}
PRIMARY = 0xFF  # mask of an extended result code
OF_WRITING = sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_TRUNCATE
OF_VALUES = sqlite3.ProgrammingError, sqlite3.InterfaceError, sqlite3.IntegrityError, sqlite3.DataError


@contextmanager
def as_file_error(path: str | os.PathLike[str]) -> Iterator[None]:
    """Convert every error of the file into one FileError."""
    try:
        yield
    except sqlite3.Error as error:
        refuse(path, _sentence(error), error)
    except OSError as error:
        refuse(path, _unusable(error.strerror or error), error)
    except (ValueError, OverflowError, MemoryError) as error:
        from mcsvm.solvers.errors import InputError

        if isinstance(error, InputError):
            raise
        reason = " ".join(str(error).split())[:100] or type(error).__name__
        refuse(path, Sentence("{damaged} ({reason})", damaged=DAMAGED, reason=reason), error)


@contextmanager
def storing(path: str | os.PathLike[str]) -> Iterator[None]:
    """Convert errors of the file or the disk into one FileError; let errors of the values pass."""
    try:
        yield
    except OF_VALUES:
        raise
    except sqlite3.Error as error:
        refuse(path, _sentence(error), error)
    except OSError as error:
        refuse(path, _unusable(error.strerror or error), error)


def _sentence(error: sqlite3.Error) -> Sentence:
    """Return the sentence for an error; an error without a code is from Python: text that is not UTF-8."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
    known = WORDS.get(code & PRIMARY)
    return known or _unusable(" ".join(str(error).split()))


def unwritable(error: sqlite3.OperationalError) -> Sentence | None:
    """Return the message for an error that prevents writing to a project, but not reading it."""
    if error.sqlite_errorcode & PRIMARY == sqlite3.SQLITE_FULL:
        reason = Sentence("there is no room left on the disk")
    elif error.sqlite_errorcode in OF_WRITING:
        reason = Sentence("{reason}", reason=" ".join(str(error).split()))
    else:
        return None
    return Sentence(
        "nothing can be written to the project ({reason}); it can be read, and saved in another place",
        reason=reason,
    )


def _unusable(reason: object) -> Sentence:
    return Sentence("the project cannot be used: {reason}", reason=reason)


def refuse(path: str | os.PathLike[str], what: Sentence, cause: BaseException | None = None) -> NoReturn:
    from mcsvm_gui.core.base.errors import FileError

    raise FileError(path, what) from cause
