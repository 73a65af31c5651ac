"""Split one ARFF line into values: commas, quotation marks of both kinds, backslashes, and ? for a missing value."""

from __future__ import annotations

import re

from mcsvm.solvers.errors import InputError, Sentence
from mcsvm_gui.core.data.phrases import quoted

_CELL = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,'"]*?))\s*(?:(,)|$)""", re.DOTALL)
_PAIR = re.compile(r"""\s*([0-9]+)\s+('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,'"\s]+)\s*(?:(,)|$)""", re.DOTALL)
_COMMENT = re.compile(r"""((?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?<!\s)%|[^%])*?)(?:\s%.*)?""", re.DOTALL)
_ESCAPED = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_LETTERS = {"n": "\n", "r": "\r", "t": "\t"}


class Broken(InputError):
    """The error in a line, without its place."""


def bare(word: str) -> str:
    """Return a name or a value without its quotation marks."""
    word = word.strip()
    if len(word) > 1 and word[0] == word[-1] and word[0] in "'\"":
        return _unescaped(word[1:-1])
    return word


def without_comment(line: str) -> str:
    """Strip blanks, and a comment: % at the start or after a blank, outside quotation marks, and the text behind it."""
    line = line.strip()
    if "%" not in line:
        return line
    found = _COMMENT.fullmatch(f" {line}")
    return line if found is None else found[1].strip()


def split_dense(line: str) -> list[str | None]:
    if "'" not in line and '"' not in line:
        words = [cell.strip() for cell in (line.split(",") if "," in line else line.split())]
        if any(cell.startswith("{") for cell in words):
            raise Broken("weights of examples, in braces behind a row, are not read; leave them out")
        return [None if cell == "?" else cell for cell in words]
    cells: list[str | None] = []
    position = 0
    while True:
        found = _CELL.match(line, position)
        if found is None:
            raise Broken(
                Sentence("a quotation mark does not fit near {cell}", cell=quoted(line[position : position + 30]))
            )
        cells.append(_value(found))
        position = found.end()
        if not found[4]:
            return cells


def _value(found: re.Match[str]) -> str | None:
    marked = found[1] if found[1] is not None else found[2]
    if marked is not None:
        return _unescaped(marked)
    return None if found[3] == "?" else found[3]


def split_sparse(line: str, many: int) -> dict[int, str | None]:
    """Return the values of a sparse row by position, counted from 0."""
    if not line.endswith("}"):
        raise Broken("a sparse row begins with { and ends with }")
    row: dict[int, str | None] = {}
    inside, position = line[1:-1], 0
    while inside[position:].strip():
        found = _PAIR.match(inside, position)
        if found is None:
            raise Broken(
                Sentence("{cell} is not: index value, index value, ...", cell=quoted(inside[position : position + 30]))
            )
        if len(found[1]) > 12 or int(found[1]) >= many:
            raise Broken(
                Sentence(
                    "index {cell} is past the last of {many} attributes; indices count from 0",
                    cell=quoted(found[1]),
                    many=many,
                )
            )
        if int(found[1]) in row:
            raise Broken(Sentence("index {index} occurs twice in one row", index=found[1]))
        row[int(found[1])] = None if found[2] == "?" else bare(found[2])
        position = found.end()
    return row


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(
        lambda found: chr(int(found[1][1:], 16)) if len(found[1]) > 1 else _LETTERS.get(found[1], found[1]), text
    )
