"""Readings of a training: packed for a project and back."""

from __future__ import annotations

import numpy as np
import pytest

from mcsvm_gui.core.machine.live import Reading, Readings


@pytest.mark.parametrize("examples", [float("nan"), 40.0])
def test_readings_come_back_from_a_project(examples: float) -> None:
    readings = Readings(3)
    for number in range(5):
        readings.append(Reading(number, 0.1 * number, 0.5, float("nan"), (1, number, 3), examples))
    again = Readings.unpack(readings.pack())
    for name, column in readings.table().items():
        np.testing.assert_array_equal(again.table()[name], column)
    again.append(Reading(9, 9.0, 0.5, 0.5, (1, 2, 3), 50.0))
    assert again.table()["examples"][-1] == 50.0


def test_projects_of_before_examples_were_counted_are_read() -> None:
    """A line of counters, then lines of iteration, seconds, two accuracies and one number per class."""
    packed = np.array([[1000.0, 1.0, 2.0, 0.0, 0.0, 0.0], [1, 0.1, 0.5, 0.4, 7, 8], [2, 0.2, 0.6, np.nan, 9, 10]])
    readings = Readings.unpack(packed)
    table = readings.table()
    np.testing.assert_array_equal(table["support_per_class"], [[7, 8], [9, 10]])
    np.testing.assert_array_equal(table["test_accuracy"], [0.4, np.nan])
    assert np.isnan(table["examples"]).all()
    readings.append(Reading(3, 0.3, 0.7, 0.5, (11, 12)))
    assert len(readings.table()["iteration"]) == 3
