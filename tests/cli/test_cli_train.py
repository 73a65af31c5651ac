"""mcsvm train: its document, its words, its exit codes."""

from __future__ import annotations

import csv
import json
import os
import pty
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import NASTY, ROOT, SHARED, mcsvm
from copies import import_path

from mcsvm import MultiClassSVC
from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.problem import BIASES
from mcsvm.solvers.run.trace import Sample
from mcsvm_gui.cli.progress import fitting, line
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.machine import model_file, names

DOCUMENT = {
    *("machine", "solver", "solver_used", "solver_reason", "decisions", "kernel", "C", "margin", "bias", "tol", "seed"),
    *("n_train", "n_features", "n_classes", "classes", "class_counts"),
    *("ending", "iterations", "kernel_evaluations", "seconds", "certificate", "certified"),
    *("n_support", "n_bounded", "n_support_per_class"),
    *("train_accuracy", "test_accuracy", "n_test", "calibration", "weights", "rule", "model", "warnings"),
}
IRIS = ROOT / "resources" / "datasets" / "iris.csv"


def test_the_document_is_that_of_the_contract(blobs: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.mcsvm"
    answer = mcsvm("train", blobs, "--json", "--C", "2^2", "--gamma", "2^-1", "--model", model)
    found = answer.document
    assert (answer.code, answer.err) == (0, "")
    assert found.keys() == {"schema", *DOCUMENT}
    assert found["certificate"].keys() == {
        *("primal", "dual", "gap", "relative_gap", "violation", "zero_within_rounding")
    }
    assert (found["C"], found["kernel"]) == (4.0, {"name": "rbf", "gamma": 0.5})
    assert (found["classes"], found["class_counts"]) == (["class 0", "class 1", "class 2"], [20, 20, 20])
    assert (found["n_train"], found["n_features"], found["ending"]) == (60, 2, "converged")
    assert sum(found["n_support_per_class"]) == found["n_support"] >= found["n_bounded"]
    assert found["certificate"]["dual"] <= found["certificate"]["primal"]
    assert (found["test_accuracy"], found["n_test"], found["model"]) == (None, None, str(model))


@pytest.mark.parametrize(
    ("machine", "kernel", "bias"),
    [
        ("ww", "rbf", "none"),
        ("ww", "linear", "regularized"),
        ("cs", "polynomial", "regularized"),
        ("ovo", "linear", "exact"),
    ],
)
def test_the_document_names_the_default_bias(blobs: Path, machine: str, kernel: str, bias: str) -> None:
    assert mcsvm("train", blobs, "--machine", machine, "--kernel", kernel, "--json").document["bias"] == bias


def test_gamma_scale_is_said_as_a_number(blobs: Path) -> None:
    found = mcsvm("train", blobs, "--json").document
    X = pd.read_csv(blobs)[["width", "height"]].to_numpy()
    scaled = 2 * (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0)) - 1
    assert found["kernel"]["gamma"] == pytest.approx(1 / (2 * scaled.var()))


@pytest.mark.slow
@pytest.mark.parametrize("machine", ["ww", "llw", "cs", "ova", "ovo", "dag"])
def test_labels_are_those_of_the_estimator(machine: str, tmp_path: Path) -> None:
    """On satimage: trained, kept, opened, applied to raw rows of the test part."""
    place = SHARED / "data" / "satimage"
    if not place.is_dir():
        pytest.skip("the satimage data are not here")
    train, test = (pd.read_csv(place / f"{part}.csv", dtype={"label": str}) for part in ("train", "test"))
    labels, model, out = train.pop("label"), tmp_path / "m.mcsvm", tmp_path / "p.csv"
    given = mcsvm(
        "train", place / "train.csv", "--machine", machine, "--C", 4, "--gamma", 1, "--model", model, "--quiet"
    )
    assert given.code == 0
    assert mcsvm("predict", model, place / "test.csv", "-o", out, "--quiet").code == 0
    low, high = train.min().to_numpy(), train.max().to_numpy()

    def scaled(part: pd.DataFrame) -> np.ndarray:
        return (part.to_numpy(dtype=float) - 0.5 * (low + high)) * (2.0 / (high - low))

    oracle = MultiClassSVC(machine=machine, C=4, gamma=1).fit(scaled(train), labels.to_numpy(dtype=object))
    expected = oracle.predict(scaled(test.drop(columns="label")))
    assert pd.read_csv(out, dtype=str)["prediction"].tolist() == expected.tolist()


