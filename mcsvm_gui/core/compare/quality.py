"""Judge a tested model: compare it with guessing, class by class, and with its own cross-validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import bdtrc

from mcsvm_gui.core.compare.standings import RunScores
from mcsvm_gui.core.evaluate.statistics import SIGNIFICANT

LEAK = 0.05  # excess of cross-validation over the upper end of the test interval that hints at a leak between folds


@dataclass(frozen=True)
class GuessTest:
    """The score of always predicting the largest training class, on the test rows of a model."""

    name: str
    share: float  # weighted share of the test rows that have this class
    p: float  # one-sided exact McNemar test that the model is more accurate


def guess(document: Mapping[str, Any], scores: RunScores) -> GuessTest:
    """Compare a model with guessing; `document` is its train document, which counts the classes."""
    code = int(np.argmax(document["class_counts"]))
    code = scores.names.index(document["classes"][code])
    counts = scores.counts
    right = np.diag(counts)
    only_model, only_guess = int(right.sum() - right[code]), int(counts[code].sum() - right[code])
    share = float(scores.confusion[code].sum() / scores.confusion.sum())
    return GuessTest(scores.names[code], share, exceeds(only_model, only_guess))


def exceeds(wins: int, losses: int) -> float:
    """Return the one-sided p of the sign test: the chance of so many wins if both were equally likely."""
    return float(bdtrc(wins - 1, wins + losses, 0.5)) if wins else 1.0


def balanced_guess(scores: RunScores) -> float:
    """Return the balanced accuracy of guessing: one over the number of tested classes."""
    return 1.0 / int((scores.counts.sum(axis=1) > 0).sum())


def beats_guessing(measure: str, scores: RunScores, p: float) -> bool:
    """Return whether the adjusted `p` of the accuracy, or the interval of another measure, excludes guessing."""
    if measure == "accuracy":
        return p < SIGNIFICANT
    return scores.balanced_interval[0] > balanced_guess(scores)


@dataclass(frozen=True)
class Missed:
    """A class without a correctly predicted test row; `ever`: whether the model predicts the class for any row."""

    name: str
    rows: int
    ever: bool


def missed_classes(scores: RunScores) -> list[Missed]:
    """Return the tested classes that the model never gets right, the largest first."""
    rows, predicted, right = scores.counts.sum(axis=1), scores.counts.sum(axis=0), np.diag(scores.counts)
    missed = [code for code in range(len(scores.names)) if rows[code] > 0 and right[code] == 0]
    ordered: Sequence[int] = sorted(missed, key=lambda code: (-int(rows[code]), code))
    return [Missed(scores.names[code], int(rows[code]), bool(predicted[code])) for code in ordered]


def is_leak(validation: float, measure: str, scores: RunScores) -> bool:
    """Return whether cross-validation promised far more than the test rows show."""
    return validation > scores.score(measure)[1][1] + LEAK
