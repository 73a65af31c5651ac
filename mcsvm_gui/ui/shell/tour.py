"""The first start: three steps from data to an answer, shown above the pages; users can leave at any time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject, Signal

from mcsvm_gui.core.base.i18n import tr

if TYPE_CHECKING:
    from mcsvm_gui.ui.runs.workspace import Workspace

SEEN = "tour_seen"  # the setting
PAGES = "data", "train", "train"  # the pages of the steps
SHOWN_ON = ("data",), ("data", "train"), ("train",)  # by step; the second one says that Train comes next


class TourView(Protocol):
    decided: Any

    def show_step(self, words: str, *, last: bool) -> None: ...


def steps() -> tuple[str, ...]:
    return (
        tr("1 of 3: open your data. Drop a file on the window, or take a sample below."),
        tr("2 of 3: on Train, press “Find the best model”. All six machines are tried within the seconds beside it."),
        tr("3 of 3: read the sentence at the top. It says which machine is best and how sure, and what to do next."),
    )


class TourPresenter(QObject):
    """Moves on when the user has done a step, or presses its button."""

    page_asked = Signal(str)

    def __init__(self, view: TourView, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view, self._workspace, self._settings = view, workspace, workspace.settings
        self._at: int | None = None
        self._page = ""  # the current page
        view.decided.connect(self.decide)
        workspace.data_changed.connect(self._opened)
        workspace.runs.added.connect(lambda _: self._move_to(2, then=1))

    def begin_if_new(self) -> None:
        if not self._settings[SEEN]:
            self.begin()

    def begin(self) -> None:
        self._show(0 if self._workspace.dataset is None else 1)

    def decide(self, choice: str) -> None:
        assert self._at is not None
        if choice == "next" and self._at + 1 < len(PAGES):
            self._show(self._at + 1)
        else:
            self._leave()

    def _opened(self) -> None:
        if self._workspace.dataset is not None:
            self._move_to(1, then=0)

    def _move_to(self, step: int, then: int) -> None:
        """Show a step if the tour is at the step before it."""
        if self._at == then:
            self._show(step)

    def _show(self, step: int) -> None:
        self._at = step
        self._show_words()
        if step != 1 or self._workspace.dataset is None:
            self.page_asked.emit(PAGES[step])

    def follow_page(self, page: str) -> None:
        """Show a step only on its own page: elsewhere its text refers to controls that are not visible."""
        self._page = page
        if self._at is not None:
            self._show_words()

    def _show_words(self) -> None:
        assert self._at is not None
        words = steps()[self._at] if not self._page or self._page in SHOWN_ON[self._at] else ""
        self._view.show_step(words, last=self._at + 1 == len(PAGES))

    def _leave(self) -> None:
        self._at = None
        self._view.show_step("", last=False)
        self._settings[SEEN] = True
