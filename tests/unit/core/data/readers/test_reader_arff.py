"""ARFF, dense and sparse."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset

Read = Callable[..., Dataset]
HEAD = """% a comment
@RELATION 'a b'

@attribute 'se pal' REAL
@ATTRIBUTE "colour" {red, 'light blue', "it's"}
@attribute class {x,'y z'}
@DATA
"""
NUMBERS = "@relation s\n@attribute a numeric\n@attribute b numeric\n@attribute class {x,y}\n@data\n"


def test_quotes_names_and_missing_values(read: Read) -> None:
    found = read(HEAD + "1,red,x\n% more\n2.5,'light blue','y z'\n\n?, \"it's\" , x\n3,?,'y z'\n")
    assert [(column.name, column.kind) for column in found.columns] == [("se pal", "number"), ("colour", "category")]
    assert found.table["colour"].tolist() == ["red", "light blue", "it's", None]
    assert (found.missing, found.labels.tolist()) == (2, ["x", "y z", "x", "y z"])
    assert found.lines.tolist() == [8, 10, 12, 13]


def test_comments_behind_attributes_and_rows(read: Read) -> None:
    """As Weka's supermarket.arff has them."""
    head = (
        "@relation s % of\n@attribute 'a %b' {t,'5 %'} % a comment, 'quoted'\n@attribute class {x,y}%\n@data % here\n"
    )
    head = head.replace("{x,y}%", "{x,y} %")
    found = read(head + "t,x % first\n'5 %',y\n%no row\n?,x\n")
    assert found.table["a %b"].tolist() == ["t", "5 %", None]
    assert found.labels.tolist() == ["x", "y", "x"]


def test_nominal_numbers_are_categories(read: Read) -> None:
    found = read("@relation r\n@attribute n {0,1}\n@attribute class {a,b}\n@data\n0,a\n1,b\n")
    assert found.columns[0].kind == "category"


def test_sparse_numbers_stay_sparse(read: Read) -> None:
    found = read(NUMBERS + "{0 1.5, 2 y}\n{1 2.5}\n{}\n")
    assert found.matrix.toarray().tolist() == [[1.5, 0], [0, 2.5], [0, 0]]
    assert found.labels.tolist() == ["y", "x", "x"]
    assert [column.name for column in found.columns] == ["a", "b"]


def test_sparse_rows_with_words_become_a_table(read: Read) -> None:
    found = read(HEAD + "{0 2}\n{1 'light blue', 2 'y z'}\n")
    assert found.table.to_numpy().tolist() == [[2.0, "red"], [0.0, "light blue"]]
    assert found.labels.tolist() == ["x", "y z"]


def test_blanks_between_values_and_a_class_without_rows(read: Read) -> None:
    found = read(NUMBERS.replace("{x,y}", "{x,y,z}") + "1 2 x\n3 4 y\n")
    assert found.table.to_numpy().tolist() == [[1, 2], [3, 4]]
    assert "class-without-rows" in {notice.code for notice in found.notices}


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        (NUMBERS + "1,2\n", 6, "2 values where 3 attributes are declared"),
        (NUMBERS + "1,abc,x\n", 6, '"abc" is no number'),
        (NUMBERS + "1,2,X\n", 6, '"X" is no value of attribute "class"'),
        (NUMBERS + "1,2,x,{5}\n", 6, "weights"),
        (NUMBERS + "{7 1}\n", 6, "past the last"),
        (NUMBERS + "{0 1, 0 2}\n", 6, "index 0 occurs twice in one row"),
        (NUMBERS + "{0 1\n", 6, "ends with }"),
        (NUMBERS + "{0 1}\n1,2,x\n", 7, "write all in one way"),
        (NUMBERS + "{0 ?, 2 y}\n{1 1}\n", 6, "sparse data cannot hold"),
        (NUMBERS + "1,nan,x\ninf,3,y\n", 6, "1 NaN and 1 infinite"),
        (NUMBERS + "1,'2,x\n", 6, "quotation mark"),
        (NUMBERS.replace("b numeric", 'b date "yyyy-dd-MM"'), 3, '"b" holds dates as "yyyy-dd-MM"'),
        (NUMBERS.replace("b numeric", "b date ddMMyyyy"), 3, '"b" holds dates as "ddMMyyyy"'),
        (NUMBERS.replace("b numeric", "b date") + "1,2020-01-01,x\n2,soon,y\n", 7, '"soon" .* is no date'),
        (NUMBERS.replace("b numeric", "b relational"), 3, "a table of its own"),
        (NUMBERS.replace("b numeric", "b colours"), 3, "of kind"),
        (NUMBERS.replace("b numeric", "b"), 3, "is declared as"),
        (NUMBERS.replace("{x,y}", "{x,y"), 4, "do not end with }"),
        (NUMBERS.replace("@data", "data"), 5, "neither"),
        (NUMBERS.replace("@data", ""), None, "ends before @data"),
        ("@relation r\n@data\n1\n", 2, "no @attribute"),
        (NUMBERS, None, "no data rows"),
    ],
)
def test_refused_with_the_line(read: Read, text: str, line: int | None, sentence: str) -> None:
    with pytest.raises(FileError, match=sentence) as error:
        read(text, "a.arff")
    assert error.value.line == line


def test_a_csv_file_called_arff(read: Read) -> None:
    with pytest.raises(FileError, match="--format csv"):
        read("x,label\n1,a\n2,b\n", "a.arff")
    assert read("x,label\n1,a\n2,b\n", "a.arff", format="csv").rows == 2


DATES = "@relation r\n@attribute a numeric\n@attribute d date{}\n@attribute class {{x,y}}\n@data\n"
SECONDS = [
    (np.datetime64(day) - np.datetime64("1970-01-01")) / np.timedelta64(1, "s") for day in ("2020-03-04", "1969")
]


@pytest.mark.parametrize(
    ("pattern", "days"),
    [
        ("", ["2020-03-04T00:00:00", "1969-01-01T00:00:00"]),
        (" 'yyyy-MM-dd HH:mm'", ["'2020-03-04 00:00'", '"1969-01-01 00:00"']),
        (" dd/MM/yyyy", ["04/03/2020", "1/1/1969"]),
        (' "MM/dd/yyyy"', ["03/04/2020", "1/1/1969"]),
        (" yyyyMMdd", ["20200304", "19690101"]),
        (" 'd MMM yyyy'", ["'4 Mar 2020'", "'1 Jan 1969'"]),
    ],
)
def test_dates_are_read_as_the_file_declares_them(read: Read, pattern: str, days: list[str]) -> None:
    found = read(DATES.format(pattern) + f"1,{days[0]},x\n2,{days[1]},y\n3,?,y\n", "a.arff")
    assert [column.kind for column in found.columns] == ["number", "date"]
    assert found.table["d"].tolist()[:2] == SECONDS
    assert found.missing == 1


def test_a_declared_date_may_have_another_role(read: Read) -> None:
    rows = DATES.format("") + "1,2020-03-04,x\n2,2020-03-05,y\n"
    assert [column.name for column in read(rows, "a.arff", drop=("d",)).columns] == ["a"]
    assert [column.kind for column in read(rows, "a.arff", categories=("d",)).columns] == ["number", "category"]
    assert read(rows, "a.arff", label="d").classes == ("2020-03-04", "2020-03-05")


def test_a_date_left_out_of_a_sparse_row_is_zero_as_in_weka(read: Read) -> None:
    found = read(DATES.format("") + "{0 1, 1 2020-03-04, 2 y}\n{0 2}\n", "a.arff")
    assert found.table["d"].tolist() == [SECONDS[0], 0.0]
