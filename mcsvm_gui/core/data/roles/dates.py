"""Dates and times as people write them, in seconds since 1970 by the clock that they name; zones are ignored."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

_MONTHS = "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"
_NAME = rf"(?P<name>{'|'.join(_MONTHS)})[a-z]*\.?"
_TIME = (
    r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}(?:[.,][0-9]+)?))?"
    r"(?:\ ?(?P<half>[ap])\.?m\.?)?(?P<zone>\ ?z|\ ?[+-][0-9]{2}:?[0-9]{2})?"
)
_DAYS = [
    r"(?P<year>[0-9]{4})([-/.])(?P<month>[0-9]{1,2})\2(?P<day>[0-9]{1,2})",
    r"(?P<year>[0-9]{4})(?P<month>[0-9]{2})(?P<day>[0-9]{2})",
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})",
    r"(?P<first>[0-9]{1,2})(?P<mark>[-/.])(?P<then>[0-9]{1,2})(?P=mark)(?P<year>[0-9]{4}|[0-9]{2})",
    rf"(?P<day>[0-9]{{1,2}})[-\ .]{{1,2}}{_NAME}[-\ ,]{{0,2}}(?P<year>[0-9]{{4}}|[0-9]{{2}})",
    rf"{_NAME}[-\ ](?P<day>[0-9]{{1,2}}),?\ (?P<year>[0-9]{{4}})",
    r"(?P<year>[0-9]{4})-w(?P<week>[0-9]{2})(?:-(?P<weekday>[1-7]))?",
]
_FORMS = [re.compile(rf"{day}(?:(?:t|,?\ ){_TIME})?", re.IGNORECASE | re.ASCII) for day in _DAYS]
_FORMS.append(re.compile(_TIME, re.IGNORECASE | re.ASCII))
_START = datetime.datetime(1970, 1, 1)
_CENTURY = 69  # two digits from here on are of the last century, as in POSIX


class Dates(NamedTuple):
    seconds: np.ndarray  # NaN if the cell is not a date
    order: str  # dmy or mdy, if any date needed it
    zones: frozenset[str]  # that were ignored


class UndecidedError(ValueError):
    """Raised if neither dates nor user determine which number is the day and which the month, or if dates disagree."""


def dates(cells: Sequence[str], order: str = "") -> Dates:
    """Convert texts to dates. `order`: dmy or mdy, if it is known."""
    found = [_match(cell) for cell in cells]
    order = order or _order([one for one in found if one is not None and "first" in one])
    seconds = np.full(len(cells), np.nan)
    for place, parts in enumerate(found):
        if parts is not None:
            seconds[place] = _seconds(parts, order)
    zones = {parts["zone"].strip().lower() for parts in found if parts is not None and parts.get("zone")}
    return Dates(seconds, order, frozenset(zones))


def _match(cell: str) -> dict[str, str] | None:
    for form in _FORMS:
        match = form.fullmatch(cell)
        if match is not None:
            return {name: text for name, text in match.groupdict().items() if text is not None}
    return None


def _order(pairs: Sequence[dict[str, str]]) -> str:
    """Determine the order of day and month from dates such as 13/4/2024; with points the day comes first."""
    if not pairs:
        return ""
    shown = {"dmy" for one in pairs if one["mark"] == "." or int(one["first"]) > 12}
    shown |= {"mdy" for one in pairs if one["mark"] != "." and int(one["then"]) > 12}
    if len(shown) != 1:
        raise UndecidedError
    return shown.pop()


def _seconds(parts: dict[str, str], order: str) -> float:
    try:
        return (_moment(parts, order) - _START).total_seconds()
    except ValueError:
        return float("nan")


def _moment(parts: dict[str, str], order: str) -> datetime.datetime:
    """Return the moment of matched parts; raise ValueError if there is no such day or time."""
    day = _day(parts, order) if "year" in parts else _START
    hour, second = int(parts.get("hour", 0)), float(parts.get("second", "0").replace(",", "."))
    if half := parts.get("half", "").lower():
        if not 1 <= hour <= 12:
            raise ValueError(hour)
        hour = hour % 12 + (12 if half == "p" else 0)
    if hour > 23 or int(parts.get("minute", 0)) > 59 or second >= 61.0:
        raise ValueError(hour)
    return day + datetime.timedelta(hours=hour, minutes=int(parts.get("minute", 0)), seconds=second)


def _day(parts: dict[str, str], order: str) -> datetime.datetime:
    year = int(parts["year"])
    if len(parts["year"]) == 2:
        year += 1900 if year >= _CENTURY else 2000
    if "week" in parts:
        found = datetime.date.fromisocalendar(year, int(parts["week"]), int(parts.get("weekday", 1)))
        return datetime.datetime.combine(found, datetime.time())
    if "first" in parts:
        first, then = int(parts["first"]), int(parts["then"])
        day, month = (first, then) if order == "dmy" or parts["mark"] == "." else (then, first)
    else:
        name = parts.get("name", "").lower()
        month = _MONTHS.index(name) + 1 if name else int(parts["month"])
        day = int(parts.get("day", 1))
    return datetime.datetime(year, month, day)
