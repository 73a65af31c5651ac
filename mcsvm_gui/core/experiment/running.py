"""Run an experiment: every part of every run, in order or in several threads, with the same numbers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.trace import Sample
from mcsvm.solvers.selection.executor import LostWorkers
from mcsvm.solvers.selection.folds import Fold
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.compare.comparison import Side, side_of
from mcsvm_gui.core.data import splitting
from mcsvm_gui.core.data.dataset import Dataset, Notice
from mcsvm_gui.core.data.files.parts import concatenated
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.experiment import reference
from mcsvm_gui.core.experiment.definition import DataSpec, Experiment, RunSpec
from mcsvm_gui.core.experiment.journal import Journal
from mcsvm_gui.core.experiment.journal_entries import entry_of, result_of, tested_rows, training_key
from mcsvm_gui.core.experiment.on_cluster import LoadedRows, TrainingTasks, training_tasks
from mcsvm_gui.core.experiment.plan import Plan
from mcsvm_gui.core.experiment.results import PartResult, Results, TrialResult
from mcsvm_gui.core.experiment.searching import SearchRunner, apart_from_machine
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import Session
from mcsvm_gui.core.machine.sources import open_test
from mcsvm_gui.core.machine.trained import TrainedModel

Report = Callable[["PlannedTraining", Session, Sample], object]
Searching = Callable[
    ["PlannedTraining", int, int | None], object
]  # finished trials, and their expected number if it is known


@dataclass(frozen=True, eq=False)
class PlannedTraining:
    """One training of the experiment: number `place` of `total`.

    The `first` training of a run also records margins and trace.
    """

    spec: RunSpec
    part: Fold | None
    first: bool
    place: int
    total: int
    rivals: tuple[str, ...] = ()  # machines that are searched together with this one

    @property
    def text(self) -> str:
        return f"{self.spec.data} {self.spec.label} ({self.place + 1} of {self.total})"


@dataclass(frozen=True, eq=False)
class _Loaded:
    datasets: dict[str, Dataset]
    tests: dict[str, Dataset | None]

    @property
    def rows(self) -> dict[str, LoadedRows]:
        return {name: LoadedRows(dataset, self.tests[name]) for name, dataset in self.datasets.items()}

    def spelled_out(self, spec: DataSpec) -> DataSpec:
        """Return the data set with the digests of its files."""
        test = self.tests[spec.name]
        return replace(spec, digest=self.datasets[spec.name].digest, test_digest=None if test is None else test.digest)


def perform(
    experiment: Experiment,
    report: Report | None = None,
    stopped: Callable[[], bool] = lambda: False,
    jobs: int = 1,
    journal: Journal | None = None,
    searching: Searching = lambda *_: None,
    scheduler: str | None = None,
) -> Results:
    """Run an experiment. `stopped` is checked between slices; results and journal contain everything until then.

    `scheduler`: the address of a cluster, whose workers train; searches also run there, fold by fold.
    """
    began = time.perf_counter()
    loaded = load(experiment)
    experiment = replace(experiment, data=tuple(map(loaded.spelled_out, experiment.data)))
    work = list(_jobs(experiment, loaded.datasets))
    worker = _Worker(loaded, report, stopped, journal, searching)
    if scheduler is None:
        done = [worker(job) for job in work] if jobs == 1 else _threaded(worker, work, jobs)
    else:
        with training_tasks(scheduler, loaded.rows) as worker.tasks:
            worker.searches.scheduler = scheduler
            done = _threaded(worker, work, worker.tasks.threads)
    trials = tuple(_trial(run, work, done) for run in experiment.runs)
    if not any(trial.finished for trial in trials) and not stopped():
        raise InputError(next(trial.refused for trial in trials if trial.refused))
    notices = [notice.sentence for spec in experiment.data for notice in _torn(experiment.plan, loaded, spec)]
    notices += [notice for result in done if isinstance(result, PartResult) for notice in result.document["warnings"]]
    return Results(
        experiment,
        loaded.datasets,
        loaded.tests,
        trials,
        time.perf_counter() - began,
        stopped(),
        tuple(dict.fromkeys(notices)),
        worker.kept,
    )


def recall(experiment: Experiment, journal: Journal) -> Results:
    """Return the results that a journal holds of an experiment, without training anything."""
    results = perform(experiment, stopped=lambda: True, journal=journal)
    expected = len(list(_jobs(results.experiment, results.datasets)))
    return replace(results, interrupted=results.kept < expected)


def _torn(plan: Plan, loaded: _Loaded, spec: DataSpec) -> tuple[Notice, ...]:
    """Return notices of groups with rows on both sides of a split, whose tests are too optimistic."""
    dataset = loaded.datasets[spec.name]
    return () if spec.test is not None else splitting.torn_groups(dataset, plan.parts(dataset))


def load(experiment: Experiment) -> _Loaded:
    """Load every file before the first training. Raises FileError if a file is missing or has changed."""
    datasets, tests = {}, {}
    for spec in experiment.data:
        dataset = concatenated([open_dataset(path, spec.read) for path in (spec.path, *spec.also)])
        _check_same(spec.path, dataset, spec.digest)
        if dataset.labels is None:
            raise FileError(spec.path, "there are no class labels to train on")
        test = None if spec.test is None else open_test(spec.test, spec.read, dataset)
        if spec.test is not None and test is not None:
            _check_same(spec.test, test, spec.test_digest)
        datasets[spec.name], tests[spec.name] = dataset, test
    return _Loaded(datasets, tests)


def _check_same(path: str, dataset: Dataset, digest: str | None) -> None:
    if digest is not None and dataset.digest != digest:
        raise FileError(path, "the file has changed since the experiment was written")


def _jobs(experiment: Experiment, datasets: Mapping[str, Dataset]) -> Iterator[PlannedTraining]:
    plan = experiment.plan
    parts = {spec.name: () if spec.test is not None else plan.parts(datasets[spec.name]) for spec in experiment.data}
    wanted: list[tuple[RunSpec, Fold | None, bool, tuple[str, ...]]] = []
    for run in experiment.runs:
        spec, rivals = experiment.of(run.data), _rivals(experiment, run)
        request = replace(run.request, data=spec.path, read=spec.read, rules=spec.rules, digest=spec.digest)
        run = replace(run, request=request)
        wanted += [(run, part, place == 0, rivals) for place, part in enumerate(parts[run.data])]
        if plan.whole or not parts[run.data]:
            wanted.append((run, None, True, rivals))
    return (
        PlannedTraining(run, part, first, place, len(wanted), rivals)
        for place, (run, part, first, rivals) in enumerate(wanted)
    )


def _rivals(experiment: Experiment, run: RunSpec) -> tuple[str, ...]:
    """Return the machines whose runs on the same data differ only in the machine, also in their search."""
    if run.search is None:
        return ()
    alike = [other for other in experiment.runs if _searched(other) == _searched(run)]
    return tuple(dict.fromkeys(other.request.machine for other in alike))


def _searched(run: RunSpec) -> tuple[object, ...]:
    return run.data, run.search, repr(apart_from_machine(run.request))


class _Worker:
    """Runs jobs in one thread or several; a refusal by a machine becomes a sentence."""

    def __init__(
        self,
        loaded: _Loaded,
        report: Report | None,
        stopped: Callable[[], bool],
        journal: Journal | None,
        searching: Searching,
    ) -> None:
        self._loaded, self._report, self._stopped, self._journal = loaded, report, stopped, journal
        self._searching = searching
        self._refused: set[tuple[str, str]] = set()
        self.searches = SearchRunner(stopped, journal)
        self.tasks: TrainingTasks | None = None  # set if a cluster trains
        self._lock = threading.Lock()
        self.kept = 0  # trainings that were found in the journal

    def __call__(self, job: PlannedTraining) -> PartResult | str | None:
        name = job.spec.data, job.spec.label
        if name in self._refused:
            return None
        dataset, test = self._rows(job)
        if self._journal is None:
            return None if self._stopped() else self._trained(job, dataset, test)
        key = training_key(job.spec, dataset, test, closely=job.first)
        entry = self._journal.get(key)
        if entry is not None:
            with self._lock:
                self.kept += 1
            return result_of(entry, self._journal, job.spec, job.part, dataset, test)
        result = None if self._stopped() else self._trained(job, dataset, test)
        if isinstance(result, PartResult) and result.document["ending"] != Ending.STOPPED.value:
            self._journal.add(key, entry_of(job.text, result))
        return result

    def _rows(self, job: PlannedTraining) -> tuple[Dataset, Dataset | None]:
        return rows_of(job, self._loaded.rows[job.spec.data])

    def _trained(self, job: PlannedTraining, dataset: Dataset, test: Dataset | None) -> PartResult | str | None:
        try:
            return self._train(job, dataset, test)
        except LostWorkers:
            raise
        except InputError as error:
            self._refused.add((job.spec.data, job.spec.label))
            return str(error)

    def _train(self, job: PlannedTraining, dataset: Dataset, test: Dataset | None) -> PartResult | None:
        request, spec = job.spec.request, job.spec.search
        if request.solver in reference.REFERENCES:
            reference.refuse(request)
        found: tuple[Request, dict[str, Any]] | None = None
        if spec is not None:
            if request.solver in reference.REFERENCES:
                found = reference.search(request, spec, dataset, self._stopped, self._journal)
            else:
                found = self.searches.chosen(request, spec, job.rivals, dataset, partial(self._searching, job))
            if found is None:
                return None
        request, how = found or (request, None)
        if self.tasks is None:
            return train_one(job, request, how, dataset, test, self._stopped, self._tell)
        answer = self.tasks.train(job, request, how, self._stopped)
        return None if answer is None else PartResult(job.part, *answer, tested_rows(request, dataset, test))

    def _tell(self, job: PlannedTraining, session: Session, sample: Sample) -> None:
        if self._report is not None:
            with self._lock:
                self._report(job, session, sample)


def rows_of(job: PlannedTraining, loaded: LoadedRows) -> tuple[Dataset, Dataset | None]:
    """Return (training rows, test rows) of a data set and its test file."""
    if job.part is None:
        return loaded.dataset, loaded.test
    return loaded.dataset.take(job.part.train), loaded.dataset.take(job.part.test)


def train_one(
    job: PlannedTraining,
    request: Request,
    how: dict[str, Any] | None,
    dataset: Dataset,
    test: Dataset | None,
    stopped: Callable[[], bool],
    report: Report = lambda *_: None,
) -> PartResult:
    """Train on this computer or on a worker. `request` has the chosen parameters, `how` describes the search."""
    if request.solver in reference.REFERENCES:
        solved = reference.solve(request, reference.posed_of(request, dataset))
        trained = reference.trained_of(request, dataset, solved)
        return _part_result(job, trained, reference.document_of(trained, solved), solved.posed.train, test, how)
    session = Session(request, dataset)

    def look(sample: Sample) -> bool:
        report(job, session, sample)
        return stopped()

    while session.running and not stopped():
        report(job, session, session.advance(look))
    if session.running:  # the result of a stopped training is kept; its certificate bounds its error
        session.stop()
    session.calibrate(stopped=stopped)
    return _result(job, session, session.posed.held_out if test is None else test, how)


def _result(job: PlannedTraining, session: Session, test: Dataset | None, how: dict[str, Any] | None) -> PartResult:
    outcome = session.finish()
    trace = outcome.trace.table() if job.first else None
    return _part_result(job, outcome.trained, outcome.document, session.posed.train, test, how, trace)


def _part_result(
    job: PlannedTraining,
    trained: TrainedModel,
    document: Mapping[str, Any],
    train: Dataset,
    test: Dataset | None,
    how: dict[str, Any] | None,
    trace: Mapping[str, np.ndarray] | None = None,
) -> PartResult:
    rows, training = train if test is None else test, train if job.first else None
    side = side_of(job.spec.label, trained, document, rows, training, trace)
    document = {**document, **({} if test is None else _tested(side))}
    document |= {} if how is None else {"search": how}
    scores = None if test is None else side.scores  # scores of training rows would be too optimistic
    return PartResult(job.part, document, replace(side, document=document, scores=scores), test)


def _tested(side: Side) -> dict[str, Any]:
    decided = int(np.sum(side.decisions != None))  # noqa: E711
    return {"test_accuracy": None if side.scores is None else side.scores.accuracy, "n_test": decided}


def _threaded(worker: _Worker, work: list[PlannedTraining], jobs: int) -> list[PartResult | str | None]:
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(worker, work))


def _trial(run: RunSpec, work: list[PlannedTraining], done: list[PartResult | str | None]) -> TrialResult:
    found = [
        (job, result)
        for job, result in zip(work, done, strict=True)
        if (job.spec.data, job.spec.label) == (run.data, run.label)
    ]
    spec = found[0][0].spec
    refused = next((result for _, result in found if isinstance(result, str)), None)
    results = [result for _, result in found if isinstance(result, PartResult)]
    parts = tuple(result for result in results if result.rows is not None)
    whole = next((result for result in results if result.rows is None), None)
    return TrialResult(spec, parts, whole, refused)
