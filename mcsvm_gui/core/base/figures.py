"""Number formats: as many digits as are known, never a rounding that claims more than is true."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import datetime

NONE = "–"  # noqa: RUF001 - an en dash, as wide as a digit
SPACE = "\u202f"  # a narrow no-break space, between groups of digits and before units
SMALLEST_SHARE = 1e-8  # a relative gap below this is a rounding error of the numbers that it is computed from
ROUNDING = 1e-12  # a number closer to an end of its range counts as that end: quantiles and sums are rounded
CLOSEST = 100.0 * SMALLEST_SHARE  # a percentage or rating that is closer to an end of its range is shown as a bound


@dataclass(frozen=True)
class Notation:
    """The number format of a language."""

    point: str = "."
    percent: str = "%"  # with the preceding space, if there is one

    @classmethod
    def of_example(cls, example: str) -> Notation:
        """Derive the notation from the way a language writes 98.7%."""
        found = re.fullmatch(r"98(.)7(\s?)%", example)
        if found is None:
            raise ValueError(f"this does not show how 98.7% is written: {example}")
        return cls(found[1], f"{SPACE}%" if found[2] else "%")


_notation = Notation()
_TYPED = re.compile(r"\s*[+-]?\d*\.?\d*([eE^][+-]?\d*\.?\d*)?\s*")  # 0.125, 1e-3, 2^-3, or the beginning of one


def use_notation(notation: Notation) -> None:
    """Write numbers in this notation from now on."""
    global _notation
    _notation = notation


def localised(number: str) -> str:
    """Write a number, given with a decimal point, as the language writes it."""
    return number.replace(".", _notation.point)


def entered(text: str) -> str:
    """Return typed text with a decimal point: a single number may have the language's decimal mark."""
    return text.replace(_notation.point, ".") if _TYPED.fullmatch(text.replace(_notation.point, ".")) else text


def entry(text: str) -> str:
    """Write a single number as a user of the language types it; return any other text unchanged."""
    return localised(text) if _TYPED.fullmatch(text) else text


def _missing(value: float | None) -> bool:
    return value is None or math.isnan(value)


def unit(number: str, name: str) -> str:
    return f"{number}{SPACE}{name}"


# -- counts ---------------------------------------------------------------------------------------


def count(number: int | None) -> str:
    """Write a whole number with its digits in groups of three: 1 234 567."""
    return NONE if number is None else f"{number:,}".replace(",", SPACE)


def amount(number: float | None) -> str:
    """Write a number of rows as a count, and a sum of weights, which may be fractional, with six digits."""
    return count(number) if number is None or isinstance(number, int) else localised(f"{number:.6g}")


def short(number: float | None) -> str:
    """Write a number with three significant digits: 123, 12.3k, 4.56M."""
    if number is None or _missing(number):
        return NONE
    for name, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if abs(number) >= size * 0.9995:
            return _digits(number / size, 3) + name
    return f"{number:.0f}" if abs(number) >= 10 or number == int(number) else _digits(number, 2)


def rate(per_second: float | None) -> str:
    return NONE if per_second is None or _missing(per_second) else f"{short(per_second)}/s"


def size(octets: float | None) -> str:
    """Write a size in bytes: 512 B, 1.5 MB. The units are powers of 1000, as for disks."""
    if octets is None or _missing(octets):
        return NONE
    for name, length in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if octets >= length * 0.9995:
            return unit(_digits(octets / length, 3), name)
    return unit(f"{octets:.0f}", "B")


# -- times ----------------------------------------------------------------------------------------


def seconds(time: float | None) -> str:
    """Write a duration: 0.4 ms, 0.42 s, 12.3 s, 2 min 05 s, 1 h 12 min."""
    if time is None or _missing(time):
        return NONE
    if time <= 0.0:
        return unit("0", "s")
    if time < 0.0995:
        return unit(_digits(1e3 * time, 2), "ms")
    if time < 59.95:
        return unit(_digits(time, 3 if time >= 10.0 else 2), "s")
    return _long(time)


