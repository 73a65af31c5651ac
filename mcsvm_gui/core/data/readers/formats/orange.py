"""Orange's tables: names, kinds and roles in three header lines, or before the names in one (`mS#name`).

The rules are Orange's (Orange/data/io_base.py): a capital before `#` is the kind, a small letter the role; text
columns are never features; `.`, `~` and NA are missing in columns of every kind.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.readers import roles
from mcsvm_gui.core.data.readers.cells import is_number
from mcsvm_gui.core.data.readers.declared import IGNORED, META, OUTPUT, TEXT, WEIGHT, Declared
from mcsvm_gui.core.data.readers.formats import delimited
from mcsvm_gui.core.data.readers.formats.dialect import asked_separator
from mcsvm_gui.core.data.readers.source import Source
from mcsvm_gui.core.data.readers.text import beginning, decode
from mcsvm_gui.core.data.remedies import OptionWords

NAME = "orange"
OPTIONS = *roles.OPTIONS, "format", "separator", "decimal", "encoding"
_SEPARATORS = "\t", ",", ";"
_BREAK = re.compile(rb"\r\n|\n|\r")
_KINDS = {
    **dict.fromkeys(("c", "continuous", "numeric", "n"), "c"),
    **dict.fromkeys(("d", "discrete", "categorical"), "d"),
    **dict.fromkeys(("s", "string", "text"), "s"),
    **dict.fromkeys(("t", "time"), "t"),
}
_ROLES = {"class": "c", "ignore": "i", "meta": "m", "weight": "w"} | {letter: letter for letter in "cimw"}
_LEFT_OUT = {"i": IGNORED, "m": META, "w": WEIGHT}
_VALUES = re.compile(r"\S+(?:\s\S+)+")  # the kind of a column whose values are all listed
_ATTRIBUTE = re.compile(r"\S+=.*", re.DOTALL)  # in the line of roles, such as "hidden=True"
_PREFIX = re.compile(r"([cimw]?)([CDSNT]?)([cimw]?)#(.+)", re.DOTALL)
_NOTHING = frozenset({".", "~", "?", "NA", "nan", "NaN"})


@dataclass(frozen=True)
class _Header:
    names: list[str]
    kinds: list[str]  # c d s t, or empty if Orange guesses the kind
    roles: list[str]  # c i m w, or empty for a feature
    lines: int
    separator: str


def recognizes(source: Source, options: ReadOptions) -> bool:
    return _header(beginning(source), source.suffix, options) is not None


def read(source: Source, options: ReadOptions, *, needs_label: bool) -> Dataset:
    text = decode(source, options)
    header = _header(text.data, ".tab", options)
    if header is None:
        raise FileError(
            source.path,
            "this is no file of Orange, whose second line tells kinds of columns, as in: continuous, discrete;"
            " leave {format} out, or name the right one",
            format=OptionWords("format"),
            line=1,
        )
    plain = replace(text, data=_with_names_alone(text.data, header))
    options = replace(options, header="yes", separator="tab" if header.separator == "\t" else header.separator)
    return delimited.read_declared(
        plain, NAME, _declared(header, _first_row(text.data, header)), options, needs_label=needs_label
    )


def _header(data: bytes, suffix: str, options: ReadOptions) -> _Header | None:
    lines = [line.decode("utf-8", "replace") for line in _BREAK.split(data, 3)[:3]]
    for separator in _SEPARATORS if options.separator is None else (asked_separator(options.separator),):
        rows = [_cells(line, separator) for line in lines]
        found = _three_lines(rows, separator, suffix) or _one_line(rows[0], separator)
        if found is not None:
            return found
    return None


def _cells(line: str, separator: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=separator), [""])]
    except csv.Error:
        return [""]


def _three_lines(rows: Sequence[list[str]], separator: str, suffix: str) -> _Header | None:
    if len(rows) < 3 or len(rows[0]) < 2 or max(len(rows[1]), len(rows[2])) > len(rows[0]):
        return None
    names, kinds, roles = (row + [""] * (len(rows[0]) - len(row)) for row in rows)
    words = [cell for cell in kinds if cell in _KINDS]
    if not words or not all(not cell or cell in _KINDS or _VALUES.fullmatch(cell) for cell in kinds):
        return None
    if not all(word in _ROLES or _ATTRIBUTE.fullmatch(word) for cell in roles for word in cell.split()):
        return None
    spelled = any(len(cell) > 1 for cell in (*words, *roles))
    if suffix != ".tab" and not spelled:
        return None  # single letters may be the first rows of a table without a header
    known = [_KINDS.get(cell, "d" if cell else "") for cell in kinds]
    return _Header(names, known, [_role(cell) for cell in roles], 3, separator)


def _role(cell: str) -> str:
    """Return the role of a column. If the file gives several, "ignored" and "meta" exclude all others, as in Orange."""
    said = [_ROLES[word] for word in cell.split() if word in _ROLES]
    return min(said, key="imwc".index, default="")


def _one_line(cells: Sequence[str], separator: str) -> _Header | None:
    found = [_PREFIX.fullmatch(cell) for cell in cells]
    flags = [match is not None and bool(match[1] or match[2] or match[3]) for match in found]
    if len(cells) < 2 or not any(flags):
        return None
    names = [match[4] if match and flag else cell for match, flag, cell in zip(found, flags, cells, strict=True)]
    kinds = [
        _KINDS.get(match[2].lower(), "") if match and flag else "" for match, flag in zip(found, flags, strict=True)
    ]
    roles = [match[1] or match[3] if match and flag else "" for match, flag in zip(found, flags, strict=True)]
    return _Header(names, kinds, roles, 1, separator)


def _with_names_alone(data: bytes, header: _Header) -> bytes:
    """Reduce the header to the names in its first line. Its other lines become blank, to preserve line numbers."""
    names = io.StringIO()
    csv.writer(names, delimiter=header.separator, lineterminator="").writerow(header.names)
    rest = _BREAK.split(data, header.lines)[header.lines :]
    return b"\n".join([names.getvalue().encode(), *[b""] * (header.lines - 1), *rest])


def _first_row(data: bytes, header: _Header) -> list[str]:
    line = [*_BREAK.split(data[: 1 << 18], header.lines + 1), b""][header.lines]
    return _cells(line.decode("utf-8", "replace"), header.separator)


def _declared(header: _Header, first: Sequence[str]) -> Declared:
    """Return the declarations. A column of times whose first cell is a number holds seconds, not dates."""
    classes = [j for j, role in enumerate(header.roles) if role == "c" and header.kinds[j] != "s"]
    left_out = {j: _LEFT_OUT[role] for j, role in enumerate(header.roles) if role in _LEFT_OUT}
    left_out |= {j: TEXT for j, kind in enumerate(header.kinds) if kind == "s" and j not in left_out}
    left_out |= dict.fromkeys(classes[1:], OUTPUT)
    categories = frozenset(j for j, kind in enumerate(header.kinds) if kind == "d")
    seconds = {j for j, cell in enumerate(first) if is_number(cell)}
    dates = frozenset(j for j, kind in enumerate(header.kinds) if kind == "t") - seconds
    return Declared(classes[0] if classes else None, left_out, categories, dates, "", _NOTHING, tuple(header.names))
