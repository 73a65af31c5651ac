"""The scores of runs that were tested on the same rows, with intervals, and the tests of their differences.

Intervals are those of `mcsvm evaluate`: percentiles of the same resamples of the rows. Differences are McNemar's exact
test on the rows that both predict, adjusted by Holm over all pairs, as on the Compare page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mcsvm_gui.core.compare.comparison import adjusted_over_pairs
from mcsvm_gui.core.data.spellings import in_training_spelling
from mcsvm_gui.core.evaluate import decided as decisions
from mcsvm_gui.core.evaluate.bootstrap import interval, recall_interval, resampled, share_interval
from mcsvm_gui.core.evaluate.statistics import SIGNIFICANT, mcnemar

if TYPE_CHECKING:
    from mcsvm_gui.core.data.dataset import Dataset
    from mcsvm_gui.core.machine.trained import TrainedModel

UNDECIDED, WRONG, RIGHT = -1, 0, 1
ScoreInterval = tuple[float, float]


@dataclass(frozen=True, eq=False)
class RunScores:
    """The scores of a run on its test rows. Each row costs one byte: there may be a hundred runs of 10^5 rows."""

    run: int
    outcomes: np.ndarray  # (rows,) int8: UNDECIDED, WRONG or RIGHT
    names: tuple[str, ...]
    confusion: np.ndarray  # (classes, classes): true classes down, predicted across; counts or sums of weights
    accuracy: float
    interval: ScoreInterval
    balanced: float
    balanced_interval: ScoreInterval
    macro_f1: float
    macro_f1_interval: ScoreInterval
    counts: np.ndarray  # (classes, classes) as `confusion`, each row counted once
    shared_groups: tuple[str, ...] = ()  # columns that look like groups, which training and test rows share

    @property
    def rows(self) -> int:
        return int((self.outcomes != UNDECIDED).sum())

    def score(self, name: str) -> tuple[float, ScoreInterval]:
        """Return a measure, by its name in `mcsvm tune --score`, and its 95% interval."""
        return {
            "accuracy": (self.accuracy, self.interval),
            "balanced-accuracy": (self.balanced, self.balanced_interval),
            "macro-f1": (self.macro_f1, self.macro_f1_interval),
        }[name]


def run_scores(run: int, trained: TrainedModel, rows: Dataset, seed: int) -> RunScores | None:
    """Score a model on `rows`, which have known classes and were not trained on; None if it predicts none of them."""
    return scores_of(run, trained.class_names, trained.predictions(rows).labels, rows, seed)


def scores_of(
    run: int, class_names: tuple[str, ...], predicted: np.ndarray, rows: Dataset, seed: int
) -> RunScores | None:
    """Score predicted class names (None: no prediction) against the classes of `rows`."""
    assert rows.labels is not None
    true, known = in_training_spelling(class_names, rows.labels), predicted != None  # noqa: E711
    weights = np.ones(rows.rows) if rows.weights is None else rows.weights
    counted = known & (weights > 0.0)
    if not counted.any():
        return None
    names = (*class_names, *sorted(set(true.tolist()) - set(class_names)))
    number = {name: code for code, name in enumerate(names)}
    codes, told = (np.array([number[name] for name in side[known]], dtype=np.int64) for side in (true, predicted))
    outcomes = np.full(rows.rows, UNDECIDED, dtype=np.int8)
    outcomes[known] = codes == told
    kept = counted[known]
    return _measure_run(_Predicted(run, outcomes, names), codes[kept], told[kept], weights[counted], seed)


class _Predicted(NamedTuple):
    run: int
    outcomes: np.ndarray
    names: tuple[str, ...]


def _measure_run(
    predicted: _Predicted, true: np.ndarray, told: np.ndarray, weights: np.ndarray, seed: int
) -> RunScores:
    """Measure predictions as `evaluate_rows` does."""
    classes = len(predicted.names)

    def confusion(counts: np.ndarray) -> np.ndarray:
        return decisions.confusion_of(true, told, classes, counts)

    drawn = np.stack([confusion(one) for block in resampled(weights, seed) for one in block])
    whole = confusion(weights)
    counts = decisions.confusion_of(true, told, classes)
    accuracy, balanced, f1 = decisions.accuracy, decisions.balanced_accuracy, decisions.macro_f1
    return RunScores(
        *predicted,
        confusion=whole,
        accuracy=float(accuracy(whole)),
        interval=share_interval(accuracy(drawn), weights),
        balanced=float(balanced(whole)),
        balanced_interval=recall_interval(balanced(drawn), counts),
        macro_f1=float(f1(whole)),
        macro_f1_interval=_ends(f1(drawn)),
        counts=counts,
    )


def _ends(values: np.ndarray) -> ScoreInterval:
    low, high = interval(values).tolist()
    return low, high


# -- together -------------------------------------------------------------------------------------


def told_apart(runs: Iterable[RunScores]) -> dict[tuple[int, int], float]:
    """Return the adjusted p of every pair, in both orders; pairs without common predictions are left out."""
    found = []
    for a, b in combinations(runs, 2):
        both = (a.outcomes != UNDECIDED) & (b.outcomes != UNDECIDED)
        if both.any():
            found.append([mcnemar(a.outcomes[both] == RIGHT, b.outcomes[both] == RIGHT, (str(a.run), str(b.run)))[0]])
    p: dict[tuple[int, int], float] = {}
    for result in adjusted_over_pairs(found, "") if found else ():
        a_run, b_run = map(int, result.between)
        p[a_run, b_run] = p[b_run, a_run] = result.adjusted["holm"]
    return p


def differing_from(run: int, others: Iterable[int], p: Mapping[tuple[int, int], float]) -> list[int]:
    """Return the others that differ significantly from a run."""
    return [other for other in others if p.get((run, other), 1.0) < SIGNIFICANT]


@dataclass(frozen=True)
class Confused:
    """Two classes, and the share of all errors that lies between them."""

    names: tuple[str, str]
    errors: float
    share: float


def most_confused(run: RunScores) -> Confused | None:
    """Return the pair of classes with most errors between them; None if there are no such errors."""
    errors = run.confusion + run.confusion.T
    errors = np.triu(errors, 1)
    if not errors.any():
        return None
    first, second = divmod(int(errors.argmax()), len(run.names))
    found = float(errors[first, second])
    return Confused((run.names[first], run.names[second]), found, found / float(errors.sum()))
