"""Plan: runs a search. The search proposes trials, a crew runs them as tasks, results are merged as they come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from solvers.selection.cell import Cell, CellResult, FoldResult, Trial, summarise
from solvers.selection.crew import Crew, Folds, Threads
from solvers.selection.scores import SCORES, Score
from solvers.selection.search import Steps
from solvers.selection.settings import Settings
from solvers.selection.task import Done, Task, tasks_of
from solvers.work import limited

Report = Callable[[Done], object]


@dataclass
class Plan:
    """A search over prepared folds. `run` ends with the search, or within a second of a stop."""

    search: Steps
    folds: Folds
    settings: Settings
    done: dict[Trial, FoldResult] = field(default_factory=dict)  # results of an earlier run, which are not repeated
    stopped: Callable[[], bool] = lambda: False
    report: Report | None = None
    crew: Crew = field(default_factory=Threads)
    score: Score = SCORES["accuracy"]  # by which cells are compared
    asked: dict[Trial, None] = field(default_factory=dict)  # trials that the search proposed so far, in order
    partial: set[Trial] = field(default_factory=set)  # done in tasks that a stop interrupted

    def run(self) -> dict[Cell, CellResult]:
        with limited(self.settings.threads):
            answer: dict[Cell, CellResult] | None = None
            while (trials := self._next(answer)) is not None and not self.stopped():
                self.asked |= dict.fromkeys(trials)
                missing = [trial for trial in trials if trial not in self.done]
                tasks = tasks_of(missing)
                for trial, result in self.crew.perform(tasks, self.folds, self.settings, self.stopped):
                    self.done[trial] = result
                    if self.report is not None:
                        self.report((trial, result))
                self.partial.update(*(_partly_done(task, self.done) for task in tasks))
                answer = self._answer()
        return self.results()

    def _answer(self) -> dict[Cell, CellResult]:
        """Results of proposed trials only, so that the search goes as it would without an earlier run."""
        return summarise(
            {trial: self.done[trial] for trial in sorted(self.asked, key=_order) if trial in self.done}, self.score
        )

    def results(self) -> dict[Cell, CellResult]:
        """All results, in an order that does not depend on threads."""
        return summarise({trial: self.done[trial] for trial in sorted(self.done, key=_order)}, self.score)

    def _next(self, answer: dict[Cell, CellResult] | None) -> list[Trial] | None:
        try:
            return next(self.search) if answer is None else self.search.send(answer)
        except StopIteration:
            return None


def _partly_done(task: Task, done: dict[Trial, FoldResult]) -> set[Trial]:
    """Trials of an interrupted task. The rest of the task would start elsewhere and differ in its last digits."""
    trials = {
        Trial(Cell(name, C, task.gamma), task.fold, task.share) for name, costs in task.costs.items() for C in costs
    }
    there = trials & done.keys()
    return there if len(there) < len(trials) else set()


def _order(trial: Trial) -> tuple[str, float, float, int, float]:
    cell, fold, share = trial
    return cell.machine, -1.0 if cell.gamma is None else cell.gamma, cell.C, fold, share
