"""inspect, predict, verify, export, doctor and the manners that all commands share."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pandas as pd
import pytest
from command_line import NASTY, ROOT, mcsvm, process

from mcsvm_gui.core.base import doctor
from mcsvm_gui.core.base.doctor import not_found
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.export import EXPORTERS


def test_inspect_says_what_is_there(blobs: Path) -> None:
    found = mcsvm("inspect", blobs, "--json").document
    assert {"rows", "features", "n_features", "classes", "class_counts", "missing", "warnings"} <= found.keys()
    assert (found["rows"], found["n_features"], found["missing"]) == (60, 2, 0)
    assert found["features"] == [{"name": "width", "kind": "number"}, {"name": "height", "kind": "number"}]
    words = mcsvm("inspect", blobs)
    assert (words.code, words.err) == (0, "")
    assert "60 rows, 2 features, 3 classes" in words.out


def test_predictions_are_a_table_in_the_order_of_the_rows(blobs: Path, model: Path, tmp_path: Path) -> None:
    out = tmp_path / "p.csv"
    answer = mcsvm("predict", model, blobs, "-o", out, "--scores", "--json")
    table = pd.read_csv(out)
    assert list(table) == ["row", "prediction", "score class 0", "score class 1", "score class 2"]
    assert table["prediction"].tolist() == answer.document["predictions"]
    assert (table.iloc[:, 2:].idxmax(axis=1).str.removeprefix("score ") == table["prediction"]).all()
    right = (pd.read_csv(blobs)["label"] == table["prediction"]).mean()
    assert answer.document["accuracy"] == pytest.approx(right)
    assert (answer.document["n_scored"], answer.document["n_trained_on"]) == (60, 60)
    assert table["row"].tolist() == answer.document["rows"] == list(range(1, 61))


@pytest.mark.parametrize("machine", ["llw", "ova", "ovo", "dag"])
def test_the_largest_score_is_the_prediction(machine: str, blobs: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.mcsvm"
    mcsvm("train", blobs, "--machine", machine, "--model", model)
    found = mcsvm("predict", model, blobs, "--scores", "--json").document
    largest = [found["classes"][row.index(max(row))] for row in found["scores"]]
    assert largest == found["predictions"]


def test_predictions_go_to_standard_output_and_words_elsewhere(blobs: Path, model: Path) -> None:
    answer = mcsvm("predict", model, blobs)
    assert answer.out.splitlines()[0] == "row,prediction"
    assert len(answer.out.splitlines()) == 61
    assert "Predicted 60 rows with Weston-Watkins (ww)." in answer.err
    quiet = mcsvm("predict", model, blobs, "--quiet")
    assert (quiet.out, quiet.err) == (answer.out, "")


def test_rows_with_missing_cells_are_left_empty_where_they_are_dropped(model: Path, tmp_path: Path) -> None:
    data = tmp_path / "holes.csv"
    data.write_text("width,height,label\n1,2,class 0\n,3,class 1\n2,4,class 2\n")
    assert "holes.csv:3: 1 cell of 3 rows missing (line 3 column width)" in mcsvm("predict", model, data).complaint
    found = mcsvm("predict", model, data, "--json", "--missing", "drop").document
    assert found["predictions"][1] is None
    assert (found["n_rows"], found["n_scored"]) == (3, 2)
    assert "knows no values to fill in" in mcsvm("predict", model, data, "--missing", "mean").complaint
    assert "scales its features itself" in mcsvm("predict", model, data, "--scale", "none").complaint


def test_labels_that_differ_by_spelling_are_the_same_class(tmp_path: Path) -> None:
    train, test, model = tmp_path / "a.libsvm", tmp_path / "b.libsvm", tmp_path / "m.mcsvm"
    train.write_text("1 1:1 2:5\n-1 1:4 2:1\n1 1:1 2:4\n-1 1:5 2:1\n")
    test.write_text("+1 1:1 2:5\n-1 1:5 2:1\n")
    mcsvm("train", train, "--model", model)
    assert mcsvm("predict", model, test, "--json").document["accuracy"] == 1.0


def test_a_model_of_named_columns_refuses_numbered_ones(model: Path, tmp_path: Path) -> None:
    data = tmp_path / "x.libsvm"
    data.write_text("1 1:1 2:5\n2 1:4 2:1\n")
    assert "named columns" in mcsvm("predict", model, data).complaint or "label" in mcsvm("predict", model, data).err


def test_verify_recomputes_and_finds_what_was_changed(blobs: Path, model: Path, tmp_path: Path) -> None:
    found = mcsvm("verify", model, blobs, "--json").document
    assert found["verified"] is True
    assert found["certificate"] == pytest.approx(found["stored"], rel=1e-9)
    assert "Verified: solved to" in mcsvm("verify", model, blobs).out
    better = tmp_path / "better.mcsvm"
    _with_certificate(model, better, violation=0.0)
    changed = mcsvm("verify", better, blobs)
    assert changed.code == 2
    assert "do not trust this file" in changed.err
    blobs.write_text(blobs.read_text() + "1,class 0,2\n")
    assert "not the file the model was trained on" in mcsvm("verify", model, blobs).complaint


def _with_certificate(model: Path, target: Path, **numbers: float) -> None:
    with zipfile.ZipFile(model) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "model.json":
                document = json.loads(content)
                document["origin"]["certificate"] |= numbers
                content = json.dumps(document).encode()
            new.writestr(name, content)


@pytest.mark.parametrize("kept", sorted((ROOT / "tests" / "golden").glob("*.mcsvm")), ids=lambda path: path.name)
def test_models_of_every_schema_there_ever_was_still_hold(kept: Path) -> None:
    """Recomputed from the data: an old file opens, and means what it meant."""
    iris = ROOT / "resources" / "datasets" / "iris.csv"
    found = mcsvm("verify", kept, iris, "--json")
    assert found.code == 0
    assert found.document["verified"] is True
    assert mcsvm("predict", kept, iris, "--json").document["accuracy"] > 0.95


def test_verify_splits_and_drops_as_training_did(blobs: Path, tmp_path: Path) -> None:
    blobs.write_text(blobs.read_text() + ",class 0,2\n")
    model = tmp_path / "m.mcsvm"
    options = "--holdout", 0.25, "--seed", 5, "--missing", "drop", "--machine", "dag"
    assert mcsvm("train", blobs, *options, "--model", model).code == 0
    assert mcsvm("verify", model, blobs).code == 0


def test_exports_are_reached(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.json"
    assert mcsvm("export", model, "--to", "json", "-o", out, "--json").document["files"] == [str(out)]
    assert f"choose one of {', '.join(EXPORTERS)}" in mcsvm("export", model, "--to", "x", "-o", out).complaint
    refused = mcsvm("export", model, "--to", "liblinear", "-o", tmp_path / "l").complaint
    assert refused.startswith("error: --to liblinear: ")
    assert not (tmp_path / "l").exists()


@pytest.mark.parametrize(
    ("options", "rows"), [((), 60), (("--holdout", 0.25), 45), (("--missing", "mean"), 61), (("--missing", "drop"), 60)]
)
def test_an_export_is_checked_on_the_rows_trained_on(options: tuple[object, ...], rows: int, blobs: Path) -> None:
    if "--missing" in options:
        blobs.write_text(blobs.read_text() + ",class 0,2\n")
    model, out = blobs.with_name("m.mcsvm"), blobs.with_name("m.json")
    assert mcsvm("train", blobs, *options, "--model", model, "--quiet").code == 0
    said = mcsvm("export", model, "--to", "json", "-o", out).out
    assert f"Checked with the file read back: {rows} training rows, every label as the model's.\n" in said


@pytest.mark.parametrize("what", ["is not here", "has changed since", "cannot be read any more"])
def test_without_the_training_file_the_support_vectors_stand_in(what: str, blobs: Path, model: Path) -> None:
    contents = {"has changed since": blobs.read_text() + "1,class 0,2\n", "cannot be read any more": "\0"}
    blobs.write_text(contents[what]) if what in contents else blobs.unlink()
    checks = mcsvm("export", model, "--to", "json", "-o", blobs.with_name("m.json"), "--json").document["checks"]
    assert "support vectors, every label as the model's" in checks[0]
    assert checks[1] == f"The support vectors are used in place of the training data: the training file {blobs} {what}."


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_where_the_training_file_was_is_not_waited_for(blobs: Path, model: Path) -> None:
    blobs.unlink()
    os.mkfifo(blobs)
    assert "is not here" in mcsvm("export", model, "--to", "json", "-o", blobs.with_name("m.json")).out


def test_doctor_knows_its_house() -> None:
    found = mcsvm("doctor", "--json").document
    assert found["packages"]["numpy"]
    assert found["cache"]["folder"]
    assert isinstance(found["missing_libraries"], list)
    assert "Compiled code:" in mcsvm("doctor").out


def test_doctor_misses_no_window_where_none_was_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    there = doctor.installed
    monkeypatch.setattr(doctor, "installed", lambda name: None if name.startswith("py") else there(name))
    monkeypatch.setattr(doctor, "missing_libraries", list)
    answer = mcsvm("doctor")
    assert "pyside6-essentials  not installed (shows the window; pip install 'mcsvm[gui]')" in answer.out
    assert "Problem" not in answer.out


def test_what_the_loader_lacks_is_read_from_its_answer() -> None:
    answer = "\tlibEGL.so.1 => not found\n\tlibc.so.6 => /lib/libc.so.6 (0x1)\n\tlibGL.so.1 => not found\n"
    assert not_found(answer) == ["libEGL.so.1", "libGL.so.1"]


@pytest.mark.skipif(os.name != "posix", reason="asks a shell script in the place of ldd")
def test_the_doctor_of_a_bundle_looks_where_its_loader_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = tmp_path / "ldd"
    asked.write_text('#!/bin/sh\necho "${LD_LIBRARY_PATH:-nothing} => not found"\n', "utf-8")
    asked.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)
    assert doctor._not_found(Path("any.so")) == ["nothing"]
    monkeypatch.setattr(sys, "_MEIPASS", "/bundle", raising=False)
    assert doctor._not_found(Path("any.so")) == ["/bundle"]


@pytest.mark.parametrize("command", ["predict", "verify"])
def test_what_is_no_model_is_one_sentence(command: str, blobs: Path, tmp_path: Path) -> None:
    assert "no mcsvm model" in mcsvm(command, blobs, blobs).complaint
    assert "there is no such file; check its name" in mcsvm(command, tmp_path / "none.mcsvm", blobs).complaint


def test_a_command_that_is_not_there_is_one_sentence() -> None:
    assert mcsvm("fly").complaint == "error: there is no command 'fly' (mcsvm --help lists all commands)"


@pytest.mark.slow
def test_the_command_line_loads_no_qt(blobs: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from mcsvm_gui import cli\n"
        f"m = {str(tmp_path / 'm.mcsvm')!r}; d = {str(blobs)!r}\n"
        "for command in (['train', d, '--model', m, '--quiet'], ['predict', m, d, '--json'], ['verify', m, d],"
        " ['inspect', d], ['doctor']):\n"
        "    assert cli.main(command) == 0\n"
        "assert 'PySide6' not in sys.modules, 'Qt'\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_nasty_files_train_or_say_why() -> None:
    for path in sorted(set(NASTY.glob("*.csv")) - {NASTY / "many_classes.csv"}):  # 500 classes take a minute
        answer = mcsvm("train", path, "--json", "--max-iter", 200)
        assert answer.code in (0, 2, 3), path
        assert "Traceback" not in answer.err
        assert answer.code == 2 or answer.document["n_train"] > 0


@pytest.mark.slow
def test_standard_input(tmp_path: Path) -> None:
    rows = "".join(f"{row % 3}.{row % 7},{'abc'[row % 3]}\n" for row in range(30))
    trained = process(
        *("train", "-", "--kernel", "linear", "--model", tmp_path / "a.mcsvm", "--json", "--quiet"),
        stdin=subprocess.PIPE,
    )
    out, _ = trained.communicate(f"x,label\n{rows}", timeout=300)
    assert (trained.returncode, json.loads(out)["n_train"]) == (0, 30)
    decided = process("predict", tmp_path / "a.mcsvm", "-", "--json", stdin=subprocess.PIPE)
    out, _ = decided.communicate("x\n0.1\n2.2\n", timeout=300)
    assert decided.returncode == 0
    wrong = process("inspect", "-", stdin=subprocess.PIPE)
    _, err = wrong.communicate("", timeout=300)
    assert wrong.returncode == 2
    assert "error: -: the file is empty" in err


def test_rows_of_standard_input_are_not_waited_for_later() -> None:
    with pytest.raises(FileError, match="rows that came by it are not kept"):
        open_dataset("-")
