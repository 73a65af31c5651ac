"""Measures, curves and intervals, beside scikit-learn's and what loops over rows and pairs give."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.calibration import calibration_curve

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.evaluate import decided
from mcsvm_gui.core.evaluate.bootstrap import interval, resampled
from mcsvm_gui.core.evaluate.evaluation import MACRO, DecidedRows, check_classes, evaluate_rows
from mcsvm_gui.core.evaluate.probabilities import SortedProbabilities, brier_parts, brier_scores, log_losses
from mcsvm_gui.core.evaluate.ranking import GRID, Ranking, points

NEAR = {"rtol": 0.0, "atol": 1e-12}


def made(classes: int, n: int = 150, seed: int = 0, weighted: bool = False, ties: bool = True) -> DecidedRows:
    rng = np.random.default_rng(seed)
    true = rng.permutation(np.arange(n) % classes)
    raw = np.exp(1.2 * np.eye(classes)[true] + rng.normal(size=(n, classes)))
    shares = raw / raw.sum(axis=1, keepdims=True)
    if ties:
        shares[: n // 3] = shares[n // 3 : 2 * (n // 3)]
    weights = rng.uniform(0.2, 3.0, n) if weighted else np.ones(n)
    names = tuple(f"c{number}" for number in range(classes))
    return DecidedRows(names, classes, true, shares.argmax(axis=1), shares, shares, weights)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_numbers_are_scikit_learns(classes: int, weighted: bool) -> None:
    rows = made(classes, weighted=weighted)
    found, w = evaluate_rows(rows, resamples=0), {"sample_weight": rows.weights}
    true, guessed, shares = rows.true, rows.decided, rows.shares
    assert shares is not None
    expected = {
        "accuracy": metrics.accuracy_score(true, guessed, **w),
        "balanced_accuracy": metrics.balanced_accuracy_score(true, guessed, **w),
        "macro_f1": metrics.f1_score(true, guessed, average="macro", **w),
        "kappa": metrics.cohen_kappa_score(true, guessed, **w),
        "log_loss": metrics.log_loss(true, shares, **w),
        "brier": metrics.brier_score_loss(true, shares[:, 1] if classes == 2 else shares, **w),
    }
    for name, value in expected.items():
        np.testing.assert_allclose(found.measures[name], value, err_msg=name, **NEAR)
    np.testing.assert_allclose(found.confusion, metrics.confusion_matrix(true, guessed, **w), **NEAR)
    for number, name in enumerate(rows.names):
        one = true == number, shares[:, number]
        np.testing.assert_allclose(found.roc[name].area, metrics.roc_auc_score(*one, **w), **NEAR)
        np.testing.assert_allclose(
            found.precision_recall[name].area, metrics.average_precision_score(*one, **w), **NEAR
        )
    if classes > 2:
        macro = metrics.roc_auc_score(true, shares, multi_class="ovr", average="macro", **w)
        np.testing.assert_allclose(found.roc[MACRO].area, macro, **NEAR)
    assert found.measures["expected_cost"] is None


@pytest.mark.parametrize("weighted", [False, True])
def test_curves_go_through_scikit_learns_corners(weighted: bool) -> None:
    rows = made(3, weighted=weighted)
    found, one = evaluate_rows(rows, resamples=0), (rows.true == 1, rows.scores[:, 1])
    x, y, _ = metrics.roc_curve(*one, sample_weight=rows.weights, drop_intermediate=False)
    curve = found.roc["c1"]
    np.testing.assert_allclose(np.trapezoid(curve.y, curve.x), np.trapezoid(y, x), **NEAR)
    ranks = Ranking.of(rows.scores[:, 1], rows.true == 1).curves(rows.weights)
    np.testing.assert_allclose(ranks.fall_out, x, **NEAR)
    np.testing.assert_allclose(ranks.recall, y, **NEAR)
    precision, recall, _ = metrics.precision_recall_curve(*one, sample_weight=rows.weights)
    np.testing.assert_allclose(ranks.precision[: precision.size], precision[::-1], **NEAR)
    np.testing.assert_allclose(ranks.recall[: recall.size], recall[::-1], **NEAR)


def test_corners_that_are_left_out_are_on_the_line() -> None:
    ranks = Ranking.of(np.random.default_rng(0).normal(size=80), np.arange(80) % 3 == 0).curves(np.ones(80))
    x, y = points(ranks.fall_out, ranks.recall)
    assert x.size < ranks.recall.size
    kept = set(zip(x.tolist(), y.tolist(), strict=True))
    assert {(0.0, 0.0), (1.0, 1.0)} <= kept
    for a, b in zip(ranks.fall_out, ranks.recall, strict=True):
        beside = [(p, q) for p, q in kept if p == a or q == b]
        assert min(p for p, _ in beside) <= a <= max(p for p, _ in beside)
        assert min(q for _, q in beside) <= b <= max(q for _, q in beside)
    np.testing.assert_allclose(np.trapezoid(y, x), np.trapezoid(ranks.recall, ranks.fall_out), **NEAR)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000))
def test_the_area_is_the_share_of_pairs_in_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores, weights = rng.integers(0, 5, 30) / 4.0, rng.integers(0, 3, 30).astype(float)
    positive = rng.random(30) < 0.4
    above = sum(
        weights[i] * weights[j] * ((scores[i] > scores[j]) + 0.5 * (scores[i] == scores[j]))
        for i, j in product(np.flatnonzero(positive), np.flatnonzero(~positive))
    )
    pairs = weights[positive].sum() * weights[~positive].sum()
    found = Ranking.of(scores, positive).curves(weights).roc_auc
    assert np.isnan(found) if pairs == 0 else found == pytest.approx(above / pairs, abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([2, 3]))
def test_weight_two_is_the_row_twice_and_weight_zero_is_no_row(seed: int, classes: int) -> None:
    rows = made(classes, 60, seed)
    weights = np.random.default_rng(seed).integers(0, 3, 60).astype(float)
    weights[: classes * 2] = 1.0
    weighted = DecidedRows(rows.names, classes, rows.true, rows.decided, rows.scores, rows.shares, weights)
    if np.unique(rows.true[weights > 0]).size < classes:
        return
    repeated = rows.taken(np.repeat(np.arange(60), weights.astype(int)))
    one, other = (evaluate_rows(each, resamples=0) for each in (weighted, repeated))
    for name, value in one.measures.items():
        assert value == pytest.approx(other.measures[name], abs=1e-12), name
    assert vars(one.brier) == pytest.approx(vars(other.brier), abs=1e-12)
    for name in rows.names:
        assert one.roc[name].area == pytest.approx(other.roc[name].area, abs=1e-12)
        np.testing.assert_allclose(one.reliability[name].frequency, other.reliability[name].frequency, **NEAR)


@pytest.mark.parametrize("classes", [2, 4])
def test_the_parts_of_the_brier_score_add_up(classes: int) -> None:
    rows = made(classes, weighted=True)
    assert rows.shares is not None
    parts = brier_parts(rows.shares, rows.true, rows.weights)
    score = np.average(brier_scores(rows.shares, rows.true), weights=rows.weights)
    assert parts.miscalibration - parts.discrimination + parts.uncertainty == pytest.approx(score, abs=1e-12)
    assert min(vars(parts).values()) >= 0.0
    shares = np.bincount(rows.true, weights=rows.weights) / rows.weights.sum()
    flat = np.tile(shares, (rows.true.size, 1))
    assert vars(brier_parts(flat, rows.true, rows.weights)) == pytest.approx(
        {"miscalibration": 0.0, "discrimination": 0.0, "uncertainty": parts.uncertainty}, abs=1e-12
    )


def test_bins_of_equal_count_are_scikit_learns() -> None:
    """Where rows divide evenly and no two are alike its quantiles have the same bins."""
    rows = made(3, 200, ties=False)
    assert rows.shares is not None
    frequency, probability = calibration_curve(rows.true == 0, rows.shares[:, 0], n_bins=10, strategy="quantile")
    found = SortedProbabilities.of(rows.shares[:, 0], rows.true == 0).reliability(np.ones(200))
    np.testing.assert_allclose(found.frequency, frequency, **NEAR)
    np.testing.assert_allclose(found.probability, probability, **NEAR)
    assert found.count.tolist() == [20.0] * 10
    assert found.error == pytest.approx(np.abs(frequency - probability).mean())


def test_a_class_the_model_does_not_know_is_an_error_everywhere() -> None:
    rows = made(3)
    true = rows.true.copy()
    true[:10] = 3
    found = evaluate_rows(
        DecidedRows((*rows.names, "new"), 3, true, rows.decided, rows.scores, rows.shares, rows.weights), resamples=0
    )
    assert found.confusion.shape == (4, 4)
    assert "new" not in found.roc
    assert found.measures["accuracy"] == pytest.approx(np.mean(true == rows.decided))
    assert rows.shares is not None
    assert log_losses(rows.shares, true)[:10].min() > 30.0
    np.testing.assert_allclose(brier_scores(rows.shares, true)[:10], (rows.shares[:10] ** 2).sum(axis=1))


def test_rejected_rows_are_counted_and_not_decided() -> None:
    rows = made(3)
    guessed = rows.decided.copy()
    guessed[:40] = -1
    costs = np.array([[0.0, 1.0, 5.0], [2.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    given = DecidedRows(rows.names, 3, rows.true, guessed, rows.scores, rows.shares, rows.weights, costs)
    found = evaluate_rows(given, resamples=0)
    assert found.rejected == 40
    assert found.confusion.sum() == 110
    assert found.measures["expected_cost"] == pytest.approx(costs[rows.true[40:], guessed[40:]].mean())


def test_rows_that_are_all_rejected_show_nothing() -> None:
    rows = made(3)
    with pytest.raises(InputError, match="every row is rejected"):
        evaluate_rows(replace(rows, decided=np.full(rows.true.size, -1)))


def test_a_class_without_rows_has_no_curve_and_the_command_refuses() -> None:
    rows = made(3)
    some = rows.taken(np.flatnonzero(rows.true != 2))
    found = evaluate_rows(some, resamples=20)
    assert set(found.roc) == {"c0", "c1", MACRO}
    with pytest.raises(InputError, match="no row is of class 'c2'"):
        check_classes(some, "data.csv")
    with pytest.raises(InputError, match="one row shows nothing"):
        evaluate_rows(rows.taken(np.array([0])))


# -- intervals ---------------------------------------------------------------------------------------


def test_intervals_are_those_of_rows_drawn_one_by_one() -> None:
    rows = made(3, 80)
    found = evaluate_rows(rows, seed=3, resamples=40)
    rng, accuracy, area = np.random.default_rng(3), [], []
    for drawn in rng.integers(80, size=(40, 80)):
        accuracy.append(np.mean(rows.true[drawn] == rows.decided[drawn]))
        area.append(metrics.roc_auc_score(rows.true[drawn] == 1, rows.scores[drawn, 1]))
    assert found.intervals["accuracy"] == pytest.approx(np.percentile(accuracy, [2.5, 97.5]), abs=1e-12)
    assert found.intervals["roc_auc: c1"] == pytest.approx(np.percentile(area, [2.5, 97.5]), abs=1e-12)
    assert found.intervals == evaluate_rows(rows, seed=3, resamples=40).intervals
    assert found.intervals != evaluate_rows(rows, seed=4, resamples=40).intervals


def test_resamples_without_a_class_say_nothing_of_it() -> None:
    """A class of one row is in 63 % of them: its curve, and the mean over classes, are those of the others."""
    rows = made(3, 60, ties=False)
    rows = rows.taken(np.append(np.flatnonzero(rows.true != 2), np.flatnonzero(rows.true == 2)[:1]))
    found, n = evaluate_rows(rows, seed=5, resamples=80), rows.true.size
    rng = np.random.default_rng(5)
    lines: dict[str, list[np.ndarray]] = {"c2": [], MACRO: []}
    areas = []
    for drawn in rng.integers(n, size=(80, n)):
        true, each = rows.true[drawn], {}
        for number in np.unique(true):
            x, y, _ = metrics.roc_curve(true == number, rows.scores[drawn, number], drop_intermediate=False)
            each[number] = np.interp(GRID, x, y), metrics.auc(x, y)
        lines[MACRO].append(np.mean([line for line, _ in each.values()], axis=0))
        areas.append(np.mean([area for _, area in each.values()]))
        lines["c2"] += [each[2][0]] if 2 in each else []
    assert 30 < len(lines["c2"]) < 70
    for name, drawn_lines in lines.items():
        wanted = np.percentile(drawn_lines, [2.5, 97.5], axis=0)
        np.testing.assert_allclose(found.roc[name].band, wanted, atol=1e-12, err_msg=name)
    assert found.intervals[f"roc_auc: {MACRO}"] == pytest.approx(np.percentile(areas, [2.5, 97.5]), abs=1e-12)


def test_bands_hold_the_curve_and_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = made(3, 120)
    found = evaluate_rows(rows, resamples=60)
    for curves in (found.roc, found.precision_recall):
        for name, curve in curves.items():
            assert curve.band is not None
            assert curve.band.shape == (2, GRID.size)
            assert (curve.band[0] <= curve.band[1]).all(), name
    ranks = Ranking.of(rows.scores[:, 0], rows.true == 0).curves(rows.weights)
    low, high = found.roc["c0"].band  # type: ignore[misc]
    inside = (low <= ranks.roc_on_grid()) & (ranks.roc_on_grid() <= high)
    assert inside.mean() > 0.95
    monkeypatch.setattr("mcsvm_gui.core.evaluate.bootstrap.BLOCK", 1)
    again = evaluate_rows(rows, resamples=60).intervals
    assert {name: again[name][1] for name in again} == pytest.approx(
        {n: high for n, (_, high) in found.intervals.items()}
    )


def test_intervals_cover_what_they_say() -> None:
    """Of 200 samples with a known accuracy of 0.8; the binomial gives 0.95 +- 0.03 at this size."""
    rng, hit = np.random.default_rng(0), 0
    for seed in range(200):
        right = (rng.random(150) < 0.8).astype(float)
        values = np.concatenate([(w @ right / w.sum(axis=1)) for w in resampled(np.ones(150), seed, 200)])
        low, high = interval(values)
        hit += bool(low <= 0.8 <= high)
    assert 0.89 <= hit / 200 <= 0.99


def test_measures_take_stacks() -> None:
    stack = np.random.default_rng(0).integers(0, 9, size=(5, 2, 3, 3))
    for measure in decided.MEASURES.values():
        found = measure(stack)
        assert found.shape == (5, 2)
        for place in product(range(5), range(2)):
            assert found[place] == pytest.approx(measure(stack[place]))
