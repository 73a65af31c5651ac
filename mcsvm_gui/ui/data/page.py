"""The Data page: empty, loading, failed or showing data. It displays data and emits requests; the presenter decides."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QHBoxLayout,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from mcsvm_gui.ui.data.forms import PreparationForm, ReadingForm
from mcsvm_gui.ui.data.roles_table import RolesTable
from mcsvm_gui.ui.data.states import Failure, Loading
from mcsvm_gui.ui.data.table import DataTable
from mcsvm_gui.ui.data.welcome import Welcome
from mcsvm_gui.ui.kit import file_dialogs
from mcsvm_gui.ui.kit.buttons import push_button
from mcsvm_gui.ui.kit.checks_list import ChecksList
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.nesting import nest
from mcsvm_gui.ui.kit.page import FAR, Tabs, scrolling
from mcsvm_gui.ui.kit.status import ElidedLabel
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.class_bars import ClassBars
from mcsvm_gui.ui.plots.projection import Projection

if TYPE_CHECKING:
    import numpy as np

    from mcsvm_gui.core.check.advice import Action, Advice
    from mcsvm_gui.core.data.dataset import Dataset
    from mcsvm_gui.core.data.form import Field
    from mcsvm_gui.core.data.options import Rules
    from mcsvm_gui.core.data.projections.projection import Projected
    from mcsvm_gui.core.data.roles.summary import ColumnSummary
    from mcsvm_gui.core.data.samples import SampleDataset

_SIDE = 38 * UNIT
_SHARES = 4, 5, 5  # shares of the height: findings, rows or columns, charts


class DataPage(QWidget):
    file_chosen = Signal(str)
    text_pasted = Signal(str)
    test_chosen = Signal(str)
    sample_chosen = Signal(str)
    example_chosen = Signal(str)
    cancelled = Signal()
    gallery_asked = Signal()
    data_asked = Signal()  # return from the sample data
    reading_changed = Signal(str, object)
    role_chosen = Signal(object, str)  # names of columns, and their role
    arrangement_asked = Signal(object)  # of rows
    projection_chosen = Signal(str)
    rule_changed = Signal(str, object)
    holdout_changed = Signal(int)
    seed_changed = Signal(int)
    test_dropped = Signal()
    acted = Signal(str, object)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("dataPage")
        self.setAccessibleName(tr("Data"))
        self._folder = ""
        self.welcome, self.loading, self.failure = Welcome(), Loading(), Failure()
        self.reading, self.preparation = ReadingForm(), PreparationForm()
        self.checks, self.table = ChecksList(), DataTable()
        self.roles = RolesTable()
        self.classes, self.projection = ClassBars(), Projection()
        self._build_header()
        self._build_body()
        self._connect()

    # -- building ---------------------------------------------------------------------------------

    def _build_header(self) -> None:
        self.title, self.summary = ElidedLabel("dataTitle"), ElidedLabel("dataSummary")
        self.title.setProperty("role", "title")
        self.summary.setAccessibleName(tr("Summary"))
        self.summary.setProperty("role", "muted")
        self.summary.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.samples = push_button("samplesButton", tr("Samples"))
        self.paste = push_button("pasteButton", tr("Paste"))
        self.paste.setAccessibleName(tr("Paste data"))
        self.paste.setToolTip(tr("Paste cells copied from a spreadsheet"))
        self.open = push_button("openButton", tr("Open…"))
        self.open.setAccessibleName(tr("Open data"))
        self.folder = push_button("openFolderButton", "", "open")
        self.folder.setFixedWidth(4 * UNIT)
        self.folder.setAccessibleName(tr("Open folder"))
        self.folder.setToolTip(tr("Open the files of a folder as one table"))
        words = QVBoxLayout()
        words.setSpacing(UNIT // 2)
        words.addWidget(self.title)
        words.addWidget(self.summary)
        self.header = QHBoxLayout()
        self.header.setSpacing(UNIT)
        nest(self.header, words, 1)
        for button in (self.samples, self.paste, self.folder, self.open):
            self.header.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)

    def _build_body(self) -> None:
        self.side = _side(self.reading, self.preparation)
        self.content = QStackedWidget()
        self.content.addWidget(self._full())
        self.content.addWidget(self.failure)
        working = QWidget()
        row = QHBoxLayout(working)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(3 * UNIT)
        row.addWidget(self.side)
        row.addWidget(self.content, 1)
        self.working = working
        self.body = QStackedWidget()
        for state in (self.welcome, self.loading, working):
            self.body.addWidget(state)
        page = QVBoxLayout(self)
        page.setContentsMargins(2 * UNIT, 2 * UNIT, 2 * UNIT, 2 * UNIT)
        page.setSpacing(2 * UNIT)
        nest(page, self.header)
        page.addWidget(self.body, 1)

    def _full(self) -> QWidget:
        charts = QWidget()
        row = QHBoxLayout(charts)
        row.setContentsMargins(0, UNIT, 0, 0)
        row.setSpacing(2 * UNIT)
        kept = self.classes.sizePolicy()
        kept.setRetainSizeWhenHidden(True)
        self.classes.setSizePolicy(kept)
        row.addWidget(self.classes, 1)
        row.addWidget(self.projection, 1)
        self.split = QSplitter(Qt.Orientation.Vertical)
        self.split.setObjectName("dataSplitter")
        self.split.setChildrenCollapsible(False)
        self.split.setHandleWidth(UNIT)
        self.tabs = Tabs()
        self.tabs.setObjectName("dataTabs")
        self.tabs.setAccessibleName(tr("Rows and columns"))
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.table, tr("Rows"))
        self.tabs.addTab(self.roles, tr("Columns"))
        for part, share in zip((self.checks, self.tabs, charts), _SHARES, strict=True):
            self.split.addWidget(part)
            self.split.setStretchFactor(self.split.indexOf(part), share)
        self.split.setSizes([share * FAR for share in _SHARES])
        self.tabs.setMinimumHeight(18 * UNIT)
        charts.setMinimumHeight(20 * UNIT)
        return self.split

    def _connect(self) -> None:
        self.open.clicked.connect(self._ask_for_data)
        self.folder.clicked.connect(self._ask_for_folder)
        self.paste.clicked.connect(self._paste)
        keys = QShortcut(QKeySequence.StandardKey.Paste, self)
        keys.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)  # a text field with focus pastes for itself
        keys.activated.connect(self._paste)
        self.welcome.open_asked.connect(self._ask_for_data)
        self.welcome.sample_chosen.connect(self.sample_chosen)
        self.welcome.example_chosen.connect(self.example_chosen)
        self.welcome.recent_chosen.connect(self.file_chosen)
        self.samples.clicked.connect(self._toggle_gallery)
        self.loading.cancelled.connect(self.cancelled)
        self.reading.changed.connect(self.reading_changed)
        self.roles.role_chosen.connect(self.role_chosen)
        self.table.arrangement_asked.connect(self.arrangement_asked)
        self.table.row_selected.connect(self.projection.point_out)
        self.projection.row_clicked.connect(self.table.go_to_row)
        self.projection.way_chosen.connect(self.projection_chosen)
        self.checks.acted.connect(self.acted)
        self.failure.acted.connect(self.acted)
        form = self.preparation
        form.rule_changed.connect(self.rule_changed)
        form.holdout_changed.connect(self.holdout_changed)
        form.seed_changed.connect(self.seed_changed)
        form.test_dropped.connect(self.test_dropped)
        form.test_asked.connect(self._ask_for_test)

    def _ask_for_data(self) -> None:
        file_dialogs.choose(self, tr("Open data"), "data", self._folder, self.file_chosen.emit)

    def _ask_for_folder(self) -> None:
        title = tr("Open a folder of data files")
        file_dialogs.choose_folder(self, title, self._folder, self.file_chosen.emit)

    def _paste(self) -> None:
        """Open a file that was copied in a file manager, or read copied text."""
        held = QGuiApplication.clipboard().mimeData()
        files = [url.toLocalFile() for url in held.urls() if url.isLocalFile()]
        if files:
            self.file_chosen.emit(files[0])
        else:
            self.text_pasted.emit(held.text())

    def _ask_for_test(self) -> None:
        file_dialogs.choose(self, tr("Open a test file"), "data", self._folder, self.test_chosen.emit)

    def _toggle_gallery(self) -> None:
        (self.data_asked if self.body.currentWidget() is self.welcome else self.gallery_asked).emit()

    # -- states -----------------------------------------------------------------------------------

    def show_welcome(self, samples: Sequence[SampleDataset], recent: Sequence[str], back: str) -> None:
        self.loading.stop()
        self.welcome.show_choices(samples, recent)
        self._name(tr("Data"), tr("A table with one row per example, and one column that says its class."))
        self.samples.setText(tr("Back to {name}", name=back))
        self.samples.setVisible(bool(back))
        if not back:
            self.table.show_data(None)
        self.body.setCurrentWidget(self.welcome)

    def show_loading(self, name: str) -> None:
        self.samples.hide()
        self._name(name, "")
        self.loading.start(name)
        self.body.setCurrentWidget(self.loading)

    def show_loading_size(self, words: str) -> None:
        self.loading.say_size(words)

    def show_rereading(self, words: str) -> None:
        self.summary.say(words)

    def show_failed(
        self, name: str, sentence: str, fields: Sequence[Field], marked: Sequence[str], ways: Sequence[Action]
    ) -> None:
        self._work(name, tr("This file cannot be used as it is."))
        self.reading.show_fields(fields, marked)
        self._order()
        self.preparation.hide()
        self.failure.say(sentence, ways)
        self.content.setCurrentWidget(self.failure)
        self.table.show_data(None)

    def show_data(self, name: str, path: str, dataset: Dataset, fields: Sequence[Field]) -> None:
        self._work(name, "")
        self.title.setToolTip(path)
        self.reading.show_fields(fields)
        self._order()
        self.preparation.show()
        self.classes.hide()  # until its counts are known
        self.table.show_data(dataset)
        self.projection.ring(None)
        self.projection.point_out(-1)
        self.roles.show_columns((), ())
        self.content.setCurrentIndex(0)

    def _order(self) -> None:
        """Set the Tab order: down the side, then to the data; import fields exist once there is something to read."""
        form = self.preparation
        side = [*self.reading.controls, *form.rules.values(), form.test, form.drop_test, form.holdout]
        for first, second in pairwise([self.samples, self.paste, self.folder, self.open, *side, form.seed]):
            QWidget.setTabOrder(first, second)

    def _work(self, name: str, words: str) -> None:
        self.loading.stop()
        self._name(name, words)
        self.samples.setText(tr("Samples"))
        self.samples.show()
        self.body.setCurrentWidget(self.working)

    def _name(self, title: str, words: str) -> None:
        self.title.say(title)
        self.summary.say(words)

    # -- parts ------------------------------------------------------------------------------------

    def show_summary(self, words: str) -> None:
        self.summary.say(words)

    def show_classes(self, names: Sequence[str], counts: Sequence[int]) -> None:
        self.classes.show_counts(names, counts)
        self.classes.show()

    def show_ways(self, chosen: str, missing: Mapping[str, str]) -> None:
        self.projection.show_ways(chosen, missing)

    def show_projection(self, projected: Projected) -> None:
        self.projection.show_points(projected)

    def say_projection(self, words: str) -> None:
        self.projection.say(words)

    def show_checking(self) -> None:
        self.checks.show_checking()

    def show_advice(self, advice: Sequence[Advice]) -> None:
        self.checks.show_advice(advice)

    def show_order(self, order: np.ndarray | None) -> None:
        self.table.show_order(order)
        self.projection.ring(order)

    def pick_rows(self, pick: str) -> None:
        self.tabs.setCurrentWidget(self.table)
        self.table.pick_rows(pick)

    def say_no_order(self, sentence: str) -> None:
        self.table.say_trouble(sentence)

    def show_columns(self, columns: Sequence[ColumnSummary], classes: Sequence[str]) -> None:
        """Show the columns; hide the tab for a file whose columns are only numbered."""
        self.roles.show_columns(columns, classes)
        self.tabs.setTabVisible(1, bool(columns))

    def show_asked(self, rules: Collection[str]) -> None:
        self.preparation.show_asked(rules)

    def show_preparation(self, rules: Rules, holdout: int, seed: int) -> None:
        self.preparation.show_values(rules, holdout, seed)

    def show_test(self, name: str, words: str) -> None:
        self.preparation.show_test(name, words)

    def show_test_error(self, sentence: str) -> None:
        self.preparation.show_test_error(sentence)

    def set_folder(self, folder: str) -> None:
        self._folder = folder

    def focus_option(self, option: str) -> None:
        if option in self.reading.titles:
            self.reading.focus(option)


def _side(reading: ReadingForm, preparation: PreparationForm) -> QWidget:
    held = QWidget()
    column = QVBoxLayout(held)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(3 * UNIT)
    column.addWidget(reading)
    column.addWidget(preparation)
    column.addStretch()
    side = scrolling("dataForms", held)
    bar = side.verticalScrollBar().sizeHint().width()
    side.setFixedWidth(max(_SIDE, held.minimumSizeHint().width() + bar))  # wide enough for the fields in every language
    return side
