"""The lead of the predicted class in the list of rows is the quantity that the explanation of a row adds up to."""

from __future__ import annotations

import numpy as np
import pytest

from mcsvm_gui.core.base.resources import dataset
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.explain.looked_at import looked_at, one_row
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import train


@pytest.mark.parametrize("machine", ["ww", "ova", "ovo", "dag"])
def test_the_lead_is_the_difference_that_the_sentence_and_the_bars_show(machine: str) -> None:
    data = open_dataset(dataset("glass"))
    trained = train(Request(machine, gamma=1.0, C=1.0), data).trained
    found = looked_at(1, machine, trained, data, data)
    decision = trained.model.decision(trained.preparation.apply(data).rows)
    names = list(trained.class_names)
    pairs = [(a, b) for a in range(len(names)) for b in range(a + 1, len(names))]
    for place in np.argsort(found.margins)[:4].tolist():
        one = one_row([found], place)
        assert one is not None
        winner, other = one.winner, one.runner_up
        assert found.decided[place] == names[winner]
        if machine in ("ovo", "dag"):
            value = decision[place, pairs.index((min(winner, other), max(winner, other)))]
            expected = value if winner < other else -value
        else:
            expected = decision[place, winner] - decision[place, other]
        assert found.margins[place] == pytest.approx(expected, abs=1e-12)
        explained = one.explained[0][1]
        mean, at_row = explained.pair_ends(0, winner, other)
        assert found.margins[place] == pytest.approx(at_row, abs=1e-9)
        assert mean + explained.of_pair(0, winner, other).sum() == pytest.approx(at_row, abs=1e-9)
