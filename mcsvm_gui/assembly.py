"""Connects the window, its pages and their presenters; only this module decides which objects know each other."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QTimer, Signal

from mcsvm_gui.core.base import i18n
from mcsvm_gui.core.base.i18n import tr, translation
from mcsvm_gui.core.base.settings import Settings, default_path
from mcsvm_gui.core.machine import warming
from mcsvm_gui.core.project.default_project import open_unnamed
from mcsvm_gui.core.project.store import ProjectStore
from mcsvm_gui.pages import HEAVY, PAGES, Desk, load
from mcsvm_gui.ui.runs.collection import RunCollection
from mcsvm_gui.ui.runs.jobs import JobsPresenter
from mcsvm_gui.ui.runs.jobs_dock import JobsDock
from mcsvm_gui.ui.runs.project_trust import TrustPresenter
from mcsvm_gui.ui.runs.workspace import Workspace
from mcsvm_gui.ui.shell.commands import EXAMPLE
from mcsvm_gui.ui.shell.dialogs.opener import Dialogs
from mcsvm_gui.ui.shell.examples import Examples
from mcsvm_gui.ui.shell.layout_memory import LayoutMemory
from mcsvm_gui.ui.shell.main_window import MainWindow
from mcsvm_gui.ui.shell.presenter import ShellPresenter
from mcsvm_gui.ui.shell.question_bar import FirstTourBar, NoticeBar, RecoveryBar, TrustBar
from mcsvm_gui.ui.shell.recovery import RecoveryPresenter
from mcsvm_gui.ui.shell.tour import TourPresenter
from mcsvm_gui.ui.threads import thread as threads
from mcsvm_gui.ui.threads.garbage import return_freed_memory
from mcsvm_gui.ui.threads.queue import JobQueue
from mcsvm_gui.ui.threads.tasks import Tasks
from mcsvm_gui.ui.train.presenter import COMMANDS

SWITCH = 0.001  # seconds until a waiting thread gets the interpreter, which the window needs many times per repaint
WITHOUT_SOLVERS = ("data",)  # pages
OF_MODELS = "compare", "explain"  # pages created after the solvers are loaded, or when the user opens them
WAIT = 30_000  # milliseconds for threads to end; compiling cannot be interrupted


def assemble(
    project: str | os.PathLike[str] | None = None, settings: Settings | str | os.PathLike[str] | None = None
) -> MainWindow:
    sys.setswitchinterval(SWITCH)
    path = settings if isinstance(settings, str | os.PathLike) else default_path()
    kept = settings if isinstance(settings, Settings) else Settings(Path(path))
    i18n.install(translation.translations(translation.chosen(kept["language"])))
    store, trouble = open_unnamed(last=kept["unnamed_project"]) if project is None else (ProjectStore(project), "")
    window = MainWindow()
    window.assembly = Assembly(window, kept, store)
    if trouble:
        window.set_status(trouble)
    return window


class Assembly(Desk):
    """Owns all objects that are not widgets, and ends with the window."""

    drawn = Signal()  # the pages exist
    prepared = Signal()  # everything that a first training needs is loaded and compiled
    _drawn = _wanted = _warming = False  # whether the pages exist, the solvers are wanted, and are being loaded

    def __init__(self, window: MainWindow, settings: Settings, store: ProjectStore) -> None:
        super().__init__(window)
        self.window, self.settings = window, settings
        self.queue, self.tasks = JobQueue(settings["parallel_jobs"], self), Tasks(self)
        self.queue.rested.connect(lambda: self.tasks.start(return_freed_memory, lambda nothing: None))
        self.runs = RunCollection(self.queue, store, self)
        self.workspace = Workspace(self.runs, self.queue, self.tasks, settings, self)
        self.shell = ShellPresenter(window, Dialogs(window), self.workspace)
        self._open, self.ended = True, False  # ended: no thread is left
        self._pages: dict[str, Any] = {}
        self._version = ""
        self._layout = LayoutMemory(settings)
        window.offer_pages(PAGES, self._want_page)
        window.page_shown.connect(lambda name: self._want_solvers(name not in WITHOUT_SOLVERS))
        self.runs.added.connect(lambda _: self._want_solvers())
        self._add_jobs()
        self._add_first_page()
        self._add_banners()
        window.asked.connect(self._asked)
        window.runs_dropped.connect(self._take_runs)
        self.workspace.checks.acted.connect(self._show_control)
        self.shell.model_chosen.connect(self._open_model)
        self.shell.export_model_asked.connect(self._export)
        window.shown.connect(self._prepare)
        window.closed.connect(self.close)
        self.runs.project_read.connect(self.workspace.restore)
        self.runs.saved_as.connect(self.workspace.trust.follow)

    def page(self, name: str) -> Any:
        """Return the presenter of a page; the page is created on the first call."""
        if name not in self._pages:
            self._pages[name] = PAGES[name](self)
            self._layout.adopt(name, self.window.pages[name])
        return self._pages[name]

    def _want_page(self, name: str) -> None:
        """Create a page for the window, which shows "Loading…" until the page's imports are done."""
        if name in HEAVY:
            self._load_page(name, lambda: self.window.show_awaited(name))
        else:
            self.page(name)

    def _load_page(self, name: str, then: Callable[[], object]) -> None:
        def loaded(nothing: None) -> None:
            self.page(name)
            then()

        self.tasks.start(lambda: load(name), loaded, self.window.set_note)

    def complete(self) -> None:
        """Create every page at once, for callers without an event loop."""
        for name in PAGES:
            self.page(name)

    def _add_first_page(self) -> None:
        name = self.settings["page"]
        self.page(name if name in PAGES and name not in HEAVY else "data")

    def _asked(self, what: str) -> None:
        if what.startswith(EXAMPLE):
            self.open_example(what.removeprefix(EXAMPLE))
        elif what == "tourAction":
            self.tour.begin()
        elif what in COMMANDS:
            self.page("train").do(what)
            self.window.show_page("train")

    def show(self, page: str, what: str = "") -> None:
        presenter = self.page(page)
        if what == "model":
            presenter.use_selected_run()
        elif what:
            presenter.show_tab(what)
        self.window.show_page(page)

    def open_example(self, name: str) -> None:
        self.examples.open(name)

    def _take_runs(self, page: str, runs: list[int]) -> None:
        """Select runs that were dragged onto the button of a page, and show the page."""
        self.runs.select(runs)
        self.show(page, "model" if page == "predict" else "")

    def _show_control(self, option: str, value: str | None) -> None:
        """Show the Data page if the finding leaves the choice to the user: the control is there."""
        if value is None:
            self.window.show_page("data")

    def _open_model(self, path: str) -> None:
        self.page("predict").open_model(path)
        self.window.show_page("predict")

    def _export(self) -> None:
        self.page("predict").offer_export()
        self.window.show_page("predict")

    def _add_jobs(self) -> None:
        dock = JobsDock()
        self.jobs = JobsPresenter(dock, self.workspace, self)
        self.window.add_dock(dock)

    def _add_banners(self) -> None:
        recovery, trust = RecoveryBar(), TrustBar()
        self.recovery = RecoveryPresenter(recovery, self.workspace, self)
        self.trust = TrustPresenter(trust, self.workspace.trust, self)
        tour = FirstTourBar()
        self.tour = TourPresenter(tour, self.workspace, self)
        self.tour.page_asked.connect(self.window.show_page)
        self.window.page_shown.connect(self.tour.follow_page)
        self.examples = Examples(self.workspace, self.shell.projects, self)
        self.examples.page_asked.connect(self.window.show_page)
        self.examples.form_asked.connect(lambda texts: self.page("train").fill_form(texts))
        self.notice = NoticeBar()
        self.runs.failed.connect(self.notice.say)
        self.examples.told.connect(self.notice.say)
        self.runs.moved.connect(lambda path: self.notice.say(""))
        for banner in (self.notice, recovery, trust, tour):
            self.window.add_banner(banner)

    def _prepare(self) -> None:
        """Create the other pages one by one after the first paint; a first start compiles the solvers at once."""
        from mcsvm_gui.core.base.about import own_version  # 12 ms, which need not delay the first paint

        self._version = own_version()
        self._wanted |= self.settings["compiled_for"] != self._version
        first = [name for name in PAGES if name not in OF_MODELS]
        QTimer.singleShot(0, self, lambda: self._make_pages(first, self._all_drawn))

    def _make_pages(self, names: Sequence[str], then: Callable[[], object]) -> None:
        missing = [name for name in names if name not in self._pages]
        if missing:
            again = lambda: self._make_pages(missing, then)  # noqa: E731
            self._load_page(missing[0], lambda: QTimer.singleShot(0, self, again))
        else:
            then()

    def _all_drawn(self) -> None:
        self._drawn = True
        self.drawn.emit()
        self._want_solvers(self._wanted)

    def _want_solvers(self, wanted: bool = True) -> None:
        """Load the solvers once the user goes beyond the data: numba, LLVM and compiled code take 180 MB and 1 s."""
        self._wanted |= wanted
        if self._wanted and self._drawn and not self._warming:
            self._warming = True
            self._warm()

    def _warm(self) -> None:
        self.window.set_note(tr("Preparing the solvers…"))
        self.page("train").prepare()
        self.page("tune").prepare()
        self.tasks.start(
            lambda: warming.prepare(lambda: self._open), lambda nothing: self._warmed(), self.window.set_note
        )

    def _warmed(self) -> None:
        self._make_pages(OF_MODELS, self._all_ready)

    def _all_ready(self) -> None:
        self.window.set_note("")
        self.settings["compiled_for"] = self._version
        self.prepared.emit()

    def close(self) -> None:
        """Hide the window, then end all threads: a visible window would not respond meanwhile."""
        if self._open:
            self._open = False
            self.window.hide()
            self.queue.shut_down(WAIT)
            self.tasks.shut_down(WAIT)
            self.runs.close()
            self.ended = not threads.running()
            self.shell.undo.blockSignals(True)  # undo stacks emit signals to the window until they are deleted
