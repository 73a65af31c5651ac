"""Skip the lines above the header of a delimited text, where instruments note user, date and settings.

Lines are skipped on request (`--skip-lines`), or if the beginning of the file shows that they do not have the number of
fields that all lines below the header have. Skipped lines become blank, so that all others keep their numbers.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Guess, Notice
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.phrases import quoted
from mcsvm_gui.core.data.readers.cells import is_number
from mcsvm_gui.core.data.readers.formats.dialect import WHITESPACE, asked_separator, separators, told_separator
from mcsvm_gui.core.data.readers.header import looks_like_header
from mcsvm_gui.core.data.readers.source import Source
from mcsvm_gui.core.data.remedies import Remedy

LONGEST = 100  # largest number of lines above the header that is recognized without the option
FEWEST = 2  # smallest number of lines with equally many fields that form a table: a header and a row
_EXAMINED_LINES = 400  # lines that are examined
_EXAMINED_BYTES = 1 << 18  # bytes that are examined
_SHOWN_CHARACTERS = 60  # characters of a skipped line that the notice shows
_ENDS = re.compile(rb"\r\n|\r|\n")


def without_preamble(
    source: Source, data: bytes, options: ReadOptions
) -> tuple[bytes, tuple[Guess, ...], tuple[Notice, ...]]:
    """Blank out the lines above the header; guess their number unless the options set it."""
    asked = options.skip_lines
    count = guess_line_count(data, options) if asked is None else asked
    if not count:
        return data, (), ()
    end = _end_of_lines(data, count)
    if not data[end:].strip():
        raise _nothing_below(source, count)
    first = next((line for line in _lines(data[:end]) if line.strip()), "")
    guesses = (_guess(count),) if asked is None else ()
    return b"\n" * len(_ENDS.findall(data[:end])) + data[end:], guesses, (_notice(count, first),)


def skipped_rows(
    source: Source, rows: Sequence[Sequence[str | None]], filled: Sequence[int], options: ReadOptions
) -> tuple[int, tuple[Guess, ...], tuple[Notice, ...]]:
    """Return the number of filled rows above the header of a sheet. The option counts empty rows too."""
    if options.skip_lines is None:
        start, _ = _table_start([_trim_row(rows[number]) for number in filled[:_EXAMINED_LINES]], options)
        count = filled[start] if start else 0
    else:
        count = options.skip_lines
        start = sum(number < count for number in filled)
    if not start:
        return 0, (), ()
    if start >= len(filled):
        raise _nothing_below(source, count)
    first = next(cell for cell in rows[filled[0]] if cell is not None)
    return start, (_guess(count),) if options.skip_lines is None else (), (_notice(count, first),)


def _trim_row(row: Sequence[str | None]) -> list[str]:
    cells = [cell or "" for cell in row]
    while cells and not cells[-1]:
        cells.pop()
    return cells


def _guess(count: int) -> Guess:
    return Guess("lines above the header", str(count), "--skip-lines")


def _nothing_below(source: Source, count: int) -> FileError:
    return FileError(
        source.path,
        "{count} lines are to be skipped, and there is nothing below them; {skip_lines} with fewer",
        count=count,
        skip_lines=Remedy("skip_lines", verb="say"),
    )


def _notice(count: int, first: str) -> Notice:
    sentence = Sentence(
        "{count} line above the header was skipped, which begins with {first}; {skip_lines} if the table begins"
        " elsewhere",
        "{count} lines above the header were skipped, which begin with {first}; {skip_lines} if the table begins"
        " elsewhere",
        count=count,
        first=quoted(first.strip()[:_SHOWN_CHARACTERS]),
        skip_lines=Remedy("skip_lines", verb="say"),
    )
    return Notice("skipped-lines", sentence)


def _end_of_lines(data: bytes, count: int) -> int:
    """Return the position at which the line after the first `count` lines begins."""
    end = 0
    for _, line_end in zip(range(count), _ENDS.finditer(data), strict=False):
        end = line_end.end()
    return end if len(_ENDS.findall(data[:end])) == count else len(data)


def _lines(data: bytes) -> list[str]:
    return re.split(r"\r\n|\r|\n", data.decode("utf-8", "replace"))


def guess_line_count(data: bytes, options: ReadOptions) -> int:
    """Return the number of lines above the header; 0 unless all lines below the header have its number of fields."""
    told, _ = told_separator(data)
    lines = _lines(data[:_EXAMINED_BYTES])[:_EXAMINED_LINES]
    if len(data) > _EXAMINED_BYTES or len(lines) == _EXAMINED_LINES:
        lines = lines[:-1]  # the last line may be incomplete
    spoken = [number for number, line in enumerate(lines) if line.strip() and not line.startswith("#")]
    if told is not None or len(spoken) <= FEWEST:
        return 0
    asked = options.separator
    best, best_score = 0, (0.0, 0.0)
    for separator in separators() if asked is None else [asked_separator(asked)]:
        rows = [_fields(lines[number], separator) for number in spoken]
        start, score = _table_start(rows, options)
        if score > best_score:
            best, best_score = start, score
    return spoken[best] if best else 0


def _table_start(rows: Sequence[Sequence[str]], options: ReadOptions) -> tuple[int, tuple[float, float]]:
    """Return the line that begins the table, and a score of how well the lines from there on form a table."""
    width = Counter(map(len, rows)).most_common(1)[0][0]
    if width < 2:
        return 0, (0.0, 0.0)
    other = [number for number, row in enumerate(rows) if len(row) != width]
    start = other[-1] + 1 if other else 0
    if not (0 < start <= LONGEST and len(rows[0]) != width and 2 * len(other) >= start):
        return 0, _score(rows, width)
    table = rows[start:]
    decimals = (options.decimal,) if options.decimal else (".", ",")
    if len(table) < FEWEST or (abs(len(rows[start - 1]) - width) == 1 and start == 1 and len(rows[0]) > 1):
        return 0, _score(rows, width)
    named = options.header == "yes" or any(looks_like_header(table[0], table[1:50], mark) for mark in decimals)
    return (start, _score(table, width)) if named and options.header != "no" else (0, _score(rows, width))


def _score(rows: Sequence[Sequence[str]], width: int) -> tuple[float, float]:
    cells = [cell for row in rows for cell in row]
    numbers = sum(is_number(cell, ".") or is_number(cell, ",") for cell in cells)
    return round(sum(len(row) == width for row in rows) / len(rows), 1), round(numbers / max(1, len(cells)), 2)


def _fields(line: str, separator: str) -> list[str]:
    if separator == WHITESPACE:
        return line.split()
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=separator), [])]
    except csv.Error:
        return line.split(separator)
