"""KEEL's files, after https://sci2s.ugr.es/keel/dataFiles.php."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset

Read = Callable[..., Dataset]
HEAD = """@relation paint % of boats
@attribute colour {yellow, white, 'light blue'}
@attribute amount integer [1, 10]
@attribute density real[0.1, 2.5]
@attribute kind {1, 2}
"""
ROWS = "@data\nyellow, 4, 1.2, 1\nwhite, <null>, 2.1, 2\n'light blue', 2, ?, 1\n"


def test_inputs_and_outputs(read: Read) -> None:
    found = read(HEAD + "@inputs colour, amount\n@outputs kind\n" + ROWS, "paint.dat")
    assert (found.format, found.label_name, found.guesses) == ("keel", "kind", ())
    assert [(column.name, column.kind) for column in found.columns] == [("colour", "category"), ("amount", "number")]
    assert found.table["colour"].tolist() == ["yellow", "white", "light blue"]
    assert (found.missing, found.labels.tolist(), found.lines.tolist()) == (1, ["1", "2", "1"], [9, 10, 11])
    assert '"density" (neither input nor output)' in str(found.notices[0].sentence)


def test_the_last_attribute_is_the_output_where_none_is_named(read: Read) -> None:
    found = read(HEAD + ROWS, "paint.dat")
    assert (found.format, found.label_name, len(found.columns)) == ("keel", "kind", 3)
    assert found.missing == 2


def test_the_output_may_stand_first(read: Read) -> None:
    found = read(HEAD + "@output colour\n" + ROWS, "paint.dat")
    assert found.label_name == "colour"
    assert [column.name for column in found.columns] == ["amount", "density", "kind"]


def test_of_several_outputs_the_first_is_the_label(read: Read) -> None:
    found = read(HEAD + "@inputs amount\n@outputs kind, colour\n" + ROWS, "paint.dat")
    assert (found.label_name, [column.name for column in found.columns]) == ("kind", ["amount"])
    assert '"colour" (further class)' in str(found.notices[0].sentence)


def test_arff_stays_arff(read: Read) -> None:
    text = "@relation r\n@attribute a real\n@attribute class {x,y}\n@data\n1,x\n2,y\n"
    assert read(text, "a.dat").format == "arff"


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        (HEAD + "@inputs color\n" + ROWS, 6, '"color" is not declared'),
        (HEAD + "@weights x\n" + ROWS, 6, "neither"),
        (HEAD.replace("integer [1, 10]", "string") + "@outputs kind\n" + ROWS, 3, "integer, real"),
        (HEAD + "@data\nyellow, 4, 1.2\n", 7, "3 values where 4"),
        (HEAD + "@data\nred, 4, 1.2, 1\n", 7, '"red" is no value'),
        (HEAD + "@outputs kind\n", None, "ends before @data"),
    ],
)
def test_refused_with_the_line(read: Read, text: str, line: int | None, sentence: str) -> None:
    with pytest.raises(FileError, match=sentence) as error:
        read(text, "paint.dat")
    assert error.value.line == line
