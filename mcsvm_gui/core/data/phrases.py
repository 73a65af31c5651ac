"""Places and cells in words, short enough for one line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mcsvm.solvers.errors import Sentence

_SHOWN = 5
_LONGEST = 40
_KEPT = 6  # spans that are stored, each of which takes a word or more: one span more than are shown


def quoted(text: str) -> str:
    """Return a cell or a name, shortened, with invisible characters made visible."""
    short = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}\u2026"
    return '"' + "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in short) + '"'


def listed(things: Sequence[str], shown: int = _SHOWN, *, more: int = 0) -> str:
    """Return "a, b and c", or "a, b, c and 12 more". `more`: the number of further things."""
    if len(things) + more > shown:
        return Sentence("{some} and {count} more", some=", ".join(things[:shown]), count=len(things) + more - shown)
    if len(things) < 2:
        return "".join(things)
    return Sentence("{some} and {last}", some=", ".join(things[:-1]), last=things[-1])


def names(things: Iterable[str], shown: int = _SHOWN) -> str:
    return listed([quoted(thing) for thing in things], shown)


def places(lines: Iterable[int] | np.ndarray) -> Sentence:
    """Return words for lines: line 4; lines 4 and 5; lines 3-7; lines 3-7, 9 and 12 more."""
    return Lines.of(lines).said


def row_numbers(rows: Iterable[int] | np.ndarray) -> Sentence:
    """Return the words for data rows of a file: row 4; rows 4 and 5; rows 3-7, 9 and 12 more."""
    lines = Lines.of(np.unique(np.asarray(rows)))
    return Sentence("row {rows}", "rows {rows}", count=lines.count, rows=lines.listed)


_Span = tuple[int, int]


@dataclass(frozen=True)
class Lines:
    """Numbers of lines. Only the first spans are stored: those that a sentence names."""

    count: int = 0
    first: tuple[_Span, ...] = ()  # increasing, no two of them adjacent
    hidden: int = 0  # number of words for the spans between the first ones and the last
    last: _Span | None = None  # unless it is one of the first

    @classmethod
    def of(cls, lines: Iterable[int] | np.ndarray) -> Lines:
        found = np.asarray(lines if isinstance(lines, np.ndarray) else list(lines), dtype=np.int64)
        # lines of a whole file increase already: np.unique took a quarter of the reading time
        if not (found[1:] > found[:-1]).all():
            found = np.unique(found)
        if not found.size:
            return cls()
        breaks = np.flatnonzero(np.diff(found) > 1)
        starts, ends = found[np.append(0, breaks + 1)], found[np.append(breaks, found.size - 1)]
        first = tuple(zip(starts[:_KEPT].tolist(), ends[:_KEPT].tolist(), strict=True))
        if starts.size <= _KEPT:
            return cls(int(found.size), first)
        words = 1 + (ends[_KEPT:-1] - starts[_KEPT:-1] == 1)
        return cls(int(found.size), first, int(words.sum()), (int(starts[-1]), int(ends[-1])))

    def joined(self, later: Lines) -> Lines:
        """Return these lines and `later` ones, all of which come after these."""
        found = self
        for span in later.first:
            found = found._with(span)
        if later.last is not None:
            hidden = found.hidden + later.hidden + (0 if found.last is None else _words(found.last))
            found = replace(found, hidden=hidden, last=later.last)
        return replace(found, count=self.count + later.count)

    def _with(self, span: _Span) -> Lines:
        before = self.last or (self.first[-1] if self.first else None)
        if before is not None and before[1] + 1 == span[0]:
            longer = before[0], span[1]
            return replace(self, last=longer) if self.last else replace(self, first=(*self.first[:-1], longer))
        if len(self.first) < _KEPT:
            return replace(self, first=(*self.first, span))
        return replace(self, hidden=self.hidden + (0 if self.last is None else _words(self.last)), last=span)

    @property
    def said(self) -> Sentence:
        return Sentence("line {lines}", "lines {lines}", count=self.count, lines=self.listed)

    @property
    def listed(self) -> str:
        words = [word for span in self.first for word in _spelled(*span)]
        return listed(words, more=self.hidden + (0 if self.last is None else _words(self.last)))


NO_LINES = Lines()


def _words(span: _Span) -> int:
    return len(_spelled(*span))


def _spelled(first: int, last: int) -> list[str]:
    return [str(line) for line in range(first, last + 1)] if last <= first + 1 else [f"{first}-{last}"]
