"""Class weights in a table: what it shows of an entry, and what entry comes out of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base import resources
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.machine.form import ASKED, class_factors, class_weight_text
from mcsvm_gui.ui.kit.class_tables.weights import FACTOR, ClassWeightsDialog
from mcsvm_gui.ui.train.page import TrainPage
from mcsvm_gui.ui.tune.fields import TuneFields

TOTALS = {"a": 10, "b": 30, "ä ö": 20}


@pytest.fixture
def page(qtbot: QtBot) -> TrainPage:
    made = TrainPage()
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    made.form.more.setChecked(True)
    return made


def opened(page: TrainPage, entry: str = "", totals: dict[str, float] | None = None) -> ClassWeightsDialog:
    page.show_classes(TOTALS if totals is None else totals)
    page.form.edits["class_weight"].setText(entry)
    button = page.findChild(QToolButton, "classWeightButton")
    assert isinstance(button, QToolButton)
    assert button.accessibleName()
    button.click()
    dialog = page.window().findChild(ClassWeightsDialog, "classWeightDialog")
    assert isinstance(dialog, ClassWeightsDialog)
    return dialog


def factors(dialog: ClassWeightsDialog) -> list[str]:
    return [dialog.table.item(row, FACTOR).text() for row in range(dialog.table.rowCount())]


def take(dialog: ClassWeightsDialog) -> None:
    dialog.findChild(QPushButton, "takeClassWeightsButton").click()


def test_without_data_there_is_no_table(page: TrainPage) -> None:
    button = page.findChild(QToolButton, "classWeightButton")
    assert not button.isEnabled()
    assert button.toolTip() == "Open data first, on the Data page."
    page.show_classes(TOTALS)
    assert button.isEnabled()
    assert TuneFields().findChild(QToolButton, "tuneClassWeightButton").accessibleName()


@pytest.mark.parametrize(
    ("entry", "way", "shown"),
    [
        ("", "", ["1", "1", "1"]),
        ("balanced", "balanced", ["2", "0.6667", "1"]),
        ('{"b": 2, "ä ö": 0.5}', "hand", ["1", "2", "0.5"]),
        ("nonsense", "", ["1", "1", "1"]),
    ],
)
def test_an_entry_is_shown_and_comes_back(page: TrainPage, entry: str, way: str, shown: list[str]) -> None:
    dialog = opened(page, entry)
    assert dialog.findChild(QComboBox, "classWeightPreset").currentData() == way
    assert factors(dialog) == shown
    take(dialog)
    text = page.texts()["class_weight"]
    assert text == "" if way == "" else ASKED["class_weight"].read(text) == ASKED["class_weight"].read(entry)


def test_factors_typed_are_an_entry_by_hand(page: TrainPage, qtbot: QtBot) -> None:
    dialog = opened(page)
    dialog.table.item(1, FACTOR).setText("2^2")
    assert dialog.preset.currentData() == "hand"
    with qtbot.waitSignal(page.form_changed):
        take(dialog)
    assert page.texts()["class_weight"] == '{"b": 4.0}'


@pytest.mark.parametrize("wrong", ["0", "-1", "much", "", "1e999"])
def test_what_is_no_factor_is_said_and_not_taken(page: TrainPage, wrong: str) -> None:
    dialog = opened(page, '{"a": 2}')
    dialog.table.item(2, FACTOR).setText(wrong)
    error = dialog.findChild(QLabel, "classWeightError")
    assert error.isVisible()
    assert "ä ö" in error.text()
    assert not dialog.take.isEnabled()
    dialog.table.item(2, FACTOR).setText("3")
    assert not error.isVisible()
    assert dialog.take.isEnabled()
    dialog.close()


def test_a_preset_fills_the_table(page: TrainPage) -> None:
    dialog = opened(page, '{"a": 2}')
    dialog.preset.setCurrentIndex(1)
    dialog.preset.activated.emit(1)
    assert factors(dialog) == ["2", "0.6667", "1"]
    dialog.preset.setCurrentIndex(0)
    dialog.preset.activated.emit(0)
    assert factors(dialog) == ["1", "1", "1"]
    take(dialog)
    assert page.findChild(QLineEdit, "classWeightEdit").text() == ""


def test_factors_of_the_table_are_those_of_the_request() -> None:
    data = open_dataset(resources.dataset("glass"))
    way, found = class_factors("balanced", data.class_totals)
    assert way == "balanced"
    for name, count in zip(data.classes, data.class_counts, strict=True):
        assert float(found[name]) == pytest.approx(data.rows / (len(data.classes) * count), rel=1e-3)
    with pytest.raises(InputError, match="class 1: 'x' is no number"):
        class_weight_text(found | {"1": "x"})
    read: Callable[[str], object] = ASKED["class_weight"].read
    assert dict(read(class_weight_text({"1": "2", "2": "1"}))) == {"1": 2.0}  # type: ignore[call-overload]
