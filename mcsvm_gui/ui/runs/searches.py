"""Searches of C and gamma in the window: started, stored cell by cell, and resumed after a crash."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from mcsvm_gui.core.base.i18n import tr, worded
from mcsvm_gui.core.machine.state import ENDED, JobState
from mcsvm_gui.core.project.job_status import JobStatus
from mcsvm_gui.core.project.records import from_json, to_json
from mcsvm_gui.ui.runs.cells import CellCollection
from mcsvm_gui.ui.threads.job import Failed, Key
from mcsvm_gui.ui.threads.search import Begun, Searched, SearchJob, Tried, TriedInside

if TYPE_CHECKING:
    from mcsvm_gui.core.data.dataset import Dataset
    from mcsvm_gui.core.machine.request import Request
    from mcsvm_gui.core.tune.progress import Progress
    from mcsvm_gui.core.tune.search import Tuned, TuneRequest, Tuning
    from mcsvm_gui.ui.runs.collection import RunCollection
    from mcsvm_gui.ui.threads.queue import JobQueue

KEPT = "searches"  # the key under which a project stores searches that have not ended


def titled(machines: Sequence[str]) -> str:
    return tr("Search {machines}", machines=", ".join(machines))


@dataclass(frozen=True)
class Interrupted:
    """A search as stored in the project; the document may be invalid, because files are not trusted."""

    document: dict[str, Any]

    @property
    def title(self) -> str:
        asked = self.document.get("search")
        machines = asked.get("machines") if isinstance(asked, dict) else None
        return titled([name for name in machines if isinstance(name, str)] if isinstance(machines, list) else [])

    def asked(self) -> tuple[Request, TuneRequest]:
        """Return the two requests. Raises InputError if this version cannot run the search."""
        from mcsvm.solvers.errors import InputError
        from mcsvm_gui.core.machine.request import Request
        from mcsvm_gui.core.tune.search import TuneRequest, check

        request, wanted = self.document.get("request"), self.document.get("search")
        if not isinstance(request, dict) or not isinstance(wanted, dict):
            raise InputError("this is no search")
        asked = Request.from_document(request), TuneRequest.from_document(wanted)
        check(*asked)
        return asked


@dataclass(eq=False)
class Search:
    key: str
    request: Request
    wanted: TuneRequest
    conditions: str  # the conditions under which its cells are stored
    state: JobState = JobState.QUEUED
    progress: Progress | None = None  # set when it starts
    tuned: Tuned | None = None  # set when it ends
    error: str = ""
    document: dict[str, Any] = field(default_factory=dict)  # the description of the search in the project

    @property
    def title(self) -> str:
        return titled(self.wanted.machines)


class Searches(QObject):
    """A search is stored in the project from its start to its end: one found there at the next start was interrupted.

    It begins when the cells that the project holds have been read.
    """

    begun = Signal(object, object)  # a search and its Tuning
    changed = Signal(object)  # a search: its state or its known cells changed
    added = Signal()  # a search waits for its turn
    interrupted_changed = Signal()

    def __init__(self, runs: RunCollection, queue: JobQueue, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runs, self._queue = runs, queue
        self.cells = CellCollection(runs, self)
        self.last: Search | None = None  # the search that ended last
        self._searches: dict[str, Search] = {}  # searches that have not ended, and those that failed
        self._pending: dict[str, Dataset] = {}  # by key: data of searches that start as soon as their cells are known
        self._interrupted: list[Interrupted] = []
        self._count = 0
        queue.told.connect(self._hear)
        runs.project_read.connect(self._reread)
        self.cells.arrived.connect(lambda _: self._begin_pending())

    def __contains__(self, key: Key) -> bool:
        return key in self._searches

    @property
    def active(self) -> list[Search]:
        return [search for search in self._searches.values() if search.state not in ENDED]

    def start(self, request: Request, wanted: TuneRequest, dataset: Dataset) -> Search:
        """Start a search; cells that are already known are not computed again."""
        from mcsvm_gui.core.tune.cells import conditions

        self._count += 1
        document = from_json(to_json({"request": request.document(), "search": wanted.document()}))
        self._interrupted = [cut for cut in self._interrupted if cut.document != document]
        search = Search(f"search {self._count}", request, wanted, conditions(request, wanted), document=document)
        self._searches[search.key] = search
        self._pending[search.key] = dataset
        self._keep()
        self.added.emit()
        self._begin_pending()
        return search

    def stop(self, search: Search) -> None:
        if self._pending.pop(search.key, None) is None:
            self._queue.stop(search.key)
        else:
            self._enter(search, JobState.DISCARDED)
            self.changed.emit(search)

    def dismiss(self, key: Key) -> None:
        """Remove a failed search from the list."""
        self._searches.pop(str(key), None)

    def status(self, key: Key) -> JobStatus:
        from mcsvm_gui.core.machine.summary import time_left_text
        from mcsvm_gui.core.tune.summary import progress_text

        search = self._searches[str(key)]
        status = {"discardable": search.state is JobState.QUEUED, "error": search.error}
        if search.progress is None or search.state in (JobState.QUEUED, JobState.FAILED):
            return JobStatus(search.key, search.title, search.state, **status)  # type: ignore[arg-type]
        words = progress_text(search.progress.done, search.progress.expected)
        left = time_left_text(search.progress.seconds_left()) if search.state is JobState.RUNNING else ""
        return JobStatus(search.key, search.title, search.state, progress=words, time_left=left, **status)  # type: ignore[arg-type]

    # -- facts from jobs --------------------------------------------------------------------------

    def _begin_pending(self) -> None:
        for key, dataset in list(self._pending.items()):
            if self.cells.ready(self._searches[key].conditions):
                del self._pending[key]
                self._submit(self._searches[key], dataset)

    def _submit(self, search: Search, dataset: Dataset) -> None:
        from mcsvm_gui.core.tune.progress import progress_of
        from mcsvm_gui.core.tune.results import parts_of, results_of, trials_of

        parts = parts_of(search.request, search.wanted, dataset)
        known = results_of(search.wanted, self.cells.for_search(search.wanted, search.conditions), parts)
        trials = trials_of(search.wanted, self.cells.shares_of(search.conditions))
        search.progress = progress_of(search.wanted, known, trials)
        self._queue.submit(SearchJob(search.key, search.request, search.wanted, dataset, trials))

    def _hear(self, key: Key, facts: Sequence[object]) -> None:
        search = self._searches.get(str(key))
        if search is None:
            return
        tried = [fact for fact in facts if isinstance(fact, Tried)]
        self.cells.add(search.conditions, [(fact.trial, fact.result) for fact in tried])
        for fact in facts:
            self._take(search, fact)
        self.changed.emit(search)

    def _take(self, search: Search, fact: object) -> None:
        assert search.progress is not None, "it was submitted"
        match fact:
            case Tried(trial, result):
                search.progress.add(trial, result)
            case TriedInside():
                search.progress.tried_inside += 1
            case Begun(tuning):
                search.progress.take_rungs(tuning.rungs)
                self._keep_conditions(search, tuning)
                self.begun.emit(search, tuning)
            case Searched(tuned):
                search.tuned, search.error = tuned, worded(tuned.trouble)
            case Failed(sentence):
                search.error = sentence
            case JobState():
                self._enter(search, fact)

    def _enter(self, search: Search, state: JobState) -> None:
        search.state = state
        if search.progress is not None:
            search.progress.go_on() if state is JobState.RUNNING else search.progress.rest()
        if state in ENDED:
            self.last = search
            if state is not JobState.FAILED:
                del self._searches[search.key]
            self._keep()
            self.cells.drop_oldest({search.conditions, *(one.conditions for one in self.active)})

    # -- settings of the project ------------------------------------------------------------------

    def _keep(self) -> None:
        self._runs.keep_setting(
            KEPT, [*(cut.document for cut in self._interrupted), *(search.document for search in self.active)]
        )

    def _keep_conditions(self, search: Search, tuning: Tuning) -> None:
        """Store the conditions in readable form next to the cells, because the key is a hash."""
        from mcsvm_gui.core.tune.cells import setting_of
        from mcsvm_gui.core.tune.document import asked_document

        asked = asked_document(tuning.request, tuning.wanted, len(tuning.parts) // tuning.wanted.repeats)
        kept = {name: asked[name] for name in ("request", "split", "search", "folds", "repeats", "holdout", "seed")}
        self._runs.keep_setting(setting_of(search.conditions), {**kept, "classes": list(tuning.class_names)})

    def _reread(self) -> None:
        """Reread the project's searches. A stored search that is not active here was interrupted."""
        kept = self._runs.setting(KEPT)
        here = [search.document for search in self.active]
        found = [document for document in kept if document not in here] if isinstance(kept, list) else []
        self._interrupted = [Interrupted(document) for document in found if isinstance(document, dict)]
        self._searches = {search.key: search for search in self.active}
        self.interrupted_changed.emit()

    # -- after a crash ----------------------------------------------------------------------------

    def interrupted(self) -> list[Interrupted]:
        """Return the searches that were waiting or running when the program ended and still await a decision."""
        return list(self._interrupted)

    def named_files(self) -> list[str]:
        """Return the data files of the interrupted searches."""
        requests = [cut.document.get("request") for cut in self._interrupted]
        files = [request.get("data") for request in requests if isinstance(request, dict)]
        return [file for file in files if isinstance(file, str)]

    def forget(self, interrupted: Collection[Interrupted]) -> None:
        """Forget interrupted searches, because the user resumed or dismissed them. Their cells stay in the project."""
        self._interrupted = [cut for cut in self._interrupted if cut not in interrupted]
        self._keep()
        self.interrupted_changed.emit()
