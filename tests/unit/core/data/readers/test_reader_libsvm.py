"""LIBSVM text, the fast way and the careful one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.data.readers.formats import libsvm, libsvm_fast, libsvm_slow
from mcsvm_gui.core.data.readers.formats.libsvm_slow import Parsed

Read = Callable[..., Dataset]


def codes(found: Dataset) -> set[str]:
    return {notice.code for notice in found.notices}


LAWFUL = {
    "plain": "1 1:1 3:2.5\n2 2:-1e-3\n",
    "unsorted": "1 3:2.5 1:1\n2 2:-1e-3\n",
    "tabs and blanks": "1\t1:1   3:2.5 \n  2 2:-1e-3",
    "CR LF": "1 1:1 3:2.5\r\n2 2:-1e-3\r\n",
    "comments": "# all\n1 1:1 3:2.5 # some: 1:2\n\n2 2:-1e-3\n",
    "query numbers": "1 qid:3 1:1 3:2.5\n2 qid:4 2:-1e-3\n",
    "zeros": "1 1:1 2:0 3:2.5\n2 1:0.0 2:-1e-3\n",
    "leading zeros": "1 01:1 003:2.50\n2 2:-.001\n",
    "spellings": "1 1:+1. 3:25e-1\n2 2:-0.1E-2\n",
    "a mark": "\ufeff1 1:1 3:2.5\n2 2:-1e-3\n",
}


@pytest.mark.parametrize("spelling", LAWFUL)
@pytest.mark.parametrize("name", ["a.libsvm", "a.csv"])
def test_lawful_spellings(read: Read, spelling: str, name: str) -> None:
    found = read(LAWFUL[spelling], name)
    assert found.format == "libsvm"
    assert found.matrix.toarray().tolist() == [[1, 0, 2.5], [0, -1e-3, 0]]
    assert found.labels.tolist() == ["1", "2"]
    assert [column.name for column in found.columns] == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("1 1:1\n2 1:x\n", 2, '"x" of "1:x" is no number'),
        ("1 1:1\n2 1:\n", 2, "no value behind the colon"),
        ("1 1:1\n2 1 :3\n", 2, "is not index:value"),
        ("1 1:1\n2 -1:3\n", 2, 'index "-1"'),
        ("1 1:1\n2 1e1:3\n", 2, 'index "1e1"'),
        ("1 1:1\n2 +1:3\n", 2, 'index "\\+1"'),
        ("1 1:1\n2 99999999999:3\n", 2, "index too large"),
        ("1 1:1\n2 4294967297:3\n", 2, "index too large"),
        ("1 1:1\n2 1:0x10\n", 2, "is no number"),
        ("1 1:1\n2 1:1_0\n", 2, "is no number"),
        ("1 1:1\n2 1:1:2\n", 2, "is no number"),
        ("1 1:1\n2 1:2 1:3\n", 2, "index 1 occurs twice in one row"),
        ("1 1:1\n2 1:nan 2:inf\n1 1:1e999\n", 2, r"3 values \(lines 2 and 3\)"),
        ("1 1:1\n 1:2\n", 2, "no label"),
        ("1 1:1\n1,2 1:2\n", 2, "multi-label"),
        ("1 1:1\n2 1:2 3\n", 2, '"3" is not index:value'),
        ("1\n2\n", None, "no line has a feature"),
        ("1 1:1\n1 1:2\n", None, "one class only"),
    ],
)
def test_refused_with_the_line(read: Read, text: str, line: int | None, sentence: str) -> None:
    with pytest.raises(FileError, match=sentence) as error:
        read(text, "a.libsvm")
    assert error.value.line == line


def test_labels_are_text_but_one_number_is_one_class(read: Read) -> None:
    assert read("1.000 1:1\n-1 1:2\n", "a.libsvm").labels.tolist() == ["1.000", "-1"]
    assert read("+1 1:1\n-1 1:2\n", "a.libsvm").labels.tolist() == ["+1", "-1"]
    found = read("+1 1:1\n1 1:2\n1.0 1:3\n2 1:3\n", "a.libsvm")
    assert found.labels.tolist() == ["1", "1", "1", "2"]
    assert "label-spellings" in codes(found)
    assert read("cat 1:1\nd\u00f6g 1:2\n", "a.libsvm").classes == ("cat", "d\u00f6g")


def test_indices_from_zero(read: Read) -> None:
    found = read("1 0:1 2:3\n2 1:2\n", "a.libsvm")
    assert [column.name for column in found.columns] == ["0", "1", "2"]
    assert "zero-based" in codes(found)


def test_a_huge_index_costs_nothing(read: Read) -> None:
    found = read("1 1:1 1000000:2\n2 2:1\n", "a.libsvm")
    assert found.matrix.shape == (2, 1_000_000)
    assert found.matrix.nnz == 3


def test_rows_without_features_and_columns_of_zeros_are_kept(read: Read) -> None:
    found = read("1\n2 1:1 4:0\n1\n", "a.libsvm")
    assert found.matrix.shape == (3, 4)
    assert found.matrix.nnz == 1
    assert found.lines.tolist() == [1, 2, 3]


def test_data_to_predict_may_lack_labels(read: Read) -> None:
    found = read("1:1 2:2\n2:1\n", "a.libsvm", needs_label=False)
    assert (found.labels, found.matrix.shape) == (None, (2, 2))
    with pytest.raises(FileError, match="no label"):
        read("1:1 2:2\n1 2:1\n", "a.libsvm", needs_label=False)


def test_the_label_option_is_said_to_be_of_no_use(read: Read) -> None:
    assert "label-option-unused" in codes(read("1 1:1\n2 1:2\n", "a.libsvm", label="x"))


@pytest.mark.parametrize("parse", [libsvm.parse, libsvm_fast.parse])
def test_all_ways_read_the_same(parse: Callable[[bytes], Parsed], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libsvm, "_AT_ONCE", 2000)
    monkeypatch.setattr(libsvm_fast, "_PIECE", 2000)
    rng = np.random.default_rng(3)
    lines = []
    for _ in range(300):
        indices = rng.choice(np.arange(1, 60), size=rng.integers(0, 12), replace=False)
        values = rng.standard_normal(len(indices)) * 10.0 ** rng.integers(-20, 20, len(indices))
        pairs = " ".join(f"{i}:{v!r}" for i, v in zip(indices.tolist(), values.tolist(), strict=True))
        lines.append(f"{rng.choice(['1', '-1', 'é', 'longer_label'])} {pairs}" if rng.random() < 0.9 else "")
    data = "\n".join(lines).encode()
    fast, slow = parse(data), libsvm_slow.parse(Path("a"), data, needs_label=True)
    for name in ("labels", "pointers", "indices", "values", "lines"):
        np.testing.assert_array_equal(getattr(fast, name), getattr(slow, name))


HALVES = [str((2 * m + 1) << shift) for m in (2**52, 2**53 - 1, 6004799503160661) for shift in (0, 3, 9)]
NUMBERS = (
    "0 -0 7 +7. .5 00012 1e22 1e23 9007199254740993 18446744073709551616 18446744073709551615 1e-22 4.9e-324 3e-320"
)


@pytest.mark.parametrize("word", [*NUMBERS.split(), *HALVES, "0.1" + 20 * "0" + "1", "9" * 25, "1" + 40 * "0", "0e999"])
def test_compiled_code_rounds_as_python_does(word: str) -> None:
    found = libsvm_fast.parse(f"1 1:{word} 2:-{word.lstrip('+-')}\n".encode())
    assert found is not None
    assert [value.hex() for value in found.values.tolist()] == [float(word).hex(), (-abs(float(word))).hex()]


@pytest.mark.slow
def test_compiled_code_rounds_many_numbers_as_python_does() -> None:
    rng = np.random.default_rng(5)
    size = 10.0 ** rng.integers(-30, 30, 100_000)
    values = rng.standard_normal(size.size) * size
    words = [
        f"{value:.{digits}g}" for value, digits in zip(values.tolist(), rng.integers(1, 25, size.size), strict=True)
    ]
    found = libsvm_fast.parse(("1 " + " ".join(f"{j}:{word}" for j, word in enumerate(words, start=1))).encode())
    assert found is not None
    np.testing.assert_array_equal(found.values, [float(word) for word in words])


ODD = "1 1:1:1;1 1;1 :1;1 1:;1:1 2:2;1,2 1:1;1 x:1;1 1:nan;1 1:1e999;1 1:0x1;1 -1:1;1 1:1e;1 1:.;1 1:+;1 1:1_0;1 1:1e+"


@pytest.mark.parametrize("line", [*ODD.split(";"), "1 1:--1", "1 99999999999999999999:1"])
def test_compiled_code_leaves_other_lines_alone(line: str) -> None:
    assert libsvm_fast.parse(f"1 1:1\n{line}\n2 1:1\n".encode()) is None


def test_large_files_are_read_by_compiled_code(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "1 1:0.5 3:2\n\n2 2:1e-3\n"
    small = read(text, "a.libsvm")
    monkeypatch.setattr(libsvm, "_LARGE", 1)
    monkeypatch.setattr(libsvm, "_parsed", None)
    large = read(text, "a.libsvm")
    assert (small.matrix != large.matrix).nnz == 0
    assert (large.labels.tolist(), large.lines.tolist()) == (["1", "2"], [1, 3])
    with pytest.raises(FileError, match=r"a.libsvm:2"):
        read("1 1:1\n1 1:x\n", "a.libsvm")


@pytest.mark.parametrize(
    ("said", "held"),
    [
        ({"drop": ("2",)}, [[1.0, 0.0, 3.0], [0.0, 0.0, 9.0]]),
        ({"columns": ("1", "2")}, [[1.0, 2.0, 0.0], [0.0, 5.0, 0.0]]),
        ({"columns": ("1", "2"), "drop": ("1",)}, [[0.0, 2.0, 0.0], [0.0, 5.0, 0.0]]),
    ],
)
def test_columns_that_are_left_out_hold_nothing(tmp_path: Path, said: dict[str, Any], held: list[list[float]]) -> None:
    path = tmp_path / "t.libsvm"
    path.write_text("1 1:1 2:2 3:3\n2 2:5 3:9\n")
    assert open_dataset(path, ReadOptions(**said)).matrix.toarray().tolist() == held
    assert open_dataset(path, ReadOptions(**said), needs_label=False).matrix.toarray().tolist() == held


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"drop": ("4",)}, 'no column "4"; columns of a LIBSVM file are numbers from 1 to 3'),
        ({"columns": ("size",)}, 'no column "size"'),
        ({"text": ("2",)}, "leave --text out"),
        ({"names": ("2",)}, "leave --names out"),
    ],
)
def test_roles_that_its_columns_cannot_have(tmp_path: Path, said: dict[str, Any], sentence: str) -> None:
    path = tmp_path / "t.libsvm"
    path.write_text("1 1:1 2:2 3:3\n2 2:5 3:9\n")
    with pytest.raises(InputError, match=sentence):
        open_dataset(path, ReadOptions(**said))
