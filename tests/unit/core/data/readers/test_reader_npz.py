"""Archives of NumPy arrays: no pickle is opened, and no header believed."""

from __future__ import annotations

import io
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset

Read = Callable[..., Dataset]
X = np.array([[1.5, 2.0], [3.0, np.nan], [5.0, 6.5]])


def saved(**arrays: Any) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def zipped(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return buffer.getvalue()


def with_header(header: str, data: bytes = b"") -> bytes:
    text = header.encode() + b" " * 10 + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


@pytest.mark.parametrize(("rows", "classes"), [("X", "y"), ("data", "target"), ("x_train", "y_train")])
def test_rows_and_classes(read: Read, rows: str, classes: str) -> None:
    found = read(saved(**{rows: X, classes: np.array([1, 2, 1])}), "a.npz")
    assert (found.format, found.label_name, found.guesses) == ("npz", classes, ())
    np.testing.assert_array_equal(found.table.to_numpy(), X)
    assert [column.name for column in found.columns] == ["1", "2"]
    assert found.labels.tolist() == ["1", "2", "1"]


@pytest.mark.parametrize(
    ("classes", "labels"),
    [
        (np.array(["é", "b", "é"]), ["é", "b", "é"]),
        (np.array([b"a", b"b", b"a"]), ["a", "b", "a"]),
        (np.array([1.0, 2.5, 1.0]), ["1.0", "2.5", "1.0"]),
        (np.array([[1], [2], [1]], dtype=np.uint8), ["1", "2", "1"]),
        (np.array([True, False, True]), ["True", "False", "True"]),
    ],
)
def test_classes_as_text(read: Read, classes: np.ndarray, labels: list[str]) -> None:
    assert read(saved(X=X, y=classes), "a.npz").labels.tolist() == labels


@pytest.mark.parametrize("kind", ["<f4", ">f8", "<f2", "u1", "<i8", "?"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_any_kind_of_numbers_in_any_order(read: Read, kind: str, order: Any) -> None:
    table = np.array([[0, 1, 1], [1, 0, 1]]).astype(kind, order=order)
    found = read(saved(X=table, y=np.array([0, 1])), "a.npz")
    np.testing.assert_array_equal(found.table.to_numpy(), [[0, 1, 1], [1, 0, 1]])


def test_names_of_columns_and_arrays_that_are_left_out(read: Read) -> None:
    found = read(saved(X=X, y=[1, 2, 1], feature_names=["a", "b"], X_test=X), "a.npz")
    assert [column.name for column in found.columns] == ["a", "b"]
    assert '"X_test"' in str(next(notice.sentence for notice in found.notices if notice.code == "left-out"))


def test_without_classes(read: Read) -> None:
    assert read(saved(X=X), "a.npz", needs_label=False).labels is None
    assert read(saved(X=np.array([[1.5, 0], [2.5, 1], [3.5, 0]])), "a.npz").classes == ("0.0", "1.0")


class Bomb:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


def test_pickles_are_never_opened(read: Read, tmp_path: Path) -> None:
    objects = np.array([Bomb(tmp_path / "ran")] * 3, dtype=object)
    for arrays in ({"X": objects, "y": [1, 2, 1]}, {"X": X, "y": objects}):
        with pytest.raises(FileError, match="never opened"):
            read(saved(**arrays), "a.npz")
    plain = zipped(X=pickle.dumps(Bomb(tmp_path / "ran")), y=b"")
    with pytest.raises(FileError, match="is damaged"):
        read(plain, "a.npz")
    assert not (tmp_path / "ran").exists()


HEADER = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }"


@pytest.mark.parametrize(
    "content",
    [
        with_header(HEADER, bytes(31)),
        with_header(HEADER, bytes(40)),
        with_header(HEADER.replace("(2, 2)", "(2, 99999999999999999999)"), bytes(32)),
        with_header(HEADER.replace("(2, 2)", "(0, 99999999999999999999)")),
        with_header(HEADER.replace("(2, 2)", "(-2, -2)"), bytes(32)),
        with_header(HEADER.replace("False", "__import__('os')"), bytes(32)),
        with_header(HEADER.replace("'<f8'", "[('a', '<f8')]"), bytes(32)),
        with_header(HEADER.replace("<f8", "<V8"), bytes(32)),
        with_header(HEADER.replace("<f8", "<U0"), b""),
        with_header(HEADER.replace("<f8", "<U2"), b"\xff" * 32),
        with_header(HEADER.replace("<f8", "|S8"), b"\xff" * 32),
        with_header(HEADER.replace("<f8", "<f3"), bytes(12)),
        with_header(HEADER.replace("<f8", "<c16"), bytes(64)),
        b"\x93NUMPY\x01\x00\xff\xff" + HEADER.encode(),
        b"\x93NUMPY\x09\x00\x10\x00" + HEADER.encode(),
        b"\x93NUMPY",
        b"",
    ],
)
def test_broken_headers(read: Read, content: bytes) -> None:
    good = io.BytesIO()
    np.save(good, np.array([1, 2]))
    for members in ({"X": content, "y": good.getvalue()}, {"X": good.getvalue(), "y": content}):
        with pytest.raises(FileError):
            read(zipped(**members), "a.npz")


@pytest.mark.parametrize(
    ("arrays", "sentence"),
    [
        ({"X": np.zeros((3, 2, 2)), "y": [1, 2, 1]}, "3 dimensions"),
        ({"X": X, "y": [1, 2]}, "2 values for 3 rows"),
        ({"X": X, "y": np.eye(3)}, "9 values for 3 rows"),
        ({"X": np.array([["a"]] * 3), "y": [1, 2, 1]}, "no numbers"),
        ({"X": X * 1j, "y": [1, 2, 1]}, "neither plain numbers"),
        ({"points": X, "kinds": [1, 2, 1]}, '"points" and "kinds"'),
        ({"data": X.ravel(), "indices": [1], "indptr": [1], "shape": [1], "format": b"csr"}, "sparse matrix of SciPy"),
        ({"X": X * np.inf, "y": [1, 2, 1]}, "infinite"),
    ],
)
def test_refused_in_words(read: Read, arrays: dict[str, Any], sentence: str) -> None:
    with pytest.raises(FileError, match=sentence):
        read(saved(**arrays), "a.npz")


def test_a_bomb_is_not_unpacked(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    from mcsvm_gui.core.data.readers.formats import npz

    monkeypatch.setattr(npz, "memory", lambda: 1 << 20)
    bomb = saved(X=np.zeros((100_000, 2)), y=np.zeros(100_000))
    assert len(bomb) < 10_000
    with pytest.raises(FileError, match="too large"):
        read(bomb, "a.npz")


def test_a_size_that_lies_is_found_out(read: Read) -> None:
    honest = zipped(X=with_header(HEADER, bytes(32)), y=b"")
    lying = honest.replace((len(with_header(HEADER, bytes(32)))).to_bytes(4, "little"), (5).to_bytes(4, "little"))
    assert lying != honest
    with pytest.raises(FileError):
        read(lying, "a.npz")
