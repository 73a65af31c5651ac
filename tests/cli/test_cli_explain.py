"""mcsvm explain: the document of the contract, the table, rows in words, flips that predict confirms, refusals."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from command_line import mcsvm

from mcsvm_gui.cli.commands import explain
from mcsvm_gui.cli.interrupt import Interrupt


def test_the_document_is_that_of_the_contract(model: Path, blobs: Path, tmp_path: Path) -> None:
    out = tmp_path / "values.csv"
    answer = mcsvm("explain", model, blobs, "--rows", "3,5-6", "--background", 20, "--json", "-o", out)
    assert answer.code == 0
    found = answer.document
    assert found["columns"] == ["width", "height"]
    assert found["outputs"] == ["class 0", "class 1", "class 2"]
    assert [row["row"] for row in found["rows"]] == [3, 5, 6]
    decided = mcsvm("predict", model, blobs, "--scores", "--json").document
    for row in found["rows"]:
        assert row["class"] == decided["predictions"][row["row"] - 1]
        np.testing.assert_allclose(row["decision"], decided["scores"][row["row"] - 1])
        sums = np.array(row["base"]) + np.array(row["values"]).sum(axis=0)
        np.testing.assert_allclose(sums, row["decision"], atol=1e-10)
        assert row["sum_error"] < 1e-10
    lines = list(csv.DictReader(out.read_text("utf-8").splitlines()))
    assert len(lines) == 9
    assert float(lines[0]["width"]) == found["rows"][0]["values"][0][0]


def test_in_words_what_counts_most_comes_first(model: Path, blobs: Path) -> None:
    answer = mcsvm("explain", model, blobs, "--rows", "1")
    assert answer.code == 0
    assert answer.out.startswith("row 1: 'class 0' against")
    first, second = (float(line.split()[0]) for line in answer.out.splitlines()[1:3])
    assert abs(first) >= abs(second)
    assert "1 row explained" in answer.out


def test_a_flip_is_what_predict_says(model: Path, blobs: Path, tmp_path: Path) -> None:
    found = mcsvm("explain", model, blobs, "--rows", "1-6", "--flip", "--json").document
    lines = blobs.read_text("utf-8").splitlines()
    changed = [lines[0]]
    for row in found["rows"]:
        flip, cells = row["flip"], lines[row["row"]].split(",")
        assert flip["from"] == row["class"] != flip["to"]
        for name, (_, after) in flip["changes"].items():
            cells[{"width": 0, "height": 2}[name]] = repr(after)
        changed.append(",".join(cells))
    path = tmp_path / "changed.csv"
    path.write_text("\n".join(changed) + "\n")
    predicted = mcsvm("predict", model, path, "--json").document["predictions"]
    assert predicted == [row["flip"]["to"] for row in found["rows"]]
    fixed = mcsvm("explain", model, blobs, "--rows", "1", "--flip", "--fix", "width", "--json").document
    assert "width" not in fixed["rows"][0]["flip"]["changes"]
    none = mcsvm("explain", model, blobs, "--rows", "1", "--flip", "--fix", "width,height")
    assert "no change found: no column" in none.out
    assert "decided 'class" in mcsvm("explain", model, blobs, "--rows", "1", "--flip").out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--rows", "0"), "--rows: 0 is not within 1 to 60"),
        (("--rows", "5-3"), "--rows: 5-3 is not within"),
        (("--rows", "61"), "--rows: 61 is not within 1 to 60"),
        (("--rows", "a"), "--rows: 'a' is no row"),
        (("--background", "0"), "--background: "),
        (("--fix", "width"), "--fix says what --flip leaves"),
        (("--flip", "--fix", "x"), "--fix: there is no column 'x'"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(
    model: Path, blobs: Path, arguments: tuple[str, ...], complaint: str
) -> None:
    assert complaint in mcsvm("explain", model, blobs, *arguments).complaint


def test_sampled_values_come_with_standard_errors(tmp_path: Path) -> None:
    data, model, out = tmp_path / "data.csv", tmp_path / "sigmoid.mcsvm", tmp_path / "out.csv"
    rows = np.random.default_rng(0).normal(size=(60, 4))
    lines = (",".join(f"{x:.3f}" for x in row) + f",{'ab'[int(row.sum() > 0)]}" for row in rows)
    data.write_text("p,q,r,s,label\n" + "\n".join(lines) + "\n")
    mcsvm("train", data, "--kernel", "sigmoid", "--gamma", "0.3", "--model", model, "--quiet")  # it may stall
    sizes = []
    for count in (40, 4_000):
        done = mcsvm("explain", model, data, "--rows", "1-2", "--background", "5", "--permutations", count, "--json")
        row = done.document["rows"][0]
        assert np.shape(row["standard_errors"]) == np.shape(row["values"])
        assert row["sum_error"] < 1e-12
        sizes.append(np.sum(row["standard_errors"]))
    assert 0.0 < sizes[1] < 0.3 * sizes[0]
    words = mcsvm("explain", model, data, "--rows", "1", "-o", out).out
    assert "The values are sampled; their standard errors are at most" in words
    header, *_ = csv.reader(out.read_text("utf-8").splitlines())
    columns = header[6:]
    assert columns[len(columns) // 2 :] == [f"standard error {name}" for name in columns[: len(columns) // 2]]
    assert "--permutations" in mcsvm("explain", model, data, "--permutations", "0").complaint


def test_values_of_polynomials_are_exact(blobs: Path, tmp_path: Path) -> None:
    model = tmp_path / "poly.mcsvm"
    assert mcsvm("train", blobs, "--kernel", "polynomial", "--model", model, "--quiet").code == 0
    row = mcsvm("explain", model, blobs, "--rows", "1", "--json").document["rows"][0]
    assert "standard_errors" not in row
    assert row["sum_error"] < 1e-12


def test_hostile_names_are_no_formulas_and_no_columns(tmp_path: Path) -> None:
    data, model, out = tmp_path / "hostile.csv", tmp_path / "hostile.mcsvm", tmp_path / "out.csv"
    rng = np.random.default_rng(0)
    rows = (f"{a:.3f},{b:.3f},{'=1+1' if a > b else '<b>'}" for a, b in rng.normal(size=(40, 2)))
    data.write_text('"=cmd()","@x,y",label\n' + "\n".join(rows) + "\n")
    assert mcsvm("train", data, "--model", model, "--quiet").code == 0
    assert mcsvm("explain", model, data, "--rows", "1-3", "-o", out, "--quiet").code == 0
    header, *lines = csv.reader(out.read_text("utf-8").splitlines())
    assert header[-2:] == ["'=cmd()", "'@x,y"]
    assert len(lines) == 3
    assert {line[1] for line in lines} <= {"'=1+1", "<b>"}


def test_ctrl_c_keeps_the_rows_that_are_done(model: Path, blobs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Pressed(Interrupt):
        """After two looks."""

        looks = 0

        @property
        def requested(self) -> bool:
            Pressed.looks += 1
            return Pressed.looks > 2

        @requested.setter
        def requested(self, value: bool) -> None:
            assert not value

    monkeypatch.setattr(explain, "Interrupt", Pressed)
    answer = mcsvm("explain", model, blobs, "--json")
    assert answer.code == 130
    rows = answer.document["rows"]
    assert 0 < len(rows) < 60
    assert all(row["sum_error"] < 1e-10 for row in rows)
