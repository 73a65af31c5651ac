"""Layouts within layouts leave no Python object behind that PySide could take for something else."""

from __future__ import annotations

import gc
from pathlib import Path

from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget, QWidgetItem
from pytestqt.qtbot import QtBot
from shiboken6 import Shiboken

from mcsvm_gui.ui.kit import nesting
from mcsvm_gui.ui.kit.nesting import nest
from mcsvm_gui.ui.train.page import TrainPage

VIEWS = Path(nesting.__file__).parents[1]


def items() -> int:
    """Python objects that stand for an item Qt has made, and do not hear when Qt deletes it."""
    gc.collect()
    return sum(isinstance(one, QWidgetItem) for one in Shiboken.getAllValidWrappers())


def row_within_a_row() -> tuple[QHBoxLayout, QHBoxLayout]:
    within, row = QHBoxLayout(), QHBoxLayout()
    row.addWidget(QLabel("seen"))
    within.addLayout(row)  # Qt's own: one Python object for the label's item
    return within, row


def test_the_trap_is_there(qtbot: QtBot) -> None:
    """Else this can go."""
    widget, before = QWidget(), items()
    qtbot.addWidget(widget)
    within, row = row_within_a_row()
    QVBoxLayout(widget).addLayout(within)
    assert items() > before
    Shiboken.invalidate(row.itemAt(0))


def test_nested_layouts_leave_nothing(qtbot: QtBot) -> None:
    widget, before = QWidget(), items()
    qtbot.addWidget(widget)
    outer = QVBoxLayout(widget)
    within, _ = row_within_a_row()
    nest(outer, within, 1)
    assert items() == before
    assert outer.stretch(0) == 1


def test_a_page_leaves_nothing(qtbot: QtBot) -> None:
    before = items()
    qtbot.addWidget(TrainPage())
    assert items() == before


def test_views_nest_layouts_in_this_way_alone() -> None:
    ways = ".addLayout(", "itemAt"
    other = {path.name for path in VIEWS.rglob("*.py") if any(way in path.read_text("utf-8") for way in ways)}
    assert other == {"nesting.py"}