def _long(time: float) -> str:
    whole = round(time)
    if whole < 3600:
        return f"{unit(str(whole // 60), 'min')} {unit(f'{whole % 60:02d}', 's')}"
    minutes = round(time / 60.0)
    if minutes < 48 * 60:
        return f"{unit(str(minutes // 60), 'h')} {unit(f'{minutes % 60:02d}', 'min')}"
    return unit(count(round(time / 86400.0)), "d")


def remaining(time: float | None) -> str:
    """Write an estimated duration with one or two digits."""
    if time is None or _missing(time) or time > 30 * 86400.0:
        return NONE
    if time < 0.95:
        return f"<{unit('1', 's')}"
    if time < 90.0:
        return unit(f"{time:.0f}", "s")
    if time < 5400.0:
        return unit(f"{time / 60.0:.0f}", "min")
    return unit(f"{time / 3600.0:.0f}", "h") if time < 48 * 3600.0 else unit(f"{time / 86400.0:.0f}", "d")


def moment(created: str) -> str:
    """Write a UTC time in ISO format as local time."""
    return datetime.fromisoformat(created).astimezone().strftime("%Y-%m-%d %H:%M")


# -- shares ---------------------------------------------------------------------------------------


def percent(share: float | None, digits: int = 2) -> str:
    """Write a share with `digits` significant digits: 0.0007%, 12%; with more if it would read 0% or 100%."""
    if share is None or _missing(share):
        return NONE
    return with_sign(percent_number(share, _decimals(100.0 * share, digits)))


def accuracy(share: float | None, rows: int | None = None) -> str:
    """Write an accuracy: 97.3%, with more digits if it was measured on many rows; 100% only if no row is wrong."""
    return NONE if share is None or _missing(share) else with_sign(_accuracy_number(share, rows))


def interval(low: float, high: float, rows: int | None = None) -> str:
    """Write an interval of accuracies: 96.8–100%."""
    return with_sign(f"{_accuracy_number(low, rows)}{NONE}{_accuracy_number(high, rows)}")


def exact_percent(share: float) -> str:
    """Write a share that somebody typed, with all its digits: 30%, 2.5%."""
    return with_sign(localised(f"{100.0 * share:.9g}"))


def progress(done: float) -> str:
    """Write the finished share of some work in whole percent, rounded down: 100% means finished."""
    return with_sign(str(math.floor(100.0 * done + 1e-9) if done < 1.0 else 100))


def points(difference: float | None, *, signed: bool = False, decimals: int = 1) -> str:
    """Write the difference of two shares in percentage points, without a unit: 1.5, 0.04; 0 only if they are equal."""
    if difference is None or _missing(difference):
        return NONE
    number = percent_number(difference, decimals, ends=(-1.0, 0.0, 1.0))
    return f"+{number}" if signed and difference > 0.0 else number


def percent_number(share: float, decimals: int, ends: tuple[float, ...] = (0.0, 1.0)) -> str:
    """Write a share in percent without the percent sign; 0 and 100 only for exactly these values."""
    number = 100.0 * share
    for end in (-100.0, 0.0, 100.0):
        if abs(number - end) <= 100.0 * ROUNDING:
            return f"{end:.0f}"
    return _separate_from_ends(number, decimals, tuple(100.0 * end for end in ends))


def with_sign(number: str) -> str:
    return f"{number}{_notation.percent}"


def _accuracy_number(share: float, rows: int | None) -> str:
    return percent_number(share, 1 if rows is None else min(max(math.ceil(math.log10(rows)) - 2, 1), 3))


LOSSES = "log-loss", "cost"  # lower is better


def score(name: str, value: float | None) -> str:
    """Write a measure of the test rows: a share in percent, a loss as a number with three significant digits."""
    if name not in LOSSES:
        return accuracy(value)
    return NONE if value is None or _missing(value) else _digits(value, 3) if value else "0"


def spread(name: str, value: float) -> str:
    """Write the deviation of a measure over folds, without a unit."""
    return score(name, value) if name in LOSSES else points(value)


def rating(value: float | None, decimals: int = 4) -> str:
    """Write a measure whose best or worst value is 0 or 1 (F1, kappa, area, Brier score): 1 only if it is exactly 1."""
    if value is None or _missing(value):
        return NONE
    return _separate_from_ends(value, decimals, (0.0, 1.0))


