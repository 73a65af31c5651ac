"""The installation: versions, folders and libraries that the program uses, and missing parts."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QHeaderView, QTreeWidgetItem, QVBoxLayout, QWidget

from mcsvm_gui.ui.kit.dialog import Dialog
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import selectable, set_role
from mcsvm_gui.ui.kit.nesting import nest
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.shell.dialogs.shortcuts import facts_tree

Section = tuple[str, Sequence[tuple[str, str]]]  # a title, and names with their values


class DoctorDialog(Dialog):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "doctorDialog", tr("This installation"), 80 * UNIT, 72 * UNIT)
        self._summary = selectable("doctorSummary", "heading")
        self._problems = QVBoxLayout()
        self._facts = facts_tree("doctorFacts", tr("This installation"), (tr("What"), tr("Found")))
        self._facts.header().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self.body.addWidget(self._summary)
        nest(self.body, self._problems)
        self.body.addWidget(self._facts, 1)
        self._copy = self.add_copy_button()
        self._told: tuple[str, ...] = ()
        self.set_busy()

    def set_busy(self) -> None:
        self._copy.setEnabled(False)
        set_role(self._summary, "muted")
        self._summary.setText(tr("Checking the installation…"))

    def set_failure(self, sentence: str) -> None:
        set_role(self._summary, "bad")
        self._summary.setText(sentence)

    def set_findings(self, problems: Sequence[str], sections: Sequence[Section]) -> None:
        self._copy.setEnabled(True)
        set_role(self._summary, "warning" if problems else "good")
        self._summary.setText(tr("This needs attention:") if problems else tr("Nothing is missing."))
        self._clear()
        self._told = tuple(problems)
        for problem in problems:
            self._problems.addWidget(selectable("", "", problem))
        for title, facts in sections:
            head = QTreeWidgetItem(self._facts, [title, ""])
            head.setFirstColumnSpanned(True)
            font = head.font(0)
            font.setBold(True)
            head.setFont(0, font)
            for name, value in facts:
                item = QTreeWidgetItem(head, [name, value])
                item.setToolTip(1, value)
        self._facts.expandAll()

    def _clear(self) -> None:
        self._facts.clear()
        while (item := self._problems.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()

    def plain_text(self) -> str:
        lines = [self._summary.text(), *self._told]
        for row in range(self._facts.topLevelItemCount()):
            head = self._facts.topLevelItem(row)
            assert head is not None
            children = [head.child(place) for place in range(head.childCount())]
            lines += ["", head.text(0), *(f"{child.text(0)}\t{child.text(1)}" for child in children)]
        return "\n".join(lines) + "\n"
