"""Presenter of evaluated runs: curves, calibration and decisions by cost, computed in the background."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject, SignalInstance

from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.data.costs import BY_HAND, EQUAL, preset_table

if TYPE_CHECKING:
    import numpy as np

    from mcsvm_gui.core.compare.evaluated_runs import Consequences, EvaluatedRun
    from mcsvm_gui.core.compare.tested_runs import ScoredRun
    from mcsvm_gui.ui.runs.workspace import Workspace
    from mcsvm_gui.ui.threads.tasks import Ticket


class EvaluationView(Protocol):
    evaluation_seen: SignalInstance
    run_chosen: SignalInstance
    preset_chosen: SignalInstance
    rule_changed: SignalInstance
    costs_file_chosen: SignalInstance
    costs_target_chosen: SignalInstance
    model_target_chosen: SignalInstance

    @property
    def rule(self) -> tuple[np.ndarray, float]: ...
    def evaluation_is_seen(self) -> bool: ...
    def show_evaluated(self, runs: Sequence[EvaluatedRun], notes: Sequence[str], more: Sequence[str]) -> None: ...
    def show_priced_runs(self, runs: Sequence[EvaluatedRun], notes: Sequence[str], chosen: int | None) -> None: ...
    def show_rule(self, names: Sequence[str], costs: np.ndarray, preset: str, reject: float | None = ...) -> None: ...
    def show_consequences(self, found: Consequences) -> None: ...
    def show_cost_error(self, sentence: str) -> None: ...


class EvaluationPresenter(QObject):
    """Calls `moved` when a run was evaluated; does nothing until `want` is called."""

    def __init__(
        self, view: EvaluationView, workspace: Workspace, moved: Callable[[], object], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._view, self._workspace, self._moved = view, workspace, moved
        self._wanted: dict[int, tuple[str, ScoredRun]] = {}  # the name of each run
        self._known: dict[int, EvaluatedRun] = {}
        self._working, self._age = False, 0  # of the project; needed because runs of another one have the same numbers
        self._pricing: Ticket | None = None
        self._chosen: int | None = None
        view.evaluation_seen.connect(self._step)
        view.run_chosen.connect(self.choose)
        view.preset_chosen.connect(self.begin_with)
        view.rule_changed.connect(self.price)
        view.costs_file_chosen.connect(self.open_costs)
        view.costs_target_chosen.connect(self.save_costs)
        view.model_target_chosen.connect(self.save_model)

    def forget(self) -> None:
        self._age += 1
        self._known, self._wanted, self._chosen = {}, {}, None

    def want(self, runs: Sequence[tuple[str, ScoredRun]]) -> None:
        """Evaluate these runs, and drop the rows of all others, because there may be millions."""
        self._wanted = {chosen.run: (name, chosen) for name, chosen in runs}
        self._known = {
            run: replace(one, label=self._wanted[run][0]) for run, one in self._known.items() if run in self._wanted
        }
        self._show()
        self._step()

    def of(self, run: int) -> EvaluatedRun | None:
        """Return a run that was already evaluated, or None."""
        return self._known.get(run)

    @property
    def text(self) -> str:
        """Return the progress; empty if all runs are evaluated or the tab is hidden."""
        total, left = len(self._wanted), len(self._wanted.keys() - self._known.keys())
        if not left or not self._view.evaluation_is_seen():
            return ""
        return tr("Evaluating: run {number} of {total}…", number=total - left + 1, total=total)

    def _step(self) -> None:
        """Evaluate the next run, if the tab is visible."""
        left = [run for run in self._wanted if run not in self._known]
        if not self._working and left and self._view.evaluation_is_seen():
            self._working, age = True, self._age
            name, chosen = self._wanted[left[0]]
            self._workspace.tasks.start(
                self._evaluating(name, chosen),
                lambda found: self._done(age, found),
                lambda why: self._done(age, _failed(name, chosen, why)),
            )
        self._moved()

    def _evaluating(self, name: str, chosen: ScoredRun) -> Callable[[], EvaluatedRun]:
        runs = self._workspace.runs

        def evaluate() -> EvaluatedRun:
            from mcsvm_gui.core.compare.evaluated_runs import evaluated_run

            return replace(evaluated_run(chosen, lambda: runs.model(chosen.run)), label=name)

        return evaluate

    def _done(self, age: int, found: EvaluatedRun) -> None:
        self._working = False
        if age == self._age and found.run in self._wanted:
            self._known[found.run] = replace(found, label=self._wanted[found.run][0])
            self._show()
        self._step()

    # -- curves -----------------------------------------------------------------------------------

    def _show(self) -> None:
        from mcsvm_gui.core.compare.evaluated_runs import notes

        shown = [self._known[run] for run in self._wanted if run in self._known]
        with_probabilities = [one for one in shown if one.calibrated]
        self._view.show_evaluated(shown, notes(shown, False), notes(shown, True))
        if self._chosen not in {one.run for one in with_probabilities}:
            self._chosen = None
        self._view.show_priced_runs(with_probabilities, notes(shown, True), self._chosen)
        if self._chosen is None and with_probabilities:
            self.choose(with_probabilities[0].run)

    # -- costs ------------------------------------------------------------------------------------

    @property
    def _run(self) -> EvaluatedRun | None:
        return None if self._chosen is None else self._known.get(self._chosen)

    def choose(self, run: int) -> None:
        """Show the cost rule of a run, or equal costs by default."""
        self._chosen = run
        found = self._run
        if found is None:
            return
        if found.rule is None:
            self.begin_with(EQUAL)
        else:
            self._begin(found, found.rule.table, BY_HAND, found.rule.reject)

    def begin_with(self, name: str) -> None:
        found = self._run
        if found is not None:
            self._begin(found, preset_table(name, found.class_counts), name)

    def _begin(self, found: EvaluatedRun, costs: np.ndarray, preset: str, reject: float | None = None) -> None:
        assert found.rows is not None
        self._view.show_rule(found.rows.names[: found.rows.known], costs, preset, reject)
        self.price(*self._view.rule)

    def price(self, costs: np.ndarray, reject: float) -> None:
        """Compute the consequences of the entered costs; the answer to an older request is dropped."""
        found = self._run
        if found is None or found.rows is None:
            return
        rows = found.rows
        if self._pricing is not None:
            self._pricing.cancel()

        def work() -> Consequences:
            from mcsvm.solvers.uncertainty.costs import CostRule
            from mcsvm_gui.core.compare.evaluated_runs import consequences

            return consequences(rows, CostRule.of(costs, reject))

        self._view.show_cost_error("")
        self._pricing = self._workspace.tasks.start(work, self._view.show_consequences, self._view.show_cost_error)

    def open_costs(self, path: str) -> None:
        found = self._run
        if found is None or found.rows is None:
            return
        names = found.rows.names[: found.rows.known]

        def read() -> Any:
            from mcsvm_gui.core.data.costs import read_costs

            return read_costs(path).rule(names).table

        self._workspace.tasks.start(read, lambda costs: self._begin(found, costs, BY_HAND), self._view.show_cost_error)

    def save_costs(self, path: str, costs: np.ndarray) -> None:
        found = self._run
        if found is None or found.rows is None:
            return
        names = found.rows.names[: found.rows.known]

        def write() -> None:
            from mcsvm.solvers.uncertainty.costs import CostRule
            from mcsvm_gui.core.base.writing import write_text
            from mcsvm_gui.core.data.costs import CostTable

            write_text(path, CostTable.of(CostRule.of(costs), names).text)

        self._write(path, write)

    def save_model(self, path: str, costs: np.ndarray, reject: float) -> None:
        """Save the model with these costs to a file; the run in the project stays unchanged."""
        found = self._run
        if found is None:
            return
        runs, run = self._workspace.runs, found.run

        def write() -> None:
            from mcsvm.solvers.uncertainty.costs import CostRule
            from mcsvm_gui.core.machine import model_file

            model_file.save(path, replace(runs.model(run), rule=CostRule.of(costs, reject)))

        self._write(path, write)

    def _write(self, path: str, write: Callable[[], object]) -> None:
        say = self._workspace.message.emit
        self._workspace.tasks.start(
            write,
            lambda nothing: say(tr("Saved {path}", path=path)),
            self._view.show_cost_error,
        )


def _failed(name: str, chosen: ScoredRun, why: str) -> EvaluatedRun:
    from mcsvm_gui.core.compare.evaluated_runs import EvaluatedRun

    return EvaluatedRun(chosen.run, name, str(chosen.side.document["machine"]), why=why)
