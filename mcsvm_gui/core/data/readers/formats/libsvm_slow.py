"""Parse LIBSVM text line by line: slower, but takes every valid spelling, and reports the first bad line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.phrases import places, quoted
from mcsvm_gui.core.data.readers.cells import CellKind, kind_of
from mcsvm_gui.core.data.remedies import Remedy

MOST_COLUMNS = 10**9  # a larger index is a mistake; 32 bits hold it
_SHAPE = Sentence("a LIBSVM row is: label index:value index:value ...")
_INDEX = re.compile(r"[0-9]+")


@dataclass(frozen=True)
class Parsed:
    """The arrays of a CSR matrix; `labels` is None if no line has one."""

    labels: np.ndarray | None
    pointers: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    lines: np.ndarray


@dataclass
class _Rows:
    labels: list[str | None] = field(default_factory=list)
    pointers: list[int] = field(default_factory=lambda: [0])
    indices: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    infinite: dict[int, int] = field(default_factory=dict)  # number of such values per line


def parse(path: Path, data: bytes, before: int = 0, *, needs_label: bool) -> Parsed:
    """Parse lines. `before`: lines of the file before these, if these are a part of it."""
    rows = _Rows()
    for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), start=before + 1):
        if line.strip():
            _take(path, rows, number, line)
    if rows.infinite:
        sentence = Sentence(
            "not finite: {count} value ({places}) NaN, infinite or too large; leave out what is missing",
            "not finite: {count} values ({places}) NaN, infinite or too large; leave out what is missing",
            count=sum(rows.infinite.values()),
            places=places(rows.infinite),
        )
        raise FileError(path, sentence, line=min(rows.infinite))
    return Parsed(
        _labels(path, rows, needs_label=needs_label),
        np.array(rows.pointers),
        np.array(rows.indices, dtype=np.int64),
        np.array(rows.values, dtype=np.float64),
        np.array(rows.lines, dtype=np.int64),
    )


def _take(path: Path, rows: _Rows, number: int, line: str) -> None:
    words = line.split()
    label = None if ":" in words[0] else words.pop(0)
    if label is not None and "," in label:
        raise FileError(path, _no_label(label, words), line=number)
    for word in words:
        index, value = _pair(path, word, number)
        rows.indices.append(index)
        rows.values.append(value)
        if not np.isfinite(value):
            rows.infinite[number] = rows.infinite.get(number, 0) + 1
    rows.labels.append(label)
    rows.pointers.append(len(rows.indices))
    rows.lines.append(number)


def _no_label(label: str, words: list[str]) -> Sentence:
    if words and all(":" in word for word in words):
        return Sentence(
            "several labels ({label}): multi-label data is not supported; write one label per row", label=quoted(label)
        )
    return Sentence(
        "{label} begins no LIBSVM row; {shape}; if this is CSV, {format}",
        label=quoted(label),
        shape=_SHAPE,
        format=Remedy("format", "csv", verb="say"),
    )


def _pair(path: Path, word: str, line: int) -> tuple[int, float]:
    index, colon, value = word.partition(":")
    if not colon:
        raise FileError(
            path,
            "{word} is not index:value; {shape}, without blanks at the colon"
            if index[:1].isdigit()
            else "{word} is not index:value; {shape}; if this is CSV, {format}",
            word=quoted(word),
            shape=_SHAPE,
            format=Remedy("format", "csv", verb="say"),
            line=line,
        )
    if not _INDEX.fullmatch(index):
        what = Sentence(
            "index {index} of {word} is no whole number; indices are 1, 2, 3, ...",
            index=quoted(index),
            word=quoted(word),
        )
        raise FileError(path, what, line=line)
    if len(index.lstrip("0")) > len(str(MOST_COLUMNS)) or int(index) > MOST_COLUMNS:
        raise FileError(
            path,
            "index too large: {index}; the largest that is read is {most}",
            index=quoted(index),
            most=MOST_COLUMNS,
            line=line,
        )
    kind = kind_of(value)
    if kind is CellKind.NUMBER:
        return int(index), float(value)
    if kind in (CellKind.NAN, CellKind.INFINITE):
        return int(index), float("nan")
    what = (
        Sentence("{word} has no value behind the colon", word=quoted(word))
        if not value
        else Sentence("{value} of {word} is no number", value=quoted(value), word=quoted(word))
    )
    raise FileError(path, "{what}; {shape}, without blanks at the colon", what=what, shape=_SHAPE, line=line)


def _labels(path: Path, rows: _Rows, *, needs_label: bool) -> np.ndarray | None:
    without = [line for line, label in zip(rows.lines, rows.labels, strict=True) if label is None]
    if not without:
        result = np.empty(len(rows.labels), dtype=object)
        result[:] = rows.labels
        return result
    if needs_label or len(without) < len(rows.lines):
        raise FileError(path, "no label ({places}); {shape}", places=places(without), shape=_SHAPE, line=without[0])
    return None
