"""Presenter of the Tune page: decides what can be searched, and shows the results and their description."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import as_sentence, tr, worded
from mcsvm_gui.core.data import splitting
from mcsvm_gui.core.machine.identity import preprocessing_text
from mcsvm_gui.core.machine.request import OPTIONS
from mcsvm_gui.core.machine.state import ENDED, JobState
from mcsvm_gui.core.machine.summary import time_left_text
from mcsvm_gui.core.project.leaderboard import CHOSEN, MEASURES, search_choice, with_choices
from mcsvm_gui.core.tune import form, summary
from mcsvm_gui.ui.runs.checks import EXTEND, FormChecks
from mcsvm_gui.ui.threads.cluster import ClusterField
from mcsvm_gui.ui.tune.report import TuneReport
from mcsvm_gui.ui.tune.view import TuneView

if TYPE_CHECKING:
    from mcsvm.solvers.selection.cell import Cell
    from mcsvm.solvers.selection.scores import Score
    from mcsvm_gui.core.check.advice import Advice
    from mcsvm_gui.core.machine.request import Request
    from mcsvm_gui.core.tune.maps import TuneMaps
    from mcsvm_gui.core.tune.search import Tuned, TuneRequest, Tuning
    from mcsvm_gui.ui.runs.searches import Search
    from mcsvm_gui.ui.runs.workspace import Workspace

DRAWN_EVERY = 250  # milliseconds
SHARE, SELDOM = 0.05, 1000  # share of the time that drawing may take, and longest interval in milliseconds
KEPT = "tune"  # the key under which a project stores the entries


class TunePresenter(QObject):
    """`ready` is true once the solvers are loaded; before that nothing is checked and nothing can be searched."""

    def __init__(self, view: TuneView, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view, self._workspace, self._runs, self._searches = view, workspace, workspace.runs, workspace.searches
        self._cells = self._searches.cells
        self._ready = False
        self._score = form.DEFAULTS["score"]
        self._asked: tuple[Request, TuneRequest] | None = None  # set if every entry is valid
        self._conditions = ""  # conditions of the form's request; empty without a request
        self._form_of: str | None = None  # the file whose entries the form shows
        self._state: JobState | None = None  # of the search that was shown last
        self._last: Search | None = None  # the search that ended last
        self._shown: TuneMaps | None = None  # the known results of the form's request
        self._ticks = QTimer(self, interval=DRAWN_EVERY, singleShot=True)
        self._ticks.timeout.connect(self._look)
        self._listen()
        view.set_texts(form.DEFAULTS)
        self._cluster = ClusterField(view, workspace.tasks, self, beside="jobs")
        self._report = TuneReport(view, workspace, self)
        self._report.changed.connect(self._look)
        self._check()

    def _listen(self) -> None:
        view, searches, workspace = self._view, self._searches, self._workspace
        view.form_changed.connect(self._edited)
        view.value_changed.connect(self._look)
        view.machine_shown.connect(lambda _: self._say())
        view.start_asked.connect(self.start)
        view.stop_asked.connect(self.stop)
        view.check_acted.connect(lambda option, value: self.extend() if option == EXTEND else None)
        self._checks = FormChecks(view, workspace.checks, form.ASKED, self._edited)
        view.train_best_asked.connect(self.train_best)
        view.cell_chosen.connect(self.train_cell)
        view.report_asked.connect(self.write_report)
        view.message.connect(workspace.message)
        view.python_asked.connect(self._copy_script)
        workspace.data_changed.connect(self._data_changed)
        workspace.preparation_changed.connect(self._check)
        for signal in (workspace.data_failed, workspace.loading, workspace.loading_cancelled):
            signal.connect(lambda *ignored: self._check())
        view.reset_asked.connect(self.reset)
        self._runs.project_read.connect(self._reread)
        self._cells.arrived.connect(lambda _: self._check())
        self._cells.failed.connect(workspace.message)
        searches.added.connect(self._check)
        searches.begun.connect(self._begun)
        searches.changed.connect(self._follow)

    def prepare(self) -> None:
        """Load the modules that check the form, in the background."""
        self._workspace.tasks.start(_load, lambda _: self.be_ready(), self._workspace.message.emit)

    def be_ready(self) -> None:
        self._ready = True
        self._reread()

    # -- the form ---------------------------------------------------------------------------------

    def _edited(self) -> None:
        self._last = None
        self._workspace.keep_form(KEPT, self._view.texts())
        self._view.show_failure("")
        self._check()

    def _reread(self) -> None:
        """Check the form again, as a project with other cells was opened."""
        self._check()

    def _recall(self) -> None:
        """Restore the form entries last used for the open file; entries of another file do not stay."""
        workspace = self._workspace
        if workspace.path == self._form_of or (workspace.dataset is None and workspace.path is not None):
            return
        texts = {name: text for name, text in workspace.form_texts(KEPT).items() if name in form.DEFAULTS}
        if texts or self._form_of is not None or workspace.path is None:
            self._view.set_texts({**form.DEFAULTS, **texts})
        self._form_of = workspace.path

    def reset(self) -> None:
        self._view.set_texts(form.DEFAULTS)
        self._edited()

    def _data_changed(self) -> None:
        self._recall()
        self._view.show_failure("")
        dataset = self._workspace.dataset
        self._view.show_classes({} if dataset is None else dataset.class_totals)
        self._check()

    def _check(self) -> None:
        """Read the request from the form, and check whether it can be searched."""
        self._cluster.look()
        self._asked, self._conditions = None, ""
        if not self._ready:
            self._view.show_obstacle(tr("The solvers are being loaded…"))
        elif (search := self._current) is not None:
            self._asked, self._conditions = (search.request, search.wanted), search.conditions
        else:
            self._check_form()
        self._look()

    def _check_form(self) -> None:
        from mcsvm_gui.core.tune.cells import conditions

        entered = form.read_form(self._view.texts())
        self._follow_score(self._view.texts().get("score", self._score))
        self._close_folds(bool(self._view.texts().get("holdout")))
        self._view.show_parameters(form.parameters(self._view.texts()))
        entered = self._of_these_classes(entered)
        self._view.show_errors(entered.errors)
        command = ""
        if entered.wanted is not None:
            request = self._request(entered.values)
            self._workspace.checks.intend(folds=entered.wanted.folds)
            command = _command(request, entered.wanted)
            if self._workspace.dataset is not None:
                self._asked = request, entered.wanted
                self._conditions = conditions(request, entered.wanted)
        self._view.show_command(command)
        self._view.show_obstacle(self._obstacle(bool(entered.errors)))

    def _of_these_classes(self, entered: form.Entered) -> form.Entered:
        """Return the entries, with an error if the costs do not fit the classes of the data."""
        if entered.wanted is None:
            return entered
        try:
            self._measure(self._request(entered.values), entered.wanted)
        except InputError as error:
            return form.Entered(entered.values, None, {"costs": worded(error)})
        return entered

    def _measure(self, request: Request, wanted: TuneRequest) -> Score | None:
        """Return the score; None if only the search will know the classes: it drops rows with missing values."""
        from mcsvm_gui.core.tune.cells import conditions, setting_of
        from mcsvm_gui.core.tune.search import score_of

        dataset = self._workspace.dataset
        if dataset is None:
            return None
        said = self._runs.setting(setting_of(conditions(request, wanted)))
        if isinstance(said, dict) and "classes" in said:
            return score_of(wanted, said["classes"])
        return None if request.rules.missing == "drop" else score_of(wanted, dataset.classes)

    def _follow_score(self, score: str) -> None:
        """Show the measure by which cells are chosen, until the user picks another."""
        if score != self._score:
            self._score = score
            self._view.show_value(score)

    def _close_folds(self, held_out: bool) -> None:
        why = tr("Cells are validated on the share that is held out, instead of folds.") if held_out else ""
        dataset = self._workspace.dataset
        way = self._view.texts().get("split") or OPTIONS["split"].default
        if not why and dataset is not None and splitting.kind_of(dataset, way) == "column":
            why = tr("Cells are validated on the folds that a column of the data names.")
        for field in ("folds", "repeats"):
            self._view.close_field(field, why)

    def _request(self, values: dict[str, Any]) -> Request:
        """Return the request of the form without the test set of the model that is trained afterwards."""
        from dataclasses import replace

        return replace(self._workspace.base_request(**values), holdout=None, test=None, test_digest=None)

    def _obstacle(self, wrong: bool) -> str:
        if wrong:
            return tr("Correct the marked fields first.")
        if self._workspace.obstacle:
            return self._workspace.obstacle
        return "" if self._runs.loaded else tr("The project is being read…")

    # -- a search ---------------------------------------------------------------------------------

    @property
    def _current(self) -> Search | None:
        """Return the running or waiting search on the open data, which the page shows."""
        return next((search for search in self._searches.active if self._workspace.holds(search.request)), None)

    def start(self) -> None:
        dataset = self._workspace.dataset
        if self._asked is None or dataset is None or not self._runs.loaded or self._current is not None:
            return
        self._last = None
        self._view.show_failure("")
        self._searches.start(*self._asked, dataset)

    def stop(self) -> None:
        if self._current is not None:
            self._searches.stop(self._current)

    def extend(self) -> None:
        """Extend the ranges beyond the edges on which the best cells lie."""
        texts = self._view.texts()
        found = {} if self._shown is None else self._shown.edges(self._view.machine)
        edges = dict.fromkeys(edge for mine in found.values() for edge in mine)
        moved = form.extended(texts, tuple(edges))
        if not moved:
            self._workspace.message.emit(tr("There is nothing to be found further out."))
            return
        self._view.set_texts({**texts, **moved})
        self._edited()
        self.start()

    def _edges(self) -> list[Advice]:
        """Return advice about the best shown cells that lie on an edge."""
        found = {} if self._shown is None else self._shown.edges(self._view.machine)
        if not found:
            return []
        from dataclasses import replace

        from mcsvm_gui.core.check.advice import Action, advice_of
        from mcsvm_gui.core.check.results import CheckedResults
        from mcsvm_gui.core.check.table import check_results
        from mcsvm_gui.core.tune.maps import title

        extend = Action(tr("Extend and continue the search"), EXTEND)
        findings = check_results(CheckedResults(edges={title(name): edges for name, edges in found.items()}))
        return [replace(advice_of(one), actions=(extend,)) for one in findings]

    def _begun(self, search: Search, tuning: Tuning) -> None:
        notices = (notice for notice in tuning.notices if notice not in tuning.dataset.notices)
        said = dict.fromkeys(as_sentence(worded(notice.sentence)) for notice in notices)
        if said:
            self._workspace.message.emit(" ".join(said))

    def _follow(self, search: Search) -> None:
        """Draw new cells soon, and another state at once."""
        if search.state in ENDED and search.conditions == self._conditions:
            self._last = search
            self._view.show_failure(search.error)
        if search.state is not self._state:
            self._state = search.state
            self._check()
        elif not self._ticks.isActive():
            self._ticks.start()

    # -- results ----------------------------------------------------------------------------------

    def _known(self) -> TuneMaps | None:
        """Return the known results of the form's request; the solvers are loaded if there are any."""
        if self._asked is None:
            return None
        from mcsvm_gui.core.tune.maps import TuneMaps
        from mcsvm_gui.core.tune.results import parts_of, results_of

        dataset, (request, wanted) = self._workspace.dataset, self._asked
        parts = None if dataset is None else parts_of(request, wanted, dataset)
        known = self._cells.for_search(wanted, self._conditions)
        results = results_of(wanted, known, parts, self._measure(request, wanted))
        return TuneMaps(results, self._current is not None)

    def _look(self) -> None:
        self._ticks.stop()
        began = time.perf_counter()
        self._show()
        spent = 1e3 * (time.perf_counter() - began)
        self._ticks.setInterval(min(max(DRAWN_EVERY, int(spent / SHARE)), SELDOM))

    def _show(self) -> None:
        search = self._current
        running = search is not None
        self._view.show_running(running, search is not None and search.state is JobState.STOPPING)
        self._shown = self._known()
        if self._shown is None or not (self._shown.results.cells or running):
            self._view.show_empty(self._invitation())
        else:
            self._view.show_maps(self._shown.maps(self._view.value, robust=self._view.robust))
        self._report.offer(bool(self._shown is not None and self._shown.results.cells))
        self._say()
        self._say_progress()

    def _copy_script(self) -> None:
        asked, dataset = self._asked, self._workspace.dataset
        if asked is None or dataset is None:
            return

        def make() -> str:
            from mcsvm_gui.core.experiment.python_script import search_script

            return search_script(*asked, dataset)

        self._workspace.copy_script(make)

    # -- a report ---------------------------------------------------------------------------------

    def write_report(self, path: str) -> None:
        """Write the report of the search that is shown."""
        if self._shown is not None and self._asked is not None and self._shown.results.cells:
            running, said = self._current is not None, _command(*self._asked)
            self._report.write(path, self._asked, self._shown, self._tuned, running, said)

    # -- training ---------------------------------------------------------------------------------

    def train_best(self) -> None:
        """Train the best cell of each machine that is shown."""
        if self._shown is not None:
            self._train(list(self._shown.best(self._view.machine).values()), best=True)

    def train_cell(self, machine: str, cost: float, gamma: float | None) -> None:
        from mcsvm.solvers.selection.cell import Cell

        self._train([Cell(machine, cost, gamma)])

    def _train(self, cells: Sequence[Cell], *, best: bool = False) -> None:
        """Train machines at these cells; `best`: they are the best cells of their machines, sorted by score."""
        from mcsvm_gui.core.tune.maps import titled

        if not cells or self._asked is None or self._workspace.dataset is None:
            return
        runs = self._workspace.train([self._training(cell) for cell in cells])
        self._keep_choice(runs, cells, best=best)
        self._runs.select(runs)
        self._workspace.message.emit(tr("Training started, see the Train page: {what}", what=titled(cells)))

    def _keep_choice(self, runs: Sequence[int], cells: Sequence[Cell], *, best: bool) -> None:
        """Store the cross-validation result of each run for the leaderboard and its conclusion."""
        from mcsvm.solvers.selection.scores import SCORES
        from mcsvm_gui.core.tune.best import Chosen

        assert self._shown is not None
        assert self._asked is not None
        results, search = self._shown.results, self._asked[1]
        judged = results.score.name in MEASURES
        choices = {}
        for number, (run, cell) in enumerate(zip(runs, cells, strict=True)):
            known = results.cells.get(cell)
            if known is None:
                continue
            known = known if judged else known.scored(SCORES["accuracy"])
            edges = results.grid.edges(cell)
            combination = Chosen(cell, known.mean, edges, self._current is not None, (), known.share, known.score.name)
            request = self._runs.record(run).request
            seen = request.holdout is not None and search.test_share != request.holdout
            choices[run] = search_choice(combination, chosen=best and judged and number == 0, seen=seen)
        self._runs.keep_setting(CHOSEN, with_choices(self._runs.setting(CHOSEN), self._runs.ids(), choices))

    def _training(self, cell: Cell) -> Request:
        """Return the request of a cell, with the settings of the search except its time limit, which is not for the
        model.
        """
        assert self._asked is not None
        searched, _ = self._asked
        kernel = "linear" if cell.gamma is None and searched.kernel == "rbf" else searched.kernel
        gamma = {} if cell.gamma is None else {"gamma": cell.gamma}
        asked = {name: getattr(searched, name) for name in form.OF_REQUEST if name != "time_limit"}
        return self._workspace.base_request(
            **{**asked, **gamma, "machine": cell.machine, "kernel": kernel, "C": cell.C}
        )

    # -- texts ------------------------------------------------------------------------------------

    @property
    def _tuned(self) -> Tuned | None:
        """Return the search that ended last, if form, data and preprocessing still match it."""
        return self._last.tuned if self._last is not None and self._last.conditions == self._conditions else None

    def _invitation(self) -> str:
        if self._workspace.dataset is None:
            return tr("No data yet. Open a file or a sample on the Data page, then come back to search C and gamma.")
        return tr(
            "No search yet. Press Search to try every combination of C and gamma by cross-validation:"
            " a map for each machine fills while you watch, and a click on a cell trains it."
        )

    def _say(self) -> None:
        here = self._view.machine
        self._checks.show_own(self._edges())
        if self._shown is None:
            self._view.show_best("", tr("Train the best"))
            return
        tuned = self._tuned
        composites, nested = ({}, ()) if tuned is None else (tuned.composites, tuned.nested)
        many = len(self._shown.best(here)) > 1
        button = tr("Train the best of each machine") if many else tr("Train the best")
        self._view.show_best(self._shown.best_text(here, composites, nested), button)

    def _say_progress(self) -> None:
        if self._shown is None or self._asked is None:
            self._view.show_progress(0, 1, "")
            return
        from mcsvm_gui.core.tune.results import WHOLE, trials_of

        wanted = self._asked[1]
        results, search = self._shown.results, self._current
        missing, done = results.missing(), results.done
        if wanted.search == "halving":  # its cells have fits on several shares of the rows
            done = len(trials_of(wanted, self._cells.shares_of(self._conditions)))
        expected = done + sum(missing.values()) if wanted.search in WHOLE else None
        if search is not None and search.progress is not None and expected is None:
            done, expected = search.progress.done, search.progress.expected
        words = summary.progress_text(done, expected)
        if search is not None:
            words = _with_state(search, words)
            if search.request.rules != self._workspace.rules:  # changed since the search began
                words = f"{words} · {preprocessing_text(search.request.document())}"
        elif self._tuned is not None and self._tuned.over_budget:
            words = tr("{said}; the time budget ended the search", said=words)
        if not done and search is None:
            words = self._nothing_found()
        self._view.show_progress(done, expected, words)
        self._say_action(done)
        judged = not self._asked[1].nested or (self._tuned is not None and not self._tuned.stopped)
        if judged and not missing and search is None and self._asked[1].search == "grid":
            self._view.show_obstacle(
                tr("Every cell has been computed. Change the ranges or the step to continue the search.")
            )

    def _nothing_found(self) -> str:
        """Return a sentence if the time budget ended the last search before its first result, else nothing."""
        if self._tuned is None:
            return ""
        from mcsvm_gui.core.tune.search import nothing_found

        sentence = nothing_found(self._tuned)
        return "" if sentence is None else worded(sentence)

    def _say_action(self, done: int) -> None:
        if done:
            self._view.show_action(tr("Continue the search"), tr("Finished fits are not repeated"))
        else:
            self._view.show_action(tr("Search"), tr("Try cells of the grid by cross-validation"))


def _with_state(search: Search, words: str) -> str:
    progress = search.progress
    if search.state in (JobState.QUEUED, JobState.PAUSED):
        return f"{search.state.label}: {words}"
    if progress is not None and progress.tried_inside:
        nested = figures.count(progress.tried_inside)
        return tr("{said}, then {nested} for the nested validation", said=words, nested=nested)
    if progress is None or not progress.tried:
        return tr("{said}, being prepared", said=words)
    left = time_left_text(progress.seconds_left())
    return f"{words}, {left}" if left else words


def _command(request: Request, wanted: TuneRequest) -> str:
    """Return the command of a search; an empty text if the command line cannot express it."""
    from mcsvm.solvers.errors import InputError
    from mcsvm_gui.core.tune.command import tune_command

    try:
        return tune_command(request, wanted)
    except InputError:
        return ""


def _load() -> None:
    """Import the modules, also those a search needs later: an import during a search would block the window."""
    from mcsvm_gui.core import report  # noqa: F401
    from mcsvm_gui.core.tune import command  # noqa: F401

    form.read_form(form.DEFAULTS)
