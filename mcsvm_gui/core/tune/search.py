"""Tuning: a Request, a data set and the search settings become a study whose preparation is fitted fold by fold."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace

import numpy as np

from mcsvm.solvers.errors import InputError, Sentence, choices_for
from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.posing import checked_points, positive, whole
from mcsvm.solvers.problem import BIASES
from mcsvm.solvers.run.loop import find_method
from mcsvm.solvers.selection import folds as folding
from mcsvm.solvers.selection.cell import Cell, CellResult, FoldResult, Trial
from mcsvm.solvers.selection.executor import Executor, Folds, LostWorkers, Threads
from mcsvm.solvers.selection.folds import Fold
from mcsvm.solvers.selection.grid import Grid, best
from mcsvm.solvers.selection.scores import SCORES, Score
from mcsvm.solvers.selection.search import (
    SEARCHES,
    SearchStrategy,
    first_share,
    halves,
    is_rising,
    least_share,
    led,
    rising,
    roles,
    rungs,
    rungs_of_rising,
)
from mcsvm.solvers.selection.settings import TrainingSettings
from mcsvm.solvers.selection.study import Nested, NestedStudy, Report, Study
from mcsvm.solvers.selection.trials.per_pair import Composite, choose, compose
from mcsvm.solvers.selection.trials.shared import KernelFamily
from mcsvm_gui.core.base import options
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.base.options import written
from mcsvm_gui.core.data import preparation as preparing
from mcsvm_gui.core.data import splitting
from mcsvm_gui.core.data.dataset import Dataset, Notice
from mcsvm_gui.core.data.files.address import full_address
from mcsvm_gui.core.data.preparation import Preparation
from mcsvm_gui.core.data.preparation.rules import some_names
from mcsvm_gui.core.data.remedies import Remedy
from mcsvm_gui.core.machine import names, warming
from mcsvm_gui.core.machine.calibration import FoldPreparation
from mcsvm_gui.core.machine.posing import FILE_KERNELS, class_weights_of
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import limits_of
from mcsvm_gui.core.tune.options import TuneRequest

MOST_JOBS = 1024
NEIGHBOURS = 8  # largest number of neighbours of a cell
LED = "coarse-to-fine", "halving"  # searches that can defer machines
ALL = "all"  # machines


@dataclass(frozen=True, eq=False)
class Tuned:
    """The result of a search, stopped or not."""

    tuning: Tuning
    results: Mapping[Cell, CellResult]
    composites: Mapping[str, Composite]  # of machines with separate parameters for each pair
    nested: tuple[Nested, ...]
    seconds: float
    stopped: bool
    trouble: str = ""  # why it ended early without a stop
    over_budget: bool = False  # its time budget ended it

    def best(self, machine: str) -> Cell | None:
        return best(self.results, machine)

    def edges(self, machine: str) -> tuple[str, ...]:
        """Return the edges of the ranges on which the machine's best cell lies; empty if the search did not end."""
        cell = self.best(machine)
        return () if cell is None or self.stopped or self.over_budget else self.tuning.grid.edges(cell)

    @property
    def found_any(self) -> bool:
        """Return whether any combination was tested."""
        return bool(self.results)

    @property
    def converged(self) -> bool:
        cells = all(result.converged for result in self.results.values())
        return cells and all(composite.converged for composite in self.composites.values())


