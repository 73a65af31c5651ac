"""Evaluate a model on rows with known classes: measures with intervals, and curves with bands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from mcsvm.solvers.errors import InputError, Sentence
from mcsvm_gui.core.evaluate import decided as decisions
from mcsvm_gui.core.evaluate.bootstrap import RESAMPLES, interval, recall_interval, resampled, share_interval
from mcsvm_gui.core.evaluate.probabilities import (
    BrierParts,
    Reliability,
    SortedProbabilities,
    brier_parts,
    brier_scores,
    log_losses,
)
from mcsvm_gui.core.evaluate.ranking import GRID, Ranking, Ranks, points

MACRO = "macro"


@dataclass(frozen=True, eq=False)
class DecidedRows:
    """Predictions and true classes of rows. Classes are numbers, in the order of `names`."""

    names: tuple[str, ...]  # the model's classes, then classes that it does not know
    known: int  # number of the model's classes
    true: np.ndarray  # (n,)
    decided: np.ndarray  # (n,) -1 if the row was rejected
    scores: np.ndarray  # (n, known) scores by which classes are ranked
    shares: np.ndarray | None  # (n, known) probabilities, if the model has them
    weights: np.ndarray
    costs: np.ndarray | None = None  # (known, known) true classes down, predicted across

    @cached_property
    def most_probable(self) -> np.ndarray:
        """The confusion matrix of predictions of the most probable class."""
        assert self.shares is not None
        return decisions.confusion_of(self.true, self.shares.argmax(axis=1), len(self.names), self.weights)

    def taken(self, rows: np.ndarray) -> DecidedRows:
        shares = None if self.shares is None else self.shares[rows]
        return replace(
            self,
            true=self.true[rows],
            decided=self.decided[rows],
            scores=self.scores[rows],
            shares=shares,
            weights=self.weights[rows],
        )


@dataclass(frozen=True, eq=False)
class RankingCurve:
    """A curve of ranked scores. `band`: (2, GRID), if a bootstrap was requested."""

    x: np.ndarray
    y: np.ndarray
    area: float
    band: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Evaluation:
    """An evaluation. `roc` and `precision_recall` map each class, and the average, to its curve.

    They omit classes without rows, and a class of all rows.
    """

    rows: int
    rejected: int
    names: tuple[str, ...]
    measures: Mapping[str, float | None]
    confusion: np.ndarray
    roc: Mapping[str, RankingCurve]
    precision_recall: Mapping[str, RankingCurve]
    reliability: Mapping[str, Reliability]  # of the predicted class ("") and of each class
    brier: BrierParts | None
    intervals: Mapping[str, tuple[float, float]]

    def document(self) -> dict[str, Any]:
        """Return the document that `mcsvm evaluate --json` prints."""
        return {
            "n": self.rows,
            **{name: self.measures[name] for name in TITLES if name != "expected_cost"},
            "roc_auc": {name: curve.area for name, curve in self.roc.items()},
            "average_precision": {name: curve.area for name, curve in self.precision_recall.items()},
            "classes": list(self.names),
            "confusion": self.confusion.tolist(),
            "expected_cost": self.measures["expected_cost"],
            "rejected": self.rejected,
            "brier_parts": None if self.brier is None else vars(self.brier),
            "reliability": [
                {"probability": float(p), "frequency": float(f), "rows": float(n)}
                for p, f, n in zip(*vars(self.reliability[""]).values(), strict=True)
            ]
            if self.reliability
            else None,
            "intervals": {name: list(ends) for name, ends in self.intervals.items()},
        }


TITLES = {
    "accuracy": Sentence("Accuracy"),
    "balanced_accuracy": Sentence("Balanced accuracy"),
    "macro_f1": Sentence("Macro F1"),
    "kappa": Sentence("Cohen's kappa"),
    "log_loss": Sentence("Log loss"),
    "brier": Sentence("Brier score"),
    "ece": Sentence("Calibration error"),
    "expected_cost": Sentence("Mean cost"),
}


def evaluate_rows(rows: DecidedRows, seed: int = 0, resamples: int = RESAMPLES) -> Evaluation:
    """Evaluate rows. With `resamples` 0 there are no intervals and bands."""
    rows = rows.taken(np.flatnonzero(rows.weights > 0.0))
    if rows.true.size < 2:
        raise InputError("one row shows nothing of how well a model decides; take data with more rows")
    if (rows.decided < 0).all():
        raise InputError("every row is rejected, as no class is probable enough; take a lower least probability")
    work = _Measured(rows)
    whole = work.of(rows.weights[None])
    found = [work.of(weights) for weights in resampled(rows.weights, seed, resamples)] if resamples else []
    together = {name: np.concatenate([one[name] for one in found]) for name in whole} if found else {}
    ends = {name: interval(values) for name, values in together.items()}
    if "accuracy" in together:
        ends["accuracy"] = np.array(share_interval(together["accuracy"], rows.weights[work.kept]))
        each = work.confusion(np.ones_like(rows.weights))
        ends["balanced_accuracy"] = np.array(recall_interval(together["balanced_accuracy"], each))
    counts = work.confusion(rows.weights)
    whole_counts = np.array_equal(rows.weights, np.round(rows.weights))
    return Evaluation(
        rows=int(rows.true.size),
        rejected=int((rows.decided < 0).sum()),
        names=rows.names,
        measures={name: float(whole[name][0]) if name in whole else None for name in TITLES},
        confusion=counts.astype(np.int64) if whole_counts else counts,
        roc=work.curves("roc", ends),
        precision_recall=work.curves("precision_recall", ends),
        reliability=work.reliability(),
        brier=None if rows.shares is None else brier_parts(rows.shares, rows.true, rows.weights),
        intervals={name: (float(one[0]), float(one[1])) for name, one in ends.items() if one.ndim == 1},
    )


@dataclass(frozen=True)
class RankMeasures:
    """Measures of all outputs of a model, not only of its predictions."""

    log_loss: float | None  # None without probabilities
    roc_auc: float | None  # mean over the classes that have rows, and not all rows

    @classmethod
    def of(cls, rows: DecidedRows) -> RankMeasures:
        rows = rows.taken(np.flatnonzero(rows.weights > 0.0))
        measured = _Measured(rows)
        losses = measured.losses.get("log_loss")
        areas = [float(one.curves(rows.weights).roc_auc) for one in measured.rankings.values()]
        return cls(
            None if losses is None or not losses.size else float(np.average(losses, weights=rows.weights)),
            float(np.mean(areas)) if areas else None,
        )

    @classmethod
    def pooled(cls, parts: Sequence[RankMeasures], weights: Sequence[float]) -> RankMeasures:
        """Pool parts with these total weights: the loss of all rows, and the mean of the areas."""
        losses, areas = [part.log_loss for part in parts], [part.roc_auc for part in parts]
        return cls(
            None if None in losses else float(np.average(np.array(losses, dtype=float), weights=weights)),
            None if None in areas else float(np.mean(np.array(areas, dtype=float))),
        )


class _Measured:
    """Everything that does not depend on row weights is computed once: orders of scores, losses of rows."""

    def __init__(self, rows: DecidedRows) -> None:
        self.rows = rows
        self.kept = np.flatnonzero(rows.decided >= 0)
        every = {
            rows.names[number]: Ranking.of(rows.scores[:, number], rows.true == number) for number in range(rows.known)
        }
        self.rankings = {name: one for name, one in every.items() if one.positive.any() and not one.positive.all()}
        self.losses = {}
        self.confidence: SortedProbabilities | None = None
        if rows.shares is not None:
            self.losses = {
                "log_loss": log_losses(rows.shares, rows.true),
                "brier": brier_scores(rows.shares, rows.true),
            }
            self.confidence = SortedProbabilities.of(rows.shares.max(axis=1), rows.shares.argmax(axis=1) == rows.true)

    def confusion(self, weights: np.ndarray) -> np.ndarray:
        rows, kept = self.rows, self.kept
        return decisions.confusion_of(rows.true[kept], rows.decided[kept], len(rows.names), weights[kept])

    def of(self, weights: np.ndarray) -> dict[str, np.ndarray]:
        """Return (resamples, ...) values by name for (resamples, n) weights: measures, and curves on GRID."""
        confusion = np.stack([self.confusion(one) for one in weights])
        found = {name: measure(confusion) for name, measure in decisions.MEASURES.items()}
        for name, losses in self.losses.items():
            found[name] = weights @ losses / weights.sum(axis=1)
        if self.confidence is not None:
            found["ece"] = np.array([self.confidence.reliability(one).error for one in weights])
        if self.rows.costs is not None:
            found["expected_cost"] = decisions.mean_cost(confusion, with_costs(self.rows.costs, len(self.rows.names)))
        return found | self._ranked(weights)

    def _ranked(self, weights: np.ndarray) -> dict[str, np.ndarray]:
        ranks = {name: ranking.curves(weights) for name, ranking in self.rankings.items()}
        found: dict[str, np.ndarray] = {}
        for kind, area, on_grid in KINDS:
            areas = {name: getattr(one, area) for name, one in ranks.items()}
            lines = {name: getattr(one, on_grid)() for name, one in ranks.items()}
            for name, values in (areas | _averaged(areas)).items():
                found[f"{area}: {name}"] = values
            for name, values in (lines | _averaged(lines)).items():
                found[f"{kind}: {name}"] = values
        return found

    def curves(self, kind: str, ends: Mapping[str, np.ndarray]) -> dict[str, RankingCurve]:
        area = next(area for one, area, _ in KINDS if one == kind)
        found: dict[str, RankingCurve] = {}
        for name, ranking in self.rankings.items():
            ranks = ranking.curves(self.rows.weights)
            found[name] = RankingCurve(
                *_line(kind, ranks), float(getattr(ranks, area)), band=ends.get(f"{kind}: {name}")
            )
        if found:
            whole = self._ranked(self.rows.weights[None])
            found[MACRO] = RankingCurve(
                GRID,
                whole[f"{kind}: {MACRO}"][0],
                float(whole[f"{area}: {MACRO}"][0]),
                band=ends.get(f"{kind}: {MACRO}"),
            )
        return found

    def reliability(self) -> dict[str, Reliability]:
        rows = self.rows
        if rows.shares is None or self.confidence is None:
            return {}
        columns = {
            rows.names[number]: SortedProbabilities.of(p, rows.true == number) for number, p in enumerate(rows.shares.T)
        }
        return {name: one.reliability(rows.weights) for name, one in ({"": self.confidence} | columns).items()}


KINDS = ("roc", "roc_auc", "roc_on_grid"), ("precision_recall", "average_precision", "precision_on_grid")


def with_costs(known: np.ndarray, classes: int) -> np.ndarray:
    """Return (classes, classes) costs. A row of a class unknown to the model costs the most expensive error."""
    whole = np.full((classes, classes), known.max())
    whole[: len(known), : len(known)] = known
    return whole


def _line(kind: str, ranks: Ranks) -> tuple[np.ndarray, np.ndarray]:
    return points(ranks.fall_out, ranks.recall) if kind == "roc" else points(ranks.recall, ranks.precision)


def _averaged(values: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Average over classes with equal weights; a resample averages over the classes that have rows in it."""
    if not values:
        return {}
    each = np.array(list(values.values()))
    known = np.isfinite(each)
    count = known.sum(axis=0)
    return {MACRO: np.where(count > 0, np.where(known, each, 0.0).sum(axis=0) / np.maximum(count, 1), np.nan)}


def check_classes(rows: DecidedRows, name: str) -> None:
    """Raise InputError unless every class of the model has rows: otherwise its ROC is undefined."""
    counts = np.bincount(rows.true, minlength=len(rows.names))
    absent = [label for label, count in zip(rows.names, counts, strict=True) if count == 0]
    if absent:
        raise InputError(
            "{name}: no row is of class {absent!r}, so that its ROC is not defined; take rows of every class",
            name=name,
            absent=absent[0],
        )
