"""The dialect of a delimited text: its separator, decimal mark and quotation mark, guessed from its first records."""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Guess
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.readers.cells import is_number

WHITESPACE = " "
_PREFERENCE = "\t", ";", "|", ",", WHITESPACE
_NAMES = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " ", "blank": " "}
_NAMES |= {"whitespace": " ", "\\s+": " ", "\\s": " "}
_SHOWN = {"\t": "tab", " ": "whitespace"}
_SAMPLE_BYTES, _SAMPLE_ROWS = 1 << 18, 500
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?|[+-]?[0-9]+,")
_DECIMAL_POINT = re.compile(r"[+-]?[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?|[+-]?[0-9]+\.")
_PERHAPS_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+")
_BLANKS = rb"[ \t\f\v]*"


@dataclass(frozen=True)
class Dialect:
    separator: str
    decimal: str
    quote: str
    width: int  # number of fields in most records of the sample
    sample: tuple[tuple[str, ...], ...]
    guesses: tuple[Guess, ...]


def find_dialect(data: bytes, options: ReadOptions) -> Dialect:
    told, data = told_separator(data)
    lines = _sample_lines(data)
    guesses = []
    quote = _quote(lines)
    if options.separator is None and told is not None:
        separator = told
    elif options.separator is None:
        separator = _best_separator(lines, quote)
        guesses.append(Guess("separator", _SHOWN.get(separator, separator), "--separator"))
    else:
        separator = asked_separator(options.separator)
    sample = cells_of(lines, separator, quote)
    width = _usual_width(sample)[0] if sample else 1
    decimal = options.decimal or _decimal(sample)
    if options.decimal is None and decimal == ",":
        guesses.append(Guess("decimal", decimal, "--decimal"))
    return Dialect(separator, decimal, quote, width, tuple(map(tuple, sample)), tuple(guesses))


def separators() -> tuple[str, ...]:
    """Return the separators that are guessed, the preferred ones first."""
    return _PREFERENCE


def told_separator(data: bytes) -> tuple[str | None, bytes]:
    """Return the separator that Excel's first line `sep=;` sets, and the text with that line blank."""
    found = re.match(rb"sep=([,;|\t])[ \t]*(?=\r|\n)", data, re.IGNORECASE)
    return (found[1].decode(), data[found.end() :]) if found else (None, data)


def without_runs(data: bytes, quote: str) -> bytes:
    """Replace each run of blanks by one tab, and remove blanks around lines; quoted text does not change."""
    mark = quote.encode()
    if mark not in data:
        lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        return b"\n".join([b"\t".join(line.split()) for line in lines])
    pieces = re.compile(rb"%b(?:[^%b]|%b%b)*%b|%b(\r\n|\r|\n)%b|%b\Z|[ \t\f\v]+" % (*[mark] * 5, *[_BLANKS] * 3))
    return pieces.sub(lambda found: _one_blank(found, mark), data.lstrip(b" \t\f\v"))


def _one_blank(found: re.Match[bytes], mark: bytes) -> bytes:
    if found[1]:
        return b"\n"
    at_end = found.end() == len(found.string)
    return found[0] if found[0].startswith(mark) else b"" if at_end else b"\t"


def cells_of(lines: list[str], separator: str, quote: str) -> list[list[str]]:
    """Return the cells of these lines, for guessing only: lines that cannot be split are left out."""
    if separator == WHITESPACE:
        lines, separator = without_runs("\n".join(lines).encode(), quote).decode().split("\n"), "\t"
    rows: list[list[str]] = []
    try:
        reader = csv.reader(lines, delimiter=separator, quotechar=quote)
        rows.extend([cell.strip() for cell in row] for row in reader if row)
    except csv.Error:
        pass
    return rows


def _sample_lines(data: bytes) -> list[str]:
    """Return the first lines that are neither blank nor comments."""
    text = data[:_SAMPLE_BYTES].decode("utf-8", "replace")
    if len(data) > _SAMPLE_BYTES:
        text = text.rpartition("\n")[0] or text
    lines = [line for line in re.split(r"\r\n|\n|\r", text) if line.strip()]
    spoken = [line for line in lines if not line.startswith("#")]
    return (spoken or lines)[:_SAMPLE_ROWS]


def _quote(lines: list[str]) -> str:
    """Return double quotation marks if there are any; single ones if they wrap cells in every line."""
    if any('"' in line for line in lines):
        return '"'
    wrapped = re.compile(r"(?:^|[,;\t| ])'[^']*'(?=$|[,;\t| ])")
    single = sum(1 for line in lines if wrapped.search(line))
    return "'" if lines and single >= max(1, len(lines) - 1) else '"'


def _usual_width(rows: list[list[str]]) -> tuple[int, float]:
    width, times = Counter(map(len, rows)).most_common(1)[0]
    return width, times / len(rows)


def _best_separator(lines: list[str], quote: str) -> str:
    """Return the separator that splits most lines into equally many fields, most of which are numbers."""
    best, best_score = ",", (0.0, 0.0)
    for separator in _PREFERENCE:
        rows = cells_of(lines, separator, quote)
        if not rows or _usual_width(rows)[0] < 2:
            continue
        score = round(_usual_width(rows)[1], 1), round(_numeric_share(rows, separator), 2)
        if score > best_score:
            best, best_score = separator, score
    return best


def _numeric_share(rows: list[list[str]], separator: str) -> float:
    marks = "." if separator == "," else ".,"
    cells = [cell for row in rows for cell in row]
    return sum(any(is_number(cell, mark) for mark in marks) for cell in cells) / max(1, len(cells))


def asked_separator(asked: str) -> str:
    separator = _NAMES.get(asked.lower(), asked)
    if len(separator) != 1 or not separator.isascii() or separator.isalnum() or separator in "\"'\r\n\0.+-":
        choices = Sentence("one character such as , ; | or: tab, whitespace")
        raise FileError(
            "--separator", "{asked!r} cannot stand between fields; give {choices}", asked=asked, choices=choices
        )
    return separator


def _decimal(sample: list[list[str]]) -> str:
    cells = [cell for row in sample for cell in row]
    commas = [cell for cell in cells if _DECIMAL_COMMA.fullmatch(cell)]
    if not commas or any(_DECIMAL_POINT.fullmatch(cell) for cell in cells):
        return "."
    if any(not _PERHAPS_THOUSANDS.fullmatch(cell) for cell in commas):
        return ","
    return "."
