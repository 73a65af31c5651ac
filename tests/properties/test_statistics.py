"""What holds of the tests whatever the scores."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.evaluate.statistics import ADJUSTMENTS, corrected_t, mcnemar, rank_tests, wilcoxon
from mcsvm_gui.core.evaluate.statistics.adjustment import MOST_FOR_PARTITIONS, adjust, bergmann_hommel

SIZES = st.tuples(st.integers(2, 12), st.integers(2, 6))


@st.composite
def tables(draw: st.DrawFn) -> np.ndarray:
    """Few distinct scores, so that ties are common."""
    rows, columns = draw(SIZES)
    cells = st.lists(st.integers(0, 6), min_size=columns, max_size=columns)
    return np.array(draw(st.lists(cells, min_size=rows, max_size=rows)), dtype=float) / 10


def by_pair(found: object) -> dict[frozenset[str], tuple[float, ...]]:
    return {frozenset(result.between): (result.p, *result.adjusted.values()) for result in found.pairs}  # type: ignore[attr-defined]


@given(tables(), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_the_order_of_algorithms_and_data_sets_does_not_matter(table: np.ndarray, random: object) -> None:
    names = [f"m{place}" for place in range(table.shape[1])]
    columns, rows = list(range(table.shape[1])), list(range(table.shape[0]))
    random.shuffle(columns)  # type: ignore[attr-defined]
    random.shuffle(rows)  # type: ignore[attr-defined]
    one, other = rank_tests(table, names), rank_tests(table[rows][:, columns], [names[place] for place in columns])
    assert dict(zip(one.names, one.ranks, strict=True)) == pytest.approx(
        dict(zip(other.names, other.ranks, strict=True))
    )
    for first, second in zip(one.overall, other.overall, strict=True):
        assert (first.name, first.p) == (second.name, pytest.approx(second.p, abs=1e-9))
    again = by_pair(other)
    for pair, values in by_pair(one).items():
        assert values == pytest.approx(again[pair], abs=1e-9)


def test_equal_differences_get_equal_adjusted_p_values() -> None:
    """In whatever order they come: the sets that Bergmann and Hommel look at differ between them."""
    p = np.array([0.01, 0.02, 0.02, 0.03, 0.04, 0.5])
    found = [bergmann_hommel(np.array(p[[0, *middle, 3, 4, 5]]), 4) for middle in ((1, 2), (2, 1))]
    assert found[0] == pytest.approx(found[1])
    assert found[0][1] == found[0][2]


@given(tables())
@settings(max_examples=40, deadline=None)
def test_ranks_add_up_and_equal_algorithms_are_equal(table: np.ndarray) -> None:
    doubled = np.column_stack([table, table[:, 0]])
    names = [f"m{place}" for place in range(doubled.shape[1])]
    found = rank_tests(doubled, names)
    algorithms = len(names)
    assert found.ranks.sum() == pytest.approx(algorithms * (algorithms + 1) / 2)
    assert found.ranks[0] == found.ranks[-1]
    assert by_pair(found)[frozenset((names[0], names[-1]))] == (1.0,) * (1 + len(ADJUSTMENTS))


@given(st.integers(2, 5), st.data())
@settings(max_examples=30, deadline=None)
def test_adjusted_p_values_keep_their_order_and_their_bounds(algorithms: int, data: st.DataObject) -> None:
    pairs = comb(algorithms, 2)
    p = np.array(data.draw(st.lists(st.floats(1e-9, 1.0), min_size=pairs, max_size=pairs)))
    found = adjust(p, algorithms)
    assert (found["nemenyi"] >= found["holm"]).all()
    assert (found["holm"] >= found["shaffer"]).all()
    assert (found["shaffer"] >= found["bergmann-hommel"] - 1e-15).all()
    for values in found.values():
        assert ((values >= p) & (values <= 1.0)).all()
        assert (np.diff(values[np.argsort(p, kind="stable")]) >= 0.0).all()


@given(st.data())
@settings(max_examples=30, deadline=None)
def test_bergmann_and_hommel_are_the_closed_test_over_sets_of_pairs(data: st.DataObject) -> None:
    """Against the definition: of all sets of pairs those count that equality, being transitive, adds nothing to."""
    algorithms = 4
    pairs = list(combinations(range(algorithms), 2))
    p = np.array(data.draw(st.lists(st.floats(1e-6, 1.0), min_size=len(pairs), max_size=len(pairs), unique=True)))
    largest = np.zeros(len(pairs))
    for mask in range(1, 2 ** len(pairs)):
        members = [place for place in range(len(pairs)) if mask >> place & 1]
        if closed({pairs[place] for place in members}):
            for place in members:
                largest[place] = max(largest[place], len(members) * p[members].min())
    order = np.argsort(p)
    expected = np.empty(len(pairs))
    expected[order] = np.minimum(np.maximum.accumulate(largest[order]), 1.0)
    assert bergmann_hommel(p, algorithms) == pytest.approx(expected)


def closed(equal: set[tuple[int, int]]) -> bool:
    ordered = {tuple(sorted(pair)) for pair in equal}
    return all(
        tuple(sorted(set(one) ^ set(other))) in ordered
        for one, other in combinations(equal, 2)
        if len(set(one) & set(other)) == 1
    )


def test_too_many_algorithms_are_adjusted_without_partitions() -> None:
    algorithms = MOST_FOR_PARTITIONS + 1
    found = adjust(np.linspace(0.001, 0.9, comb(algorithms, 2)), algorithms)
    assert found.keys() == ADJUSTMENTS.keys() - {"bergmann-hommel"}


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 5))
def test_the_exact_mcnemar_is_the_tail_of_coin_tosses(only_a: int, only_b: int, both: int) -> None:
    a = np.repeat([True, False, True], [only_a, only_b, both])
    b = np.repeat([False, True, True], [only_a, only_b, both])
    total, least = only_a + only_b, min(only_a, only_b)
    tail = min(1.0, 2 * sum(comb(total, count) for count in range(least + 1)) / 2**total)
    exact, corrected = mcnemar(a, b)
    assert exact.p == pytest.approx(tail)
    assert [result.p for result in mcnemar(b, a)] == pytest.approx([exact.p, corrected.p])


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=20), st.floats(0.05, 1.0))
@settings(deadline=None)
def test_exchanging_the_two_changes_only_the_sign(scores: list[tuple[float, float]], share: float) -> None:
    a, b = np.array(scores).T
    for test in (lambda x, y: corrected_t(x, y, share), wilcoxon):
        one, other = test(a, b), test(b, a)
        assert one.p == pytest.approx(other.p)
        assert 0.0 <= one.p <= 1.0


def test_equal_scores_are_no_difference() -> None:
    same = np.linspace(0.1, 0.9, 5)
    assert corrected_t(same, same, 0.25).p == 1.0
    assert wilcoxon(same, same).p == 1.0
    assert corrected_t(same + 0.5, same, 0.25).p == 0.0


@pytest.mark.parametrize("table", [np.zeros((1, 3)), np.zeros((3, 1)), np.array([[1.0, np.nan], [1.0, 2.0]])])
def test_what_cannot_be_ranked_is_refused(table: np.ndarray) -> None:
    with pytest.raises(InputError):
        rank_tests(table, ["a", "b", "c"][: table.shape[1]])


def test_neighbours_within_the_critical_difference_form_a_clique() -> None:
    table = np.array([[0.9, 0.9, 0.1]] * 30) + np.array([[0.01, 0.0, 0.0], [0.0, 0.01, 0.0]] * 15)
    assert rank_tests(table, ["a", "b", "c"]).cliques() == [("a", "b")]
