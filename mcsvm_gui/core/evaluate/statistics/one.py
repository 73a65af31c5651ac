"""Tests of two machines on one data set: McNemar's, and the corrected resampled t-test."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import bdtr, chdtrc, stdtr

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.evaluate.statistics.result import TestResult, finite


def mcnemar(right_a: np.ndarray, right_b: np.ndarray, between: tuple[str, str] = ("", "")) -> tuple[TestResult, ...]:
    """Return McNemar's exact test and his chi-squared test with Edwards's correction.

    `right_a`, `right_b`: whether each machine predicts a row correctly.
    """
    right_a, right_b = np.asarray(right_a, dtype=bool), np.asarray(right_b, dtype=bool)
    only_a, only_b = int((right_a & ~right_b).sum()), int((~right_a & right_b).sum())
    counts = {"only_first_right": only_a, "only_second_right": only_b, "rows": right_a.size}
    total = only_a + only_b
    exact = min(1.0, 2.0 * float(bdtr(min(only_a, only_b), total, 0.5)))
    corrected = max(abs(only_a - only_b) - 1, 0) ** 2 / total if total else 0.0
    return (
        TestResult("mcnemar exact", float(min(only_a, only_b)), exact, between, details=counts),
        TestResult("mcnemar corrected", corrected, float(chdtrc(1, corrected)), between, details=counts),
    )


def corrected_t(
    scores_a: np.ndarray, scores_b: np.ndarray, test_share: float, between: tuple[str, str] = ("", "")
) -> TestResult:
    """Test means over folds as in Nadeau & Bengio (2003): training sets overlap, so differences are not independent.

    `test_share`: test rows divided by training rows, 1 / (k - 1) for k folds.
    """
    differences = np.asarray(scores_a, dtype=float) - np.asarray(scores_b, dtype=float)
    count = differences.size
    if count < 2:
        raise InputError("a t-test over folds needs at least two folds")
    mean, variance = float(differences.mean()), float(differences.var(ddof=1))
    details = {"mean_difference": mean, "folds": count}
    if variance <= (1e-14 * max(1.0, abs(mean))) ** 2:  # all differences are equal apart from rounding
        same = abs(mean) < 1e-14
        return TestResult("corrected resampled t", 0.0 if same else None, float(same), between, details=details)
    statistic = mean / math.sqrt((1.0 / count + test_share) * variance)
    p = float(2.0 * stdtr(count - 1, -abs(statistic)))
    return TestResult("corrected resampled t", finite(statistic), p, between, details=details)