@dataclass(eq=False)
class Tuning:
    """A checked search, started by `run`. `done` are trials of an earlier run, which are not repeated."""

    request: Request
    wanted: TuneRequest
    dataset: Dataset
    done: dict[Trial, FoldResult] = field(default_factory=dict)
    partial: set[Trial] = field(default_factory=set)  # trials of tasks that a stop interrupted
    done_inside: dict[int, dict[Trial, FoldResult]] = field(default_factory=dict)  # of nested searches, by outer fold

    def __post_init__(self) -> None:
        check(self.request, self.wanted)
        if self.dataset.labels is None:
            raise FileError(
                self.dataset.name,
                "there are no class labels to train on; name their column with {label}",
                label=Remedy("label"),
            )
        self.rows, dropped = preparing.complete(
            self.request.rules, rows_searched(self.request, self.wanted, self.dataset)
        )
        self.class_names = self.rows.classes
        number = {name: code for code, name in enumerate(self.class_names)}
        assert self.rows.labels is not None
        self.codes = np.array([number[label] for label in self.rows.labels], dtype=np.int64)
        self.score = score_of(self.wanted, self.class_names)
        self.grid = Grid(self.wanted.machines, self.wanted.C, self.wanted.gamma)
        self.parts, self.inner = self._validation()
        self.first = self._first_share()
        self.search = self._search()
        self.prepare = FoldPreparation(self.request.rules, self.rows, self.codes)
        self.settings = self._settings()
        fitted = preparing.fit(self.request.rules, self.rows)  # fitted once for its notices
        self._check_largest_gamma(fitted)
        self.notices = (*self.dataset.notices, *dropped, *fitted.notices, *self._fold_notices())

    @property
    def expected(self) -> int | None:
        """The number of trials, if it is known before the first; otherwise None."""
        times = len(self.grid.machines) * len(self.parts)
        if self.search.name == "halving":
            return sum(trials for _, trials in self.rungs)
        return times * self.grid.size if self.search.name in ("grid", "per-pair") else None

    def _first_share(self) -> float:
        """Return the share of the training rows on the first rung of successive halving within a time budget."""
        if self.wanted.search != "halving" or self.wanted.budget is None:
            return 1.0
        return first_share(min(part.train.size for part in self.parts), len(self.class_names), self.wanted.budget)

    def _search(self) -> SearchStrategy:
        if is_rising(self.first):
            return rising(self.first, led=self.wanted.led)
        search = SEARCHES[self.wanted.search]
        return led(search) if self.wanted.led else search

    @property
    def rungs(self) -> list[tuple[float, int]]:
        """The rungs of successive halving: (share of the training rows, trials)."""
        if is_rising(self.first):
            rising_rungs = rungs_of_rising(self.grid, self.first, is_led=self.wanted.led)
            return [(share, len(self.parts) * count) for share, count in rising_rungs]
        leaders, followers = roles(self.grid.machines) if self.wanted.led else (self.grid.machines, ())
        cells = [(share, len(leaders) * cells) for share, cells in rungs(self.grid, self._least(self.parts))]
        between = NEIGHBOURS * len(leaders) if self.wanted.led and halves(self.grid) else 0
        cells[-1] = cells[-1][0], cells[-1][1] + between + len(followers) * len(leaders)
        return [(share, len(self.parts) * count) for share, count in cells]

    def _least(self, parts: tuple[Fold, ...]) -> float:
        return least_share(parts[0].train.size, len(self.class_names))

    def run(
        self,
        report: Report | None = None,
        stopped: Callable[[], bool] = lambda: False,
        inner: Report | None = None,
        spent: float = 0.0,
        reserved: float = 0.0,
    ) -> Tuned:
        """Run the search. A lost executor ends it like a stop. `inner` receives the trials of nested searches.

        `spent`: seconds of the time budget used before a pause; `reserved`: seconds for the work after the search.
        """
        self.rehearse(stopped)
        began, deadline = time.perf_counter(), Deadline(self.wanted.budget, spent + reserved)

        def over() -> bool:
            before = time.perf_counter()
            return stopped() or deadline.is_over(time.perf_counter() - before)

        steps = self.search.steps(self.grid, len(self.parts), self._least(self.parts))
        folds = Folds(self.parts, self.prepare, self.settings.cache_mb * 2**20)
        study = Study(steps, folds, self.settings, self.done, over, report, score=self.score)
        composites: dict[str, Composite] = {}
        nested: list[Nested] = []
        trouble = ""
        try:
            with _executor(self.wanted, over) as study.executor:
                results = study.run()
                composites = self._composites(results, study.folds, over) if self.settings.by_pair else {}
                nested = self._nested(study, inner, over) if self.wanted.nested and not over() else []
        except InputError as error:
            if not isinstance(error, LostWorkers) and not study.results():
                raise
            trouble = Sentence("") if stopped() or deadline.was_over else error.sentence
        self.partial = study.partial
        seconds, ended = time.perf_counter() - began, stopped() or bool(trouble)
        cut = deadline.was_over and not ended
        return Tuned(self, study.results(), composites, tuple(nested), seconds, ended, trouble, cut)

    def rehearse(self, stopped: Callable[[], bool]) -> None:
        """Compile the code of a search before its time budget begins; workers of a cluster compile on their own."""
        if self.wanted.budget is not None and self.wanted.scheduler is None:
            for machine in self.grid.machines:
                if not stopped():
                    warming.rehearse_search(machine)

    def forget_partial(self) -> None:
        """Forget the trials of interrupted tasks before `run` is called again: they are repeated with the same
        digits."""
        for trial in self.partial:
            self.done.pop(trial, None)

    # -- parts of a search ------------------------------------------------------------------------

    def _validation(self) -> tuple[tuple[Fold, ...], tuple[tuple[Fold, ...], ...]]:
        """Return the folds and, for a nested validation, the folds inside each one's training part."""
        try:
            wanted = self.wanted
            way, how = self.request.split, (wanted.folds, wanted.repeats, wanted.holdout)
            self.splits = splitting.splits_of(self.rows, way, *how)
            parts = self.splits.of(self.codes, self.request.seed)
            return parts, tuple(map(self._inner, parts)) if self.wanted.nested else ()
        except InputError as error:
            raise FileError(self.dataset.name, error.sentence) from None

    def _inner(self, fold: Fold) -> tuple[Fold, ...]:
        try:
            found = self.splits.taken(fold.train).of(self.codes[fold.train], self.request.seed)
            return folding.within(fold, found)
        except InputError as error:
            raise InputError("{error} once a fold is held out for the nested validation", error=error) from None

    def _check_largest_gamma(self, fitted: Preparation) -> None:
        """Refuse a gamma that overflows at once, and not after hours; rbf values end at 1."""
        gamma = self.grid.gamma_values[-1]
        if gamma is not None and self.request.kernel != "rbf":
            try:
                checked_points(fitted.apply(self.rows).rows, self.settings.kernel.at(gamma))
            except InputError as error:
                raise InputError("gamma {gamma}: {error}", gamma=written(gamma, powers=True), error=error) from None

    def _settings(self) -> TrainingSettings:
        request = self.request
        return TrainingSettings(
            kernel=_family(request),
            solver=request.solver,
            margin=None if request.margin is None else positive("margin", request.margin),
            bias=request.bias,
            class_weight=self._class_weight(),
            limits=limits_of(request),
            cache_mb=positive("cache_mb", request.cache_mb),
            jobs=jobs_of(self.wanted),
            threads=request.threads,
            by_pair=self.search.name == "per-pair",
            tested=self.search.tested,
            until=self.wanted.until,
        )

    def _class_weight(self) -> str | dict[int, float] | None:
        given = self.request.class_weight
        if given is None or isinstance(given, str):
            return given
        factors = class_weights_of(self.request, self.class_names, self.codes, self.rows.weights)
        assert factors is not None
        return dict(enumerate(factors.tolist()))

    def _fold_notices(self) -> list[Notice]:
        torn = list(splitting.torn_groups(self.rows, self.parts))
        if self.wanted.holdout is not None or self.splits.kind != "stratified":
            return torn
        rare = [self.class_names[code] for code in folding.rare(self.codes, self.wanted.folds)]
        if not rare:
            return torn
        sentence = Sentence(
            "classes with fewer rows than folds, which some folds do not test: {names}", names=some_names(rare)
        )
        return [*torn, Notice("rare classes", sentence)]

    def _composites(
        self, results: Mapping[Cell, CellResult], folds: Folds, stopped: Callable[[], bool]
    ) -> dict[str, Composite]:
        found = {}
        for machine in self.grid.machines:
            if MACHINES[machine].split == "pairs" and not stopped() and best(results, machine) is not None:
                composite = compose(machine, choose(results, machine), folds, self.settings, stopped)
                if composite is not None:
                    found[machine] = composite
        return found

    def _nested(self, outer: Study, report: Report | None, stopped: Callable[[], bool]) -> list[Nested]:
        return NestedStudy(
            outer.folds, self.inner, self.prepare, self.search, self.grid, self.settings, stopped, report,
            outer.executor, self.score, self._least(self.inner[0]), self.done_inside,
        ).run()  # fmt: skip


