"""What `mcsvm tune --model` does with what it found: the best of each machine trained, tested, and the best kept."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from mcsvm_gui.cli.progress import ProgressLine
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.compare.conclusion import Candidate, Conclusion, conclude
from mcsvm_gui.core.compare.refit import refit_request
from mcsvm_gui.core.compare.standings import RunScores, run_scores, told_apart
from mcsvm_gui.core.compare.tested_runs import split_rows
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.machine import model_file
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import Outcome, train
from mcsvm_gui.core.machine.summary import refit_sentence
from mcsvm_gui.core.project.leaderboard import MEASURES
from mcsvm_gui.core.tune.best import best_of_each, trainings
from mcsvm_gui.core.tune.options import TuneRequest
from mcsvm_gui.core.tune.search import Tuned
from solvers.errors import InputError


@dataclass(frozen=True, eq=False)
class KeptModel:
    """`candidates`: the best by cross-validation first."""

    candidates: tuple[Candidate, ...]
    conclusion: Conclusion
    model: str
    refit: Mapping[str, Any] | None = None  # the train document of the model trained on all rows

    def document(self) -> dict[str, Any]:
        return {
            "trained": [dict(one.document) for one in self.candidates],
            "intervals": {one.label: list(one.scores.interval) for one in self.candidates if one.scores is not None},
            "conclusion": self.conclusion.text,
            "answer": self.conclusion.document(),
            "model": self.model,
            **({} if self.refit is None else {"delivered": dict(self.refit), "refit": self.refit["refit"]}),
        }

    def summary_lines(self) -> list[str]:
        header = f"{'':<6}{'validated':>11}{'test':>10}{'95%':>16}{'time':>12}{'vectors':>9}{'gap':>13}"
        rows = [_row(one) for one in self.candidates]
        answer = self.conclusion
        said = filter(None, [answer.accurate, answer.ranking, f"Optimum: {answer.optimum}"])
        delivered = [] if self.refit is None else [refit_sentence(self.refit["refit"])]
        return ["", *said, "", header, *rows, "", *delivered, f"Model: {self.model}"]


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
    """Refuse what no model can be kept by, before the search."""
    if refit and wanted.test_share is None:
        raise InputError("--refit trains on all rows after a test on some of them: add --test-share 0.3")
    if wanted.score not in MEASURES:
        raise InputError("--model ranks machines by {choices}; choose one with --score", choices=", ".join(MEASURES))


def keep_best(tuned: Tuned, options: argparse.Namespace) -> KeptModel | None:
    """None where nothing was found that could be trained."""
    found, dataset = best_of_each(tuned), tuned.tuning.dataset
    requests = trainings(replace(tuned.tuning.request, holdout=tuned.tuning.wanted.test_share), tuned, found)
    if not requests:
        return None
    rows = split_rows(requests[0], dataset, None)
    tested = rows.tested if rows.kind == "test" else None
    candidates: list[Candidate] = []
    best: Outcome | None = None
    for number, (request, choice) in enumerate(zip(requests, found.values(), strict=True)):
        outcome = _train(request, dataset, options)
        if number == 0:
            best = outcome
            model_file.save(options.model, outcome.trained)
        known = None if tested is None else run_scores(number, outcome.trained, tested, request.seed)
        candidates.append(
            Candidate(
                number,
                request.machine,
                outcome.document,
                known,
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
    final = _train(refit_request(best, dataset), dataset, options) if options.refit else None
    if final is not None:
        model_file.save(options.model, final.trained)
    return KeptModel(tuple(candidates), conclusion, options.model, None if final is None else final.document)


def _train(request: Request, dataset: Dataset, options: argparse.Namespace) -> Outcome:
    progress = ProgressLine(options.quiet)
    progress.begin(f"training {request.machine} ...")
    try:
        return train(request, dataset, None, progress, calibrating=progress.folds)
    finally:
        progress.end()
