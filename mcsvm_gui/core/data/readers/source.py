"""Read the bytes of one file: open it, unpack it, and refuse it with a sentence if it contains no data."""

from __future__ import annotations

import atexit
import hashlib
import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.base.opening import copy_stream, opened
from mcsvm_gui.core.data.files.compression import unpack
from mcsvm_gui.core.data.formats import PACKED

_R = Sentence("an R data file; in R, write.csv(data, 'data.csv', row.names = FALSE) writes one that is read")
# The kind of file, by its first bytes.
_STRANGERS = {
    b"\x89PNG": Sentence("a PNG picture"),
    b"\xff\xd8\xff": Sentence("a JPEG picture"),
    b"GIF8": Sentence("a GIF picture"),
    b"%PDF": Sentence("a PDF document"),
    b"\x7fELF": Sentence("a program"),
    b"MZ": Sentence("a program"),
    b"\x93NUMPY": Sentence("a NumPy array"),
    b"\x89HDF": Sentence("an HDF5 file"),
    b"\xd0\xcf\x11\xe0": Sentence("an old Excel workbook (.xls); save it as .xlsx or CSV"),
    b"MATLAB 5.0": Sentence("a MATLAB file"),
    b"RDX": _R,
    b"X\n\0\0\0": _R,
    b"ARROW1": Sentence("an Arrow or Feather file; save it as Parquet or CSV"),
    b"ORC": Sentence("an ORC file; save it as Parquet or CSV"),
    b"\x28\xb5\x2f\xfd": Sentence("a Zstandard archive; unpack it first"),
    b"7z\xbc\xaf": Sentence("a 7-Zip archive; unpack it first"),
    b"Rar!": Sentence("a RAR archive; unpack it first"),
    b"\x04\x22\x4d\x18": Sentence("an LZ4 archive; unpack it first"),
    b"\x1f\x9d": Sentence("a file packed by `compress`; unpack it first"),
    b"\x80\x04\x95": Sentence("a Python pickle, which is never opened: it can run code"),
    b"\x80\x05\x95": Sentence("a Python pickle, which is never opened: it can run code"),
}
STANDARD_INPUT = Path("-")
_taken: list[IO[bytes]] = []  # the content of standard input, which can be read only once
_LFS = b"version https://git-lfs.github.com/spec/"


@dataclass(frozen=True)
class Source:
    """The unpacked bytes of a file. Two packings of the same bytes have the same digest."""

    path: Path
    data: bytes
    packing: tuple[str, ...]

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    @property
    def suffix(self) -> str:
        """The suffix of the content: .csv of data.csv.gz."""
        return next((suffix.lower() for suffix in reversed(self.path.suffixes) if suffix.lower() not in PACKED), "")


def read_source(path: str | os.PathLike[str]) -> Source:
    shown = Path(path)
    with reading(shown) as stream:
        content = stream.read()
    return checked_source(Source(shown, *unpack(shown, content)))


def checked_source(source: Source) -> Source:
    if not source.data:
        packing = source.packing
        inside = Sentence(" (its {packing} content is nothing)", packing=packing[-1]) if packing else ""
        raise FileError(source.path, "the file is empty{inside}; a data file has a line per example", inside=inside)
    refuse_strangers(source.path, source.data)
    return source


def take_standard_input() -> None:
    """Read standard input, for a command whose data are given as `-`.

    Later requests that name rows in this way do not wait for input.
    """
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise FileError(STANDARD_INPUT, "standard input is closed; name a file, or send the rows through a pipe")
    if _is_device(stream):
        raise FileError(STANDARD_INPUT, "standard input is a device; name a file, or send the rows through a pipe")
    rows = copy_stream(STANDARD_INPUT, stream)
    atexit.register(rows.close)
    _taken[:] = [rows]


def _is_device(stream: IO[bytes]) -> bool:
    """Return whether bytes come from a device other than a keyboard."""
    try:
        mode = os.fstat(stream.fileno()).st_mode
    except io.UnsupportedOperation:  # a stream in memory has no file descriptor
        return False
    return stat.S_ISCHR(mode) and not stream.isatty()


@contextmanager
def reading(path: Path) -> Iterator[IO[bytes]]:
    """Open a file or standard input from its start; raise FileError if it cannot be read."""
    if path == STANDARD_INPUT:
        if not _taken:
            raise FileError(
                path,
                "standard input is read by commands that are given - for their data; rows that came by it are not"
                " kept, name a file",
            )
        _taken[0].seek(0)
        yield _taken[0]
        return
    with opened(path) as stream:
        yield stream


def refuse_strangers(path: Path, data: bytes) -> None:
    if data.startswith(_LFS):
        raise FileError(path, "Git LFS pointer, data not downloaded; fetch them with `git lfs pull`", line=1)
    for start, what in _STRANGERS.items():
        if data.startswith(start) and (len(start) > 3 or b"\0" in data[:4096]):
            raise FileError(path, "not a text file but {what}", what=what)
    if data[257:262] == b"ustar":
        raise FileError(path, "this is a tar archive; unpack the data file from it first")
    start = data.removeprefix(b"\xef\xbb\xbf").lstrip()[:100].lower()
    if start.startswith((b"<!doctype", b"<html", b"<?xml")):
        raise FileError(
            path, "this is a web page or an XML document, not a table; download the data file itself", line=1
        )
