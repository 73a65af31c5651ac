"""Combo boxes that may be narrower than their entries: a cut entry ends in "…", and the tooltip has all of it."""

from __future__ import annotations

import html

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QHelpEvent, QPaintEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter, QToolTip


class Combo(QComboBox):
    """A combo box that elides its text; Qt's own cuts it in the middle of a letter."""

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.isEditable():
            super().paintEvent(event)
            return
        painter, option = QStylePainter(self), self._option()
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        option.currentText = self._elided(option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def _option(self) -> QStyleOptionComboBox:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        return option

    def _elided(self, option: QStyleOptionComboBox) -> str:
        part = QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, part, self).width() - 2
        if not option.currentIcon.isNull():
            room -= option.iconSize.width() + 4  # as Qt sets it
        return self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, room)

    def whole_tip(self) -> str:
        """Return the tooltip; if the entry is cut, the tooltip begins with the whole entry."""
        if self.isEditable() or self._elided(self._option()) == self.currentText():
            return self.toolTip()
        own = self.toolTip() if self.toolTip().startswith("<") else f"<p>{html.escape(self.toolTip())}</p>"
        return f"<p>{html.escape(self.currentText())}</p>{own}"

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.whole_tip(), self)
            return True
        return super().event(event)


def narrow_combo(name: str, title: str, letters: int = 10) -> Combo:
    """Return a combo box that shows at least `letters` letters."""
    combo = Combo()
    combo.setObjectName(name)
    combo.setAccessibleName(title)
    combo.setToolTip(title)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    combo.setMinimumContentsLength(letters)
    return combo
