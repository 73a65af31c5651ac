"""Worked examples as they are printed: Demsar (2006), Garcia & Herrera (2008), Fay (2010), scikit-learn's guide."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.svm import SVC

from mcsvm_gui.core.evaluate.statistics import TestResult, corrected_t, mcnemar, rank_tests, wilcoxon
from mcsvm_gui.core.evaluate.statistics.adjustment import true_counts
from mcsvm_gui.core.evaluate.statistics.many import all_pairs, critical_difference, friedman, iman_davenport

# Demsar, JMLR 7 (2006), table 6: AUC of C4.5, C4.5+m, C4.5+cf and C4.5+m+cf. On `voting` the last two are printed
# alike, but ranked second and third.
AUC = np.array(
    [
        *([0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967]),
        *([0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931]),
        *([0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875]),
        *([1.000, 1.000, 1.000, 1.000], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669]),
        *([0.972, 0.981, 0.97501, 0.975], [0.957, 0.978, 0.946, 0.970]),
    ]
)
VARIANTS = "C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"

# Garcia & Herrera, JMLR 9 (2008): average ranks of five classifiers on 30 data sets, and the p-values of all pairs:
# unadjusted, Nemenyi, Holm, Shaffer, Bergmann & Hommel.
RANKS = {"C4.5": 2.100, "1-NN": 3.250, "NaiveBayes": 2.200, "Kernel": 4.333, "CN2": 3.117}
SUMS = np.array([63.0, 97.5, 66.0, 130.0, 93.5])  # the ranks, 30 times
PAIRS = {
    ("C4.5", "Kernel"): (4.487e-8, 4.487e-7, 4.487e-7, 4.487e-7, 4.487e-7),
    ("NaiveBayes", "Kernel"): (1.736e-7, 1.736e-6, 1.563e-6, 1.042e-6, 1.042e-6),
    ("Kernel", "CN2"): (0.0029, 0.0288, 0.0230, 0.0173, 0.0115),
    ("C4.5", "1-NN"): (0.0048, 0.0485, 0.0339, 0.0291, 0.0291),
    ("1-NN", "Kernel"): (0.0080, 0.0796, 0.0478, 0.0478, 0.0319),
    ("1-NN", "NaiveBayes"): (0.0101, 0.1011, 0.0506, 0.0478, 0.0319),
    ("C4.5", "CN2"): (0.0128, 0.1276, 0.0511, 0.0511, 0.0383),
    ("NaiveBayes", "CN2"): (0.0247, 0.2474, 0.0742, 0.0742, 0.0383),
    ("1-NN", "CN2"): (0.7440, 1.0, 1.0, 1.0, 1.0),
    ("C4.5", "NaiveBayes"): (0.8065, 1.0, 1.0, 1.0, 1.0),
}


def test_demsar_ranks_friedman_and_iman_davenport() -> None:
    found = rank_tests(AUC, VARIANTS)
    assert found.ranks == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)
    overall = {result.name: result for result in found.overall}
    assert overall["friedman"].statistic == pytest.approx(9.28, abs=5e-3)
    assert overall["iman-davenport"].statistic == pytest.approx(3.69, abs=5e-3)
    assert overall["iman-davenport"].details["freedom"] == [3, 39]


@pytest.mark.parametrize(("alpha", "printed"), [(0.05, 1.25), (0.10, 1.12)])
def test_demsar_critical_difference(alpha: float, printed: float) -> None:
    found = rank_tests(AUC, VARIANTS, alpha)
    assert found.critical_difference == pytest.approx(printed, abs=5e-3)


@pytest.mark.parametrize(
    ("alpha", "printed"),
    [
        (0.05, [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]),
        (0.10, [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]),
    ],
)
def test_demsar_table_5_of_critical_values(alpha: float, printed: list[float]) -> None:
    """They were made from a table of the studentized range with three digits after the point."""
    for algorithms, value in enumerate(printed, 2):
        many = 10_000
        difference = critical_difference(algorithms, many, alpha)
        assert difference / (algorithms * (algorithms + 1) / (6 * many)) ** 0.5 == pytest.approx(value, abs=1e-3)


def test_demsar_wilcoxon_sums() -> None:
    """Table 2: C4.5 and C4.5+m, R+ = 93, R- = 12; significant, as 12 is below the critical value of 21."""
    found = wilcoxon(AUC[:, 1], AUC[:, 0])
    assert found.details["sums"] == [93.0, 12.0]
    assert found.statistic == 12.0
    assert found.p < 0.05


def test_garcia_and_herrera_friedman_and_iman_davenport() -> None:
    assert friedman(SUMS / 30, 30).statistic == pytest.approx(39.647, abs=5e-4)
    found = iman_davenport(SUMS / 30, 30)
    assert found.statistic == pytest.approx(14.309, abs=5e-4)
    assert found.p == pytest.approx(1.593e-9, abs=5e-13)


def test_the_rank_sums_are_the_printed_ranks() -> None:
    assert list(SUMS / 30) == pytest.approx(list(RANKS.values()), abs=5e-4)


@pytest.mark.parametrize("between", PAIRS)
def test_garcia_and_herrera_adjusted_p_values(between: tuple[str, str]) -> None:
    found = {frozenset(result.between): result for result in all_pairs(SUMS / 30, 30, list(RANKS))}
    result = found[frozenset(between)]
    plain, *adjusted = PAIRS[between]
    assert result.p == printed_as(plain)
    names = "nemenyi", "holm", "shaffer", "bergmann-hommel"
    assert [result.adjusted[name] for name in names] == [printed_as(value) for value in adjusted]


def printed_as(value: float) -> object:
    return pytest.approx(value, abs=5.01e-5 if value > 1e-4 else 5e-4 * 10.0 ** np.floor(np.log10(value)))


def test_shaffer_counts_of_garcia_and_herrera() -> None:
    """S(5) = {0, 1, 2, 3, 4, 6, 10}."""
    assert sorted(true_counts(5)) == [0, 1, 2, 3, 4, 6, 10]


def test_fay_mcnemar() -> None:
    """The vignette of R's exact2x2: 9 against 2 discordant pairs; corrected 3.2727, p 0.07044; exact p 0.06543."""
    right = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], [21, 9, 2, 12], axis=0).astype(bool)
    exact, corrected = mcnemar(right[:, 0], right[:, 1])
    assert exact.p == pytest.approx(0.06543, abs=5e-6)
    assert corrected.statistic == pytest.approx(3.2727, abs=5e-5)
    assert corrected.p == pytest.approx(0.07044, abs=5e-6)


