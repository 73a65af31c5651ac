"""The handle between what a page shows of runs and the table of all runs."""

from __future__ import annotations

from PySide6.QtWidgets import QTableWidget, QWidget
from pytestqt.qtbot import QtBot

from mcsvm_gui.ui.kit.page import TableSplitter


def split(qtbot: QtBot) -> TableSplitter:
    splitter = TableSplitter("testSplitter", QWidget())
    table = QTableWidget(20, 2)
    table.setMinimumHeight(100)
    splitter.set_table(table)
    qtbot.addWidget(splitter)
    splitter.resize(800, 1000)
    splitter.show()
    return splitter


def test_a_quarter_of_the_height_is_the_tables(qtbot: QtBot) -> None:
    upper, table = split(qtbot).sizes()
    assert 0.2 < table / (upper + table) < 0.3


def test_the_upper_part_can_take_all_but_the_least(qtbot: QtBot) -> None:
    splitter = split(qtbot)
    splitter.favour_upper()
    assert splitter.sizes()[1] == 100


def test_what_the_user_has_placed_stays(qtbot: QtBot) -> None:
    splitter = split(qtbot)
    splitter.setSizes([500, 500])
    placed, state = splitter.sizes(), splitter.saveState()
    other = split(qtbot)
    other.restoreState(state)
    other.favour_upper()
    assert other.sizes() == placed
