"""Many cells at once are written as each alone."""

from hypothesis import given
from hypothesis import strategies as some

from mcsvm_gui.core.base.writing import csv_cell, csv_cells


@given(some.lists(some.text(max_size=6) | some.sampled_from(["S-0001", "=1", "-5", "a,b", "1.5", "A_9", "x:y", "a\n"])))
def test_alike(texts: list[str]) -> None:
    assert csv_cells(texts) == [csv_cell(text) for text in texts]
