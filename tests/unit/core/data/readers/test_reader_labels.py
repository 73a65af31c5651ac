"""Class names are text, exactly as in the file."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from decimal import Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcsvm_gui.core.base.errors import FileError, NoLabelError
from mcsvm_gui.core.data import spellings
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.remedies import remedies

Read = Callable[..., Dataset]
STRANGE = [
    "a b",
    "a,b",
    'say "x"',
    "two\nlines",
    "two\r\nlines",
    "\U0001f41f",
    "nan",
    "1.0",
    "1",
    "=1+1",
    "#1",
    "a\\b",
    "é",
    "tab\tin",
]


def codes(found: Dataset) -> set[str]:
    return {notice.code for notice in found.notices}


def test_strange_names_come_back_exactly(read: Read) -> None:
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator="\n").writerows(
        [["x", "label"], *([j, name] for j, name in enumerate(STRANGE * 2))]
    )
    assert read(buffer.getvalue()).labels.tolist() == STRANGE * 2


def test_names_that_are_equal_as_numbers_stay_two_classes(read: Read) -> None:
    found = read("x,label\n1,1\n2,1.0\n3,1\n4,01\n")
    assert found.classes == ("01", "1", "1.0")
    assert "label-spelling" in codes(found)


def test_letter_case_is_never_folded_but_for_truth_values(read: Read) -> None:
    found = read("x,label\n1,hid\n2,hId\n3,hid\n4,hId\n")
    assert found.classes == ("hId", "hid")
    assert "label-case" in codes(found)
    assert read("x,label\n1,TRUE\n2,False\n3,true\n").classes == ("False", "TRUE")
    assert read("x,label\n1,true\n2,False\n").notices[0].code == "single-row-class"


def test_blanks_around_names_are_taken_off_and_said(read: Read) -> None:
    found = read('x,label\n1,"a "\n2,a\n3,b\n')
    assert found.classes == ("a", "b")
    assert "label-blanks" in codes(found)
    assert "label-blanks" not in codes(read("x, label\n1, a\n2, b\n"))


@pytest.mark.parametrize("values", [[f"{j * 0.37:.2f}" for j in range(40)], [str(7 * j) for j in range(40)]])
def test_measurements_are_no_classes(read: Read, values: list[str]) -> None:
    with pytest.raises(FileError, match="looks like regression"):
        read("x,label\n" + "".join(f"{j},{value}\n" for j, value in enumerate(values)))


def test_many_whole_numbers_are_classes(read: Read) -> None:
    found = read("x,label\n" + "".join(f"{j},{j % 28}\n" for j in range(100)))
    assert len(found.classes) == 28


def test_a_last_column_of_measurements_is_no_label(read: Read) -> None:
    text = "x,z\n" + "".join(f"{j},{j % 20 / 7:.4f}\n" for j in range(100))
    with pytest.raises(NoLabelError, match="say --label"):
        read(text)
    assert "label-looks-measured" in codes(read(text, label="z"))


def test_one_class_is_not_enough_to_train_but_to_score(read: Read) -> None:
    with pytest.raises(FileError, match="one class only"):
        read("x,label\n1,a\n2,a\n")
    assert read("x,label\n1,a\n2,a\n", needs_label=False).classes == ("a",)


def test_missing_labels(read: Read) -> None:
    with pytest.raises(FileError, match=r"2 rows have no label.*lines 2 and 4"):
        read("x,label\n1,\n2,a\n3,?\n")
    found = read("x,label\n1,\n2,\n", needs_label=False)
    assert (found.labels, found.label_name) == (None, None)
    assert "label-missing" in codes(found)


def test_the_order_of_names_that_mean_a_label(read: Read) -> None:
    assert read("y,Class,z\n1,a,1\n2,b,2\n").label_name == "Class"
    assert read("y,b,z\n1,a,1\n2,b,2\n").label_name == "y"


def test_class_counts_follow_the_classes(read: Read) -> None:
    found = read("x,label\n1,10\n2,9\n3,b\n4,10\n")
    assert (found.classes, found.class_counts) == (("9", "10", "b"), (1, 2, 1))


def table_of(labels: list[str]) -> str:
    return "x,label\n" + "".join(f"{j},{label}\n" for j, label in enumerate(labels))


COMPOSED, DECOMPOSED = "caf\u00e9", "cafe\u0301"


def test_letters_put_together_in_another_way_are_told_apart_and_said(read: Read) -> None:
    found = read(table_of([COMPOSED, DECOMPOSED, COMPOSED, "b"]))
    assert len(found.classes) == 3
    notice = next(notice for notice in found.notices if notice.code == "label-letters")
    assert [(remedy.option, remedy.value) for remedy in remedies(notice.sentence)] == [("spellings", "join")]


@pytest.mark.parametrize(
    ("labels", "spellings", "read_as"),
    [
        (["+1", "1", "1.0", "01", "1e0", "-1", "-01.", "0", "-0"], "join", ["1"] * 5 + ["-1"] * 2 + ["0"] * 2),
        ([COMPOSED, DECOMPOSED, "b"], "join", [COMPOSED, COMPOSED, "b"]),
        (["a  b", "a\u00a0b", "c"], "join", ["a b", "a b", "c"]),
        (["Cod", "cod", "Eel"], "join", ["Cod", "cod", "Eel"]),
        (["Cod", "cod", "Eel"], "join-case", ["cod", "cod", "eel"]),
        (["12345678901234567890", "12345678901234567891"], "join", ["12345678901234567890", "12345678901234567891"]),
        (["1e400", "10e399", "1e-400"], "join", ["1e400", "1e400", "1e-400"]),
    ],
)
def test_spellings_are_joined_where_that_is_asked_for(
    read: Read, labels: list[str], spellings: str, read_as: list[str]
) -> None:
    found = read(table_of(labels), spellings=spellings)
    assert found.labels.tolist() == read_as
    assert ("label-joined" in codes(found)) == (labels != read_as)
    assert not codes(found) & {"label-spelling", "label-letters"}


def test_joined_classes_are_called_alike_in_every_file(read: Read) -> None:
    for labels in (["01", "1", "2"], ["1.0", "2.0", "1.0"]):
        assert read(table_of(labels), spellings="join").classes == ("1", "2")


def test_numbers_too_long_for_a_float_are_not_equal(read: Read) -> None:
    assert "label-spelling" not in codes(read(table_of(["12345678901234567890", "12345678901234567891"] * 2)))


@given(
    value=st.decimals(allow_nan=False, allow_infinity=False)
    | st.integers().map(Decimal)
    | st.floats(allow_nan=False, allow_infinity=False).map(lambda value: Decimal(repr(value)))
)
def test_the_spelling_of_a_number_is_exact_and_unique(value: Decimal) -> None:
    spelled = spellings.number(str(value))
    with localcontext() as context:
        context.prec = 2000
        assert Decimal(spelled) == value
    assert spellings.number(spelled) == spelled
    assert spellings.number(f"{value:e}") == spelled


def test_classes_of_one_row_each(read: Read) -> None:
    found = read(table_of(["ann", "bob", "eve"]))
    notice = next(notice for notice in found.notices if notice.code == "single-row-classes")
    assert "no row can be held out" in str(notice.sentence)
    assert "single-row-class" not in codes(found)


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["9007199254740993", "9007199254740992", "1"], "beyond 2^53"),
        (["1e20", "2e20", "9007199254740992"], "beyond 2^53"),
        (["1e20", "2e20", "5e22"], None),
        (["9007199254740991", "12", "1"], None),
        (["1e-310", "1", "2"], "below 2.2e-308"),
        (["0", "1e-300", "2"], None),
        (["1000000000.0000001", "1000000000.0000002", "1000000000.0000003"], "rounding blurs"),
        (["1000000000.1", "1000000000.2", "1000000000.3"], None),
        (["2010", "2011", "2012"], None),
    ],
)
def test_numbers_that_lose_digits_are_said(read: Read, cells: list[str], said: str | None) -> None:
    found = read("x,label\n" + "".join(f"{cell},{'ab'[j % 2]}\n" for j, cell in enumerate(cells)))
    sentences = [str(notice.sentence) for notice in found.notices if notice.code == "lost-precision"]
    assert len(sentences) == (said is not None)
    assert all(said in sentence for sentence in sentences)
