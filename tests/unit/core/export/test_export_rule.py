"""Rules of costs in exported files: kept where the format can hold them, refused in words where it cannot."""

from __future__ import annotations

import json
import runpy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from export_models import HERE, NO_COMPILER, NO_ONNX
from small_table import clouds

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.uncertainty.costs import CostRule, equal_costs
from mcsvm_gui.core.export import BY_COSTS, EXPORTERS, onnx
from mcsvm_gui.core.export.c.probabilities import DECIDED
from mcsvm_gui.core.export.flat_model import FlatModel, flat_model
from mcsvm_gui.core.export.onnx.graph import Graph
from mcsvm_gui.core.export.onnx.machine import winner_of
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import train
from mcsvm_gui.core.machine.trained import TrainedModel

DATA = clouds()
RULES = {
    "costs": CostRule.of(np.array([[0.0, 1.0, 8.0], [2.0, 0.0, 1.0], [1.0, 4.0, 0.0]])),
    "reject": CostRule.of(equal_costs(3), 0.7),
    "both": CostRule.of(np.array([[0.0, 1.0, 8.0], [2.0, 0.0, 1.0], [1.0, 4.0, 0.5]]), 0.5),
}


HOLDERS = [name for name in BY_COSTS if name != "onnx" or HERE]


def ruled(rule: CostRule, machine: str = "ww", method: str = "temperature") -> TrainedModel:
    trained = train(Request(machine=machine, C=2.0, gamma=0.5, calibrate=method), DATA).trained
    return replace(trained, rule=rule)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["temperature", "pairwise", "sigmoid"])
@pytest.mark.parametrize("machine", ["ww", "ovo"])
@pytest.mark.parametrize("name", RULES)
def test_files_decide_by_the_rule(name: str, machine: str, method: str, tmp_path: Path) -> None:
    trained = ruled(RULES[name], machine, method)
    expected = trained.predictions(DATA).labels.tolist()
    assert (None in expected) == (RULES[name].reject > 0.0)
    for form in HOLDERS:
        receipt = EXPORTERS[form].export(trained, tmp_path / f"m{EXPORTERS[form].suffix}", DATA)
        assert "every label as the model's" in receipt.sentence
        assert "Every probability is the model's within 1e-06." in receipt.sentence
    found = runpy.run_path(str(tmp_path / "m.py"))
    assert found["predict_all"](DATA.table.to_numpy().tolist()) == expected
    written = json.loads((tmp_path / "m.json").read_text())["costs"]
    assert written["costs"] == RULES[name].table.tolist()
    assert written["reject"] == RULES[name].reject


@pytest.mark.parametrize("name", [name for name in EXPORTERS if name not in BY_COSTS])
def test_other_formats_say_that_they_cannot_hold_it(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="decides by costs, which this format cannot hold; use one of json, "):
        EXPORTERS[name].export(ruled(RULES["costs"]), tmp_path / "m", DATA)
    assert not list(tmp_path.iterdir())


@NO_COMPILER
def test_a_file_that_forgets_the_rule_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The trial compares decisions, rejected rows too."""
    monkeypatch.setattr("mcsvm_gui.core.export.python.probabilities.rule", lambda plain: [])
    monkeypatch.setattr("mcsvm_gui.core.export.onnx.cheapest", lambda *_: "winner")
    monkeypatch.setattr("mcsvm_gui.core.export.onnx.winner_of", named_winner)
    monkeypatch.setitem(DECIDED, True, DECIDED[False])
    for form in HOLDERS:
        for name in ("costs", "reject") if form != "json" else ():
            with pytest.raises(InputError, match="the label"):
                EXPORTERS[form].export(ruled(RULES[name]), tmp_path / f"m{EXPORTERS[form].suffix}", DATA)
    assert not list(tmp_path.iterdir())


def named_winner(graph: Graph, plain: FlatModel, scores: str) -> str:
    return graph.add("Identity", winner_of(graph, plain, scores), name="winner")


@NO_ONNX
def test_onnx_says_a_text_that_is_no_class_where_it_rejects(tmp_path: Path) -> None:
    import onnxruntime

    trained = replace(ruled(RULES["reject"]), class_names=("", "b", "c"))
    (tmp_path / "m.onnx").write_bytes(onnx.written(flat_model(trained))[""])
    session = onnxruntime.InferenceSession(str(tmp_path / "m.onnx"))
    labels = session.run(["label"], {"features": DATA.table.to_numpy()})[0].tolist()
    assert session.get_modelmeta().custom_metadata_map["rejected"] == "'?'"
    expected = ["?" if label is None else label for label in trained.predictions(DATA).labels.tolist()]
    assert labels == expected
    assert "?" in labels


def test_support_vectors_stand_in_where_the_data_are_gone(tmp_path: Path) -> None:
    trained = ruled(RULES["both"])
    for name in HOLDERS:
        assert (
            "The support vectors are used in place of the training data"
            in EXPORTERS[name].export(trained, tmp_path / name).sentence
        )
