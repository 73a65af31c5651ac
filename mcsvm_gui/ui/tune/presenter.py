"""The Tune page's decisions: what can be searched, what was found, and what is said of it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.tune import form as tune_form
from mcsvm_gui.core.tune import summary as tune_summary
from mcsvm_gui.ui.runs.cells import CellBook
from mcsvm_gui.ui.tune.cluster import TuneCluster
from mcsvm_gui.ui.tune.report import TuneReport
from mcsvm_gui.ui.tune.view import TuneView

if TYPE_CHECKING:
    from mcsvm_gui.core.machine.request import Request
    from mcsvm_gui.core.tune.maps import TuneMaps
    from mcsvm_gui.core.tune.search import Tuned, TuneRequest, Tuning
    from mcsvm_gui.ui.runs.workspace import Workspace
    from mcsvm_gui.ui.threads.search import Searches
    from solvers.selection.cell import Cell
    from solvers.selection.task import Done

DRAWN_EVERY = 250  # milliseconds
SHARE, SELDOM = 0.05, 1000  # of the time that drawing may take, unless it comes to more milliseconds than this
WHOLE = "grid", "per-pair"  # searches that try every cell
KEPT = "tune"  # the key under which a project keeps the entries


class TunePresenter(QObject):
    """`ready` once the solvers are loaded; until then nothing is judged and nothing can be searched."""

    told = Signal(str)  # how far a search is; nothing where none goes on

    def __init__(self, view: TuneView, workspace: Workspace, searches: Searches, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view, self._workspace, self._runs, self._searches = view, workspace, workspace.runs, searches
        self._cells = CellBook(workspace.runs, self)
        self._ready = self._stopping = False
        self._going: tuple[Request, TuneRequest] | None = None  # what is searched
        self._asked: tuple[Request, TuneRequest] | None = None  # where every entry is right
        self._conditions = ""  # of what the form asks for; empty where it asks for nothing
        self._searched = ""  # conditions of the search that runs
        self._last: tuple[str, Tuned] | None = None  # the search that ended last, under its conditions
        self._eager = False  # to begin as soon as what the project knows is read
        self._pace = tune_summary.Pace()
        self._shown: TuneMaps | None = None  # what the form asks for, as far as it is known
        self._ticks = QTimer(self, interval=DRAWN_EVERY, singleShot=True)
        self._ticks.timeout.connect(self._look)
        self._listen()
        view.set_texts(tune_form.DEFAULTS)
        self._cluster, self._report = TuneCluster(view, workspace.tasks, self), TuneReport(view, workspace, self)
        self._report.changed.connect(self._look)
        self._judge()

    def _listen(self) -> None:
        view, searches, workspace = self._view, self._searches, self._workspace
        view.form_changed.connect(self._edited)
        view.value_changed.connect(self._look)
        view.machine_shown.connect(lambda _: self._say())
        view.start_asked.connect(self.start)
        view.stop_asked.connect(self.stop)
        view.extend_asked.connect(self.extend)
        view.train_best_asked.connect(self.train_best)
        view.cell_chosen.connect(self.train_cell)
        view.report_asked.connect(self.write_report)
        view.message.connect(workspace.message)
        workspace.data_changed.connect(self._data_changed)
        workspace.preparation_changed.connect(self._judge)
        self._runs.project_read.connect(self._reread)
        self._cells.arrived.connect(lambda _: self._arrived())
        self._cells.trouble.connect(workspace.message)
        searches.begun.connect(self._begun)
        searches.progressed.connect(self._progressed)
        searches.ended.connect(self._ended)
        searches.failed.connect(self._failed)

    def prepare(self) -> None:
        """Load what judges the form, behind the window."""
        self._workspace.tasks.start(_load, lambda _: self.be_ready(), self._workspace.message.emit)

    def be_ready(self) -> None:
        self._ready = True
        self._reread()

    # -- the form ---------------------------------------------------------------------------------

    def _edited(self) -> None:
        self._eager, self._last = False, None
        self._runs.keep_setting(KEPT, self._view.texts())
        self._view.show_failure("")
        self._judge()

    def _reread(self) -> None:
        """Another project, with its own last entries; what is searched belongs to the one before."""
        if self._searches.running and not self._cells.ready(self._searched):
            self.stop()
        kept = self._runs.setting(KEPT)
        if isinstance(kept, dict):  # files may hold anything
            texts = {name: text for name, text in kept.items() if name in tune_form.DEFAULTS and isinstance(text, str)}
            self._view.set_texts({**tune_form.DEFAULTS, **texts})
        self._judge()

    def _data_changed(self) -> None:
        self._view.show_failure("")
        if self._searches.running:
            self.stop()
        self._judge()

    def _judge(self) -> None:
        """What the form asks for, and whether that can be searched."""
        self._cluster.look()
        self._asked, self._conditions = None, ""
        if not self._ready:
            self._view.show_obstacle(tr("The solvers are being loaded…"))
        elif self._searches.running:
            self._asked, self._conditions = self._going, self._searched
        else:
            self._judge_form()
        self._look()

    def _judge_form(self) -> None:
        from mcsvm_gui.core.tune.cells import conditions

        entered = tune_form.read_form(self._view.texts())
        self._close_folds(bool(self._view.texts().get("holdout")))
        self._view.show_parameters(tune_form.parameters(self._view.texts()))
        self._view.show_errors(entered.errors)
        command = ""
        if entered.wanted is not None:
            request = self._request(entered.values)
            command = _command(request, entered.wanted)
            if self._workspace.dataset is not None:
                self._asked = request, entered.wanted
                self._conditions = conditions(request, entered.wanted)
        self._view.show_command(command)
        self._view.show_obstacle(self._obstacle(bool(entered.errors)))

    def _close_folds(self, held_out: bool) -> None:
        why = tr("Cells are validated on the share that is held out, instead of folds.") if held_out else ""
        for field in ("folds", "repeats"):
            self._view.close_field(field, why)

    def _request(self, values: dict[str, Any]) -> Request:
        """Without what is kept for the model that is trained afterwards."""
        from dataclasses import replace

        return replace(self._workspace.base_request(**values), holdout=None, test=None, test_digest=None)

    def _obstacle(self, wrong: bool) -> str:
        dataset = self._workspace.dataset
        if wrong:
            return tr("Correct what is marked first.")
        if dataset is None:
            return tr("Open data first, on the Data page.")
        return "" if self._runs.loaded else tr("The project is being read…")

    # -- a search ---------------------------------------------------------------------------------

    def start(self) -> None:
        """What is known already is not done again."""
        dataset = self._workspace.dataset
        if self._asked is None or dataset is None or self._searches.running:
            return
        self._eager = not self._cells.ready(self._conditions)
        if self._eager:
            return
        request, wanted = self._going = self._asked
        self._searched, self._last, self._stopping = self._conditions, None, False
        self._pace = tune_summary.Pace()
        self._view.show_failure("")
        done = {} if self._shown is None else self._shown.results.trials
        self._searches.start(request, wanted, dataset, done)
        self._look()

    def stop(self) -> None:
        self._stopping = True
        self._searches.stop()
        self._look()

    def extend(self) -> None:
        """Beyond the edges that the best cells lie on."""
        texts = self._view.texts()
        found = {} if self._shown is None else self._shown.edges(self._view.machine)
        edges = dict.fromkeys(edge for mine in found.values() for edge in mine)
        moved = tune_form.extended(texts, tuple(edges))
        if not moved:
            self._workspace.message.emit(tr("There is nothing to be found further out."))
            return
        self._view.set_texts({**texts, **moved})
        self._edited()
        self.start()

    def _arrived(self) -> None:
        self._judge()
        if self._eager:
            self.start()

    def _begun(self, tuning: Tuning) -> None:
        self._keep_conditions(tuning)
        said = dict.fromkeys(notice.sentence for notice in tuning.notices if notice not in tuning.dataset.notices)
        if said:
            self._workspace.message.emit(" ".join(said))

    def _keep_conditions(self, tuning: Tuning) -> None:
        """In plain words beside the cells, whose key tells nobody what they depend on."""
        from mcsvm_gui.core.tune.cells import setting_of
        from mcsvm_gui.core.tune.document import asked_document

        asked = asked_document(tuning.request, tuning.wanted)
        kept = {name: asked[name] for name in ("request", "search", "folds", "repeats", "holdout", "seed")}
        self._runs.keep_setting(setting_of(self._searched), {**kept, "classes": list(tuning.class_names)})

    def _progressed(self, done: list[Done]) -> None:
        if not self._cells.ready(self._searched):
            return
        self._cells.add(self._searched, done)
        self._pace.add(done)
        if not self._ticks.isActive():
            self._ticks.start()

    def _ended(self, tuned: Tuned) -> None:
        self._last = self._searched, tuned
        self._view.show_failure(tuned.trouble)
        self._judge()

    def _failed(self, sentence: str) -> None:
        self._view.show_failure(sentence)
        self._judge()

    # -- what was found ---------------------------------------------------------------------------

    def _known(self) -> TuneMaps | None:
        """Of what is asked for; the solvers are loaded where anything is."""
        if self._asked is None:
            return None
        from mcsvm_gui.core.tune.maps import TuneMaps
        from mcsvm_gui.core.tune.results import TuneResults
        from solvers.selection.grid import Grid
        from solvers.selection.search import SEARCHES

        _, wanted = self._asked
        grid = Grid(wanted.machines, wanted.costs, wanted.gammas)
        cells, two_line = self._cells.of(self._conditions), wanted.search == "two-line"
        halved = SEARCHES[wanted.search].halves
        results = TuneResults(grid, wanted.parts, cells, with_linear=two_line, halved=halved)
        return TuneMaps(results, self._searches.running)

    def _look(self) -> None:
        self._ticks.stop()
        began = time.perf_counter()
        self._show()
        spent = 1e3 * (time.perf_counter() - began)
        self._ticks.setInterval(min(max(DRAWN_EVERY, int(spent / SHARE)), SELDOM))

    def _show(self) -> None:
        running = self._searches.running
        self._view.show_running(running, self._stopping and running)
        self._shown = self._known()
        if self._shown is None or not (self._shown.results.cells or running):
            self._view.show_empty(self._invitation())
        else:
            self._view.show_maps(self._shown.maps(self._view.value))
        self._report.offer(bool(self._shown is not None and self._shown.results.cells))
        self._say()
        self._say_progress()

    # -- a report ---------------------------------------------------------------------------------

    def write_report(self, path: str) -> None:
        """Of the search that is shown."""
        if self._shown is not None and self._asked is not None and self._shown.results.cells:
            running, said = self._searches.running, _command(*self._asked)
            self._report.write(path, self._asked, self._shown, self._tuned, running, said)

    # -- training ---------------------------------------------------------------------------------

    def train_best(self) -> None:
        """Of each machine that is looked at."""
        if self._shown is not None:
            self._train(list(self._shown.best(self._view.machine).values()))

    def train_cell(self, machine: str, cost: float, gamma: float | None) -> None:
        from solvers.selection.cell import Cell

        self._train([Cell(machine, cost, gamma)])

    def _train(self, cells: Sequence[Cell]) -> None:
        from mcsvm_gui.core.tune.maps import titled

        if not cells or self._asked is None or self._workspace.dataset is None:
            return
        runs = self._workspace.train([self._training(cell) for cell in cells])
        self._runs.select(runs)
        self._workspace.message.emit(tr("In training, to be watched on the Train page: {what}", what=titled(cells)))

    def _training(self, cell: Cell) -> Request:
        """With everything as in the search but the limit of time, which is none of the model's."""
        assert self._asked is not None
        searched, _ = self._asked
        kernel = "linear" if cell.gamma is None and searched.kernel == "rbf" else searched.kernel
        gamma = {} if cell.gamma is None else {"gamma": cell.gamma}
        return self._workspace.base_request(
            machine=cell.machine,
            kernel=kernel,
            C=cell.C,
            degree=searched.degree,
            coef0=searched.coef0,
            class_weight=searched.class_weight,
            **gamma,
        )

    # -- what is said -----------------------------------------------------------------------------

    @property
    def _tuned(self) -> Tuned | None:
        """The search that ended last, where the form, the data and their preparation still ask for it."""
        return self._last[1] if self._last is not None and self._last[0] == self._conditions else None

    def _invitation(self) -> str:
        if self._workspace.dataset is None:
            return tr("No data yet. Open a file or a sample on the Data page, then come back to search C and gamma.")
        return tr(
            "Nothing was searched yet. Press Search to try every combination of C and gamma by cross-validation:"
            " a map for each machine fills while you watch, and a click on a cell trains it."
        )

    def _say(self) -> None:
        here = self._view.machine
        if self._shown is None:
            self._view.show_best("", tr("Train the best"))
            self._view.show_offer("")
            return
        tuned = self._tuned
        composites, nested = ({}, ()) if tuned is None else (tuned.composites, tuned.nested)
        many = len(self._shown.best(here)) > 1
        button = tr("Train the best of each machine") if many else tr("Train the best")
        self._view.show_best(self._shown.best_words(here, composites, nested), button)
        self._view.show_offer(self._shown.edge_words(here))

    def _say_progress(self) -> None:
        if self._shown is None or self._asked is None:
            self._view.show_progress(0, 1, "")
            self.told.emit("")
            return
        results, running = self._shown.results, self._searches.running
        missing, done = results.missing(), results.done
        expected = done + sum(missing.values()) if self._asked[1].search in WHOLE else None
        left = self._pace.left(missing, results.cells) if running and expected is not None else None
        words = tune_summary.progress_words(done, expected, left)
        if running and self._searches.nested:
            nested = figures.count(self._searches.nested)
            words = tr(
                "{said}, then {nested} for the nested validation",
                said=tune_summary.progress_words(done, expected, None),
                nested=nested,
            )
        elif running and not self._pace.counted:
            words = tr("{said}, being prepared", said=words)
        self._view.show_progress(done, expected, words if done or running else "")
        self.told.emit(words if running else "")
        self._say_action(done)
        judged = not self._asked[1].nested or (self._tuned is not None and not self._tuned.stopped)
        if judged and not (missing or running) and self._asked[1].search == "grid":
            self._view.show_obstacle(tr("Every cell is known. Change the ranges or the step to search on."))

    def _say_action(self, done: int) -> None:
        if done:
            self._view.show_action(tr("Search on"), tr("What is done is not done again"))
        else:
            self._view.show_action(tr("Search"), tr("Try cells of the grid by cross-validation"))


def _command(request: Request, wanted: TuneRequest) -> str:
    """Nothing where the command line cannot say it."""
    from mcsvm_gui.core.tune.command import tune_command
    from solvers.errors import InputError

    try:
        return tune_command(request, wanted)
    except InputError:
        return ""


def _load() -> None:
    """Also what is asked for once a search runs: an import in its midst holds up the window."""
    from mcsvm_gui.core import report  # noqa: F401
    from mcsvm_gui.core.tune import command as tune_command  # noqa: F401

    tune_form.read_form(tune_form.DEFAULTS)
