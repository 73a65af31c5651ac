"""Write files completely or not at all: to a temporary file next to the target, flushed to disk, then renamed."""

from __future__ import annotations

import os
import platform
import re
import shutil
import tempfile
import uuid
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import BinaryIO, TypeAlias

from mcsvm.solvers.errors import InputError, Sentence

Named: TypeAlias = str | os.PathLike[str]

EMPTY_LINE = '""'  # a CSV line with one empty cell: without the quotes it would not be a row
PART = re.compile(r"\.mcsvm-([0-9a-f]{8})-([0-9]{1,9})-[0-9a-f]{32}\.part(?:-journal|-wal|-shm)?")
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
SPOOLED = 1 << 23  # bytes that are held in memory
BREAKS = str.maketrans("\t\r\n", "   ")


@contextmanager
def replacing(path: Named) -> Iterator[BinaryIO]:
    """Open a stream whose content replaces `path` if the block ends without an error."""
    target = Path(os.path.realpath(path))
    try:
        with _straight(target) if _special(target) else _beside(target) as stream:
            yield stream
    except OSError as error:
        raise InputError(
            "{path}: the file cannot be written: {reason}", path=path, reason=error.strerror or error
        ) from error


def check_outputs(outputs: Iterable[Named | None], inputs: Iterable[Named | None] = ()) -> None:
    """Refuse outputs before hours of work that would fail after it, or that would destroy an input."""
    taken = {os.path.realpath(path): Sentence("is read") for path in inputs if path}
    for path in (path for path in outputs if path is not None):
        check_writable(path)
        target = os.path.realpath(path)
        if target in taken and not _special(Path(target)):
            raise InputError(
                "{path}: this file {taken} here; choose another name for what is to be written",
                path=path,
                taken=taken[target],
            )
        taken[target] = Sentence("is written already")


def check_writable(path: Named) -> None:
    if not os.fspath(path):
        raise InputError("the name of a file to be written is empty")
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise InputError("{path}: this is a folder; a file name is needed", path=path)
    if not target.parent.is_dir():
        raise InputError("{path}: there is no folder {parent}; create it first", path=path, parent=target.parent)
    if not os.access(target if _special(target) else target.parent, os.W_OK):
        raise InputError("{path}: the file cannot be written: Permission denied", path=path)


def _special(target: Path) -> bool:
    """Tell whether the target is a device or a pipe, which is written to and not replaced."""
    return target.exists() and not target.is_file()


@contextmanager
def _straight(target: Path) -> Iterator[BinaryIO]:
    """Write everything at once when the content is complete."""
    with spool() as kept, open(target, "wb") as stream:
        yield kept
        kept.seek(0)
        shutil.copyfileobj(kept, stream)


def spool() -> BinaryIO:
    """Create a file without a name, in memory as long as it is small."""
    return tempfile.SpooledTemporaryFile(max_size=SPOOLED)  # type: ignore[return-value]


@contextmanager
def _beside(target: Path) -> Iterator[BinaryIO]:
    beside = part_of(target)
    try:
        with open(beside, "xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            shutil.copymode(target, beside)
        os.replace(beside, target)
        _settle(target.parent)
    finally:
        with suppress(OSError):
            beside.unlink()


_swept: set[Path] = set()  # folders in which this process has looked for files of killed processes


def part_of(target: Path) -> Path:
    """Return the path of a temporary file next to `target` that replaces it later; its name identifies this process."""
    remove_stale_parts(target.parent)
    return target.with_name(f".mcsvm-{_computer()}-{os.getpid()}-{uuid.uuid4().hex}.part")


def remove_stale_parts(folder: Path) -> None:
    """Remove files that processes of this computer were writing into the folder when they were killed.

    A process checks each folder once. Files of other computers and of running processes stay. Windows does not remove
    open files.
    """
    if folder in _swept:
        return
    _swept.add(folder)
    with suppress(OSError):
        for entry in os.scandir(folder):
            found = PART.fullmatch(entry.name)
            if found and found[1] == _computer() and not _lives(int(found[2])):
                with suppress(OSError):
                    os.unlink(entry.path)


@cache
def _computer() -> str:
    return f"{zlib.crc32(platform.node().encode('utf-8', 'replace')):08x}"


def _lives(process: int) -> bool:
    if process == os.getpid():
        return True
    if os.name != "posix":
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # the process belongs to another user
        return True
    return True


def _settle(folder: Path) -> None:
    """Flush the folder, so that the new name reaches the disk, if the system can open folders."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


# -- tables ---------------------------------------------------------------------------------------


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write a table as RFC 4180 describes, with plain line ends."""
    return "".join(map(_line, (header, *rows)))


def _line(cells: Sequence[object]) -> str:
    fields = [csv_cell(cell) if isinstance(cell, str) else _field(str(cell)) for cell in cells]
    return ",".join(fields if fields != [""] else [EMPTY_LINE]) + "\n"


def csv_cell(text: str) -> str:
    return _field(safe_cell(text))


def csv_cells(texts: Sequence[str]) -> list[str]:
    """Return `csv_cell` of each text. Texts without special characters, such as S-0001, are recognized in one pass."""
    return [text if _SAFE.fullmatch(text) else csv_cell(text) for text in texts]


_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]*")


def _field(text: str) -> str:
    """Quote a cell if necessary.

    The csv module does not quote a carriage return, but its reader ends the line there.
    """
    odd = any(mark in text for mark in ',"\r\n') or text != text.strip()
    return '"' + text.replace('"', '""') + '"' if odd else text


def write_text(path: Named, text: str) -> None:
    with replacing(path) as stream:
        stream.write(text.encode("utf-8"))


def safe_cell(text: str) -> str:
    """Put an apostrophe in front of a text that a spreadsheet would run as a formula; numbers stay.

    `plain_cell` undoes it, because text that could be mistaken for the result gets another apostrophe as well.
    """
    return f"'{text}" if _guarded(text.lstrip("'")) else text


def plain_cell(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and _guarded(cell.lstrip("'")) else cell


def _guarded(text: str) -> bool:
    return text.startswith(FORMULA_STARTS) and not _number(text)


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def tab_separated(names: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Write a table for the clipboard of spreadsheets: a cell has neither tabs nor line ends, and is no formula."""
    return "\n".join("\t".join(safe_cell(str(cell).translate(BREAKS)) for cell in row) for row in (names, *rows))
