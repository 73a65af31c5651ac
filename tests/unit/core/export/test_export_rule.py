"""Rules of costs in exported files: kept where the format can hold them, refused in words where it cannot."""

from __future__ import annotations

import json
import runpy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_table import clouds

from mcsvm_gui.core.export import BY_COSTS, EXPORTERS
from mcsvm_gui.core.export.python import DRIVER
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import train
from mcsvm_gui.core.machine.trained import TrainedModel
from solvers.costs import CostRule, equal_costs
from solvers.errors import InputError

DATA = clouds()
RULES = {
    "costs": CostRule.of(np.array([[0.0, 1.0, 8.0], [2.0, 0.0, 1.0], [1.0, 4.0, 0.0]])),
    "reject": CostRule.of(equal_costs(3), 0.7),
    "both": CostRule.of(np.array([[0.0, 1.0, 8.0], [2.0, 0.0, 1.0], [1.0, 4.0, 0.5]]), 0.5),
}


def ruled(rule: CostRule, machine: str = "ww", method: str = "temperature") -> TrainedModel:
    trained = train(Request(machine=machine, C=2.0, gamma=0.5, calibrate=method), DATA).trained
    return replace(trained, rule=rule)


@pytest.mark.parametrize("method", ["temperature", "pairwise", "sigmoid"])
@pytest.mark.parametrize("machine", ["ww", "ovo"])
@pytest.mark.parametrize("name", RULES)
def test_files_decide_by_the_rule(name: str, machine: str, method: str, tmp_path: Path) -> None:
    trained = ruled(RULES[name], machine, method)
    expected = trained.predictions(DATA).labels.tolist()
    assert (None in expected) == (RULES[name].reject > 0.0)
    receipt = EXPORTERS["python"].export(trained, tmp_path / "m.py", DATA)
    assert "every label as the model's" in receipt.sentence
    found = runpy.run_path(str(tmp_path / "m.py"))
    assert found["predict_all"](DATA.table.to_numpy().tolist()) == expected
    receipt = EXPORTERS["json"].export(trained, tmp_path / "m.json", DATA)
    assert "every label as the model's" in receipt.sentence
    written = json.loads((tmp_path / "m.json").read_text())["costs"]
    assert written["costs"] == RULES[name].table.tolist()
    assert written["reject"] == RULES[name].reject


@pytest.mark.parametrize("name", [name for name in EXPORTERS if name not in BY_COSTS])
def test_other_formats_say_that_they_cannot_hold_it(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="decides by costs, which this format cannot hold; use json or python"):
        EXPORTERS[name].export(ruled(RULES["costs"]), tmp_path / "m", DATA)
    assert not list(tmp_path.iterdir())


def test_a_file_that_forgets_the_rule_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The trial compares decisions, rejected rows too."""
    monkeypatch.setattr("mcsvm_gui.core.export.python._ruled", lambda plain: [])
    assert ".get(label, -1)" in DRIVER
    for name in ("costs", "reject"):
        with pytest.raises(InputError, match="the label"):
            EXPORTERS["python"].export(ruled(RULES[name]), tmp_path / "m.py", DATA)
    assert not list(tmp_path.iterdir())


def test_support_vectors_stand_in_where_the_data_are_gone(tmp_path: Path) -> None:
    trained = ruled(RULES["both"])
    for name in BY_COSTS:
        assert "Support vectors stand in" in EXPORTERS[name].export(trained, tmp_path / name).sentence
