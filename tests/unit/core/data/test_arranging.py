"""Rows sorted and chosen, against pandas."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.data.roles import coding
from mcsvm_gui.core.data.roles.arrangement import PICKS, Arrangement
from mcsvm_gui.core.data.roles.arranging import arranged


@pytest.fixture
def table(tmp_path: Path) -> Dataset:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"id": [f"row {j}" for j in range(300)], "x": rng.normal(size=300).round(1)})
    frame.loc[::7, "x"] = np.nan
    frame["c"] = [["b", "A", "a", None, "ä"][j % 5] for j in rng.permutation(300)]
    frame["label"] = [["a", "b"][j % 2] for j in range(300)]
    frame.to_csv(tmp_path / "t.csv", index=False)
    return open_dataset(tmp_path / "t.csv")


@pytest.mark.parametrize("piece", [50_000, 7])
@pytest.mark.parametrize("descending", [False, True])
def test_sorted_as_pandas_sorts(table: Dataset, monkeypatch: pytest.MonkeyPatch, piece: int, descending: bool) -> None:
    monkeypatch.setattr(coding, "PIECE", piece)
    values = table.table["x"]
    order = arranged(table, Arrangement(0, descending, ""))
    expected = values.sort_values(ascending=not descending, kind="stable", na_position="last")
    assert values[order].to_numpy() == pytest.approx(expected.to_numpy(), nan_ok=True)
    words = table.table["c"][arranged(table, Arrangement(1, descending, ""))].tolist()
    there = [word for word in words if word is not None]
    assert there == sorted(there, key=lambda word: (word.casefold(), word), reverse=descending)
    assert words[len(there) :] == [None] * 60


def test_chosen_and_sorted(table: Dataset) -> None:
    order = arranged(table, Arrangement(0, False, "CLASS=a; x>0"))
    held = table.table["x"][order]
    assert held.tolist() == sorted(x for x, y in zip(table.table["x"], table.labels, strict=True) if y == "a" and x > 0)
    assert arranged(table, Arrangement(None, False, " ")) is None
    assert arranged(table, Arrangement(None, False, "id=row 5")).tolist() == [5]
    assert arranged(table, Arrangement("name id", True, ""))[0] == 99  # row 99, as letters go
    with pytest.raises(InputError, match="no column 'z' here"):
        arranged(table, Arrangement(None, False, "z=1"))


def test_sparse_columns_by_number(tmp_path: Path) -> None:
    path = tmp_path / "t.libsvm"
    path.write_text("1 1:2 3:4\n2 2:1\n1 1:1\n3 3:9\n2 3:9\n")
    found = open_dataset(path)
    assert arranged(found, Arrangement(2, True, "")).tolist() == [3, 4, 0, 1, 2]
    assert arranged(found, Arrangement(None, False, "3>0")).tolist() == [0, 3, 4]


@pytest.fixture
def doubled(tmp_path: Path) -> Dataset:
    """Rows 0, 2, 5 alike, of them 5 of another class; 1 and 4 alike; 3 far away; 6 with a gap."""
    lines = ["1,2,a", "3,4,b", "1,2,a", "90,-80,a", "3,4,b", "1,2,b", "5,,b"]
    lines += [f"{j % 9 / 7},{j / 41},a" for j in range(40)]
    (tmp_path / "t.csv").write_text("x,y,label\n" + "\n".join(lines) + "\n")
    return open_dataset(tmp_path / "t.csv")


@pytest.mark.parametrize(
    ("pick", "rows"),
    [("repeated", [0, 2, 5, 1, 4]), ("contradictions", [0, 2, 5]), ("missing", [6])],
)
def test_rows_that_one_would_look_at(doubled: Dataset, pick: str, rows: list[int]) -> None:
    found = arranged(doubled, Arrangement(pick=pick))
    assert found is not None
    assert found.tolist() == rows
    farthest = arranged(doubled, Arrangement(pick="outliers"))
    assert farthest is not None
    assert farthest[0] == 3


def test_picked_rows_are_sorted_and_filtered_too(doubled: Dataset) -> None:
    assert arranged(doubled, Arrangement(pick="all")) is None
    assert arranged(doubled, Arrangement(0, True, "CLASS=a", "repeated")).tolist() == [0, 2]
    assert arranged(doubled, Arrangement(1, True, "", "repeated")).tolist() == [1, 4, 0, 2, 5]
    assert arranged(doubled, Arrangement(pick="missing", where="x<0")).tolist() == []


@pytest.mark.parametrize("pick", PICKS)
def test_every_pick_takes_sparse_rows_and_rows_without_a_class(tmp_path: Path, pick: str) -> None:
    (tmp_path / "t.libsvm").write_text("1 1:2 3:4\n2 2:1\n1 1:2 3:4\n3 3:9\n")
    found = arranged(open_dataset(tmp_path / "t.libsvm"), Arrangement(pick=pick))
    assert (found is None) == (pick == "all")
    (tmp_path / "t.csv").write_text("x,y\n1,2\n3,4\n1,2\n")
    bare = open_dataset(tmp_path / "t.csv", needs_label=False)
    bare = replace(bare, labels=None, label_name=None)
    assert (arranged(bare, Arrangement(pick=pick)) is None) == (pick == "all")
