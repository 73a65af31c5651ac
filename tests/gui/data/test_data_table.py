"""The table of a data set: right cells, no copies, and no more sections than can be shown."""

from __future__ import annotations

import cProfile
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from mcsvm_gui.core.data.dataset import Column, Dataset, NumberedColumns
from mcsvm_gui.core.data.readers import ReadOptions, open_dataset
from mcsvm_gui.ui.data.model import MISSING, MOST_SHOWN, ZERO, DataModel
from mcsvm_gui.ui.data.table import DataTable

ROWS = 1_000_000


def dense(table: pd.DataFrame, labels: list[str] | None = None) -> Dataset:
    kinds = ["category" if table[name].dtype == object else "number" for name in table]
    columns = tuple(Column(str(name), kind) for name, kind in zip(table, kinds, strict=True))  # type: ignore[arg-type]
    values = None if labels is None else np.array(labels, dtype=object)
    name = None if labels is None else "kind"
    return Dataset("made.csv", "csv", columns, table, None, name, values, None, (), (), "0" * 64)


def sparse(matrix: sp.csr_array, first: int = 1) -> Dataset:
    labels = np.array(["a"] * matrix.shape[0], dtype=object)
    columns = NumberedColumns(first, matrix.shape[1])
    lines = np.arange(2, matrix.shape[0] + 2)
    return Dataset("made.libsvm", "libsvm", columns, None, matrix, "label", labels, lines, (), (), "0" * 64)


def small() -> Dataset:
    table = pd.DataFrame({"x": [1.5, np.nan, 1e-9], "colour": pd.Series(["red", None, "–"], dtype=object)})  # noqa: RUF001
    return dense(table, ["b", "a", "b"])


def texts(model: DataModel) -> list[list[str]]:
    return [[model.index(r, c).data() for c in range(model.columnCount())] for r in range(model.rowCount())]


def test_cells_labels_and_missing_ones(qtbot: QtBot) -> None:
    model = DataModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show(small())
    assert texts(model) == [["b", "1.5", "red"], ["a", MISSING, MISSING], ["b", "1e-09", "–"]]  # noqa: RUF001
    heads = [model.headerData(c, Qt.Orientation.Horizontal) for c in range(3)]
    assert heads == ["kind", "x", "colour"]
    said = [model.index(1, c).data(Qt.ItemDataRole.AccessibleTextRole) for c in (1, 2)]
    assert said == ["missing", "missing"]
    assert model.index(2, 2).data(Qt.ItemDataRole.AccessibleTextRole) != "missing"
    marked = [[model.index(r, c).data(Qt.ItemDataRole.BackgroundRole) is not None for c in range(3)] for r in range(3)]
    assert marked == [[True, False, False], [True, True, True], [True, False, False]]
    model.show(None)
    assert (model.rowCount(), model.columnCount()) == (0, 0)
    del tester


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(allow_nan=True, allow_infinity=False, width=64), min_size=1, max_size=20))
def test_seven_digits_in_the_cell_and_all_of_them_on_asking(values: list[float]) -> None:
    model = DataModel()
    model.show(dense(pd.DataFrame({"x": values}), ["a"] * len(values)))
    for row, value in enumerate(values):
        full = model.index(row, 1).data(Qt.ItemDataRole.ToolTipRole)
        if math.isnan(value):
            assert full == "missing"
        else:
            assert float(full) == value
            assert math.isclose(float(model.index(row, 1).data()), value, rel_tol=1e-6, abs_tol=1e-320)


