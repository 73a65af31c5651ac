"""Scores runs on their test rows in the background, one at a time, and caches the results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.ui.runs.project_trust import unread

if TYPE_CHECKING:
    from mcsvm_gui.core.compare.tested_runs import RowCache, ScoredRun
    from mcsvm_gui.core.project.records import RunRecord
    from mcsvm_gui.ui.runs.workspace import Workspace

KEPT = 96  # limit on the runs whose predictions stay in memory


class Scorer(QObject):
    """Predicts rows and measures margins, run by run in the background, and caches the results."""

    def __init__(self, workspace: Workspace, moved: Callable[[bool], object]) -> None:
        """Start without runs. `moved` is called after each step with whether all predictions or all margins exist."""
        super().__init__()
        self._workspace, self._moved = workspace, moved
        self._known: dict[int, ScoredRun] = {}
        self._measured: set[int] = set()
        self._wanted: list[RunRecord] = []
        self._working = False
        self._library: dict[str, RowCache] = {}  # created by the first task, because its imports are slow
        self._age = 0  # of the project; needed because runs of another one have the same numbers

    def forget(self) -> None:
        self._age += 1
        self._known, self._measured, self._wanted, self._library = {}, set(), [], {}

    def want(self, records: Sequence[RunRecord]) -> None:
        self._wanted = list(records)
        wanted = {record.id for record in records}
        for run in [run for run in self._known if run not in wanted][: max(len(self._known) - KEPT, 0)]:
            del self._known[run]
            self._measured.discard(run)
        self._step()

    def drop(self, runs: Sequence[int]) -> None:
        """Drop deleted runs; one of them may be in progress."""
        self._wanted = [record for record in self._wanted if record.id not in runs]
        for run in runs:
            self._known.pop(run, None)
            self._measured.discard(run)

    def of(self, record: RunRecord) -> ScoredRun | None:
        return self._known.get(record.id)

    def _left(self) -> tuple[int, int]:
        """Return how many runs are still to be predicted, and to be measured."""
        wanted = {record.id for record in self._wanted}
        return len(wanted - self._known.keys()), len(wanted - self._measured)

    @property
    def text(self) -> str:
        """Return the progress; empty if everything is complete."""
        total, (undecided, unmeasured) = len(self._wanted), self._left()
        if undecided:
            return tr("Predicting the test rows: run {number} of {total}…", number=total - undecided + 1, total=total)
        if unmeasured:
            return tr("Measuring margins: run {number} of {total}…", number=total - unmeasured + 1, total=total)
        return ""

    def _step(self) -> None:
        if self._working:
            return
        work = self._next()
        if work is not None:
            self._working = True
            (run, function), age = work, self._age
            self._workspace.tasks.start(
                function, lambda chosen: self._done(run, age, chosen), lambda why: self._failed(run, age, why)
            )

    def _next(self) -> tuple[int, Callable[[], ScoredRun]] | None:
        """Return the next work: all predictions come before all margins."""
        for record in self._wanted:
            if record.id not in self._known:
                return record.id, self._deciding(record)
        for record in self._wanted:
            if record.id not in self._measured:
                return record.id, self._measuring(record)
        return None

    def _deciding(self, record: RunRecord) -> Callable[[], ScoredRun]:
        runs, workspace = self._workspace.runs, self._workspace
        run, request, document = record.id, record.request, record.document or {}
        open_ = workspace.dataset_of(request)
        library = self._library
        allowed = workspace.trust.may_read(file for file in record.named_files() if file != workspace.path)

        def decide() -> ScoredRun:
            from mcsvm_gui.core.compare import tested_runs

            if not allowed:
                return tested_runs.unread(run, request, document, unread())
            rows = library.setdefault("rows", tested_runs.RowCache())
            return tested_runs.decided(
                run, request, document, lambda: runs.model(run), lambda: rows.rows_of(request, open_)
            )

        return decide

    def _measuring(self, record: RunRecord) -> Callable[[], ScoredRun]:
        known, run, runs = self._known[record.id], record.id, self._workspace.runs

        def measure() -> ScoredRun:
            from mcsvm_gui.core.compare.tested_runs import measured

            return known if known.rows is None else measured(known, runs.model(run))

        return measure

    def _done(self, run: int, age: int, chosen: ScoredRun) -> None:
        if age == self._age and run in self._workspace.runs:
            if run in self._known:
                self._measured.add(run)
            self._known[run] = chosen
        self._go_on()

    def _failed(self, run: int, age: int, why: str) -> None:
        """Store the document of a run that could not be scored, with the reason."""
        record = next((record for record in self._wanted if record.id == run), None)
        if age == self._age and record is not None and record.document is not None:
            from mcsvm_gui.core.compare.tested_runs import unread

            self._known[run] = unread(run, record.request, record.document, why)
            self._measured.add(run)
        self._go_on()

    def _go_on(self) -> None:
        self._working = False
        self._step()
        undecided, unmeasured = self._left()
        self._moved(unmeasured == 0 or (undecided == 0 and unmeasured == len(self._wanted)))
