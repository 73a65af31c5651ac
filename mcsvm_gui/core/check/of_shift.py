"""Checks for a test file that differs from the training file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import chdtrc, kolmogorov

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.figures import percent
from mcsvm_gui.core.check.finding import Check, Finding, Severity, columns, file
from mcsvm_gui.core.check.plan import CheckedPlan, Held, held_columns, some_rows
from mcsvm_gui.core.data.spellings import in_training_spelling

CHANCE = 1e-3  # p value over all columns together
MOVED = 0.25  # Kolmogorov's distance, or half the sum of differences of shares: below, the shift is small
BEYOND = 0.01  # share of the test rows outside the ranges of training


class Pair(NamedTuple):
    """The examined cells of a column in both files."""

    trained: Held
    tested: Held


def pairs(plan: CheckedPlan) -> list[Pair]:
    """Return the columns that both files have with the same kind."""
    test = plan.test
    if test is None or (test.matrix is None) != (plan.dataset.matrix is None):
        return []
    known = {held.name: held for held in plan.columns if held.column.kind != "date"}  # dates only increase
    place = {column.name: number for number, column in enumerate(test.columns) if column.name in known}
    chosen = np.array(sorted(place.values()), dtype=np.int64)
    there = held_columns(test, some_rows(test.rows, chosen.size, plan.seed), chosen)
    both = [Pair(known[held.name], held) for held in there]
    return [pair for pair in both if pair.trained.numeric == pair.tested.numeric]


class ShiftedColumns(Check[CheckedPlan]):
    code, title = "MC040", Sentence("Columns of the test file are shifted")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        both = pairs(plan)
        found = {pair.trained.name: moved for pair in both if (moved := _moved(pair, len(both)))}
        if found:
            order = sorted(found, key=lambda name: -found[name])
            what = Sentence(
                "the test file's values are distributed otherwise than those trained on (Kolmogorov distance up to"
                " {distance:.2f}): the test is of other things, or in other units",
                distance=max(found.values()),
            )
            do = Sentence("check that both were measured in the same way; train on rows like those to be predicted")
            yield self.found(columns(order), what, do)


def _moved(pair: Pair, tests: int) -> float:
    """Return the distance of the two distributions; 0 if it is small or likely by chance."""
    one, other = (side.cells[~pd.isna(side.cells)] for side in pair)
    if not (one.size and other.size):
        return 0.0
    if not pair.trained.numeric:
        return _moved_levels(one, other, tests)
    both = np.sort(np.concatenate([one, other]))
    below = [np.searchsorted(np.sort(side), both, side="right") / side.size for side in (one, other)]
    distance = float(np.abs(below[0] - below[1]).max())
    chance = kolmogorov(distance * np.sqrt(one.size * other.size / (one.size + other.size)))
    return distance if distance > MOVED and tests * chance < CHANCE else 0.0


def _moved_levels(one: np.ndarray, other: np.ndarray, tests: int) -> float:
    codes, _ = pd.factorize(np.concatenate([one, other]))
    counts = [np.bincount(part, minlength=codes.max() + 1) for part in (codes[: one.size], codes[one.size :])]
    return _moved_counts(counts[0], counts[1], tests)


def _moved_counts(one: np.ndarray, other: np.ndarray, tests: int) -> float:
    """Return the total variation distance of two samples of categories; 0 if it is small or likely by chance."""
    distance = float(0.5 * np.abs(one / one.sum() - other / other.sum()).sum())
    counts = np.stack([one, other]).astype(np.float64)
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / counts.sum()
    statistic = float(((counts - expected) ** 2 / np.maximum(expected, 1e-300)).sum())
    chance = chdtrc(max(1, counts.shape[1] - 1), statistic)
    return distance if distance > MOVED and tests * chance < CHANCE else 0.0


class BeyondRange(Check[CheckedPlan]):
    code, severity, title = "MC041", Severity.NOTE, Sentence("Test rows outside the training ranges")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        found = [pair.trained.name for pair in pairs(plan) if _outside(pair) > BEYOND]
        if found:
            what = Sentence(
                "more than {share} of the test rows are outside the ranges of the training data, where"
                " predictions are unreliable",
                share=percent(BEYOND),
            )
            yield self.found(columns(found), what, Sentence("check their units, and train on such rows too"))


def _outside(pair: Pair) -> float:
    """Return the share of cells further outside than half the training range; for texts, the share of unknown texts."""
    one, other = (side.cells[~pd.isna(side.cells)] for side in pair)
    if not (one.size and other.size):
        return 0.0
    if not pair.trained.numeric:
        return float(np.mean(~np.isin(other.astype(str), one.astype(str))))
    low, high = float(one.min()), float(one.max())
    room = 0.5 * (high - low)
    return float(np.mean((other < low - room) | (other > high + room)))


class ShiftedClasses(Check[CheckedPlan]):
    code, title = "MC042", Sentence("Other class shares in the test file")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        test, names = plan.test, plan.dataset.classes
        if test is None or test.labels is None or not names:
            return
        spelled = in_training_spelling(names, test.labels).tolist()
        counts = np.array([spelled.count(name) for name in names])
        if counts.any() and (moved := _moved_counts(np.array(plan.dataset.class_counts), counts, 1)):
            what = Sentence(
                "classes have other shares in the test file: {share} of the rows would have to change class",
                share=percent(moved),
            )
            do = Sentence(
                "compare by balanced accuracy, and calibrate probabilities on rows such as those to be decided"
            )
            yield self.found(file(test), what, do)
