"""The trainings after a search (`mcsvm tune --model`): train the best of each machine, test them, save the best."""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.run.ending import Ending
from mcsvm_gui.cli.interrupt import Interrupt
from mcsvm_gui.cli.progress import ProgressLine
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.compare.conclusion import Candidate, Conclusion, conclude
from mcsvm_gui.core.compare.refit import refit_request
from mcsvm_gui.core.compare.standings import RunScores, told_apart
from mcsvm_gui.core.compare.tested_runs import split_rows
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.machine import checkpoint_file, model_file
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import Outcome, train
from mcsvm_gui.core.machine.summary import refit_sentence
from mcsvm_gui.core.project.leaderboard import MEASURES
from mcsvm_gui.core.tune.best import Chosen, best_of_each, trainings
from mcsvm_gui.core.tune.options import TuneRequest
from mcsvm_gui.core.tune.search import Tuned

SCORED_ROWS = 20_000  # test rows within a time budget: the standard error of their accuracy is at most 0.35 points
RESERVED_SHARE = 0.4  # of the time budget of a search, reserved for the models that are trained afterwards
TRAINING_SHARE = 0.7  # of the time of a model, for its training; the remainder is for its certificate and scores
ATTEMPT_SHARE = 0.7  # of the remaining time, for a training on more rows, whose cost is only estimated
GROWTH_SHARE = 0.45  # of the remaining time: the largest estimated cost of a training on more rows
LEAST_GROWTH = 1.5  # smallest factor by which the rows have to grow to be worth a training
CERTIFIED_TRAINING = 1.5  # time of a training with its certificate, relative to the training alone
BESIDE = 1.5  # times the seconds of the best model have to remain before another machine is trained


@dataclass(frozen=True, eq=False)
class KeptModel:
    """The saved model; `candidates` begin with the best by cross-validation."""

    candidates: tuple[Candidate, ...]
    conclusion: Conclusion
    model: str
    refit: Mapping[str, Any] | None = None  # the train document of the model trained on all rows
    notes: tuple[str, ...] = ()  # models and scores that the time budget or a signal prevented
    converged: bool = True  # whether the saved model converged

    def document(self) -> dict[str, Any]:
        return {
            "trained": [dict(one.document) for one in self.candidates],
            "intervals": {one.label: list(one.scores.interval) for one in self.candidates if one.scores is not None},
            "conclusion": self.conclusion.text,
            "answer": self.conclusion.document(),
            "model": self.model,
            "notes": list(self.notes),
            **({} if self.refit is None else {"delivered": dict(self.refit), "refit": self.refit["refit"]}),
        }

    def summary_lines(self) -> list[str]:
        header = f"{'':<6}{'validated':>11}{'test':>10}{'95%':>16}{'time':>12}{'vectors':>9}{'gap':>13}"
        rows = [_row(one) for one in self.candidates]
        answer = self.conclusion
        said = filter(None, [answer.accurate, answer.ranking, f"Optimum: {answer.optimum}"])
        delivered = [] if self.refit is None else [refit_sentence(self.refit["refit"])]
        return ["", *said, "", header, *rows, "", *self.notes, *delivered, f"Model: {self.model}"]


def _row(one: Candidate) -> str:
    rows = None if one.scores is None else one.scores.rows
    cells = (
        f"{one.label:<6}",
        f"{figures.accuracy(one.validation):>11}",
        f"{figures.accuracy(one.document['test_accuracy'], rows):>10}",
        f"{_interval(one.scores):>16}",
        f"{figures.seconds(one.document['seconds']):>12}",
        f"{figures.count(one.document['n_support']):>9}",
        f"{figures.gap(max(one.document['certificate']['relative_gap'], 0.0)):>13}",
    )
    return "".join(cells)


def _interval(found: RunScores | None) -> str:
    if found is None:
        return figures.NONE
    return figures.interval(*found.interval, found.rows)


