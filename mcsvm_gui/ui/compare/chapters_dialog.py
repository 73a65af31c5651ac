"""The dialog in which the user chooses the chapters of a report before saving it."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from mcsvm_gui.core.report.chapters import chapter_titles
from mcsvm_gui.ui.kit.dialog import Dialog
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import wrapped
from mcsvm_gui.ui.kit.theme import UNIT


class ChaptersDialog(Dialog):
    chosen = Signal(list)  # names of chapters

    def __init__(self, parent: QWidget, chosen: Collection[str]) -> None:
        super().__init__(parent, "chaptersDialog", tr("What the report contains"), 60 * UNIT, 40 * UNIT)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.close_button.setText(tr("Cancel"))
        self.close_button.setAccessibleName(tr("Cancel"))
        words = wrapped("chaptersWords", "muted")
        words.setText(
            tr(
                "The first two pages hold the answer, accuracy with interval, confusion matrix, what drives the model"
                " and how it was made. Choose the chapters that follow."
            )
        )
        self.body.addWidget(words)
        self._boxes: dict[str, QCheckBox] = {}
        for name, title in chapter_titles().items():
            box = self._boxes[name] = QCheckBox(title)
            box.setObjectName(f"chapter-{name}")
            box.setAccessibleName(title)
            box.setChecked(name in chosen)
            self.body.addWidget(box)
        self.body.addStretch()
        save = self.add_button("saveReportButton", tr("Save…"), "save")
        save.setDefault(True)
        save.clicked.connect(self._save)

    def _save(self) -> None:
        names = [name for name, box in self._boxes.items() if box.isChecked()]
        self.close()
        self.chosen.emit(names)
