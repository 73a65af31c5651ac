"""Roles of columns: said by options, found by what columns hold, kept in one value."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.lists import Names
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.data.roles.value import roles_of, with_roles
from mcsvm_gui.core.machine.command_line import arguments_of
from mcsvm_gui.core.machine.request import Request

CARS = """"","mpg","when","note","gear","zip","label"
"Mazda","21","2024-01-03 10:00","fine day, is it","2","01234","a"
"Datsun","22","2024-02-03 11:00","bad day","3","1234","b"
"Fiat","20","2023-02-03 11:00","bad night","4","01234","b"
"""
FULL = {"text": ("note",), "dates": ("when",), "categories": ("zip",)}


@pytest.fixture
def cars(tmp_path: Path) -> Path:
    path = tmp_path / "cars.csv"
    path.write_text(CARS)
    return path


@given(st.lists(st.text(min_size=1).filter(lambda name: name == name.strip() and name), unique=True))
def test_any_names_are_written_so_that_they_are_read_again(names: list[str]) -> None:
    kind = Names()
    assert kind.parse(kind.written(tuple(names))) == tuple(names)


@pytest.mark.parametrize("text", ['a,"b', 'a"b', '"a"b'])
def test_names_that_cannot_be_told_apart_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="quotation marks"):
        Names().parse(text)


def test_kinds_that_are_asked_for(cars: Path) -> None:
    found = open_dataset(cars, ReadOptions(**FULL))
    kinds = {column.name: column.kind for column in found.columns}
    assert kinds == {"mpg": "number", "when": "date", "note": "text", "gear": "number", "zip": "category"}
    assert found.table is not None
    assert found.table["zip"].tolist() == ["01234", "1234", "01234"]
    assert found.row_names["1"].tolist() == ["Mazda", "Datsun", "Fiat"]


def test_a_column_by_number_or_in_other_case(cars: Path) -> None:
    found = open_dataset(cars, ReadOptions(drop=("4", "ZIP"), dates=("When",)))
    assert [column.name for column in found.columns] == ["mpg", "when", "gear"]
    assert found.unused == ("1", "note", "zip")


def test_only_these_columns(cars: Path) -> None:
    found = open_dataset(cars, ReadOptions(columns=("gear",), text=("note",)))
    assert [column.name for column in found.columns] == ["note", "gear"]


def test_a_dropped_label_is_none(cars: Path) -> None:
    assert open_dataset(cars, ReadOptions(drop=("label", "when"))).label_name == "zip"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"text": ("mpg",), "dates": ("mpg",)}, "named by --text and by --dates"),
        ({"columns": ("mpg",), "drop": ("mpg",)}, "named by --columns and by --drop"),
        ({"label": "gear", "drop": ("gear",)}, "has a role already; say --drop with another"),
        ({"drop": ("nothing",)}, 'there is no column "nothing"'),
        ({"dates": ("note", "when")}, r"\"fine day, is it\", \"bad day\" and \"bad night\" \(lines 2-4\) are no dates"),
        ({"columns": ("label",), "drop": ("mpg",)}, "no column to learn from"),
        ({"columns": ("when",)}, "holds dates or times, such as .* no other column to learn from; say --dates when"),
    ],
)
def test_what_cannot_be_is_refused(cars: Path, options: dict[str, tuple[str, ...]], sentence: str) -> None:
    with pytest.raises(FileError, match=sentence):
        open_dataset(cars, ReadOptions(**options))  # type: ignore[arg-type]


def test_roles_come_back_as_options(cars: Path) -> None:
    read = ReadOptions(**FULL)
    found = open_dataset(cars, read)
    roles = roles_of(found)
    assert roles == {
        "1": "name",
        "mpg": "feature",
        "when": "date",
        "note": "text",
        "gear": "feature",
        "zip": "feature",
        "label": "label",
    }
    for changes in ({"mpg": "group"}, {"note": "ignored"}, {"gear": "label"}, {"1": "feature"}, {"gear": "weight"}):
        again = open_dataset(cars, with_roles(read, found, changes))  # type: ignore[arg-type]
        expected = {**roles, **changes}
        if "gear" in changes and changes["gear"] == "label":
            expected["label"] = "feature"
        assert roles_of(again) == expected
        assert next(c.kind for c in again.columns if c.name == "zip") == "category"


def test_a_request_says_roles_as_json_and_as_a_command(cars: Path) -> None:
    request = Request(data="x.csv", read=ReadOptions(names=(), drop=('a"b', "c,d"), **FULL))
    assert Request.from_document(json.loads(json.dumps(request.document()))) == request
    said = arguments_of(request)
    assert said[said.index("--names") + 1] == "none"
    assert Names().parse(said[said.index("--drop") + 1]) == ('a"b', "c,d")


def test_requests_of_before_learn_from_what_they_learned_from() -> None:
    read = asdict(ReadOptions())
    del read["names"]
    assert Request.from_document({"read": read}).read.names == ()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("id,x,label\n1,5,a\n2,6,b\n3,8,b\n", ["id"]),
        ("x,label\nr1,1,a\nr2,2,b\n", ["1"]),
        (",x,label\n2,1,a\n5,2,b\n9,4,b\n", ["1"]),
        (",x,label\n2,1,a\n1,2,b\n9,4,b\n", []),  # a number without a name, but not that of the row
        ("id,x,label\n4,5,a\n2,6,b\n3,8,b\n", []),
        ("id,label\n1,a\n2,b\n3,b\n", []),  # all that there is
        ("time,x,label\n" + "".join(f"{j},{j % 3},{'ab'[j % 2]}\n" for j in range(30)), []),
    ],
)
def test_columns_that_name_the_rows_are_found(tmp_path: Path, text: str, names: list[str]) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text)
    found = open_dataset(path)
    assert list(found.row_names) == names
    assert any(notice.code == "row-names" for notice in found.notices) or not names
    assert not open_dataset(path, ReadOptions(names=())).row_names


def test_a_time_of_day_makes_no_libsvm_file_of_a_table(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,when,label\n1,2024-01-03 10:00,x\n2,2024-01-03 11:00,y\n")
    assert open_dataset(path, ReadOptions(dates=("when",))).format == "csv"


def test_codes_with_letters_are_categories_with_a_word_on_it(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("model,label\n" + "".join(f"{code},{'ab'[j % 2]}\n" for j, code in enumerate(CODES)))
    found = open_dataset(path)
    assert found.columns[0].kind == "category"
    assert "mixed-column" in {notice.code for notice in found.notices}
    path.write_text("x,label\n" + "".join(f"{'oops' if j == 7 else j / 8},{'ab'[j % 2]}\n" for j in range(60)))
    with pytest.raises(FileError, match=r'column "x": "oops" \(line 9\) is no number while other cells are'):
        open_dataset(path)


CODES = [f"{3 + j % 4}{j % 9}{'5i' if j % 3 else '0'}" if j % 5 else f"{j}" for j in range(60)]


def test_the_last_column_is_the_label_where_all_others_have_a_role(tmp_path: Path) -> None:
    path = tmp_path / "articles.arff"
    path.write_text("@relation r\n@attribute Text string\n@attribute c {0,1}\n@data\n'a b',0\n'c d',1\n'a c',0\n")
    found = open_dataset(path, ReadOptions(text=("Text",)))
    assert (found.label_name, [column.kind for column in found.columns]) == ("c", ["text"])


def test_what_only_names_the_rows_is_not_spoken_of_as_categories(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(",x,label\n" + "".join(f"id{j},{j % 7},{'ab'[j % 2]}\n" for j in range(60)))
    codes = {notice.code for notice in open_dataset(path).notices}
    assert "row-names" in codes
    assert "many-categories" not in codes
    learned = open_dataset(path, ReadOptions(names=()))
    assert "many-categories" in {notice.code for notice in learned.notices}
