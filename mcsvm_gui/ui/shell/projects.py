"""Projects of the window: create one, open that of an example, and save the current one."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QStandardPaths, Signal

from mcsvm_gui.core.base import resources
from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.project.default_project import (
    ENDING,
    example_in,
    example_project,
    is_kept_by_program,
    new_unnamed,
    project_name,
)

if TYPE_CHECKING:
    from mcsvm_gui.core.compare.examples import Example
    from mcsvm_gui.ui.runs.workspace import Workspace


class Projects(QObject):
    """Switches between projects. Each example has its own; opening other data in it returns to the user's project."""

    message = Signal(str)  # why an action was not carried out

    def __init__(self, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace, self._runs, self._settings = workspace, workspace.runs, workspace.settings
        self._then: Callable[[], object] | None = None  # runs after the other project was opened
        self._home = ""  # the user's project while an example's project is open
        workspace.detour = self._detour
        self._runs.project_read.connect(self._run_pending)
        self._runs.failed.connect(lambda why: self._give_up())
        self._runs.leaving.connect(self._remember)
        self._runs.moved.connect(self._remember_new_path)

    # -- another project --------------------------------------------------------------------------

    def new(self) -> None:
        """Open a new project without a name; the current one stays unchanged in the list of recent files."""
        if self._is_empty() and is_kept_by_program(self._runs.path) and not example_in(self._runs.path):
            self._workspace.close_data()
            self.message.emit(tr("This is a new project."))
        else:
            self._runs.open(new_unnamed())

    def show_example(self, example: Example, then: Callable[[], object]) -> None:
        """Open the project of an example, then call `then`."""
        path = example_project(example.name)
        if os.path.realpath(path) == self._runs.path:
            then()
        else:
            self._go(str(path), then)

    def _go(self, path: str, then: Callable[[], object]) -> None:
        if not example_in(self._runs.path):
            self._home = self._runs.path
        self._then = then
        self._runs.open(path)

    def _run_pending(self) -> None:
        then, self._then = self._then, None
        if then is not None:
            then()

    def _give_up(self) -> None:
        self._then = None

    def _detour(self, path: str, read: Any, test: str | None) -> bool:
        """Open data in another project than the current one, if they belong there; return whether they do."""
        if self._then is not None:  # another project is being opened
            self._then = lambda: self._workspace.open_data(path, read, test)
            return True
        example = example_in(self._runs.path)
        if example is None or path in (str(example.sample.path), str(example.sample.test_path)):
            return False
        home = self._home if self._home and os.path.exists(self._home) else str(new_unnamed())
        self._go(home, lambda: self._workspace.open_data(path, read, test))
        return True

    def _is_empty(self) -> bool:
        return not self._runs.ids() and not self._workspace.searches.active

    def _remember(self, path: str) -> None:
        """Add a project that is closed for another one to the recent files."""
        if not (self._is_empty() and is_kept_by_program(path)):
            self._settings.remember_file(path, begin_there=not is_kept_by_program(path))

    def _remember_new_path(self, path: str) -> None:
        kept_by_program = is_kept_by_program(path)
        if kept_by_program and example_in(path) is None:
            self._settings["unnamed_project"] = path
        self._settings.remember_file(path, begin_there=not kept_by_program)

    # -- saving -----------------------------------------------------------------------------------

    def proposed_target(self) -> str:
        """Return a free path next to the project or the data, or else in the documents folder."""
        project, data = Path(self._runs.path), self._workspace.path
        if not is_kept_by_program(str(project)):
            return str(_free(project.with_name(f"{project.stem} {tr('copy')}{ENDING}")))
        documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        folder, name = Path(documents or Path.home()), tr("project")
        if data is not None:
            name = Path(data).name.split(".")[0] or name
            bundled = Path(str(resources.dataset("iris"))).parent
            folder = folder if Path(data).parent == bundled else Path(data).parent
        if not (folder.is_dir() and os.access(folder, os.W_OK)):
            folder = Path.home()
        return str(_free(folder / f"{name}{ENDING}"))

    def save_as(self, path: str) -> None:
        target = Path(path)
        if target.suffix.lower() != ENDING:
            target = target.with_name(target.name + ENDING)
            if target.exists():
                words = tr("{name} exists already. Choose it in the dialog to replace it.", name=target.name)
                self._runs.failed.emit(words)
                return
        if not target.stem.strip() or target.stem.startswith("."):
            words = tr(
                "“{name}” is not a valid project name. Enter a name before the file extension.", name=Path(path).name
            )
            self._runs.failed.emit(words)
        elif is_kept_by_program(str(target)):
            words = tr("This folder belongs to the program. Save the project in a folder of your own.")
            self._runs.failed.emit(words)
        else:
            self._runs.save_as(str(target))

    def title(self) -> str:
        return project_name(self._runs.path)


def _free(path: Path) -> Path:
    candidates = [path, *(path.with_stem(f"{path.stem} {number}") for number in range(2, 100))]
    return next((candidate for candidate in candidates if not candidate.exists()), path)
