"""Compressed files, recognized by their first bytes: gzip (any number of members), bzip2, xz, and zip with one file."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import zipfile
import zlib
from pathlib import Path
from typing import IO, cast

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.errors import FileError

LAYERS = 3
_PIECE = 1 << 22
BROKEN = (
    EOFError,
    OSError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    RuntimeError,
    NotImplementedError,
    ValueError,
)
_WORKBOOK = "[Content_Types].xml"


def unpack(path: Path, data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Return the content and the packings, outermost first."""
    packing: list[str] = []
    while kind := _packed_as(data):
        if len(packing) == LAYERS:
            raise FileError(path, "packed more than {layers} times over; unpack it first", layers=LAYERS)
        data = _unpacked(path, kind, data)
        packing.append(kind)
    return data, tuple(packing)


def is_workbook(data: bytes) -> bool:
    """Return whether the data are an .xlsx file: a zip of XML."""
    return data.startswith(b"PK\x03\x04") and _WORKBOOK in _names(io.BytesIO(data))


def holds_arrays(data: bytes) -> bool:
    """Return whether the data are an .npz file: a zip of .npy files only; a model contains other files too."""
    return data.startswith(b"PK\x03\x04") and _are_arrays(_names(io.BytesIO(data)))


def is_table(archive: IO[bytes]) -> bool:
    """Return whether a zip archive is a workbook or holds arrays, and so is a data file itself."""
    names = _names(archive)
    return _WORKBOOK in names or _are_arrays(names)


def _are_arrays(names: list[str]) -> bool:
    return bool(names) and all(name.endswith(".npy") for name in names)


def _packed_as(data: bytes) -> str | None:
    kind = packing_of(data)
    return None if kind == "zip" and (is_workbook(data) or holds_arrays(data)) else kind


def packing_of(data: bytes) -> str | None:
    """Return the packing by the first bytes; a workbook and an .npz file are zip archives too."""
    if data.startswith(b"\x1f\x8b"):
        return "gzip"
    if data.startswith(b"BZh") and data[4:10] in (b"1AY&SY", b"\x17rE8P\x90"):
        return "bzip2"
    if data.startswith(b"\xfd7zXZ\0"):
        return "xz"
    return "zip" if data.startswith((b"PK\x03\x04", b"PK\x05\x06")) else None


def _unpacked(path: Path, kind: str, data: bytes) -> bytes:
    try:
        with unpacking(path, kind, io.BytesIO(data)) as stream:
            return _bounded(path, kind, stream)
    except FileError:
        raise
    except BROKEN as trouble:
        raise damaged(path, kind, trouble) from None


def damaged(path: Path, kind: str, trouble: Exception) -> FileError:
    if "password" in str(trouble):
        return FileError(path, "the zip archive asks for a password; unpack it first")
    what = f"{trouble}".rstrip(".") or Sentence("it is damaged")
    what = Sentence("the file ends early") if isinstance(trouble, EOFError) else what
    return FileError(path, "cannot be unpacked as {kind}: {what}; fetch the file again", kind=kind, what=what)


def unpacking(path: Path, kind: str, packed: IO[bytes]) -> IO[bytes]:
    if kind == "zip":
        return _only_member(path, packed)
    if kind == "gzip":
        return cast(IO[bytes], gzip.open(packed, "rb"))
    return cast(IO[bytes], bz2.open(packed, "rb") if kind == "bzip2" else lzma.open(packed, "rb"))


def _bounded(path: Path, kind: str, stream: IO[bytes]) -> bytes:
    """Read a whole stream, unless it would fill the memory: a small file can unpack to any size."""
    pieces, size, limit = [], 0, memory() // 4
    while piece := stream.read(_PIECE):
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            raise FileError(
                path,
                "unpacks to more than {limit} MB as {kind}, a quarter of this machine's memory",
                limit=limit >> 20,
                kind=kind,
            )
    return b"".join(pieces)


def memory() -> int:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # Windows
        return 8 << 30


def _names(archive: IO[bytes]) -> list[str]:
    try:
        with zipfile.ZipFile(archive) as found:
            return found.namelist()
    except BROKEN:
        return []


def _only_member(path: Path, packed: IO[bytes]) -> IO[bytes]:
    archive = zipfile.ZipFile(packed)
    names = [name for name in archive.namelist() if not name.endswith("/") and not name.startswith("__MACOSX/")]
    if len(names) == 1:
        return archive.open(names[0])
    if any(name.endswith(".npy") for name in names):
        raise FileError(path, "this is a model, not a data file")
    some = f" ({', '.join(names[:3])}{', ...' if len(names) > 3 else ''})" if names else ""
    raise FileError(
        path,
        "the zip archive holds {count} files{some}, where one is expected; unpack the one you mean",
        count=len(names),
        some=some,
    )
