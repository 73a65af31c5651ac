"""JSON lines: a flat object per line, or one array of objects. Keys are columns; an absent key is a missing value."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from mcsvm.solvers.errors import InputError, Sentence
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.files.compression import memory
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.phrases import names, quoted
from mcsvm_gui.core.data.readers import roles
from mcsvm_gui.core.data.readers.declared import Declared
from mcsvm_gui.core.data.readers.rows import Cell, read_rows
from mcsvm_gui.core.data.readers.source import Source
from mcsvm_gui.core.data.readers.text import beginning, decode

NAME = "json"
OPTIONS = *roles.OPTIONS, "format", "encoding"
_START = re.compile(rb"\s*(?:\{\s*[\"}]|\[\s*[\[{\]])")
_CELL = 8  # smallest size of a cell in bytes


class _Spelled(str):
    """A number as the file spells it."""


class _Repeated(InputError):
    """A key that occurs twice in one object."""


def recognizes(source: Source, options: ReadOptions) -> bool:
    return _START.match(beginning(source)) is not None


def read(source: Source, options: ReadOptions, *, needs_label: bool) -> Dataset:
    text = decode(source, options)
    content = text.data.decode("utf-8", "replace")
    found = _array(source, content) if content.lstrip().startswith("[") else _lines(source, content)
    lines, rows = [], []
    for line, value in found:
        lines.append(line)
        rows.append(_row(source, line, value))
    given = list(dict.fromkeys(key for row in rows for key in row))
    if len(rows) * len(given) * _CELL > memory() // 4:
        raise FileError(
            source.path, "the table would take more than a quarter of this machine's memory; take a part of it"
        )
    cells = [[row.get(key) for row in rows] for key in given]
    words = frozenset(j for j, column in enumerate(cells) if not any(isinstance(cell, _Spelled) for cell in column))
    return read_rows(
        source,
        NAME,
        given,
        cells,
        np.array(lines, dtype=np.int64),
        Declared(categories=words),
        options,
        needs_label=needs_label,
        guesses=text.guesses,
        notices=text.notices,
    )


def _lines(source: Source, content: str) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(re.split(r"\r\n|\n|\r", content), start=1):
        if line.strip():
            yield number, _parsed(source, line, number)


def _array(source: Source, content: str) -> Iterator[tuple[int, Any]]:
    return enumerate(_parsed(source, content, 1), start=1)


def _parsed(source: Source, text: str, line: int) -> Any:
    try:
        return json.loads(
            text, parse_int=_Spelled, parse_float=_Spelled, parse_constant=_Spelled, object_pairs_hook=_object
        )
    except _Repeated as trouble:
        raise FileError(source.path, trouble.sentence, line=line) from None
    except RecursionError:
        raise FileError(source.path, _NESTED, line=line) from None
    except ValueError as trouble:
        if isinstance(trouble, json.JSONDecodeError):
            line += trouble.lineno - 1
        raise FileError(
            source.path,
            "this is no JSON: {reason}; write one object per line, such as {example}",
            reason=getattr(trouble, "msg", str(trouble)),
            example='{"x": 1.5, "label": "a"}',
            line=line,
        ) from None


_NESTED = Sentence("objects or lists inside each other are not read; write one flat object per row")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = [key for key in found if keys.count(key) > 1]
        raise _Repeated(Sentence("{names} occurs twice in one object", names=names(twice)))
    return found


def _row(source: Source, line: int, value: Any) -> dict[str, Cell]:
    if not isinstance(value, dict):
        raise FileError(
            source.path,
            "row {number} is no JSON object; write each row as an object, such as {example}",
            number=line,
            example='{"x": 1.5, "label": "a"}',
            line=line,
        )
    return {_text(source, line, key): _cell(source, line, key, cell) for key, cell in value.items()}


def _cell(source: Source, line: int, key: str, cell: Any) -> Cell:
    if isinstance(cell, dict | list):
        raise FileError(
            source.path,
            "{name} holds an object or a list, which no cell of a table can; write one flat object per row",
            name=quoted(key),
            line=line,
            column=key,
        )
    if cell is None or isinstance(cell, _Spelled):
        return cell
    return str(cell).lower() if isinstance(cell, bool) else _text(source, line, cell)


def _text(source: Source, line: int, text: str) -> str:
    """Refuse half of a surrogate pair: it is not a letter, and no file could be written with it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise FileError(source.path, "{text} holds half a letter", text=quoted(ascii(text)), line=line) from None
    return text
