"""A folder or a pattern of files is read as one table of all their rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.readers import ReadOptions, open_dataset

PARTS = {"b.csv": "x,kind\n3,cod\n4,eel\n", "a.csv": "x,kind\n1,cod\n2,cod\n", ".hidden.csv": "z\n", "notes.doc": "no"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "parts"
    (place / "deeper.csv").mkdir(parents=True)
    for name, text in PARTS.items():
        (place / name).write_text(text, encoding="utf-8")
    return place


def refused(path: object, *, needs_label: bool = True, **said: str) -> str:
    with pytest.raises(FileError) as error:
        open_dataset(str(path), ReadOptions(**said), needs_label=needs_label)
    return str(error.value)


@pytest.mark.parametrize("pattern", ["", "*.csv", "[ab].csv"])
def test_all_rows_in_the_order_of_names(folder: Path, pattern: str) -> None:
    found = open_dataset(folder / pattern)
    assert found.table["x"].tolist() == [1, 2, 3, 4]
    assert found.labels.tolist() == ["cod", "cod", "cod", "eel"]
    assert (found.name, found.label_name, found.lines) == (str(folder / pattern), "kind", None)
    assert ("label column", "kind") in {(guess.what, guess.value) for guess in found.guesses}


def test_a_part_may_hold_one_class_only(folder: Path) -> None:
    assert open_dataset(folder, ReadOptions(label="kind")).classes == ("cod", "eel")
    (folder / "b.csv").write_text("x,kind\n3,cod\n", encoding="utf-8")
    assert "one class only" in refused(folder)


def test_without_classes(folder: Path) -> None:
    found = open_dataset(folder, needs_label=False)
    assert (found.labels, [column.name for column in found.columns]) == (None, ["x", "kind"])


def test_a_pattern_that_fits_one_file_and_a_file_whose_name_is_a_pattern(folder: Path) -> None:
    assert open_dataset(folder / "b*.csv").rows == 2
    (folder / "[x].csv").write_text("x,kind\n9,cod\n8,eel\n", encoding="utf-8")
    assert open_dataset(folder / "[x].csv").table["x"].tolist() == [9, 8]


def test_the_digest_is_that_of_all_parts(folder: Path) -> None:
    before = open_dataset(folder).digest
    assert open_dataset(folder / "*.csv").digest == before
    (folder / "b.csv").write_text("x,kind\n3,cod\n5,eel\n", encoding="utf-8")
    assert open_dataset(folder).digest != before


def test_sparse_files_of_different_width(tmp_path: Path) -> None:
    (tmp_path / "1.libsvm").write_text("1 1:2 3:4\n2 2:1\n")
    (tmp_path / "2.libsvm").write_text("1 5:7\n2 1:1\n")
    found = open_dataset(tmp_path)
    np.testing.assert_array_equal(
        found.matrix.toarray(), [[2, 0, 4, 0, 0], [0, 1, 0, 0, 0], [0, 0, 0, 0, 7], [1, 0, 0, 0, 0]]
    )
    assert (len(found.columns), found.labels.tolist()) == (5, ["1", "2", "1", "2"])


def test_what_cannot_be_joined(folder: Path) -> None:
    (folder / "c.csv").write_text("y,kind\n3,cod\n4,eel\n", encoding="utf-8")
    assert "c.csv: its columns are not those of" in refused(folder)
    assert '"y"' in refused(folder)
    (folder / "c.csv").write_text("x,kind\nfew,cod\nmany,eel\n", encoding="utf-8")
    assert "its columns are not those of" in refused(folder)
    (folder / "c.csv").write_text("x,sort\n3,cod\n", encoding="utf-8")
    assert "c.csv" in refused(folder, label="kind")


def test_nothing_to_read(tmp_path: Path) -> None:
    assert "the folder holds no data file" in refused(tmp_path)
    assert "no file fits this pattern" in refused(tmp_path / "*.csv")
