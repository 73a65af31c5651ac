"""CSV and its relatives: what is guessed, what is refused, and where."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset

Read = Callable[..., Dataset]
PLAIN = "x,y,label\n1,2.5,a\n3,4.5,b\n5,6.5,a\n"


def guesses(found: Dataset) -> dict[str, str]:
    return {guess.what: guess.value for guess in found.guesses}


def codes(found: Dataset) -> set[str]:
    return {notice.code for notice in found.notices}


@pytest.mark.parametrize(
    ("separator", "said"),
    [(",", ","), (";", ";"), ("\t", "tab"), ("|", "|"), (" ", "whitespace"), ("   ", "whitespace")],
)
def test_separators(read: Read, separator: str, said: str) -> None:
    found = read(PLAIN.replace(",", separator))
    assert guesses(found)["separator"] == said
    assert found.table.to_numpy().tolist() == [[1, 2.5], [3, 4.5], [5, 6.5]]
    assert found.labels.tolist() == ["a", "b", "a"]


def test_a_separator_that_is_told(read: Read) -> None:
    found = read(PLAIN.replace(",", ":"), separator=":")
    assert [column.name for column in found.columns] == ["x", "y"]
    assert "separator" not in guesses(found)


def test_the_decimal_comma_is_guessed_and_can_be_told(read: Read) -> None:
    text = PLAIN.replace(",", ";").replace(".", ",")
    assert guesses(read(text))["decimal"] == ","
    assert read(text).table["y"].tolist() == [2.5, 4.5, 6.5]
    thousands = "x;label\n1,200;a\n3,400;b\n"
    assert read(thousands, decimal=",").table["x"].tolist() == [1.2, 3.4]
    with pytest.raises(FileError, match="say --decimal ,"):
        read(thousands)


def test_a_decimal_comma_between_blanks(read: Read) -> None:
    found = read("5,1  3,5  a\n4,9  3,0  b\n4,7  3,2  a\n")
    assert found.table.to_numpy().tolist() == [[5.1, 3.5], [4.9, 3.0], [4.7, 3.2]]


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_line_ends_and_quotes(read: Read, ends: str) -> None:
    text = 'x,label\n1,"a ""b"", c\r\nd"\n"2",e\n3,"e"\n'.replace("\n", ends).replace("\r\r", "\r")
    found = read(text)
    assert found.table["x"].tolist() == [1, 2, 3]
    inside = found.labels[0]
    assert inside.startswith('a "b", c\r')
    assert inside.endswith("d")
    assert found.labels.tolist()[1:] == ["e", "e"]


def test_line_numbers_count_lines_of_the_file(read: Read) -> None:
    found = read('# made by hand\n\nx,label\n1,"a\nb"\n\n# more\n2,c\n,,\n3,c\n'.replace(",,\n", ",\n"))
    assert found.lines.tolist() == [4, 8, 10]
    assert {"comment-lines", "empty-rows"} <= codes(found)


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("x,y,label\n1,2,a\n3,b\n", 3, "2 fields where 3 are expected"),
        ("x,y,label\n1,2,a\n3,4,5,b\n\n6,b\n", 3, r"4 fields where 3 are expected.*1 other line.*line 5"),
        ('x,label\n1,"a\nb"\n1,2,3\n', 4, "3 fields where 2"),
        ('x,label\n1,"a\n2,b\n', 2, "none closes it"),
        ('x,label\n1,a"b\n2,"c"\n', 2, "in the middle of a cell"),
        ("x,label\n1,a\n2,\n", 3, r"1 row has no label.*line 3"),
        ("x,label\nabc,a\n1,b\n2,b\n3,b\n", 2, r'"x": "abc" \(line 2\) is no number'),
        ("x,label\n1,a\ninf,b\n", 3, "1 infinite or too large"),
        ("x,label\n\u22125,a\n5,b\n", 2, "is no number"),
        ("x,label\n5%,a\n7%,b\n", 2, "are no numbers in this spelling"),
        ("t,label\n12:30,a\n12:31,b\n", 2, '"t" holds dates or times'),
        ("x;label\n5,1;a\n4.9;b\n", 2, '"5,1"'),
    ],
)
def test_refused_with_the_line(read: Read, text: str, line: int, sentence: str) -> None:
    with pytest.raises(FileError, match=sentence) as error:
        read(text)
    assert error.value.line == line


def test_a_late_word_in_a_column_of_numbers(read: Read) -> None:
    rows = "".join(f"{j}.5,{'ab'[j % 2]}\n" for j in range(3000))
    with pytest.raises(FileError, match=r'"1_000" \(line 3002\)'):
        read(f"x,label\n{rows}1_000,a\n")


@pytest.mark.parametrize("word", ["NA", "?", "null", "NaN", "nan", "-nan"])
def test_words_for_missing_among_numbers(read: Read, word: str) -> None:
    found = read(f"x,y,label\n1,2,a\n{word},3,b\n4,,a\n")
    assert found.missing == 2
    assert [bool(missing) for missing in np.isnan(found.table["x"])] == [False, True, False]
    assert "missing-marker" in codes(found)


@pytest.mark.parametrize("mark", ["'", '"'])
def test_quoted_blanks_stay_in_aligned_columns(read: Read, mark: str) -> None:
    found = read(f"  1  2 {mark}a  b{mark} \n 2 3  {mark}c\td{mark}\r\n3  4 {mark}a  b{mark}", "x.txt")
    assert (found.classes, found.rows, len(found.columns)) == (("a  b", "c\td"), 3, 2)


def test_nan_is_missing_among_words_too_and_late(read: Read) -> None:
    found = read("c,x,label\nred,1,a\nNaN,2,b\nblue,3,a\nred,4,b\n" + "red,5,a\n" * 40 + "blue,NaN,b\n")
    assert found.table["c"].tolist()[:4] == ["red", None, "blue", "red"]
    assert (found.missing, [column.kind for column in found.columns]) == (2, ["category", "number"])
    [sentence] = [notice.sentence for notice in found.notices if notice.code == "missing-marker"]
    assert sentence == '2 cells "NaN" in columns "c" and "x" (lines 3 and 46) are taken as missing'


def test_words_for_missing_among_words_are_words(read: Read) -> None:
    found = read("x,label\nNA,a\nred,b\nNone,a\n?,b\n,b\n")
    assert found.table["x"].tolist() == ["NA", "red", "None", None, None]
    assert {"category-like-missing", "missing-marker"} <= codes(found)


def test_few_levels_with_numbers_among_them_are_categories(read: Read) -> None:
    found = read("doors,label\n" + "2,a\n3,b\n5more,a\n" * 10)
    assert found.columns[0].kind == "category"
    assert "mixed-column" in codes(found)


def test_truth_values_as_features_are_words(read: Read) -> None:
    assert read("x,label\nTrue,a\nFalse,b\n").table["x"].tolist() == ["True", "False"]


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("1,2,a\n3,4,b\n", "no"),
        ("a,b,c\n1,2,x\n3,4,y\n", "yes"),
        ("0,1,label\n5,6,x\n7,8,y\n", "yes"),
        ("vhigh,low,acc\nlow,vhigh,acc\nvhigh,low,bad\nlow,low,acc\n", "no"),
        ("buying,maint,rating\nlow,vhigh,acc\nvhigh,low,bad\n", "yes"),
        ("?,2,a\n3,4,b\n", "no"),
    ],
)
def test_headers_are_guessed(read: Read, text: str, header: str) -> None:
    found = read(text)
    assert guesses(found)["header"] == header
    assert found.rows == text.count("\n") - (header == "yes")


def test_headers_that_are_told(read: Read) -> None:
    assert [column.name for column in read("1,2,a\n3,4,b\n5,6,a\n", header="yes").columns] == ["1", "2"]
    assert read("a,b,c\nd,e,f\n", header="no").rows == 2


def test_columns_without_a_name_and_with_the_same(read: Read) -> None:
    found = read(",x,x,x.1,label\n0,1,2,3,a\n1,4,5,6,b\n2,7,8,8,b\n")
    assert [column.name for column in found.columns] == ["x", "x.2", "x.1"]
    assert {"unnamed-column", "duplicate-header", "row-names"} <= codes(found)


def test_row_names_as_r_writes_them(read: Read) -> None:
    found = read("x,label\nr1,1,a\nr2,2,b\n")
    assert [column.name for column in found.columns] == ["x"]
    assert found.row_names["1"].tolist() == ["r1", "r2"]
    assert "row-names" in codes(found)


@pytest.mark.parametrize("text", ["x,label,\n1,a,\n2,b,\n", "x,label\n1,a,\n2,b,\n"])
def test_a_separator_at_the_end_of_each_line(read: Read, text: str) -> None:
    found = read(text)
    assert [column.name for column in found.columns] == ["x"]
    assert "trailing-separator" in codes(found)


def test_a_header_behind_a_hash_and_the_separator_line_of_excel(read: Read) -> None:
    assert [column.name for column in read("#x,y,label\n1,2,a\n3,4,b\n").columns] == ["x", "y"]
    assert read("sep=;\nx;label\n1;a\n2;b\n").lines.tolist() == [3, 4]


def test_single_quotation_marks(read: Read) -> None:
    found = read("'x','label'\n'1','a, b'\n'2','c'\n'3','c'\n")
    assert found.classes == ("a, b", "c")
    assert found.columns[0].kind == "number"


def test_numbers_are_read_exactly(read: Read) -> None:
    values = np.random.default_rng(0).standard_normal(2000) * 10.0 ** np.random.default_rng(1).integers(-300, 300, 2000)
    found = read("x,label\n" + "".join(f"{value!r},{'ab'[j % 2]}\n" for j, value in enumerate(values.tolist())))
    np.testing.assert_array_equal(found.table["x"].to_numpy(), values)


@pytest.mark.parametrize(
    ("label", "name"), [("x", "x"), ("X", "x"), ("1", "x"), ("-1", "label"), ("3", "label"), ("LABEL", "label")]
)
def test_the_label_by_name_or_number(read: Read, label: str, name: str) -> None:
    text = "x,y,label\n1,2,a\n2,3,b\n1,4,a\n"
    assert read(text, label=label).label_name == name


@pytest.mark.parametrize("label", ["0", "4", "-4", "nothing"])
def test_a_label_that_is_not_there(read: Read, label: str) -> None:
    with pytest.raises(FileError, match="there is no column"):
        read(PLAIN, label=label)


def test_a_label_that_is_not_there_to_predict(read: Read) -> None:
    found = read("x,y\n1,2\n", needs_label=False, label="kind")
    assert (found.label_name, len(found.columns)) == (None, 2)
    assert "no-label-column" in codes(found)


def test_two_columns_called_label(read: Read) -> None:
    text = "label,x,label\na,1,b\nb,2,a\n"
    with pytest.raises(FileError, match="numbers 1 and 3"):
        read(text)
    assert read(text, label="3").label_name == "label.1"


def test_one_column_predicts_but_does_not_train(read: Read) -> None:
    assert read("x\n1\n2\n", needs_label=False).rows == 2
    with pytest.raises(FileError, match="only one column"):
        read("x\n1\n2\n")


def test_a_column_may_be_called_by_the_sign_of_comments(read: Read) -> None:
    found = read("#,size,label\n4,1.5,a\n7,2.5,b\n4,3.5,a\n")
    assert found.order == ("#", "size", "label")
    assert read("#x,size,label\n4,1.5,a\n7,2.5,b\n").order == ("x", "size", "label")


@pytest.mark.parametrize("cell", ["+1e 5", "+0E\t0", "+1.5e -3", '"+2.e\n3"'])
def test_a_broken_exponent_is_no_number_even_where_pandas_reads_one(read: Read, cell: str) -> None:
    rows = "".join(f"{j}.5;{'ab'[j % 2]}\n" for j in range(40))
    with pytest.raises(FileError, match="line 42"):
        read(f"x;label\n{rows}{cell};a\n")


@pytest.mark.parametrize("rows", [1, 40])
def test_line_breaks_at_the_end_of_a_cell_are_blanks(read: Read, rows: int) -> None:
    """Whether the column is read at once, or cell by cell as its first rows hold such a cell."""
    found = read("x,y,label\n" + '1,u,a\n2,u,"b\n"\n' * rows + '"3\n","u\n",b\n4,u,a\n5,v,b\n')
    assert found.table["x"].to_numpy()[-3:].tolist() == [3, 4, 5]
    assert set(found.table["y"]) == {"u", "v"}
    assert found.class_counts == (rows + 1, rows + 2)


@pytest.mark.parametrize("separator", [",", ";"])
def test_numbers_that_rounding_made_equal(read: Read, separator: str) -> None:
    """1e9 and steps that no float has beside it, whichever decimal mark."""
    mark = "," if separator == ";" else "."
    rows = [f"1000000000{mark}{j:012d}{separator}{j}{mark}5{separator}{'ab'[j % 2]}\n" for j in range(6)]
    found = read(separator.join(["x", "y", "label\n"]) + "".join(rows))
    said = [str(notice.sentence) for notice in found.notices if notice.code == "rounded-together"]
    assert len(said) == 1
    assert said[0].startswith('column "x" holds numbers that differ only beyond the 16 digits')
    equal = read(
        separator.join(["x", "label\n"]) + f"1000000000{mark}000000000000{separator}a\n" * 2, needs_label=False
    )
    assert "rounded-together" not in codes(equal)
