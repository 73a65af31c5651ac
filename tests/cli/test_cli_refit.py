"""`--refit`: tested on held-out rows first, then trained on all of them; each number says which model it belongs to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
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


VOWEL, TEST = str(resources.dataset("vowel_train")), str(resources.dataset("vowel_test"))


def test_after_a_test_on_a_file_the_rows_of_both_files_are_trained_on(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The oracle is a training on a file that holds the rows of both."""
    both, model, plain = tmp_path / "both.csv", tmp_path / "final.mcsvm", tmp_path / "plain.mcsvm"
    pd.concat([pd.read_csv(VOWEL), pd.read_csv(TEST)]).to_csv(both, index=False)
    tested = run(capsys, "train", VOWEL, *MACHINE, "--test", TEST)
    whole = run(capsys, "train", str(both), *MACHINE, "--model", str(plain))
    final = run(capsys, "train", VOWEL, *MACHINE, "--test", TEST, "--refit", "--model", str(model))
    assert final["n_train"] == whole["n_train"] == tested["n_train"] + tested["n_test"]
    assert final["certificate"] == pytest.approx(whole["certificate"])
    assert (final["test_accuracy"], final["n_test"]) == (tested["test_accuracy"], tested["n_test"])
    about = final["refit"]["tested"]
    assert (about["holdout"], about["test"], about["n_train"]) == (None, TEST, tested["n_train"])
    low, high = about["interval"]
    assert low < tested["test_accuracy"] < high
    predictions = [run(capsys, "predict", str(path), TEST)["predictions"] for path in (model, plain)]
    assert predictions[0] == predictions[1]
    assert run(capsys, "evaluate", str(model), TEST)["n_trained_on"] == tested["n_test"]
    assert run(capsys, "verify", str(model), VOWEL)["verified"]
    exported = run(capsys, "export", str(model), "--to", "json", "-o", str(tmp_path / "m.json"))
    assert f"{final['n_train']} training rows" in " ".join(exported["checks"])


def test_columns_of_the_test_file_may_stand_in_another_order(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    test, model = tmp_path / "test.csv", tmp_path / "m.mcsvm"
    table = pd.read_csv(TEST)
    table[list(reversed(table.columns))].assign(more=1).to_csv(test, index=False)
    final = run(capsys, "train", VOWEL, *MACHINE, "--test", str(test), "--refit", "--model", str(model))
    usual = run(capsys, "train", VOWEL, *MACHINE, "--test", TEST, "--refit")
    assert final["certificate"] == usual["certificate"]
    assert run(capsys, "verify", str(model), VOWEL)["verified"]


def test_rows_that_cannot_be_trained_on_are_refused_before_the_first_training(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    unknown, unlabelled = tmp_path / "unknown.csv", tmp_path / "unlabelled.csv"
    table = pd.read_csv(TEST)
    table.assign(label="new").to_csv(unknown, index=False)
    table.drop(columns="label").to_csv(unlabelled, index=False)
    for path, sentence in (
        (unknown, "it has rows of the class 'new', which"),
        (unlabelled, "its rows have no classes, so that no model can be trained on them"),
    ):
        assert cli.main(["train", VOWEL, "--test", str(path), "--refit", "--model", str(tmp_path / "m.mcsvm")]) == 2
        assert sentence in capsys.readouterr().err
    assert not (tmp_path / "m.mcsvm").exists()


def test_a_stopped_training_is_continued_and_then_trained_on_all_rows(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    cut, whole = tmp_path / "cut.mcsvm", tmp_path / "whole.mcsvm"
    words = "train", IRIS, *MACHINE, "--solver", "smo", "--holdout", "0.3"
    assert cli.main([*words, "--max-iter", "5", "--model", str(cut), "--quiet"]) == 3
    continued = run(capsys, "train", "--continue", str(cut), "--refit")
    usual = run(capsys, *words, "--refit", "--model", str(whole))
    assert continued["refit"] == usual["refit"]
    assert cut.read_bytes() == whole.read_bytes()
    assert cli.main(["train", "--continue", str(cut), "--tol", "1e-6", "--refit"]) == 2
    assert "trained on all rows already" in capsys.readouterr().err


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
