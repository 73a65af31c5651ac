"""Probabilities from the command line: trained, kept, predicted in full precision, and refused in words."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import mcsvm

from mcsvm_gui.core.machine import model_file

HOSTILE = ["=1+1", 'a "b", c', "line\nbreak", "probability x", "ß → 漢", "-3"]


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    rng, codes = np.random.default_rng(0), np.arange(72) % len(HOSTILE)
    frame = pd.DataFrame(rng.normal(size=(72, 2)) + 2.0 * np.stack([codes % 3, codes // 3], axis=1), columns=["a", "b"])
    frame.assign(label=np.array(HOSTILE)[codes]).to_csv(tmp_path / "hostile.csv", index=False)
    return tmp_path / "hostile.csv"


@pytest.mark.parametrize("method", ["temperature", "pairwise", "sigmoid"])
def test_hostile_names_and_all_digits(hostile: Path, tmp_path: Path, method: str) -> None:
    model, out = tmp_path / "m.mcsvm", tmp_path / "out.csv"
    found = mcsvm("train", hostile, "--calibrate", method, "--calibration-folds", "3", "--model", model, "--json")
    assert found.code == 0
    said = found.document["calibration"]
    assert (said["method"], said["folds"]) == (method, 3)
    assert (said["temperature"] is not None) == (method == "temperature")
    answer = mcsvm("predict", model, hostile, "--proba", "--scores", "-o", out, "--json")
    names, shares = answer.document["classes"], np.array(answer.document["probabilities"])
    header, *lines = csv.reader(io.StringIO(out.read_text("utf-8")))
    assert sorted(names) == sorted(HOSTILE)
    assert header[2 + len(names) :] == [f"probability {name}" for name in names]
    written = np.array([[float(cell) for cell in line[2 + len(names) :]] for line in lines])
    np.testing.assert_array_equal(written, shares)
    np.testing.assert_allclose(written.sum(axis=1), 1.0, atol=1e-12)
    if method == "temperature":
        assert [names[best] for best in shares.argmax(axis=1)] == answer.document["predictions"]


def test_words_say_what_was_done(hostile: Path) -> None:
    assert "Probabilities by temperature" in mcsvm("train", hostile, "--calibrate", "temperature").out
    assert "robabilit" not in mcsvm("train", hostile).out


def test_a_class_of_two_rows_is_a_sentence_and_nothing_is_written(tmp_path: Path) -> None:
    data, model = tmp_path / "rare.csv", tmp_path / "m.mcsvm"
    data.write_text("x,label\n" + "".join(f"{row},{'rare' if row < 2 else 'common'}\n" for row in range(30)))
    answer = mcsvm("train", data, "--calibrate", "temperature", "--model", model)
    assert answer.code == 2
    assert "'rare' has 2" in answer.err
    assert answer.err.count("\n") == 1
    assert not model.exists()


@pytest.mark.parametrize(("option", "value"), [("--calibrate", "platt"), ("--calibration-folds", "1")])
def test_what_makes_no_sense_is_refused(hostile: Path, option: str, value: str) -> None:
    answer = mcsvm("train", hostile, option, value)
    assert (answer.code, answer.out) == (2, "")
    assert "must be" in answer.err


def test_a_model_without_them_says_how_to_get_them(hostile: Path, tmp_path: Path) -> None:
    model, out = tmp_path / "m.mcsvm", tmp_path / "out.csv"
    mcsvm("train", hostile, "--model", model)
    assert model_file.load(model).calibrated is None
    answer = mcsvm("predict", model, hostile, "--proba", "-o", out)
    assert answer.code == 2
    assert "--calibrate temperature" in answer.err
    assert not out.exists()
    assert mcsvm("predict", model, hostile, "--json").document["probabilities"] is None


def test_rows_that_are_left_out_have_none(hostile: Path, tmp_path: Path) -> None:
    model, holes = tmp_path / "m.mcsvm", tmp_path / "holes.csv"
    mcsvm("train", hostile, "--calibrate", "sigmoid", "--model", model)
    frame = pd.read_csv(hostile)
    frame.loc[1, "a"] = np.nan
    frame.to_csv(holes, index=False)
    found = mcsvm("predict", model, holes, "--missing", "drop", "--proba", "--json").document
    assert found["probabilities"][1] == [None] * len(HOSTILE)
    assert sum(found["probabilities"][0]) == pytest.approx(1.0)
