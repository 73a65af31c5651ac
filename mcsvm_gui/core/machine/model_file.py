"""The .mcsvm file: a zip of one JSON document and plain arrays.

An array is deflated if that makes it smaller. The document comes first and is never deflated: systems recognise a model
by its beginning, and JSON takes many times its length in memory. All sizes are compared with the document and with the
length of the file before memory is allocated. Any defect of a file becomes one sentence; opening a file runs no code.
"""

from __future__ import annotations

import io
import json
import math
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

import numpy as np

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base import arrays
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.base.opening import opened
from mcsvm_gui.core.base.writing import replacing
from mcsvm_gui.core.machine import model_document
from mcsvm_gui.core.machine.model_document import Array
from mcsvm_gui.core.machine.trained import TrainedModel

FORMAT, SCHEMA = "mcsvm model", 1
DOCUMENT, SUFFIX = "model.json", ".npy"
MOST_MEMBERS = 64
# Limit on the memory for a file: a multiple of its length, plus a constant. `_fill` does not deflate a file that would
# exceed it, so that only forged files are refused: deflating can shrink a member to a thousandth.
MOST_TIMES, MOST_MORE = 64, 2**24
HEADER_BYTES = 1024  # more than the header of any array
LEVEL = 1  # of deflating: 6 takes four times as long for 1 to 3 % less
SAMPLE, PAYS = 2**16, 0.9  # bytes of a member that are tried, and the share to which they must shrink

# Each entry converts a document of schema n to n + 1; an older file is migrated step by step.
MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}

DOUBTS = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError),
    *(MemoryError, NotImplementedError, RuntimeError),
    *(ArithmeticError, AttributeError, AssertionError, LookupError, TypeError, ValueError, SyntaxError),
)


# -- writing --------------------------------------------------------------------------------------


def save(path: str | os.PathLike[str], trained: TrainedModel) -> None:
    """Write the file whole or not at all; an older file of that name stays until the new one is complete."""
    with replacing(path) as stream:
        _fill(stream, trained)


def packed(trained: TrainedModel) -> bytes:
    """Return the bytes of the file, to be stored elsewhere."""
    stream = io.BytesIO()
    _fill(stream, trained)
    return stream.getvalue()


def _fill(stream: IO[bytes], trained: TrainedModel) -> None:
    described, contents = model_document.contents_of(trained)
    document = {"format": FORMAT, "schema": SCHEMA, **described}
    members = {DOCUMENT: json.dumps(document, allow_nan=False).encode("ascii")}
    members |= {name + SUFFIX: arrays.packed(arrays.narrowed(array)) for name, array in contents.items()}
    _write(stream, members, deflate=True)
    if sum(_memory(array.size) for array in contents.values()) > _allowed(stream.tell()):
        stream.seek(0)
        stream.truncate()
        _write(stream, members, deflate=False)


def _write(stream: IO[bytes], members: dict[str, bytes], *, deflate: bool) -> None:
    """Write all members with a fixed date, so that the same model is the same bytes."""
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members.items():
            pays = deflate and name != DOCUMENT and _pays(content)
            method = zipfile.ZIP_DEFLATED if pays else zipfile.ZIP_STORED
            info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            archive.writestr(info, content, method, LEVEL)


