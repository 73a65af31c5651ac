"""Rows by condition, merged classes and a share: in every format, and the same when read again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.data.roles.conditions import conditions, merges

FRAME = pd.DataFrame(
    {
        "x": [1.0, 2.0, 3.0, np.nan, 5.0, 6.0] * 4,
        "colour": ["red", "blue", "red", "", "a=b", "green"] * 4,
        "day": [f"2024-0{1 + j % 6}-15" for j in range(24)],
        "class": list("abcdab") * 4,
    }
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    FRAME.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


def read(path: Path, **options: object) -> Dataset:
    return open_dataset(path, ReadOptions(dates=("day",), **options))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ("CLASS=a,b", FRAME["class"].isin(["a", "b"])),
        ("class!=a", FRAME["class"] != "a"),
        ("x>2", FRAME["x"] > 2),
        ("x <= 2", FRAME["x"] <= 2),
        ("x=2.0,5", FRAME["x"].isin([2, 5])),
        ("x=", FRAME["x"].isna()),
        ("x!=", FRAME["x"].notna()),
        ('colour="a=b",red', FRAME["colour"].isin(["a=b", "red"])),
        ("day>=2024-03-01; class!=d", (FRAME["day"] >= "2024-03") & (FRAME["class"] != "d")),
        ("1<3;2=red", (FRAME["x"] < 3) & (FRAME["colour"] == "red")),
    ],
)
def test_rows_are_those_of_pandas(table: Path, where: str, kept: pd.Series) -> None:
    found = open_dataset(table, ReadOptions(dates=("day",), where=where), needs_label=False)
    assert found.labels is not None
    assert found.labels.tolist() == FRAME["class"][kept].tolist()
    assert found.lines.tolist() == (np.flatnonzero(kept) + 2).tolist()
    assert any(notice.code == "chosen-rows" for notice in found.notices)


def test_nothing_is_said_of_rows_that_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,use,class\n1,yes,a\noops,no,b\n3,yes,b\n,no,c\n5,yes,a\n")
    found = open_dataset(path, ReadOptions(where="use=yes", drop=("use",)))
    assert [column.kind for column in found.columns] == ["number"]
    assert found.missing == 0
    assert found.classes == ("a", "b")


def test_classes_that_count_as_one(table: Path) -> None:
    found = read(table, merge="ab=a+b; other=c+d")
    assert found.classes == ("ab", "other")
    assert found.class_counts == (16, 8)
    with pytest.raises(FileError, match="one class only"):
        read(table, merge="all=a+b+c+d")
    with pytest.raises(FileError, match='no class "z" to be merged; there are "a", "b", "c" and "d"'):
        read(table, merge="new=a+z")


def test_a_share_of_each_class_is_the_same_every_time(table: Path) -> None:
    found, again = read(table, share=0.5), read(table, share=0.5)
    assert found.class_counts == (4, 4, 2, 2)
    assert np.array_equal(found.lines, again.lines)
    assert found.digest == read(table).digest
    assert open_dataset(table, ReadOptions(dates=("day",), label="class", share=0.5), needs_label=False).rows == 24


def test_sparse_rows(tmp_path: Path) -> None:
    path = tmp_path / "t.libsvm"
    path.write_text("1 1:2 3:4\n2 2:1\n1 1:1\n3 3:1\n2 3:9\n")
    assert open_dataset(path, ReadOptions(where="CLASS=1,2")).class_counts == (2, 2)
    assert open_dataset(path, ReadOptions(where="3>0")).labels.tolist() == ["1", "3", "2"]
    assert open_dataset(path, ReadOptions(merge="x=1+2")).classes == ("3", "x")


def test_files_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("x,class\n1,a\n2,b\n")
    (tmp_path / "2.csv").write_text("x,class\n3,c\n4,c\n")
    found = open_dataset(tmp_path, ReadOptions(merge="ab=a+b"))
    assert (found.rows, found.classes) == (4, ("ab", "c"))
    assert open_dataset(tmp_path, ReadOptions(where="CLASS=a,b")).rows == 2
    with pytest.raises(FileError, match="no row is left where"):
        open_dataset(tmp_path, ReadOptions(where="CLASS=z"))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"where": "no condition"}, "'no condition' is no condition; write CLASS=a,b or size>3"),
        ({"where": "x>red"}, "neither a number nor a date"),
        ({"where": "x>1,2"}, "neither a number nor a date"),
        ({"merge": "a+b"}, "'a\\+b' merges no classes; write new=a\\+b"),
        ({"merge": "n=a; m=a"}, "class 'a' cannot become two classes"),
        ({"share": 1.5}, "share must be a share between 0 and 1"),
    ],
)
def test_what_cannot_be_said(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        ReadOptions(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("where", "sentence"),
    [
        ("z=1", 'there is no column "z"'),
        ("x=99", 'no row is left where "x=99"'),
        ("colour>3", "column colour holds nothing that could be compared with 3"),
    ],
)
def test_what_the_file_does_not_have(table: Path, where: str, sentence: str) -> None:
    with pytest.raises(FileError, match=sentence):
        read(table, where=where)


NAMES = st.text(min_size=1).filter(lambda name: name.strip() == name)


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@pytest.mark.slow
@given(NAMES, st.sampled_from(["=", "!="]), st.lists(NAMES, min_size=1))
def test_hostile_names_in_quotation_marks(name: str, sign: str, values: list[str]) -> None:
    [found] = conditions(f" {quoted(name)} {sign} {' , '.join(map(quoted, values))} ;")
    assert (found.column, found.sign, found.values) == (name, sign, tuple(values))
    classes = list(dict.fromkeys(values))
    assert merges(f"{quoted(name)} = {'+'.join(map(quoted, classes))}") == dict.fromkeys(classes, name)


def test_a_class_is_chosen_in_all_spellings_that_are_joined(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,label\n1,Caf\u00e9\n2,Cafe\u0301 \n3,b\n4,c\n", encoding="utf-8")
    assert open_dataset(path, ReadOptions(where="CLASS=Caf\u00e9,b")).lines.tolist() == [2, 4]
    joined = ReadOptions(where="CLASS=Caf\u00e9,b", spellings="join")
    assert open_dataset(path, joined).lines.tolist() == [2, 3, 4]
