"""Qt model of a data set: any number of rows, a window of its columns, and no copies."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QFont

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.data.roles.arrangement import NAME, Place
from mcsvm_gui.core.data.roles.moment import moment
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import plain_tip
from mcsvm_gui.ui.plots.class_marks import on_one_line

if TYPE_CHECKING:
    import numpy as np

    from mcsvm_gui.core.data.dataset import Dataset

MOST_NAMES = 5  # limit on the columns of names that are shown
MOST_SHOWN = 100  # features shown together: a header of a million sections would cost seconds and hundreds of megabytes
MISSING, ZERO = "–", "·"  # noqa: RUF001 - an en dash
Index = QModelIndex | QPersistentModelIndex
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_NOWHERE = QModelIndex()


class DataModel(QAbstractTableModel):
    """The label comes first if there is one, then the weight, then features from `first` on."""

    def __init__(self) -> None:
        super().__init__()
        self._data: Dataset | None = None
        self._order: np.ndarray | None = None  # the rows that are shown; None: all, in the order of the file
        self._cells: dict[int, np.ndarray] = {}  # views of the table's columns, made on first use
        self.first = 0
        self.leading: tuple[str, ...] = ()  # the columns before the features

    def show(self, dataset: Dataset | None) -> None:
        self.beginResetModel()
        self._data, self._cells, self.first, self._order = dataset, {}, 0, None
        self.leading = _leading(dataset)
        self.endResetModel()

    def show_order(self, order: np.ndarray | None) -> None:
        """Show these rows, given as row numbers of the data set."""
        self.beginResetModel()
        self._order = order
        self.endResetModel()

    def row_of(self, place: int) -> int:
        """Return the row of the data set that is shown at a place."""
        return place if self._order is None else int(self._order[place])

    def number_of(self, row: int) -> int:
        """Return the number that a row of the data set has in the file."""
        return row + 1 if self._data is None else int(self._data.row_numbers[row])

    def place_of(self, row: int) -> int | None:
        """Return the place at which a row of the data set is shown, or None."""
        if self._order is None:
            return row if row < self.rowCount() else None
        found = (self._order == row).nonzero()[0]
        return int(found[0]) if found.size else None

    def move_to(self, first: int) -> None:
        """Show a window of features that begins with this one."""
        self.beginResetModel()
        self.first = max(0, min(first, self.features - MOST_SHOWN))
        self.endResetModel()

    @property
    def features(self) -> int:
        return 0 if self._data is None else len(self._data.columns)

    @property
    def shown(self) -> int:
        return min(self.features - self.first, MOST_SHOWN)

    def find(self, words: str) -> int | None:
        """Return the position of a feature by its name, or by its number counted from 1."""
        if self._data is None:
            return None
        columns, wanted = self._data.columns, words.strip()
        first = getattr(columns, "first", None)
        if first is not None:
            place = int(wanted) - first if wanted.isdecimal() else -1
            return place if 0 <= place < len(columns) else None
        names = [column.name for column in columns]
        folded = [name.lower() for name in names]
        for among, sought in ((names, wanted), (folded, wanted.lower())):
            if sought in among:
                return among.index(sought)
        if wanted.isdecimal() and 1 <= int(wanted) <= len(names):
            return int(wanted) - 1
        return next((place for place, name in enumerate(folded) if name.startswith(wanted.lower())), None)

    def column_of(self, feature: int) -> int:
        """Return the place of a feature among the columns shown."""
        return feature - self.first + len(self.leading)

    # -- methods that Qt calls --------------------------------------------------------------------

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        if parent.isValid() or self._data is None:
            return 0
        return self._data.rows if self._order is None else len(self._order)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() or self._data is None else self.shown + len(self.leading)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if self._data is None or not index.isValid():
            return None
        feature = self.feature_of(index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(feature)
        if role == Qt.ItemDataRole.DisplayRole:
            return on_one_line(self.text(index.row(), feature))
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._colour(index.row(), feature)
        if role == Qt.ItemDataRole.BackgroundRole:
            return self._ground(index.row(), feature)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(self._in_full(index.row(), feature))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._in_full(index.row(), feature)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if self._data is None:
            return None
        if orientation is Qt.Orientation.Vertical:
            return self._row_header(section, role)
        feature = self.feature_of(section)
        if role == Qt.ItemDataRole.DisplayRole:
            return on_one_line(self._name(feature) or "")
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.WhatsThisRole):
            return plain_tip(self._heading(feature))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(feature)
        if feature == "label" and role == Qt.ItemDataRole.FontRole:
            bold = QFont()
            bold.setBold(True)
            return bold
        return None

    # -- texts ------------------------------------------------------------------------------------

    def _name(self, feature: Place) -> str | None:
        assert self._data is not None
        if isinstance(feature, int):
            return self._data.columns[feature].name
        if feature.startswith(NAME):
            return feature.removeprefix(NAME)
        return self._data.label_name if feature == "label" else self._data.weight_name

    def text(self, row: int, feature: Place) -> str:
        value = self._value(row, feature)
        if value is None:
            return MISSING
        if isinstance(value, str):
            return value
        if self._data is not None and self._data.matrix is not None and value == 0.0 and feature != "weight":
            return ZERO
        if self._kind(feature) == "date":
            return moment(value)
        return figures.number(value, 7)

    def _value(self, row: int, feature: Place) -> float | str | None:
        assert self._data is not None
        row = self.row_of(row)
        if feature == "label":
            return None if self._data.labels is None else self._data.labels[row]
        if feature == "weight":
            return None if self._data.weights is None else float(self._data.weights[row])
        if isinstance(feature, str):
            return self._data.row_names[feature.removeprefix(NAME)][row] or None
        if self._data.matrix is not None:
            return self._stored(row, feature)
        value = self._column(feature)[row]
        if isinstance(value, str):
            return value
        return None if value is None or math.isnan(value) else float(value)

    def _stored(self, row: int, feature: int) -> float:
        matrix = None if self._data is None else self._data.matrix
        assert matrix is not None
        start, end = matrix.indptr[row], matrix.indptr[row + 1]
        found = (matrix.indices[start:end] == feature).nonzero()[0]
        return float(matrix.data[start + found[0]]) if found.size else 0.0

    def _column(self, feature: int) -> np.ndarray:
        cells = self._cells.get(feature)
        if cells is None:
            table = None if self._data is None else self._data.table
            assert table is not None
            cells = self._cells[feature] = table.iloc[:, feature].to_numpy(copy=False)
        return cells

    def feature_of(self, column: int) -> Place:
        leading = self.leading
        return leading[column] if column < len(leading) else self.first + column - len(leading)

    def _alignment(self, feature: Place) -> Qt.AlignmentFlag:
        assert self._data is not None
        text = feature not in ("weight",) if isinstance(feature, str) else not self._data.columns[feature].numeric
        return _LEFT if text else _RIGHT

    def _kind(self, feature: Place) -> str:
        return self._data.columns[feature].kind if isinstance(feature, int) and self._data is not None else ""

    def _colour(self, row: int, feature: Place) -> QColor | None:
        value = self._value(row, feature)
        if value is None:
            return QColor(theme.current().warning)
        assert self._data is not None
        empty = self._data.matrix is not None and value == 0.0
        return QColor(theme.current().muted) if empty else None

    def _ground(self, row: int, feature: Place) -> QColor | None:
        """Return the background of a cell; label, weight and missing values are highlighted."""
        if not isinstance(feature, int):
            return _tint(theme.current().accent, 24 if feature == "label" else 12)
        return _tint(theme.current().warning, 48) if self._value(row, feature) is None else None

    def _in_full(self, row: int, feature: Place) -> str:
        value = self._value(row, feature)
        if value is None:
            return tr("missing")
        if self._kind(feature) == "date" and not isinstance(value, str):
            return moment(value)
        return value if isinstance(value, str) else figures.localised(repr(value))

    def _heading(self, feature: Place) -> str:
        assert self._data is not None
        if feature == "label":
            return tr("{name}: the label", name=self._data.label_name)
        if feature == "weight":
            return tr("{name}: the weight of the row", name=self._data.weight_name)
        if isinstance(feature, str):
            return tr("{name}: names the rows, and is not learned", name=feature.removeprefix(NAME))
        column = self._data.columns[feature]
        kind = {"number": tr("number"), "date": tr("date")}.get(column.kind) or tr("text")
        return tr("{name}: feature {number}, {kind}", name=column.name, number=feature + 1, kind=kind)

    def _row_header(self, row: int, role: int) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return str(self.number_of(self.row_of(row)))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT
        assert self._data is not None
        if role == Qt.ItemDataRole.ToolTipRole and self._data.lines is not None:
            return tr("line {number} of the file", number=int(self._data.lines[self.row_of(row)]))
        return None


def _leading(dataset: Dataset | None) -> tuple[str, ...]:
    if dataset is None:
        return ()
    held: dict[str, object] = {"label": dataset.labels, "weight": dataset.weights}
    held |= {f"{NAME}{name}": cells for name, cells in list(dataset.row_names.items())[:MOST_NAMES]}
    return tuple(name for name, values in held.items() if values is not None)


def _tint(colour: str, strength: int) -> QColor:
    result = QColor(colour)
    result.setAlpha(strength)
    return result
