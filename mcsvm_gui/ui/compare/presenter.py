"""Presenter of the Compare page: decides which runs are compared, and when which results are computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject, QTimer, SignalInstance

from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.machine.identity import data_key, preprocessing_text
from mcsvm_gui.core.project.leaderboard import BASELINES, CHOSEN
from mcsvm_gui.core.report.chapters import USUAL, in_order
from mcsvm_gui.ui.compare.evaluations import EvaluationPresenter, EvaluationView
from mcsvm_gui.ui.compare.learning import LearningPresenter, LearningView
from mcsvm_gui.ui.compare.scorer import Scorer
from mcsvm_gui.ui.runs.report_writer import ReportWriter

if TYPE_CHECKING:
    from mcsvm_gui.core.compare.tables import ComparisonTables
    from mcsvm_gui.core.evaluate.curves import History
    from mcsvm_gui.core.project.records import RunRecord
    from mcsvm_gui.ui.runs.workspace import Workspace
    from mcsvm_gui.ui.threads.tasks import Ticket

MOST = 24  # limit on the runs that are compared
NEWEST = 6  # limit on the runs that are offered together
CHAPTERS = "chapters"  # the key under which a project stores the chapters of its last report
NAMED = 4  # runs of a group listed by name
LATER = 50  # milliseconds in which changes are collected


class CompareView(Protocol):
    seen: SignalInstance
    order_asked: SignalInstance
    save_asked: SignalInstance
    newest_asked: SignalInstance
    experiment_asked: SignalInstance
    python_asked: SignalInstance
    report_asked: SignalInstance
    chapters_chosen: SignalInstance
    message: SignalInstance

    @property
    def evaluations(self) -> EvaluationView: ...
    @property
    def learning(self) -> LearningView: ...
    def is_seen(self) -> bool: ...
    def show_tab(self, name: str) -> None: ...
    def show_empty(self, words: str, newest: bool = ...) -> None: ...
    def show_picture(self, comparison_tables: ComparisonTables) -> None: ...
    def show_progress(self, words: str) -> None: ...
    def show_notes(self, sentences: Sequence[str]) -> None: ...
    def set_formats(self, formats: Sequence[tuple[str, str]]) -> None: ...
    def show_chapters(self, names: Sequence[str]) -> None: ...
    def draw(self, histories: Sequence[History]) -> None: ...


class ComparePresenter(QObject):
    def __init__(self, view: CompareView, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view, self._workspace, self._runs = view, workspace, workspace.runs
        self._scorer = Scorer(workspace, self._scored)
        self._evaluations = EvaluationPresenter(view.evaluations, workspace, self._say, self)
        self._learning = LearningPresenter(view.learning, workspace, self)
        self._shown: tuple[Any, ...] = ()
        self._ended: tuple[int, ...] = ()  # the selected runs that can be shown
        self._order: list[int] = []
        self._ordered_by: tuple[str, bool] | None = None
        self._picture: ComparisonTables | None = None
        self._pictured: list[int] = []  # runs of the comparison, in its order
        self._drawing: Ticket | None = None
        self._reports = ReportWriter(workspace, view.set_formats, self)
        self._chapters = USUAL
        self._later = QTimer(self, interval=LATER, singleShot=True)
        self._later.timeout.connect(self._look)
        self._listen()
        self._look()

    def _listen(self) -> None:
        view, runs = self._view, self._runs
        view.seen.connect(self._look)
        view.order_asked.connect(self.order_by)
        view.newest_asked.connect(lambda: self._runs.select(self._newest()))
        view.save_asked.connect(self.save)
        view.experiment_asked.connect(self.save_experiment)
        view.python_asked.connect(self._copy_script)
        view.report_asked.connect(self.write_report)
        view.chapters_chosen.connect(self._choose_chapters)
        runs.project_read.connect(self._read_chapters)
        view.message.connect(self._workspace.message)
        runs.selection_changed.connect(self._look)
        self._workspace.scope.changed.connect(self._look)
        runs.changed.connect(self._changed)
        runs.removed.connect(self._removed)
        runs.project_read.connect(self._forget)
        self._workspace.trust.agreed.connect(self._forget)
        self._reports.changed.connect(self._say)

    # -- selection of runs ------------------------------------------------------------------------

    def _forget(self) -> None:
        """Forget all results, because another project was opened, or more files may be read."""
        self._scorer.forget()
        self._evaluations.forget()
        self._shown = ()
        self._look()

    def _changed(self, run: int) -> None:
        if run in self._runs and self._runs.record(run).active:
            self._scorer.drop([run])  # scores of the model before the run was continued
        if run in self._runs.selected or run in self._order:
            self._later.start()

    def _removed(self, runs: Sequence[int]) -> None:
        self._scorer.drop(runs)
        for run in runs:
            self._changed(run)

    def _records(self) -> list[RunRecord]:
        """Return the selected runs that ended, in the order in which they are shown."""
        ended = {record.id: record for record in self._chosen() if _ended(record) and record.readable}
        if tuple(ended) != self._ended:
            self._ended, self._order, self._ordered_by = tuple(ended), list(ended)[:MOST], None
        return [ended[run] for run in self._order]

    def _chosen(self) -> list[RunRecord]:
        return [self._runs.record(run) for run in self._runs.selected if run in self._runs]

    def _look(self) -> None:
        """Compute and show the comparison, if the page is visible."""
        if not self._view.is_seen():
            return
        self._reports.offer_formats()
        records = self._records()
        shown = tuple((record.id, record.name) for record in records)
        if not records:
            self._shown, self._picture = (), None
            self._stop_drawing()
            self._scorer.want(())
            self._evaluations.want(())
            self._learning.want(())
            self._view.show_empty(self._invitation(), bool(self._newest()))
            return
        if shown != self._shown:
            self._shown = shown
            self._scorer.want(records)
            self._draw_picture()
        self._view.draw([self._history(record) for record in records])
        self._say()

    def _newest(self) -> list[int]:
        """Return the runs that ended last, on the data of the very last one."""
        finished = [record for record in self._workspace.scope.records() if record.state == "done"]
        return [record.id for record in finished if _data_of(record) == _data_of(finished[-1])][-NEWEST:]

    def _invitation(self) -> str:
        if not self._runs.ids():
            return tr("Nothing to compare yet. Train some machines on the Train page, then come back.")
        if self._runs.selected:
            return tr("None of the chosen runs has ended with a model. Choose others in the table below.")
        return tr(
            "Choose runs in the table below, several with Ctrl or Shift: their scores, confusions, convergence,"
            " disagreements and tests appear here side by side."
        )

    def _scored(self, complete: bool) -> None:
        """Draw the comparison again between phases; within a phase, update only the progress."""
        if self._picture is not None or self._drawing is not None:
            self._say()
            if complete:
                self._draw_picture()

    def _say(self) -> None:
        self._view.show_progress(self._progress())
        self._view.show_notes(self._notes())

    def _progress(self) -> str:
        return tr("Writing the report…") if self._reports.writing else self._scorer.text or self._evaluations.text

    def _notes(self) -> list[str]:
        records, said = self._records(), list[str]()
        left = [record for record in self._chosen() if not _ended(record)]
        if left:
            said.append(tr("Left out, as they have no model: {count} of the chosen runs.", count=len(left)))
        for record in self._chosen():
            if not record.readable:
                said.append(tr("{run} was made by another version, and cannot be read.", run=record.name))
        if len(self._ended) > MOST:
            said.append(tr("Only the first {count} runs are shown.", count=MOST))
        for record in records:
            known = self._scorer.of(record)
            if known is not None and known.trouble:
                said.append(tr("{run} could not be tested again: {why}.", run=record.name, why=known.trouble))
            elif known is not None and not known.tested:
                said.append(tr("{run} held no rows out to test on, and has no scores.", run=record.name))
        return [*said, *self._different_data(records)]

    def _different_data(self, records: Sequence[RunRecord]) -> list[str]:
        """Say which of the shown runs have other test rows or another preprocessing than the others."""
        from mcsvm_gui.core.compare.tested_runs import groups_of

        names = {record.id: record.name for record in records}
        scored = [found for record in records if (found := self._scorer.of(record)) is not None and found.tested]
        groups = [[names[one.run] for one in group] for group in groups_of(scored)]
        by_preprocessing: dict[str, list[str]] = {}
        for record in records:
            by_preprocessing.setdefault(preprocessing_text(record.plain_request), []).append(record.name)
        said = []
        if len(groups) > 1:
            listed = "; ".join(map(_listed, groups))
            said.append(tr("These runs were tested on different rows: {groups}.", groups=listed))
        if len(by_preprocessing) > 1:
            listed = "; ".join(f"{_listed(runs)}: {words}" for words, runs in by_preprocessing.items())
            said.append(tr("These runs differ in preprocessing. {groups}.", groups=listed))
        return said

    def _history(self, record: RunRecord) -> History:
        from mcsvm_gui.core.evaluate.curves import History

        return History(record.id, record.name, record.machine, self._runs.trace(record.id).table())

    # -- the comparison ---------------------------------------------------------------------------

    def _draw_picture(self) -> None:
        """Draw the known results; tables of thousands of rows are made in the background."""
        records, names = self._records(), dict[int, str]()
        if not records:  # deselected while the page was hidden
            return
        for record in records:
            names[record.id] = record.name if record.name not in names.values() else f"{record.name} #{record.id}"
        known = [(record, self._scorer.of(record)) for record in records]
        named = [(names[record.id], found) for record, found in known if found is not None]
        self._evaluations.want(named)
        self._learning.want(named)

        def draw() -> ComparisonTables:
            from mcsvm_gui.core.compare.tables import comparison_tables
            from mcsvm_gui.core.compare.tested_runs import unread

            return comparison_tables(
                [found or unread(one.id, one.request, one.document or {}, "") for one, found in known], names
            )

        self._stop_drawing()
        self._drawing = self._workspace.tasks.start(
            draw,
            lambda comparison_tables: self._show(comparison_tables, [record.id for record in records]),
            self._workspace.message.emit,
        )

    def _stop_drawing(self) -> None:
        if self._drawing is not None:
            self._drawing.cancel()
            self._drawing = None

    def _show(self, comparison_tables: ComparisonTables, runs: list[int]) -> None:
        self._drawing, self._picture, self._pictured = None, comparison_tables, runs
        self._view.show_picture(comparison_tables)
        self._say()

    def order_by(self, key: str) -> None:
        """Sort the runs by a measure: first descending, then ascending; missing values come last."""
        if self._picture is None or key not in self._picture.measures.keys:
            return
        if sorted(self._pictured) != sorted(self._order):  # other runs were selected and are still being drawn
            return
        from mcsvm_gui.core.compare.result_table import Header, ResultTable, order_of

        falling = self._ordered_by != (key, True)
        row = self._picture.measures.rows[self._picture.measures.keys.index(key)]
        column = ResultTable((Header(key),), tuple((cell,) for cell in row[1:]))
        self._order = [self._pictured[place] for place in order_of(column, 0, falling)]
        self._ordered_by = key, falling
        self._look()

    # -- files ------------------------------------------------------------------------------------

    def save(self, path: str, names: list[str], rows: list[list[object]]) -> None:
        from mcsvm_gui.core.base.writing import csv_text, write_text

        self._write(path, lambda: write_text(path, csv_text(names, rows)))

    def _copy_script(self) -> None:
        self._workspace.copy_trainings([self._runs.record(run).request for run, _ in self._shown])

    def save_experiment(self, path: str) -> None:
        runs = [(name, self._runs.record(run).request) for run, name in self._shown]
        self._workspace.save_experiment(path, tr("Runs that were compared"), runs)

    def show_tab(self, name: str) -> None:
        self._view.show_tab(name)

    def _choose_chapters(self, names: Sequence[str]) -> None:
        self._chapters = in_order(names)
        self._runs.keep_setting(CHAPTERS, list(self._chapters))

    def _read_chapters(self) -> None:
        """Show the chapters of the project's last report; ignore an invalid entry of the project file."""
        entry = self._runs.setting(CHAPTERS)
        self._chapters = in_order(map(str, entry)) if isinstance(entry, list) else USUAL
        self._view.show_chapters(self._chapters)

    def write_report(self, path: str) -> None:
        """Write a report of the runs on the page with the chosen chapters."""
        chosen, baselines = self._runs.setting(CHOSEN), self._runs.setting(BASELINES)
        chapters = self._chapters
        records = self._records()
        found = [
            (
                *(record, self._runs.trace(record.id).table(), self._scorer.of(record)),
                *(self._evaluations.of(record.id), self._learning.document(record.id)),
            )
            for record in records
        ]

        def write() -> None:
            from mcsvm_gui.core.report import of_runs as chosen_report
            from mcsvm_gui.core.report.summary_pages import Known

            known = [
                chosen_report.ReportedRun(record, trace, one, evaluated, curve)
                for record, trace, one, evaluated, curve in found
                if one is not None
            ]
            beside = Known(chosen, baselines, self._runs.model)
            chosen_report.write(path, known, beside, chapters)

        if found:
            self._reports.write(path, write)

    def _write(self, path: str, write: Callable[[], object]) -> None:
        say = self._workspace.message.emit
        self._workspace.tasks.start(write, lambda nothing: say(tr("Saved {path}", path=path)), say)


def _listed(names: Sequence[str]) -> str:
    """Join names of runs, the first of many."""
    more = len(names) - NAMED
    return ", ".join(names) if more <= 0 else tr("{names} and {count} more", names=", ".join(names[:NAMED]), count=more)


def _data_of(record: RunRecord) -> object:
    return data_key(record.plain_request)


def _ended(record: RunRecord) -> bool:
    return record.state == "done" and record.document is not None
