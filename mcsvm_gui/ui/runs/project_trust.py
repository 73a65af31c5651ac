"""Whether the files that a project names may be read.

A project may come from anyone. A path in it may lie on a mount that no longer answers, or on the server of a stranger,
to whom Windows sends the user's credentials. So files outside of the project's folder are not even looked for until
the user agreed, once for each project.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance

from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.project.default_project import default_folder

if TYPE_CHECKING:
    from mcsvm_gui.core.base.settings import Settings
    from mcsvm_gui.ui.runs.collection import RunCollection

KNOWN = "trusted_projects"  # the setting that lists trusted projects
MOST = 100  # limit on the projects that are remembered


class TrustView(Protocol):
    decided: SignalInstance

    def show_names(self, words: str, names: Sequence[str]) -> None: ...


class ProjectTrust(QObject):
    agreed = Signal()
    asked = Signal(list)  # the files that the user must agree to; empty if there is nothing to ask

    def __init__(self, runs: RunCollection, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runs, self._settings = runs, settings

    def may_read(self, files: Iterable[str | None]) -> bool:
        return self._trusts(self._runs.path) or not outside(self._runs.path, filter(None, files))

    def look(self, files: Iterable[str | None]) -> None:
        """Check the files that a project names. A project that names none outside its folder is trusted from now on."""
        self.ask(files)
        if self.may_read(files):
            self._remember(self._runs.path)

    def ask(self, files: Iterable[str | None]) -> None:
        known = self._trusts(self._runs.path)
        self.asked.emit([] if known else outside(self._runs.path, dict.fromkeys(filter(None, files))))

    def agree(self) -> None:
        self._remember(self._runs.path)
        self.asked.emit([])
        self.agreed.emit()

    def _trusts(self, project: str) -> bool:
        """Return whether a project is trusted. Projects without a name, in the user's own folder, were made here."""
        own = os.path.realpath(default_folder())
        return os.path.dirname(project) == own or project in self._settings[KNOWN]

    def _remember(self, project: str) -> None:
        if not self._trusts(project):
            self._settings[KNOWN] = [project, *self._settings[KNOWN]][:MOST]

    def follow(self, before: str, after: str) -> None:
        """Trust a copy if its original is trusted."""
        if self._trusts(before):
            self._remember(after)


def unread() -> str:
    return tr("its data lie outside of the project's folder, and you did not agree to read them")


class TrustPresenter(QObject):
    def __init__(self, view: TrustView, trust: ProjectTrust, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view, self._trust = view, trust
        view.decided.connect(self.decide)
        trust.asked.connect(self._ask)
        self._ask([])

    def decide(self, choice: str) -> None:
        if choice == "read":
            self._trust.agree()
        else:
            self._ask([])

    def _ask(self, files: Sequence[str]) -> None:
        self._view.show_names(tr("This project names files outside of its folder. They are read if you agree."), files)


def outside(project: str, files: Iterable[str]) -> list[str]:
    """Return the files outside a project's folder by their names alone: file access may hang, or send a password."""
    folder = _normal(os.path.dirname(os.path.abspath(project)))
    return [file for file in files if not _normal(os.path.abspath(file)).is_relative_to(folder)]


def _normal(path: str) -> Path:
    return Path(os.path.normcase(path))