def _pays(content: bytes) -> bool:
    """Tell from a sample in the middle whether deflating makes a member smaller: it takes time with any content."""
    start = max(0, (len(content) - SAMPLE) // 2)
    sample = content[start : start + SAMPLE]
    return len(zlib.compress(sample, LEVEL)) <= PAYS * len(sample)


def _memory(count: int) -> int:
    """Return the bytes of `count` numbers and a header."""
    return 8 * count + HEADER_BYTES


def _allowed(length: int) -> int:
    """Return the memory that a file of that length may take."""
    return MOST_TIMES * length + MOST_MORE


# -- reading --------------------------------------------------------------------------------------


def load(path: str | os.PathLike[str]) -> TrainedModel:
    """Read a model; raise FileError, and no other error, if this is no sound model of a known version."""
    with opened(path) as stream:
        return _read_model(path, stream)


def unpacked(name: str | os.PathLike[str], content: bytes) -> TrainedModel:
    """Read the model that `packed` returned; `name` is for messages."""
    return _read_model(name, io.BytesIO(content))


def _read_model(path: str | os.PathLike[str], source: IO[bytes]) -> TrainedModel:
    with _doubting(path):
        _check_kind(path, source)
        try:
            with zipfile.ZipFile(source) as archive:
                return _read(path, archive)
        except OSError as error:
            raise FileError(path, "the file cannot be read: {reason}", reason=error.strerror or error) from error


def _check_kind(path: str | os.PathLike[str], source: IO[bytes]) -> None:
    """Refuse a file of another kind: unlike a damaged model, it does not begin with an archive."""
    try:
        first = source.read(4)
        source.seek(0)
    except OSError as error:
        raise FileError(path, "the file cannot be read: {reason}", reason=error.strerror or error) from error
    if first[:2] != b"PK":
        raise FileError(path, "this is no mcsvm model. Choose a .mcsvm file, or open data by “Open data”")


@contextmanager
def _doubting(path: str | os.PathLike[str]) -> Iterator[None]:
    try:
        yield
    except FileError:
        raise
    except InputError as error:
        raise FileError(path, "the model file is damaged: {error}", error=error) from error
    except DOUBTS as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise FileError(path, "this is no mcsvm model, or a damaged one ({reason})", reason=reason) from error


def _read(path: str | os.PathLike[str], archive: zipfile.ZipFile) -> TrainedModel:
    members, allowed = _members(archive), _allowed(_size(archive))
    described = members.pop(DOCUMENT)
    document = json.loads(_content(archive, described, described.compress_size), parse_constant=_no_constant)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError("its document is another one")
    document = _up_to_date(path, document)
    expected = model_document.expected_arrays(document)
    if {name + SUFFIX for name in expected} != members.keys():
        raise ValueError("it has other arrays than it says")
    if sum(_memory(math.prod(array.shape)) for array in expected.values()) > allowed:
        raise ValueError("it claims to hold more than a file of its length can")
    contents = {name: _array(archive, members[name + SUFFIX], array) for name, array in expected.items()}
    return model_document.rebuild(document, contents)


def _members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    found = archive.infolist()
    names = [info.filename for info in found]
    if len(names) > MOST_MEMBERS or len(set(names)) != len(names):
        raise ValueError("it holds a member twice, or far too many")
    known = {DOCUMENT, *(name + SUFFIX for name in model_document.ARRAYS)}
    strange = [name for name in names if name not in known]
    if strange or DOCUMENT not in names:
        raise ValueError(f"it holds {strange[0]!r}" if strange else f"it lacks {DOCUMENT}")
    if any(info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for info in found):
        raise ValueError("it is compressed in another way than models are")
    return dict(zip(names, found, strict=True))


def _content(archive: zipfile.ZipFile, info: zipfile.ZipInfo, most: int) -> bytes:
    """Return the content of a member; raise ValueError if it has more than `most` bytes.

    Exactly its size is read, because reading to the end would inflate without limit.
    """
    if info.file_size > most:
        raise ValueError(f"{info.filename} is larger than it may be")
    with archive.open(info) as stream:
        content = stream.read(info.file_size)
    if len(content) != info.file_size:
        raise ValueError(f"{info.filename} is cut short")
    return content


def _size(archive: zipfile.ZipFile) -> int:
    assert archive.fp is not None
    return archive.fp.seek(0, os.SEEK_END)


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")


def _up_to_date(path: str | os.PathLike[str], document: dict[str, Any]) -> dict[str, Any]:
    schema = document.get("schema")
    if type(schema) is not int or schema < 1:
        raise ValueError("it has no format number")
    if schema > SCHEMA:
        raise FileError(
            path,
            "the model was written by a newer mcsvm (format {found}; this one reads up to {known}): update mcsvm",
            found=schema,
            known=SCHEMA,
        )
    for step in range(schema, SCHEMA):
        document = MIGRATIONS[step](document)
    return document


def _array(archive: zipfile.ZipFile, info: zipfile.ZipInfo, expected: Array) -> np.ndarray:
    content = _content(archive, info, _memory(math.prod(expected.shape)))
    stored = arrays.INTEGERS if expected.dtype == model_document.INT else (expected.dtype,)
    try:
        return arrays.unpacked(content, expected.dtype, expected.shape, stored)
    except ValueError as error:
        raise ValueError(f"{info.filename}: {error}") from error
