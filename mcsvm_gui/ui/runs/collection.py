"""All runs of the project in memory; one writing thread brings the project file up to date."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoStack

from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.machine.state import JobState
from mcsvm_gui.core.project.records import ACTIVE, RunRecord
from mcsvm_gui.core.project.store import ProjectStore
from mcsvm_gui.ui.runs.file import RunFile
from mcsvm_gui.ui.runs.parts import RunParts, packed_model
from mcsvm_gui.ui.runs.undo import Annotation, Deletion, Name
from mcsvm_gui.ui.threads.job import Failed, Key
from mcsvm_gui.ui.threads.training import Checkpointed, FoldsDone, Read, Sampled, StoppedModel, Trained
from mcsvm_gui.ui.threads.writer import Writer

if TYPE_CHECKING:
    from mcsvm.solvers.run.trace import Sample, Trace
    from mcsvm_gui.core.machine.live import Readings
    from mcsvm_gui.core.machine.request import Request
    from mcsvm_gui.core.machine.session import Outcome
    from mcsvm_gui.core.machine.trained import TrainedModel
    from mcsvm_gui.core.project.pending import CellPart

UNDO_LIMIT = 100  # edits; each deletion keeps the records of its runs


class RunCollection(QObject):
    """All facts except `model` and `checkpoint` are in memory and may be read at any time."""

    added = Signal(list)  # numbers of runs
    changed = Signal(int)
    removed = Signal(list)  # numbers of runs
    opened = Signal()  # another project replaces this one: `project_read` follows
    project_read = Signal()  # this project or another one was read: runs and settings have changed
    selection_changed = Signal()
    write_error = Signal(str)  # why nothing can be written at the moment; empty if it is possible again
    set_aside = Signal(str)  # data that can never be written as they are, and why
    leaving = Signal(str)  # the path of the project that another one is about to replace
    moved = Signal(str)  # the project is in another file now
    # the paths before and after the project was copied; it is used at the new path from now on
    saved_as = Signal(str, str)
    failed = Signal(str)  # why a project could not be opened or copied

    def __init__(self, queue: Any, store: ProjectStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.undo_stack = QUndoStack(self, undoLimit=UNDO_LIMIT)
        self.loaded = False
        self._records: dict[int, RunRecord] = {}
        self._folds: dict[int, FoldsDone] = {}
        self._settings: dict[str, Any] = {}
        self._selected: tuple[int, ...] = ()
        self._next = store.last_id + 1
        self._writer = Writer(store)
        self._parts = RunParts(self._writer, self._arrived, self.write_error.emit)
        self._file = RunFile(self._writer, self)
        for name in ("write_error", "set_aside", "failed", "moved", "saved_as"):
            getattr(self._file, name).connect(getattr(self, name))
        self._file.opened.connect(self._opened)
        self._file.read.connect(self._fill)
        self._writer.written.connect(self._forget)
        self._queue = queue
        queue.told.connect(self._hear)
        self._writer.start()
        self._file.load()

    # -- facts about runs -------------------------------------------------------------------------

    @property
    def path(self) -> str:
        return str(self._writer.store.path)

    def ids(self) -> list[int]:
        return sorted(self._records)

    def __contains__(self, run: int) -> bool:
        return run in self._records

    def named_files(self) -> set[str]:
        """Return the names of the data files of all runs."""
        return {file for record in self._records.values() for file in record.named_files()}

    def record(self, run: int) -> RunRecord:
        return self._records[run]

    def folds(self, run: int) -> FoldsDone | None:
        """Return how many folds of a run's calibration are done."""
        return self._folds.get(run) if self._records[run].active else None

    def live(self, run: int) -> Sample | None:
        """Return the newest sample of a waiting or running run."""
        record = self._records[run]
        return record.live if record.active else None

    def trace(self, run: int) -> Trace:
        """Return the trace of a run; one of an earlier session is empty until it is read and `changed` is emitted."""
        return self._parts.series(self._records[run].id).trace

    def readings(self, run: int) -> Readings | None:
        """Return the readings of a run, read as in `trace`; None if they do not exist or are not read yet."""
        return self._parts.series(self._records[run].id).readings

    def model(self, run: int) -> TrainedModel:
        """Return the model of a run; raise FileError if it is damaged, KeyError if there is no model.

        It may read and check a file: call it from a task.
        """
        return self._parts.model(run)

    def checkpoint(self, run: int) -> bytes | None:
        """Return the checkpoint from which an interrupted run continues. It may read the file: call it from a task."""
        return self._writer.store.part(run, "checkpoint")

    def interrupted(self) -> list[RunRecord]:
        """Return the runs that were waiting or running when the program ended and still await a decision."""
        return [record for record in self._records.values() if record.state == JobState.INTERRUPTED]

    # -- the life of a run ------------------------------------------------------------------------

    def begin(self, request: Request, data_name: str) -> int:
        run, self._next = self._next, self._next + 1
        created = datetime.now(UTC).isoformat(timespec="milliseconds")
        record = RunRecord(run, created, f"{request.machine} {run}", data_name, request.document())
        record.__dict__["request"] = request
        self._parts.begin(run)
        self._set(record)
        self.added.emit([run])
        return run

    def go_on(self, run: int, request: Request | None = None) -> None:
        """Mark a stopped or interrupted run as waiting again; the caller submits its checkpoint to the queue.

        `request` replaces the run's request, for example to lift limits.
        """
        self._parts.go_on(run)
        record = self._records[run]
        plain = record.plain_request if request is None else request.document()
        earlier = record.document or record.earlier
        waiting = replace(record, plain_request=plain, state=JobState.QUEUED, document=None, earlier=earlier)
        self._set(replace(waiting, error=None, live=None))
        self.changed.emit(run)

    def abandon(self, runs: Iterable[int]) -> None:
        """Give up interrupted runs: delete them, or return them to the model that they had before."""
        for run in runs:
            self._discard(run)
            if run in self._records:
                self.changed.emit(run)

    def drop_checkpoint(self, run: int) -> None:
        """Delete the checkpoint of a run, which then cannot be continued."""
        if self._records[run].resumable:
            self._set(replace(self._records[run], resumable=False), {"checkpoint": None})
            self.changed.emit(run)

    def _hear(self, key: Key, facts: Sequence[object]) -> None:
        if isinstance(key, int) and key in self._records:
            for fact in facts:
                self._take(key, fact)
            if key in self._records:
                self.changed.emit(key)

    def _take(self, run: int, fact: object) -> None:
        match fact:
            case Sampled(sample):
                self._parts.add_sample(run, sample)
                self._records[run] = replace(self._records[run], live=sample)
            case Read(reading):
                self._parts.add_reading(run, reading)
            case FoldsDone():
                self._folds[run] = fact
            case Checkpointed(content):
                self._keep_progress(run, content)
            case StoppedModel(model):  # sent at once when a run is stopped; its certificate follows
                self._parts.keep(run, model)
            case Trained(outcome, continuable):
                self._end(run, outcome, continuable)
            case Failed(sentence):
                self._leave(run, JobState.FAILED, sentence)
            case JobState.DISCARDED:
                self._discard(run)
            case JobState():
                self._enter(run, fact)

    def _enter(self, run: int, state: JobState) -> None:
        record = self._records[run]
        if record.state == JobState.QUEUED and state is not JobState.QUEUED:
            self._set(replace(record, state=JobState.RUNNING))

    def _keep_progress(self, run: int, checkpoint: bytes) -> None:
        record = self._records[run]
        if record.active:
            parts = {**self._parts.packed(run), "checkpoint": lambda: checkpoint}
            self._set(replace(record, resumable=True), parts)

    def _end(self, run: int, outcome: Outcome, continuable: bool) -> None:
        """Store the model of a run; if it is `continuable`, keep its last checkpoint too."""
        self._parts.end(run, outcome)
        record = replace(self._records[run], state=JobState.DONE, document=outcome.document, error=None, live=None)
        parts = {**self._parts.packed(run), "model": packed_model(outcome.trained)}
        parts |= {} if continuable else {"checkpoint": None}
        self._set(replace(record, earlier=None, resumable=continuable), parts)

    def _leave(self, run: int, state: JobState, error: str | None = None) -> None:
        """End a run without a new model; a continued run returns to its earlier model."""
        record = self._records[run]
        if record.earlier is None:
            ended = replace(record, state=state, error=error, resumable=False)
            self._set(ended, {**self._parts.packed(run), "checkpoint": None})
            return
        before = replace(record, state=JobState.DONE, document=record.earlier, earlier=None, error=error, live=None)
        self._parts.go_back(run, int(before.iterations or 0))
        self._set(before, self._parts.packed(run))

    def _discard(self, run: int) -> None:
        """Discard a run. Without a model it leaves the table, and Undo restores it with its curves."""
        self._leave(run, JobState.DISCARDED)
        if self._records[run].state == JobState.DISCARDED:
            self.undo_stack.push(Deletion(self, (run,)))

    # -- edits, all of them with undo -------------------------------------------------------------

    def rename(self, run: int, name: str) -> None:
        before, after = self._records[run].name, name.strip()
        if after and after != before:
            self.undo_stack.push(Name(self, run, before, after))

    def annotate(self, run: int, note: str) -> None:
        if note != self._records[run].note:
            self.undo_stack.push(Annotation(self, run, self._records[run].note, note))

    def delete(self, runs: Iterable[int]) -> tuple[int, ...]:
        """Delete the ended ones of these runs and return them; active runs must be stopped first."""
        ended = tuple(run for run in dict.fromkeys(runs) if run in self._records and not self._records[run].active)
        if ended:
            self.undo_stack.push(Deletion(self, ended))
        return ended

    def edit(self, run: int, **values: str) -> None:
        """Change fields of a run without undo; used by the commands on the undo stack."""
        if run in self._records:
            self._set(replace(self._records[run], **values))  # type: ignore[arg-type]
            self.changed.emit(run)

    def remove(self, runs: Sequence[int]) -> list[RunRecord]:
        """Remove runs without undo, and return their records, which the commands on the undo stack keep."""
        gone = [self._records.pop(run) for run in runs if run in self._records]
        for record in gone:
            self._folds.pop(record.id, None)
            self._writer.put(record, deleted=True)
        self.removed.emit([record.id for record in gone])
        self.select([run for run in self._selected if run in self._records])
        return gone

    def restore(self, records: Sequence[RunRecord]) -> None:
        """Restore the records that `remove` returned; traces and models are read from the file again."""
        for record in records:
            self._set(record)
        self.added.emit([record.id for record in records])

    # -- selection --------------------------------------------------------------------------------

    @property
    def selected(self) -> tuple[int, ...]:
        return self._selected

    def select(self, runs: Iterable[int]) -> None:
        chosen = tuple(run for run in dict.fromkeys(runs) if run in self._records)
        if chosen != self._selected:
            self._selected = chosen
            self.selection_changed.emit()

    # -- settings of the project ------------------------------------------------------------------

    def setting(self, key: str, default: Any = None) -> Any:
        return self._settings.get(key, default)

    def keep_setting(self, key: str, value: Any) -> None:
        """Store a setting, a plain JSON value, in the project."""
        if key not in self._settings or self._settings[key] != value:
            self._settings[key] = value
            self._writer.set(key, value)

    # -- cells of searches ------------------------------------------------------------------------

    def keep_cells(self, search: str, cells: Mapping[tuple[str, float, float | None], CellPart]) -> None:
        """Store results by machine, C and gamma. They are written soon; later results replace earlier ones."""
        self._writer.put_cells({(search, *cell): document for cell, document in cells.items()})

    def read_cells(self, search: str, done: Callable[[list[Any]], object], failed: Callable[[str], object]) -> None:
        """Read machine, C, gamma and document of each stored cell; `done` is called later, in the window's thread."""
        self._writer.ask(lambda store: store.cells(search), done, failed)

    # -- the file ---------------------------------------------------------------------------------

    def open(self, path: str | os.PathLike[str]) -> None:
        """Open another project in the place of this one; `moved` and `project_read` follow, or `failed`."""
        if self._queue.active():
            self.failed.emit(
                tr("Jobs are still running in this project. Stop or discard them before you open another.")
            )
        else:
            self.leaving.emit(self.path)
            self._file.open(path)

    @property
    def opening(self) -> bool:
        """Return whether another project is about to replace this one."""
        return self._file.opening

    def save_as(self, path: str | os.PathLike[str]) -> None:
        """Save a complete copy and use it from then on; `moved` follows, or `failed`."""
        self._file.save_as(path)

    def close(self, milliseconds: int = 5000) -> bool:
        """Finish writing; return True if everything was written."""
        return self._writer.finish(milliseconds)

    @property
    def unwritten(self) -> int:
        """Return how many runs and settings are only in memory."""
        return len(self._writer.backlog)

    def _opened(self, last_id: int) -> None:
        self._next = last_id + 1
        self._records, self._settings, self._folds = {}, {}, {}
        self._parts.clear()
        self.undo_stack.clear()
        self.loaded = False
        self.select(())
        self.opened.emit()

    def _fill(self, records: list[RunRecord], settings: dict[str, Any]) -> None:
        """Add the records and settings of the file; those that were created while it was read take precedence."""
        now = self._records
        for record in records:
            if record.id not in now:
                self._records[record.id] = record
                if record.state in ACTIVE:
                    self._set(replace(record, state=JobState.INTERRUPTED))
        self._settings = {**settings, **self._settings}
        self.loaded = True
        self.project_read.emit()

    def _arrived(self, run: int) -> None:
        if run in self._records:
            self.changed.emit(run)

    def _forget(self, runs: list[int]) -> None:
        """Forget the parts of written runs, unless newer parts are still to be written or to arrive."""
        settled = [run for run in runs if not self._writer.backlog.holds(run)]
        self._parts.forget_written(
            [run for run in settled if run not in self._records or not self._records[run].active]
        )
        self._parts.drop([run for run in settled if run not in self._records])

    def _set(self, record: RunRecord, parts: dict[str, Any] | None = None) -> None:
        known = self._records.get(record.id)
        if known is not None and known.plain_request is record.plain_request and "request" in known.__dict__:
            record.__dict__["request"] = known.request  # parsed only once
        self._records[record.id] = record
        self._writer.put(record, parts=parts)
