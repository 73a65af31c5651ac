"""The dialog that asks what to do with running jobs when the user closes the window."""

from __future__ import annotations

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtWidgets import QWidget

from mcsvm_gui.ui.kit.dialog import Dialog
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import selectable
from mcsvm_gui.ui.kit.theme import UNIT


class LeavingDialog(Dialog):
    stop_chosen = Signal()
    later_chosen = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "leavingDialog", tr("Jobs are running"), 60 * UNIT, 32 * UNIT)
        self.setModal(True)
        self._question = selectable("leavingQuestion")
        self.body.addWidget(self._question)
        self.body.addWidget(
            selectable(
                "",
                "muted",
                tr(
                    "“Continue next time” saves the point that each job has reached and closes at once. The next start"
                    " offers to continue.\n“Stop and keep” makes a model of each running training, with its"
                    " certificate, and keeps the finished cells of searches. Waiting jobs are dropped, and no"
                    " training follows a search."
                ),
            )
        )
        self.body.addStretch()
        self.close_button.setText(tr("Cancel"))
        self.close_button.setAccessibleName(tr("Cancel"))
        stop = self.add_button("stopAllButton", tr("Stop and keep"), "stop-keep")
        stop.clicked.connect(lambda: self._choose(self.stop_chosen))
        later = self.add_button("continueLaterButton", tr("Continue next time"), "pause")
        later.setDefault(True)
        later.clicked.connect(lambda: self._choose(self.later_chosen))

    def set_count(self, running: int) -> None:
        question = tr(
            "{count} job is still running.",
            "{count} jobs are still running.",
            count=running,
        )
        self._question.setText(question)

    def _choose(self, chosen: SignalInstance) -> None:
        self.close()
        chosen.emit()
