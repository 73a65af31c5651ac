"""One button searches all machines within a time budget, trains the best combinations and shows the conclusion.

The search and the trainings are ordinary jobs. The project stores the purpose of the search, so that a search that is
resumed after a crash is still followed by its trainings.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject, QTimer, SignalInstance

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import tr, worded
from mcsvm_gui.core.evaluate.recommended import recommended_score
from mcsvm_gui.core.machine.choices import FIRST_MACHINES, why_not
from mcsvm_gui.core.machine.state import ENDED, JobState
from mcsvm_gui.core.machine.summary import time_left_text
from mcsvm_gui.core.project.leaderboard import CHOSEN, search_choice, with_choices
from mcsvm_gui.core.tune.leader import Leader

if TYPE_CHECKING:
    from mcsvm_gui.core.machine.request import Request
    from mcsvm_gui.core.tune.best import Chosen
    from mcsvm_gui.core.tune.search import Tuned
    from mcsvm_gui.ui.runs.searches import Search
    from mcsvm_gui.ui.runs.workspace import Workspace
    from mcsvm_gui.ui.train.leaderboard import LeaderboardPresenter
    from mcsvm_gui.ui.train.presenter import TrainPresenter

FINDING = "finding"  # the key under which a project stores the search for the best model
HELD_OUT = 0.3
SAID_EVERY = 0.5  # seconds between updates of the progress text


class FindBestView(Protocol):
    find_best_asked: SignalInstance

    @property
    def budget(self) -> float: ...
    @property
    def score(self) -> str: ...
    def show_recommended(self, score: str) -> None: ...
    def show_finding(self, running: bool, stopping: bool) -> None: ...
    def show_instead(self, words: str) -> None: ...


class FindBest(QObject):
    def __init__(self, view: FindBestView, form: TrainPresenter, board: LeaderboardPresenter) -> None:
        super().__init__(board)
        self._view, self._form, self._board = view, form, board
        self._workspace: Workspace = form.workspace
        self._runs, self._searches = self._workspace.runs, self._workspace.searches
        self._search: Search | None = None
        self._training: set[int] = set()
        self._said = 0.0
        self._leaders: dict[str, Leader] = {}
        self._trouble = ""  # why the last search has no result
        self._clock = QTimer(self, interval=1000)  # updates the remaining time between fits
        self._clock.timeout.connect(self._say)
        view.find_best_asked.connect(self.toggle)
        self._searches.added.connect(self._adopt)
        self._searches.changed.connect(self._follow)
        self._runs.changed.connect(lambda _: self._follow_trainings())
        self._runs.project_read.connect(self._forget)
        self._runs.added.connect(lambda _: self._forget())
        self._workspace.data_changed.connect(self._forget)
        self._workspace.data_changed.connect(self._recommend)

    def _forget(self) -> None:
        """Forget missing runs and the last error after a change of the project, the data or the runs."""
        self._training &= set(self._runs.ids())
        self._trouble = ""
        self._say()

    # -- start of a search ------------------------------------------------------------------------

    def _recommend(self) -> None:
        """Recommend the measure that suits the classes of these data; the user may choose another."""
        dataset = self._workspace.dataset
        self._view.show_recommended(recommended_score(() if dataset is None else dataset.class_counts))

    def toggle(self) -> None:
        if self._search is None:
            self.start()
        else:
            self._searches.stop(self._search)

    def start(self, ranges: Sequence[str] = ()) -> None:
        """Start the search for the best model. `ranges`: as in the choice of an earlier search, or the defaults."""
        from mcsvm_gui.core.tune.best import search_for_best

        dataset, workspace = self._workspace.dataset, self._workspace
        if self._search is not None or dataset is None or self._form.request is None:
            return
        if workspace.holdout is None and workspace.test is None:
            workspace.set_preparation(holdout=HELD_OUT)  # this changes the request of the form
            workspace.message.emit(tr("30% of the rows are held out as test set. The search does not use them."))
        request = self._form.request
        machines = tuple(name for name in FIRST_MACHINES if self._may_be(request, name))
        searched, search = search_for_best(request, dataset, machines, self._view.budget, ranges, self._view.score)
        self._runs.keep_setting(FINDING, {"request": request.document(), "search": search.document()})
        self._searches.start(searched, search, dataset)

    def _may_be(self, request: Request, machine: str) -> bool:
        dataset = self._workspace.dataset
        reason = why_not(request, 3 if dataset is None else len(dataset.classes), machine=machine)
        if reason is not None:
            self._workspace.message.emit(tr("Not trained: {reasons}", reasons=f"{machine}: {reason}"))
        return reason is None

    # -- progress ---------------------------------------------------------------------------------

    def _adopt(self) -> None:
        """Adopt the starting or resumed search that the project marks as the search for the best model."""
        from mcsvm_gui.core.project.records import from_json, to_json

        kept = self._runs.setting(FINDING)
        if self._search is None and isinstance(kept, dict):
            wanted = kept.get("search")
            mine = (one for one in self._searches.active if from_json(to_json(one.wanted.document())) == _plain(wanted))
            self._search = next(mine, None)
            self._say()

    def _follow(self, search: Search) -> None:
        if search is not self._search:
            return
        if search.state in ENDED:
            self._search = None
            kept = self._runs.setting(FINDING)
            self._runs.keep_setting(FINDING, None)
            if not self._workspace.queue.accepting:
                return  # the window closes
            if search.tuned is not None:
                self._train(kept, search.tuned)
            else:
                self._trouble = search.error
            self._say()
        elif time.monotonic() - self._said >= SAID_EVERY:
            self._say()

    def _train(self, kept: Any, tuned: Tuned) -> None:
        """Train the best combination of every machine, the best of all first; at the end only that run is selected."""
        from mcsvm.solvers.errors import InputError
        from mcsvm_gui.core.machine.request import Request
        from mcsvm_gui.core.tune.best import best_of_each, least_rows, trainings
        from mcsvm_gui.core.tune.search import nothing_found

        found = best_of_each(tuned)
        if not isinstance(kept, dict) or not self._workspace.holds(tuned.tuning.request):
            self._trouble = tr("Other data were opened in the meantime, so the best model was not trained.")
            return
        if not found:
            nothing = nothing_found(tuned)
            self._trouble = tr("The search ended before it had tried anything.") if nothing is None else worded(nothing)
            return
        try:
            request = Request.from_document(kept["request"])
        except (InputError, LookupError):
            return
        if least_rows(tuned) < 2:
            self._workspace.message.emit(tr("A class has one row to train on: no probabilities can be estimated."))
        begun = self._workspace.train(trainings(request, tuned, found))
        self._keep_choice(dict(zip(begun, found.values(), strict=True)))
        self._training = set(begun)
        self._runs.select(begun[::-1])  # the run selected last is shown: the best

    def _keep_choice(self, by_run: dict[int, Chosen]) -> None:
        """Store the cross-validation result of each run for the leaderboard."""
        first = next(iter(by_run))
        choices = {run: search_choice(chosen, chosen=run == first) for run, chosen in by_run.items()}
        self._runs.keep_setting(CHOSEN, with_choices(self._runs.setting(CHOSEN), self._runs.ids(), choices))

    def _follow_trainings(self) -> None:
        if self._training and not any(run in self._runs and self._runs.record(run).active for run in self._training):
            self._training = set()
            self._say()

    # -- texts ------------------------------------------------------------------------------------

    def _say(self) -> None:
        self._said = time.monotonic()
        search = self._search
        if search is None:
            self._clock.stop()
        elif not self._clock.isActive():
            self._clock.start()
        stopping = search is not None and search.state is JobState.STOPPING
        self._view.show_finding(search is not None, stopping)
        self._view.show_instead(self._searching(search) if search is not None else self._train_text())

    def _train_text(self) -> str:
        if not self._training:
            return self._trouble
        return tr(
            "The best combination of each machine is being trained and tested on rows that the search did not use."
        )

    def _searching(self, search: Search) -> str:
        progress = search.progress
        if progress is None or search.state in (JobState.QUEUED, JobState.PREPARING):
            return tr("The search of C and gamma begins: all machines, on the rows that are not kept for the test.")
        if search.state is JobState.PAUSED:
            return tr("Search paused. Resume it in the Jobs panel.")
        said = tr(
            "Searching C and gamma of {count} machine: {done} fits",
            "Searching C and gamma of {count} machines: {done} fits",
            count=len(search.wanted.machines),
            done=figures.count(progress.done),
        )
        left = time_left_text(progress.seconds_left())
        return ", ".join(filter(None, [said, self._best_so_far(search), left])) + "."

    def _best_so_far(self, search: Search) -> str:
        """Return the best combination validated on all folds; its score never falls while the search continues."""
        from mcsvm_gui.core.tune.results import parts_of

        dataset = self._workspace.dataset
        if search.key not in self._leaders:
            wanted = search.wanted
            parts = wanted.parts if dataset is None else parts_of(search.request, wanted, dataset)
            self._leaders[search.key] = Leader(parts)
        leader = self._leaders[search.key]
        leader.look(self._searches.cells.of(search.conditions), search.wanted)
        return leader.text


def _plain(document: object) -> object:
    from mcsvm_gui.core.project.records import from_json, to_json

    return from_json(to_json(document)) if isinstance(document, dict) else None