def test_the_words_say_which_machine_how_it_decides_and_how_certain(blobs: Path) -> None:
    answer = mcsvm("train", blobs, "--machine", "cs")
    assert answer.code == 0
    first, _, third, *_ = answer.out.splitlines()
    assert first == f"Crammer-Singer (cs): {MACHINES['cs'].decides}."
    assert third.startswith("Solved to 0.")
    assert "%" in third
    assert "--model" in answer.out


def test_a_limit_that_comes_first_is_exit_code_3_and_the_model_stays(blobs: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.mcsvm"
    answer = mcsvm("train", blobs, "--json", "--solver", "smo", "--max-iter", 3, "--model", model)
    assert (answer.code, answer.document["ending"], answer.document["iterations"]) == (3, "step limit", 3)
    assert model_file.load(model).certificate.gap == pytest.approx(answer.document["certificate"]["gap"])
    words = mcsvm("train", blobs, "--solver", "smo", "--max-iter", 3)
    assert words.code == 3
    assert "Not solved: up to" in words.out
    limited = mcsvm("train", blobs, "--json", "--solver", "smo", "--tol", "1e-9", "--time-limit", "1e-9")
    assert (limited.code, limited.document["ending"]) == (3, "time limit")


def test_the_course_of_the_training_is_a_table(blobs: Path, tmp_path: Path) -> None:
    trace = tmp_path / "t.csv"
    found = mcsvm("train", blobs, "--json", "--trace", trace).document
    table = pd.read_csv(trace)
    assert list(table) == ["iteration", "seconds", "dual", "primal", "violation", "support", "bounded"]
    assert table["iteration"].iloc[-1] == found["iterations"]
    assert table["dual"].iloc[-1] == pytest.approx(found["certificate"]["dual"], rel=1e-5)


def test_rows_that_were_trained_on_are_no_test(blobs: Path) -> None:
    answer = mcsvm("train", blobs, "--test", blobs)
    found = mcsvm("train", blobs, "--test", blobs, "--json")
    assert "MC001" in answer.out
    assert "60 rows of 60 tested on (100%)" in answer.out
    assert found.err.startswith("warning: MC001")
    assert found.document["n_test"] == 60
    assert (answer.code, found.code) == (0, 0)
    assert mcsvm("train", blobs, "--test", blobs, "--json", "--quiet").err == ""
    assert "MC001" not in mcsvm("train", blobs, "--holdout", 0.3).out


def test_a_part_is_held_out_by_lot_and_by_class(blobs: Path) -> None:
    found = mcsvm("train", blobs, "--json", "--holdout", 0.3).document
    assert (found["n_train"], found["n_test"], found["class_counts"]) == (42, 18, [14, 14, 14])
    again = mcsvm("train", blobs, "--json", "--holdout", 0.3).document
    other = mcsvm("train", blobs, "--json", "--holdout", 0.3, "--seed", 7).document
    assert {**again, "seconds": 0} == {**found, "seconds": 0}
    assert other["certificate"] != found["certificate"]


WRONG = {
    ("--C", "abc"): "error: --C: 'abc' is no number; write 0.125, 1e-3 or 2^-3",
    ("--C", "-1"): "error: --C must be a positive number, not -1.0.",
    ("--C", "2^5000"): "no number",
    ("--C", "nan"): "no finite number",
    ("--gamma", "auto"): "--gamma",
    ("--machine", "wx"): "There is no machine 'wx'; choose one of ww, cs, llw",
    ("--solver", "x"): "There is no solver 'x'",
    ("--kernel", "x"): "There is no kernel 'x'",
    ("--kernel", "precomputed"): "MultiClassSVC(kernel='precomputed')",
    ("--bias", "x"): "bias must be one of",
    ("--degree", "2.5"): "--degree: '2.5' is no whole number",
    ("--max-iter", "0"): "--max-iter must be",
    ("--time-limit", "-1"): "--time-limit must be",
    ("--threads", "0"): "--threads must be",
    ("--seed", "-1"): "--seed must be",
    ("--holdout", "1.5"): "--holdout must be a share",
    ("--scale", "x"): "--scale must be one of minmax, standard, none",
    ("--missing", "x"): "--missing must be one of",
    ("--class-weight", "[1]"): "--class-weight",
    ("--class-weight", '{"class 0": -1}'): "must be a positive number",
    ("--class-weight", '{"class 9": 2}'): "class_weight names 'class 9', which is no class",
    ("--label", "nobody"): "nobody",
    ("--model", "/nowhere/m.mcsvm"): "there is no folder /nowhere",
    ("--model", "/"): "this is a folder",
    ("--test", "/nowhere.csv"): "/nowhere.csv",
    ("--nonsense",): "unrecognized arguments: --nonsense",
}


@pytest.mark.parametrize("wrong", WRONG, ids=" ".join)
def test_wrong_options_are_one_sentence(blobs: Path, wrong: tuple[str, ...]) -> None:
    assert WRONG[wrong] in mcsvm("train", blobs, *wrong).complaint


def test_wrong_input_writes_nothing(tmp_path: Path) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("a,b,label\n1,,x\n,2,y\n3,4,y\n")
    answer = mcsvm("train", bad, "--json", "--model", tmp_path / "m.mcsvm", "--trace", tmp_path / "t.csv")
    places = "2 cells of 3 rows missing (line 2 column b, line 3 column a)"
    assert answer.complaint.startswith(f"error: {bad}:2: {places}")
    assert [path.name for path in tmp_path.iterdir()] == ["bad.csv"]
    assert mcsvm("train", bad, "--json", "--missing", "mean").document["n_train"] == 3
    assert "one class" in mcsvm("train", bad, "--missing", "drop").complaint


def test_unscaled_columns_of_different_widths_are_said_to_cost(blobs: Path) -> None:
    warnings = mcsvm("train", blobs, "--json", "--scale", "none").document["warnings"]
    assert any("height spreads" in warning and "--scale minmax" in warning for warning in warnings)
    assert mcsvm("train", blobs, "--json").document["warnings"] == []


PAIRS = {
    "pair_test_columns_swapped.csv": (75, None),
    "pair_test_no_label.csv": (None, "nothing to compare with"),
    "pair_test_more_features.libsvm": (2, "ignored: 9"),
    "pair_test_fewer_features.libsvm": (2, None),
    "pair_test_new_class.libsvm": (2, "class never seen in training: 3; their rows (1) count as errors"),
}


@pytest.mark.parametrize("name", PAIRS)
def test_pairs_of_files_are_matched_by_name(name: str) -> None:
    count, word = PAIRS[name]
    found = mcsvm("train", NASTY / f"pair_train.{name.rsplit('.')[-1]}", "--test", NASTY / name, "--json").document
    assert found["n_test"] == count
    assert word is None or any(word in warning for warning in found["warnings"])
    if count == 75:
        assert found["test_accuracy"] > 0.9


def test_the_model_knows_which_files_it_was_trained_and_tested_on(tmp_path: Path) -> None:
    model = tmp_path / "iris.mcsvm"
    mcsvm("train", IRIS, "--test", IRIS, "--model", model)
    asked = model_file.load(model).request
    assert asked.digest == asked.test_digest == open_dataset(IRIS).digest


def test_a_column_that_is_missing_in_the_test_part_is_named() -> None:
    complaint = mcsvm("train", NASTY / "pair_train.csv", "--test", NASTY / "pair_test_missing_column.csv").complaint
    assert "petal_width" in complaint


NAMES = ["a b", 'say "hi"', "x,y", "two\nlines", "🌱 plant", "nan", "1.0", "1", "naïve", "=1+1", "'=1+1", "-5", "@x"]


def test_class_names_come_back_exactly(tmp_path: Path) -> None:
    data, model, out = tmp_path / "d.csv", tmp_path / "m.mcsvm", tmp_path / "p.csv"
    with open(data, "w", newline="", encoding="utf-8") as stream:
        rows = [[number + 0.01 * copy, name] for number, name in enumerate(NAMES) for copy in (0, 1)]
        csv.writer(stream).writerows([["x", "label"], *rows])
    found = mcsvm("train", data, "--json", "--gamma", 1000, "--C", 100, "--model", model).document
    assert sorted(found["classes"]) == sorted(NAMES)
    assert sorted(model_file.load(model).class_names) == sorted(NAMES)
    expected = [name for name in NAMES for _ in (0, 1)]
    answer = mcsvm("predict", model, data, "--json", "-o", out)
    assert answer.document["predictions"] == expected
    with open(out, newline="", encoding="utf-8") as stream:
        cells = [row[1] for row in csv.reader(stream)][1:]
    undone = [cell[1:] if cell.lstrip("'")[:1] in ("=", "@") else cell for cell in cells]
    assert undone == expected
    assert cells[cells.index("-5")] == "-5"
    assert not any(cell.startswith(("=", "@")) for cell in cells)


@pytest.mark.slow
def test_progress_stands_on_a_terminal_and_nowhere_else(large: Path) -> None:
    command = [sys.executable, "-m", "mcsvm_gui.cli", "train", str(large), "--solver", "smo", "--C", "2^10", "--json"]
    environment = {**os.environ, "PYTHONPATH": import_path()}
    leader, follower = pty.openpty()
    program = subprocess.Popen(
        [*command, "--time-limit", "1"], stdout=subprocess.PIPE, stderr=follower, env=environment
    )
    os.close(follower)
    shown = b""
    while True:
        try:
            piece = os.read(leader, 4096)
        except OSError:  # how Linux says that the other side has closed
            break
        if not piece:
            break
        shown += piece
    assert program.stdout
    with program.stdout, os.fdopen(leader):
        document = program.stdout.read()
    assert program.wait(60) == 3
    assert document.startswith(b"{")
    for word in (b"/s", b"gap", b"violation", b"support vectors", b"left", b"computing the certificate"):
        assert word in shown
    assert mcsvm(*command[3:], "--max-iter", 10).err == ""


def test_names_are_those_of_the_registries() -> None:
    assert {name: MACHINES[name].title for name in names.MACHINES} == names.machine_titles()
    assert set(names.SOLVERS) <= set(METHODS)
    assert {*names.KERNELS, *names.NOT_FOR_FILES} == set(KERNELS)
    assert {name: KERNELS[name].parameters for name in names.KERNELS} == names.PARAMETERS
    assert tuple(names.BIASES) == BIASES


def test_bundled_data_train() -> None:
    assert mcsvm("train", IRIS, "--json", "--machine", "llw").document["ending"] == "converged"


@pytest.mark.parametrize("columns", [1, 20, 60, 80, 500])
def test_progress_never_takes_a_second_line(columns: int) -> None:
    full = line(Sample(1, 2.0, -3.0, 4.0, 0.5, 6, 7), 8.0)
    shown = fitting(full, columns)
    assert len(shown) < columns
    assert full.endswith(shown)
    assert columns < 500 or shown == full


def test_all_that_matters_fits_a_common_terminal() -> None:
    shown = fitting(line(Sample(123_456_789, 7999.0, -3.0, 4.0, 0.00123, 12_345, 7), 1234.0), 80)
    assert shown.split("  ") == [
        "15.4k/s",
        "12345 support vectors",
        "violation 0.0012",
        "gap 175%",
        "about 21 min left",
    ]


def test_a_table_of_a_database_is_tested_on_a_csv_file(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection, connection:
        connection.execute("CREATE TABLE first (x, label)")
        connection.execute("CREATE TABLE second (x, label)")
        connection.executemany(
            "INSERT INTO second VALUES (?, ?)", [(row % 2 + row / 50, "ab"[row % 2]) for row in range(20)]
        )
    (tmp_path / "test.csv").write_text("x,label\n0.1,a\n1.2,b\n", encoding="utf-8")
    done = mcsvm("train", tmp_path / "a.db", "--table", "second", "--test", tmp_path / "test.csv", "--json", "--quiet")
    assert done.code == 0
    assert json.loads(done.out)["n_test"] == 2


def test_a_sample_of_the_training_rows_is_trained_on_and_verified(blobs: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.mcsvm"
    whole = mcsvm("train", blobs, "--holdout", 0.3, "--json").document
    answer = mcsvm("train", blobs, "--holdout", 0.3, "--sample", 30, "--json", "--model", model)
    found = answer.document
    assert answer.code == 0
    assert abs(found["n_train"] - 30) <= found["n_classes"]
    assert found["n_test"] == whole["n_test"]
    assert any(
        f"trained on {found['n_train']} of the {whole['n_train']} training rows" in one for one in found["warnings"]
    )
    assert mcsvm("verify", model, blobs).code == 0
