"""Presenter of the Train page: decides which trainings can start, which runs are shown, and which texts appear."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard

from PySide6.QtCore import QObject, QTimer, SignalInstance

from mcsvm_gui.core.base.i18n import tr, worded
from mcsvm_gui.core.machine import choices, form, summary
from mcsvm_gui.core.machine.state import JobState
from mcsvm_gui.core.machine.summary import Badge
from mcsvm_gui.ui.runs.checks import FormChecks
from mcsvm_gui.ui.threads.cluster import ClusterField

if TYPE_CHECKING:
    from mcsvm_gui.core.check.advice import Advice
    from mcsvm_gui.core.evaluate.curves import History
    from mcsvm_gui.core.machine.request import Request
    from mcsvm_gui.core.project.records import RunRecord
    from mcsvm_gui.ui.runs.workspace import Workspace

MOST = 12  # limit on the runs in the plots, in addition to the running ones
KEPT = "train"  # the key under which a project stores the choices


COMMANDS = (
    *("trainAction", "trainAllAction", "findBestAction"),
    *("pauseAction", "continueAction", "stopKeepAction", "discardAction"),
)


class TrainView(Protocol):
    form_changed: SignalInstance
    view_changed: SignalInstance
    start_asked: SignalInstance
    train_all_asked: SignalInstance
    find_best_asked: SignalInstance
    pause_asked: SignalInstance
    stop_asked: SignalInstance
    discard_asked: SignalInstance
    continue_asked: SignalInstance
    reset_asked: SignalInstance
    check_acted: SignalInstance
    python_asked: SignalInstance
    runs_python_asked: SignalInstance
    message: SignalInstance
    scheduler_test_asked: SignalInstance

    def texts(self) -> dict[str, str]: ...
    def set_texts(self, texts: Mapping[str, str]) -> None: ...
    def view(self) -> dict[str, object]: ...
    def set_view(self, view: dict[str, object]) -> None: ...
    def show_choices(self, choices: choices.Choices) -> None: ...
    def show_classes(self, totals: Mapping[str, float]) -> None: ...
    def show_errors(self, errors: Mapping[str, str]) -> None: ...
    def show_cluster(self, words: str, role: str, can_test: bool) -> None: ...
    def close_field(self, key: str, why: str) -> None: ...
    def show_obstacle(self, one: str | None, all_: str | None) -> None: ...
    def show_command(self, command: str) -> None: ...
    def show_checks(self, advice: Sequence[Advice]) -> None: ...
    def show_empty(self, words: str) -> None: ...
    def show_run(self, title: str, badge: Badge, words: str, *, bad: bool = False) -> None: ...
    def show_run_command(self, command: str) -> None: ...
    def show_actions(self, possible: bool, paused: bool) -> None: ...
    def show_continue(self, possible: bool) -> None: ...
    def show_runs(self, runs: Sequence[tuple[int, str, str]]) -> None: ...
    def draw(self, histories: Sequence[History]) -> None: ...


class TrainPresenter(QObject):
    """`ready` is true once the solvers are loaded; before that nothing is checked and nothing can start."""

    def __init__(self, view: TrainView, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace, self._runs, self._queue, self._view = workspace, workspace.runs, workspace.queue, view
        self._ready = False
        self._early: str | None = None  # the command that was requested before the solvers were loaded
        self._request: Request | None = None  # the request of the form, if every entry is valid
        self._refused: str | None = None  # why this request cannot be trained
        self._obstacle: str | None = None  # why nothing can be trained
        self._cluster = ClusterField(view, workspace.tasks, self)
        self._changed: set[int] = set()
        self._plotted: list[int] = []
        self._form_of: str | None = None  # the file whose entries the form shows
        self._soon = QTimer(self, interval=0, singleShot=True)  # one update for all runs that the queue reports
        self._soon.timeout.connect(self._show_changed)
        self._listen()
        view.set_texts(form.DEFAULTS)
        self._check()
        self._look()

    def _listen(self) -> None:
        view, runs, workspace = self._view, self._runs, self._workspace
        view.form_changed.connect(self._edited)
        view.view_changed.connect(self._keep)
        view.start_asked.connect(self.start)
        view.train_all_asked.connect(self.train_all)
        view.pause_asked.connect(self.pause)
        view.stop_asked.connect(self.stop)
        view.discard_asked.connect(self.discard)
        view.continue_asked.connect(self.continue_runs)
        self._found: dict[str, tuple[Advice, ...]] = {}
        self._checks = FormChecks(view, workspace.checks, form.ASKED, self._edited)
        view.message.connect(workspace.message)
        view.python_asked.connect(lambda: workspace.copy_trainings([] if self._request is None else [self._request]))
        view.runs_python_asked.connect(
            lambda: workspace.copy_trainings([run.request for run in self._chosen_records()])
        )
        view.reset_asked.connect(lambda: self.fill_form({}))
        workspace.data_changed.connect(self._recall)
        workspace.data_changed.connect(self._check)
        for signal in (workspace.data_failed, workspace.loading, workspace.loading_cancelled):
            signal.connect(lambda *ignored: self._check())
            signal.connect(lambda *ignored: self._say())
        workspace.data_changed.connect(self._say)
        workspace.data_changed.connect(self._show_classes)
        workspace.preparation_changed.connect(self._check)
        runs.changed.connect(self._moved)
        runs.added.connect(self._added)
        runs.removed.connect(lambda _: self._look())
        runs.project_read.connect(self._reread)
        runs.selection_changed.connect(self._look)
        for told in (workspace.searches.added, workspace.searches.changed):
            told.connect(lambda *search: self._say_invitation())

    def prepare(self) -> None:
        """Load the solvers in the background."""
        self._workspace.tasks.start(_load, lambda _: self.be_ready(), self._workspace.message.emit)

    def be_ready(self) -> None:
        """Check the form, now that the solvers are loaded and calls are fast, and carry out a command that waited."""
        self._ready = True
        self._check()
        self._reread()
        if self._early is not None:
            self._workspace.message.emit("")
            self.do(self._early)

    @property
    def workspace(self) -> Workspace:
        return self._workspace

    def show_found(self, of: str, advice: Sequence[Advice]) -> None:
        """Show advice before the findings about the data; it replaces earlier advice with the same key `of`."""
        self._found[of] = tuple(advice)
        self._checks.show_own([one for found in self._found.values() for one in found])

    @property
    def request(self) -> Request | None:
        """Return the request of the form, or None if an entry is invalid."""
        return self._request

    @property
    def current_run(self) -> int | None:
        """Return the run that the page shows."""
        return self._at_hand()

    # -- the form ---------------------------------------------------------------------------------

    def fill_form(self, texts: Mapping[str, str]) -> None:
        self._view.set_texts({**form.DEFAULTS, **texts})
        self._edited()

    def _show_classes(self) -> None:
        dataset = self._workspace.dataset
        self._view.show_classes({} if dataset is None else dataset.class_totals)

    def _edited(self) -> None:
        self._check()
        self._keep()

    def _keep(self) -> None:
        self._workspace.keep_form(KEPT, self._view.texts())
        self._runs.keep_setting(KEPT, {"view": self._view.view()})

    def _recall(self) -> None:
        """Restore the form entries last used for the open file; entries of another file do not stay."""
        workspace = self._workspace
        if workspace.path == self._form_of or (workspace.dataset is None and workspace.path is not None):
            return
        texts = workspace.form_texts(KEPT)
        if texts or self._form_of is not None or workspace.path is None:
            self._view.set_texts({**form.DEFAULTS, **texts})
        self._form_of = workspace.path

    def _reread(self) -> None:
        """Restore the last view of a project that was opened."""
        kept = self._runs.setting(KEPT)
        view = kept.get("view") if isinstance(kept, dict) else None  # the entry of a project file may be invalid
        self._view.set_view(view if _mapping(view) else {})
        self._check()
        self._look()

    def _check(self) -> None:
        """Read the request from the form, and check whether it can be trained."""
        self._request = None
        if not self._ready:
            waiting = tr("The solvers are being loaded…")
            self._hinder(waiting, waiting)
            return
        texts = self._view.texts()
        found = _found(texts, self._classes)
        self._view.show_choices(found)
        values, errors = form.read_form(texts, found.parameters)
        self._view.show_errors(errors)
        self._refused = found.reason
        if not errors:
            self._request = self._asked(values)
        self._cluster.look()
        if self._request is not None:
            self._intend(self._request)
        self._tell(bool(errors))

    def _intend(self, request: Request) -> None:
        weighted = request.class_weight is not None
        self._workspace.checks.intend(split=request.split, kernel=request.kernel, weighted=weighted)

    def _asked(self, values: dict[str, Any]) -> Request | None:
        """Return the request of the form; None if a name is invalid, which the choices of the form explain."""
        from mcsvm.solvers.errors import InputError

        try:
            return self._workspace.base_request(**values)
        except InputError:
            return None

    def _tell(self, wrong: bool) -> None:
        from mcsvm_gui.core.machine.command_line import command

        common = None
        if wrong:
            common = tr("Correct the marked fields first.")
        elif self._workspace.obstacle:
            common = self._workspace.obstacle
        elif self._request is not None and self._request.scheduler is not None:
            common = _not_on_cluster(self._request)
        self._hinder(common or self._refused, common)
        hidden = self._request is None or self._refused or self._workspace.refused
        self._view.show_command("" if hidden or self._request is None else command(self._request))

    def _hinder(self, one: str | None, all_: str | None) -> None:
        self._obstacle = all_
        self._view.show_obstacle(one, all_)

    @property
    def _classes(self) -> int:
        dataset = self._workspace.dataset
        return 3 if dataset is None else len(dataset.classes)

    def do(self, command: str) -> None:
        """Carry out a command of a menu or shortcut; if it is impossible, say why or do it later."""
        begin = {
            "trainAction": self.start,
            "trainAllAction": self.train_all,
            "findBestAction": lambda: self._view.find_best_asked.emit(),
        }
        end = {"pauseAction": self.pause, "stopKeepAction": self.stop, "discardAction": self.discard}
        why = ""
        if command == "continueAction":
            self.continue_runs()
            return
        if command in begin and not self._ready:
            self._early = command
        if command in begin:
            why = self._obstacle or (self._refused if command == "trainAction" else None) or ""
        elif not self._targets():
            why = tr("No training is running.")
        if why:
            self._workspace.message.emit(why)
        else:
            (begin | end)[command]()

    # -- commands ---------------------------------------------------------------------------------

    def start(self) -> None:
        if self._request is not None and self._refused is None:
            self._begin([self._request])

    def train_all(self) -> None:
        """Train those of the six machines that are compatible with the other choices; report why the others are not."""
        if self._request is None:
            return
        all_ = [replace(self._request, machine=name) for name in choices.FIRST_MACHINES]
        reasons = {request.machine: choices.why_not(request, self._classes) for request in all_}
        self._begin([request for request in all_ if reasons[request.machine] is None])
        refused = [f"{name}: {reason}" for name, reason in reasons.items() if reason is not None]
        if refused:
            self._workspace.message.emit(tr("Not trained: {reasons}", reasons=" ".join(refused)))

    def _begin(self, requests: list[Request]) -> None:
        if requests and self._workspace.dataset is not None:
            self._runs.select(self._workspace.train(requests))

    def pause(self) -> None:
        """Pause the targets, or resume them if all of them are paused."""
        targets = self._targets()
        act = self._queue.resume if self._rest(targets) else self._queue.pause
        for run in targets:
            act(run)

    def stop(self) -> None:
        for run in self._targets():
            self._queue.stop(run)

    def discard(self) -> None:
        for run in self._targets():
            self._queue.discard(run)

    def continue_runs(self) -> None:
        """Continue the selected runs that were stopped or interrupted."""
        chosen = self._continuable()
        if chosen:
            self._workspace.continue_runs(chosen)
        else:
            self._workspace.message.emit(
                tr("None of the selected runs can be continued. Select a run that was stopped.")
            )

    def _continuable(self) -> list[int]:
        return [record.id for record in self._chosen_records() if record.continuable]

    def _targets(self) -> list[int]:
        """Return the selected running jobs; without a selection, the current run."""
        going = self._going()
        chosen = [run for run in self._runs.selected if run in going]
        at_hand = self._at_hand()
        return chosen or ([at_hand] if at_hand in going else [])

    def _going(self) -> list[int]:
        return [key for key in self._queue.active() if isinstance(key, int) and key in self._runs]

    def _rest(self, runs: Sequence[int]) -> bool:
        return bool(runs) and all(self._state(run) is JobState.PAUSED for run in runs)

    # -- shown runs -------------------------------------------------------------------------------

    def _at_hand(self) -> int | None:
        """Return the last selected run, or else the newest active one; running ones precede waiting ones."""
        chosen = [run for run in self._runs.selected if run in self._runs]
        going = self._going()
        begun = [run for run in going if self._state(run) is not JobState.QUEUED]
        first = [run for run in chosen if run in begun] or [run for run in chosen if run in going]
        return next(reversed(first or chosen or begun or going), None)

    def _moved(self, run: int) -> None:
        self._changed.add(run)
        self._soon.start()

    def _added(self, runs: Sequence[int]) -> None:
        for run in runs:
            self._moved(run)

    def _runs_to_plot(self) -> list[int]:
        """Return the selected runs and the running ones."""
        running = [run for run in self._going() if self._state(run) is not JobState.QUEUED]
        wanted = dict.fromkeys([*self._runs.selected[-MOST:], *running])
        return [run for run in wanted if run in self._runs]

    def _look(self) -> None:
        """Show the runs to plot, draw the new ones, and describe the current run."""
        seen = self._runs_to_plot()
        new = set(seen) - set(self._plotted)
        self._plotted = seen
        records = [self._runs.record(run) for run in seen]
        self._view.show_runs([(record.id, record.name, record.machine) for record in records])
        self._draw(new)
        self._say()

    def _show_changed(self) -> None:
        """Update the plots; a run that is not selected leaves them when it ends."""
        changed, self._changed = self._changed, set()
        if self._runs_to_plot() != self._plotted:
            self._look()
        self._draw(changed)
        self._say()

    def _draw(self, runs: set[int]) -> None:
        seen = [run for run in self._plotted if run in runs]
        if seen:
            self._view.draw([self._history(run) for run in seen])

    def _history(self, run: int) -> History:
        from mcsvm_gui.core.evaluate.curves import History

        record, readings = self._runs.record(run), self._runs.readings(run)
        return History(
            run,
            record.name,
            record.machine,
            self._runs.trace(run).table(),
            {} if readings is None else readings.table(),
            self._class_names(record),
            (record.train_accuracy, record.test_accuracy),
            _support_in_the_end(record),
        )

    def _class_names(self, record: RunRecord) -> tuple[str, ...]:
        if record.document is not None:
            return tuple(record.document["classes"])
        dataset = self._workspace.dataset
        return dataset.classes if dataset is not None and self._workspace.holds(record.request) else ()

    def _chosen_records(self) -> list[RunRecord]:
        return [self._runs.record(run) for run in self._runs.selected if run in self._runs]

    # -- texts ------------------------------------------------------------------------------------

    def _say(self) -> None:
        run = self._at_hand()
        if run is None:
            self._view.show_actions(False, False)
            self._view.show_continue(False)
            self._say_invitation()
            return
        record, targets = self._runs.record(run), self._targets()
        self._view.show_actions(bool(targets), self._rest(targets))
        self._view.show_continue(bool(self._continuable()) and not targets)
        words = self._words(record)
        self._view.show_run(self._title(record), self._badge(record), words, bad=record.state == JobState.FAILED)
        self._view.show_run_command(self._command_of(record))

    def _say_invitation(self) -> None:
        if self._at_hand() is None:
            self._view.show_empty(self._invitation())

    def _invitation(self) -> str:
        if self._workspace.refused:
            return self._workspace.obstacle
        if self._workspace.dataset is None:
            return tr("No data yet. Open a file or a sample on the Data page, then come back to train.")
        if self._workspace.searches.active:
            return tr("C and gamma are being searched; the maps on the Tune page fill meanwhile. Curves follow here.")
        return tr(
            "Press “Find the best model”, and a sentence says which machine it is. Or train one, or all six;"
            " runs chosen in the table below appear here."
        )

    def _state(self, run: int) -> JobState:
        """Return the state of a run: from the queue for a job, else from the project."""
        return self._queue.state(run) if run in self._queue.active() else JobState(self._runs.record(run).state)

    def _command_of(self, record: RunRecord) -> str:
        """Return the command of a run; an empty text if its request is invalid in this version."""
        if not self._ready:
            return ""
        from mcsvm.solvers.errors import InputError
        from mcsvm_gui.core.machine.command_line import command

        try:
            return command(record.request)
        except InputError:
            return ""

    def _title(self, record: RunRecord) -> str:
        if record.document is None or not self._ready:
            return f"{record.name}, {record.data_name}"
        return f"{record.name}: {summary.title(record.document)}, {record.data_name}"

    def _badge(self, record: RunRecord) -> Badge:
        if record.state == JobState.DONE and record.document is not None:
            return summary.badge(record.document)
        return summary.badge_of_state(self._state(record.id), record.relative_gap)

    def _words(self, record: RunRecord) -> str:
        state = self._state(record.id)
        if record.state == JobState.FAILED:
            return record.error or tr("The training failed.")
        if not self._ready:
            return ""
        if record.document is not None:  # the leaderboard describes several runs better
            return " ".join(summary.sentences(record.document)) if len(self._plotted) == 1 else ""
        folds = self._runs.folds(record.id)
        if state is JobState.CALIBRATING and folds is not None:
            return f"{summary.state_sentence(state)} {summary.folds_text(folds.done, folds.folds)}."
        progress = None
        if record.active and state is not JobState.QUEUED:
            from mcsvm_gui.core.machine.time_left import shared_progress

            classes = len(self._class_names(record)) or self._classes
            progress = shared_progress(self._runs.trace(record.id), record.request, classes)
        return summary.state_sentence(state) if progress is None else summary.progress_text(progress)


def _found(texts: Mapping[str, str], classes: int) -> choices.Choices:
    """Return the choices that are compatible with the chosen names; an invalid name allows no parameters."""
    from mcsvm.solvers.errors import InputError

    try:
        return choices.choices(_plain(texts), classes)
    except InputError as error:
        others = {name: text for name, text in texts.items() if name != "kernel"}
        return replace(choices.choices(_plain(others), classes), reason=worded(error), parameters=())


def _not_on_cluster(request: Request) -> str | None:
    """Return why a request cannot be trained on the cluster, as far as that is known without asking it."""
    from mcsvm.solvers.errors import InputError
    from mcsvm_gui.core.cluster.posing import check

    try:
        check(request)
    except InputError as error:
        return worded(error)
    return None


def _support_in_the_end(record: RunRecord) -> tuple[int, ...]:
    """Return the support vectors of each class of an ended run; ignore an invalid entry of the project file."""
    counts = None if record.document is None else record.document.get("n_support_per_class")
    return tuple(counts) if isinstance(counts, list) and all(type(count) is int for count in counts) else ()


def _mapping(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _plain(texts: Mapping[str, str]) -> Request:
    """Return a request with the names alone, because compatibility does not depend on numbers."""
    from mcsvm_gui.core.machine.request import Request

    return Request(**{name: texts[name] for name in form.NAMES if texts.get(name)})  # type: ignore[arg-type]


def _load() -> None:
    from mcsvm_gui.core.check import table  # noqa: F401
    from mcsvm_gui.core.evaluate import curves  # noqa: F401
    from mcsvm_gui.core.machine import command_line, time_left  # noqa: F401

    choices.choices(_plain({}), 3)
