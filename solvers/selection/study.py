"""Study: runs a search. The search proposes trials, an executor runs them as tasks, results are merged as they come.

NestedStudy repeats the search inside each outer training part, for an unbiased error estimate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mcsvm.solvers.selection.cell import Cell, CellResult, FoldResult, Trial, of_folds, summarise
from mcsvm.solvers.selection.executor import Executor, Folds, Threads
from mcsvm.solvers.selection.folds import Fold
from mcsvm.solvers.selection.grid import Grid, best
from mcsvm.solvers.selection.scores import SCORES, Score
from mcsvm.solvers.selection.search import SearchStrategy, Steps, only
from mcsvm.solvers.selection.settings import TrainingSettings
from mcsvm.solvers.selection.trials.shared import FoldRows
from mcsvm.solvers.selection.trials.task import Done, Task, tasks_of
from mcsvm.solvers.work import limited

Report = Callable[[Done], object]


@dataclass
class Study:
    """A search over prepared folds. `run` ends with the search, or within a second of a stop."""

    search: Steps
    folds: Folds
    settings: TrainingSettings
    done: dict[Trial, FoldResult] = field(default_factory=dict)  # results of an earlier run, which are not repeated
    stopped: Callable[[], bool] = lambda: False
    report: Report | None = None
    executor: Executor = field(default_factory=Threads)
    score: Score = SCORES["accuracy"]  # the measure that compares cells
    asked: dict[Trial, None] = field(default_factory=dict)  # trials that the search proposed so far, in order
    partial: set[Trial] = field(default_factory=set)  # finished trials of tasks that a stop interrupted

    def run(self) -> dict[Cell, CellResult]:
        with limited(self.settings.threads or 1):
            answer: dict[Cell, CellResult] | None = None
            while (trials := self._next(answer)) is not None and not self.stopped():
                self.asked |= dict.fromkeys(trials)
                missing = [trial for trial in trials if trial not in self.done]
                tasks = tasks_of(missing)
                for trial, result in self.executor.perform(tasks, self.folds, self.settings, self.stopped):
                    self.done[trial] = result
                    if self.report is not None:
                        self.report((trial, result))
                self.partial.update(*(_partly_done(task, self.done) for task in tasks))
                answer = self._answer()
        return self.results()

    def _answer(self) -> dict[Cell, CellResult]:
        """Return the results of proposed trials only, so that the search runs as it would without an earlier run."""
        return summarise(
            {trial: self.done[trial] for trial in sorted(self.asked, key=_order) if trial in self.done}, self.score
        )

    def results(self) -> dict[Cell, CellResult]:
        """Return all results, in an order that does not depend on threads."""
        return summarise({trial: self.done[trial] for trial in sorted(self.done, key=_order)}, self.score)

    def _next(self, answer: dict[Cell, CellResult] | None) -> list[Trial] | None:
        try:
            return next(self.search) if answer is None else self.search.send(answer)
        except StopIteration:
            return None


def _partly_done(task: Task, done: dict[Trial, FoldResult]) -> set[Trial]:
    """Return the finished trials of a task if a stop interrupted it, else none.

    If the task were continued, its other trials would start from another point and differ in their last digits.
    """
    trials = {
        Trial(Cell(name, C, task.gamma), task.fold, task.share) for name, costs in task.costs.items() for C in costs
    }
    there = trials & done.keys()
    return there if len(there) < len(trials) else set()


def _order(trial: Trial) -> tuple[str, float, float, int, float]:
    cell, fold, share = trial
    return cell.machine, -1.0 if cell.gamma is None else cell.gamma, cell.C, fold, share


# -- nested ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Nested:
    """For one machine, the cell that was chosen inside each outer fold, and its result on the outer test part."""

    machine: str
    chosen: tuple[Cell, ...]
    results: tuple[FoldResult, ...]

    @property
    def fold_accuracy(self) -> tuple[float, ...]:
        return tuple(result.accuracy for result in self.results)

    def by(self, score: Score) -> tuple[float, ...]:
        return of_folds(self.results, score)


@dataclass(frozen=True, eq=False)
class NestedStudy:
    outer: Folds
    inner: Sequence[tuple[Fold, ...]]  # the inner folds of each outer fold
    prepare: Callable[[Fold], FoldRows]
    search: SearchStrategy
    grid: Grid
    settings: TrainingSettings
    stopped: Callable[[], bool] = lambda: False
    report: Report | None = None
    executor: Executor = field(default_factory=Threads)
    score: Score = SCORES["accuracy"]
    least: float = 0.0  # least share of the inner training rows on which machines are compared
    done: dict[int, dict[Trial, FoldResult]] = field(default_factory=dict)  # by outer fold; survives interruptions

    def run(self) -> list[Nested]:
        """Return one result per machine, over the outer folds that were finished before a stop."""
        chosen: list[dict[str, Cell]] = []
        done: dict[Trial, FoldResult] = {}
        for number, parts in enumerate(self.inner):
            found = self._choose(number, parts)
            if self.stopped():
                break
            chosen.append(found)
            done |= self._test(number, found)
        return [self._of(machine, chosen, done) for machine in self.grid.machines]

    def _choose(self, number: int, parts: tuple[Fold, ...]) -> dict[str, Cell]:
        inner = Folds(parts, self.prepare)
        steps = self.search.steps(self.grid, len(inner), self.least)
        done = self.done.setdefault(number, {})
        study = Study(steps, inner, self.settings, done, self.stopped, self.report, self.executor, self.score)
        results = study.run()
        for trial in study.partial:
            del done[trial]
        found = {name: best(results, name) for name in self.grid.machines}
        return {name: cell for name, cell in found.items() if cell is not None}

    def _test(self, number: int, chosen: dict[str, Cell]) -> dict[Trial, FoldResult]:
        """Test the chosen cells right after their search, so that a stop keeps all finished outer folds."""
        trials = [Trial(cell, number) for cell in chosen.values()]
        study = Study(only(trials), self.outer, self.settings, stopped=self.stopped, executor=self.executor)
        study.run()
        return study.done

    def _of(self, machine: str, chosen: list[dict[str, Cell]], done: dict[Trial, FoldResult]) -> Nested:
        pairs = [(cells[machine], Trial(cells[machine], number)) for number, cells in enumerate(chosen)]
        there = [(cell, done[trial]) for cell, trial in pairs if trial in done]
        return Nested(machine, tuple(cell for cell, _ in there), tuple(result for _, result in there))
