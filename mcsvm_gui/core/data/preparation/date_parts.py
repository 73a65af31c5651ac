"""Features of a date: numbers, and cycles as a point on a circle. Dates are seconds since 1970."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

DAY = 86_400.0
_MONDAY = 3  # the weekday of 1 January 1970, a Thursday


def _days(seconds: np.ndarray) -> np.ndarray:
    return np.floor(seconds / DAY)


def _calendar(seconds: np.ndarray, unit: str) -> np.ndarray:
    """Count whole years or months since 1970."""
    known = np.where(np.isnan(seconds), 0.0, _days(seconds)).astype("datetime64[D]")
    count = known.astype(f"datetime64[{unit}]").astype(np.int64).astype(np.float64)
    return np.where(np.isnan(seconds), np.nan, count)


def _weekday(seconds: np.ndarray) -> np.ndarray:
    """Return the day of the week; Monday is 0."""
    return np.mod(_days(seconds) + _MONDAY, 7.0)


def _time_of_day(seconds: np.ndarray) -> np.ndarray:
    """Return the time of day in hours."""
    return (seconds - DAY * _days(seconds)) / 3600.0


def _month(seconds: np.ndarray) -> np.ndarray:
    """Return the month; January is 0."""
    return np.mod(_calendar(seconds, "M"), 12.0)


_NUMBERS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "since": lambda seconds: seconds / DAY,
    "year": lambda seconds: _calendar(seconds, "Y") + 1970.0,
    "month": lambda seconds: _month(seconds) + 1.0,
    "weekday": lambda seconds: _weekday(seconds) + 1.0,
    "hour": lambda seconds: np.floor(_time_of_day(seconds)),
}
_CYCLES: dict[str, tuple[Callable[[np.ndarray], np.ndarray], float]] = {
    "month": (_month, 12.0),
    "weekday": (_weekday, 7.0),
    "hour": (_time_of_day, 24.0),
}
_WAVES = {"sin": np.sin, "cos": np.cos}
PARTS = (*_NUMBERS, *(f"{name} {wave}" for name in _CYCLES for wave in _WAVES))


def parts_of(wanted: Sequence[str]) -> tuple[str, ...]:
    """Return the features for a choice of DATE_PARTS: two for a cycle."""
    found: list[str] = []
    for word in wanted:
        name, _, cycle = word.partition("-")
        found += [f"{name} {wave}" for wave in _WAVES] if cycle else [name]
    return tuple(dict.fromkeys(found))


def part_of(seconds: np.ndarray, part: str) -> np.ndarray:
    name, _, wave = part.partition(" ")
    if not wave:
        return _NUMBERS[name](seconds)
    value, period = _CYCLES[name]
    return np.asarray(_WAVES[wave](2.0 * np.pi * value(seconds) / period))
