"""How runs stand that were tested on the same rows: how good each is, with its interval, and whether two differ.

Intervals are those of `mcsvm evaluate`: percentiles of the same resamples of the rows. Differences are McNemar's exact
test on the rows that both decided, adjusted by Holm over all pairs, as on the Compare page.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mcsvm_gui.core.compare.comparison import adjusted_over_pairs
from mcsvm_gui.core.data.spellings import in_training_spelling
from mcsvm_gui.core.evaluate import decided as decisions
from mcsvm_gui.core.evaluate.bootstrap import interval, resampled, share_interval
from mcsvm_gui.core.evaluate.statistics import SIGNIFICANT, mcnemar

if TYPE_CHECKING:
    from mcsvm_gui.core.data.dataset import Dataset
    from mcsvm_gui.core.machine.trained import TrainedModel

UNDECIDED, WRONG, RIGHT = -1, 0, 1


@dataclass(frozen=True, eq=False)
class RunScores:
    """A run on its test rows. Of each row no more is kept than a byte: there may be a hundred runs of 10^5 rows."""

    run: int
    outcomes: np.ndarray  # (rows,) int8: UNDECIDED, WRONG or RIGHT
    names: tuple[str, ...]
    confusion: np.ndarray  # (classes, classes): true down, decided across; rows, or sums of their weights
    accuracy: float
    interval: tuple[float, float]
    balanced: float
    balanced_interval: tuple[float, float]

    @property
    def rows(self) -> int:
        return int((self.outcomes != UNDECIDED).sum())


def run_scores(run: int, trained: TrainedModel, rows: Dataset, seed: int) -> RunScores | None:
    """`rows`: of known classes, that it was not trained on. None where none of them can be decided."""
    assert rows.labels is not None
    labels = trained.predictions(rows).labels
    true, said = in_training_spelling(trained.class_names, rows.labels), labels != None  # noqa: E711
    if not said.any():
        return None
    names = (*trained.class_names, *sorted(set(true.tolist()) - set(trained.class_names)))
    number = {name: code for code, name in enumerate(names)}
    codes, told = (np.array([number[name] for name in side[said]], dtype=np.int64) for side in (true, labels))
    outcomes = np.full(rows.rows, UNDECIDED, dtype=np.int8)
    outcomes[said] = codes == told
    weights = np.ones(rows.rows) if rows.weights is None else rows.weights
    return _measured(Decided(run, outcomes, names), codes, told, weights[said], seed)


class Decided(NamedTuple):
    run: int
    outcomes: np.ndarray
    names: tuple[str, ...]


def _measured(decided: Decided, true: np.ndarray, told: np.ndarray, weights: np.ndarray, seed: int) -> RunScores | None:
    """As `evaluate_rows` does, of decisions alone."""
    counted = weights > 0.0
    true, told, weights = true[counted], told[counted], weights[counted]
    if not weights.size:
        return None

    def confusion(counts: np.ndarray) -> np.ndarray:
        return decisions.confusion_of(true, told, len(decided.names), counts)

    drawn = np.stack([confusion(one) for block in resampled(weights, seed) for one in block])
    whole, (accuracy, balanced) = confusion(weights), (decisions.accuracy, decisions.balanced_accuracy)
    return RunScores(
        *decided,
        whole,
        *(float(accuracy(whole)), share_interval(accuracy(drawn), weights)),
        *(float(balanced(whole)), _ends(balanced(drawn))),
    )


def _ends(values: np.ndarray) -> tuple[float, float]:
    low, high = interval(values).tolist()
    return low, high


# -- together -------------------------------------------------------------------------------------


def told_apart(runs: Iterable[RunScores]) -> dict[tuple[int, int], float]:
    """p of every pair in both orders, adjusted over all pairs; pairs without rows that both decided are left out."""
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


def better_than_chance(run: int, others: Iterable[int], p: dict[tuple[int, int], float]) -> list[int]:
    """Those of the others that differ from it."""
    return [other for other in others if p.get((run, other), 1.0) < SIGNIFICANT]


@dataclass(frozen=True)
class Confused:
    """Two classes, and which share of all errors lies between them."""

    names: tuple[str, str]
    errors: float
    share: float


def most_confused(run: RunScores) -> Confused | None:
    """The pair of classes with most errors between them; None where there are none."""
    errors = run.confusion + run.confusion.T
    errors = np.triu(errors, 1)
    if not errors.any():
        return None
    first, second = divmod(int(errors.argmax()), len(run.names))
    found = float(errors[first, second])
    return Confused((run.names[first], run.names[second]), found, found / float(errors.sum()))
