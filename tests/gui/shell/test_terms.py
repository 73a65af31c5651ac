"""What's this: every field and every column is told of in the guide, in each language, and where it stands."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QAbstractTableModel, Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QTableWidget, QWidget
from pytestqt.qtbot import QtBot
from table_headings import headings

from mcsvm_gui.core.base import i18n
from mcsvm_gui.core.base.i18n import translation
from mcsvm_gui.core.base.i18n.terms import meaning, terms
from mcsvm_gui.core.compare.result_table import Header, ResultTable
from mcsvm_gui.core.machine.form import ASKED
from mcsvm_gui.core.project.columns import columns
from mcsvm_gui.core.project.leaderboard import leaderboard_columns
from mcsvm_gui.core.tune.form import ASKED as SEARCHED
from mcsvm_gui.ui.data.model import DataModel
from mcsvm_gui.ui.data.roles_model import RolesModel
from mcsvm_gui.ui.explain.flip_table import FlipTableModel
from mcsvm_gui.ui.kit.class_tables.costs import CostModel
from mcsvm_gui.ui.kit.class_tables.weights import ClassWeightsDialog
from mcsvm_gui.ui.predict.table import PredictionModel
from mcsvm_gui.ui.runs.table import RunTable
from mcsvm_gui.ui.runs.table_model import RunModel
from mcsvm_gui.ui.tables.result_view import ResultTableModel
from mcsvm_gui.ui.train.machine_form import MachineForm


def titles() -> set[str]:
    asked = {i18n.tr(option.title) for option in (*ASKED.values(), *SEARCHED.values())}
    return asked | {column.title for column in (*columns(), *leaderboard_columns(dict))} | {*map(i18n.tr, headings())}


@pytest.mark.slow
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


def test_there_are_headings() -> None:
    assert {"Precision", "p", "Training row", "Changed", "Distribution"} <= headings()
    assert "Test" not in headings()  # the column of tests has another meaning than that of accuracies


TABLES = ResultTableModel, CostModel, FlipTableModel, DataModel, RolesModel, PredictionModel, RunModel


def test_every_table_answers_what_a_heading_means() -> None:
    """What they answer is tested below; here that no table was forgotten."""
    import mcsvm_gui.ui

    for module in pkgutil.walk_packages(mcsvm_gui.ui.__path__, "mcsvm_gui.ui."):
        importlib.import_module(module.name)
    ours = {one for one in QAbstractTableModel.__subclasses__() if one.__module__.startswith("mcsvm_gui.")}
    assert ours == set(TABLES)
    assert all("WhatsThisRole" in inspect.getsource(one.headerData) for one in TABLES)


def told(model: QAbstractTableModel) -> dict[str, str]:
    role, across = Qt.ItemDataRole, Qt.Orientation.Horizontal
    places = range(model.columnCount())
    return {
        model.headerData(place, across, role.DisplayRole): model.headerData(place, across, role.WhatsThisRole)
        for place in places
    }


def test_tables_of_results_say_it_and_names_say_what_they_are_names_of() -> None:
    model = ResultTableModel()
    shown = (
        Header("Precision"),
        Header("ww 1", term="Run"),
        Header("p (Holm)", tip="Adjusted", term="p"),
        Header("ab"),
    )
    model.show(ResultTable(shown, ()))
    assert told(model) == {
        "Precision": meaning("Precision"),
        "ww 1": meaning("Run"),
        "p (Holm)": meaning("p"),
        "ab": "",
    }
    assert all(told(model)[name] for name in ("Precision", "ww 1", "p (Holm)"))


def test_tables_of_columns_and_changes_say_it() -> None:
    for model in (RolesModel(), FlipTableModel()):
        assert told(model) == {title: meaning(title) for title in told(model)}
        assert all(told(model).values())


def test_tables_of_weights_and_costs_say_it(qtbot: QtBot) -> None:
    costs, window = CostModel(), QWidget()
    qtbot.addWidget(window)
    costs.show(("a", "b"), np.zeros((2, 2)))
    assert told(costs) == {"a": meaning("Costs"), "b": meaning("Costs")}
    table = ClassWeightsDialog(window, "", {"a": 2, "b": 3}).findChild(QTableWidget, "classWeightTable")
    headings = [table.horizontalHeaderItem(column) for column in range(3)]
    assert [one.whatsThis() for one in headings] == [meaning(title) for title in ("Class", "Rows", "Factor")]
    assert all(one.whatsThis() for one in headings)


def test_predictions_say_it() -> None:
    model = PredictionModel()
    decisions = SimpleNamespace(
        labels=np.array([0]), p_values=None, probabilities=np.ones((1, 2)), scores=np.ones((1, 2))
    )
    names = SimpleNamespace(class_names=("a", "b"))
    model._shown = SimpleNamespace(decisions=decisions, trained=names)
    model._names, model._first = {"sample": np.array(["S-1"])}, {1: 1}
    model._kinds = [0, 1, 2, 3, 4]
    expected = {title: meaning(title) for title in ("Row", "Prediction", "True class", "Set")}
    assert told(model) == {**expected, "sample": meaning("Row")}
    assert all(told(model).values())


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
