"""mcsvm predict --sets: the classes that a row may be of, and rows that may be of none."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from command_line import mcsvm

from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.machine import model_file

CLASSES = [f"class {number}" for number in range(3)]


@pytest.fixture
def calibrated(blobs: Path, tmp_path: Path) -> Path:
    path = tmp_path / "calibrated.mcsvm"
    assert mcsvm("train", blobs, "--model", path, "--calibrate", "temperature", "--quiet").code == 0
    return path


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_columns_say_what_is_in_the_set_and_the_document_says_the_same(calibrated: Path, other: Path) -> None:
    rows = rows_of(mcsvm("predict", calibrated, other, "--sets", 0.2, "--quiet").out)
    assert list(rows[0]) == ["row", "prediction", *(f"in set {name}" for name in CLASSES), "none of these"]
    found = mcsvm("predict", calibrated, other, "--sets", 0.2, "--json").document
    named = [[name for name in CLASSES if row[f"in set {name}"] == "1"] for row in rows]
    assert found["sets"] == named
    assert found["none_of_these"] == [row["none of these"] == "1" for row in rows]
    decisions = model_file.load(calibrated).predictions(open_dataset(other), sets=True)
    assert decisions.members(0.2).sum() == sum(map(len, named))
    assert {len(one) for one in named} > {1}, "some rows may be of several classes"


def test_a_smaller_error_makes_larger_sets(calibrated: Path, other: Path) -> None:
    sizes = []
    for error in (0.5, 0.2, 0.05):
        found = mcsvm("predict", calibrated, other, "--sets", error, "--json").document
        sizes.append(sum(map(len, found["sets"])))
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]


def test_rows_far_away_are_none_of_these(calibrated: Path, tmp_path: Path) -> None:
    far = tmp_path / "far.csv"
    far.write_text("width,height\n1e3,-2e4\n-500,9e4\n", "utf-8")
    assert mcsvm("predict", calibrated, far, "--sets", 0.1, "--json").document["none_of_these"] == [True, True]


def test_they_stand_behind_scores_and_probabilities(calibrated: Path, other: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    words = "--scores", "--proba", "--sets", 0.1, "-o", target
    assert mcsvm("predict", calibrated, other, *words).code == 0
    header = target.read_text("utf-8").splitlines()[0].split(",")
    kinds = [name.rpartition(" class")[0] for name in header]
    assert kinds == ["", "", *["score"] * 3, *["probability"] * 3, *["in set"] * 3, ""]


def test_rows_that_are_left_out_have_no_set(blobs: Path, tmp_path: Path) -> None:
    model, data = tmp_path / "m.mcsvm", tmp_path / "gaps.csv"
    words = "--missing", "drop", "--calibrate", "temperature", "--quiet"
    assert mcsvm("train", blobs, "--model", model, *words).code == 0
    data.write_text("width,height\n1,2\n,3\n", "utf-8")
    rows = rows_of(mcsvm("predict", model, data, "--sets", 0.1, "--quiet").out)
    assert rows[1].pop("row") == "2"
    assert set(rows[1].values()) == {""}
    found = mcsvm("predict", model, data, "--sets", 0.1, "--json").document
    assert (found["sets"][1], found["none_of_these"][1]) == (None, None)


@pytest.mark.parametrize("text", ["0", "1", "2", "none"])
def test_an_error_that_is_no_share_is_refused(calibrated: Path, other: Path, text: str) -> None:
    assert "--sets" in mcsvm("predict", calibrated, other, "--sets", text).complaint


def test_a_model_without_sets_says_how_to_get_them(model: Path, other: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    assert "--calibrate" in mcsvm("predict", model, other, "--sets", 0.1, "-o", target).complaint
    assert not target.exists()
