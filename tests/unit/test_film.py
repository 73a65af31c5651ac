"""The moving picture of README.md: what stands beside its curves."""

import numpy as np
import pytest
from film import Course, panel
from matplotlib.figure import Figure

from mcsvm_gui.core.base import figures


@pytest.mark.parametrize(("dual", "said"), [(0.02, "within 99.8%"), (9.0, "within 10%")])
def test_the_distance_from_the_optimum_is_a_plain_number(dual: float, said: str) -> None:
    course = Course(np.array([1.0, 2.0]), np.array([0.01, dual]), np.array([20.0, 10.0]))
    axis = Figure().subplots()
    panel(axis, "ww", course, course)
    assert [text.get_text().replace(figures.SPACE, " ") for text in axis.texts] == [said]
