"""The formats that a button offers to write a report in."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QMenu

from mcsvm_gui.ui.kit.buttons import CollapsingButton, labelled
from mcsvm_gui.ui.kit.i18n import tr


def report_button() -> CollapsingButton:
    """Return the Report button, hidden until its formats are known."""
    button = labelled("exportReportButton", tr("Report"), tr("Write a report"), "report")
    button.hide()
    return button


def offer(button: CollapsingButton, formats: Sequence[tuple[str, str]], chosen: Callable[[str], object]) -> None:
    """Give the button a menu of (title, suffix) pairs; `chosen` is called with a suffix."""
    menu = QMenu(button)
    menu.setObjectName("reportMenu")
    for title, suffix in formats:
        menu.addAction(title, lambda suffix=suffix: chosen(suffix))
    button.setMenu(menu)
    button.setVisible(bool(formats))
