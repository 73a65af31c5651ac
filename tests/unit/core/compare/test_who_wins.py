"""Tables of comparisons say which side is better, and mark a best value only among several."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mcsvm_gui.core.compare.differences import table_of_tests
from mcsvm_gui.core.compare.measures import MEASURES, MeasureRow
from mcsvm_gui.core.evaluate.statistics import mcnemar
from mcsvm_gui.core.evaluate.statistics.result import TestResult


def words(result: TestResult) -> str:
    table = table_of_tests([result])
    place = next(place for place, heading in enumerate(table.headings) if str(heading.title) == "In words")
    return str(table.rows[0][place].text)


def test_a_significant_difference_names_the_winner() -> None:
    good, bad = np.arange(100) >= 2, np.arange(100) >= 40
    assert words(mcnemar(good, bad, ("ww 1", "ova 2"))[0]) == "ww 1 is better"
    assert words(mcnemar(bad, good, ("ww 1", "ova 2"))[0]) == "ova 2 is better"
    assert words(mcnemar(good, good, ("ww 1", "ova 2"))[0]) == "statistically tied"
    lead = TestResult("corrected resampled t", 5.0, 0.001, ("a", "b"), details={"mean_difference": -0.1, "folds": 5})
    assert words(lead) == "b is better"


@pytest.mark.parametrize(
    ("name", "values", "best"),
    [
        ("log_loss", (0.2, None, None), ()),  # the only one
        ("log_loss", (0.2, 0.3, None), (0,)),
        ("prediction", (1.42e-05, 1.38e-05, 1.44e-05), ()),  # all of them read 0.014 ms
        ("prediction", (1.42e-05, 1.38e-05, 9.0e-05), (0, 1)),
        ("accuracy", (0.9, 0.9, 0.8), (0, 1)),
    ],
)
def test_the_best_value_is_marked_among_several_that_read_differently(
    name: str, values: tuple[float | None, ...], best: tuple[int, ...]
) -> None:
    assert MeasureRow(MEASURES[name], values).best == best


def test_a_value_is_taken_from_its_side() -> None:
    side: Any = SimpleNamespace(row_seconds=0.5)
    assert MEASURES["prediction"].value(side) == 0.5


def test_a_pair_has_one_row_with_both_ways_to_compute_p() -> None:
    good, bad = np.ones(20, dtype=bool), np.arange(20) < 8
    exact, corrected = mcnemar(good, bad, ("ww 1", "ova 2"))
    table = table_of_tests([exact, corrected])
    assert len(table.rows) == 1
    assert [str(header.title) for header in table.headings][-1] == "p (chi-squared)"
    values = [cell.value for cell in table.rows[0]]
    assert values[-1] == corrected.p
    assert exact.p in values
    assert len(table_of_tests([corrected]).rows) == 1, "without the exact test it has a row of its own"
