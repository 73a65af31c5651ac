"""mcsvm compare and mcsvm run: documents, exit codes, the same numbers again."""

from __future__ import annotations

import signal
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import ROOT, mcsvm, real_mcsvm, training
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from test_cli_train import DOCUMENT

from mcsvm import MultiClassSVC
from mcsvm.solvers.errors import InputError
from mcsvm.solvers.selection.grid import Range, best
from mcsvm_gui.core import report
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.experiment import Plan
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.tune.search import TuneRequest, Tuning

IRIS, WINE = (ROOT / "resources" / "datasets" / f"{name}.csv" for name in ("iris", "wine"))
TIMES = "seconds", "seconds_together", "kernel_evaluations"


def timeless(document: Any) -> Any:
    """A document without what a clock measured."""
    if isinstance(document, dict):
        return {name: timeless(value) for name, value in document.items() if name not in TIMES}
    return [timeless(value) for value in document] if isinstance(document, list) else document


def test_the_document_holds_train_documents_and_tests() -> None:
    answer = mcsvm("compare", IRIS, "--machines", "ww,ovo,cs", "--C", "2^2", "--gamma", "2^-1", "--json")
    found = answer.document
    assert answer.code == 0
    assert [run["machine"] for run in found["runs"]] == ["ww", "ovo", "cs"]
    for run in found["runs"]:
        assert run.keys() >= DOCUMENT
        assert (run["n_train"], len(run["fold_accuracy"])) == (150, 5)
        assert run["mean"] == pytest.approx(np.mean(run["fold_accuracy"]))
        assert [part["n_train"] + part["n_test"] for part in run["parts"]] == [150] * 5
    pairs = [list(pair) for pair in combinations(("ww", "ovo", "cs"), 2)]
    for name in ("mcnemar exact", "mcnemar corrected", "corrected resampled t"):
        tests = [test for test in found["tests"] if test["name"] == name]
        assert [test["between"] for test in tests] == pairs
        assert all(test.keys() >= {"statistic", "p", "adjusted"} and 0.0 <= test["p"] <= 1.0 for test in tests)


def test_fold_accuracies_are_those_of_scikit_learns_folds() -> None:
    """A pipeline whose scaling is fitted on each training part, on the folds of scikit-learn."""
    found = mcsvm("compare", WINE, "--machines", "ww,ovo", "--gamma", "0.1", "--json").document
    data = open_dataset(str(WINE))
    X, y = data.table.to_numpy(), data.labels.astype(str)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    for run in found["runs"]:
        model = make_pipeline(MinMaxScaler((-1, 1)), MultiClassSVC(machine=run["machine"], gamma=0.1))
        expected = cross_val_score(model, X, y, cv=folds)
        assert run["fold_accuracy"] == pytest.approx(expected.tolist())


@pytest.mark.slow
def test_over_several_files_machines_are_ranked() -> None:
    found = mcsvm("compare", IRIS, WINE, "--machines", "ww,ovo", "--gamma", "0.1", "--json").document
    names = {test["name"] for test in found["tests"]}
    assert names >= {"friedman", "iman-davenport", "ranks of two", "wilcoxon"}
    assert sum(found["average_ranks"].values()) == pytest.approx(3.0)
    ways = next(test["adjusted"] for test in found["tests"] if test["name"] == "ranks of two")
    assert ways.keys() == {"nemenyi", "holm", "shaffer", "bergmann-hommel"}


@pytest.mark.slow
def test_a_saved_comparison_replays_to_the_same_numbers(tmp_path: Path) -> None:
    saved = tmp_path / "saved.toml"
    options = (
        "--machines",
        "ww,dag",
        "--C",
        "2^3",
        "--gamma",
        "0.07",
        "--folds",
        "3",
        "--seed",
        "5",
        "--scale",
        "standard",
    )
    first = mcsvm("compare", IRIS, WINE, *options, "--save", saved, "--json")
    again = mcsvm("run", saved, "--json")
    assert (first.code, again.code) == (0, 0)
    assert timeless(again.document) == timeless(first.document)


