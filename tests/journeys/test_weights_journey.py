"""A column of weights, chosen in the window: the command line, an experiment and the estimator give the same."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from journeys.hand import Hand
from weighted_files import write

from mcsvm import MultiClassSVC
from mcsvm_gui import cli
from mcsvm_gui.core.data.readers import ReadOptions, open_dataset
from mcsvm_gui.core.data.splitting import split
from mcsvm_gui.core.experiment import Experiment
from mcsvm_gui.core.experiment.files import experiment_text
from mcsvm_gui.core.machine import model_file

pytestmark = pytest.mark.slow

NUMBERS = "certificate", "train_accuracy", "test_accuracy", "n_test", "n_support", "weights", "kernel"


@pytest.fixture
def weighted(tmp_path: Path) -> Path:
    return write(tmp_path)[0]


def test_weights_are_the_same_from_everywhere(
    open_window: Callable[[], Hand], weighted: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hand = open_window()
    hand.work.open_data(str(weighted))
    hand.wait(lambda: "4 features" in hand.text("dataSummary"))
    hand.choose("weightsCombo", "w")
    hand.wait(lambda: "weights 100 in all" in hand.text("dataSummary"))
    assert "3 features" in hand.text("dataSummary")
    hand.work.set_preparation(holdout=0.3)
    hand.go("Train")
    hand.choose("machineCombo", "cs")
    hand.type("gammaEdit", "0.5")  # "scale" of the estimator ignores weights, as scikit-learn's does
    asked = "--machine cs", "--gamma", "--weights w"
    hand.wait(lambda: all(option in hand.text("commandLabel") for option in asked))
    command = hand.text("commandLabel")
    hand.click("startButton")
    (run,) = hand.runs.ids()
    hand.wait(lambda: hand.runs.record(run).state == "done")
    record = hand.runs.record(run)
    document = {name: dict(record.document)[name] for name in NUMBERS}
    request = record.request
    hand.close()
    assert document["weights"]["left_out"] == 13

    program, *arguments = shlex.split(command)
    assert program == "mcsvm"
    model = tmp_path / "m.mcsvm"
    assert cli.main([*arguments, "--json", "--quiet", "--model", str(model)]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert {name: printed[name] for name in NUMBERS} == document

    experiment = tmp_path / "e.toml"
    experiment.write_text(experiment_text(Experiment.of_requests("x", [("one", request)])), "utf-8")
    assert cli.main(["run", str(experiment), "--json", "--quiet"]) == 0
    (replayed,) = json.loads(capsys.readouterr().out)["runs"]
    assert {name: replayed[name] for name in NUMBERS} == document

    trained, rows = model_file.load(model), open_dataset(weighted, ReadOptions(weights="w"))
    train = split(rows, request.holdout, request.seed, request.split)[0]
    features = trained.preparation.apply(train).rows
    estimator = MultiClassSVC(machine="cs", gamma=0.5).fit(features, train.labels, sample_weight=train.weights)
    numbers = dict(document["certificate"])
    assert numbers.pop("zero_within_rounding") is estimator.certificate_.is_zero
    assert {name: getattr(estimator.certificate_, name) for name in numbers} == pytest.approx(numbers, rel=1e-9)
