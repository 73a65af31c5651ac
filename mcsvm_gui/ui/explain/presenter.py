"""Presenter of the Explain page: chooses run and row, starts computations in the background, and stops them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from PySide6.QtCore import QObject, QTimer, SignalInstance

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import as_sentence, tr, worded
from mcsvm_gui.core.report.chapters import OF_EXPLANATION
from mcsvm_gui.ui.explain.map_presenter import MapPresenter
from mcsvm_gui.ui.runs.project_trust import unread
from mcsvm_gui.ui.runs.report_writer import ReportWriter

if TYPE_CHECKING:
    from mcsvm_gui.core.compare.tested_runs import RowCache
    from mcsvm_gui.core.data.dataset import Dataset
    from mcsvm_gui.core.explain.explanation import Explanation
    from mcsvm_gui.core.explain.flips import FileFlip
    from mcsvm_gui.core.explain.looked_at import LookedAt, OneRow
    from mcsvm_gui.core.explain.overview import PermutationImportance
    from mcsvm_gui.core.project.records import RunRecord
    from mcsvm_gui.ui.runs.workspace import Workspace
    from mcsvm_gui.ui.threads.tasks import Ticket

LATER = 50  # milliseconds in which changes are collected
LOOK = 150  # milliseconds between two updates of a task's progress
MOST = 6  # limit on the runs that are compared


class ExplainView(Protocol):
    seen: SignalInstance
    run_chosen: SignalInstance
    rows_asked: SignalInstance
    row_chosen: SignalInstance
    flip_asked: SignalInstance
    overview_seen: SignalInstance
    stop_asked: SignalInstance
    save_asked: SignalInstance
    values_asked: SignalInstance
    python_asked: SignalInstance
    report_asked: SignalInstance
    chapters_chosen: SignalInstance
    message: SignalInstance
    row: Any
    overview: Any
    map: Any

    @property
    def wanted_rows(self) -> tuple[str, str, str]: ...
    def is_seen(self) -> bool: ...
    def overview_is_seen(self) -> bool: ...
    def show_empty(self, words: str) -> None: ...
    def show_runs(self, runs: Sequence[tuple[int, str]], chosen: int) -> None: ...
    def show_classes(self, names: Sequence[str], labelled_rows: bool) -> None: ...
    def show_rows(self, runs: Sequence[LookedAt], places: np.ndarray) -> None: ...
    def choose_row(self, place: int | None) -> None: ...
    def want_rows(self, which: str, true: str = ..., decided: str = ...) -> None: ...
    def show_row(self, of: LookedAt, found: OneRow) -> None: ...
    def show_progress(self, words: str, stoppable: bool = ...) -> None: ...
    def show_notes(self, sentences: Sequence[str]) -> None: ...
    def set_formats(self, formats: Sequence[tuple[str, str]]) -> None: ...


@dataclass(eq=False)
class ExplainTask:
    """A computation in progress: its kind, its progress, and whether it is to stop."""

    words: str
    share: float = 0.0
    stop: threading.Event = field(default_factory=threading.Event)
    ticket: Ticket | None = None

    def hear(self, share: float) -> bool:
        """Record the progress, and return whether the computation is to stop; called by the computation."""
        self.share = share
        return self.stop.is_set()


class ExplainPresenter(QObject):
    def __init__(self, view: ExplainView, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view, self._workspace, self._runs = view, workspace, workspace.runs
        self._run: int | None = None  # the run that is explained
        self._wanted: dict[str, Any] | None = None  # rows to list once the run is open
        self._opened: tuple[LookedAt, ...] = ()
        self._asked: tuple[Any, ...] = ()  # the key of the content, present or expected, of `_opened`
        self._found: OneRow | None = None
        self._all: Explanation | None = None
        self._permuted: PermutationImportance | None = None
        self._flip: FileFlip | None = None
        self._tasks: dict[str, ExplainTask] = {}
        self._library: dict[str, RowCache] = {}  # created by the first task, because its imports are slow
        self._map = MapPresenter(view.map, workspace, self._refuse, self)
        self._reports = ReportWriter(workspace, view.set_formats, self)
        self._chapters: tuple[str, ...] = OF_EXPLANATION
        self._later = QTimer(self, interval=LATER, singleShot=True)
        self._later.timeout.connect(self._look)
        self._clock = QTimer(self, interval=LOOK)
        self._clock.timeout.connect(self._say)
        self._listen()
        self._say()
        self._look()

    def _listen(self) -> None:
        view, runs = self._view, self._runs
        view.seen.connect(self._look)
        view.run_chosen.connect(self.choose_run)
        view.rows_asked.connect(lambda: self._list_rows())
        view.row_chosen.connect(self.explain_row)
        view.flip_asked.connect(self.find_flip)
        view.overview_seen.connect(self._overlook)
        view.stop_asked.connect(self.stop)
        view.save_asked.connect(self.save)
        view.values_asked.connect(self.save_values)
        view.report_asked.connect(self.write_report)
        view.chapters_chosen.connect(self._choose_chapters)
        view.python_asked.connect(self.copy_script)
        view.message.connect(self._workspace.message)
        runs.selection_changed.connect(self._selected)
        runs.changed.connect(lambda run: self._later.start())
        runs.removed.connect(lambda runs: self._later.start())
        runs.project_read.connect(self._forget)
        self._workspace.trust.agreed.connect(self._forget)

    # -- selection of the run ---------------------------------------------------------------------

    def _forget(self) -> None:
        """Forget all results, because another project was opened, or more files may be read."""
        self._library, self._asked, self._run = {}, (), None
        self._look()

    def _selected(self) -> None:
        """Show the run that was selected elsewhere, unless the run chosen on this page is still selected."""
        if self._run not in self._runs.selected:
            self._run = None
        self._later.start()

    def choose_run(self, run: int) -> None:
        self._run = run
        self._look()

    def show_rows(self, run: int | None, which: str = "all", **more: Any) -> None:
        """Show rows of a run (None: the selected one), by true class, predicted class and first row."""
        self._wanted = {"which": which, **more}
        if run is not None:
            self._run = run
        self._look()
        if self._opened:
            self._list_wanted()

    def _list_wanted(self) -> None:
        wanted, self._wanted = self._wanted, None
        if wanted is None:
            self._list_rows()
            return
        row = wanted.pop("row", None)
        self._view.want_rows(**wanted)
        self._list_rows(row)

    def _done(self) -> list[RunRecord]:
        return [record for record in map(self._runs.record, self._runs.ids()) if _explainable(record)]

    def _look(self) -> None:
        """Open the chosen run, if the page is visible."""
        if not self._view.is_seen():
            return
        self._reports.offer_formats()
        done = self._done()
        if not done:
            self._clear()
            self._view.row.clear()
            self._library, self._asked = {}, ()
            self._view.show_empty(tr("Nothing to explain yet. Train a machine on the Train page, then come back."))
            return
        known = [record.id for record in done]
        if self._run not in known:
            chosen = [run for run in self._runs.selected if run in known]
            self._run = chosen[0] if chosen else known[-1]
        self._view.show_runs([(record.id, record.name) for record in done], self._run)
        beside = [run for run in self._runs.selected if run in known and run != self._run][: MOST - 1]
        asked = tuple((run, self._runs.record(run).name) for run in (self._run, *beside))
        if asked != self._asked:
            self._asked = asked
            self._open([self._runs.record(run) for run, _ in asked])

    def _clear(self) -> None:
        self._opened, self._found, self._all, self._permuted, self._flip = (), None, None, None, None
        self._view.overview.clear()
        self._map.show_run(None)
        for task in list(self._tasks):
            self._drop(task)

    def _open(self, records: Sequence[RunRecord]) -> None:
        self._clear()
        runs, workspace, library = self._runs, self._workspace, self._library
        open_ = {record.id: workspace.dataset_of(record.request) for record in records}
        named = {file for record in records for file in record.named_files() if file != workspace.path}
        if not workspace.trust.may_read(named):
            self._view.show_notes([as_sentence(unread())])
            return

        def work(task: ExplainTask) -> tuple[LookedAt, ...]:
            from mcsvm_gui.core.compare.tested_runs import RowCache
            from mcsvm_gui.core.explain.looked_at import comparable, looked_at

            rows = library.setdefault("rows", RowCache())
            found: list[LookedAt] = []
            for record in records:
                held = rows.rows_of(record.request, open_[record.id])
                one = looked_at(record.id, record.name, runs.model(record.id), held.tested, held.training)
                if not found or comparable(found[0], one):
                    found.append(one)
            return tuple(found)

        self._start("open", tr("Reading the rows…"), work, self._show_opened)

    def _show_opened(self, found: tuple[LookedAt, ...]) -> None:
        self._opened = found
        first = found[0]
        self._map.show_run(first)
        self._view.show_classes(first.trained.class_names, first.true is not None)
        self._list_wanted()
        if self._view.overview_is_seen():
            self._overlook()

    # -- selection of the row ---------------------------------------------------------------------

    def _list_rows(self, row: int | None = None) -> None:
        if not self._opened:
            return
        from mcsvm_gui.core.explain.looked_at import rows_to_list

        places = rows_to_list(self._opened, *self._view.wanted_rows)
        self._view.show_rows(self._opened, places)
        self._view.show_notes(self._notes(len(places)))
        self._view.choose_row(row)

    def _notes(self, listed: int) -> list[str]:
        from mcsvm_gui.core.explain.looked_at import MOST_LISTED

        left, said = len(self._asked) - len(self._opened), list[str]()
        if left:
            said.append(tr("Runs on other rows or columns are not shown beside this one: {count}.", count=left))
        if listed == MOST_LISTED:
            said.append(tr("Only the {count} rows with the smallest margins are listed.", count=figures.count(listed)))
        return said

    def explain_row(self, place: int) -> None:
        """Explain a row; the answer to an older request is dropped."""
        opened = self._opened
        if not opened or (self._found is not None and self._found.place == place and "row" not in self._tasks):
            return
        self._drop("flip")

        def work(task: ExplainTask) -> OneRow | None:
            from mcsvm_gui.core.explain.looked_at import one_row

            return one_row(opened, place, task.hear)

        self._start("row", tr("Explaining the row…"), work, self._show_row)

    def _show_row(self, found: OneRow | None) -> None:
        """Show an explained row; None if the computation was stopped."""
        if found is None:
            return
        self._found, self._flip = found, None
        self._view.show_row(self._opened[0], found)
        values = found.explained[0][1].of_pair(0, found.winner, found.runner_up)
        self._map.prefer(np.argsort(-np.abs(values), kind="stable").tolist())
        self._map.show_row(found.features)

    def find_flip(self) -> None:
        found, opened = self._found, self._opened
        if found is None or not opened:
            return
        one, fixed, target = opened[0], self._view.row.fixed, self._view.row.target

        def work(task: ExplainTask) -> FileFlip:
            from mcsvm_gui.core.explain.flips import flip_row

            return flip_row(one.trained, one.dataset, one.data, found.place, fixed, target, task.stop.is_set)

        self._start("flip", tr("Looking for the smallest change…"), work, self._show_flip, self._view.row.say_flip)

    def _show_flip(self, flip: FileFlip) -> None:
        self._flip = flip
        self._view.row.show_flip(flip)

    # -- all rows ---------------------------------------------------------------------------------

    def _overlook(self) -> None:
        if not self._opened or self._all is not None or "all" in self._tasks:
            return
        one = self._opened[0]

        def work(task: ExplainTask) -> Explanation:
            from mcsvm_gui.core.explain.looked_at import all_rows

            return all_rows(one, task.hear)

        self._start("all", tr("Explaining all rows"), work, self._show_all)

    def _show_all(self, found: Explanation) -> None:
        self._all, one = found, self._opened[0]
        if len(found.places):
            self._view.overview.show_values(found, [one.row_words(place) for place in found.places.tolist()])

        def work(task: ExplainTask) -> PermutationImportance | None:
            from mcsvm_gui.core.explain.overview import permuted

            return permuted(one.trained, one.dataset, task.stop.is_set)

        if one.true is not None:
            self._start("permuted", tr("Shuffling columns…"), work, self._show_permuted)

    def _show_permuted(self, found: PermutationImportance | None) -> None:
        self._permuted = found
        self._view.overview.show_permuted(found)

    # -- work in the background -------------------------------------------------------------------

    def _start(
        self,
        name: str,
        words: str,
        work: Callable[[ExplainTask], Any],
        show: Callable[[Any], object],
        refuse: Callable[[str], object] | None = None,
    ) -> None:
        self._drop(name)
        task = self._tasks[name] = ExplainTask(words)

        def ended(answer: Any) -> None:
            if self._tasks.get(name) is task:
                del self._tasks[name]
                self._say()
                show(answer)

        def refused(error: InputError) -> None:
            if self._tasks.get(name) is task:
                del self._tasks[name]
                self._say()
                sentence = as_sentence(worded(error.brief))
                (self._refuse if refuse is None else refuse)(sentence)

        task.ticket = self._workspace.tasks.start(lambda: work(task), ended, refused=refused)
        self._clock.start()
        self._say()

    def _refuse(self, sentence: str) -> None:
        self._view.show_notes([as_sentence(sentence)])

    def _drop(self, name: str) -> None:
        task = self._tasks.pop(name, None)
        if task is not None:
            task.stop.set()
            if task.ticket is not None:
                task.ticket.cancel()

    def stop(self) -> None:
        """Stop all computations; partial results are shown."""
        for task in self._tasks.values():
            task.stop.set()

    def _say(self) -> None:
        if not self._tasks:
            self._clock.stop()
            self._view.show_progress("")
            return
        task = next(reversed(self._tasks.values()))
        progress = f" {figures.progress(task.share)}" if task.share > 0.0 else ""
        self._view.show_progress(task.words + progress, stoppable=True)

    # -- files ------------------------------------------------------------------------------------

    def save(self, path: str, names: list[str], rows: list[list[object]]) -> None:
        from mcsvm_gui.core.base.writing import csv_text, write_text

        self._write(path, lambda: write_text(path, csv_text(names, rows)))

    def save_values(self, path: str) -> None:
        """Save the table that `mcsvm explain -o` writes: for all rows if they are shown, else for the row."""
        explained = self._all if self._view.overview_is_seen() else None
        if explained is None and self._found is not None:
            explained = self._found.explained[0][1]
        if explained is None:
            return
        known = explained

        def write() -> None:
            from mcsvm_gui.core.base.writing import csv_text, write_text
            from mcsvm_gui.core.explain.explanation import table

            write_text(path, csv_text(*table(known)))

        self._write(path, write)

    def copy_script(self) -> None:
        """Copy a script that computes the contributions of the shown row for its class against the runner-up."""
        found = self._found
        if found is None or not self._opened:
            self._workspace.message.emit(tr("Choose a row first."))
            return
        request = self._runs.record(self._opened[0].run).request

        def make(dataset: Dataset) -> str:
            from mcsvm_gui.core.experiment.python_script import explanation_script

            return explanation_script(request, dataset, found.place, (found.winner, found.runner_up))

        self._workspace.copy_script_of([request], make)

    def _choose_chapters(self, names: Sequence[str]) -> None:
        self._chapters = tuple(names)

    def write_report(self, path: str) -> None:
        """Write a report of the shown row, its smallest change and the overview of all rows, if they were computed."""
        found, opened = self._found, self._opened
        if found is None or not opened:
            return
        flip, every, permuted_, one = self._flip, self._all, self._permuted, opened[0]
        chapters = self._chapters

        def write() -> None:
            from mcsvm_gui.core.report import write_report
            from mcsvm_gui.core.report.of_explanation import report_of

            write_report(path, report_of(one, found, flip, every, permuted_, chapters))

        self._reports.write(path, write)

    def _write(self, path: str, write: Callable[[], object]) -> None:
        say = self._workspace.message.emit
        self._workspace.tasks.start(write, lambda nothing: say(tr("Saved {path}", path=path)), say)


def _explainable(record: RunRecord) -> bool:
    """Return whether a run can be explained; requests in a file may be invalid in this version."""
    try:
        return record.state == "done" and record.document is not None and record.request is not None
    except InputError:
        return False
