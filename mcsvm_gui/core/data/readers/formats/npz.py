"""NumPy's .npz: rows in an array X and classes in y, or data and target. Headers are not trusted."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

import numpy as np

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base import arrays
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset, Notice
from mcsvm_gui.core.data.files.compression import holds_arrays, memory
from mcsvm_gui.core.data.files.optional import read_undamaged
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.phrases import names, quoted
from mcsvm_gui.core.data.readers import roles
from mcsvm_gui.core.data.readers.declared import Declared
from mcsvm_gui.core.data.readers.rows import read_rows
from mcsvm_gui.core.data.readers.source import Source
from mcsvm_gui.core.data.remedies import OptionWords

NAME = "npz"
OPTIONS = *roles.OPTIONS, "format"
_PAIRS = ("X", "y"), ("x", "y"), ("data", "target"), ("data", "labels"), ("X_train", "y_train"), ("x_train", "y_train")
_NAMES = "feature_names"
_ARRAY = ".npy"


def recognizes(source: Source, options: ReadOptions) -> bool:
    return holds_arrays(source.data)


def read(source: Source, options: ReadOptions, *, needs_label: bool) -> Dataset:
    if not recognizes(source, options):
        raise FileError(
            source.path,
            "this is no .npz archive of NumPy arrays; leave {format} out, or name the right one",
            format=OptionWords("format"),
        )
    members = read_undamaged(source, Sentence(".npz archive"), lambda: _members(source))
    rows, classes = _pair(source, members)
    table = _table(source, rows, members[rows])
    columns, given = [table[:, j] for j in range(table.shape[1])], _columns(source, members, table.shape[1])
    declared = Declared()
    if classes is not None:
        labels = _labels(source, classes, members[classes], len(table))
        declared, given = Declared(len(columns)), [*given, classes]
        columns.append(labels)
    return read_rows(
        source,
        NAME,
        given,
        columns,
        np.arange(1, len(table) + 1),
        declared,
        options,
        needs_label=needs_label,
        notices=_unused(members, {rows, classes, _NAMES}),
    )


def _members(source: Source) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
        infos = archive.infolist()
        if sum(info.file_size for info in infos) > memory() // 16:
            raise FileError(source.path, "the arrays are too large to be read into memory; save a part of the rows")
        return {info.filename.removesuffix(_ARRAY): archive.read(info) for info in infos}


def _pair(source: Source, members: Mapping[str, bytes]) -> tuple[str, str | None]:
    if {"indptr", "indices"} <= members.keys():
        raise FileError(
            source.path, "this is a sparse matrix of SciPy, which has no classes; write rows and classes as LIBSVM"
        )
    for rows, classes in _PAIRS:
        if rows in members and classes in members:
            return rows, classes
    for rows, _ in _PAIRS:
        if rows in members:
            return rows, None
    raise FileError(
        source.path,
        "the archive holds {arrays}; rows are read from X and classes from y, or from data and target",
        arrays=names(members),
    )


def _array(source: Source, name: str, content: bytes) -> np.ndarray:
    try:
        return arrays.of_numpy(content)
    except arrays.ObjectsError:
        raise FileError(
            source.path,
            "array {name} holds Python objects (a pickle), which are never opened: they can run code;"
            " save numbers or text",
            name=quoted(name),
        ) from None
    except ValueError:
        raise FileError(
            source.path, "array {name} is damaged, or holds neither plain numbers nor text", name=quoted(name)
        ) from None


def _table(source: Source, name: str, content: bytes) -> np.ndarray:
    found = _array(source, name, content)
    if found.dtype.kind not in "biuf":
        raise FileError(source.path, "array {name} holds no numbers; save text as CSV", name=quoted(name))
    if found.ndim != 2:
        raise FileError(
            source.path,
            "array {name} has {dimensions} dimensions, where rows and columns are needed;"
            " save it as {name}.reshape(len({name}), -1)",
            name=name,
            dimensions=found.ndim,
        )
    if found.size * 8 > memory() // 8:
        raise FileError(source.path, "the arrays are too large to be read into memory; save a part of the rows")
    return found.astype(np.float64)


def _labels(source: Source, name: str, content: bytes, rows: int) -> np.ndarray:
    """Return the labels as text: 1 is "1", and 1.0 is "1.0"."""
    found = _array(source, name, content)
    if found.size != rows or found.ndim not in (1, 2):
        raise FileError(
            source.path,
            "array {name} holds {count} values for {rows} rows; a class for each row is needed",
            name=quoted(name),
            count=found.size,
            rows=rows,
        )
    labels = np.empty(rows, dtype=object)
    labels[:] = [value if isinstance(value, str) else repr(value) for value in found.ravel().tolist()]
    return labels


def _columns(source: Source, members: Mapping[str, bytes], many: int) -> list[str]:
    if _NAMES in members:
        found = _array(source, _NAMES, members[_NAMES])
        if found.dtype.kind == "U" and found.shape == (many,):
            return [str(name) for name in found.tolist()]
    return [str(number) for number in range(1, many + 1)]


def _unused(members: Mapping[str, bytes], used: set[str | None]) -> tuple[Notice, ...]:
    others = [name for name in members if name not in used]
    if not others:
        return ()
    return (Notice("left-out", Sentence("other arrays of the archive are left out: {names}", names=names(others))),)
