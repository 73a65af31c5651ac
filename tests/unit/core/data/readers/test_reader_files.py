"""Parquet and Excel, where their packages are installed; a sentence where they are not."""

from __future__ import annotations

import datetime
import importlib
import io
from collections.abc import Callable

import pandas as pd
import pytest

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset

Read = Callable[..., Dataset]
FRAME = pd.DataFrame({"x": [1.5, None, 3.0], "n": [1, 2, 3], "c": ["1", "b", None], "t": [True, False, True]})
LABELLED = FRAME.assign(label=["a", "nan", "a"])
WORDS = LABELLED.assign(c=["r", "b", None])


def parquet(frame: pd.DataFrame) -> bytes:
    pytest.importorskip("pyarrow")
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    return buffer.getvalue()


def workbook(**sheets: pd.DataFrame) -> bytes:
    pytest.importorskip("openpyxl")
    buffer = io.BytesIO()
    with pd.ExcelWriter(buffer, engine="openpyxl") as writer:
        for name, frame in sheets.items():
            frame.to_excel(writer, sheet_name=name, index=False)
    return buffer.getvalue()


def test_parquet(read: Read) -> None:
    found = read(parquet(LABELLED), "a.csv")
    assert found.format == "parquet"
    assert [(column.name, column.kind[0]) for column in found.columns] == [
        ("x", "n"),
        ("n", "n"),
        ("c", "c"),
        ("t", "c"),
    ]
    assert found.table["c"].tolist() == ["1", "b", None]
    assert found.table["t"].tolist() == ["True", "False", "True"]
    assert (found.missing, found.labels.tolist()) == (2, ["a", "nan", "a"])


@pytest.mark.parametrize("date", [pd.Timestamp("2024-01-01"), datetime.date(2024, 1, 1)])
def test_parquet_columns_of_dates_are_left_out(read: Read, date: object) -> None:
    found = read(parquet(LABELLED.assign(when=[date] * 3)))
    assert found.unused == ("when",)
    notice = next(one for one in found.notices if one.code == "date-column")
    assert '"when" holds dates or times, such as "2024-01-01' in str(notice.sentence)


@pytest.mark.parametrize("strange", [[1, 2], b"ab", datetime.timedelta(1)])
def test_parquet_columns_that_are_no_features(read: Read, strange: object) -> None:
    with pytest.raises(FileError, match='"when" holds') as error:
        read(parquet(LABELLED.assign(when=[strange] * 3)))
    assert error.value.column == "when"


def test_parquet_labels_as_numbers_and_infinite_features(read: Read) -> None:
    assert read(parquet(FRAME.assign(label=[1, 2, 1]))).labels.tolist() == ["1", "2", "1"]
    with pytest.raises(FileError, match=r'1 infinite or too large in column "x"'):
        read(parquet(LABELLED.assign(x=[1.0, float("inf"), 2.0])))


def test_excel(read: Read) -> None:
    found = read(workbook(first=WORDS, second=FRAME), "a.xlsx")
    assert found.format == "xlsx"
    assert found.table["x"].isna().tolist() == [False, True, False]
    assert found.table["n"].tolist() == [1.0, 2.0, 3.0]
    assert found.labels.tolist() == ["a", "nan", "a"]
    assert found.lines.tolist() == [2, 3, 4]
    assert "several-tables" in {notice.code for notice in found.notices}


def test_another_sheet_of_a_workbook(read: Read) -> None:
    book = workbook(first=WORDS, second=WORDS.iloc[:2])
    found = read(book, "a.xlsx", table="SECOND")
    assert (found.rows, found.tables) == (2, ("first", "second"))
    assert found.digest != read(book, "a.xlsx", table="first").digest
    with pytest.raises(FileError, match='no table "third"'):
        read(book, "a.xlsx", table="third")


def test_excel_dates_and_header(read: Read) -> None:
    dated = read(workbook(first=WORDS.assign(when=datetime.datetime(2024, 1, 31))), "a.xlsx")
    assert "when" in dated.unused
    assert '"when" holds dates' in next(str(one.sentence) for one in dated.notices if one.code == "date-column")
    found = read(workbook(first=WORDS[["c", "label"]]), "a.xlsx", header="no", label="2", needs_label=False)
    assert found.rows == 4


def test_damaged_files(read: Read) -> None:
    with pytest.raises(FileError, match="Parquet file is damaged"):
        read(parquet(LABELLED)[:-20])
    whole = workbook(first=LABELLED)
    with pytest.raises(FileError, match=r"damaged|cannot be unpacked"):
        read(whole[: len(whole) // 2], "a.xlsx")
    with pytest.raises(FileError, match="no sheet"):
        read(workbook(first=pd.DataFrame()), "a.xlsx")


@pytest.mark.parametrize(("format", "sentence"), [("parquet", "no Parquet file"), ("xlsx", "no .xlsx workbook")])
def test_the_wrong_format_is_told(read: Read, format: str, sentence: str) -> None:
    with pytest.raises(FileError, match=sentence):
        read("x,label\n1,a\n2,b\n", format=format)


@pytest.mark.parametrize("package", ["pyarrow", "openpyxl"])
def test_a_package_that_is_missing_is_named(read: Read, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    content = parquet(LABELLED) if package == "pyarrow" else workbook(first=LABELLED)

    def refuse(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", refuse)
    with pytest.raises(FileError, match=f"pip install {package}"):
        read(content)