def nothing_found(tuned: Tuned) -> Sentence | None:
    """Return the message for a search whose time budget ended before any combination was tested."""
    if tuned.found_any or not tuned.over_budget:
        return None
    budget = tuned.tuning.wanted.budget
    if tuned.tuning.wanted.search == "halving":
        return Sentence(
            "the search found nothing: its time budget of {budget:g} s ended before the first combination was tested;"
            " give it more seconds, or fewer machines",
            budget=budget,
        )
    return Sentence(
        "the search found nothing: its time budget of {budget:g} s ended before the first combination was tested; give"
        " it more seconds, or search by successive halving, which begins with few rows",
        budget=budget,
    )


def rows_searched(request: Request, wanted: TuneRequest, dataset: Dataset) -> Dataset:
    """Return the rows for the search: all but those that the model is tested on afterwards."""
    if wanted.test_share is None:
        return dataset
    return splitting.split(dataset, wanted.test_share, request.seed, request.split)[0]


def score_of(wanted: TuneRequest, classes: Sequence[str]) -> Score:
    """Return the measure that cells are compared by; raise InputError if the costs are of other classes."""
    costs = None if wanted.costs is None else wanted.costs.rule(classes)
    return replace(SCORES[wanted.score], costs=costs)


class Deadline:
    """The end of a time budget; `was_over` is set when a check finds it passed."""

    def __init__(self, seconds: float | None, spent: float) -> None:
        self._end = math.inf if seconds is None else time.perf_counter() + seconds - spent
        self._thread, self.was_over = threading.get_ident(), False

    def is_over(self, waited: float) -> bool:
        """Return whether the time is over.

        `waited` are the seconds of a pause. All threads wait alike, so that only the first thread's pause moves the
        end.
        """
        if threading.get_ident() == self._thread:
            self._end += waited
            waited = 0.0
        self.was_over = self.was_over or time.perf_counter() - waited >= self._end
        return self.was_over


