"""A column of weights: which it is, what it may hold, and what it is to a file without labels."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import mcsvm

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.readers import ReadOptions, open_dataset

ROWS = "x,z,class,w\n1,2,a,{}\n2,1,b,{}\n3,5,a,{}\n4,4,b,{}\n"
GOOD = "1", "2", "0.5", "3"


def file(tmp_path: Path, *weights: str) -> Path:
    path = tmp_path / "rows.csv"
    path.write_text(ROWS.format(*weights), "utf-8")
    return path


@pytest.mark.parametrize("named", ["w", "W", 4, -1, "4"])
def test_weights_are_no_feature(named: str | int, tmp_path: Path) -> None:
    found = open_dataset(file(tmp_path, *GOOD), ReadOptions(weights=named))
    assert [column.name for column in found.columns] == ["x", "z"]
    assert found.weight_name == "w"
    assert found.weights is not None
    assert found.weights.tolist() == [1.0, 2.0, 0.5, 3.0]
    assert found.take([2, 0]).weights.tolist() == [0.5, 1.0]  # type: ignore[union-attr]


def test_rows_of_weight_0_are_no_rows(tmp_path: Path) -> None:
    """Nor are their missing cells missed, nor their classes known."""
    path = tmp_path / "rows.csv"
    path.write_text("x,class,w\n1,a,1\n,c,0\n3,b,2\n4,a,0\n", "utf-8")
    found = open_dataset(path, ReadOptions(weights="w"))
    assert (found.rows, found.weightless, found.missing, found.classes) == (2, 2, 0, ("a", "b"))
    assert found.lines is not None
    assert found.lines.tolist() == [2, 4]
    assert [notice.code for notice in found.notices] == ["weightless-rows", "single-row-class"]
    assert '2 rows of weight 0 in column "w" are left out' in found.notices[0].sentence
    every = open_dataset(path, ReadOptions(weights="w"), needs_label=False)
    assert (every.rows, every.weightless) == (4, 0)
    counting = every.counting()
    assert (counting.rows, counting.weightless, counting.digest) == (2, 2, found.digest)


def test_the_last_column_is_no_label_where_it_holds_weights(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("x,kind,w\n1,a,1\n3,b,2\n4,a,1\n", "utf-8")
    found = open_dataset(path, ReadOptions(weights="w"))
    assert found.label_name == "kind"
    named = ReadOptions(groups="kind", fold_column="w")
    path.write_text("x,z,kind,w\n1,a,k1,1\n3,b,k2,2\n4,a,k1,1\n", "utf-8")
    assert open_dataset(path, named).label_name == "z"
    path.write_text("x,class,y\n1,3,a\n3,2,b\n4,1,a\n", "utf-8")
    assert open_dataset(path, ReadOptions(weights="class")).label_name == "y"


@pytest.mark.parametrize(
    ("weights", "line", "said"),
    [
        (("1", "-2", "1", "1"), 3, '-2 in column "w" is no weight'),
        (("1", "1", "nan", "1"), 4, 'weight'),
        (("1", "1", "1", "inf"), 5, '"inf" in column "w" is no weight'),
        (("1", "1e999", "1", "1"), 3, 'inf in column "w" is no weight'),
        (("1", "", "1", ""), 3, '2 rows have no weight in column "w" (lines 3 and 5); fill the cells in, or write 0'),
        (("1", "much", "1", "1"), 3, '"much" in column "w" is no weight; the weight of a row is a number of at least'),
        (("0", "0", "0", "0"), None, 'every weight in column "w" is 0'),
        (("1e308", "1e308", "1", "1"), None, 'the weights in column "w" are too large'),
        (("1", "0", "2", "0"), None, 'only rows of class "a" have a weight above 0 in column "w"'),
    ],
)  # fmt: skip
def test_what_is_no_weight_is_refused(weights: tuple[str, ...], line: int | None, said: str, tmp_path: Path) -> None:
    path = file(tmp_path, *weights)
    with pytest.raises(FileError) as caught:
        open_dataset(path, ReadOptions(weights="w"))
    assert said in str(caught.value)
    assert (caught.value.line, caught.value.column) == (line, "w")
    assert "--" not in caught.value.what.template
    complaint = mcsvm("train", path, "--weights", "w", "--model", tmp_path / "m.mcsvm").complaint
    assert complaint.startswith(f"error: {path}{'' if line is None else f':{line}'}: ")
    assert not (tmp_path / "m.mcsvm").exists()


def test_another_column_is_asked_for(tmp_path: Path) -> None:
    path = file(tmp_path, *GOOD)
    assert 'there is no column "heft"; there are' in mcsvm("train", path, "--weights", "heft").complaint
    both = mcsvm("train", path, "--weights", "w", "--label", "w").complaint
    assert 'column "w" cannot be both the label and the weight of its row; say --weights with another' in both
    plain = open_dataset(path, ReadOptions(weights="heft"), needs_label=False)
    assert plain.weights is None
    assert "so all rows count alike" in plain.notices[0].sentence


def test_a_sparse_file_of_numbered_columns_has_none(tmp_path: Path) -> None:
    path = tmp_path / "rows.libsvm"
    path.write_text("1 1:2 2:1\n2 1:1 2:3\n", "utf-8")
    assert "a LIBSVM file has no column of weights" in mcsvm("train", path, "--weights", "2").complaint


ARFF = """@relation r
@attribute x numeric
@attribute w numeric
@attribute z numeric
@attribute class {a,b}
@data
"""


@pytest.mark.parametrize("rows", ["1,2,0,a\n3,0,1,b\n4,1,2,b\n", "{0 1,1 2}\n{0 3,2 1,3 b}\n{0 4,1 1,2 2,3 b}\n"])
def test_arff(rows: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.arff"
    path.write_text(ARFF + rows, "utf-8")
    found = open_dataset(path, ReadOptions(weights="w"))
    assert [column.name for column in found.columns] == ["x", "z"]
    assert found.weights is not None
    assert (found.weights.tolist(), found.weightless) == ([2.0, 1.0], 1)
    held = found.table.to_numpy() if found.table is not None else found.matrix.toarray()  # type: ignore[union-attr]
    np.testing.assert_array_equal(held, [[1.0, 0.0], [4.0, 2.0]])


@pytest.mark.parametrize("suffix", ["parquet", "xlsx"])
def test_typed_tables(suffix: str, tmp_path: Path) -> None:
    pytest.importorskip({"parquet": "pyarrow", "xlsx": "openpyxl"}[suffix])
    frame = pd.DataFrame({"x": [1.5, 2.0, 4.0], "w": [2, 0, 1], "class": ["a", "b", "b"]})
    path = tmp_path / f"rows.{suffix}"
    frame.to_parquet(path) if suffix == "parquet" else frame.to_excel(path, index=False)
    found = open_dataset(path, ReadOptions(weights="w"))
    assert found.weights is not None
    assert (found.weights.tolist(), found.weightless) == ([2.0, 1.0], 1)


def test_the_command_line_says_what_counts(tmp_path: Path) -> None:
    path, model = file(tmp_path, "1", "2", "0.5", "0"), tmp_path / "m.mcsvm"
    answer = mcsvm("train", path, "--weights", "w", "--model", model, "--json", "--test", path)
    assert answer.document["weights"] == {"column": "w", "total": 3.5, "left_out": 1}
    assert (answer.document["n_train"], answer.document["n_test"]) == (3, 3)
    words = mcsvm("train", path, "--weights", "w").out
    assert "Rows count by the column w: 3.5 in all; 1 row of weight 0 left out." in words
    assert mcsvm("verify", model, path).code == 0
    predicted = mcsvm("predict", model, path, "--json").document
    assert (predicted["n_rows"], predicted["n_scored"]) == (4, 3)
    assert mcsvm("inspect", path, "--weights", "w", "--json").document["weights"] == "w"
    assert mcsvm("train", path, "--json").document["weights"] is None
    assert json.loads(answer.out)["n_features"] == 2
