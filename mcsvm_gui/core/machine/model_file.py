"""The .mcsvm file: a zip of one JSON document and plain arrays, all stored uncompressed.

Uncompressed, so that nothing can be larger in memory than in the file. Whatever is wrong with a file is one
sentence; opening one runs no code.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
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

# From the document of schema n to that of n + 1: an older file is brought up to date step by step.
MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}

DOUBTS = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, MemoryError, NotImplementedError, RuntimeError),
    *(ArithmeticError, AttributeError, AssertionError, LookupError, TypeError, ValueError, SyntaxError),
)


# -- writing --------------------------------------------------------------------------------------


def save(path: str | os.PathLike[str], trained: TrainedModel) -> None:
    """Whole or not at all; the file there before stays until the new one is complete."""
    with replacing(path) as stream:
        _fill(stream, trained)


def packed(trained: TrainedModel) -> bytes:
    """The bytes of the file, to be kept elsewhere."""
    stream = io.BytesIO()
    _fill(stream, trained)
    return stream.getvalue()


def _fill(stream: IO[bytes], trained: TrainedModel) -> None:
    document = {"format": FORMAT, "schema": SCHEMA, **model_document.describe(trained)}
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        _put(archive, DOCUMENT, json.dumps(document, allow_nan=False).encode("ascii"))
        for name, array in model_document.arrays_of(trained).items():
            _put(archive, name + SUFFIX, arrays.packed(array))


def _put(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    """With a fixed date: the same model, the same bytes."""
    archive.writestr(zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0)), content)


# -- reading --------------------------------------------------------------------------------------


def load(path: str | os.PathLike[str]) -> TrainedModel:
    """Raises FileError, and nothing else, where this is no sound model of a version that is known here."""
    with opened(path) as stream:
        return _read_model(path, stream)


def unpacked(name: str | os.PathLike[str], content: bytes) -> TrainedModel:
    """What `packed` gave, kept under that name."""
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
    members = _members(archive)
    document = json.loads(archive.read(members.pop(DOCUMENT)), parse_constant=_no_constant)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError("its document is another one")
    document = _up_to_date(path, document)
    expected = model_document.expected_arrays(document)
    if {name + SUFFIX for name in expected} != members.keys():
        raise ValueError("it has other arrays than it says")
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
    if any(info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size for info in found):
        raise ValueError("it is compressed, which models are not")
    if sum(info.file_size for info in found) > _size(archive):
        raise ValueError("it claims to hold more than it is long")
    return dict(zip(names, found, strict=True))


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
    """No larger than the file, whatever it claims: `_members` has looked."""
    try:
        return arrays.unpacked(archive.read(info), expected.dtype, expected.shape)
    except ValueError as error:
        raise ValueError(f"{info.filename}: {error}") from error
