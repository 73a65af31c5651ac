"""Labels with all that each needs: a name, a role for the style sheet, plain text that wraps."""

from __future__ import annotations

import html

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QLineEdit

from mcsvm_gui.ui.kit import theme


def plain_tip(text: str) -> str:
    """A tool tip that shows names of a file as they are: Qt takes what looks like HTML for HTML."""
    return f"<p>{html.escape(text).replace(chr(10), '<br>')}</p>" if set(text) & set("<&") else text


def wrapped(name: str = "", role: str = "", text: str = "") -> QLabel:
    label = QLabel(text)
    label.setObjectName(name)
    label.setProperty("role", role)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    return label


def selectable(name: str = "", role: str = "", text: str = "") -> QLabel:
    """One whose text can be marked and copied."""
    label = wrapped(name, role, text)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def show_hint(edit: QLineEdit, words: str) -> None:
    """What stands in a field where nothing is typed; its tooltip says it whole, however narrow the field is."""
    edit.setPlaceholderText(words)
    edit.setToolTip(words)


def set_role(label: QLabel, role: str) -> None:
    """How the theme's style sheet paints it from now on."""
    label.setProperty("role", role)
    theme.repolish(label)


def show_text(label: QLabel, text: str) -> None:
    """Hidden where there is none."""
    label.setText(text)
    label.setVisible(bool(text))
