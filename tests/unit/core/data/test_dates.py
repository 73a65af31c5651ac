"""Dates as people write them, and their parts, against Python's own calendar."""

from __future__ import annotations

import datetime
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcsvm_gui.core.data.preparation.date_parts import part_of
from mcsvm_gui.core.data.roles.dates import UndecidedError, dates

MOMENTS = st.datetimes(datetime.datetime(1600, 1, 1), datetime.datetime(2999, 12, 31)).map(
    lambda when: when.replace(microsecond=0)
)
WRITTEN = [
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%dT%H:%M:%SZ",
    "%d.%m.%Y %H:%M:%S",
    "%d %b %Y %I:%M:%S %p",
    "%B %d, %Y %H:%M:%S",
    "%Y/%m/%d, %H:%M:%S+02:00",
]


def seconds(when: datetime.datetime) -> float:
    return (when - datetime.datetime(1970, 1, 1)).total_seconds()


@given(MOMENTS, st.sampled_from(WRITTEN))
def test_dates_are_the_seconds_that_python_counts(when: datetime.datetime, form: str) -> None:
    text = when.strftime(form).replace(when.strftime("%Y"), f"{when.year:04}")
    assert dates([text]).seconds[0] == seconds(when)


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("2024-W01-3", "2024-01-03"),
        ("20240229", "2024-02-29"),
        ("2024-05", "2024-05-01"),
        ("3.4.69", "1969-04-03"),
        ("3.4.68", "2068-04-03"),
        ("12:30 am", "1970-01-01 00:30:00"),
        ("2024-01-01 23:59:60", "2024-01-02"),
    ],
)
def test_other_spellings(cell: str, expected: str) -> None:
    assert dates([cell]).seconds[0] == seconds(datetime.datetime.fromisoformat(expected))


@pytest.mark.parametrize(
    "cell", ["2023-02-29", "2024-13-01", "25:00", "13:00 pm", "0000-01-01", "2024-1/2", "٢٠٢٤-01-01"]
)
def test_what_is_no_date(cell: str) -> None:
    assert math.isnan(dates([cell]).seconds[0])


def test_day_and_month_are_told_by_the_column_or_not_at_all() -> None:
    first, second = seconds(datetime.datetime(2024, 4, 3)), seconds(datetime.datetime(2024, 3, 4))
    assert dates(["3/4/2024", "13/4/2024"]).seconds[0] == first
    assert dates(["3/4/2024", "4/13/2024"]).seconds[0] == second
    assert dates(["3/4/2024"], "mdy") == (pytest.approx([second]), "mdy", frozenset())
    for cells in (["3/4/2024"], ["13/4/2024", "4/13/2024"]):
        with pytest.raises(UndecidedError):
            dates(cells)


@given(st.lists(MOMENTS, min_size=1))
def test_parts_are_those_of_the_calendar(moments: list[datetime.datetime]) -> None:
    held = np.array([seconds(when) for when in moments])
    expected = {
        "year": [when.year for when in moments],
        "month": [when.month for when in moments],
        "weekday": [when.isoweekday() for when in moments],
        "hour": [when.hour for when in moments],
        "month cos": [math.cos(2 * math.pi * (when.month - 1) / 12) for when in moments],
        "weekday sin": [math.sin(2 * math.pi * (when.isoweekday() - 1) / 7) for when in moments],
    }
    for part, values in expected.items():
        assert part_of(held, part) == pytest.approx(values, abs=1e-12)
    assert np.isnan(part_of(np.array([np.nan]), "month sin")).all()
