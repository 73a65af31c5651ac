"""mcsvm evaluate: the numbers of scikit-learn on what `mcsvm predict` prints, and what cannot be evaluated."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import mcsvm
from sklearn import metrics
from sklearn.model_selection import StratifiedKFold

from mcsvm_gui.core.report import FORMATS

COSTS = ",class 0,class 1,class 2\nclass 0,0,1,8\nclass 1,2,0,1\nclass 2,1,4,0\n"
TABLE = np.array([[0, 1, 8], [2, 0, 1], [1, 4, 0]])


def test_numbers_are_scikit_learns_on_printed_scores(model: Path, other: Path) -> None:
    found = mcsvm("evaluate", model, other, "--json").document
    printed = mcsvm("predict", model, other, "--scores", "--json").document
    true, scores = pd.read_csv(other)["label"], np.array(printed["scores"])
    assert found["n"] == 90
    assert found["accuracy"] == pytest.approx(metrics.accuracy_score(true, printed["predictions"]), abs=1e-12)
    assert found["kappa"] == pytest.approx(metrics.cohen_kappa_score(true, printed["predictions"]), abs=1e-12)
    assert found["confusion"] == metrics.confusion_matrix(true, printed["predictions"]).tolist()
    for number, name in enumerate(printed["classes"]):
        one = true == name, scores[:, number]
        assert found["roc_auc"][name] == pytest.approx(metrics.roc_auc_score(*one), abs=1e-12)
        assert found["average_precision"][name] == pytest.approx(metrics.average_precision_score(*one), abs=1e-12)
    assert found["roc_auc"]["macro"] == pytest.approx(np.mean([found["roc_auc"][n] for n in printed["classes"]]))
    assert [found[name] for name in ("log_loss", "brier", "ece", "expected_cost")] == [None] * 4
    low, high = found["intervals"]["accuracy"]
    assert low < found["accuracy"] < high
    assert {"balanced_accuracy", "macro_f1", "kappa", "roc_auc: macro"} <= found["intervals"].keys()


def test_folds_train_the_request_anew(blobs: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.mcsvm"
    mcsvm("train", blobs, "--model", model, "--C", "4", "--machine", "ovo", "--holdout", "0.3")
    found = mcsvm("evaluate", model, blobs, "--folds", "4", "--json").document
    table = pd.read_csv(blobs)
    decided = np.empty(len(table), dtype=object)
    splitter = StratifiedKFold(4, shuffle=True, random_state=0)
    for train, test in splitter.split(table, table["label"]):
        table.iloc[train].to_csv(tmp_path / "train.csv", index=False)
        table.iloc[test].to_csv(tmp_path / "test.csv", index=False)
        part = tmp_path / "part.mcsvm"
        mcsvm("train", tmp_path / "train.csv", "--model", part, "--C", "4", "--machine", "ovo")
        decided[test] = mcsvm("predict", part, tmp_path / "test.csv", "--json").document["predictions"]
    assert found["folds"] == 4
    assert found["n"] == 60
    assert found["confusion"] == metrics.confusion_matrix(table["label"], decided).tolist()


def test_costs_are_counted_where_there_are_no_probabilities(model: Path, other: Path, tmp_path: Path) -> None:
    (tmp_path / "costs.csv").write_text(COSTS)
    found = mcsvm("evaluate", model, other, "--costs", tmp_path / "costs.csv", "--json").document
    assert found["expected_cost"] == pytest.approx((np.array(found["confusion"]) * TABLE).sum() / 90)
    assert "expected_cost" in found["intervals"]
    folds = mcsvm("evaluate", model, other, "--costs", tmp_path / "costs.csv", "--folds", "3", "--json").document
    assert folds["expected_cost"] == pytest.approx((np.array(folds["confusion"]) * TABLE).sum() / 90)


def test_words_say_what_there_is(model: Path, other: Path) -> None:
    answer = mcsvm("evaluate", model, other)
    assert answer.code == 0
    assert "Weston-Watkins (ww), as it is, on 90 rows:" in answer.out
    assert "macro" in answer.out
    assert "the model has no probabilities" in answer.out


@pytest.mark.parametrize("suffix", FORMATS)
def test_every_format_of_reports_holds_it(suffix: str, model: Path, other: Path, tmp_path: Path) -> None:
    if FORMATS[suffix].package:
        pytest.importorskip(FORMATS[suffix].package)
    target = tmp_path / f"report{suffix}"
    assert mcsvm("evaluate", model, other, "--report", target, "--json").document["report"] == str(target)
    content = target.read_bytes()
    assert len(content) > 1000
    if suffix == ".html":
        assert content.count(b"<svg") == 2
        assert b"How well it decides" in content


def test_a_class_never_seen_counts_as_an_error(model: Path, other: Path) -> None:
    other.write_text(other.read_text() + "1,new,2\n")
    found = mcsvm("evaluate", model, other, "--json").document
    assert found["n"] == 91
    assert found["classes"][-1] == "new"
    assert sum(found["confusion"][-1]) == 1
    assert any("never seen" in warning for warning in found["warnings"])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("width,height,label\n1,2,class 0\n", "class 'class 1'"),
        ("width,height,label\n1,2,class 0\n2,1,class 1\n", "no row is of class 'class 2'"),
        ("width,height\n1,2\n", "no class labels"),
    ],
)
def test_data_that_show_too_little_get_a_sentence(content: str, words: str, model: Path, tmp_path: Path) -> None:
    data, report = tmp_path / "few.csv", tmp_path / "report.md"
    data.write_text(content)
    assert words in mcsvm("evaluate", model, data, "--report", report).complaint
    assert not report.exists()


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        (",class 0,class 1\nclass 0,0,1\nclass 1,1,0\n", "there are no costs for class 2"),
        (COSTS.replace("8", "-8"), "costs.csv:2: a cost must be at least 0, not -8"),
        (COSTS.replace("8", "nan"), "costs.csv:2: 'nan' is no finite number"),
        (COSTS.replace("8", "dear"), "costs.csv:2: 'dear' is no number"),
        (COSTS.replace("8", "8,9"), "costs.csv:2: 4 costs; 3 are needed"),
        (COSTS.replace("class 2", "class 3"), "no such class"),
    ],
)
def test_costs_that_are_none_get_a_sentence(costs: str, words: str, model: Path, other: Path, tmp_path: Path) -> None:
    path, report = tmp_path / "costs.csv", tmp_path / "report.md"
    path.write_text(costs)
    assert words in mcsvm("evaluate", model, other, "--costs", path, "--report", report).complaint
    assert not report.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--folds", "1"), "--folds: folds must be a whole number of at least 2"),
        (("--folds", "many"), "--folds: 'many' is no number"),
        (("--folds", "40"), "class 'class 0' has 30 rows, and 40 folds need as many of every class"),
        (("--costs", "nowhere.csv"), "nowhere.csv"),
        (("--report", "report.doc"), "the ending says the format"),
    ],
)
def test_options_that_make_no_sense_get_a_sentence(
    arguments: tuple[str, ...], words: str, model: Path, other: Path
) -> None:
    assert words in mcsvm("evaluate", model, other, *arguments).complaint


def test_rows_with_missing_cells_are_left_out_where_they_are_dropped(model: Path, other: Path) -> None:
    other.write_text(other.read_text() + ",class 0,2\n")
    assert "missing" in mcsvm("evaluate", model, other).complaint
    assert mcsvm("evaluate", model, other, "--missing", "drop", "--json").document["n"] == 90
