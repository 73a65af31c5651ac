"""Labels with everything each needs: a name, a role for the style sheet, plain text that wraps."""

from __future__ import annotations

import html

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QLineEdit

from mcsvm_gui.ui.kit import theme


def plain_tip(text: str) -> str:
    """Return a tooltip that shows names of a file literally: Qt treats text that looks like HTML as HTML."""
    return f"<p>{html.escape(text).replace(chr(10), '<br>')}</p>" if set(text) & set("<&") else text


def wrapped(name: str = "", role: str = "", text: str = "") -> QLabel:
    label = QLabel(text)
    label.setObjectName(name)
    label.setProperty("role", role)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    return label


def selectable(name: str = "", role: str = "", text: str = "") -> QLabel:
    """Return a label whose text can be selected and copied."""
    label = wrapped(name, role, text)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def show_hint(edit: QLineEdit, words: str) -> None:
    """Show a hint in an empty field; the tooltip shows all of it, even if the field is narrow."""
    edit.setPlaceholderText(words)
    edit.setToolTip(words)


def set_role(label: QLabel, role: str) -> None:
    """Set the role that decides how the theme's style sheet paints the label."""
    label.setProperty("role", role)
    theme.repolish(label)


def show_text(label: QLabel, text: str) -> None:
    """Show a text, or hide the label if the text is empty."""
    label.setText(text)
    label.setVisible(bool(text))
