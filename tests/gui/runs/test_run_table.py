"""The table of runs: what is seen is what was sorted, filtered and selected; edits go out as words."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QLineEdit, QToolButton
from pytestqt.qtbot import QtBot
from run_examples import MACHINES, record

from mcsvm.solvers.machines import MACHINES as REGISTRY
from mcsvm.solvers.run.trace import Sample
from mcsvm_gui.core.base.writing import csv_text
from mcsvm_gui.core.project.columns import columns, machine_titles
from mcsvm_gui.core.project.records import STATES
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.buttons import clearable
from mcsvm_gui.ui.runs.table import RunPanel
from mcsvm_gui.ui.runs.table_model import RunModel

NAMES = [column.name for column in columns()]
RUNS = [record(run, STATES[run % 6]) for run in range(1, 31)]


@pytest.fixture
def panel(qtbot: QtBot) -> RunPanel:
    panel = RunPanel(columns())
    qtbot.addWidget(panel)
    panel.set_records(RUNS)
    panel.resize(1200, 500)
    panel.show()
    return panel


def cell(panel: RunPanel, row: int, name: str) -> str:
    return panel.model.index(row, NAMES.index(name)).data()


def test_the_newest_run_comes_first(panel: RunPanel) -> None:
    assert panel.model.shown() == list(range(30, 0, -1))


@pytest.mark.parametrize("machine", MACHINES)
def test_machines_are_named_as_they_name_themselves(machine: str) -> None:
    assert machine_titles()[machine] == REGISTRY[machine].title


def test_figures_stand_on_the_right(panel: RunPanel) -> None:
    for place, column in enumerate(panel.model.columns):
        right = bool(panel.model.index(0, place).data(Qt.ItemDataRole.TextAlignmentRole) & Qt.AlignmentFlag.AlignRight)
        assert right == column.number


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_sorting_and_filtering_are_those_of_the_definition(qapp: object, data: st.DataObject) -> None:
    runs = [record(run, STATES[run % 6], note=data.draw(st.sampled_from(["", "Good", "bad"]))) for run in range(1, 25)]
    model = RunModel(columns())
    model.set_records(runs)
    words = data.draw(st.lists(st.sampled_from(["letter", "WW", "good", "C=4", "solved", "nothing"]), max_size=2))
    place = data.draw(st.integers(0, len(NAMES) - 1))
    order = data.draw(st.sampled_from(list(Qt.SortOrder)))
    for step in data.draw(st.permutations(["filter", "sort"])):
        model.set_filter(" ".join(words)) if step == "filter" else model.sort(place, order)
    shown = [model.data(model.index(row, 0), Qt.ItemDataRole.UserRole) for row in range(model.rowCount())]
    expected = {run.id for run in runs if all(_matches(model, run, word.casefold()) for word in words)}
    assert {run.id for run in shown} == expected
    values = [model.columns[place].value(run) for run in shown]
    known = [value for value in values if value is not None]
    assert values == known + [None] * (len(values) - len(known))
    for kind in (str, (int, float), tuple):
        same = [v.casefold() if isinstance(v, str) else v for v in known if isinstance(v, kind)]
        assert same == sorted(same, reverse=order is Qt.SortOrder.DescendingOrder)


def _matches(model: RunModel, run, word: str) -> bool:  # type: ignore[no-untyped-def]
    texts = [column.text(run).casefold() for column in model.columns if not column.number]
    parameters = {"c=4": run.C == 4.0}
    return any(word in text for text in texts) or word == run.machine or parameters.get(word, False)


@pytest.mark.parametrize("searched", ["", "letter"])
def test_the_model_keeps_the_rules_of_models(qapp: object, searched: str) -> None:
    model = RunModel(columns())
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.set_filter(searched)
    model.set_records(RUNS)
    model.sort(NAMES.index("seconds"), Qt.SortOrder.AscendingOrder)
    for run in range(40, 60):
        model.put(record(run, "running"))
        model.put(record(run))
    for run in range(1, 50, 7):
        model.remove(run)
    model.set_filter("vowel")
    model.sort(-1, Qt.SortOrder.AscendingOrder)
    assert model.total == 50 - len([run for run in range(1, 50, 7) if run <= 30 or run >= 40])
    tester.deleteLater()


def test_news_of_a_run_move_no_row(panel: RunPanel) -> None:
    panel.table.sortByColumn(NAMES.index("seconds"), Qt.SortOrder.DescendingOrder)
    before = list(panel.model.shown())
    run = next(record.id for record in RUNS if record.state == "running")
    panel.put(record(run, "running", live=Sample(5, 1e6, 1.0, 2.0, 0.5, 7, 1)))
    assert panel.model.shown() == before
    assert cell(panel, before.index(run), "n_support") == "7"


def test_selection_goes_with_its_rows_and_survives_a_filter(panel: RunPanel, qtbot: QtBot) -> None:
    told: list[list[int]] = []
    panel.chosen.connect(told.append)
    panel.choose([3, 4, 12])
    assert told == []
    panel.table.sortByColumn(NAMES.index("machine"), Qt.SortOrder.AscendingOrder)
    assert sorted(panel.table.selected_runs()) == [3, 4, 12]
    panel.filter.setText("letter")
    assert panel.table.selected_runs() == [4]
    panel.filter.clear()
    assert sorted(panel.table.selected_runs()) == [3, 4, 12]
    assert told == []
    row = panel.model.row_of(7)
    assert row is not None
    place = panel.table.visualRect(panel.model.index(row, 0)).center()
    panel.table.scrollTo(panel.model.index(row, 0))
    qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert told == [[7]]


def test_a_run_that_goes_is_deselected_aloud(panel: RunPanel) -> None:
    told: list[list[int]] = []
    panel.choose([3, 4])
    panel.chosen.connect(told.append)
    panel.remove(3)
    assert told[-1] == [4]


def test_differences_only_hides_what_is_the_same(panel: RunPanel) -> None:
    panel.set_records([record(3), record(39)])
    panel.differences.setChecked(True)
    shown = {name for place, name in enumerate(NAMES) if not panel.table.isColumnHidden(place)}
    same = {
        name
        for name, column in zip(NAMES, columns(), strict=True)
        if column.value(record(3)) == column.value(record(39))
    }
    assert shown == set(NAMES) - same | {"name", "machine", "state"}
    assert "C" in same
    panel.differences.setChecked(False)
    assert not any(panel.table.isColumnHidden(place) for place in range(len(NAMES)))


def test_names_and_notes_are_written_in_place(panel: RunPanel, qtbot: QtBot) -> None:
    panel.table.setCurrentIndex(panel.model.index(2, 5))
    with qtbot.waitSignal(panel.renamed) as renamed:
        qtbot.keyClick(panel.table, Qt.Key.Key_F2)
        editor = QGuiApplication.focusObject() or panel.table.indexWidget(panel.table.currentIndex())
        qtbot.keyClicks(editor, "best")  # type: ignore[arg-type]
        qtbot.keyClick(editor, Qt.Key.Key_Return)  # type: ignore[arg-type]
    assert renamed.args == [28, "best"]
    with qtbot.waitSignal(panel.noted) as noted:
        panel.model.setData(panel.model.index(0, NAMES.index("note")), "hm")
    assert noted.args == [30, "hm"]


def test_delete_asks_for_the_selected_runs(panel: RunPanel, qtbot: QtBot) -> None:
    assert not panel.delete_button.isEnabled()
    panel.choose([5, 6])
    with qtbot.waitSignal(panel.delete_asked) as asked:
        qtbot.keyClick(panel.table, Qt.Key.Key_Delete)
    assert asked.args == [[6, 5]]


def test_copies_paste_as_cells_with_all_their_digits(panel: RunPanel, qtbot: QtBot) -> None:
    panel.put(record(31, name="=1+1\tx\ny", note="a\tb"))
    panel.choose([31, 7])
    qtbot.keySequence(panel.table, QKeySequence.StandardKey.Copy)
    heading, *rows = [line.split("\t") for line in QGuiApplication.clipboard().text().split("\n")]
    assert heading == NAMES
    assert [len(row) for row in rows] == [len(NAMES)] * 2
    assert rows[0][0] == "'=1+1 x y"
    assert float(rows[0][NAMES.index("train_accuracy")]) == record(31).train_accuracy


def test_a_saved_table_reads_back(panel: RunPanel) -> None:
    names, rows = panel.model.table(panel.model.shown())
    back = list(csv.DictReader(io.StringIO(csv_text(names, rows))))
    for found, run in zip(back, panel.model.shown(), strict=True):
        seconds = record(run, STATES[run % 6]).seconds
        assert found["seconds"] == ("" if seconds is None else repr(seconds))


def test_an_empty_table_says_what_to_do(panel: RunPanel) -> None:
    panel.filter.setText("zebra")
    assert "filter" in panel._nothing.text()
    panel.set_records([])
    assert "No runs yet" in panel._nothing.text()
    panel.set_records(RUNS)
    panel.filter.clear()
    assert (panel._nothing.text(), panel.counted.text()) == ("", "30 runs")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["light", "dark"])
def test_it_paints_in_every_theme(panel: RunPanel, name: str, qtbot: QtBot) -> None:
    with qtbot.waitExposed(panel):
        panel.show()
    theme.use(name)
    theme.restyle(panel)  # as its window does
    QApplication.processEvents()
    panel.table.selectionModel().select(panel.model.index(0, 0), QItemSelectionModel.SelectionFlag.ClearAndSelect)
    image = panel.grab().toImage()
    colours = {image.pixelColor(x, y).name() for x in range(0, 1200, 3) for y in range(40, 480, 3)}
    assert theme.current().surface in colours
    theme.use("light")


def test_the_button_that_empties_the_filter_has_a_name(qtbot: QtBot) -> None:
    field = QLineEdit()
    qtbot.addWidget(field)
    clearable(field)
    assert [button.accessibleName() for button in field.findChildren(QToolButton)] == ["Clear"]
