"""What cannot be read to its end in a window: texts that are cut off, and neither end in … nor stand in a tooltip.

A line too long for its widget ends in "…", and its tooltip has the whole; whatever wraps has the height it needs.
Of plots, names of axes and titles count too, and the numbers beside an axis, which must not cover each other.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QListView,
    QPushButton,
    QScrollArea,
    QStyle,
    QStyleOptionComboBox,
    QTabBar,
    QTableView,
    QWidget,
)

from mcsvm_gui.ui.kit.combos import Combo
from mcsvm_gui.ui.kit.status import ElidedLabel
from mcsvm_gui.ui.plots.base import Plot

RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
POINT = re.compile(r"(?<![\d.])\d+\.\d+(?![\d.])")  # no version
CELL = 16  # pixels beside a number: the padding of the style sheet, and what Qt adds
SLACK = 2  # pixels: of rounding, and of the bearing of a last letter


def cut_texts(window: QWidget) -> list[str]:
    """Of all that is in sight."""
    found = []
    for widget in window.findChildren(QWidget):
        if widget.isVisible() and not widget.visibleRegion().isEmpty():
            found += [f"{called(widget)}: {what}" for what in of_widget(widget)]
    return found


def sideways(window: QWidget) -> list[str]:
    """Return the areas in sight, pages included, that scroll sideways; tables may."""
    areas = [area for area in window.findChildren(QScrollArea) if area.isVisible()]
    return [f"{called(area)} scrolls sideways" for area in areas if area.horizontalScrollBar().isVisible()]


def decimal_points(window: QWidget) -> list[str]:
    """Return the texts in sight that have a number with a decimal point; commands have them in every language."""
    shown = [widget for widget in window.findChildren(QWidget) if widget.isVisible()]
    found = [(widget, text) for widget in shown for text in texts_of(widget) if POINT.search(text)]
    return [f"{called(widget)}: {text!r}" for widget, text in found if widget.objectName() != "commandLabel"]


def texts_of(widget: QWidget) -> Iterator[str]:
    """Yield what can be read in a widget."""
    if isinstance(widget, QLabel | QAbstractButton | QLineEdit):
        yield widget.text()
    elif isinstance(widget, QTableView | QListView):
        yield from (str(index.data(Qt.ItemDataRole.DisplayRole) or "") for index in seen_cells(widget))
    elif isinstance(widget, Plot):
        canvas = QPixmap(8, 8)
        painter = QPainter(canvas)
        drawn = [widget.getAxis(side).drawn(painter) for side in ("bottom", "left")]
        painter.end()
        yield from (text for specs in drawn if specs is not None for *_, text in specs[2])
        yield from (item.toPlainText() for item in widget.scene().items() if isinstance(item, pg.TextItem))
        yield widget.getPlotItem().titleLabel.text


def called(widget: QWidget) -> str:
    name = widget
    while not name.objectName() and name.parentWidget() is not None:
        name = name.parentWidget()
    return f"{type(widget).__name__} {widget.objectName() or 'in ' + name.objectName()}"


def of_widget(widget: QWidget) -> Iterator[str]:
    """By the first kind in the table that the widget is of."""
    return next((check(widget) for kind, check in CHECKS.items() if isinstance(widget, kind)), iter(()))


def of_label(label: QLabel) -> Iterator[str]:
    words, room = label.text(), label.contentsRect()
    if not words.strip():
        return
    if isinstance(label, ElidedLabel):
        if not label.toolTip() and label.fontMetrics().horizontalAdvance(words) > room.width() + SLACK:
            yield f"no tooltip for {words!r}"
    elif label.wordWrap():
        height = label.heightForWidth(label.width())
        if height > label.height() + SLACK:
            yield f"{label.height()} of {height} pixels high: {words!r}"
    elif label.textFormat() == Qt.TextFormat.PlainText or "<" not in words:
        width = max(label.fontMetrics().horizontalAdvance(line) for line in words.splitlines())
        if width > room.width() + SLACK:
            yield f"{room.width()} of {width} pixels wide: {words!r}"


def of_button(button: QAbstractButton) -> Iterator[str]:
    words = button.text().replace("&", "")
    needed = max((button.fontMetrics().horizontalAdvance(line) for line in words.splitlines()), default=0)
    if isinstance(button, QPushButton | QCheckBox) and words:
        needed = button.sizeHint().width()
    if needed > button.width() + SLACK and words not in html.unescape(button.toolTip()):
        yield f"{button.width()} of {needed} pixels wide: {words!r}"


def of_combo(combo: QComboBox) -> Iterator[str]:
    if combo.isEditable():
        return  # its field is looked at by itself
    option = QStyleOptionComboBox()
    combo.initStyleOption(option)
    part = QStyle.SubControl.SC_ComboBoxEditField
    room = combo.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, part, combo).width()
    needed = combo.fontMetrics().horizontalAdvance(combo.currentText())
    told = isinstance(combo, Combo) and html.escape(combo.currentText()) in combo.whole_tip()
    if needed > room + SLACK and not told:
        yield f"{room} of {needed} pixels wide: {combo.currentText()!r}"


def of_line(line: QLineEdit) -> Iterator[str]:
    """What is typed scrolls; what is said where nothing is typed does not."""
    words = "" if line.text() else line.placeholderText()
    needed = line.fontMetrics().horizontalAdvance(words)
    if needed > line.width() - 8 + SLACK and words not in line.toolTip():
        yield f"{line.width() - 8} of {needed} pixels wide: {words!r}"


def of_tabs(bar: QTabBar) -> Iterator[str]:
    for place in range(bar.count()):
        needed = bar.fontMetrics().horizontalAdvance(bar.tabText(place))
        if bar.isTabVisible(place) and needed > bar.tabRect(place).width() + SLACK:
            yield f"{bar.tabRect(place).width()} of {needed} pixels wide: {bar.tabText(place)!r}"


def of_header(header: QHeaderView) -> Iterator[str]:
    model, across = header.model(), header.orientation() == Qt.Orientation.Horizontal
    for section in range(header.count() if model is not None and across else 0):
        start = header.sectionViewportPosition(section)
        if header.isSectionHidden(section) or start < 0 or start >= header.width():
            continue
        words = str(model.headerData(section, header.orientation(), Qt.ItemDataRole.DisplayRole) or "")
        needed = max((header.fontMetrics().horizontalAdvance(line) for line in words.splitlines()), default=0)
        if needed <= header.sectionSize(section) + SLACK:
            continue
        tip = str(model.headerData(section, header.orientation(), Qt.ItemDataRole.ToolTipRole) or "")
        if not tip or header.textElideMode() == Qt.TextElideMode.ElideNone:
            yield f"heading, {header.sectionSize(section)} of {needed} pixels wide: {words!r}"


def of_cells(view: QTableView | QListView) -> Iterator[str]:
    model = view.model()
    for index in seen_cells(view):
        words = str(index.data(Qt.ItemDataRole.DisplayRole) or "")
        room = view.visualRect(index).width()
        needed = max((view.fontMetrics().horizontalAdvance(line) for line in words.splitlines()), default=0)
        number = index.data(Qt.ItemDataRole.TextAlignmentRole) == RIGHT  # which is not to be guessed by its beginning
        cut = needed + CELL > room + SLACK if number else needed > room + SLACK
        if words and cut and (number or not index.data(Qt.ItemDataRole.ToolTipRole)):
            column = model.headerData(index.column(), Qt.Orientation.Horizontal)
            yield f"cell of {column!r}, {room} of {needed} pixels wide: {words!r}"


def seen_cells(view: QAbstractItemView) -> Iterator[QModelIndex | QPersistentModelIndex]:
    model, area = view.model(), view.viewport().rect()
    if model is None:
        return
    columns = model.columnCount() if isinstance(view, QTableView) else 1
    for row in range(min(model.rowCount(), 200)):
        for column in range(columns):
            index = model.index(row, column)
            place: QRect = view.visualRect(index)
            if place.isValid() and area.intersects(place) and view.indexWidget(index) is None:
                yield index


def of_plot(plot: Plot) -> Iterator[str]:
    for side in ("bottom", "left"):
        axis = plot.getAxis(side)
        if not axis.isVisible():
            continue
        length = axis.width() if side == "bottom" else axis.height()
        name = axis.label
        if name.isVisible() and name.boundingRect().width() > length + 2 * SLACK + 8:
            yield f"name of an axis, {length:.0f} of {name.boundingRect().width():.0f} pixels: {name.toPlainText()!r}"
        if name.isVisible() and name.toPlainText().endswith("…") and not name.toolTip():
            yield f"no tooltip for {name.toPlainText()!r}"
        yield from of_numbers(axis)
    title = plot.getPlotItem().titleLabel
    if title.item.boundingRect().width() > plot.width() + SLACK:
        yield f"title, {plot.width()} of {title.item.boundingRect().width():.0f} pixels: {title.text!r}"
    if title.text.endswith("…") and not title.item.toolTip():
        yield f"no tooltip for the title {title.text!r}"


def of_numbers(axis: Any) -> Iterator[str]:
    """Numbers and names beside an axis, as they are drawn, that cover each other."""
    canvas = QPixmap(8, 8)
    painter = QPainter(canvas)
    specs = axis.drawn(painter)
    painter.end()
    areas = [] if specs is None else [(area, text) for area, _, text in specs[2]]
    upright = axis.orientation in ("left", "right")
    areas.sort(key=lambda one: one[0].top() if upright else one[0].left())
    for (one, first), (other, second) in pairwise(areas):
        over = one.bottom() - other.top() if upright else one.right() - other.left()
        if over > (1 if axis._tickLevels is None else 3):  # names are not left out
            yield f"{first!r} over {second!r}"


CHECKS: dict[Any, Callable[[Any], Iterator[str]]] = {
    Plot: of_plot,
    QLabel: of_label,
    QAbstractButton: of_button,
    QComboBox: of_combo,
    QLineEdit: of_line,
    QTabBar: of_tabs,
    QHeaderView: of_header,
    QTableView | QListView: of_cells,
}