def check_best(wanted: TuneRequest, *, refit: bool) -> None:
    """Refuse, before the search, requests whose best model could not be saved."""
    if refit and wanted.test_share is None:
        raise InputError("--refit trains on all rows after a test on some of them: add --test-share 0.3")
    if wanted.score not in MEASURES:
        raise InputError("--model ranks machines by {choices}; choose one with --score", choices=", ".join(MEASURES))


def keep_best(tuned: Tuned, options: argparse.Namespace, interrupt: Interrupt) -> KeptModel | None:
    """Train, test and save the models that the search chose, within its remaining time budget.

    Return None if the search found nothing to train, or if it was stopped.
    """
    found, dataset = best_of_each(tuned), tuned.tuning.dataset
    requests = trainings(replace(tuned.tuning.request, holdout=tuned.tuning.wanted.test_share), tuned, found)
    if not requests or interrupt.requested:
        return None
    rows = split_rows(requests[0], dataset, None)
    tested = rows.tested if rows.kind == "test" else None
    work = FinalTrainings(tuned, options, interrupt, tested)
    candidates: list[Candidate] = []
    best: BudgetedModel | None = None
    for number, (request, choice) in enumerate(zip(requests, found.values(), strict=True)):
        if best is None:
            trained = best = work.train_best(request, choice)
            model_file.save(options.model, best.outcome.trained)
            checkpoint_file.save(options.model, None)  # that of an earlier training
        else:
            another = work.train_another(request, best)
            if another is None:
                continue
            trained = another
        outcome = trained.outcome
        scores = None
        if work.tested is not None and outcome.document["test_accuracy"] is not None:
            scores = rows.scores(number, outcome.trained, request.seed)
        candidates.append(
            Candidate(
                number,
                request.machine,
                outcome.document,
                scores,
                validation=choice.mean,
                chosen=number == 0,
                cut=choice.cut,
                edges=choice.edges,
                share=choice.share,
                ranges=choice.ranges,
                measure=choice.measure,
                grouped=bool(request.read.groups or request.read.fold_column),
            )
        )
    conclusion = conclude(candidates, told_apart(one.scores for one in candidates if one.scores is not None))
    assert conclusion is not None
    assert best is not None
    final = work.refit(best) if options.refit else None
    if final is not None:
        model_file.save(options.model, final.trained)
    document = None if final is None else final.document
    kept = best.outcome if final is None else final
    converged = kept.trained.origin.ending is Ending.CONVERGED
    if work.untrained:
        work.notes.append(f"There was no time left to train {', '.join(work.untrained)}.")
    return KeptModel(tuple(candidates), conclusion, options.model, document, tuple(work.notes), converged)


@dataclass(frozen=True, eq=False)
class BudgetedModel:
    outcome: Outcome
    seconds: float  # for everything: preparation, training, certificate, calibration, scores
    rows: int | None  # largest number of training rows; None: all

    def growth_within(self, seconds: float) -> float:
        """Return the factor by which the rows may grow so that the training is expected to take `seconds`.

        Training, certificate and calibration take quadratic time in the number of rows, all other work at most linear.
        """
        calibrated, document = self.outcome.document["calibration"], self.outcome.document
        training = document["seconds"] + (0.0 if calibrated is None else calibrated["seconds"])
        quadratic = min(CERTIFIED_TRAINING * training, 0.9 * self.seconds)
        linear = self.seconds - quadratic
        return 2.0 * seconds / (linear + math.sqrt(linear**2 + 4.0 * quadratic * seconds))


