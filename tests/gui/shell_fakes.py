"""What stands around the shell in its tests: views that remember, a workspace that does nothing by itself."""

from types import SimpleNamespace
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoStack

from mcsvm_gui.core.base.settings import Settings


class Remembering(QObject):
    """Any method that is not there is one that notes its call."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[str, tuple[Any, ...]]] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *values, **named: self.calls.append((name, values))

    def last(self, name: str) -> tuple[Any, ...]:
        return next(values for called, values in reversed(self.calls) if called == name)

    def called(self, name: str) -> bool:
        return any(called == name for called, _ in self.calls)


class FakeWindow(Remembering):
    asked, theme_chosen, language_chosen, recent_chosen = Signal(str), Signal(str), Signal(str), Signal(str)
    recent_cleared, file_chosen, files_dropped = Signal(), Signal(str, str), Signal(list)
    page_shown, shown, closed = Signal(str), Signal(), Signal()

    def frame(self) -> tuple[bytes, bytes]:
        return b"geometry", b"state"


class FakeDialogs(Remembering):
    setting_changed, settings_reset_asked, stop_chosen = Signal(str, object), Signal(), Signal()
    later_chosen = Signal()


class FakeTasks:
    """Work is done at once, and what fails is told as the real one does."""

    def start(self, function, done, failed=None, *, refused=None) -> SimpleNamespace:
        try:
            answer = function()
        except (OSError, ValueError) as error:
            if failed is not None:
                failed(str(error))
            if refused is not None:
                refused(error)
        else:
            done(answer)
        return SimpleNamespace(cancel=lambda: None)


class FakeQueue(QObject):
    told = Signal(object, object)
    suspended = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.limit, self.running, self.stopped = 0, [], False

    def active(self) -> list[int]:
        return self.running

    def stop_all_and_close(self) -> None:
        self.stopped = True

    def suspend(self) -> None:
        self.later = True

    def end(self, number: int) -> None:
        self.running.remove(number)
        self.told.emit(number, [])


class FakeRuns(Remembering):
    moved, failed, write_error, selection_changed = Signal(str), Signal(str), Signal(str), Signal()
    changed, set_aside = Signal(int), Signal(str)
    project_read, leaving = Signal(), Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.undo_stack, self.path, self.selected = QUndoStack(self), "/projects/soil.mcsvmproj", ()


class FakeWorkspace(Remembering):
    message, data_changed, data_failed = Signal(str), Signal(), Signal(object)

    def __init__(self, settings: Settings | None = None) -> None:
        super().__init__()
        self.settings = settings or Settings()
        self.runs, self.queue, self.tasks, self.data_name = FakeRuns(), FakeQueue(), FakeTasks(), ""
        self.dataset: Any = None
        self.path: str | None = None
        self.read: Any = None
