"""A search in the window, by the command it shows and from an experiment file: the same numbers.

Halving by what errors cost, on weighted rows, folds that keep groups together, within a budget.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from journeys.hand import Hand
from journeys.test_tune_journey import tick
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QWidget
from small_data import blobs

from mcsvm_gui import cli

pytestmark = pytest.mark.slow

COSTS = "true,x,y,z\nx,0,1,1\ny,9,0,1\nz,1,2,0\n"
FORM = {"costFromEdit": "2^-2", "costToEdit": "2^4", "gammaFromEdit": "2^-4", "gammaToEdit": "2^2", "gridStepEdit": "1"}
EXPERIMENT = """
schema = 1
title = "The same"
[data.three]
path = "{path}"
read = {{ groups = "who", weights = "w" }}
[[run]]
data = "three"
label = "ovo"
machine = "ovo"
[run.search]
C = "2^-2:2^4"
gamma = "2^-4:2^2"
step = 1.0
folds = 5
search = "halving"
score = "cost"
budget = 900.0
costs = {{ x = {{ x = 0, y = 1, z = 1 }}, y = {{ x = 9, y = 0, z = 1 }}, z = {{ x = 1, y = 2, z = 0 }} }}
"""


def test_a_search_by_costs_is_the_same_everywhere(
    open_window: Callable[[], Hand], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = three_classes(tmp_path)
    hand = open_window()
    hand.work.open_data(str(path))
    hand.wait(lambda: hand.work.dataset is not None)
    hand.choose("groupsCombo", "who")
    hand.wait(lambda: hand.work.dataset.group_name == "who")
    hand.choose("weightsCombo", "w")
    hand.wait(lambda: hand.work.dataset.weight_name == "w")
    hand.go("Tune")
    tick(hand, "ovo")
    for name, text in FORM.items():
        hand.type(name, text)
    hand.choose("searchCombo", "halving")
    hand.choose("scoreCombo", "cost")
    hand.click("tuneMoreButton")
    hand.type("budgetEdit", "900")
    enter_costs(hand, tmp_path)
    hand.click("tuneStartButton")
    hand.wait(lambda: not hand.active and bool(hand.text("bestLabel")))
    shown = hand.window.assembly.page("tune")._shown
    ((machine, cell),) = shown.best().items()
    found = shown.results.cells[cell]

    hand.click("copyTuneCommandButton")
    told = command(capsys, *shlex.split(QGuiApplication.clipboard().text())[1:])
    assert (told["split"], told["budget"], told["search"]) == ("groups", 900.0, "halving")
    assert told["costs"]["y"] == {"x": 9.0, "y": 0.0, "z": 1.0}
    best = told["best"][machine]
    assert (best["C"], best["gamma"], best["mean"]) == (cell.C, cell.gamma, found.mean)
    known = {(one["C"], one["gamma"]): one["scores"]["cost"] for one in told["cells"] if one["share"] == 1.0}
    mine = {one: result for one, result in shown.results.cells.items() if result.share == 1.0}
    assert known == {(one.C, one.gamma): result.mean for one, result in mine.items()}
    assert len({one["share"] for one in told["cells"]}) > 1, "there was a rung of fewer rows"

    hand.choose("heatmapValueCombo", "accuracy")
    hand.choose("scoreCombo", "accuracy")
    hand.wait(lambda: "%" in hand.text("bestLabel"))
    assert not hand.active, "nothing is searched again"
    hand.close()

    (tmp_path / "same.toml").write_text(EXPERIMENT.format(path=path.name))
    (run,) = command(capsys, "run", str(tmp_path / "same.toml"))["runs"]
    assert run["search"]["score_mean"] == found.mean
    assert (run["C"], run["kernel"]["gamma"]) == (cell.C, cell.gamma)


def three_classes(folder: Path) -> Path:
    """Enough rows for a rung of a third of them."""
    rows, codes = blobs(n=420, classes=3, features=2, seed=4)
    noisy = rows + np.random.default_rng(1).normal(scale=1.2, size=rows.shape)
    table = pd.DataFrame(noisy, columns=["a", "b"]).assign(label=np.array(list("xyz"))[codes])
    table = table.assign(who=np.arange(420) // 7, w=1.0 + np.arange(420) % 3)
    table.to_csv(folder / "three.csv", index=False)
    return folder / "three.csv"


def enter_costs(hand: Hand, folder: Path) -> None:
    """From a file into the table, and from there into the form."""
    (folder / "costs.csv").write_text(COSTS)
    hand.click("tuneCostsButton")
    hand.click("openCostsButton")
    hand.answer_file(folder / "costs.csv")
    model = hand.find(QAbstractItemView, "costsDialogTable").model()
    assert model.index(1, 0).data() == "9"
    hand.click("takeCostsButton")
    hand.wait(lambda: hand.window.findChild(QWidget, "costsDialog") is None)
    assert json.loads(hand.find(QLineEdit, "tuneCostsEdit").text())["y"] == {"x": 9.0, "y": 0.0, "z": 1.0}


def command(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    capsys.readouterr()
    assert cli.main([*words, "--json", "--quiet"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found
