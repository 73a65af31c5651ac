"""The one question at the end: jobs still run."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from mcsvm_gui.ui.kit.dialog import Dialog
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import selectable
from mcsvm_gui.ui.kit.theme import UNIT


class LeavingDialog(Dialog):
    stop_chosen = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "leavingDialog", tr("Jobs are running"), 56 * UNIT, 20 * UNIT)
        self.setModal(True)
        self._question = selectable("leavingQuestion")
        self.body.addWidget(self._question)
        self.body.addWidget(
            selectable(
                "",
                "muted",
                tr("Trainings keep their models, with certificates; searches keep the cells that are done."),
            )
        )
        self.body.addStretch()
        self.close_button.setText(tr("Cancel"))
        self.close_button.setAccessibleName(tr("Cancel"))
        stop = self.add_button("stopAllButton", tr("Stop and keep all"), "stop-keep")
        stop.setDefault(True)
        stop.clicked.connect(self._stop)

    def set_count(self, running: int) -> None:
        question = tr(
            "{count} job has not ended. Stop it, keep what it has found and close?",
            "{count} jobs have not ended. Stop them, keep what they have found and close?",
            count=running,
        )
        self._question.setText(question)

    def _stop(self) -> None:
        self.close()
        self.stop_chosen.emit()
