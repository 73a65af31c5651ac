"""Sets hold the class of a row as often as was asked for, in every class, over ten sets and ten splits."""

from __future__ import annotations

import numpy as np
import pytest
from ten_sets import TEN, opened

from mcsvm_gui.core.data.splitting import hold_out
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import train

SPLITS = 10


@pytest.mark.large
@pytest.mark.parametrize("error", [0.05, 0.2])
@pytest.mark.parametrize("name", TEN)
def test_every_class_is_covered_as_asked(name: str, error: float) -> None:
    data = opened(name)
    held, novel, counts, known = (np.zeros((SPLITS, len(data.classes))) for _ in range(4))
    for split in range(SPLITS):
        parts = hold_out(data.labels, 0.3, split)
        request = Request(C=8.0, calibrate="temperature", seed=split)
        trained = train(request, data.take(parts.train)).trained
        tested = data.take(parts.test)
        decided = trained.predictions(tested, sets=True)
        assert decided.p_values is not None
        assert decided.typical is not None
        for code, label in enumerate(data.classes):
            mine = tested.labels == label
            held[split, code] = (decided.p_values[mine, code] > error).sum()
            novel[split, code] = (decided.typical[mine] <= error).sum()
            counts[split, code] = mine.sum()
            known[split, code] = (data.labels[parts.train] == label).sum()
    rows = counts.mean(axis=0)
    room = 3.0 * np.sqrt(error * (1.0 - error) / rows) + 1.0 / (known.mean(axis=0) + 1.0)
    covered = held.sum(axis=0) / counts.sum(axis=0)
    assert (np.abs(covered - (1.0 - error)) <= room).all(), (covered, room)
    assert (novel.sum(axis=0) / counts.sum(axis=0) <= error + room).all(), "no more of its own rows are called novel"
