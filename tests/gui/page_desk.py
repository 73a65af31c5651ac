"""A presenter with a page that writes down what it is told, a queue that does what it is told, and iris opened."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from fake_queue import FakeQueue
from PySide6.QtCore import QObject

from mcsvm_gui.core.base.resources import dataset
from mcsvm_gui.core.base.settings import Settings
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.project.store import ProjectStore
from mcsvm_gui.ui.runs.collection import RunCollection
from mcsvm_gui.ui.runs.workspace import Workspace
from mcsvm_gui.ui.threads.tasks import Tasks


@cache
def iris() -> Dataset:
    return open_dataset(dataset("iris"))


class FormView(QObject):
    """A page with a form; its signals are declared by those derived from it."""

    form_changed: Any

    def __init__(self) -> None:
        super().__init__()
        self.form: dict[str, str] = {}

    def texts(self) -> dict[str, str]:
        return dict(self.form)

    def set_texts(self, texts: dict[str, str]) -> None:
        self.form = dict(texts)

    def edit(self, **texts: str) -> None:
        self.form |= texts
        self.form_changed.emit()


class PageDesk:
    """All that belongs together in one test."""

    def __init__(self, path: Path, queue: FakeQueue, view: FormView, presenter: Callable[[Any, Any], Any]) -> None:
        self.collection = RunCollection(queue, ProjectStore(path))  # type: ignore[arg-type]
        self.space = Workspace(self.collection, queue, Tasks(), Settings())  # type: ignore[arg-type]
        self.presenter = presenter(view, self.space)
        self.messages: list[str] = []
        self.space.message.connect(self.messages.append)

    def open(self, path: Path | None = None) -> None:
        self.space.path = str(path or dataset("iris"))
        self.space.dataset = iris() if path is None else open_dataset(self.space.path)
        self.space.data_changed.emit()
