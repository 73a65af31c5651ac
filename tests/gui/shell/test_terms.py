"""What's this: every field and every column is told of in the guide, in each language, and where it stands."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from mcsvm_gui.core.base import i18n
from mcsvm_gui.core.base.i18n import translation
from mcsvm_gui.core.base.i18n.terms import meaning, terms
from mcsvm_gui.core.machine.form import ASKED
from mcsvm_gui.core.project.columns import columns
from mcsvm_gui.core.project.leaderboard import leaderboard_columns
from mcsvm_gui.core.tune.form import ASKED as SEARCHED
from mcsvm_gui.ui.runs.table import RunTable
from mcsvm_gui.ui.train.machine_form import MachineForm


def titles() -> set[str]:
    asked = {i18n.tr(option.title) for option in (*ASKED.values(), *SEARCHED.values())}
    return asked | {column.title for column in (*columns(), *leaderboard_columns(dict))}


@pytest.mark.parametrize("language", translation.languages())
def test_the_guide_tells_of_all_that_can_be_asked_for_and_read(language: str) -> None:
    i18n.install(translation.translations(language))
    try:
        assert set(terms(language)) == titles()
    finally:
        i18n.install()
    assert all(text.endswith(".") and len(text.split()) <= 40 for text in terms(language).values())


def test_a_language_without_a_guide_tells_nothing() -> None:
    assert terms("xx") == {}


def test_fields_labels_and_headings_say_it(qtbot: QtBot) -> None:
    form, table = MachineForm(), RunTable(columns())
    qtbot.addWidget(form)
    qtbot.addWidget(table)
    edit = form.findChild(QLineEdit, "costEdit")
    label = next(label for label in form.findChildren(QLabel) if label.buddy() is edit)
    assert edit.whatsThis() == label.whatsThis() == meaning("C") != ""
    told = [
        table.runs.headerData(place, Qt.Orientation.Horizontal, Qt.ItemDataRole.WhatsThisRole)
        for place in range(len(columns()))
    ]
    assert told == [meaning(column.title) for column in columns()]


def test_options_under_more_stand_by_their_use(qtbot: QtBot) -> None:
    form = MachineForm()
    qtbot.addWidget(form)
    form.show()
    headings = [form._headings[use] for use in ("errors", "rows", "chances", "end", "computer")]
    assert not any(heading.isVisible() for heading in headings)
    form.more.setChecked(True)
    assert all(heading.isVisible() for heading in headings)
    tops = [heading.y() for heading in headings]
    assert tops == sorted(tops)
    assert headings[3].y() < form.edits["max_iter"].y() < headings[4].y()
    assert all(option.use for option in (*ASKED.values(), *SEARCHED.values()) if "more" in (option.train, option.tune))
