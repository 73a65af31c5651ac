"""Open files that users name for reading. All code that reads such a file opens it with this module.

A device may have no end, so only regular files and pipes are read. A pipe may have no end either: it is copied into a
file without a name, up to a limit.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.base.writing import Named, spool

CHUNK = 1 << 20  # bytes


@contextmanager
def opened(path: Named, limit: int | None = None) -> Iterator[IO[bytes]]:
    """Open a regular file or a pipe at its start; its stream can be read from any position.

    `limit`: largest allowed size in bytes. Raises FileError, and no other error, if the file cannot be read.
    """
    named = Path(path)
    with _as_file_error(named):
        mode = named.stat().st_mode
        if stat.S_ISDIR(mode):
            raise FileError(path, "this is a folder; name a file")
        if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
            raise FileError(path, "this is a device; name a file")
        with named.open("rb") as stream:
            if stat.S_ISFIFO(mode):
                with copy_stream(path, stream, limit) as copy:
                    yield copy
                return
            if limit is not None and os.fstat(stream.fileno()).st_size > limit:
                raise _too_long(path, limit)
            yield stream


def is_pipe(path: Path) -> bool:
    try:
        return stat.S_ISFIFO(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def copy_stream(path: Named, stream: IO[bytes], limit: int | None = None) -> IO[bytes]:
    """Copy a stream to a file without a name, and return it at its start. Raise FileError if it exceeds the limit.

    Without a limit the copy may fill half of the free disk space.
    """
    space = shutil.disk_usage(tempfile.gettempdir()).free // 2
    copy = spool()
    try:
        while chunk := stream.read(CHUNK):
            copy.write(chunk)
            if limit is not None and copy.tell() > limit:
                raise _too_long(path, limit)
            if copy.tell() > space:
                raise FileError(
                    path,
                    "it is longer than {size}, half of the free space on the disk; write it to a file, and name that",
                    size=figures.size(space),
                )
        copy.seek(0)
    except BaseException:
        copy.close()
        raise
    return copy


def _too_long(path: Named, limit: int) -> FileError:
    return FileError(
        path, "it is longer than {limit}, the largest allowed size of such a file", limit=figures.size(limit)
    )


@contextmanager
def _as_file_error(path: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise missing_file(path) from None
    except PermissionError:
        raise FileError(path, "no permission to read this file; ask its owner, or copy it") from None
    except ValueError as trouble:  # the path contains NUL
        if "null" not in str(trouble) or isinstance(trouble, FileError):
            raise
        raise FileError(repr(os.fspath(path)), "this is no file name: {reason}", reason=trouble) from None
    except OSError as trouble:
        reason = trouble.strerror or type(trouble).__name__
        raise FileError(path, "the file cannot be read: {reason}", reason=reason) from None


def missing_file(path: Named) -> FileError:
    """Return the error for a file that does not exist: the same sentence for data, models, projects and all others."""
    return FileError(path, "there is no such file{hint}", hint=_similar(Path(path)))


def _similar(path: Path) -> Sentence:
    """Name the only file whose name differs just in its suffix or in upper and lower case."""
    try:
        beside = [found.name for found in path.parent.iterdir() if found.is_file()]
    except (OSError, ValueError):
        return Sentence("; check the folder's name")
    stem = path.name.lower().split(".")[0]
    near = sorted(name for name in beside if stem and name.lower().split(".")[0] == stem)
    return Sentence("; there is {name}", name=near[0]) if near else Sentence("; check its name")
