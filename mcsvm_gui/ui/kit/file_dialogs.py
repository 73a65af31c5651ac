"""File dialogs that do not block: the program continues while the dialog is open."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from mcsvm_gui.core.data import formats
from mcsvm_gui.ui.kit.i18n import tr


def filters(kind: str) -> list[str]:
    """Return the name filter for a kind of file; callers add "All files"."""
    named = {
        "data": f"{tr('Data')} ({' '.join('*' + suffix for suffix in formats.suffixes())})",
        "model": tr("Models") + " (*.mcsvm)",
        "project": tr("Projects") + " (*.mcsvmproj)",
        "csv": tr("CSV tables") + " (*.csv)",
    }
    return [named[kind]] if kind in named else []


def choose(parent: QWidget, title: str, kind: str, folder: str, chosen: Callable[[str], None]) -> QFileDialog:
    """Ask for a file to open; call `chosen` with its path unless the user cancels."""
    dialog = _dialog(parent, title, [*filters(kind), tr("All files") + " (*)"], folder)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    return _opened(dialog, chosen)


def choose_folder(parent: QWidget, title: str, folder: str, chosen: Callable[[str], None]) -> QFileDialog:
    """Ask for a folder to open; call `chosen` with its path unless the user cancels."""
    dialog = _dialog(parent, title, [], folder)
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    return _opened(dialog, chosen)


def choose_target(
    parent: QWidget, title: str, kind: str, place: str, suffix: str, chosen: Callable[[str], None]
) -> QFileDialog:
    """Ask for a file to write; the dialog asks before it replaces an existing one."""
    ending = suffix.lstrip(".")
    named = filters(kind) or [f"{ending.upper()} (*.{ending})"]
    dialog = _dialog(parent, title, [*named, tr("All files") + " (*)"], "")
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(ending)
    dialog.selectFile(place)
    return _opened(dialog, chosen)


def _dialog(parent: QWidget, title: str, named: list[str], folder: str) -> QFileDialog:
    dialog = QFileDialog(parent, title)
    dialog.setObjectName("fileDialog")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    if named:
        dialog.setNameFilters(named)
    if folder:
        dialog.setDirectory(folder)
    return dialog


def _opened(dialog: QFileDialog, chosen: Callable[[str], None]) -> QFileDialog:
    dialog.fileSelected.connect(chosen)
    dialog.open()
    return dialog
