"""When two labels are one class in two spellings, and how that class is then called: the same in every file."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal, InvalidOperation

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WRITTEN_OUT = 20  # zeros; a number that needs more is written with an exponent


def joined(label: str, *, case: bool = False) -> str:
    """1 of +1, 01, 1.0 and 1e0; text in composed letters (NFC) with single blanks, and on demand in small letters."""
    if _NUMBER.fullmatch(label):
        return number(label)
    text = " ".join(unicodedata.normalize("NFC", label).split())
    return unicodedata.normalize("NFC", text.casefold()) if case else text


def number(label: str) -> str:
    """The shortest exact spelling."""
    try:
        sign, digits, exponent = Decimal(label).as_tuple()
    except InvalidOperation:  # an exponent of twenty digits
        return label
    assert isinstance(exponent, int)
    significant = "".join(map(str, digits)).lstrip("0")
    short = significant.rstrip("0")
    if not short:
        return "0"
    exponent += len(significant) - len(short)
    front = "-" if sign else ""
    if 0 <= exponent <= _WRITTEN_OUT:
        return f"{front}{short}{'0' * exponent}"
    if -_WRITTEN_OUT <= exponent < 0:
        whole, part = short[:exponent], short[exponent:].rjust(-exponent, "0")
        return f"{front}{whole or '0'}.{part}"
    return f"{front}{short}e{exponent}"
