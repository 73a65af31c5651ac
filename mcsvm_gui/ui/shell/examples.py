"""Opens an example in a project of its own: its data, and the trainings that answer its question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from mcsvm_gui.core.compare.examples import HELD_OUT, Example, examples
from mcsvm_gui.core.data.options import Rules
from mcsvm_gui.core.machine import form

if TYPE_CHECKING:
    from mcsvm_gui.core.machine.request import Request
    from mcsvm_gui.ui.runs.workspace import Workspace
    from mcsvm_gui.ui.shell.projects import Projects


class Examples(QObject):
    """Runs that this project already has are shown, not trained again."""

    page_asked = Signal(str)
    form_asked = Signal(dict)  # the texts of the Train form for these runs
    told = Signal(str)  # the question that the example answers

    def __init__(self, workspace: Workspace, projects: Projects, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace, self._runs, self._projects = workspace, workspace.runs, projects
        self._wanted: Example | None = None  # until its data are loaded
        workspace.loading.connect(self._leave)
        workspace.data_changed.connect(self._go_on)
        workspace.preparation_changed.connect(self._go_on)

    def open(self, name: str) -> None:
        example = next(example for example in examples() if example.name == name)
        self._projects.show_example(example, lambda: self._begin(example))

    def _begin(self, example: Example) -> None:
        self._workspace.open_sample(example.sample)
        self._wanted = example
        self.page_asked.emit("train")

    def _leave(self, path: str) -> None:
        """Forget the example, because another file is being read."""
        self._wanted = None

    def _go_on(self) -> None:
        example, workspace = self._wanted, self._workspace
        if example is None or workspace.dataset is None or workspace.path != str(example.sample.path):
            return
        if example.sample.test_rows and workspace.test is None:
            return
        self._wanted = None
        split = {} if example.sample.test_rows else {"holdout": HELD_OUT}
        workspace.set_preparation(rules=Rules(), seed=0, **split)
        self._train(example)
        self.told.emit(example.sentence)

    def _train(self, example: Example) -> None:
        asked = {name: self._workspace.base_request(**options) for name, options in example.runs.items()}
        found = [run for request in asked.values() if (run := self._trained(request)) is not None]
        if len(found) < len(asked):
            found = self._workspace.train(list(asked.values()))
            for run, name in zip(found, asked, strict=True):
                self._runs.edit(run, name=name)
        self._runs.select(found)
        self.form_asked.emit(form.texts_of(next(iter(asked.values()))))

    def _trained(self, request: Request) -> int | None:
        """Return the number of the newest run of this request that has a model, or None."""
        done = (record for record in map(self._runs.record, reversed(self._runs.ids())) if record.document is not None)
        return next((record.id for record in done if record.plain_request == request.document()), None)
