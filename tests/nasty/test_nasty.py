"""Every file of `files` is taken, or refused with a sentence, as EXPECT.json says.

Reading only: files named pair_test_* are read as for prediction; what they do to a model is a matter of the commands.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.base.resources import dataset
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.readers import ReadOptions, open_dataset

HERE = Path(__file__).resolve().parent
FILES = HERE / "files"
EXPECT: list[dict[str, Any]] = json.loads((HERE / "EXPECT.json").read_text("utf-8"))
IRIS = [case for case in EXPECT if case["same_as"] == "iris/data.csv"]
ACCEPTED = [case for case in EXPECT if case["verdict"].startswith("accept")]
REFUSED = [case for case in EXPECT if case["verdict"].startswith("reject")]
ABOUT_THE_PAIR = {"pair_test_missing_column.csv", "pair_test_more_features.libsvm", "pair_test_new_class.libsvm"}

# A part of the sentence, and the line, that the refusal of each file has to have.
SENTENCES: dict[str, tuple[str, int | None]] = {
    "thousands_separator.csv": (r'"area".*"1,200"', 2),
    "ragged_long.csv": ("6 fields where 5 are expected", 22),
    "real_valued_labels.csv": ("40 different numbers in 40 rows.*regression", None),
    "overflow.csv": (r'2 infinite or too large.*"x".*lines 4 and 5', 4),
    "nan_inf.csv": ("2 NaN and 3 infinite.*lines 3-7", 3),
    "odd_numbers.csv": (r'"0x10" and "1_000" \(lines 4 and 5\)', 4),
    "empty.csv": ("the file is empty", None),
    "header_only.csv": ("no data rows", None),
    "png_named.csv": ("not a text file", None),
    "git_lfs_pointer.csv": ("Git LFS pointer, data not downloaded", 1),
    "multilabel.libsvm": ("multi-label data is not supported", 1),
    "space_after_colon.libsvm": ("no value behind the colon", 1),
    "nan_inf.libsvm": ("not finite.*lines 1 and 2", 1),
    "float_index.libsvm": ('index "1.5"', 1),
    "index_overflow.libsvm": ("index too large", 1),
    "empty.libsvm": ("the file is empty", None),
    "csv_named.libsvm": ("begins no LIBSVM row.*--format csv", 1),
}


def name(case: dict[str, Any]) -> str:
    return str(case["file"])


def opened(file: str, options: ReadOptions | None = None) -> Dataset:
    return open_dataset(FILES / file, options or ReadOptions(), needs_label=not file.startswith("pair_test"))


def test_no_file_is_forgotten() -> None:
    assert sorted(name(case) for case in EXPECT) == sorted(path.name for path in FILES.iterdir())


@pytest.mark.parametrize("case", ACCEPTED, ids=name)
def test_accepted_with_these_rows_features_and_classes(case: dict[str, Any]) -> None:
    found = opened(case["file"])
    assert (found.rows, len(found.columns)) == (case["rows"], case["features"])
    assert (len(found.classes) or None) == case["classes"]
    assert sum(found.class_counts) == (0 if case["classes"] is None else found.rows)
    if case["verdict"] == "accept with warning" and case["file"] not in ABOUT_THE_PAIR:
        assert found.notices


@pytest.mark.parametrize("case", [case for case in REFUSED if case["file"] in SENTENCES], ids=name)
def test_refused_with_a_sentence(case: dict[str, Any]) -> None:
    sentence, line = SENTENCES[case["file"]]
    with pytest.raises(FileError) as error:
        opened(case["file"])
    assert re.search(sentence, str(error.value))
    assert error.value.line == line
    assert str(error.value).startswith(str(FILES / case["file"]) + (f":{line}: " if line else ": "))
    assert "\n" not in str(error.value)


def test_what_is_neither_accepted_nor_refused_is_warned_of() -> None:
    left = {name(case) for case in REFUSED} - set(SENTENCES)
    assert left == {"column_all_missing.csv", "pair_test_missing_column.csv"}
    assert [notice.code for notice in opened("column_all_missing.csv").notices] == ["all-missing-column"]


@pytest.mark.parametrize("case", [case for case in IRIS if case["verdict"] != "reject"], ids=name)
def test_the_same_numbers_as_the_plain_file(case: dict[str, Any]) -> None:
    found, iris = opened(case["file"]), pd.read_csv(dataset("iris"))
    values = found.matrix.toarray() if found.matrix is not None else found.table.to_numpy()
    assert values.dtype == np.float64
    np.testing.assert_array_equal(values, iris.drop(columns="label").to_numpy())
    codes = pd.Series(found.labels).factorize()[0]
    np.testing.assert_array_equal(codes, iris["label"].factorize()[0])
    assert {column.kind for column in found.columns} == {"number"}


@pytest.mark.parametrize(
    ("file", "classes"),
    [
        ("float_labels.csv", ("1.0", "2.0", "3.0")),
        ("na_like_labels.csv", ("NA", "None", "nan", "null")),
        ("label_spaces.csv", ("a", "b")),
        ("multi_label_cell.csv", ("a", "a,b", "a,c", "b")),
        ("bool_labels.csv", ("False", "True")),
        ("utf8_labels.csv", ("собака", "猫", "\U0001f41f")),
        ("negative_labels.libsvm", ("-7", "-1", "1")),
        ("string_labels.libsvm", ("setosa", "versicolor", "virginica")),
    ],
)
def test_class_names_are_text_as_in_the_file(file: str, classes: tuple[str, ...]) -> None:
    assert opened(file).classes == classes


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("index_column.csv", "row-names"),
        ("duplicate_headers.csv", "duplicate-header"),
        ("bool_labels.csv", "label-truth-values"),
        ("label_spaces.csv", "label-blanks"),
        ("singleton_class.csv", "single-row-class"),
        ("multi_label_cell.csv", "multi-label"),
        ("all_constant.csv", "constant-column"),
        ("comment_lines.csv", "comment-lines"),
        ("many_classes.csv", "many-classes"),
        ("na_like_labels.csv", "label-like-missing"),
        ("negative_labels.libsvm", "label-spellings"),
    ],
)
def test_warned_of(file: str, code: str) -> None:
    assert code in {notice.code for notice in opened(file).notices}


@pytest.mark.parametrize(
    ("file", "guess"),
    [
        ("semicolon_decimal_comma.csv", ("separator", ";", "--separator")),
        ("semicolon_decimal_comma.csv", ("decimal", ",", "--decimal")),
        ("whitespace.txt", ("header", "no", "--header")),
        ("whitespace.txt", ("separator", "whitespace", "--separator")),
        ("tabs.tsv", ("separator", "tab", "--separator")),
        ("utf16be_bom.csv", ("encoding", "utf-16", "--encoding")),
        ("label_middle_strings.csv", ("label column", "label", "--label")),
        ("header_case.csv", ("label column", "LABEL", "--label")),
    ],
)
def test_guesses_are_said(file: str, guess: tuple[str, str, str]) -> None:
    assert guess in {(one.what, one.value, one.option) for one in opened(file).guesses}


def test_the_sparse_rows_that_leave_their_class_out_are_of_the_first() -> None:
    found = opened("sparse.arff")
    assert found.labels.tolist() == ["y", "x", "y", "x"]
    assert found.matrix.toarray().tolist()[0] == [1.5, 0.0, 0.0]


def test_a_prediction_file_keeps_its_last_column() -> None:
    found = opened("pair_test_no_label.csv")
    assert (found.label_name, found.labels) == (None, None)
    assert found.columns[-1].name == "petal_width"


def test_the_label_is_found_by_name_in_any_case() -> None:
    assert opened("header_case.csv", ReadOptions(label="label")).label_name == "LABEL"
    assert opened("bom_label_first.csv", ReadOptions(label="label")).label_name == "label"


def test_packing_does_not_change_the_digest() -> None:
    plain = opened("plain_named.csv.gz").digest
    assert opened("iris.csv.gz").digest == plain == opened("multi_member.csv.gz").digest
    assert opened("crlf.csv").digest != plain
