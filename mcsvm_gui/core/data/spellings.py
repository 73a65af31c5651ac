"""Decide when two labels are one class in two spellings, and choose its name, which is the same in every file."""

from __future__ import annotations

import math
import re
import unicodedata
from decimal import Decimal, InvalidOperation

import numpy as np

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WRITTEN_OUT = 20  # zeros; a number with more zeros is written with an exponent


def joined(label: str, *, case: bool = False) -> str:
    """Return the common spelling of a label: 1 for +1, 01, 1.0 and 1e0; text in composed letters (NFC).

    Runs of blanks become one blank; `case`: whether letters become small letters.
    """
    if _NUMBER.fullmatch(label):
        return number(label)
    text = " ".join(unicodedata.normalize("NFC", label).split())
    return unicodedata.normalize("NFC", text.casefold()) if case else text


def number(label: str) -> str:
    """Return the shortest exact spelling."""
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


def class_order(name: str) -> tuple[bool, float, str]:
    """Return the sort key of class names: numbers by value, then text by code point; "1" and "1.0" by spelling."""
    value = float(name) if _NUMBER.fullmatch(name) else math.inf
    return math.isinf(value), 0.0 if math.isinf(value) else value, name


def in_training_spelling(trained_names: tuple[str, ...], labels: np.ndarray) -> np.ndarray:
    """Return labels in the spelling of training, if only the spelling differs: +1 or 1.0 for the class 1."""
    spelled: dict[object, str | None] = {}
    for name in trained_names:
        value = _meaning(name)
        spelled[value] = None if value in spelled else name  # two classes may differ by spelling alone
    known = set(trained_names)
    found = {
        label: label if label in known else spelled.get(_meaning(label)) or label for label in set(labels.tolist())
    }
    result = np.empty(labels.size, dtype=object)
    result[:] = [found[label] for label in labels.tolist()]
    return result


def _meaning(name: str) -> object:
    order = class_order(name)
    return name.lower() if order[0] and name.lower() in ("true", "false") else name if order[0] else order[1]