@pytest.mark.slow
def test_the_corrected_t_of_scikit_learns_guide() -> None:
    """ "Statistical comparison of models using grid search": its statistics, one side of p for the first pair."""
    X, y = make_moons(noise=0.352, random_state=1, n_samples=100)
    folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
    models = {
        "rbf": SVC(kernel="rbf", random_state=0),
        "linear": SVC(kernel="linear", random_state=0),
        "cubic": SVC(kernel="poly", degree=3, random_state=0),
        "quadratic": SVC(kernel="poly", degree=2, random_state=0),
    }
    scores = {name: cross_val_score(model, X, y, scoring="roc_auc", cv=folds) for name, model in models.items()}
    found = {(a, b): corrected_t(scores[a], scores[b], 10 / 90) for a, b in combinations(scores, 2)}
    printed = [0.750, 1.657, 4.565, 1.111, 4.276, 3.851]
    assert [result.statistic for result in found.values()] == pytest.approx(printed, abs=5e-4)
    assert found["rbf", "linear"].p / 2 == pytest.approx(0.227, abs=5e-4)


def test_a_result_is_plain_json() -> None:
    found = TestResult("x", 1.0, 0.5, ("a", "b"), {"holm": 1.0}, {"folds": 5}, "iris").document()
    assert found == {
        "name": "x",
        "statistic": 1.0,
        "p": 0.5,
        "adjusted": {"holm": 1.0},
        "between": ["a", "b"],
        "data": "iris",
        "folds": 5,
    }
