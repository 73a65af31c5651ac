"""Find the records of a delimited text, and the number of fields in each, by array operations on its bytes.

pandas fills short rows up and loses line numbers; because of this pass an error can name FILE:LINE.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.readers.source import Source

_LF, _CR, _HASH = 10, 13, 35
_PIECE = 1 << 22  # bytes that are examined at once: temporary arrays stay small, and mostly in cache


@dataclass(frozen=True)
class Records:
    """One entry per record; `data` has line feeds only, except inside quotes."""

    data: bytes
    starts: np.ndarray
    ends: np.ndarray
    fields: np.ndarray
    lines: np.ndarray
    quoted: bool  # whether the quotation mark occurs at all

    def __len__(self) -> int:
        return len(self.starts)

    def keep(self, chosen: np.ndarray | slice) -> Records:
        if isinstance(chosen, np.ndarray) and chosen.all():
            return self
        starts, ends, fields, lines = (array[chosen] for array in (self.starts, self.ends, self.fields, self.lines))
        return Records(self.data, starts, ends, fields, lines, self.quoted)

    def text(self, record: int) -> str:
        return self.data[self.starts[record] : self.ends[record]].decode("utf-8", "replace")

    def begins_with(self, letter: int) -> np.ndarray:
        if not len(self.data):
            return np.zeros(len(self), dtype=bool)
        first = np.frombuffer(self.data, np.uint8)[np.minimum(self.starts, len(self.data) - 1)]
        return (first == letter) & (self.ends > self.starts)

    def blank(self) -> np.ndarray:
        """Return which records are blank."""
        blank = self.ends == self.starts
        for record in np.flatnonzero((self.fields == 1) & ~blank & (self.ends - self.starts < 64)):
            if not self.data[self.starts[record] : self.ends[record]].strip():
                blank[record] = True
        return blank

    def hollow(self) -> np.ndarray:
        """Return which records consist of separators only, as spreadsheets write them below a table."""
        return (self.fields > 1) & (self.ends - self.starts == self.fields - 1)

    def pieces(self, size: int) -> list[slice]:
        """Return slices of records, each of about `size` bytes."""
        reached = self.ends - (self.starts[0] if len(self) else 0)
        marks = np.arange(size, int(reached[-1]) if len(self) else 0, size)
        cuts = [0, *np.unique(np.searchsorted(reached, marks)).tolist(), len(self)]
        return [slice(start, end) for start, end in pairwise(cuts) if start < end]

    def body(self, some: slice) -> bytes:
        """Return the bytes of these records, separated by line feeds."""
        starts, ends = self.starts[some], self.ends[some]
        if np.array_equal(starts[1:], ends[:-1] + 1):
            return self.data[starts[0] : ends[-1]]
        return b"\n".join([self.data[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)])


def find_records(source: Source, data: bytes, separator: str, quote: str, before: int = 0) -> Records:
    """Find the records. `before`: lines of the file before these bytes, if these are a part of it."""
    data = _line_feeds_only(source, data, separator, quote, before)
    buffer = np.frombuffer(data, np.uint8)
    marks = _quotes(source, data, separator, quote, before)
    feeds = np.concatenate(list(_places(buffer, _LF)))
    ends = _outside(feeds, marks)
    starts = np.concatenate([[0], ends + 1])
    ends = np.concatenate([ends, [len(data)]])
    if len(starts) > 1 and starts[-1] == len(data):
        starts, ends = starts[:-1], ends[:-1]
    lines = np.searchsorted(feeds, starts) if len(marks) else np.arange(len(starts))
    fields = np.diff(_passed(buffer, ord(separator), marks, ends), prepend=0) + 1
    return Records(data, starts, ends, fields, before + lines + 1, len(marks) > 0)


def _places(buffer: np.ndarray, letter: int) -> Iterator[np.ndarray]:
    """Yield the positions of a letter, chunk by chunk."""
    for start in range(0, max(len(buffer), 1), _PIECE):
        yield np.flatnonzero(buffer[start : start + _PIECE] == letter) + start


def _passed(buffer: np.ndarray, letter: int, marks: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Count the occurrences of a letter outside quotation marks before each of the ends."""
    passed, total = np.zeros(len(ends), dtype=np.int64), 0
    for number, places in enumerate(_places(buffer, letter)):
        outside = _outside(places, marks)
        first, last = np.searchsorted(ends, [number * _PIECE, (number + 1) * _PIECE])
        passed[first:last] = total + np.searchsorted(outside, ends[first:last])
        total += len(outside)
    passed[np.searchsorted(ends, len(buffer)) :] = total
    return passed


def _outside(positions: np.ndarray, marks: np.ndarray) -> np.ndarray:
    return positions[np.searchsorted(marks, positions) % 2 == 0] if len(marks) else positions


def _line_feeds_only(source: Source, data: bytes, separator: str, quote: str, before: int) -> bytes:
    """Replace CR LF and lone CR by LF outside quotes; inside, they belong to the cell."""
    if b"\r" not in data:
        return data
    if quote.encode() not in data:
        return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    buffer = np.frombuffer(data, np.uint8).copy()
    returns = _outside(np.flatnonzero(buffer == _CR), _quotes(source, data, separator, quote, before))
    buffer[returns] = _LF
    followed = returns[np.flatnonzero(np.append(buffer, 0)[returns + 1] == _LF)]
    followed = followed[np.frombuffer(data, np.uint8)[followed + 1] == _LF]
    return bytes(np.delete(buffer, followed).tobytes())


def _quotes(source: Source, data: bytes, separator: str, quote: str, before: int) -> np.ndarray:
    """Return the positions of quotation marks. They open and close alternately; a doubled one closes and opens."""
    if quote.encode() not in data:
        return np.empty(0, np.int64)
    buffer = np.frombuffer(data, np.uint8)
    marks = np.flatnonzero(buffer == ord(quote))
    border = np.zeros(256, dtype=bool)
    border[[ord(separator), ord(quote), _LF, _CR]] = True
    opening, closing = marks[0::2], marks[1::2]
    fits_before = border[buffer[opening - 1]]
    fits_before[0] |= opening[0] == 0
    fits_behind = border[buffer.take(closing + 1, mode="clip")]
    fits_behind[-1:] |= closing[-1:] == len(data) - 1
    wrong = np.concatenate([opening[~fits_before], closing[~fits_behind]])
    if len(wrong):
        line = before + data.count(b"\n", 0, int(wrong.min())) + 1
        raise _misplaced(source, line, Sentence("a quotation mark in the middle of a cell"))
    if len(opening) > len(closing):
        line = before + data.count(b"\n", 0, int(opening[-1])) + 1
        raise _misplaced(source, line, Sentence("a quotation mark opens a cell and none closes it"))
    return marks


def _misplaced(source: Source, line: int, what: Sentence) -> FileError:
    return FileError(source.path, "{what}; quote the whole cell and write marks inside it twice", what=what, line=line)
