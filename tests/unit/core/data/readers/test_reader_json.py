"""JSON lines and arrays of flat objects."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset

Read = Callable[..., Dataset]
LINES = (
    '{"x": 1.5, "sea": "north", "deep": true, "zip": "01", "kind": 1}\n'
    "\n"
    '{"x": null, "sea": "NA", "deep": false, "zip": "02", "kind": 1.0, "more": 2}\n'
    '{"sea": null, "x": 12345678901234567890123, "deep": true, "zip": "01", "kind": 1}\n'
)


def holds_the_lines(found: Dataset) -> None:
    assert (found.format, found.rows, found.label_name) == ("json", 3, "kind")
    assert [(column.name, column.kind) for column in found.columns] == [
        ("x", "number"),
        ("sea", "category"),
        ("deep", "category"),
        ("zip", "category"),
        ("more", "number"),
    ]
    assert found.table["x"].tolist()[::2] == [1.5, 12345678901234567890123.0]
    assert found.table["sea"].tolist() == ["north", "NA", None]
    assert found.table["deep"].tolist() == ["true", "false", "true"]
    assert found.table["zip"].tolist() == ["01", "02", "01"]
    assert found.table["more"].isna().tolist() == [True, False, True]
    assert found.labels.tolist() == ["1", "1.0", "1"]


def test_an_object_per_line(read: Read) -> None:
    found = read(LINES, "a.jsonl", label="kind")
    holds_the_lines(found)
    assert found.lines.tolist() == [1, 3, 4]


@pytest.mark.parametrize("name", ["a.json", "a.txt"])
def test_one_array_of_objects(read: Read, name: str) -> None:
    holds_the_lines(read("[" + ",\n".join(filter(None, LINES.split("\n"))) + "]", name, label="kind"))


def test_windows_line_ends_and_a_mark(read: Read) -> None:
    holds_the_lines(read(b"\xef\xbb\xbf" + LINES.replace("\n", "\r\n").encode(), "a.jsonl", label="kind"))


def test_not_a_number_is_missing(read: Read) -> None:
    found = read('{"x": NaN, "label": "a"}\n{"x": 1, "label": "b"}\n', "a.jsonl")
    assert found.missing == 1


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ('{"x": 1, "label": "a"}\n{"x": [1, 2], "label": "b"}\n', 2, '"x" holds an object or a list'),
        ('{"x": {"y": 1}, "label": "a"}\n', 1, '"x" holds an object'),
        ('{"x": 1, "label": "a"}\n{"x": 1, "x": 2, "label": "b"}\n', 2, '"x" occurs twice in one object'),
        ('{"x": 1, "label": "a"}\n{"x": 1,\n', 2, "no JSON"),
        ('{\n "x": 1\n}\n', 1, "one object per line"),
        ('{"x": 1, "label": "a"}\n[1, 2]\n', 2, "row 2 is no JSON object"),
        ("[[1, 2], [3, 4]]", 1, "row 1 is no JSON object"),
        ('[{"x": 1,\n "label" "a"}]', 2, "no JSON"),
        ('{"x": "\\ud800", "label": "a"}\n', 1, "half a letter"),
        ('{"\\ud800": 1, "label": "a"}\n', 1, "half a letter"),
        ('{"x": ' + "[" * 100_000 + "\n", 1, "inside each other"),
        ('{"x": Infinity, "label": "a"}\n{"x": 1, "label": "b"}\n', 1, "1 infinite"),
        ('{"x": 1e999, "label": "a"}\n{"x": 1, "label": "b"}\n', 1, "1 infinite"),
        ('{"label": "a"}\n{"label": "b"}\n', None, "only one column"),
        ("[]", None, "only one column"),
        ("{}\n{}\n", None, "only one column"),
    ],
)
def test_refused_in_words(read: Read, text: str, line: int | None, sentence: str) -> None:
    with pytest.raises(FileError, match=sentence) as error:
        read(text, "a.jsonl")
    assert error.value.line == line


def test_rows_that_share_no_keys_would_fill_the_memory(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    from mcsvm_gui.core.data.readers.formats import json_lines

    monkeypatch.setattr(json_lines, "memory", lambda: 100_000)
    with pytest.raises(FileError, match="quarter of this machine's memory"):
        read("".join(f'{{"x{row}": 1, "label": "a"}}\n' for row in range(200)), "a.jsonl")
