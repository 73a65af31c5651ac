"""Compare several machines over several data sets by ranks: Demsar, JMLR 7 (2006), and Garcia & Herrera (2008)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.special import chdtrc, fdtrc, ndtr

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.evaluate.statistics.adjustment import adjust
from mcsvm_gui.core.evaluate.statistics.result import TestResult, finite

DEMANDED = 0.05  # p values below this are significant
DECIMALS = 12  # differences in further digits are rounding errors, and would break ties
ALL = math.inf  # degrees of freedom of the studentized range in Nemenyi's test


@dataclass(frozen=True, eq=False)
class RankTests:
    """Results of rank tests. `ranks`: the average over data sets, 1 for the best."""

    names: tuple[str, ...]
    ranks: np.ndarray
    data_sets: int
    overall: tuple[TestResult, ...]
    pairs: tuple[TestResult, ...]
    critical_difference: float

    @property
    def results(self) -> tuple[TestResult, ...]:
        return (*self.overall, *self.pairs)

    def cliques(self) -> list[tuple[str, ...]]:
        """Return the largest groups of algorithms with neighbouring ranks within the critical difference."""
        order = np.argsort(self.ranks, kind="stable")
        found: list[tuple[int, int]] = []
        for start in range(order.size):
            near = np.flatnonzero(self.ranks[order] - self.ranks[order[start]] <= self.critical_difference)
            end = int(near.max())
            if end > start and not any(first <= start and end <= last for first, last in found):
                found.append((start, end))
        return [tuple(self.names[order[place]] for place in range(first, last + 1)) for first, last in found]


def rank_tests(scores: np.ndarray, names: Sequence[str], alpha: float = DEMANDED) -> RankTests:
    """Compare algorithms by their ranks. `scores`: (data sets, algorithms), larger is better."""
    from scipy import stats  # 68 modules, 26 MB

    table = np.round(np.asarray(scores, dtype=float), DECIMALS)
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < 2:
        raise InputError("ranks are compared over at least two data sets and two algorithms")
    if not np.isfinite(table).all():
        raise InputError("every algorithm needs a score on every data set to be ranked")
    count, algorithms = table.shape
    ranks = stats.rankdata(-table, axis=1).mean(axis=0)
    names = tuple(names)
    return RankTests(
        names,
        ranks,
        count,
        _overall(table, ranks),
        all_pairs(ranks, count, names),
        critical_difference(algorithms, count, alpha),
    )


def _overall(table: np.ndarray, ranks: np.ndarray) -> tuple[TestResult, ...]:
    """Return the tests of Friedman, as in Demsar, and of Iman & Davenport.

    From three algorithms on, SciPy's test of Friedman with a correction for ties is included.
    """
    from scipy import stats  # 68 modules, 26 MB

    count, algorithms = table.shape
    results = [friedman(ranks, count)]
    tied = (np.ptp(table, axis=1) == 0.0).all()
    if algorithms > 2 and not tied:
        found = stats.friedmanchisquare(*table.T)
        results.append(TestResult("friedman corrected for ties", float(found.statistic), float(found.pvalue)))
    return (*results, iman_davenport(ranks, count))


def friedman(ranks: np.ndarray, data_sets: int) -> TestResult:
    statistic = _friedman_statistic(ranks, data_sets)
    return TestResult("friedman", statistic, float(chdtrc(len(ranks) - 1, statistic)))


def iman_davenport(ranks: np.ndarray, data_sets: int) -> TestResult:
    """Return Iman & Davenport's test, which is less conservative than Friedman's, from which it is derived."""
    algorithms, chi = len(ranks), _friedman_statistic(ranks, data_sets)
    most = data_sets * (algorithms - 1)
    statistic = math.inf if chi >= most * (1.0 - 1e-12) else (data_sets - 1) * chi / (most - chi)
    freedom = algorithms - 1, (algorithms - 1) * (data_sets - 1)
    p = float(fdtrc(*freedom, statistic))
    return TestResult("iman-davenport", finite(statistic), p, details={"freedom": list(freedom)})


def _friedman_statistic(ranks: np.ndarray, data_sets: int) -> float:
    algorithms = len(ranks)
    spread = float(((np.asarray(ranks) - (algorithms + 1) / 2.0) ** 2).sum())
    return 12.0 * data_sets / (algorithms * (algorithms + 1)) * spread


def all_pairs(ranks: np.ndarray, data_sets: int, names: Sequence[str]) -> tuple[TestResult, ...]:
    """Return z of every difference of average ranks, with its p adjusted by every method."""
    algorithms = len(ranks)
    error = math.sqrt(algorithms * (algorithms + 1) / (6.0 * data_sets))
    places = list(combinations(range(algorithms), 2))
    z = np.array([(ranks[a] - ranks[b]) / error for a, b in places])
    p = 2.0 * ndtr(-np.abs(z))
    adjusted = adjust(p, algorithms)
    return tuple(
        TestResult(
            "ranks of two",
            float(z[place]),
            float(p[place]),
            (names[a], names[b]),
            {name: float(values[place]) for name, values in adjusted.items()},
        )
        for place, (a, b) in enumerate(places)
    )


def critical_difference(algorithms: int, data_sets: int, alpha: float = DEMANDED) -> float:
    """Return Nemenyi's critical difference of average ranks."""
    from scipy import stats  # 68 modules, 26 MB

    q = float(stats.studentized_range.isf(alpha, algorithms, ALL)) / math.sqrt(2.0)
    return q * math.sqrt(algorithms * (algorithms + 1) / (6.0 * data_sets))


def wilcoxon(scores_a: np.ndarray, scores_b: np.ndarray, between: tuple[str, str] = ("", "")) -> TestResult:
    """Test signed ranks; ranks of equal scores count half for either side, as in Demsar."""
    from scipy import stats  # 68 modules, 26 MB

    differences = np.round(np.asarray(scores_a, dtype=float) - np.asarray(scores_b, dtype=float), DECIMALS)
    if not differences.any():
        return TestResult("wilcoxon", 0.0, 1.0, between, details={"sums": [0.0, 0.0]})
    plain = (differences == 0.0).any() or np.unique(np.abs(differences)).size < differences.size
    method = "asymptotic" if plain or differences.size > 50 else "exact"
    found = stats.wilcoxon(differences, zero_method="zsplit", method=method)
    total = differences.size * (differences.size + 1) / 2.0
    ranks = stats.rankdata(np.abs(differences))
    gained = float(ranks[differences > 0].sum() + 0.5 * ranks[differences == 0].sum())
    sums = {"sums": [gained, total - gained]}
    return TestResult("wilcoxon", float(found.statistic), float(found.pvalue), between, details=sums)
