"""Class names are text, exactly as in the file."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

import pytest

from mcsvm_gui.core.base.errors import FileError, NoLabelError
from mcsvm_gui.core.data.dataset import Dataset

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
