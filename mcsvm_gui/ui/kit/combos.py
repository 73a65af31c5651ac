"""Combo boxes that do not grow with the longest of their entries."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox


def narrow_combo(name: str, title: str, letters: int = 10) -> QComboBox:
    """`letters`: how many are shown at least."""
    combo = QComboBox()
    combo.setObjectName(name)
    combo.setAccessibleName(title)
    combo.setToolTip(title)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    combo.setMinimumContentsLength(letters)
    return combo
