"""The dialogs of the window, each loaded and created when it is first needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from mcsvm_gui.core.base.settings import Setting
from mcsvm_gui.ui.kit.dialog import Dialog

if TYPE_CHECKING:
    from mcsvm_gui.core.base.licences import Component
    from mcsvm_gui.ui.shell.dialogs.doctor import Section
    from mcsvm_gui.ui.shell.dialogs.leaving import LeavingDialog
    from mcsvm_gui.ui.shell.dialogs.settings import SettingsDialog

D = TypeVar("D", bound=Dialog)


class Dialogs(QObject):
    setting_changed = Signal(str, object)
    settings_reset_asked = Signal()
    stop_chosen = Signal()
    later_chosen = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._made: dict[str, Any] = {}

    def _dialog(self, name: str, make: Callable[[], D]) -> D:
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]

    def show_settings(self, settings: Iterable[Setting], values: Mapping[str, Any]) -> None:
        dialog = self._dialog("settings", lambda: self._settings(settings))
        for key, value in values.items():
            dialog.set_value(key, value)
        dialog.appear()

    def _settings(self, settings: Iterable[Setting]) -> SettingsDialog:
        from mcsvm_gui.ui.shell.dialogs.settings import SettingsDialog

        dialog = SettingsDialog(self._window, settings)
        dialog.changed.connect(self.setting_changed)
        dialog.reset_asked.connect(self.settings_reset_asked)
        return dialog

    def set_setting(self, key: str, value: Any) -> None:
        if "settings" in self._made:
            self._made["settings"].set_value(key, value)

    def show_shortcuts(self) -> None:
        from mcsvm_gui.ui.shell.dialogs.shortcuts import ShortcutsDialog

        dialog = self._dialog("shortcuts", lambda: ShortcutsDialog(self._window))
        dialog.collect(self._window)
        dialog.appear()

    def show_doctor(self) -> None:
        from mcsvm_gui.ui.shell.dialogs.doctor import DoctorDialog

        dialog = self._dialog("doctor", lambda: DoctorDialog(self._window))
        dialog.set_busy()
        dialog.appear()

    def set_findings(self, problems: Sequence[str], sections: Sequence[Section]) -> None:
        self._made["doctor"].set_findings(problems, sections)

    def set_doctor_failure(self, sentence: str) -> None:
        self._made["doctor"].set_failure(sentence)

    def show_crash_log(self, text: str, folder: str) -> None:
        from mcsvm_gui.ui.shell.dialogs.crash import CrashDialog

        dialog = self._dialog("crash", lambda: CrashDialog(self._window))
        dialog.set_log(text, folder)
        dialog.appear()

    def show_about(self, version: str, text: str, inside: Sequence[Component]) -> None:
        from mcsvm_gui.ui.shell.dialogs.about import AboutDialog

        dialog = self._dialog("about", lambda: AboutDialog(self._window))
        dialog.set_facts(version, text, inside)
        dialog.appear()

    def show_guide(self, markdown: str, folder: Path, anchor: Callable[[str], str]) -> None:
        from mcsvm_gui.ui.shell.dialogs.guide import GuideDialog

        dialog = self._dialog("guide", lambda: GuideDialog(self._window))
        dialog.appear()
        dialog.set_guide(markdown, folder, anchor)

    def ask_to_stop(self, running: int) -> None:
        dialog = self._dialog("leaving", self._leaving)
        dialog.set_count(running)
        dialog.open()

    def _leaving(self) -> LeavingDialog:
        from mcsvm_gui.ui.shell.dialogs.leaving import LeavingDialog

        dialog = LeavingDialog(self._window)
        dialog.stop_chosen.connect(self.stop_chosen)
        dialog.later_chosen.connect(self.later_chosen)
        return dialog
