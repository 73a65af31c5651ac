"""Datasets and their errors as values."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base.errors import FileError, NoLabelError
from mcsvm_gui.core.data.dataset import Column, Dataset, NumberedColumns
from mcsvm_gui.core.data.inspection import document, inspect, repeated
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.data.spellings import class_order


@pytest.fixture
def found(tmp_path: Path) -> Dataset:
    path = tmp_path / "small.csv"
    path.write_text("x,colour,label\n1,red,b\n,blue,a\n3,,b\n1,red,a\n1,red,b\n", "utf-8")
    return open_dataset(path)


def test_numbers_come_before_text_and_by_value() -> None:
    names = ["b", "10", "9", "-1", "1.0", "1", "nan", "1e999", "inf", "", "Ä"]
    assert sorted(names, key=class_order) == ["-1", "1", "1.0", "9", "10", "", "1e999", "b", "inf", "nan", "Ä"]


def test_what_a_dataset_says_of_itself(found: Dataset) -> None:
    assert Path(found.name).name == "small.csv"
    assert (found.rows, found.classes, found.class_counts, found.missing) == (5, ("a", "b"), (2, 3), 2)
    assert found.columns == (Column("x", "number"), Column("colour", "category"))
    assert found.table["colour"].dtype == object
    assert found.table["colour"].tolist() == ["red", "blue", None, "red", "red"]
    assert found.table["x"].dtype == np.float64
    assert found.lines.tolist() == [2, 3, 4, 5, 6]


@pytest.mark.parametrize("index", [[3, 0], np.array([True, False, False, True, False])])
def test_a_part_is_a_dataset_of_its_own(found: Dataset, index: list[int]) -> None:
    part = found.take(index)
    assert part.rows == 2
    assert sorted(part.labels) == ["a", "b"]
    assert sorted(part.lines) == [2, 5]
    assert part.digest != found.digest
    assert found.take(index).digest == part.digest
    assert part.class_counts == (1, 1)


def test_missing_cells_are_said_with_their_lines(found: Dataset) -> None:
    assert [notice.code for notice in found.notices] == ["missing-cells"]
    assert found.notices[0].sentence == '2 cells are missing in columns "x" and "colour" (lines 3 and 4)'


def test_a_part_of_sparse_data(tmp_path: Path) -> None:
    path = tmp_path / "a.libsvm"
    path.write_text("1 3:1\n2 1:4\n1 2:5\n", "utf-8")
    part = open_dataset(path).take([2, 1])
    assert part.matrix.toarray().tolist() == [[0, 5, 0], [4, 0, 0]]
    assert part.labels.tolist() == ["1", "2"]


def test_columns_by_number_are_made_when_asked_for() -> None:
    columns = NumberedColumns(1, 10**9)
    assert len(columns) == 10**9
    assert columns[2] == Column("3", "number")
    assert columns[-1].name == "1000000000"
    assert [column.name for column in columns[:2]] == ["1", "2"]
    assert [column.name for column in NumberedColumns(0, 2)] == ["0", "1"]


def test_an_error_names_the_place_in_one_line() -> None:
    error = FileError("a.csv", "no\ngood", line=3, column="x")
    assert isinstance(error, InputError)
    assert str(error) == "a.csv:3: no good"
    assert str(FileError("a.csv", "no good")) == "a.csv: no good"


def test_an_error_survives_another_process() -> None:
    copy = pickle.loads(pickle.dumps(NoLabelError("a.csv", "no label", line=1, column="x")))
    assert type(copy) is NoLabelError
    assert (str(copy), copy.line, copy.column) == ("a.csv:1: no label", 1, "x")


def test_rows_that_occur_again_and_points_with_two_labels(found: Dataset) -> None:
    assert repeated(found) == (1, 1)


def test_repeated_rows_are_the_same_in_sparse_data(tmp_path: Path) -> None:
    path = tmp_path / "a.libsvm"
    path.write_text("1 1:1 2:0\n1 1:1\n2 1:1\n2 2:1\n", "utf-8")
    assert repeated(open_dataset(path)) == (1, 1)


def test_the_inspect_document_holds_what_the_contract_says(found: Dataset) -> None:
    shown = document(found)
    assert shown["rows"] == 5
    assert shown["features"] == [{"name": "x", "kind": "number"}, {"name": "colour", "kind": "category"}]
    assert (shown["n_features"], shown["classes"], shown["class_counts"]) == (2, ["a", "b"], [2, 3])
    assert (shown["missing"], len(shown["warnings"])) == (2, 1)


def test_a_file_without_labels_can_be_inspected(tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    path.write_text("x,z\n" + "".join(f"{j},{j / 7}\n" for j in range(20)), "utf-8")
    with pytest.raises(NoLabelError):
        open_dataset(path)
    seen = inspect(path)
    assert (seen.label_name, len(seen.columns)) == (None, 2)
    assert "no-label-column" in {notice.code for notice in seen.notices}
    assert document(seen)["classes"] == []
