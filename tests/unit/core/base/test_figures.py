"""Printed numbers: what they say is true, and they say no more."""

from __future__ import annotations

import ast
import itertools
import math
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcsvm_gui.core.base import figures, i18n
from mcsvm_gui.core.base.i18n import translation
from mcsvm_gui.core.base.options import number

S = figures.SPACE
NAMES = "count short rate size seconds remaining percent accuracy gap objective violation parameter"
FIGURES = [getattr(figures, name) for name in NAMES.split()]
ROUNDING = figures.ROUNDING
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
        (figures.gap(7e-6), "0.00070%"),
        (figures.gap(-1e-17), "0%"),
        (figures.gap(1e-11), "<0.000001%"),
        (figures.percent(0.1234), "12%"),
        (figures.accuracy(0.99999), "99.999%"),
        (figures.accuracy(0.9731, 1000), "97.3%"),
        (figures.accuracy(0.97312, 100_000), "97.312%"),
        (figures.accuracy(0.9996), "99.96%"),
        (figures.accuracy(1.0), "100%"),
        (figures.accuracy(0.0), "0%"),
        (figures.accuracy(0.0004), "0.04%"),
        (figures.accuracy(1.0 - 1e-11), ">99.999999%"),
        (figures.accuracy(1.0 - 1e-16), "100%"),
        (figures.rating(1.0 - 1e-15), "1.0000"),
        (figures.percent(0.996), "99.6%"),
        (figures.percent(0.9996), "99.96%"),
        (figures.percent(1.0), "100%"),
        (figures.percent(1e-20), "0%"),
        (figures.percent(1e-10), "<0.000001%"),
        (figures.percent(1.75), "175%"),
        (figures.percent(1.0004), "100.04%"),
        (figures.percent(math.inf), "∞%"),
        (figures.percent(-0.012), "-1.2%"),
        (figures.interval(0.968, 1.0), "96.8\u2013100%"),
        (figures.interval(0.9996, 0.9999), "99.96\u201399.99%"),
        (figures.exact_percent(0.07), "7%"),
        (figures.exact_percent(0.125), "12.5%"),
        (figures.progress(0.999), "99%"),
        (figures.progress(1.0), "100%"),
        (figures.progress(0.29), "29%"),
        (figures.points(0.0004), "0.04"),
        (figures.points(-0.0004, signed=True), "-0.04"),
        (figures.points(0.0123, signed=True), "+1.2"),
        (figures.points(0.0), "0"),
        (figures.points(1.0 - 1e-5), "99.999"),
        (figures.rating(0.99996), "0.99996"),
        (figures.rating(0.9996, 3), "0.9996"),
        (figures.rating(1.0), "1.0000"),
        (figures.rating(0.00001), "0.00001"),
        (figures.rating(2.34567), "2.3457"),
        (figures.rating(math.nan), figures.NONE),
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
    printed = float(figures.accuracy(share).rstrip("%").lstrip("<>"))
    assert (printed == 100.0) == (1.0 - share <= ROUNDING)
    assert (printed == 0.0) == (share <= ROUNDING)


@given(st.floats(1e-5, 99.9), st.integers(1, 4))
def test_digits_are_those_of_the_number(value: float, digits: int) -> None:
    printed = float(figures.percent(value / 100.0, digits).rstrip("%").lstrip("<>"))
    assert printed == pytest.approx(value, rel=0.51 * 10.0 ** (1 - digits), abs=1e-6)


@given(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0))
def test_an_interval_and_a_difference_claim_no_end_they_do_not_reach(one: float, other: float) -> None:
    low, high = sorted((abs(one), abs(other)))
    printed = figures.interval(low, high).rstrip("%").split(figures.NONE)
    for value, text in zip((low, high), printed, strict=True):
        assert (text == "100") == (1.0 - value <= ROUNDING)
        assert (text == "0") == (value <= ROUNDING)
        assert float(text.lstrip("<>")) == pytest.approx(100.0 * value, abs=0.051)
    assert (float(figures.points(one - other).lstrip("<>")) == 0.0) == (abs(one - other) <= ROUNDING)


@given(st.floats(0.0, 1.0))
def test_a_rating_is_perfect_only_if_it_is(value: float) -> None:
    printed = figures.rating(value)
    assert (float(printed.lstrip("<>")) == 1.0) == (1.0 - value <= ROUNDING)
    assert (float(printed.lstrip("<>")) == 0.0) == (value <= ROUNDING)
    assert float(printed.lstrip("<>")) == pytest.approx(value, abs=5.1e-5)


def test_numbers_are_written_as_the_language_writes_them() -> None:
    i18n.install(translation.translations("de"))
    try:
        assert figures.accuracy(0.987) == f"98,7{S}%"
        assert figures.interval(0.968, 1.0) == f"96,8\u2013100{S}%"
        assert figures.seconds(0.42) == f"0,42{S}s"
        assert figures.size(1_500_000) == f"1,50{S}MB"
        assert figures.parameter(0.125) == "0,125"
        assert figures.number(-0.00123, signed=True) == "-0,00123"
        assert figures.number(1.5, signed=True) == "+1,5"
        assert figures.p_value(0.0321) == "0,0321"
        assert figures.p_value(1e-9) == "<0,0001"
        assert figures.pair(0.5, 1.5) == "0,5; 1,5"
    finally:
        i18n.install()
    assert figures.accuracy(0.987) == "98.7%"


