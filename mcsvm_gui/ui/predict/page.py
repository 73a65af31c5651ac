"""The Predict page: a model, a file, and the predictions, which can be saved; the model can be exported."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QMenu, QVBoxLayout, QWidget

from mcsvm_gui.core.base import figures
from mcsvm_gui.ui.kit import file_dialogs, icons
from mcsvm_gui.ui.kit.badge import BadgeLabel
from mcsvm_gui.ui.kit.buttons import push_button
from mcsvm_gui.ui.kit.choice_dialog import ChoiceDialog
from mcsvm_gui.ui.kit.combos import Combo
from mcsvm_gui.ui.kit.i18n import tr, worded
from mcsvm_gui.ui.kit.labels import selectable, set_role, show_text
from mcsvm_gui.ui.kit.nesting import nest
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.predict.table import PredictionTable

if TYPE_CHECKING:
    import numpy as np

    from mcsvm_gui.core.evaluate.prediction import Prediction
    from mcsvm_gui.core.export.menu import Offer


ERRORS = 0.01, 0.05, 0.1, 0.2  # error rates of prediction sets


class PredictPage(QWidget):
    model_file_asked = Signal()
    model_file_chosen = Signal(str)
    run_model_asked = Signal()
    data_file_asked = Signal()
    data_folder_asked = Signal()
    data_file_chosen = Signal(str)  # the path of a file or a folder
    open_data_asked = Signal()
    save_asked = Signal()
    save_chosen = Signal(str)
    export_asked = Signal(str)  # the name of a format
    export_chosen = Signal(str, str)  # the name of a format, and the path to write
    misses_toggled = Signal(bool)
    order_chosen = Signal(str)  # the name of an order of rows
    columns_asked = Signal()
    columns_chosen = Signal(list)  # names of columns of the file that are shown and saved with the predictions
    sets_chosen = Signal()  # the error rate of the prediction sets, or the shown columns, changed

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("predictPage")
        self.setAccessibleName(tr("Predict"))
        self._make_controls()
        sides = QHBoxLayout()
        sides.setSpacing(4 * UNIT)
        nest(sides, self._model_side(), 1)
        nest(sides, self._data_side(), 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * UNIT, 2 * UNIT, 2 * UNIT, 2 * UNIT)
        column.setSpacing(2 * UNIT)
        column.addWidget(selectable("", "title", tr("Predict")))
        nest(column, sides)
        nest(column, self._result_row())
        column.addWidget(self._hint, 1)
        column.addWidget(self._table, 1)
        self._connect()
        self.show_prediction(None, None)

    # -- building ---------------------------------------------------------------------------------

    def _make_controls(self) -> None:
        self._open_model = push_button("modelOpenButton", tr("Open model…"), "model")
        self._use_run = push_button("modelOfRunButton", tr("Model of the selected run"), "train")
        self._open_data = push_button("predictDataButton", tr("Open data…"), "open")
        self._open_folder = push_button("predictFolderButton", tr("Folder…"), "open")
        self._open_folder.setAccessibleName(tr("Open folder"))
        self._open_folder.setToolTip(tr("Predict the rows of all files of a folder"))
        self._use_data = push_button("predictOpenDataButton", tr("The data of this project"), "data")
        self._save = push_button("predictSaveButton", tr("Save as CSV…"), "save")
        self._columns = push_button("predictColumnsButton", tr("Columns…"), "data")
        self._columns.setToolTip(tr("Choose columns of the file to show and save with the predictions"))
        self._export = push_button("exportModelButton", tr("Export model"), "export")
        self._formats = QMenu(self._export)
        self._export.setMenu(self._formats)
        self._with_scores = _check("predictScoresCheck", tr("With scores"))
        self._with_probabilities = _check("predictProbabilitiesCheck", tr("With probabilities"))
        self._with_probabilities.setChecked(True)
        self._with_scores.setToolTip(tr("Show the scores of all classes, and save them"))
        self._with_probabilities.setToolTip(tr("Show the probabilities of all classes, and save them"))
        self._make_choices()
        self._badge = BadgeLabel("modelCertificate", tr("Certificate"))
        self._model_title, self._data_title = (
            selectable("modelTitle", "heading"),
            selectable("predictDataTitle", "heading"),
        )
        self._model_words, self._data_words = selectable("modelWords", "muted"), selectable("predictDataWords", "muted")
        self._model_notice, self._notice = selectable("modelNotice", "bad"), selectable("predictNotice", "bad")
        self._result, self._more = selectable("predictResult", "heading"), selectable("predictScores", "muted")
        self._saved = selectable("predictSaved", "muted")
        self._hint = selectable("predictHint", "muted")
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._table = PredictionTable()

    def _make_choices(self) -> None:
        """Make the controls that choose rows, their order, and prediction sets."""
        self._only_misses = _check("predictMissesCheck", tr("Only misclassified rows"))
        self._order = Combo()
        self._order.setObjectName("predictOrderCombo")
        self._order.setAccessibleName(tr("Order of the rows"))
        self._order.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._order.setMinimumContentsLength(22)
        self._order.setToolTip(tr("Check the rows on which the model is least certain"))
        for name, title in orders().items():
            self._order.addItem(title, name)
        self._sets = Combo()
        self._sets.setObjectName("predictSetsCombo")
        self._sets.setAccessibleName(tr("Prediction sets"))
        self._sets.setToolTip(
            tr("Prediction sets that contain the true class for this share of the rows of every class")
        )
        self._sets.addItem(tr("No sets"), None)
        for error in ERRORS:
            self._sets.addItem(tr("Sets at {share}", share=figures.exact_percent(1.0 - error)), error)

    def _model_side(self) -> QVBoxLayout:
        badge = QHBoxLayout()
        badge.addWidget(self._badge)
        badge.addStretch()
        title = QHBoxLayout()
        title.addWidget(self._model_title, 1)
        title.addWidget(self._export)
        side = _column(_row(self._open_model, self._use_run))
        nest(side, title)
        nest(side, badge)
        for label in (self._model_words, self._model_notice):
            side.addWidget(label)
        side.addStretch()
        return side

    def _data_side(self) -> QVBoxLayout:
        side = _column(_row(self._open_data, self._open_folder, self._use_data))
        self._data_title.setMinimumHeight(self._export.sizeHint().height())
        for label in (self._data_title, self._data_words, self._notice):
            side.addWidget(label)
        side.addStretch()
        return side

    def _result_row(self) -> QVBoxLayout:
        said = QVBoxLayout()
        said.setSpacing(UNIT // 2)
        for label in (self._result, self._more):
            said.addWidget(label)
        row = QHBoxLayout()
        row.setSpacing(2 * UNIT)
        nest(row, said, 1)
        for button in (self._columns, self._save):
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
        rows = _row(self._order, self._sets, self._only_misses)
        for control in (self._with_probabilities, self._with_scores):
            rows.addWidget(control)
        both = QVBoxLayout()
        both.setSpacing(UNIT // 2)
        nest(both, row)
        nest(both, rows)
        both.addWidget(self._saved)
        return both

    def _connect(self) -> None:
        self._open_model.clicked.connect(self.model_file_asked)
        self._use_run.clicked.connect(self.run_model_asked)
        self._open_data.clicked.connect(self.data_file_asked)
        self._open_folder.clicked.connect(self.data_folder_asked)
        self._use_data.clicked.connect(self.open_data_asked)
        self._save.clicked.connect(self.save_asked)
        self._columns.clicked.connect(self.columns_asked)
        self._only_misses.toggled.connect(self.misses_toggled)
        self._order.currentIndexChanged.connect(lambda _: self.order_chosen.emit(self._order.currentData()))
        self._sets.currentIndexChanged.connect(lambda _: self.sets_chosen.emit())
        for check in (self._with_scores, self._with_probabilities):
            check.toggled.connect(lambda _: self.sets_chosen.emit())
        self._export.setEnabled(False)

    # -- setters ----------------------------------------------------------------------------------

    def set_model(self, title: str, sentences: Sequence[str], badge: Any | None) -> None:
        """Show a model. `badge` has the attributes kind, text and tip, or is None without a model."""
        self._model_title.setText(title)
        show_text(self._model_words, "\n".join(sentences))
        if badge is None:
            self._badge.set_badge("", "")
        else:
            self._badge.set_badge(badge.kind, badge.text, badge.tip)
        self._export.setEnabled(badge is not None)

    def set_model_notice(self, sentence: str, role: str = "bad") -> None:
        set_role(self._model_notice, role)
        show_text(self._model_notice, sentence)

    def set_data(self, title: str, text: str) -> None:
        self._data_title.setText(title)
        show_text(self._data_words, text)

    def set_notices(self, sentences: Sequence[str], role: str = "warning") -> None:
        set_role(self._notice, role)
        show_text(self._notice, "\n".join(sentences))

    def set_result(self, text: str, more: str = "") -> None:
        show_text(self._result, text)
        show_text(self._more, more)

    def set_saved(self, sentence: str, role: str = "muted") -> None:
        set_role(self._saved, role)
        show_text(self._saved, sentence)

    def set_hint(self, text: str) -> None:
        """Show the next step or the progress in the place of the table."""
        self._hint.setText(text)

    def set_sources(self, run: bool, data: bool) -> None:
        """Enable the use of the selected run, which needs a model, and of the open data."""
        self._use_run.setEnabled(run)
        self._use_data.setEnabled(data)

    def set_formats(self, formats: Sequence[Offer]) -> None:
        """Fill the export menu. All formats can be chosen; a format that cannot hold the model shows the reason."""
        self._formats.clear()
        self._formats.setToolTipsVisible(True)
        for format in formats:
            action = self._formats.addAction(f"{format.title}  ({format.suffix})")
            action.setObjectName(f"export{format.name.capitalize()}Action")
            action.setToolTip(worded(format.refusal or ""))
            if format.refusal:
                icons.put(action, "unsolved")
            action.triggered.connect(lambda checked=False, name=format.name: self.export_asked.emit(name))

    def offer_formats(self) -> None:
        """Open the menu of the export button without waiting for the choice."""
        self._formats.popup(self._export.mapToGlobal(self._export.rect().bottomLeft()))

    def show_prediction(self, prediction: Prediction | None, rows: np.ndarray | None) -> None:
        columns = {"scores": self.with_scores, "probabilities": self._with_probabilities.isChecked()}
        self._table.show_prediction(prediction, rows, self.sets_error, **columns)
        self._table.setVisible(prediction is not None)
        self._hint.setVisible(prediction is None)
        for control in (self._save, self._with_scores, self._only_misses):
            control.setVisible(prediction is not None)
        self._columns.setVisible(prediction is not None and bool(prediction.dataset.order))
        self._only_misses.setEnabled(prediction is not None and prediction.dataset.labels is not None)
        calibrated = prediction is not None and prediction.decisions.probabilities is not None
        self._with_probabilities.setVisible(calibrated)
        self._order.setVisible(calibrated)
        self._sets.setVisible(prediction is not None and prediction.decisions.p_values is not None)

    def choose_order(self, name: str) -> None:
        self._order.setCurrentIndex(self._order.findData(name))

    def choose_sets(self, error: float | None) -> None:
        self._sets.setCurrentIndex(self._sets.findData(error))

    def set_only_misses(self, only: bool) -> None:
        self._only_misses.blockSignals(True)
        self._only_misses.setChecked(only)
        self._only_misses.blockSignals(False)

    @property
    def with_probabilities(self) -> bool:
        return self._with_probabilities.isVisibleTo(self) and self._with_probabilities.isChecked()

    @property
    def sets_error(self) -> float | None:
        """Return the error rate of the prediction sets, or None if no sets are requested."""
        error: float | None = self._sets.currentData()
        return error

    @property
    def with_scores(self) -> bool:
        return self._with_scores.isChecked()

    # -- file dialogs -----------------------------------------------------------------------------

    def choose_model(self, folder: str) -> None:
        file_dialogs.choose(self, tr("Open model"), "model", folder, self.model_file_chosen.emit)

    def choose_data(self, folder: str) -> None:
        file_dialogs.choose(self, tr("Open data"), "data", folder, self.data_file_chosen.emit)

    def choose_data_folder(self, folder: str) -> None:
        file_dialogs.choose_folder(self, tr("Open a folder of data files"), folder, self.data_file_chosen.emit)

    def choose_target(self, place: str) -> None:
        file_dialogs.choose_target(self, tr("Save predictions"), "csv", place, ".csv", self.save_chosen.emit)

    def choose_columns(self, names: Sequence[str], chosen: Collection[str]) -> None:
        words = tr("The row number and the names of the rows are always shown and saved. Choose further columns.")
        dialog = ChoiceDialog(
            self, "columnsDialog", tr("Columns next to the predictions"), words, {name: name for name in names}, chosen
        )
        dialog.chosen.connect(self.columns_chosen)
        dialog.appear()

    def choose_export(self, name: str, place: str, suffix: str) -> None:
        file_dialogs.choose_target(
            *(self, tr("Export model"), "", place, suffix), lambda path: self.export_chosen.emit(name, path)
        )


def orders() -> dict[str, str]:
    """Return the orders of rows that are on offer for a model with probabilities, by name."""
    return {
        "file": tr("In the order of the file"),
        "margin": tr("Smallest difference first"),
        "entropy": tr("Least certain first"),
        "novelty": tr("Least like the training data first"),
    }


def _check(name: str, text: str) -> QCheckBox:
    check = QCheckBox(text)
    check.setObjectName(name)
    check.setAccessibleName(text)
    return check


def _row(*widgets: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(UNIT)
    for widget in widgets:
        row.addWidget(widget)
    row.addStretch()
    return row


def _column(head: QHBoxLayout) -> QVBoxLayout:
    side = QVBoxLayout()
    side.setSpacing(UNIT)
    nest(side, head)
    return side
