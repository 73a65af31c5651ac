"""Imports points from the open data, and exports them as a table or as an experiment that trains the same machines."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, SignalInstance

from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.playground.drawing import Drawing
from mcsvm_gui.core.playground.fit_options import FitOptions

if TYPE_CHECKING:
    from mcsvm_gui.core.playground.from_data import Taken
    from mcsvm_gui.ui.runs.workspace import Workspace


class ExchangeView(Protocol):
    components_asked: SignalInstance
    columns_asked: SignalInstance
    columns_chosen: SignalInstance  # horizontal axis, vertical axis
    table_asked: SignalInstance  # path, open it as data
    experiment_asked: SignalInstance  # path

    def show_data(self, name: str) -> None: ...
    def show_columns(self, columns: list[tuple[int, str]]) -> None: ...


class Exchange(QObject):
    """`now` returns the points and the fit settings; `take` replaces the points, with a text for undo."""

    def __init__(
        self,
        view: ExchangeView,
        workspace: Workspace,
        now: Callable[[], tuple[Drawing, FitOptions]],
        take: Callable[[str, Drawing], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._view, self._workspace, self._now, self._take = view, workspace, now, take
        view.components_asked.connect(lambda: self._read(None))
        view.columns_asked.connect(self._offer_columns)
        view.columns_chosen.connect(lambda across, up: self._read((across, up)))
        view.table_asked.connect(self._write_table)
        view.experiment_asked.connect(self._write_experiment)
        workspace.data_changed.connect(self._data_changed)
        self._data_changed()

    def _data_changed(self) -> None:
        self._view.show_data(self._workspace.data_name if self._workspace.dataset is not None else "")

    def _offer_columns(self) -> None:
        from mcsvm_gui.core.playground.from_data import number_columns

        if self._workspace.dataset is not None:
            self._view.show_columns(number_columns(self._workspace.dataset))

    def _read(self, columns: tuple[int, int] | None) -> None:
        data, name = self._workspace.dataset, self._workspace.data_name
        if data is None:
            return

        def work() -> Taken:
            from mcsvm_gui.core.playground.from_data import two_columns, two_components

            return two_components(data) if columns is None else two_columns(data, *columns)

        def taken(answer: Taken) -> None:
            self._take(tr("Points from {data}", data=name), answer.drawing)
            self._workspace.message.emit(answer.words)

        self._workspace.tasks.start(work, taken, self._workspace.message.emit)

    def _write_table(self, path: str, as_data: bool) -> None:
        drawing, _ = self._now()

        def work() -> None:
            from mcsvm_gui.core.playground.sharing import write_table

            write_table(path, drawing)

        def written(_: None) -> None:
            self._workspace.message.emit(tr("Saved the points: {path}", path=path))
            if as_data:
                self._workspace.open_data(path)

        self._workspace.tasks.start(work, written, self._workspace.message.emit)

    def _write_experiment(self, path: str) -> None:
        drawing, setting = self._now()

        def work() -> str:
            from mcsvm_gui.core.playground.sharing import write_experiment_of

            return write_experiment_of(path, drawing, setting)

        def written(points: str) -> None:
            words = tr("Saved the experiment: {path}; its points: {points}", path=path, points=points)
            self._workspace.message.emit(words)

        self._workspace.tasks.start(work, written, self._workspace.message.emit)
