"""Classify one cell of text: a number in the one accepted spelling, a date, a word for "missing", or text.

NaN always means missing; "NA", "none" and similar words only among numbers, as elsewhere they may be names.
"""

from __future__ import annotations

import math
import re
from enum import Enum

BLANKS = " \t\n\r\f\v\u00a0"  # around a cell: the blanks that pandas skips around numbers, and one that is invisible
MISSING_WORDS = frozenset({"?", "na", "n/a", "#n/a", "<na>", "null", "none", "nil", "missing"})
NOT_A_NUMBER = frozenset({"nan", "-nan", "+nan", "1.#qnan", "1.#ind", "-1.#ind"})
_INFINITE = re.compile(r"[+-]?(?:inf|infinity|1\.#inf)")

_EXPONENT = r"(?:[eE][+-]?[0-9]+)?"
_NUMBERS = {
    mark: re.compile(rf"[+-]?(?:[0-9]+(?:{re.escape(mark)}[0-9]*)?|{re.escape(mark)}[0-9]+){_EXPONENT}")
    for mark in (".", ",")
}
# Numbers to a human, or to some other program: as text they would silently become categories.
_OTHER_SPELLINGS = re.compile(
    r"""[+-]?0[xX][0-9a-fA-F]+ | [+-]?0[bB][01]+ | [+-]?0[oO][0-7]+
    | [+-]?[0-9]+(?:_[0-9]+)+(?:\.[0-9]*)?
    | [+-]?[0-9]{1,3}(?:[.,'\u2019\u00a0\u202f\u2009\ ][0-9]{3})+(?:[.,][0-9]*)?
    | [+-]?[0-9]+[.,][0-9]*(?:[eE][+-]?[0-9]+)? | [+-]?[.,][0-9]+(?:[eE][+-]?[0-9]+)?
    | [+-]?[0-9.,]+[dD][+-]?[0-9]+ | [+-]?[0-9][0-9.,]*[eE][+-]?
    | [+-]?[0-9][0-9.,]*\ ?[%\u2030]
    | [+-]?\ ?[$\u20ac\u00a3\u00a5]\ ?[0-9][0-9.,]* | [+-]?[0-9][0-9.,]*\ ?[$\u20ac\u00a3\u00a5]
    | [\u2212\u2013\u2012][0-9.,]+ | \([0-9.,]+\) | [+-]\ +[0-9][0-9.,]* | (?:\+-|-\+|--|\+\+)[0-9][0-9.,]*
    | [+-]?[0-9.,]+[jJ]""",
    re.VERBOSE,
)
_OTHER_DIGITS = re.compile(r"[+-]?(?=[^0-9]*[^\W0-9])[\d.,]+")
_MONTHS = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_TIME = r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?(?:\ ?[ap]\.?m\.?)?(?:\ ?z|\ ?[+-][0-9]{2}:?[0-9]{2})?"
_DATES = re.compile(
    rf"""(?:[0-9]{{4}}([-/.])[0-9]{{1,2}}\1[0-9]{{1,2}} | [0-9]{{1,2}}([-/.])[0-9]{{1,2}}\2(?:[0-9]{{4}}|[0-9]{{2}})
    | [0-9]{{1,2}}[-\ .]{{1,2}}{_MONTHS}[-\ ,]{{0,2}}[0-9]{{2,4}} | {_MONTHS}[-\ ][0-9]{{1,2}},?\ [0-9]{{4}})
    (?:(?:[t]|,?\ ){_TIME})? | {_TIME} | [0-9]{{4}}-w[0-9]{{2}}(?:-[0-9])?""",
    re.VERBOSE | re.IGNORECASE,
)


class CellKind(Enum):
    EMPTY = "an empty cell"
    NUMBER = "a number"
    NAN = "NaN"
    INFINITE = "infinite"
    MARKER = "a word for missing"
    DATE = "a date or a time"
    ODD = "a number in another spelling"
    TEXT = "text"


def kind_of(cell: str, decimal: str = ".") -> CellKind:
    """Return the kind of a cell without blanks around it."""
    if not cell:
        return CellKind.EMPTY
    if _NUMBERS[decimal].fullmatch(cell):
        return CellKind.NUMBER if math.isfinite(value_of(cell, decimal)) else CellKind.INFINITE
    word = cell.lower()
    if word in NOT_A_NUMBER:
        return CellKind.NAN
    if _INFINITE.fullmatch(word):
        return CellKind.INFINITE
    if word in MISSING_WORDS:
        return CellKind.MARKER
    if _DATES.fullmatch(cell):
        return CellKind.DATE
    if len(cell) < 64 and (_OTHER_SPELLINGS.fullmatch(cell) or _OTHER_DIGITS.fullmatch(cell)):
        return CellKind.ODD
    return CellKind.TEXT


def value_of(cell: str, decimal: str = ".") -> float:
    """Convert a cell that the grammar accepts: float() alone would also take 1_000, nan and Arabic digits."""
    return float(cell if decimal == "." else cell.replace(decimal, "."))


def is_number(cell: str, decimal: str = ".") -> bool:
    return _NUMBERS[decimal].fullmatch(cell) is not None