class FinalTrainings:
    """Train the models that a search chose, each within the remaining time budget.

    If there are too many rows for the budget, the best machine is first trained on as many as were enough to choose it.
    It is trained on more rows as long as the time of the previous training shows that the budget allows it.
    """

    def __init__(self, tuned: Tuned, options: argparse.Namespace, interrupt: Interrupt, tested: Dataset | None) -> None:
        self.notes: list[str] = []  # changes that the budget or a signal made necessary
        self.untrained: list[str] = []  # machines that were not trained
        self.tested = tested
        self._tuned, self._options, self._interrupt = tuned, options, interrupt
        budget = tuned.tuning.wanted.budget
        self._end = math.inf if budget is None else time.monotonic() + budget - tuned.seconds
        self._total = tuned.tuning.rows.rows
        if tested is not None and math.isfinite(self._end) and tested.rows > SCORED_ROWS:
            self.tested = tested.take(np.arange(0, tested.rows, math.ceil(tested.rows / SCORED_ROWS)))
            self.notes.append(
                f"Because of the time budget, accuracies are measured on {self.tested.rows} of the {tested.rows} test"
                " rows, evenly chosen."
            )

    def train_best(self, request: Request, choice: Chosen) -> BudgetedModel:
        rows = self._first_rows(choice)
        known = self._train(request, rows, self._remaining_seconds())
        while known.rows is not None and self._is_complete(known):
            seconds = self._remaining_seconds()
            next_rows = min(self._total, int(known.rows * known.growth_within(GROWTH_SHARE * seconds)))
            if next_rows < LEAST_GROWTH * known.rows or self._interrupt.requested:
                break
            larger = self._train(request, None if next_rows == self._total else next_rows, ATTEMPT_SHARE * seconds)
            if not self._is_complete(larger):
                break
            known = larger
        if known.rows is not None:
            self.notes.append(
                f"The time budget ended before a training on all rows: the models are trained on {known.rows} of the"
                f" {self._total} training rows."
            )
        elif not self._is_complete(known):
            self.notes.append(f"The time ended before the training of {request.machine} was done.")
        return known

    def train_another(self, request: Request, best: BudgetedModel) -> BudgetedModel | None:
        """Train another machine on the same rows; return None if there is no time for it."""
        seconds = self._remaining_seconds()
        if not self._interrupt.requested and seconds > BESIDE * best.seconds:
            model = self._train(request, best.rows, seconds)
            if self._is_complete(model):
                return model
        self.untrained.append(request.machine)
        return None

    def refit(self, best: BudgetedModel) -> Outcome | None:
        seconds = self._remaining_seconds()
        if self._interrupt.requested or (math.isfinite(seconds) and seconds < 2.0 * best.seconds):
            self.notes.append("There was no time left to train on all rows: the model that was tested is kept.")
            return None
        dataset = self._tuned.tuning.dataset
        model = self._train(refit_request(best.outcome, dataset), best.rows, seconds)
        return model.outcome

    def _first_rows(self, choice: Chosen) -> int | None:
        """Return the number of rows of a fold with which the search compared the best cells; None: all."""
        if math.isinf(self._end) or choice.share == 1.0:
            return None
        return max(2, round(choice.share * self._tuned.tuning.parts[0].train.size))

    def _remaining_seconds(self) -> float:
        return self._end - time.monotonic()

    def _is_complete(self, model: BudgetedModel) -> bool:
        """Return whether neither the budget nor a signal cut the model short."""
        origin = model.outcome.trained.origin
        return origin.certified and origin.ending is not Ending.STOPPED

    def _train(self, request: Request, rows: int | None, seconds: float) -> BudgetedModel:
        """Train, and reserve the last part of the seconds for certificate and scores."""
        began = time.monotonic()
        end, training_end = began + seconds, began + TRAINING_SHARE * seconds
        progress = ProgressLine(self._options.quiet)
        progress.begin(f"training {request.machine} ...")
        try:
            outcome = train(
                replace(request, sample=rows),
                self._tuned.tuning.dataset,
                self.tested if request.holdout is not None and math.isfinite(self._end) else None,
                progress,
                stopped=lambda: self._interrupt.requested or time.monotonic() > training_end,
                calibrating=progress.folds,
                certifying=progress.certifying,
                seconds_left=lambda: min(self._interrupt.seconds_left, end - time.monotonic()),
            )
        finally:
            progress.end()
        return BudgetedModel(outcome, time.monotonic() - began, rows)
