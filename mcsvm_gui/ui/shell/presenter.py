"""The window's reactions to menus, keys, dropped files and closing."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QUndoGroup, QUndoStack

from mcsvm_gui.core.base import crash_log
from mcsvm_gui.core.base.i18n import tr, translation, worded
from mcsvm_gui.core.base.settings import SETTINGS, TABLE
from mcsvm_gui.ui.shell import guide
from mcsvm_gui.ui.shell.doctor_lines import sections
from mcsvm_gui.ui.shell.leaving import Leaving
from mcsvm_gui.ui.shell.projects import Projects

if TYPE_CHECKING:
    from mcsvm_gui.core.base.licences import Component
    from mcsvm_gui.ui.runs.workspace import Workspace

SAVED_AFTER = 500  # milliseconds after the last change
KINDS = {".mcsvm": "model", ".mcsvmproj": "project"}


class ShellView(Protocol):
    """The signals are those of MainWindow."""

    asked: Any
    theme_chosen: Any
    language_chosen: Any
    recent_chosen: Any
    recent_cleared: Any
    file_chosen: Any
    files_dropped: Any
    page_shown: Any
    shown: Any
    closed: Any
    may_close: Callable[[], bool]

    def show_page(self, name: str) -> None: ...
    def set_status(self, text: str, *, lasting: bool = False) -> None: ...
    def set_enabled(self, name: str, enabled: bool) -> None: ...
    def set_text(self, name: str, text: str) -> None: ...
    def set_theme(self, choice: str) -> None: ...
    def set_language(self, choice: str) -> None: ...
    def set_recent(self, paths: Sequence[str]) -> None: ...
    def set_title(self, text: str) -> None: ...
    def choose(self, kind: str, folder: str) -> None: ...
    def choose_project_target(self, place: str) -> None: ...
    def choose_experiment_target(self) -> None: ...
    def frame(self) -> tuple[bytes, bytes]: ...
    def restore_frame(self, geometry: bytes, state: bytes) -> None: ...
    def close(self) -> bool: ...


class DialogsView(Protocol):
    setting_changed: Any
    settings_reset_asked: Any
    stop_chosen: Any
    later_chosen: Any

    def show_settings(self, settings: Iterable[Any], values: Mapping[str, Any]) -> None: ...
    def set_setting(self, key: str, value: Any) -> None: ...
    def show_shortcuts(self) -> None: ...
    def show_doctor(self) -> None: ...
    def set_findings(self, problems: Sequence[str], sections: Sequence[Any]) -> None: ...
    def set_doctor_failure(self, sentence: str) -> None: ...
    def show_crash_log(self, text: str, folder: str) -> None: ...
    def show_about(self, version: str, text: str, inside: Sequence[Component]) -> None: ...
    def show_guide(self, markdown: str, folder: Path, anchor: Callable[[str], str]) -> None: ...
    def ask_to_stop(self, running: int) -> None: ...


class ShellPresenter(QObject):
    model_chosen = Signal(str)  # a model file to predict with
    export_model_asked = Signal()
    unforeseen = Signal(str)  # emitted from any thread: one line about an error that went to the crash log

    def __init__(self, window: ShellView, dialogs: DialogsView, workspace: Workspace) -> None:
        super().__init__()
        self.window, self.dialogs, self.workspace = window, dialogs, workspace
        self.settings = workspace.settings
        self.undo = QUndoGroup(self)
        self._page_stacks: dict[str, QUndoStack] = {}
        self._last_page = self.settings["page"]  # the first page, unless a file to open leads elsewhere
        self._leaving = Leaving(workspace.queue, self.settings, window, dialogs, self)
        self._rest = QTimer(self, singleShot=True, interval=SAVED_AFTER)
        self._rest.timeout.connect(self._save)
        self.projects = Projects(workspace, self)
        self.projects.message.connect(window.set_status)
        self._commands = self._table()
        self._connect_window()
        self._connect_workspace()
        self._show_settings_in_window()
        self._start_undo()

    def _table(self) -> dict[str, Callable[[], object]]:
        return {
            "openDataAction": lambda: self._choose("data"),
            "openFolderAction": lambda: self._choose("folder"),
            "openModelAction": lambda: self._choose("model"),
            "openProjectAction": lambda: self._choose("project"),
            "newProjectAction": self.projects.new,
            "saveProjectAction": lambda: self.window.choose_project_target(self.projects.proposed_target()),
            "saveSessionAction": self.window.choose_experiment_target,
            "exportModelAction": self.export_model_asked.emit,
            "settingsAction": self._settings_dialog,
            "undoAction": self.undo.undo,
            "redoAction": self.undo.redo,
            "guideAction": self._guide,
            "shortcutsAction": self.dialogs.show_shortcuts,
            "doctorAction": self._doctor,
            "crashLogAction": lambda: self.dialogs.show_crash_log(crash_log.read(), str(crash_log.folder())),
            "aboutAction": self._about,
        }

    def do(self, name: str) -> None:
        if name in self._commands:
            self._commands[name]()

    def leave(self) -> None:
        """Close without asking: stop running jobs and keep their results."""
        self._leaving.leave()

    # -- connections ------------------------------------------------------------------------------

    def _connect_window(self) -> None:
        window, dialogs = self.window, self.dialogs
        window.asked.connect(self.do)
        window.theme_chosen.connect(lambda choice: self._set("theme", choice))
        window.language_chosen.connect(lambda choice: self._set("language", choice))
        window.recent_chosen.connect(self.open)
        window.recent_cleared.connect(lambda: self._set("recent_files", []))
        window.file_chosen.connect(self._chosen)
        window.files_dropped.connect(lambda paths: self.open(paths[0]))
        window.page_shown.connect(self._page_shown)
        window.shown.connect(self._begin)
        window.closed.connect(self._end)
        dialogs.setting_changed.connect(self._set)
        dialogs.settings_reset_asked.connect(self._reset)

    def _begin(self) -> None:
        if self._last_page:
            self.window.show_page(self._last_page)
        if crash_log.last_fault():
            self.window.set_status(tr("The previous session ended with a crash. See Help > Crash log."))

    def _connect_workspace(self) -> None:
        workspace = self.workspace
        self.settings.watch(self._setting_changed)
        workspace.message.connect(self.window.set_status)
        workspace.data_changed.connect(self._title)
        workspace.data_failed.connect(lambda error: self._title())
        workspace.runs.moved.connect(self._project_moved)
        workspace.runs.write_error.connect(self._say_error)
        workspace.runs.set_aside.connect(self.window.set_status)
        workspace.runs.selection_changed.connect(self._selection)
        self.unforeseen.connect(self._unforeseen)
        self._title()
        self._selection()

    # -- files ------------------------------------------------------------------------------------

    def open(self, path: str) -> None:
        """Open a file of any kind, from the menu, a drop or the command line."""
        self._last_page = ""
        self._chosen(KINDS.get(PurePath(path).suffix.lower(), "data"), path)

    def _choose(self, kind: str) -> None:
        self.window.choose(kind, self.settings["last_folder"])

    def _chosen(self, kind: str, path: str) -> None:
        """Open or write the chosen file; data are added to the recent files only after they could be read."""
        if kind == "data":
            self.window.show_page("data")
            self.workspace.open_data(path)
        elif kind == "model":
            self._remember(path)
            self.window.show_page("predict")
            self.model_chosen.emit(path)
        elif kind == "project":
            self.workspace.runs.open(path)
        elif kind == "experiment":
            self.workspace.save_session(path)
        else:
            self.projects.save_as(path)

    def _remember(self, path: str) -> None:
        """Add a file to the recent files if it exists; a worker thread checks that, as a mount may not answer."""

        def looked(there: bool) -> None:
            if there:
                self.settings.remember_file(path)

        self.workspace.tasks.start(lambda: os.path.exists(path), looked, self.window.set_status)

    def _project_moved(self, path: str) -> None:
        self.window.set_status(tr("Project: {path}", path=path))
        self._title()

    def _say_error(self, sentence: str) -> None:
        self.window.set_status(sentence or tr("The project can be written again."), lasting=bool(sentence))

    def _title(self) -> None:
        parts = [self.workspace.data_name, self.projects.title(), "mcsvm"]
        self.window.set_title(" – ".join(part for part in parts if part))  # noqa: RUF001

    def _selection(self) -> None:
        runs = self.workspace.runs
        self.window.set_enabled("exportModelAction", len(runs.selected) == 1)

    # -- settings ---------------------------------------------------------------------------------

    def _set(self, key: str, value: object) -> None:
        if SETTINGS[key].fits(value):
            self.settings[key] = value

    def _reset(self) -> None:
        for setting in TABLE:
            if setting.label:
                self.settings.reset(setting.key)

    def _setting_changed(self, key: str) -> None:
        value = self.settings[key]
        if key == "theme":
            self.window.set_theme(value)
        elif key == "language":
            self.window.set_language(value)
            self.window.set_status(tr("The language changes at the next start."))
        elif key == "recent_files":
            self.window.set_recent(value)
        elif key == "parallel_jobs":
            self.workspace.queue.limit = value
        self.dialogs.set_setting(key, value)
        self._rest.start()

    def _show_settings_in_window(self) -> None:
        self.window.set_theme(self.settings["theme"])
        self.window.set_language(self.settings["language"])
        self.window.set_recent(self.settings["recent_files"])
        self.workspace.queue.limit = self.settings["parallel_jobs"]
        frame = [_bytes(self.settings[key]) for key in ("window_geometry", "window_state")]
        if all(frame):
            self.window.restore_frame(*frame)
        if self.settings.problem:
            self.window.set_status(worded(self.settings.problem))

    def _settings_dialog(self) -> None:
        self.dialogs.show_settings(TABLE, {key: self.settings[key] for key in SETTINGS})

    def _save(self) -> None:
        """Write the settings in a worker thread, from a text made here."""
        text, self.settings.changed = self.settings.text(), False
        self.workspace.tasks.start(lambda: self.settings.write(text), lambda nothing: None, self.window.set_status)

    # -- undo -------------------------------------------------------------------------------------

    def add_undo_stack(self, page: str, stack: QUndoStack) -> None:
        """Make undo refer to this stack while the page is shown; on other pages it refers to the runs."""
        self.undo.addStack(stack)
        self._page_stacks[page] = stack

    def _start_undo(self) -> None:
        stack = self.workspace.runs.undo_stack
        self.undo.addStack(stack)
        self.undo.canUndoChanged.connect(lambda can: self.window.set_enabled("undoAction", can))
        self.undo.canRedoChanged.connect(lambda can: self.window.set_enabled("redoAction", can))
        self.undo.undoTextChanged.connect(lambda what: self._name("undoAction", tr("Undo"), what))
        self.undo.redoTextChanged.connect(lambda what: self._name("redoAction", tr("Redo"), what))
        self.undo.setActiveStack(stack)
        self.window.set_enabled("undoAction", self.undo.canUndo())
        self.window.set_enabled("redoAction", self.undo.canRedo())

    def _name(self, action: str, word: str, what: str) -> None:
        self.window.set_text(action, f"{word}: {what}" if what else word)

    def _page_shown(self, page: str) -> None:
        self.undo.setActiveStack(self._page_stacks.get(page, self.workspace.runs.undo_stack))
        self.settings["page"] = page

    # -- help -------------------------------------------------------------------------------------

    def _doctor(self) -> None:
        self.dialogs.show_doctor()

        def found(findings: dict[str, Any]) -> None:
            self.dialogs.set_findings(findings["problems"], sections(findings))

        self.workspace.tasks.start(_examine, found, self.dialogs.set_doctor_failure)

    def _about(self) -> None:
        self.workspace.tasks.start(_about, lambda facts: self.dialogs.show_about(*facts), self.window.set_status)

    def _guide(self) -> None:
        language = translation.chosen(self.settings["language"])
        self.workspace.tasks.start(
            lambda: guide.read(language),
            lambda found: self.dialogs.show_guide(*found, guide.anchor),
            self.window.set_status,
        )

    def _unforeseen(self, line: str) -> None:
        self.window.set_status(tr("An unexpected error occurred ({error}). See Help > Crash log.", error=line))

    # -- the end ----------------------------------------------------------------------------------

    def _end(self) -> None:
        geometry, state = self.window.frame()
        self.settings["window_geometry"] = base64.b64encode(geometry).decode("ascii")
        self.settings["window_state"] = base64.b64encode(state).decode("ascii")
        self._rest.stop()
        self.undo.blockSignals(True)  # stacks deleted later would signal to a deleted window
        try:
            self.settings.save()
        except Exception as error:  # the window closes in any case
            crash_log.record(error, "saving the settings")


def _examine() -> dict[str, Any]:
    from mcsvm_gui.core.base.doctor import examine

    return examine()


def _about() -> tuple[str, str, Sequence[Component]]:
    from mcsvm_gui.core.base import about, licences

    return about.own_version(), about.text(), licences.components()


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return b""
