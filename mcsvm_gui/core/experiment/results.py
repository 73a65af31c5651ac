"""Results of an experiment: comparisons of its trials, and tests of their differences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.selection.folds import Fold
from mcsvm_gui.core.compare import tested_runs
from mcsvm_gui.core.compare.comparison import Comparison, Side, adjusted_over_pairs, compare, scored
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.evaluate.evaluation import RankMeasures
from mcsvm_gui.core.evaluate.statistics import RankTests, TestResult, corrected_t, rank_tests, wilcoxon
from mcsvm_gui.core.experiment.definition import Experiment, RunSpec

OF_SEARCH = {"validation": "mean", "search_seconds": "seconds"}
PUBLISHED = "accuracy", "iterations", "seconds", "n_support", "log2_C", "log2_gamma", *OF_SEARCH


@dataclass(frozen=True, eq=False)
class PartResult:
    """One training of a trial."""

    rows: Fold | None  # None: trained on all rows, and tested on a file or not at all
    document: Mapping[str, Any]
    side: Side
    tested: Dataset | None = None


@dataclass(frozen=True, eq=False)
class TrialResult:
    """A run of the experiment with all its parts; if `refused`, it is the reason why there are no parts."""

    spec: RunSpec
    parts: tuple[PartResult, ...] = ()
    whole: PartResult | None = None
    refused: str | None = None

    @property
    def finished(self) -> tuple[PartResult, ...]:
        return (*self.parts, *([self.whole] if self.whole is not None else []))

    @property
    def accuracies(self) -> tuple[float, ...]:
        """Return the accuracies of all parts that count and were tested."""
        found = [part.document.get("test_accuracy") for part in self.tested]
        return tuple(float(accuracy) for accuracy in found if accuracy is not None)

    @property
    def tested(self) -> tuple[PartResult, ...]:
        """Return the parts that count, without interrupted ones."""
        found = self.parts or (() if self.whole is None else (self.whole,))
        return tuple(part for part in found if part.document["ending"] != Ending.STOPPED.value)

    @property
    def converged(self) -> bool:
        return all(part.document["ending"] == "converged" for part in self.finished)

    def summary(self, name: str, way: str) -> float | None:
        """Return the mean or median over the parts: of the accuracy, or of a number of the train document."""
        values = self.accuracies if name == "accuracy" else [_number(part.document, name) for part in self.tested]
        known = [float(value) for value in values if value is not None]
        return None if not known else float(np.median(known) if way == "median" else np.mean(known))

    @property
    def worst_gap(self) -> float | None:
        gaps = [part.document["certificate"]["relative_gap"] for part in self.finished]
        return max(gaps, default=None)


@dataclass(frozen=True, eq=False)
class Results:
    experiment: Experiment
    datasets: Mapping[str, Dataset]
    tests_of: Mapping[str, Dataset | None]
    trials: tuple[TrialResult, ...]
    seconds: float = 0.0
    interrupted: bool = False
    warnings: tuple[str, ...] = field(default=())
    kept: int = 0  # trainings that were read from a journal

    @property
    def done(self) -> tuple[TrialResult, ...]:
        return tuple(trial for trial in self.trials if trial.finished)

    @property
    def converged(self) -> bool:
        return all(trial.converged for trial in self.done)

    @property
    def way(self) -> str:
        return self.experiment.plan.summary

    def on(self, name: str) -> tuple[TrialResult, ...]:
        return tuple(trial for trial in self.done if trial.spec.data == name)

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(run.label for run in self.experiment.runs))

    def trial(self, data: str, label: str) -> TrialResult | None:
        return next((trial for trial in self.on(data) if trial.spec.label == label), None)

    def table(self, name: str) -> np.ndarray:
        """Return (data sets, labels) values of every complete trial; NaN for the others."""
        rows = [
            [
                np.nan
                if (trial := self.trial(spec.name, label)) is None or not self.complete(trial)
                else trial.summary(name, self.way)
                for label in self.labels
            ]
            for spec in self.experiment.data
        ]
        return np.array(rows, dtype=float)

    def complete(self, trial: TrialResult) -> bool:
        """Return whether all parts of a trial are done; only then is it compared, because some folds are easier."""
        return len(trial.tested) == max(self._full(trial), 1)

    def _full(self, trial: TrialResult) -> int:
        tested_on_a_file = self.experiment.of(trial.spec.data).test is not None
        return 0 if tested_on_a_file else self.experiment.plan.trainings(self.datasets[trial.spec.data])

    # -- side by side -----------------------------------------------------------------------------

    def comparison(self, name: str) -> Comparison | None:
        """Compare all trials on a data set. Scores use all test rows; predictions are given if each was tested once."""
        return self._compared(name, self.on(name))

    def _compared(self, name: str, trials: Sequence[TrialResult]) -> Comparison | None:
        dataset = self.datasets[name]
        if not trials:
            return None
        same = _same([trial.whole.tested for trial in trials if trial.whole is not None])
        rows = dataset if same is None else same
        found = compare([self._side(trial, rows) for trial in trials], dataset.classes, rows)
        return replace(found, data=name, about=self._about(trials))

    def _side(self, trial: TrialResult, rows: Dataset) -> Side:
        side = replace((trial.whole or trial.parts[0]).side, label=trial.spec.label)
        if trial.parts:
            return self._pooled(side, trial.tested, rows)
        tested = [part.tested.digest for part in trial.tested if part.tested is not None]
        if tested == [rows.digest]:
            return side
        if not trial.tested:
            side = replace(side, scores=None, ranked=None)
        return replace(side, decisions=_undecided(rows))

    def _pooled(self, side: Side, parts: Sequence[PartResult], rows: Dataset) -> Side:
        """Pool the scores of the rows of all parts; each row counts as often as it was tested."""
        assert rows.labels is not None
        places = [part.rows.test for part in parts if part.rows is not None]
        side = replace(side, decisions=_undecided(rows), scores=None, ranked=None)
        if not places:
            return side
        said, true = np.concatenate([part.side.decisions for part in parts]), rows.labels[np.concatenate(places)]
        if self.experiment.plan.tests_rows_once:
            side.decisions[np.concatenate(places)] = said
        weights = None if rows.weights is None else rows.weights[np.concatenate(places)]
        scores = scored(replace(side, decisions=said), rows.classes, true, weights).scores
        return replace(side, scores=scores, ranked=_pooled_ranks(parts))

    def _about(self, trials: Sequence[TrialResult]) -> str:
        if not any(trial.parts for trial in trials):
            tested = [part.tested for trial in trials for part in trial.tested if part.tested is not None]
            return "" if not tested or _same(tested) else "Each run is scored on the rows that it was tested on itself."
        again = "" if self.experiment.plan.tests_rows_once else ", each as often as it was tested"
        first = "" if all(trial.whole for trial in trials) else ", or where there is none, of the first part"
        return (
            f"Scores are of the tested rows of all parts together{again}, the area under ROC the mean of the parts;"
            f" all else is of the training on all rows{first}."
        )

    # -- tests ------------------------------------------------------------------------------------

    @cached_property
    def ranks(self) -> RankTests | None:
        """Return rank tests over data sets, for labels with a score on every data set that has any score."""
        table = self.table("accuracy")
        table = table[np.isfinite(table).any(axis=1)]
        columns = [place for place in range(table.shape[1]) if len(table) > 1 and np.isfinite(table[:, place]).all()]
        if len(columns) < 2:
            return None
        return rank_tests(table[:, columns], [self.labels[place] for place in columns])

    @cached_property
    def tests(self) -> tuple[TestResult, ...]:
        found = [result for spec in self.experiment.data for result in self._on_one(spec.name)]
        if self.ranks is None:
            return tuple(found)
        found += self.ranks.results
        if len(self.ranks.names) == 2:
            a, b = (self.table("accuracy")[:, self.labels.index(name)] for name in self.ranks.names)
            known = np.isfinite(a) & np.isfinite(b)
            found.append(wilcoxon(a[known], b[known], (self.ranks.names[0], self.ranks.names[1])))
        return tuple(found)

    def _on_one(self, name: str) -> tuple[TestResult, ...]:
        trials = [trial for trial in self.on(name) if self.complete(trial)]
        if not any(trial.parts for trial in trials):
            return self._trained_once(trials)
        comparison = self._compared(name, trials)
        scored = comparison is not None and all(side.scores is not None for side in comparison.sides)
        results = comparison.tests() if comparison is not None and scored else ()
        pairs = list(combinations([trial for trial in trials if len(trial.accuracies) == len(trial.tested) > 1], 2))
        return (*results, *adjusted_over_pairs([[self._corrected_t(a, b)] for a, b in pairs], name))

    def _trained_once(self, trials: Sequence[TrialResult]) -> tuple[TestResult, ...]:
        """Test as a window tests its runs: on the same rows, and over the splits of several seeds."""
        runs = [self._chosen(place, trial) for place, trial in enumerate(trials)]
        found = tested_runs.on_same_rows(runs)
        if not any(trial.spec.search for trial in trials):  # requests do not describe searches
            found += tested_runs.over_splits(runs)
        return tuple(replace(result, data=trials[0].spec.data) for result in found)

    def _chosen(self, place: int, trial: TrialResult) -> tested_runs.ScoredRun:
        assert trial.whole is not None
        spec = self.experiment.of(trial.spec.data)
        request = replace(trial.spec.request, test=spec.test)
        rows = tested_runs.split_rows(request, self.datasets[spec.name], self.tests_of[spec.name])
        return tested_runs.ScoredRun(place, request, replace(trial.whole.side, label=trial.spec.label), rows)

    def _corrected_t(self, a: TrialResult, b: TrialResult) -> TestResult:
        part = a.parts[0].rows
        assert part is not None
        share = part.test.size / part.train.size
        return corrected_t(np.array(a.accuracies), np.array(b.accuracies), share, (a.spec.label, b.spec.label))

    # -- documents --------------------------------------------------------------------------------

    def document(self) -> dict[str, Any]:
        """Return the document that `mcsvm compare --json` prints."""
        return {
            "title": self.experiment.title,
            "plan": self.experiment.plan.document(),
            "runs": [self._run_document(trial) for trial in self.done],
            "refused": [
                {"data": trial.spec.data, "label": trial.spec.label, "reason": trial.refused}
                for trial in self.trials
                if trial.refused
            ],
            "tests": [result.document() for result in self.tests],
            "average_ranks": {}
            if self.ranks is None
            else dict(zip(self.ranks.names, self.ranks.ranks.tolist(), strict=True)),
            "critical_difference": None if self.ranks is None else self.ranks.critical_difference,
            "seconds": self.seconds,
            "interrupted": self.interrupted,
            "kept": self.kept,
            "warnings": list(self.warnings),
        }

    def _run_document(self, trial: TrialResult) -> dict[str, Any]:
        """Return the train document of all rows, or else of the first part, with additional fields about the parts."""
        main = (trial.whole or trial.parts[0]).document
        accuracies = trial.accuracies
        ranked = _pooled_ranks(trial.tested) or RankMeasures(None, None)
        return {
            **main,
            "data": trial.spec.data,
            "label": trial.spec.label,
            "fold_accuracy": list(accuracies),
            "mean": trial.summary("accuracy", "mean"),
            "median": trial.summary("accuracy", "median"),
            "std": float(np.std(accuracies, ddof=1)) if len(accuracies) > 1 else None,
            **asdict(ranked),
            "parts": [dict(part.document) for part in trial.parts],
            "published": dict(trial.spec.published),
        }


def _number(document: Mapping[str, Any], name: str) -> float | None:
    """Return a number of the train document; C and gamma as powers of two, which are the steps of searches."""
    if name == "log2_C":
        return math.log2(document["C"])
    if name == "log2_gamma":
        return math.log2(document["kernel"]["gamma"])
    if name in OF_SEARCH:
        return document["search"][OF_SEARCH[name]] if "search" in document else None
    return document.get(name)


def _same(tested: Sequence[Dataset | None]) -> Dataset | None:
    """Return the rows that all were tested on, or None if these differ."""
    digests = {None if rows is None else rows.digest for rows in tested}
    return tested[0] if len(digests) == 1 else None


def _pooled_ranks(parts: Sequence[PartResult]) -> RankMeasures | None:
    found = [part.side.ranked for part in parts if part.side.ranked is not None]
    if not found or len(found) < len(parts):
        return None
    if len(found) == 1:
        return found[0]
    return RankMeasures.pooled(found, [_weight(part) for part in parts])


def _weight(part: PartResult) -> float:
    """Return the total weight of the predicted rows."""
    decided, tested = part.side.decisions != None, part.tested  # noqa: E711
    weights = None if tested is None else tested.weights
    return float(decided.sum() if weights is None else weights[decided].sum())


def _undecided(rows: Dataset) -> np.ndarray:
    return np.full(rows.rows, None, dtype=object)


def beside_published(results: Results) -> list[tuple[str, str, str, float, float | None]]:
    """Return (data, label, measure, published, ours) for every published number."""
    return [
        (trial.spec.data, trial.spec.label, name, float(value), trial.summary(name, results.way))
        for trial in results.trials
        for name, value in trial.spec.published.items()
        if name in PUBLISHED
    ]