def _executor(wanted: TuneRequest, stopped: Callable[[], bool]) -> AbstractContextManager[Executor]:
    if wanted.scheduler is None:
        return nullcontext(Threads())
    from mcsvm_gui.core.tune.cluster.dispatch import workers_at

    return workers_at(wanted.scheduler, stopped)


def jobs_of(wanted: TuneRequest) -> int:
    if wanted.jobs is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if whole("jobs", wanted.jobs) > MOST_JOBS:
        raise InputError("jobs must be at most {most}, not {jobs}", most=MOST_JOBS, jobs=wanted.jobs)
    return wanted.jobs


# -- refusals --------------------------------------------------------------------------------------


def check(request: Request, wanted: TuneRequest) -> None:
    """Check everything that is known before the data are read; raise InputError with a sentence."""
    for name in wanted.machines:
        if name not in MACHINES:
            raise InputError(
                "There is no machine {name!r}; choose one of {choices}.", name=name, choices=choices_for(name, MACHINES)
            )
    if not wanted.machines or len(set(wanted.machines)) < len(wanted.machines):
        raise InputError("name each machine once, not {choices!r}", choices=",".join(wanted.machines))
    if wanted.search not in SEARCHES:
        raise InputError(
            "There is no search {search!r}; choose one of {choices}.",
            search=wanted.search,
            choices=choices_for(wanted.search, SEARCHES),
        )
    if request.bias is not None and request.bias not in BIASES:
        raise InputError(
            "bias must be one of {choices}, not {bias!r}.", choices=choices_for(request.bias, BIASES), bias=request.bias
        )
    find_method(request.solver)
    _check_kernel(request, wanted)
    _check_validation(request, wanted)


def _check_kernel(request: Request, wanted: TuneRequest) -> None:
    if request.kernel not in FILE_KERNELS:
        raise InputError(
            "There is no kernel {kernel!r}; choose one of {choices}.",
            kernel=request.kernel,
            choices=choices_for(request.kernel, FILE_KERNELS),
        )
    has_gamma = "gamma" in KERNELS[request.kernel].parameters
    if not has_gamma and wanted.gamma is not None:
        raise InputError("the {kernel} kernel has no gamma to search; leave --gamma out", kernel=request.kernel)
    if wanted.search == "two-line" and request.kernel != "rbf":
        raise InputError("the two-line search goes from the linear kernel to the rbf kernel; take --kernel rbf")
    if wanted.search == "per-pair":
        pairs = [name for name in wanted.machines if MACHINES[name].split == "pairs"]
        if not pairs:
            raise InputError("only machines of pairs can have parameters for each pair; take --machine ovo or dag")
        if request.solver != "auto" or request.bias not in (None, "exact") or not _definite(request):
            raise InputError("the per-pair search needs --solver auto, the exact bias, and a kernel such as rbf")
        if wanted.score != "accuracy":
            raise InputError("the per-pair search compares pairs by accuracy; take --score accuracy")


def _definite(request: Request) -> bool:
    return _family(request).at(1.0).semidefinite


def _family(request: Request) -> KernelFamily:
    return KernelFamily(request.kernel, tuple(request.kernel_parameters.items()))


def _check_validation(request: Request, wanted: TuneRequest) -> None:
    options.check(wanted)
    if wanted.led and wanted.search not in LED:
        raise InputError(
            "machines follow others in a search from coarse to fine and by halving; take --search halving, or leave"
            " --led out"
        )
    if wanted.search == "race" and SCORES[wanted.score].ideal is None:
        raise InputError(
            "a race bounds what the folds to come can bring, which {score} does not allow; take --score accuracy, or"
            " another search",
            score=wanted.score,
        )
    if wanted.holdout is not None and wanted.repeats > 1:
        raise InputError("--holdout validates on one split; --repeats repeats folds")
    if wanted.nested and wanted.search == "per-pair":
        raise InputError("the per-pair search cannot be nested; take another search, or leave --nested out")
    if request.test is not None:
        raise InputError("tuning needs no test file: keep it for the model that is trained afterwards")
    jobs_of(wanted)
    if wanted.scheduler is not None:
        full_address(wanted.scheduler)
        if wanted.jobs is not None:
            raise InputError(
                "--jobs is of threads here, and a cluster has its own; leave one of --jobs and --scheduler"
            )


def parse_machines(text: str) -> tuple[str, ...]:
    """Return the named machines; `all` means those that are offered first."""
    if text.strip() == ALL:
        return tuple(names.MACHINES)
    return tuple(name.strip() for name in text.split(","))
