"""The bar with the conclusion in a few sentences, the quality of the best model, and buttons for the next steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from mcsvm_gui.ui.kit.badge import BadgeLabel
from mcsvm_gui.ui.kit.buttons import labelled, push_button
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import selectable, set_role, show_text
from mcsvm_gui.ui.kit.nesting import nest
from mcsvm_gui.ui.kit.theme import UNIT

if TYPE_CHECKING:
    from mcsvm_gui.core.compare.conclusion import NextStep

LEAST = 40 * UNIT  # minimum width in pixels
MOST = 2  # limit on the buttons next to the one that uses the model


class ConclusionBar(QFrame):
    step_asked = Signal(object)  # a NextStep
    use_asked = Signal()
    save_asked = Signal()
    _instead = _quality = ""
    _shown_steps: tuple[NextStep, ...] = ()
    _concluded: tuple[str, Sequence[NextStep]] = ("", ())

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("conclusionBar")
        self.label = QLabel()
        self.label.setObjectName("conclusionLabel")
        self.label.setAccessibleName(tr("Results of the runs"))
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setWordWrap(True)
        self.label.setMinimumWidth(0)
        flags = Qt.TextInteractionFlag
        self.label.setTextInteractionFlags(flags.TextSelectableByMouse | flags.TextSelectableByKeyboard)
        self.badge = BadgeLabel("qualityLabel", tr("Quality of the best model"))
        self.use = push_button("useBestButton", tr("Use it on new rows"), tip=tr("Open it on the Predict page"))
        self.use.clicked.connect(self.use_asked)
        self.save = labelled(
            "saveBestButton", tr("Save model…"), tr("Save it as a file that predicts new rows"), "save"
        )
        self.save.setMinimumWidth(4 * UNIT)  # its text is shortened if space is scarce
        self.save.clicked.connect(self.save_asked)
        self.note = selectable("conclusionNote", "muted")
        self.note.hide()
        self._steps: list[QPushButton] = []
        self._row = QHBoxLayout()
        self._row.setSpacing(UNIT)
        self._row.addWidget(self.use)
        self._row.addWidget(self.save)
        self._row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(UNIT)
        answer = QHBoxLayout()
        answer.setSpacing(UNIT)
        answer.addWidget(self.badge, 0, Qt.AlignmentFlag.AlignTop)
        answer.addWidget(self.label, 1)
        nest(column, answer)
        nest(column, self._row)
        column.addWidget(self.note)
        self.show_conclusion("", ())

    def show_conclusion(
        self, words: str, steps: Sequence[NextStep], quality: str = "", verdict: str = "", tip: str = ""
    ) -> None:
        """Show the conclusion, or hide the bar if `words` is empty; `quality` is a badge kind, `verdict` its text."""
        if words != self._concluded[0]:
            self.show_note("")
        self._concluded, self._quality = (words, steps), quality
        self.badge.set_badge(quality, verdict, tip)
        self.label.setToolTip(tip)
        self._show()

    def show_instead(self, words: str) -> None:
        """Show progress, or why it failed, in place of the conclusion; an empty text shows the conclusion again."""
        self._instead = words
        self._show()

    def show_note(self, words: str, role: str = "muted") -> None:
        """Show the result of a button."""
        set_role(self.note, role)
        show_text(self.note, words)

    def _show(self) -> None:
        words, steps = (self._instead, ()) if self._instead else self._concluded
        self.setVisible(bool(words))
        self.badge.setVisible(bool(self._quality) and not self._instead)
        self.use.setVisible(not self._instead and self._quality != "useless")
        self.save.setVisible(not self._instead)
        if words != self.label.text():
            self.label.setText(words)
        self._show_steps(steps[:MOST])
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Fit the buttons into the width: shorten the save button first, then hide the least useful steps."""
        self.save.show_texts(True)
        fixed = [button for button in (self.use, self.save) if not button.isHidden()]
        widths = [button.sizeHint().width() + UNIT for button in (*self._steps, *fixed)]
        self.save.show_texts(sum(widths) <= self.width())
        room = self.width() - sum(button.sizeHint().width() + UNIT for button in fixed)
        for place, button in enumerate(self._steps):
            room -= button.sizeHint().width() + UNIT
            button.setVisible(place == 0 or room >= 0)

    def minimumSizeHint(self) -> QSize:
        """Return a small width, so that the buttons do not widen the page."""
        return QSize(LEAST, super().minimumSizeHint().height())

    def _show_steps(self, steps: Sequence[NextStep]) -> None:
        if tuple(steps) == self._shown_steps:
            return
        self._shown_steps = tuple(steps)
        for button in self._steps:
            self._row.removeWidget(button)
            button.setObjectName("")  # the name is free until the button is deleted
            button.hide()
            button.deleteLater()
        self._steps = [self._button(step) for step in steps]
        for place, button in enumerate(self._steps):
            before = self.use.previousInFocusChain() or self
            self._row.insertWidget(place, button)
            QWidget.setTabOrder(before, button)
        self._fit()

    def _button(self, step: NextStep) -> QPushButton:
        button = push_button(f"step-{step.code}", step.text, tip=step.sentence)
        button.clicked.connect(lambda: self.step_asked.emit(step))
        return button
