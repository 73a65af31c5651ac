"""Holding out by class and by lot."""

from __future__ import annotations

import numpy as np
import pytest
from small_table import of_arrays

from mcsvm import InputError
from mcsvm_gui.core.data.splitting import hold_out, sample

LABELS = np.array(["a"] * 20 + ["b"] * 10 + ["single"], dtype=object)


def test_every_class_gives_its_share_and_keeps_one_row() -> None:
    train, test, notices = hold_out(LABELS, 0.3, 0)
    assert sorted([*train, *test]) == list(range(31))
    assert [(LABELS[test] == name).sum() for name in ("a", "b", "single")] == [6, 3, 0]
    assert "single" in notices[0].sentence
    tiny = hold_out(np.array(["a", "a", "b", "b"], dtype=object), 0.99, 0)
    assert [len(tiny.train), len(tiny.test)] == [2, 2]


def test_the_seed_decides_and_other_classes_do_not() -> None:
    assert hold_out(LABELS, 0.3, 5).test.tolist() == hold_out(LABELS, 0.3, 5).test.tolist()
    assert hold_out(LABELS, 0.3, 5).test.tolist() != hold_out(LABELS, 0.3, 6).test.tolist()
    without = hold_out(LABELS[:30], 0.3, 5)
    assert without.test.tolist() == hold_out(LABELS, 0.3, 5).test.tolist()


def test_shares_that_hold_nothing_are_refused() -> None:
    for share in (0.0, 1.0, -1.0, float("nan")):
        with pytest.raises(InputError, match="between 0 and 1"):
            hold_out(LABELS, share, 0)
    with pytest.raises(InputError, match="holds no row"):
        hold_out(LABELS, 0.001, 0)


def test_a_sample_has_the_same_share_of_each_class() -> None:
    data = of_arrays(np.arange(310.0)[:, None], np.array([0] * 200 + [1] * 100 + [2] * 10))
    some = sample(data, 31, seed=3)
    assert some.class_counts == (20, 10, 1)
    assert sample(data, 31, seed=3).digest == some.digest != sample(data, 31, seed=4).digest
    assert sample(data, 2, seed=0).class_counts == (1, 1, 1)
    assert sample(data, None, 0) is data
    assert sample(data, 310, 0) is data
