"""Qt model of a file's columns: sorted by a permutation, filtered by name, painted from summaries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from mcsvm_gui.core.base.figures import count, number, percent
from mcsvm_gui.core.base.i18n.terms import meaning
from mcsvm_gui.core.data.roles.moment import moment
from mcsvm_gui.core.data.roles.value import ROLES
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import plain_tip
from mcsvm_gui.ui.plots.class_marks import on_one_line

if TYPE_CHECKING:
    from mcsvm_gui.core.data.roles.summary import ColumnSummary

Index = QModelIndex | QPersistentModelIndex
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_NOWHERE = QModelIndex()
NAME, ROLE, KIND, COUNT, MISSING, VALUES, BARS = range(7)
SUMMARY = Qt.ItemDataRole.UserRole


class RolesModel(QAbstractTableModel):
    def __init__(self) -> None:
        super().__init__()
        self._all: tuple[ColumnSummary, ...] = ()
        self._shown: list[int] = []  # places in `_all`, in the order of the table
        self._filter, self._sorted = "", (-1, Qt.SortOrder.AscendingOrder)
        self.classes: tuple[str, ...] = ()
        self._titles = (
            *(tr("Column"), tr("Role"), tr("Kind"), tr("Count"), tr("Missing"), tr("Values"), tr("Distribution")),
        )

    def show(self, columns: Sequence[ColumnSummary], classes: Sequence[str]) -> None:
        self._all, self.classes = tuple(columns), tuple(classes)
        self._arrange()

    def filter(self, words: str) -> None:
        self._filter = words.strip().casefold()
        self._arrange()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._sorted = column, order
        self._arrange()

    def _arrange(self) -> None:
        column, order = self._sorted
        self.beginResetModel()
        shown = [place for place, one in enumerate(self._all) if self._filter in one.name.casefold()]
        if column >= 0:
            key = _KEYS[column]
            shown.sort(key=lambda place: key(self._all[place]), reverse=order is Qt.SortOrder.DescendingOrder)
        self._shown = shown
        self.endResetModel()

    def summary(self, row: int) -> ColumnSummary:
        return self._all[self._shown[row]]

    @property
    def total(self) -> int:
        return len(self._all)

    # -- methods that Qt calls --------------------------------------------------------------------

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._titles)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        one, column = self.summary(index.row()), index.column()
        if role == SUMMARY:
            return one
        if role == Qt.ItemDataRole.DisplayRole:
            return on_one_line(_TEXTS[column](one))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column in (COUNT, MISSING) else _LEFT
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(self._in_full(one, column))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._in_full(one, column)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self._titles[section]
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.WhatsThisRole:
            return meaning(self._titles[section])
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if section in (COUNT, MISSING) else _LEFT
        return None

    def _in_full(self, one: ColumnSummary, column: int) -> str:
        if column not in (VALUES, BARS) or not one.means:
            return f"{self._titles[column]}: {_TEXTS[column](one) or values_of(one)}"
        pairs = zip(self.classes, one.means, strict=True)
        lines = [tr("{name}: {value}", name=name, value=_value(one, mean)) for name, mean in pairs]
        return "\n".join([values_of(one), tr("Mean of each class:"), *lines])


def values_of(one: ColumnSummary) -> str:
    """Return the values of a column in words."""
    if one.low is not None and one.middle is not None and one.high is not None:
        ends = {name: _value(one, value) for name, value in (("low", one.low), ("high", one.high))}
        return tr("{low} to {high}, mean {mean}", mean=_value(one, one.middle), **ends)
    if one.distinct is None:
        return ""
    if one.kind == "text":
        return tr("{count} text", "{count} texts", count=one.distinct)
    some = ", ".join(one.shown[:3])
    return tr("{count} value: {some}", "{count} values: {some}", count=one.distinct, some=some)


def _value(one: ColumnSummary, value: float) -> str:
    return moment(value) if one.kind == "date" else number(value, 4)


def _role(one: ColumnSummary) -> str:
    title = ROLES[one.role]
    return tr(title)


def _kind(one: ColumnSummary) -> str:
    return {"number": tr("number"), "category": tr("category"), "text": tr("text"), "date": tr("date"), "": ""}[
        one.kind
    ]


_TEXTS: tuple[Callable[[Any], str], ...] = (
    lambda one: one.name,
    _role,
    _kind,
    lambda one: count(one.present),
    lambda one: percent(one.missing) if one.missing else "",
    values_of,
    lambda one: "",
)
_KEYS: tuple[Callable[[Any], Any], ...] = (
    lambda one: one.name.casefold(),
    lambda one: list(ROLES).index(one.role),
    lambda one: one.kind,
    lambda one: -1 if one.present is None else one.present,
    lambda one: one.missing,
    lambda one: (one.middle is None, one.middle or 0.0, one.distinct or 0),
    lambda one: -sum(map(sum, one.bars)),
)
