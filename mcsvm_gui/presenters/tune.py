"""The Tune page's decisions: what can be searched, what was found, and what is said of it."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject, QTimer, SignalInstance

from mcsvm_gui.core import figures, heat, tune_account, tune_form
from mcsvm_gui.core.words import tr
from mcsvm_gui.presenters.cell_book import CellBook

if TYPE_CHECKING:
    from mcsvm_gui.core.heat import HeatMap
    from mcsvm_gui.core.request import Request
    from mcsvm_gui.core.tune_results import TuneResults
    from mcsvm_gui.core.tuning import Tuned, TuneRequest, Tuning
    from mcsvm_gui.presenters.workspace import Workspace
    from mcsvm_gui.workers.search import Searches
    from solvers.selection.cell import Cell
    from solvers.selection.task import Done

DRAWN_EVERY = 250  # milliseconds
KEPT = "tune"  # the key under which a project keeps the entries


class TuneView(Protocol):
    form_changed: SignalInstance
    value_changed: SignalInstance
    machine_shown: SignalInstance
    start_asked: SignalInstance
    stop_asked: SignalInstance
    extend_asked: SignalInstance
    train_best_asked: SignalInstance
    cell_chosen: SignalInstance
    message: SignalInstance

    @property
    def value(self) -> str: ...
    @property
    def machine(self) -> str: ...
    def texts(self) -> dict[str, str]: ...
    def set_texts(self, texts: Mapping[str, str]) -> None: ...
    def show_parameters(self, parameters: Collection[str]) -> None: ...
    def show_errors(self, errors: Mapping[str, str]) -> None: ...
    def show_scheduler(self, reason: str) -> None: ...
    def show_command(self, command: str) -> None: ...
    def show_obstacle(self, why: str) -> None: ...
    def show_action(self, start: str, tip: str) -> None: ...
    def show_running(self, running: bool, stopping: bool) -> None: ...
    def show_progress(self, done: int, expected: int | None, words: str) -> None: ...
    def show_failure(self, sentence: str) -> None: ...
    def show_empty(self, words: str) -> None: ...
    def show_maps(self, maps: Sequence[HeatMap]) -> None: ...
    def show_best(self, words: str, button: str) -> None: ...
    def show_offer(self, words: str) -> None: ...


class TunePresenter(QObject):
    """`ready` once the solvers are loaded; until then nothing is judged and nothing can be searched."""

    def __init__(self, view: TuneView, workspace: Workspace, searches: Searches, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view, self._workspace, self._runs, self._searches = view, workspace, workspace.runs, searches
        self._cells = CellBook(workspace.runs, self)
        self._ready = self._stopping = False
        self._asked: tuple[Request, TuneRequest] | None = None  # where every entry is right
        self._conditions = ""  # of what the form asks for; empty where it asks for nothing
        self._searched = ""  # conditions of the search that runs
        self._tuned: Tuned | None = None  # the last one that ended, as long as the form asks for it
        self._expected: int | None = None
        self._began = self._worked = 0.0
        self._counted = 0
        self._left: float | None = None
        self._words: dict[Cell, tuple[int, str]] = {}
        self._ticks = QTimer(self, interval=DRAWN_EVERY, singleShot=True)
        self._ticks.timeout.connect(self._look)
        self._listen()
        view.set_texts(tune_form.DEFAULTS)
        view.show_scheduler(tr("Searching on a cluster is not possible yet."))
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
        view.message.connect(workspace.message)
        workspace.data_changed.connect(self._data_changed)
        workspace.preparation_changed.connect(self._judge)
        self._runs.reset.connect(self._reread)
        self._cells.arrived.connect(lambda _: self._judge())
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
        self._runs.keep_setting(KEPT, self._view.texts())
        self._view.show_failure("")
        self._judge()

    def _reread(self) -> None:
        """Another project, with its own last entries."""
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
        self._asked, self._conditions = None, ""
        if not self._ready:
            self._view.show_obstacle(tr("The solvers are being loaded…"))
        elif self._searches.running:
            self._asked, self._conditions = self._going, self._searched
        else:
            self._judge_form()
        self._look()

    def _judge_form(self) -> None:
        from mcsvm_gui.core.tune_command import tune_command
        from mcsvm_gui.core.tuning_cells import conditions

        entered = tune_form.read_form(self._view.texts())
        self._view.show_parameters(tune_form.parameters(self._view.texts()))
        self._view.show_errors(entered.errors)
        command = ""
        if entered.wanted is not None:
            request = self._request(entered.values)
            command = tune_command(request, entered.wanted)
            if self._workspace.dataset is not None:
                self._asked = request, entered.wanted
                self._conditions = conditions(request, entered.wanted)
        self._view.show_command(command)
        self._view.show_obstacle(self._obstacle(bool(entered.errors)))

    def _request(self, values: dict[str, Any]) -> Request:
        """Without what is kept for the model that is trained afterwards."""
        from dataclasses import replace

        return replace(self._workspace.base_request(**values), holdout=None, test=None)

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
        if self._asked is None or dataset is None or self._searches.running or not self._cells.ready(self._conditions):
            return
        request, wanted = self._going = self._asked
        self._searched, self._tuned, self._stopping = self._conditions, None, False
        self._began, self._worked, self._counted, self._expected, self._left = time.monotonic(), 0.0, 0, None, None
        self._view.show_failure("")
        self._searches.start(request, wanted, dataset, self._results().trials)
        self._look()

    def stop(self) -> None:
        self._stopping = True
        self._searches.stop()
        self._look()

    def extend(self) -> None:
        """Beyond the edges that the best cells lie on."""
        texts = self._view.texts()
        edges = tuple(dict.fromkeys(edge for found in self._edges().values() for edge in found))
        moved = tune_form.extended(texts, edges)
        if not moved:
            self._workspace.message.emit(tr("There is nothing to be found further out."))
            return
        self._view.set_texts({**texts, **moved})
        self._edited()
        self.start()

    def _begun(self, tuning: Tuning) -> None:
        self._expected = tuning.expected
        said = dict.fromkeys(notice.sentence for notice in tuning.notices if notice not in tuning.dataset.notices)
        if said:
            self._workspace.message.emit(" ".join(said))

    def _progressed(self, done: list[Done]) -> None:
        self._cells.add(self._searched, done)
        self._counted += len(done)
        self._worked += sum(result.seconds for _, result in done)
        if not self._ticks.isActive():
            self._ticks.start()

    def _ended(self, tuned: Tuned) -> None:
        self._tuned = tuned
        self._judge()

    def _failed(self, sentence: str) -> None:
        self._view.show_failure(sentence)
        self._judge()

    # -- what was found ---------------------------------------------------------------------------

    def _results(self) -> TuneResults:
        from mcsvm_gui.core.tune_results import TuneResults
        from solvers.selection.grid import Grid

        assert self._asked is not None
        _, wanted = self._asked
        grid = Grid(wanted.machines, wanted.costs, wanted.gammas)
        known = self._cells.of(self._conditions)
        return TuneResults(grid, wanted.folds * wanted.repeats, known, with_linear=wanted.search == "two-line")

    def _look(self) -> None:
        self._ticks.stop()
        running = self._searches.running
        self._view.show_running(running, self._stopping and running)
        results = self._results() if self._asked is not None else None
        if results is None or not (results.cells or running):
            self._view.show_empty(self._invitation())
        else:
            self._view.show_maps(self._maps(results))
        self._say(results)
        self._say_progress(results)

    def _maps(self, results: TuneResults) -> list[HeatMap]:
        value = self._view.value
        scale = heat.scale_of(value, results.cells.values())
        return [self._map(machine, results, value, scale) for machine in results.grid.machines]

    def _map(self, machine: str, results: TuneResults, value: str, scale: heat.Scale | None) -> HeatMap:
        mine, best = results.of(machine), results.best(machine, live=self._searches.running)
        head = title(machine) if best is None else f"{title(machine)}  {figures.accuracy(mine[best].mean)}"
        words = {cell: self._cell_words(cell, mine[cell], results.folds) for cell in mine}
        return heat.heat_map(machine, head, results.grid, mine, best, words, value, scale)

    def _cell_words(self, cell: Cell, result: Any, folds: int) -> str:
        """Said once for each number of folds: there are hundreds of cells, and they change one by one."""
        known = self._words.get(cell)
        if known is None or known[0] is not result.by_fold:
            known = self._words[cell] = result.by_fold, tune_account.cell_words(cell, result, folds)
        return known[1]

    def _shown_machines(self, results: TuneResults) -> tuple[str, ...]:
        """Those whose map is looked at."""
        here = self._view.machine
        return (here,) if here in results.grid.machines else results.grid.machines

    def _best(self, results: TuneResults) -> dict[str, Cell]:
        """Of the machines that are looked at, the one with the highest accuracy first."""
        live = self._searches.running
        found = {name: results.best(name, live=live) for name in self._shown_machines(results)}
        there = {name: cell for name, cell in found.items() if cell is not None}
        return dict(sorted(there.items(), key=lambda entry: -results.cells[entry[1]].mean))

    def _edges(self) -> dict[str, tuple[str, ...]]:
        if self._asked is None or self._searches.running:
            return {}
        results = self._results()
        return {name: edges for name, cell in self._best(results).items() if (edges := results.grid.edges(cell))}

    # -- training ---------------------------------------------------------------------------------

    def train_best(self) -> None:
        """Of each machine that is looked at."""
        if self._asked is not None:
            self._train(list(self._best(self._results()).values()))

    def train_cell(self, machine: str, cost: float, gamma: float | None) -> None:
        from solvers.selection.cell import Cell

        self._train([Cell(machine, cost, gamma)])

    def _train(self, cells: Sequence[Cell]) -> None:
        if not cells or self._asked is None or self._workspace.dataset is None:
            return
        runs = self._workspace.train([self._training(cell) for cell in cells])
        self._runs.select(runs)
        said = "; ".join(f"{title(cell.machine)}, {tune_account.place(cell)}" for cell in cells)
        self._workspace.message.emit(tr("In training, to be watched on the Train page: {what}", what=said))

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

    def _invitation(self) -> str:
        if self._workspace.dataset is None:
            return tr("No data yet. Open a file or a sample on the Data page, then come back to search C and gamma.")
        return tr(
            "Nothing was searched yet. Press Search to try every combination of C and gamma by cross-validation:"
            " a map for each machine fills while you watch, and a click on a cell trains it."
        )

    def _say(self, results: TuneResults | None = None) -> None:
        if results is None and self._asked is not None:
            results = self._results()
        best = {} if results is None else self._best(results)
        composites = {} if self._tuned is None else self._tuned.composites
        lines = [
            tune_account.best_words(title(name), cell, results.cells[cell], composites.get(name))
            for name, cell in best.items()
            if results is not None and (name == next(iter(best)) or name in composites)
        ]
        button = tr("Train the best of each machine") if len(best) > 1 else tr("Train the best")
        self._view.show_best("\n".join(lines), button)
        edges = {title(name): found for name, found in self._edges().items()}
        self._view.show_offer(tune_account.edge_words(edges) if edges else "")

    def _say_progress(self, results: TuneResults | None) -> None:
        if results is None:
            self._view.show_progress(0, 1, "")
            return
        missing = results.missing()
        whole = self._asked is not None and self._asked[1].search in ("grid", "per-pair")
        done = len(results.trials)
        expected = done + len(missing) if whole else None
        running = self._searches.running
        words = tune_account.progress_words(done, expected, self._time_left(missing, results) if running else None)
        if running and not self._counted:
            words = tr("{said}, being prepared", said=words)
        self._view.show_progress(done, expected, words if done or running else "")
        self._say_action(done)
        if not (missing or running) and self._asked is not None and self._asked[1].search == "grid":
            self._view.show_obstacle(tr("Every cell is known. Change the ranges or the step to search on."))

    def _time_left(self, missing: Sequence[Any], results: TuneResults) -> float | None:
        elapsed = time.monotonic() - self._began
        return tune_account.seconds_left(missing, results.known, self._worked, elapsed)

    def _say_action(self, done: int) -> None:
        if done:
            self._view.show_action(tr("Search on"), tr("What is done is not done again"))
        else:
            self._view.show_action(tr("Search"), tr("Try cells of the grid by cross-validation"))


def title(name: str) -> str:
    from solvers.machines import MACHINES

    machine = MACHINES[name]
    return tr(machine.title)


def _load() -> None:
    from mcsvm_gui.core import tune_command, tune_results, tuning_cells  # noqa: F401

    tune_form.read_form(tune_form.DEFAULTS)
