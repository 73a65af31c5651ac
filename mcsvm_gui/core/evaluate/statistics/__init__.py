"""Tests whether differences between machines are significant: on one data set, and over several."""

from mcsvm_gui.core.evaluate.statistics.adjustment import ADJUSTMENTS
from mcsvm_gui.core.evaluate.statistics.many import DEMANDED, RankTests, rank_tests, wilcoxon
from mcsvm_gui.core.evaluate.statistics.one import corrected_t, mcnemar
from mcsvm_gui.core.evaluate.statistics.result import SIGNIFICANT, TestResult

__all__ = [
    "ADJUSTMENTS",
    "DEMANDED",
    "SIGNIFICANT",
    "RankTests",
    "TestResult",
    "corrected_t",
    "mcnemar",
    "rank_tests",
    "wilcoxon",
]
