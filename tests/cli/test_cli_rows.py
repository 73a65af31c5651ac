"""Rows keep their number in the file, their names and their part in training through every command."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from command_line import mcsvm

from tests import lab_files
from tests.lab_files import LabFile

READING = "--drop", "date", "--names", "sample_id", "--groups", "batch"


@pytest.fixture(scope="module")
def lab() -> LabFile:
    return lab_files.spectra(rows=120, points=8, missing=20, seed=5)


@pytest.fixture
def data(lab: LabFile, tmp_path: Path) -> Path:
    return lab.write(tmp_path / "lab.csv")


@pytest.fixture
def trained(data: Path, tmp_path: Path) -> Path:
    """Rows with missing cells are dropped, and groups are held out: what is left is not the first rows."""
    model = tmp_path / "lab.mcsvm"
    answer = mcsvm("train", data, *READING, "--missing", "drop", "--holdout", 0.3, "--model", model, "--quiet")
    assert answer.code == 0
    return model


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def whole_rows(lab: LabFile) -> list[int]:
    """Numbers of the rows without a missing cell."""
    return [number for number, row in enumerate(zip(*lab.columns.values(), strict=True), 1) if None not in row]


def test_predictions_begin_with_the_row_and_its_names(data: Path, trained: Path, lab: LabFile) -> None:
    rows = table(mcsvm("predict", trained, data, "--quiet").out)
    assert list(rows[0]) == ["row", "sample_id", "prediction"]
    assert [row["row"] for row in rows] == [str(number) for number in range(1, lab.rows + 1)]
    assert [row["sample_id"] for row in rows] == lab.columns["sample_id"]
    document = mcsvm("predict", trained, data, "--json").document
    assert document["rows"] == list(range(1, lab.rows + 1))
    assert [names["sample_id"] for names in document["names"]] == lab.columns["sample_id"]


def test_other_columns_are_kept_as_the_file_has_them(data: Path, trained: Path, lab: LabFile) -> None:
    rows = table(mcsvm("predict", trained, data, "--keep", "origin,date,A_900nm", "--quiet").out)
    assert list(rows[0]) == ["row", "sample_id", "origin", "date", "A_900nm", "prediction"]
    assert [row["date"] for row in rows] == lab.columns["date"]
    assert [row["origin"] for row in rows] == lab.labels
    values = [float(row["A_900nm"]) if row["A_900nm"] else None for row in rows]
    assert values == [None if cell is None else float(f"{cell:.6g}") for cell in lab.columns["A_900nm"]]


def test_a_column_to_be_kept_that_is_not_there_is_refused(data: Path, trained: Path) -> None:
    assert "colour" in mcsvm("predict", trained, data, "--keep", "colour").complaint


def test_chosen_rows_keep_the_numbers_of_the_file(data: Path, trained: Path, lab: LabFile) -> None:
    rows = table(mcsvm("predict", trained, data, "--where", "CLASS=Robusta", "--quiet").out)
    expected = [number for number, label in enumerate(lab.labels, 1) if label == "Robusta"]
    assert [int(row["row"]) for row in rows] == expected
    assert [row["sample_id"] for row in rows] == [f"S-{number:04d}" for number in expected]


def test_explained_rows_are_those_of_the_file(data: Path, trained: Path, lab: LabFile, tmp_path: Path) -> None:
    out = tmp_path / "values.csv"
    whole = whole_rows(lab)
    wanted = whole[10], whole[40]
    answer = mcsvm("explain", trained, data, "--rows", f"{wanted[0]},{wanted[1]}", "-o", out, "--json")
    said = [(row["row"], row["names"]["sample_id"]) for row in answer.document["rows"]]
    assert said == [(number, f"S-{number:04d}") for number in wanted]
    rows = table(out.read_text("utf-8"))
    assert list(rows[0])[:3] == ["row", "sample_id", "class"]
    assert {(int(row["row"]), row["sample_id"]) for row in rows} == set(said)
    words = mcsvm("explain", trained, data, "--rows", wanted[0]).out
    assert f"row {wanted[0]}, sample_id S-{wanted[0]:04d}:" in words


def test_explained_rows_among_chosen_ones_keep_their_numbers(data: Path, trained: Path, lab: LabFile) -> None:
    number = next(row for row in whole_rows(lab) if row > 60 and lab.labels[row - 1] == "Robusta")
    answer = mcsvm("explain", trained, data, "--where", "CLASS=Robusta", "--rows", number, "--json")
    assert [row["row"] for row in answer.document["rows"]] == [number]
    other = next(row for row, label in enumerate(lab.labels, 1) if label == "Arabica")
    refusal = mcsvm("explain", trained, data, "--where", "CLASS=Robusta", "--rows", other).complaint
    assert f"row {other} is not among the rows" in refusal


def test_rows_of_a_folder_have_a_file_and_their_number_in_it(lab: LabFile, trained: Path, tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    lab.taken(range(50)).write(folder / "a.csv")
    lab.taken(range(50, 120)).write(folder / "b.csv")
    rows = table(mcsvm("predict", trained, folder, "--quiet").out)
    assert list(rows[0]) == ["row", "file", "sample_id", "prediction"]
    expected = [("a.csv", number) for number in range(1, 51)] + [("b.csv", number) for number in range(1, 71)]
    assert [(row["file"], int(row["row"])) for row in rows] == expected
    assert [row["sample_id"] for row in rows] == lab.columns["sample_id"]


def test_libsvm_rows_count_data_lines(tmp_path: Path) -> None:
    data, model = tmp_path / "d.libsvm", tmp_path / "m.mcsvm"
    lines = [f"{number % 2} 1:{number % 2 + 0.01 * number}" for number in range(20)]
    data.write_text("# a comment\n\n" + "\n".join(lines) + "\n", "utf-8")
    assert mcsvm("train", data, "--model", model, "--quiet").code == 0
    rows = table(mcsvm("predict", model, data, "--where", "CLASS=1", "--quiet").out)
    assert [int(row["row"]) for row in rows] == list(range(2, 21, 2))


def test_numbers_are_the_same_where_a_file_is_read_block_by_block(
    data: Path, trained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mcsvm_gui.core.data.blocks import cutting

    arguments = "predict", trained, data, "--where", "CLASS=Robusta", "--keep", "date", "--json"
    whole = mcsvm(*arguments).document
    monkeypatch.setattr(cutting, "BLOCK", 600)
    monkeypatch.setattr(cutting, "ROWS", 3)
    assert mcsvm(*arguments).document == whole
    assert len(set(whole["rows"])) == len(whole["rows"]) > 20


def test_accuracy_is_that_of_rows_not_trained_on(data: Path, trained: Path, lab: LabFile) -> None:
    """The oracle: the rows tested are those of the training document, by its own count of right ones."""
    said = mcsvm("train", data, *READING, "--missing", "drop", "--holdout", 0.3, "--json").document
    answer = mcsvm("predict", trained, data, "--json")
    document = answer.document
    assert document["n_trained_on"] == said["n_train"]
    assert document["n_scored"] == said["n_test"]
    assert document["accuracy"] == pytest.approx(said["test_accuracy"])
    right = [found == true for found, true in zip(document["predictions"], lab.labels, strict=True) if found]
    assert document["all_rows"]["accuracy"] == pytest.approx(np.mean(right))
    assert document["all_rows"]["accuracy"] > document["accuracy"]
    words = mcsvm("predict", trained, data, "-o", trained.with_suffix(".out.csv")).out
    counted = said["n_train"] + said["n_test"]
    assert f"{said['n_train']} of these {counted} rows were used for training. " in words
    assert f"Accuracy on the other {said['n_test']}: {100 * said['test_accuracy']:.1f}%" in words


def test_evaluation_measures_rows_not_trained_on(data: Path, trained: Path, lab: LabFile) -> None:
    said = mcsvm("train", data, *READING, "--missing", "drop", "--holdout", 0.3, "--json").document
    document = mcsvm("evaluate", trained, data, "--json").document
    assert (document["n"], document["n_trained_on"]) == (said["n_test"], said["n_train"])
    assert document["accuracy"] == pytest.approx(said["test_accuracy"])
    assert document["all_rows"]["n"] == said["n_train"] + said["n_test"]
    predicted = mcsvm("predict", trained, data, "--json").document["predictions"]
    assert len(document["misclassified"]) == round((1.0 - said["test_accuracy"]) * said["n_test"]) > 0
    for row in document["misclassified"]:
        assert row["names"] == {"sample_id": f"S-{row['row']:04d}"}
        assert (row["true"], row["predicted"]) == (lab.labels[row["row"] - 1], predicted[row["row"] - 1])
        assert row["true"] != row["predicted"]
    first, *others = mcsvm("evaluate", trained, data).out.splitlines()
    counted = said["n_train"] + said["n_test"]
    assert first.startswith(f"{said['n_train']} of these {counted} rows were used for training.")
    assert "Means over classes are over 4 of 5: the others have no rows here." in others
    assert next(line for line in others if "unknown" in line).split() == ["unknown", "–"]  # noqa: RUF001 - a dash


def test_another_file_was_not_trained_on(data: Path, trained: Path, lab: LabFile, tmp_path: Path) -> None:
    other = lab.taken(range(119, -1, -1)).write(tmp_path / "other.csv")
    document = mcsvm("predict", trained, other, "--json").document
    assert (document["n_trained_on"], document["all_rows"]) == (0, None)


def test_a_packed_copy_of_the_training_file_is_known(data: Path, trained: Path, tmp_path: Path) -> None:
    import gzip

    packed = tmp_path / "copy.csv.gz"
    packed.write_bytes(gzip.compress(data.read_bytes()))
    plain = mcsvm("predict", trained, data, "--json").document
    assert mcsvm("predict", trained, packed, "--json").document == plain


def test_the_rows_of_one_training_file_are_known_outside_its_folder(lab: LabFile, tmp_path: Path) -> None:
    folder, model = tmp_path / "parts", tmp_path / "m.mcsvm"
    folder.mkdir()
    lab.taken(range(50)).write(folder / "a.csv")
    lab.taken(range(50, 120)).write(folder / "b.csv")
    arguments = *READING, "--missing", "mean", "--holdout", 0.3
    assert mcsvm("train", folder, *arguments, "--model", model, "--quiet").code == 0
    whole = mcsvm("predict", model, folder, "--json").document
    parts = [mcsvm("predict", model, folder / name, "--json").document for name in ("a.csv", "b.csv")]
    assert whole["n_trained_on"] == sum(part["n_trained_on"] for part in parts) > 0
    assert whole["n_scored"] == sum(part["n_scored"] for part in parts) > 0


def test_a_column_with_a_role_is_no_unknown_column(data: Path, trained: Path) -> None:
    warnings = json.dumps(mcsvm("predict", trained, data, "--json").document["warnings"])
    assert "did not have" not in warnings


def test_a_group_column_is_no_unknown_column_where_it_is_read_as_a_feature(data: Path, trained: Path) -> None:
    from mcsvm_gui.core.data.readers import ReadOptions, open_dataset
    from mcsvm_gui.core.machine import model_file

    rows = open_dataset(data, ReadOptions(drop=("date",)), needs_label=False)
    assert "batch" in [column.name for column in rows.columns]
    notices = model_file.load(trained).predictions(rows).notices
    assert not [notice for notice in notices if notice.code == "unknown columns"]
