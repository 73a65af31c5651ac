"""Qt model of predictions for any number of rows: copies nothing, and formats cells only when they are shown."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n.terms import meaning
from mcsvm_gui.ui.kit import icons, theme
from mcsvm_gui.ui.kit.column_widths import fitted_widths
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import plain_tip
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.class_marks import on_one_line
from mcsvm_gui.ui.predict.probability_bars import PROBABILITY, ProbabilityDelegate

if TYPE_CHECKING:
    import numpy as np

    from mcsvm_gui.core.evaluate.prediction import Prediction

Index = QModelIndex | QPersistentModelIndex
NOTHING = "–"  # noqa: RUF001 - an en dash
MOST_COPIED, MEASURED = 100_000, 100
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_NOWHERE = QModelIndex()
_ROW, _NAME, _PREDICTED, _TRUE, _SET, _PROBABILITIES, _SCORES = range(7)
_TEXTS = _NAME, _PREDICTED, _TRUE, _SET  # kinds of columns that hold text


class PredictionModel(QAbstractTableModel):
    """Table of predictions.

    Columns: row number, row names, other columns of the file on request, predicted class, true class if the file has
    one, prediction set if an error rate is set, and for each class the probability and the score if they are shown.
    """

    def __init__(self) -> None:
        super().__init__()
        self._shown: Prediction | None = None
        self._rows: np.ndarray | None = None  # the rows that are shown; None: all
        self._members: np.ndarray | None = None  # (rows, classes), membership in prediction sets
        self._novel: np.ndarray | None = None
        self._names: dict[str, np.ndarray] = {}  # columns of the file: row names first
        self._kinds: list[int] = []  # kinds of the columns
        self._first: dict[int, int] = {}  # column of each kind

    def show(
        self,
        prediction: Prediction | None,
        rows: np.ndarray | None = None,
        error: float | None = None,
        *,
        scores: bool = True,
        probabilities: bool = True,
    ) -> None:
        """Show these rows; `error` adds prediction sets of that error rate."""
        self.beginResetModel()
        self._shown, self._rows, self._members = prediction, rows, None
        if prediction is not None and error is not None and prediction.decisions.p_values is not None:
            self._members, self._novel = prediction.decisions.members(error), prediction.decisions.novel(error)
        self._names = {} if prediction is None else {**prediction.dataset.row_columns, **prediction.other_columns}
        columns = {"sets": self._members is not None, "scores": scores, "probabilities": probabilities}
        self._kinds = [] if prediction is None else _kinds(prediction, len(self._names), **columns)
        self._first = {kind: self._kinds.index(kind) for kind in set(self._kinds)}
        self.endResetModel()

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        if parent.isValid() or self._shown is None:
            return 0
        return int(self._shown.decisions.labels.size if self._rows is None else self._rows.size)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() or self._shown is None else len(self._kinds)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if self._shown is None or orientation is Qt.Orientation.Vertical:
            return None
        kind = self._kinds[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if kind in _TEXTS else _RIGHT
        if kind == _NAME:
            return self._name_heading(section, role)
        if kind == _PROBABILITIES and role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            name = self._class_of(section)
            tip = role == Qt.ItemDataRole.ToolTipRole
            return plain_tip(tr("Probability of {name}", name=name)) if tip else on_one_line(tr("P({name})", name=name))
        if role == Qt.ItemDataRole.ToolTipRole and kind == _SCORES:
            return plain_tip(self._class_of(section))
        titles = {_ROW: tr("Row"), _PREDICTED: tr("Prediction"), _TRUE: tr("True class"), _SET: tr("Set")}
        if role == Qt.ItemDataRole.WhatsThisRole:
            return meaning(titles[kind]) if kind in titles else self._told(section)
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return on_one_line(self._class_of(section)) if kind == _SCORES else titles[kind]

    def _name_heading(self, section: int, role: int) -> Any:
        name = list(self._names)[section - self._first[_NAME]]
        if role == Qt.ItemDataRole.DisplayRole:
            return on_one_line(name)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(name)
        return meaning(tr("Row")) if role == Qt.ItemDataRole.WhatsThisRole else None

    def _told(self, section: int) -> str:
        name = self._class_of(section)
        if self._kinds[section] == _PROBABILITIES:
            return plain_tip(tr("Probability of {name}", name=name))
        return plain_tip(tr("Score of {name}; the class with the highest score is predicted", name=name))

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if self._shown is None or not index.isValid():
            return None
        row = index.row() if self._rows is None else int(self._rows[index.row()])
        kind = self._kinds[index.column()]
        missed = bool(self._shown.missed[row])
        if role == Qt.ItemDataRole.DisplayRole:
            return on_one_line(self._text(row, kind, index.column()))
        if role == PROBABILITY:
            return self._number(row, kind, index.column()) if kind == _PROBABILITIES else None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if kind in _TEXTS else _RIGHT
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._colour(row, kind, index.column(), missed)
        if role == Qt.ItemDataRole.DecorationRole and missed and kind == _PREDICTED:
            return _miss_sign()
        if role == Qt.ItemDataRole.FontRole and self._decided(row, kind, index.column()):
            return _bold()
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleDescriptionRole) and missed:
            return tr("Misclassified")
        if role == Qt.ItemDataRole.ToolTipRole and kind in _TEXTS:
            return plain_tip(self._text(row, kind, index.column()))
        return None

    def is_text(self, column: int) -> bool:
        return self._kinds[column] in _TEXTS

    def _text(self, row: int, kind: int, column: int) -> str:
        assert self._shown is not None
        if kind == _ROW:
            return str(self._shown.dataset.row_numbers[row])
        if kind == _NAME:
            return str(list(self._names.values())[column - self._first[_NAME]][row])
        if kind == _SET:
            return self._set(row)
        if kind in (_PROBABILITIES, _SCORES):
            score = self._number(row, kind, column)
            return NOTHING if math.isnan(score) else figures.fixed(score, 4).replace("-", "−")  # noqa: RUF001 - a minus sign
        labels = self._shown.decisions.labels if kind == _PREDICTED else self._shown.dataset.labels
        assert labels is not None
        return NOTHING if labels[row] is None else str(labels[row])

    def _set(self, row: int) -> str:
        """Return the text of a prediction set, and say so if the row is unlike every class."""
        assert self._shown is not None
        assert self._members is not None
        assert self._novel is not None
        if self._shown.decisions.labels[row] is None and not self._members[row].any():
            return NOTHING
        names = [self._shown.trained.class_names[code] for code in self._members[row].nonzero()[0].tolist()]
        if not names:
            return tr("none of these") if self._novel[row] else tr("no class")
        held = ", ".join(names)
        return tr("none of these? ({held})", held=held) if self._novel[row] else held

    def _number(self, row: int, kind: int, column: int) -> float:
        assert self._shown is not None
        found = self._shown.decisions
        table = found.scores if kind == _SCORES else found.probabilities
        assert table is not None
        return float(table[row, column - self._first[kind]])

    def _class_of(self, column: int) -> str:
        assert self._shown is not None
        return self._shown.trained.class_names[column - self._first[self._kinds[column]]]

    def _colour(self, row: int, kind: int, column: int, missed: bool) -> QColor:
        now = theme.current()
        if missed and kind in (_PREDICTED, _TRUE):
            return QColor(now.bad)
        quiet = kind == _ROW or (kind in (_PROBABILITIES, _SCORES) and not self._decided(row, kind, column))
        return QColor(now.muted if quiet else now.text)

    def _decided(self, row: int, kind: int, column: int) -> bool:
        """Return whether a cell belongs to the predicted class of its row."""
        if kind not in (_PROBABILITIES, _SCORES) or self._shown is None:
            return False
        return bool(self._class_of(column) == self._shown.decisions.labels[row])


def _kinds(prediction: Prediction, names: int, *, sets: bool, scores: bool, probabilities: bool) -> list[int]:
    labelled = [] if prediction.dataset.labels is None else [_TRUE]
    classes = len(prediction.trained.class_names)
    known = prediction.decisions.probabilities is not None
    shares = [_PROBABILITIES] * classes if probabilities and known else []
    leading = [_ROW, *[_NAME] * names, _PREDICTED, *labelled, *([_SET] if sets else [])]
    return [*leading, *shares, *([_SCORES] * classes if scores else [])]


def _bold() -> QFont:
    font = QFont(QGuiApplication.font())
    font.setBold(True)
    return font


def _miss_sign() -> Any:
    return icons.tinted("close", theme.current().bad)


class PredictionTable(QTableView):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("predictTable")
        self.setAccessibleName(tr("Predictions"))
        self.table = PredictionModel()
        self.setModel(self.table)
        self.setItemDelegate(ProbabilityDelegate(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(3 * UNIT)
        self.horizontalHeader().setDefaultSectionSize(12 * UNIT)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._wanted: list[int] = []  # comfortable widths of the columns
        self._least: list[int] = []
        self._by_hand = self._fitting = False  # whether the user chose the widths; whether they are being set
        self.horizontalHeader().sectionResized.connect(self._resized)
        theme.notifier().changed.connect(self.viewport().update)

    def show_prediction(
        self,
        prediction: Prediction | None,
        rows: np.ndarray | None = None,
        error: float | None = None,
        *,
        scores: bool = True,
        probabilities: bool = True,
    ) -> None:
        before = self.table.columnCount()
        self.table.show(prediction, rows, error, scores=scores, probabilities=probabilities)
        if self.table.columnCount() != before:
            self._fit_columns()
        self.scrollToTop()

    def _fit_columns(self) -> None:
        """Fit the columns to the header and the first rows: Qt would measure all rows before the table is visible."""
        metrics, rows = self.fontMetrics(), range(min(self.table.rowCount(), MEASURED))
        wanted: list[int] = []
        least: list[int] = []
        for column in range(self.table.columnCount()):
            texts = [self.table.headerData(column, Qt.Orientation.Horizontal)]
            texts += [self.table.data(self.table.index(row, column)) for row in rows]
            widest = max(metrics.horizontalAdvance(text) for text in texts)
            wanted.append(min(max(widest + 3 * UNIT, 8 * UNIT), 28 * UNIT))
            whole = widest + 2 * UNIT  # texts may be cut: they have tooltips
            least.append(min(whole, wanted[-1], 14 * UNIT if self.table.is_text(column) else whole))
        self._wanted, self._least, self._by_hand = wanted, least, False
        self._distribute()

    def _distribute(self) -> None:
        if self._by_hand or len(self._wanted) != self.table.columnCount():
            return
        self._fitting = True
        for column, width in enumerate(fitted_widths(self._wanted, self._least, self.viewport().width())):
            self.setColumnWidth(column, width)
        self._fitting = False

    def _resized(self) -> None:
        self._by_hand = self._by_hand or not self._fitting

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._distribute()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        else:
            super().keyPressEvent(event)

    def copy(self) -> None:
        """Copy the selected cells as tab-separated text."""
        text = "".join("\t".join(line) + "\n" for line in self._selected())
        if text:
            QGuiApplication.clipboard().setText(text)

    def _selected(self) -> list[list[str]]:
        indexes = sorted(self.selectionModel().selectedIndexes(), key=lambda index: (index.row(), index.column()))
        lines: dict[int, list[str]] = {}
        for index in indexes[:MOST_COPIED]:
            lines.setdefault(index.row(), []).append(str(self.table.data(index)))
        return list(lines.values())