@pytest.mark.parametrize(
    ("typed", "plain"),
    [("0,125", "0.125"), ("1,5e-3", "1.5e-3"), ("2^-0,5", "2^-0.5"), ("7", "7"), ("0.125", "0.125"), ("", "")],
)
def test_a_number_is_typed_as_the_language_writes_it(typed: str, plain: str) -> None:
    i18n.install(translation.translations("de"))
    try:
        assert figures.entered(typed) == plain
        assert figures.entry(plain) == typed.replace(".", ",")
    finally:
        i18n.install()
    assert figures.entry(plain) == figures.entered(plain) == plain


@pytest.mark.parametrize("text", ["scale", "a,b", '{"a": 0.5, "b": 2}', "1,2,3", "host.name:80", "balanced"])
def test_what_is_no_single_number_stays_as_it_was_typed(text: str) -> None:
    i18n.install(translation.translations("de"))
    try:
        assert figures.entered(text) == figures.entry(text) == text
    finally:
        i18n.install()


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300))
def test_a_parameter_that_is_shown_can_be_typed_again_in_german(value: float) -> None:
    i18n.install(translation.translations("de"))
    try:
        assert number(figures.entered(figures.parameter(value))) == value
    finally:
        i18n.install()


def test_numbers_in_a_sentence_are_written_as_the_language_writes_them() -> None:
    i18n.install(translation.translations("de"))
    try:
        assert i18n.tr("{number:.3g} of {name}", number=0.1254, name="a.csv") == "0,125 of a.csv"
    finally:
        i18n.install()
    assert i18n.tr("{number:.3g} of {name}", number=0.1254, name="a.csv") == "0.125 of a.csv"


def test_an_example_that_shows_no_notation_is_refused() -> None:
    with pytest.raises(ValueError, match=r"98\.7%"):
        figures.Notation.of_example("98%")


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


@pytest.mark.parametrize("path", sorted(Path("mcsvm_gui").rglob("*.py")), ids=str)
def test_percentages_are_written_here_alone(path: Path) -> None:
    """Elsewhere a share would be rounded to 100%, and written with a point in every language."""
    if path.parts[-2:] not in WRITES_PERCENT:
        assert list(percentages(ast.parse(path.read_text("utf-8")))) == []


SHOWN = *Path("mcsvm_gui/ui").rglob("*.py"), *Path("mcsvm_gui/core/compare").rglob("*.py")


@pytest.mark.parametrize("path", sorted(SHOWN), ids=str)
def test_fractions_are_written_here_alone(path: Path) -> None:
    """Elsewhere they would have a decimal point in every language."""
    if path.name != "first_look.py":  # a page in English
        assert list(fractions(ast.parse(path.read_text("utf-8")))) == []


def fractions(tree: ast.AST) -> Iterator[str]:
    """Yield each place where a number is formatted with a decimal point."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
            if re.search(r"[efgEFG]'$", ast.unparse(node.format_spec)):
                yield ast.unparse(node)
        elif isinstance(node, ast.Attribute) and node.attr == "format" and isinstance(node.value, ast.Constant):
            yield ast.unparse(node)


@pytest.mark.parametrize("code", ["f'{x:.3g}'", "f'{x + 1:+.2f}'", "f'{x:e}'", "'{:.4g}'.format"])
def test_a_fraction_that_is_written_elsewhere_is_seen(code: str) -> None:
    assert list(fractions(ast.parse(code)))


WRITES_PERCENT = ("base", "figures.py"), ("formats", "html.py")  # a style sheet is not read by people


def percentages(tree: ast.AST) -> Iterator[str]:
    """Yield each place where a number is followed by a percent sign."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FormattedValue) and ast.unparse(node).rstrip("'}").endswith("%"):
            yield ast.unparse(node)
        elif isinstance(node, ast.JoinedStr):
            for value, text in itertools.pairwise(node.values):
                if isinstance(value, ast.FormattedValue) and isinstance(text, ast.Constant):
                    yield from [ast.unparse(node)] * text.value.lstrip(" \u202f").startswith("%")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and re.search(r"\}\s?%", node.value):
            yield node.value


@pytest.mark.parametrize("code", ["f'{x:.1%}'", "f'{100 * x:.0f} %'", "f'{x}%'", "tr('{share} % of all', share=1)"])
def test_a_percentage_that_is_written_elsewhere_is_seen(code: str) -> None:
    assert list(percentages(ast.parse(code)))


def test_no_number_is_minus_zero() -> None:
    assert [figures.number(-0.0), figures.number(-0.0, signed=True)] == ["0", "+0"]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (1 / 13, "0.07692"),
        (0.125, "0.125"),
        (2.0**-10, "2^-10"),
        (3.0, "3"),
        ("scale", "scale"),
        (1e-7 / 3, "3.333e-08"),
    ],
)
def test_a_parameter_in_a_column_has_few_digits(value: float | str, words: str) -> None:
    assert figures.brief_parameter(value) == words