def test_a_million_rows_are_shown_without_copying_one(qtbot: QtBot) -> None:
    values = np.arange(ROWS * 3, dtype=float).reshape(ROWS, 3)
    data = dense(pd.DataFrame(values, columns=list("xyz")), ["a", "b"] * (ROWS // 2))
    assert data.table is not None
    table = DataTable()
    qtbot.addWidget(table)
    table.resize(600, 400)
    table.show_data(data)
    assert table.model.rowCount() == ROWS
    for column in range(3):
        assert table.model.index(ROWS - 1, column + 1).data() == f"{values[-1, column]:.7g}"
        assert np.shares_memory(table.model._column(column), data.table.to_numpy(copy=False))
    table.grid.scrollToBottom()
    assert not table.grab().isNull()


def test_sparse_cells_are_found_in_place(qtbot: QtBot) -> None:
    matrix = sp.csr_array(np.array([[0.0, 2.5, 0.0], [0.0, 0.0, 0.0], [-1.0, 0.0, 3.0]]))
    model = DataModel()
    model.show(sparse(matrix))
    assert texts(model) == [["a", ZERO, "2.5", ZERO], ["a", ZERO, ZERO, ZERO], ["a", "-1", ZERO, "3"]]
    assert model.index(1, 1).data(Qt.ItemDataRole.AccessibleTextRole) == "0.0"
    assert "3" in model.headerData(1, Qt.Orientation.Vertical, Qt.ItemDataRole.ToolTipRole)


@pytest.fixture
def wide(qtbot: QtBot) -> DataTable:
    matrix = sp.csr_array((np.array([1.0, 2.0]), (np.array([0, 1]), np.array([4, 999_999]))), shape=(2, 1_000_000))
    table = DataTable()
    qtbot.addWidget(table)
    table.resize(700, 300)
    table.show_data(sparse(matrix))
    table.show()
    return table


def go(table: DataTable, words: str) -> None:
    table.go_to.setText(words)
    table.go_to.returnPressed.emit()


def test_a_million_columns_are_shown_in_parts_that_say_so(wide: DataTable) -> None:
    assert wide.grid.horizontalHeader().count() == MOST_SHOWN + 1
    assert "1 000 000" in wide.where.text().replace("\u202f", " ")
    go(wide, "1000000")
    assert wide.trouble.text() == ""
    assert wide.grid.horizontalHeader().count() == MOST_SHOWN + 1
    last = wide.model.column_of(999_999)
    assert wide.model.index(1, last).data() == "2"
    assert wide.grid.selectionModel().isColumnSelected(last)
    assert not wide.on.isEnabled()
    wide.back.click()
    assert wide.on.isEnabled()
    go(wide, "5")
    assert wide.model.index(0, wide.model.column_of(4)).data() == "1"


@pytest.mark.parametrize("words", ["0", "1000001", "nothing", "-3", "", "²"])
def test_a_column_that_is_not_there_is_said_beside_the_field(wide: DataTable, words: str) -> None:
    go(wide, words)
    assert words in wide.trouble.text()
    assert wide.trouble.text()
    wide.go_to.textEdited.emit("5")
    assert not wide.trouble.text()


def test_columns_are_found_by_name_number_or_beginning() -> None:
    model = DataModel()
    model.show(dense(pd.DataFrame(np.zeros((1, 4)), columns=["Weight", "2", "width", "WIDTH"]), ["a"]))
    found = {words: model.find(words) for words in ("Weight", "weight", "2", "1", "WIDTH", "width", "wei", "zzz", "9")}
    assert found == {
        "Weight": 0,
        "weight": 0,
        "2": 1,
        "1": 0,
        "WIDTH": 3,
        "width": 2,
        "wei": 0,
        "zzz": None,
        "9": None,
    }


def test_what_is_selected_is_copied_with_its_heading(qtbot: QtBot) -> None:
    table = DataTable()
    qtbot.addWidget(table)
    table.show_data(small())
    select = QItemSelectionModel.SelectionFlag.Select
    for row, column in ((0, 1), (1, 2)):
        table.grid.selectionModel().select(table.model.index(row, column), select)
    qtbot.keyClick(table.grid, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == f"x\tcolour\n1.5\tred\n{MISSING}\t{MISSING}"


def test_the_weight_stands_behind_the_label(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("x,w,class\n1.5,2,a\n2,0.5,b\n", "utf-8")
    model = DataModel()
    model.show(open_dataset(path, ReadOptions(weights="w")))
    assert texts(model) == [["a", "2", "1.5"], ["b", "0.5", "2"]]
    heads = [model.headerData(column, Qt.Orientation.Horizontal) for column in range(3)]
    assert heads == ["class", "w", "x"]
    tip = model.headerData(1, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert tip == "w: the weight of the row"
    assert model.find("x") == 0
    assert model.column_of(0) == 2


def test_a_column_of_a_million_rows_is_selected_without_asking_for_each(qtbot: QtBot) -> None:
    """16 microseconds for each of a million rows would be 16 seconds."""
    table = DataTable()
    qtbot.addWidget(table)
    table.show_data(dense(pd.DataFrame({"x": np.zeros(ROWS // 10), "y": np.ones(ROWS // 10)})))
    with qtbot.waitExposed(table):
        table.show()
    with cProfile.Profile() as watched:
        table.grid.selectColumn(1)
        table.grid.grab()
        table.grid.selectAll()
        table.grid.grab()
    calls = {entry.code.co_name: entry.callcount for entry in watched.getstats() if not isinstance(entry.code, str)}
    assert 0 < calls["rowCount"] < ROWS // 50