def gap(relative: float | None) -> str:
    """Write a relative duality gap in percent; a negative gap is a rounding error and is written as 0%."""
    if relative is None or _missing(relative):
        return NONE
    return "∞" if math.isinf(relative) else percent(max(relative, 0.0))


# -- other numbers --------------------------------------------------------------------------------


def number(value: float | None, digits: int = 3, *, signed: bool = False) -> str:
    """Write a number with at most `digits` significant digits: 0.125, 1.2e-05."""
    if value is None or _missing(value):
        return NONE
    return localised(f"{value + 0.0:{'+' if signed else ''}.{digits}g}")  # the sum makes 0 of -0


def fixed(value: float | None, decimals: int) -> str:
    """Write a number with a fixed number of decimals."""
    return NONE if value is None or _missing(value) else localised(f"{value:.{decimals}f}")


def pair(x: float, y: float) -> str:
    """Write a point of a plane; a semicolon separates numbers that have decimal commas."""
    return f"{number(x)}{';' if _notation.point == ',' else ','} {number(y)}"


def p_value(p: float | None) -> str:
    """Write a p value with four decimals, or <0.0001."""
    if p is None or _missing(p):
        return NONE
    return f"<{localised('0.0001')}" if p < 1e-4 else fixed(p, 4)


def objective(value: float | None) -> str:
    """Write a primal or dual value with six digits."""
    return NONE if value is None or _missing(value) else localised(f"{value:.6g}")


def violation(value: float | None) -> str:
    return NONE if value is None or _missing(value) else localised(f"{value:.2g}")


def parameter(value: float | str | None) -> str:
    """Write a parameter exactly as it was set, so that a user can type it into a form: 0.125, 1e-07, 2^-10, scale."""
    if value is None or isinstance(value, str):
        return NONE if value is None else value
    if not math.isfinite(value):
        return NONE
    text = repr(int(value)) if float(value).is_integer() and abs(value) < 1e6 else repr(float(value))
    return _power(value) if len(text) > 6 and _power(value) else localised(text.removesuffix(".0"))


def brief_parameter(value: float | str | None) -> str:
    """Write a parameter for a narrow column: exactly if that is short, else with four digits."""
    exact = parameter(value)
    return exact if isinstance(value, str) or value is None or len(exact) <= 8 else number(value, 4)


def _power(value: float) -> str:
    """Write a power of two as 2^k; return an empty text for other numbers."""
    mantissa, exponent = math.frexp(value)
    return f"2^{exponent - 1}" if mantissa == 0.5 else ""


def _digits(value: float, digits: int) -> str:
    """Write a number with `digits` significant digits and no exponent; all digits before the point stay."""
    if value == 0.0 or math.isinf(value):
        return "0" if value == 0.0 else "∞"
    return localised(f"{value:.{_decimals(value, digits)}f}")


def _decimals(value: float, digits: int) -> int:
    """Return the number of decimals that shows `digits` significant digits of a number."""
    if value == 0.0 or math.isinf(value):
        return 0
    decimals = digits - 1 - math.floor(math.log10(abs(value)))
    rounded = round(value, decimals)
    if math.floor(math.log10(abs(rounded))) > math.floor(math.log10(abs(value))):
        decimals -= 1  # 9.96 became 10.0
    return min(max(decimals, 0), 15)


def _separate_from_ends(value: float, decimals: int, ends: tuple[float, ...]) -> str:
    """Write a number with at least `decimals` decimals, and with more if it would be rounded to one of the ends.

    A value that is closer to an end than `CLOSEST` is written as a bound: <0.000001, >99.999999.
    """
    if math.isinf(value):
        return "∞" if value > 0.0 else "-∞"
    for end in ends:
        if abs(value - end) <= ROUNDING:
            return localised(f"{end:.{decimals}f}")
        if abs(value - end) < CLOSEST:
            sign, bound = (">", end - CLOSEST) if value < end else ("<", end + CLOSEST)
            return localised(f"{sign}{bound:.6f}")
    while float(f"{value:.{decimals}f}") in ends:
        decimals += 1
    return localised(f"{value:.{decimals}f}")
