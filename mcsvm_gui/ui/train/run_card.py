"""The card of the current run: its distance to the optimum, its progress or result, and its buttons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QToolButton, QVBoxLayout

from mcsvm_gui.ui.kit import icons
from mcsvm_gui.ui.kit.badge import BadgeLabel
from mcsvm_gui.ui.kit.buttons import copy_button, labelled, python_button
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import set_role
from mcsvm_gui.ui.kit.nesting import nest
from mcsvm_gui.ui.kit.status import ElidedLabel
from mcsvm_gui.ui.kit.theme import UNIT

if TYPE_CHECKING:
    from mcsvm_gui.core.machine.summary import Badge

ROOMY = 95 * UNIT  # minimum width for a long badge, a title and text on three buttons
LEAST = 40 * UNIT  # minimum width in pixels
NAME = 6 * UNIT  # pixels, so that a long badge leaves room for the name of a run


class RunCard(QFrame):
    pause_asked = Signal()
    stop_asked = Signal()
    discard_asked = Signal()
    continue_asked = Signal()
    command_asked = Signal()  # copy the command
    python_asked = Signal()
    settings_asked = Signal()
    file_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("runCard")
        self.badge = BadgeLabel("certificateLabel", tr("Certificate"))
        self.title = ElidedLabel("runTitle")
        self.title.setProperty("role", "heading")
        self.title.setAccessibleName(tr("The current run"))
        self.title.setMinimumWidth(NAME)
        self.copy = copy_button("copyRunCommandButton", tr("Copy the command that trains this run again"))
        self.copy.clicked.connect(lambda: self.command_asked.emit())
        tip = tr("Copy the chosen runs as a Python script that gives the same numbers")
        self.python = python_button("copyRunsPythonButton", tip)
        self.python.clicked.connect(self.python_asked)
        self.reuse = self._reuse_button()
        self.words = ElidedLabel("resultLabel")
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.words.setAccessibleName(tr("Result"))
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.pause = labelled("pauseButton", tr("Pause"), tr("Pause the training; it can be resumed later"), "pause")
        words = tr("End now and keep the model so far")
        self.stop = labelled("stopKeepButton", tr("Stop and keep"), words, "stop-keep")
        self.discard = labelled("discardButton", tr("Discard"), tr("End now and keep nothing"), "discard")
        words = tr("Continue this training from where it was stopped")
        self.go_on = labelled("continueButton", tr("Continue"), words, "play")
        for button in (self.pause, self.stop, self.discard, self.go_on):
            button.setAccessibleName(button.text())
        self.go_on.clicked.connect(self.continue_asked)
        self.pause.clicked.connect(self.pause_asked)
        self.stop.clicked.connect(self.stop_asked)
        self.discard.clicked.connect(self.discard_asked)
        self._lay_out()
        self.show_actions(False, False)
        self.show_continue(False)
        self.show_command("")

    def _reuse_button(self) -> QToolButton:
        """Build the button whose menu reuses the settings of this run."""
        button = copy_button("reuseButton", tr("Settings of this run: use them again"))
        button.setText(tr("Settings"))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        icons.put(button, "settings")
        menu = QMenu(button)
        menu.setObjectName("reuseMenu")
        use = menu.addAction(tr("Use these settings"), self.settings_asked.emit)
        use.setObjectName("useSettingsAction")
        use.setToolTip(tr("Put the settings of this run into the form"))
        new = menu.addAction(tr("Same settings on a new file…"), self.file_asked.emit)
        new.setObjectName("sameSettingsAction")
        new.setToolTip(tr("Open a file with the roles of this run's data and train on it with the same settings"))
        menu.setToolTipsVisible(True)
        button.setMenu(menu)
        return button

    def _lay_out(self) -> None:
        self._row = row = QHBoxLayout()
        row.setSpacing(UNIT)
        row.addWidget(self.badge)
        row.addWidget(self.title, 1)
        row.addWidget(self.copy)
        row.addWidget(self.python)
        row.addWidget(self.reuse)
        for button in (self.go_on, self.pause, self.stop, self.discard):
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(UNIT)
        nest(column, row)
        column.addWidget(self.words)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for button in (self.go_on, self.pause, self.stop, self.discard):
            button.show_texts(self.width() >= ROOMY)
        self._fit()

    def minimumSizeHint(self) -> QSize:
        """Return a width that a long badge does not enlarge, so that it does not widen the page."""
        return QSize(LEAST, super().minimumSizeHint().height())

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # sent too if the style sheet of the badge changes its width
            self._fit()
        return super().event(event)

    def _fit(self) -> None:
        """Hide the text of the settings button, then that of the Python button, if the row is too narrow."""
        buttons = [button for button in (self.reuse, self.python) if not button.isHidden()]
        widths = {button: button.fontMetrics().horizontalAdvance(button.text()) + UNIT // 2 for button in buttons}
        iconic = Qt.ToolButtonStyle.ToolButtonIconOnly
        needed = self._row.minimumSize().width()
        needed += sum(widths[button] for button in buttons if button.toolButtonStyle() == iconic)
        for button in buttons:
            style = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
            if needed > self.width():
                needed -= widths[button]
                style = iconic
            if button.toolButtonStyle() != style:
                button.setToolButtonStyle(style)

    def show_run(self, title: str, badge: Badge, words: str, *, bad: bool = False) -> None:
        self.title.say(title)
        self.badge.set_badge(badge.kind, badge.text, badge.tip)
        role = "bad" if bad else "muted"
        if self.words.property("role") != role:
            set_role(self.words, role)
        self.words.setText(words)
        self.words.setToolTip(words)
        self.words.setVisible(bool(words))

    def shorten(self, short: bool) -> None:
        """Show one line of the result, with the rest in its tooltip, if the plots need the height."""
        self.words.short = short
        self.words.setWordWrap(not short)

    def show_command(self, command: str) -> None:
        self.command = command
        for button in (self.copy, self.python, self.reuse):
            button.setVisible(bool(command))
        self.copy.setToolTip(tr("Copy the command that trains this run again:") + f"\n{command}")

    def show_continue(self, possible: bool) -> None:
        self.go_on.setEnabled(possible)
        self.go_on.setVisible(possible)

    def show_actions(self, possible: bool, paused: bool) -> None:
        for button in (self.pause, self.stop, self.discard):
            button.setEnabled(possible)
            button.setVisible(possible)
        self.pause.say(tr("Resume") if paused else tr("Pause"))
        self.pause.setAccessibleName(tr("Resume") if paused else tr("Pause"))
        icons.put(self.pause, "play" if paused else "pause")
