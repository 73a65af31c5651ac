"""Printed numbers: what they say is true, and they say no more."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.options import number

S = figures.SPACE
NAMES = "count short rate size seconds remaining per_cent accuracy gap objective violation parameter"
FIGURES = [getattr(figures, name) for name in NAMES.split()]
POSITIVE = st.floats(1e-12, 1e12)


@pytest.mark.parametrize("figure", FIGURES)
def test_what_is_not_known_is_a_dash(figure) -> None:  # type: ignore[no-untyped-def]
    assert figure(None) == figures.NONE


@pytest.mark.parametrize("figure", [figures.short, figures.seconds, figures.remaining, figures.gap, figures.accuracy])
def test_nan_is_a_dash(figure) -> None:  # type: ignore[no-untyped-def]
    assert figure(math.nan) == figures.NONE


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        (figures.count(1234567), f"1{S}234{S}567"),
        (figures.short(0), "0"),
        (figures.short(999.6), "1.00k"),
        (figures.short(12345), "12.3k"),
        (figures.rate(4_560_000), "4.56M/s"),
        (figures.size(512), f"512{S}B"),
        (figures.size(1_500_000), f"1.50{S}MB"),
        (figures.seconds(0.0004), f"0.40{S}ms"),
        (figures.seconds(0.42), f"0.42{S}s"),
        (figures.seconds(12.34), f"12.3{S}s"),
        (figures.seconds(59.97), f"1{S}min 00{S}s"),
        (figures.seconds(125), f"2{S}min 05{S}s"),
        (figures.seconds(3599.8), f"1{S}h 00{S}min"),
        (figures.seconds(4320), f"1{S}h 12{S}min"),
        (figures.remaining(0.2), f"<1{S}s"),
        (figures.remaining(44.4), f"44{S}s"),
        (figures.remaining(600), f"10{S}min"),
        (figures.gap(7e-6), f"0.00070{S}%"),
        (figures.gap(-1e-17), f"0{S}%"),
        (figures.gap(1e-12), f"<0.000001{S}%"),
        (figures.per_cent(0.1234), f"12{S}%"),
        (figures.accuracy(0.99999), f"99.999{S}%"),
        (figures.accuracy(0.9731, 1000), f"97.3{S}%"),
        (figures.accuracy(0.97312, 100_000), f"97.312{S}%"),
        (figures.parameter(0.125), "0.125"),
        (figures.parameter(2.0**-10), "2^-10"),
        (figures.parameter(4096.0), "4096"),
        (figures.parameter("scale"), "scale"),
    ],
)
def test_examples(printed: str, expected: str) -> None:
    assert printed == expected


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300))
def test_a_parameter_can_be_typed_again(value: float) -> None:
    assert number(figures.parameter(value)) == value


@given(st.floats(0.0, 1.0))
def test_only_what_is_perfect_says_so(share: float) -> None:
    printed = float(figures.accuracy(share).split(S)[0])
    assert (printed == 100.0) == (share == 1.0) or share > 1.0 - 1e-13
    assert (printed == 0.0) == (share == 0.0) or share < 1e-13


@given(POSITIVE, st.integers(1, 4))
def test_digits_are_those_of_the_number(value: float, digits: int) -> None:
    printed = float(figures.per_cent(value / 100.0, digits).split(S)[0])
    assert printed == pytest.approx(value, rel=0.51 * 10.0 ** (1 - digits), abs=1e-15)


@given(POSITIVE)
def test_short_keeps_three_digits(value: float) -> None:
    text = figures.short(value)
    factor = {"k": 1e3, "M": 1e6, "G": 1e9}.get(text[-1], 1.0)
    printed = float(text.rstrip("kMG")) * factor
    assert printed == pytest.approx(value, rel=0.051)


@given(st.integers(0, 10**15))
def test_a_count_loses_no_digit(value: int) -> None:
    assert int(figures.count(value).replace(S, "")) == value


@given(st.floats(60.0, 170_000.0))
def test_long_times_add_up(time: float) -> None:
    factors = {"s": 1, "min": 60, "h": 3600}
    words = figures.seconds(time).replace(S, " ").split()
    total = sum(int(words[i]) * factors[words[i + 1]] for i in range(0, len(words), 2))
    assert total == pytest.approx(time, abs=0.51 if time < 3599 else 31)
