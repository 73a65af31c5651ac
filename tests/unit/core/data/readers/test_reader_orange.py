"""Orange's headers: expected readings follow the rules of Orange/data/io_base.py."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.remedies import remedies

Read = Callable[..., Dataset]
BOATS = (
    "length\tclass of ticket\tname\tlost\n"
    "c\tfirst second crew\tstring\td\n"
    "\t\tmeta\tclass\n"
    "1.5\tfirst\tMary\tno\n"
    "2\tcrew\tJohn\tyes\n"
    ".\t?\tAnn\tno\n"
)


def kinds(found: Dataset) -> list[tuple[str, str]]:
    return [(column.name, column.kind) for column in found.columns]


def codes(found: Dataset) -> set[str]:
    return {notice.code for notice in found.notices}


def test_three_header_lines(read: Read) -> None:
    found = read(BOATS, "boats.tab")
    assert (found.format, found.rows, found.label_name) == ("orange", 3, "lost")
    assert kinds(found) == [("length", "number"), ("class of ticket", "category")]
    assert found.labels.tolist() == ["no", "yes", "no"]
    assert found.table["length"].tolist()[:2] == [1.5, 2.0]
    assert found.table["class of ticket"].tolist() == ["first", "crew", None]
    assert (found.missing, found.lines.tolist()) == (2, [4, 5, 6])
    left_out = next(notice for notice in found.notices if notice.code == "left-out")
    assert str(left_out.sentence) == 'left out, as the file marks them: "name" (meta)'
    assert "label" not in {guess.option.strip("-") for guess in found.guesses}


def test_letters_alone_are_a_header_in_tab_files(read: Read) -> None:
    text = "y\tsize\tw\td\nd\tc\t\td\nclass\t\tw\ti\na\t1\t2\tu\nb\t2\t1\tv\na\t3\t1\tu\n"
    found = read(text, "a.tab")
    assert (found.label_name, kinds(found)) == ("y", [("size", "number")])
    assert '"w" (weight), "d" (ignored)' in str(found.notices[0].sentence)
    offered = next(notice for notice in found.notices if notice.code == "weight-offered")
    assert [(way.option, way.value) for way in remedies(offered.sentence)] == [("weights", "w")]
    weighed = read(text, "a.tab", weights="w")
    assert weighed.weights.tolist() == [2, 1, 1]
    assert "weight-offered" not in codes(weighed)


def test_discrete_numbers_are_categories_and_the_label_keeps_its_spelling(read: Read) -> None:
    found = read("legs\tkind\ndiscrete\tdiscrete\n\tclass\n4\t1.0\n2\t2.0\n0\t1.0\n4\t2.0\n", "zoo.tab")
    assert kinds(found) == [("legs", "category")]
    assert found.table["legs"].tolist() == ["4", "2", "0", "4"]
    assert found.classes == ("1.0", "2.0")


@pytest.mark.parametrize("name", ["a.tab", "a.csv", "a.txt"])
def test_prefixes_in_one_line(read: Read, name: str) -> None:
    text = "mS#id,C#x,D#y,cD#kind,i#z,plain\nr1,1,0,a,9,5\nr2,2,1,b,8,6\nr3,4,1,a,7,9\n"
    found = read(text, name)
    assert found.format == "orange"
    assert found.label_name == "kind"
    assert kinds(found) == [("x", "number"), ("y", "category"), ("plain", "number")]
    assert '"id" (meta), "z" (ignored)' in str(found.notices[0].sentence)


def test_the_role_may_stand_alone_or_behind_the_kind(read: Read) -> None:
    found = read("Dc#kind\tm#id\tx\na\t1\t3\nb\t2\t4\n", "a.tab")
    assert (found.label_name, kinds(found)) == ("kind", [("x", "number")])


def test_without_a_class_the_last_feature_is_guessed(read: Read) -> None:
    found = read("x\tkind\tname\nc\td\tstring\n\t\tmeta\n1\ta\tp\n2\tb\tq\n", "a.tab")
    assert found.label_name == "kind"
    assert ("label column", "kind") in {(guess.what, guess.value) for guess in found.guesses}


def test_another_label_may_be_asked_for(read: Read) -> None:
    found = read(BOATS, "boats.tab", label="name")
    assert (found.label_name, [column.name for column in found.columns]) == (
        "name",
        ["length", "class of ticket", "lost"],
    )


def test_of_two_classes_the_first_is_the_label(read: Read) -> None:
    found = read("x\ta\tb\nc\td\td\n\tclass\tclass\n1\tp\tu\n2\tq\tv\n", "a.tab")
    assert found.label_name == "a"
    assert '"b" (further class)' in str(found.notices[0].sentence)


def test_lines_of_errors_are_those_of_the_file(read: Read) -> None:
    with pytest.raises(FileError) as error:
        read(BOATS + "x\n", "boats.tab")
    assert error.value.line == 7


def test_rows_of_letters_are_no_header(read: Read) -> None:
    found = read("a,b,kind\nc,d,c\nc,m,i\np,q,c\n", "a.csv")
    assert (found.format, found.rows) == ("csv", 3)


def test_a_name_with_a_hash_is_no_prefix(read: Read) -> None:
    found = read("F#minor,track#2,#x,class\n1,2,3,a\n2,3,4,b\n", "a.csv")
    assert [column.name for column in found.columns] == ["F#minor", "track#2", "#x"]
    assert (found.format, "left-out" in codes(found)) == ("csv", False)


def test_what_is_no_file_of_orange_is_refused_when_asked_for(read: Read) -> None:
    with pytest.raises(FileError, match="no file of Orange"):
        read("x,y\n1,2\n3,4\n", format="orange")


def test_rows_longer_than_the_header_are_refused(read: Read) -> None:
    with pytest.raises(FileError, match="one cell more than the header"):
        read("C#x,cD#k\n1,2,a\n2,3,b\n")


def test_another_separator_than_that_of_the_header_is_no_file_of_orange(read: Read) -> None:
    assert read(",mS#n,C#x,cD#k\na,1,p\nb,2,q\n", separator="whitespace", needs_label=False).format == "csv"


def test_columns_of_times_are_dates_unless_they_hold_seconds(read: Read) -> None:
    found = read("when\tsince\tk\ntime\ttime\td\n\t\tclass\n1970-01-02\t1.5e9\ta\n?\t2e9\tb\n", "a.tab")
    assert [(column.name, column.kind) for column in found.columns] == [("when", "date"), ("since", "number")]
    np.testing.assert_array_equal(found.table.to_numpy(), [[86400.0, 1.5e9], [np.nan, 2e9]])