def test_a_report_that_cannot_be_written_takes_nothing_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither what was found nor the experiment that finds it again."""

    def full(*_: object) -> None:
        raise InputError("there is no room left on the disk")

    monkeypatch.setattr(report, "write_report", full)
    saved, written = tmp_path / "saved.toml", ("--report", tmp_path / "x.md")
    compared = mcsvm("compare", IRIS, "--machines", "ww", "--folds", "2", "--save", saved, *written)
    for answer in (compared, mcsvm("run", saved, *written)):
        assert answer.code == 2
        assert "iris (150 rows, 3 classes)" in answer.out
        assert answer.err == "error: there is no room left on the disk\n"


def test_what_is_kept_is_not_trained_again(tmp_path: Path) -> None:
    """And gives another report: interrupted or done, nothing is lost."""
    kept, report = tmp_path / "iris.results", tmp_path / "iris.tex"
    options = ("compare", IRIS, "--machines", "ww,ovo", "--folds", "2", "--results", kept, "--json")
    first, again = mcsvm(*options).document, mcsvm(*options, "--report", report).document
    assert (first.pop("kept"), again.pop("kept")) == (0, 2 * 3)
    assert again["runs"] == first["runs"]  # times too
    assert report.stat().st_size > 1000
    assert "no file of results" in mcsvm("compare", IRIS, "--results", report).complaint
    assert "is read" in mcsvm("compare", IRIS, "--results", IRIS).complaint


@pytest.mark.slow
def test_several_threads_give_the_same_numbers() -> None:
    options = ("compare", IRIS, "--machines", "ww,cs,ovo", "--json")
    assert timeless(mcsvm(*options, "--jobs", "2").document) == timeless(mcsvm(*options).document)


@pytest.mark.slow
def test_tuning_looks_at_training_parts_alone(tmp_path: Path) -> None:
    """The parameters of each part are those that a search on its rows finds; saved, it replays."""
    ranges = ("--C", "2^0:2^4", "--gamma", "2^-6:2^0", "--step", "2")
    saved = tmp_path / "saved.toml"
    first = mcsvm("compare", IRIS, "--machines", "ww,ovo", "--tune", *ranges, "--folds", "3", "--save", saved, "--json")
    assert first.code == 0
    data = open_dataset(str(IRIS))
    parts = Plan("folds", folds=3, whole=True).parts(data)
    for run in first.document["runs"]:
        assert {part["search"]["cells"] for part in run["parts"]} == {3 * 4}
        for part, document in zip(parts, run["parts"], strict=True):
            wanted = TuneRequest((run["machine"],), Range(0, 4, 2), Range(-6, 0, 2))
            tuned = Tuning(Request(), wanted, data.take(part.train)).run()
            cell = best(tuned.results, run["machine"])
            assert cell is not None
            assert (document["C"], document["kernel"]["gamma"]) == (cell.C, cell.gamma)
            assert document["search"]["mean"] == tuned.results[cell].mean
    assert timeless(mcsvm("run", saved, "--json").document) == timeless(first.document)


def test_only_some_data_sets_may_be_run(tmp_path: Path) -> None:
    saved = tmp_path / "saved.toml"
    mcsvm("compare", IRIS, WINE, "--machines", "ww", "--folds", "2", "--save", saved, "--quiet")
    found = mcsvm("run", saved, "--data", "wine", "--json").document
    assert [run["data"] for run in found["runs"]] == ["wine"]
    assert "there is no data set 'other'" in mcsvm("run", saved, "--data", "other").complaint


def test_solvers_multiply_machines_and_what_they_refuse_is_said() -> None:
    found = mcsvm("compare", IRIS, "--machines", "ww,cs", "--solvers", "auto,bsvm", "--json").document
    labels = {run["label"] for run in found["runs"]} | {row["label"] for row in found["refused"]}
    assert labels == {"ww/auto", "ww/bsvm", "cs/auto", "cs/bsvm"}
    assert [row["label"] for row in found["refused"]] == ["cs/bsvm"]
    words = mcsvm("compare", IRIS, "--machines", "cs", "--solvers", "auto,bsvm")
    assert "not possible" in words.out


def test_in_words_it_says_what_was_compared() -> None:
    answer = mcsvm("compare", IRIS, "--machines", "ww,ovo")
    assert answer.code == 0
    assert "5-fold stratified cross-validation" in answer.out
    assert "iris (150 rows, 3 classes)" in answer.out
    assert "differ" in answer.out


def test_what_did_not_converge_is_told_by_the_exit_code() -> None:
    answer = mcsvm("compare", IRIS, "--machines", "ww", "--solvers", "smo", "--max-iter", "3", "--C", "100")
    assert answer.code == 3
    assert "not converged" in answer.out


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--machines", "ww,xx"), "There is no machine 'xx'; choose one of ww, cs, llw"),
        (("--solvers", "magic"), "There is no solver 'magic'"),
        (("--folds", "1"), "--folds must be at least 2"),
        (("--folds", "many"), "--folds"),
        (("--folds", "500"), "folds"),
        (("--jobs", "0"), "--jobs"),
        (("--step", "2"), "of --tune"),
        (("--tune", "--search", "per-pair"), "search must be one of"),
        (("--tune", "--C", "2^4:2^0"), "smaller to the larger"),
        (("--tune", "--gamma", "scale"), "'scale' is no number"),
        (("--save", "/nowhere/x.toml"), "there is no folder"),
    ],
)
def test_wrong_options_are_one_line(options: tuple[str, ...], sentence: str) -> None:
    assert sentence in mcsvm("compare", IRIS, *options).complaint


def test_a_missing_file_or_one_that_changed_is_one_line(tmp_path: Path) -> None:
    copy, saved = tmp_path / "iris.csv", tmp_path / "saved.toml"
    copy.write_text(IRIS.read_text())
    mcsvm("compare", copy, "--machines", "ww", "--folds", "2", "--save", saved, "--quiet")
    copy.write_text(IRIS.read_text() + IRIS.read_text().splitlines()[-1] + "\n")
    assert "has changed since the experiment was written" in mcsvm("run", saved).complaint
    copy.unlink()
    assert "iris.csv" in mcsvm("run", saved).complaint
    assert "no such file" in mcsvm("run", tmp_path / "none.toml").complaint


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_done(tmp_path: Path) -> None:
    slow = ("--solvers", "smo", "--C", "1e9", "--tol", "1e-12", "--machines", "ww,cs")
    program = training("compare", WINE, *slow, "--json", "--scale", "none", "--gamma", "1e-7")
    program.send_signal(signal.SIGINT)
    out, err = program.communicate(timeout=60)
    assert program.returncode == 130, err
    assert '"interrupted": true' in out


@pytest.mark.slow
def test_it_is_a_command_like_the_others() -> None:
    answer = real_mcsvm("compare", IRIS, "--machines", "ww", "--folds", "2", "--json")
    assert (answer.code, answer.err) == (0, "")
    assert answer.document["runs"][0]["label"] == "ww"
