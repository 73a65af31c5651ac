"""Decisions by cost and rejection, from training to prediction, beside arithmetic on printed probabilities."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import mcsvm
from sklearn import metrics

from mcsvm_gui.core.data.costs import CostTable, read_costs
from mcsvm_gui.core.experiment import Experiment, write_experiment
from mcsvm_gui.core.machine.request import Request

COSTS = ",class 2,class 0,class 1\nclass 2,0,1,4\nclass 0,8,0,1\nclass 1,1,2,0\n"
TABLE = np.array([[0, 1, 8], [2, 0, 1], [1, 4, 0]])  # in the order of the classes


@pytest.fixture
def costs(tmp_path: Path) -> Path:
    path = tmp_path / "costs.csv"
    path.write_text(COSTS)
    return path


@pytest.fixture
def calibrated(blobs: Path, tmp_path: Path) -> Path:
    path = tmp_path / "calibrated.mcsvm"
    assert mcsvm("train", blobs, "--calibrate", "temperature", "--model", path, "--quiet").code == 0
    return path


@pytest.fixture
def ruled(blobs: Path, costs: Path, tmp_path: Path) -> Path:
    path = tmp_path / "ruled.mcsvm"
    answer = mcsvm("train", blobs, "--calibrate", "temperature", "--costs", costs, "--model", path, "--json")
    assert answer.document["rule"] == {"costs": TABLE.tolist(), "reject": 0.0}
    costs.unlink()  # the model needs it no more
    return path


def printed(model: Path, data: Path, *more: object) -> tuple[list[str], np.ndarray, list[str | None]]:
    found = mcsvm("predict", model, data, "--proba", "--json", *more).document
    return found["classes"], np.array(found["probabilities"]), found["predictions"]


def test_a_model_decides_by_its_costs(ruled: Path, calibrated: Path, other: Path) -> None:
    classes, shares, decided = printed(ruled, other)
    assert decided == [classes[number] for number in (shares @ TABLE).argmin(axis=1)]
    _, same, most_probable = printed(calibrated, other)
    np.testing.assert_array_equal(same, shares)
    assert most_probable == [classes[number] for number in shares.argmax(axis=1)]
    assert decided != most_probable


@pytest.mark.parametrize("least", ["0.5", "0.8"])
def test_rows_whose_class_is_not_probable_enough_are_rejected(
    least: str, ruled: Path, calibrated: Path, other: Path, tmp_path: Path
) -> None:
    for model, table in ((ruled, TABLE), (calibrated, 1 - np.eye(3))):
        classes, shares, decided = printed(model, other, "--reject", least)
        best = (shares @ table).argmin(axis=1)
        sure = shares[np.arange(len(best)), best] >= float(least)
        assert decided == [classes[number] if kept else None for number, kept in zip(best, sure, strict=True)]
        found = mcsvm("predict", model, other, "--reject", least, "--json", "-o", tmp_path / "p.csv").document
        assert found["rejected"] == (~sure).sum() > 0
        assert found["n_scored"] == sure.sum()
        assert pd.read_csv(tmp_path / "p.csv")["prediction"].isna().tolist() == (~sure).tolist()
        assert f"warning: {(~sure).sum()} row" in mcsvm("predict", model, other, "--reject", least).err


def test_evaluation_is_of_probabilities_and_of_decisions_by_cost(
    ruled: Path, calibrated: Path, costs: Path, other: Path
) -> None:
    classes, shares, decided = printed(ruled, other)
    true = pd.read_csv(other)["label"]
    found = mcsvm("evaluate", ruled, other, "--json").document
    right = (true.to_numpy()[:, None] == np.array(classes)).astype(float)
    assert found["log_loss"] == pytest.approx(metrics.log_loss(true, shares), abs=1e-12)
    assert found["brier"] == pytest.approx(((shares - right) ** 2).sum(axis=1).mean(), abs=1e-12)
    assert found["roc_auc"]["macro"] == pytest.approx(
        metrics.roc_auc_score(true, shares, multi_class="ovr", labels=classes), abs=1e-12
    )
    confusion = metrics.confusion_matrix(true, decided)
    assert found["confusion"] == confusion.tolist()
    assert found["expected_cost"] == pytest.approx((confusion * TABLE).sum() / len(true))
    assert {"log_loss", "brier", "ece", "expected_cost"} <= found["intervals"].keys()
    parts = found["brier_parts"]
    assert parts["miscalibration"] - parts["discrimination"] + parts["uncertainty"] == pytest.approx(found["brier"])
    assert sum(one["rows"] for one in found["reliability"]) == pytest.approx(90)


def test_costs_given_to_evaluate_are_decided_by(ruled: Path, calibrated: Path, tmp_path: Path, other: Path) -> None:
    (tmp_path / "again.csv").write_text(COSTS)
    given = mcsvm("evaluate", calibrated, other, "--costs", tmp_path / "again.csv", "--json").document
    own = mcsvm("evaluate", ruled, other, "--json").document
    assert given == own
    assert mcsvm("evaluate", calibrated, other, "--json").document["expected_cost"] is None


def test_folds_decide_by_the_rule_of_the_model(ruled: Path, calibrated: Path, blobs: Path, tmp_path: Path) -> None:
    (tmp_path / "again.csv").write_text(COSTS)
    own = mcsvm("evaluate", ruled, blobs, "--folds", "3", "--json").document
    given = mcsvm("evaluate", calibrated, blobs, "--folds", "3", "--costs", tmp_path / "again.csv", "--json").document
    assert own == given
    assert own["log_loss"] > 0.0
    assert own["expected_cost"] == pytest.approx((np.array(own["confusion"]) * TABLE).sum() / 60)


def test_words_and_reports_have_what_probabilities_add(ruled: Path, other: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    words = mcsvm("evaluate", ruled, other, "--report", tmp_path / "r.html").out
    for title in ("Log loss", "Brier score", "Calibration error", "Mean cost"):
        assert title in words
    content = (tmp_path / "r.html").read_text("utf-8")
    assert content.count("<svg") == 3
    for words in ("Reliability of the most probable class", "Miscalibration", "Mean cost"):
        assert words in content


@pytest.mark.parametrize("least", ["1", "-0.1", "nan", "often"])
def test_what_is_no_probability_gets_a_sentence(least: str, calibrated: Path, other: Path, tmp_path: Path) -> None:
    out = tmp_path / "p.csv"
    assert "reject" in mcsvm("predict", calibrated, other, f"--reject={least}", "-o", out).complaint
    assert not out.exists()


def test_costs_and_rejection_need_probabilities(
    model: Path, blobs: Path, other: Path, costs: Path, tmp_path: Path
) -> None:
    assert "no probabilities" in mcsvm("predict", model, other, "--reject", "0.5").complaint
    out = tmp_path / "new.mcsvm"
    answer = mcsvm("train", blobs, "--costs", costs, "--model", out)
    assert "decisions by cost need probabilities" in answer.complaint
    costs.write_text(",class 0,class 1\nclass 0,0,1\nclass 1,1,0\n")
    answer = mcsvm("train", blobs, "--calibrate", "temperature", "--costs", costs, "--model", out)
    assert "there are no costs for class 2" in answer.complaint
    assert not out.exists()


def test_training_accuracy_is_of_decisions_by_cost(blobs: Path, costs: Path) -> None:
    found = mcsvm("train", blobs, "--calibrate", "temperature", "--costs", costs, "--json", "--test", blobs).document
    assert found["train_accuracy"] == found["test_accuracy"]


def test_an_experiment_file_holds_the_costs(blobs: Path, costs: Path, tmp_path: Path) -> None:
    """In itself: the file they came from may be gone."""
    table = CostTable(("class 2", "class 0", "class 1"), ((0.0, 1.0, 4.0), (8.0, 0.0, 1.0), (1.0, 2.0, 0.0)))
    assert read_costs(costs) == table
    request = Request(data=str(blobs), holdout=0.3, calibrate="temperature", costs=table)
    path = tmp_path / "experiment.toml"
    write_experiment(path, Experiment.of_requests("with costs", [("ruled", request)]))
    (run,) = mcsvm("run", path, "--json").document["runs"]
    expected = mcsvm("train", blobs, "--holdout", "0.3", "--calibrate", "temperature", "--costs", costs, "--json")
    for name in ("rule", "test_accuracy", "train_accuracy", "calibration"):
        if name == "calibration":
            assert run[name]["temperature"] == expected.document[name]["temperature"]
        else:
            assert run[name] == expected.document[name]
