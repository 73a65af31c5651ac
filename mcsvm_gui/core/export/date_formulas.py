"""Parts of dates as formulas, which each format writes in its own way; sine and floor are the only functions.

Days become years and months as in Hinnant, "chrono-compatible low-level date algorithms" (civil_from_days): years begin
in March, so that the leap day is the last day of a year.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np

Formula: TypeAlias = Any  # ("+", a, b) with one of + - * /, ("floor", a), ("sin", a), a number, or SECONDS
SECONDS = "seconds"  # since 1970, in local time of the place where the date was noted
_DAY = 86_400.0


def _floor(a: Formula, by: float = 1.0) -> Formula:
    return ("floor", a if by == 1.0 else ("/", a, by))


def _rest(a: Formula, by: float) -> Formula:
    return ("-", a, ("*", _floor(a, by), by))


def _sum(*parts: Formula) -> Formula:
    first, *more = parts
    for part in more:
        first = ("+", first, part)
    return first


_DAYS = _floor(SECONDS, _DAY)
_HOURS = ("/", _rest(SECONDS, _DAY), 3600.0)
_SINCE_MARCH_0 = ("+", _DAYS, 719_468.0)
_CYCLE = _rest(_SINCE_MARCH_0, 146_097.0)  # days since a cycle of 400 years began
_LEAPS = _sum(_CYCLE, ("*", _floor(_CYCLE, 1460.0), -1.0), _floor(_CYCLE, 36_524.0))
_YEAR = _floor(("-", _LEAPS, _floor(_CYCLE, 146_096.0)), 365.0)
_OF_YEAR = ("-", _CYCLE, _sum(("*", _YEAR, 365.0), _floor(_YEAR, 4.0), ("*", _floor(_YEAR, 100.0), -1.0)))
_MONTH = _floor(_sum(("*", _OF_YEAR, 5.0), 2.0), 153.0)  # March is 0
_NUMBERS: dict[str, Formula] = {
    "since": ("/", SECONDS, _DAY),
    "year": _sum(_YEAR, ("*", _floor(_SINCE_MARCH_0, 146_097.0), 400.0), _floor(_MONTH, 10.0)),
    "month": ("+", _rest(("+", _MONTH, 2.0), 12.0), 1.0),
    "weekday": ("+", _rest(("+", _DAYS, 3.0), 7.0), 1.0),
    "hour": _floor(_HOURS),
}
_CYCLES: dict[str, tuple[Formula, float]] = {
    "month": (("-", _NUMBERS["month"], 1.0), 12.0),
    "weekday": (("-", _NUMBERS["weekday"], 1.0), 7.0),
    "hour": (_HOURS, 24.0),
}


def formula(part: str) -> Formula:
    """Return the formula of a part that `date_parts.PARTS` names."""
    name, _, wave = part.partition(" ")
    if not wave:
        return _NUMBERS[name]
    value, period = _CYCLES[name]
    angle = ("*", value, 2.0 * math.pi / period)
    return ("sin", angle if wave == "sin" else ("+", angle, 0.5 * math.pi))


def spelled(found: Formula, value: str) -> str:
    """Spell a formula in a syntax common to C, Python and people; `value` is the text for the seconds."""
    if found == SECONDS:
        return value
    if isinstance(found, float):
        return repr(found) if found >= 0.0 else f"({found!r})"
    operator, *parts = found
    inner = [spelled(part, value) for part in parts]
    return f"({inner[0]} {operator} {inner[1]})" if len(inner) == 2 else f"{operator}({inner[0]})"


_NUMPY: dict[str, Any] = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}
_NUMPY |= {"floor": np.floor, "sin": np.sin}


def evaluated(found: Formula, seconds: np.ndarray) -> np.ndarray:
    if found == SECONDS or isinstance(found, float):
        return seconds if found == SECONDS else np.asarray(found)
    operator, *parts = found
    return np.asarray(_NUMPY[operator](*(evaluated(part, seconds) for part in parts)))
