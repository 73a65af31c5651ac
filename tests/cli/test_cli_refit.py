"""`--refit`: tested on held-out rows first, then trained on all of them; each number says which model it belongs to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mcsvm_gui import cli
from mcsvm_gui.core.base import resources

IRIS = str(resources.dataset("iris"))
MACHINE = "--machine", "ovo", "--C", "4", "--gamma", "0.5"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert cli.main([*arguments, "--json", "--quiet"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_delivered_model_is_trained_on_all_rows_and_the_tested_one_is_described(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    model, plain = tmp_path / "final.mcsvm", tmp_path / "plain.mcsvm"
    tested = run(capsys, "train", IRIS, *MACHINE, "--holdout", "0.3")
    whole = run(capsys, "train", IRIS, *MACHINE, "--model", str(plain))
    final = run(capsys, "train", IRIS, *MACHINE, "--holdout", "0.3", "--refit", "--model", str(model))
    assert final["n_train"] == whole["n_train"] == 150
    assert final["certificate"] == whole["certificate"]
    assert final["train_accuracy"] == whole["train_accuracy"]
    assert (final["test_accuracy"], final["n_test"]) == (tested["test_accuracy"], tested["n_test"])
    about = final["refit"]
    assert about["tested"]["n_train"] == tested["n_train"] == 105
    assert about["tested"]["test_accuracy"] == tested["test_accuracy"]
    assert about["tested"]["train_accuracy"] == tested["train_accuracy"]
    low, high = about["tested"]["interval"]
    assert low <= tested["test_accuracy"] <= high
    assert about["delivered"] == {"n_train": 150, "tested": False}
    assert "105 rows" in about["note"]
    assert "all 150 rows" in about["note"]
    verified = run(capsys, "verify", str(model), IRIS)
    assert verified["verified"]
    predictions = [run(capsys, "predict", str(path), IRIS)["predictions"] for path in (model, plain)]
    assert predictions[0] == predictions[1]


def test_the_words_keep_both_models_apart(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["train", IRIS, *MACHINE, "--holdout", "0.3", "--refit"]) == 0
    said = capsys.readouterr().out
    assert "The delivered model is trained on all 150 rows and was not tested itself." in said
    assert "trained on 105 rows" in said


@pytest.mark.parametrize("arguments", [["train", IRIS], ["tune", IRIS, "--C", "1", "--gamma", "1"]])
def test_without_held_out_rows_there_is_nothing_to_refit(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([*arguments, "--refit"]) == 2
    assert "--refit" in capsys.readouterr().err


def test_the_best_of_a_search_is_trained_on_all_rows(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    model = str(tmp_path / "best.mcsvm")
    search = "--machine", "ovo", "--C", "1:4", "--gamma", "0.5:1", "--test-share", "0.3"
    plain = run(capsys, "tune", IRIS, *search, "--model", model)
    final = run(capsys, "tune", IRIS, *search, "--model", model, "--refit")
    assert final["conclusion"] == plain["conclusion"]
    assert final["refit"]["tested"]["test_accuracy"] == plain["trained"][0]["test_accuracy"]
    assert final["refit"]["delivered"]["n_train"] == 150
    assert run(capsys, "verify", model, IRIS)["verified"]
