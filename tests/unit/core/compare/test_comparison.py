"""Machines side by side: what differs, who is right, and what their margins lack."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, permutations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog
from sklearn import metrics

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.machines import MACHINES
from mcsvm_gui.core.base.resources import dataset as example
from mcsvm_gui.core.compare import comparison as comparing
from mcsvm_gui.core.compare.comparison import Comparison, Side, compare, scored, side_of
from mcsvm_gui.core.compare.measures import MEASURES, measure_rows
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.readers import ReadOptions, open_dataset
from mcsvm_gui.core.data.splitting import split
from mcsvm_gui.core.evaluate.violations import Violations, target_of, violations_of
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import Outcome, train

SIX = "ww", "llw", "cs", "ova", "ovo", "dag"


@pytest.fixture(scope="module")
def parts() -> tuple[Dataset, Dataset]:
    rows, held_out, _ = split(open_dataset(str(example("wine"))), 0.5, 0, "auto")
    return rows, held_out


@pytest.fixture(scope="module")
def outcomes(parts: tuple[Dataset, Dataset]) -> dict[str, Outcome]:
    return {name: train(Request(machine=name, gamma=0.01), parts[0]) for name in SIX}


@pytest.fixture(scope="module")
def six(outcomes: dict[str, Outcome], parts: tuple[Dataset, Dataset]) -> Comparison:
    sides = [side_of(name, outcome.trained, outcome.document, parts[1], parts[0]) for name, outcome in outcomes.items()]
    return compare(sides, parts[0].classes, parts[1])


def test_scores_are_those_of_the_rows(six: Comparison, outcomes: dict[str, Outcome], parts: tuple) -> None:
    rows = parts[1]
    for side in six.sides:
        decided = outcomes[side.label].trained.decide(rows)
        assert side.scores is not None
        assert side.scores.accuracy == np.mean(decided == rows.labels)
        assert [score.rows for score in side.scores.per_class] == list(rows.class_counts)
        assert side.row_seconds is not None
        assert 0.0 < side.row_seconds < 0.1


@pytest.mark.parametrize(
    ("seconds", "calls", "best"),
    [
        ([9e-2, 3e-3, 1e-3, 2e-3, 4e-3, 5e-3], 6, 1e-3),  # the first finds nothing warm
        ([9e-2, 4e-2, 2e-2, 1e-2], 3, 2e-2),  # enough
        ([0.1, 0.09], 2, 0.09),
        ([0.6], 1, 0.6),  # nobody waits for it twice
    ],
)
def test_a_prediction_is_timed_a_few_times_over(
    seconds: list[float], calls: int, best: float, parts: tuple, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, rows = SimpleNamespace(now=0.0, calls=0), replace(parts[1], labels=None)

    def predictions(rows: Dataset) -> SimpleNamespace:
        clock.now += seconds[clock.calls]
        clock.calls += 1
        return SimpleNamespace(labels=rows.labels)

    monkeypatch.setattr(comparing, "time", SimpleNamespace(perf_counter=lambda: clock.now))
    trained: Any = SimpleNamespace(predictions=predictions)
    side = side_of("x", trained, {}, rows)
    assert clock.calls == calls
    assert side.row_seconds == pytest.approx(best / rows.rows)


def test_disagreements_are_the_rows_decided_differently(six: Comparison) -> None:
    expected = [row for row in range(six.true.size) if len({side.decisions[row] for side in six.sides}) > 1]
    assert six.disagreements().tolist() == expected


def test_rows_that_a_side_left_out_say_nothing_of_it() -> None:
    """Neither that it was wrong there, nor that it disagrees."""
    true = np.array(list("aabbab"), dtype=object)
    sides = [
        Side(name, {}, np.array([None if label == "." else label for label in said], dtype=object))
        for name, said in (("all", "aabbaa"), ("some", "ab..ab"), ("none", "......"))
    ]
    comparison = Comparison("x", ("a", "b"), true, tuple(sides[:2]))
    assert comparison.shared().tolist() == [True, True, False, False, True, True]
    assert comparison.disagreements().tolist() == [1, 5]
    for result in comparison.tests():
        assert result.details == {"only_first_right": 1, "only_second_right": 1, "rows": 4}
    assert Comparison("x", ("a", "b"), true, (sides[0], sides[2])).tests() == ()


def test_every_pair_is_tested_by_both_forms_of_mcnemar(six: Comparison) -> None:
    found = six.tests()
    pairs = [set(pair) for pair in combinations(SIX, 2)]
    for name in ("mcnemar exact", "mcnemar corrected"):
        assert [set(result.between) for result in found if result.name == name] == pairs
    for result in found:
        assert result.p <= result.adjusted["holm"] <= 1.0
        assert result.data == six.data


def test_differences_only_leaves_what_differs(six: Comparison) -> None:
    names = {line.measure.name for line in measure_rows(six, differences_only=True)}
    assert {"machine", "bias"} <= names
    assert not {"kernel", "gamma", "C", "n_train", "seed"} & names
    everything = {line.measure.name for line in measure_rows(six)}
    assert everything <= MEASURES.keys()
    assert {"kernel", "gamma", "C", "violations", "bound", "n_support", "accuracy"} <= everything


def test_the_best_is_marked_only_where_there_is_a_better() -> None:
    def side(label: str, seconds: float) -> Side:
        certificate = {"relative_gap": 0.0, "primal": 1.0, "dual": 1.0, "violation": 0.0}
        document = {"seconds": seconds, "C": seconds, "tol": 1e-3, "ending": "converged"}
        document |= {"kernel": {"name": "rbf"}, "certificate": certificate}
        return Side(label, document, np.array(["a"], dtype=object))

    comparison = Comparison("x", ("a", "b"), None, (side("one", 2.0), side("two", 1.0)))
    best = {line.measure.name: line.best for line in measure_rows(comparison)}
    assert best["seconds"] == (1,)
    assert best["C"] == best["primal"] == best["relative_gap"] == ()


def test_names_must_differ_and_rows_be_the_same(six: Comparison, parts: tuple) -> None:
    with pytest.raises(InputError, match="same name"):
        compare([six.sides[0], six.sides[0]], parts[0].classes, parts[1])
    with pytest.raises(InputError, match="same rows"):
        compare(six.sides, parts[0].classes, parts[0].take([0, 1]))


def test_a_class_that_training_never_saw_counts_as_wrong() -> None:
    side = Side("x", {}, np.array(["a", "a", None], dtype=object))
    found = scored(side, ("a", "b"), np.array(["a", "new", "b"], dtype=object))
    assert found.scores is not None
    assert found.scores.accuracy == 0.5
    assert [score.name for score in found.scores.per_class] == ["a", "b", "new"]


# -- margins --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ww", "cs", "llw", "ova"])
def test_violations_are_those_of_the_class_functions(name: str, outcomes: dict[str, Outcome], parts: tuple) -> None:
    """Row by row, from the scores that predictions give."""
    trained, rows = outcomes[name].trained, parts[0]
    functions = pd.DataFrame(trained.predictions(rows).scores, columns=list(trained.class_names))
    found = violations_of(trained, rows)
    for place, (own, other) in enumerate(permutations(trained.class_names, 2)):
        mine = functions[rows.labels == own]
        expected = np.maximum(found.target - (mine[own] - mine[other]), 0.0).sum()
        y, c = list(permutations(range(3), 2))[place]
        assert found.sums[y, c] == pytest.approx(expected)
    assert found.total == pytest.approx(found.of_pairs.sum())
    assert np.diag(found.sums).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("name", ["ww", "cs"])
def test_the_loss_of_relative_machines_is_made_of_violations(
    name: str, outcomes: dict[str, Outcome], parts: tuple
) -> None:
    """The primal of ww is 1/2 sum ||w||^2 + C ||z||_1; that of cs has the largest of each row, so no more."""
    trained = outcomes[name].trained
    model = trained.model
    points = model.points
    gram = model.kernel.block(points, points, np.empty((len(points), len(points))))
    energy = 0.5 * np.einsum("ic,ij,jc->", model.expansion, gram, model.expansion)
    loss = trained.certificate.primal - energy
    total = violations_of(trained, parts[0]).total
    assert total == pytest.approx(loss, rel=1e-6) if name == "ww" else total >= loss * (1 - 1e-9)


@pytest.mark.parametrize("name", ["ovo", "dag"])
def test_pair_machines_violate_their_binary_margins(name: str, outcomes: dict[str, Outcome], parts: tuple) -> None:
    trained, rows = outcomes[name].trained, parts[0]
    values = trained.model.decision(trained.preparation.apply(rows).rows)
    found, expected = violations_of(trained, rows), 0.0
    for column, (a, b) in enumerate(combinations(trained.class_names, 2)):
        for own, sign in ((a, 1.0), (b, -1.0)):
            expected += np.maximum(1.0 - sign * values[rows.labels == own, column], 0.0).sum()
    assert found.total == pytest.approx(expected)


@pytest.mark.parametrize("classes", [2, 3, 7])
@pytest.mark.parametrize("name", MACHINES)
def test_the_target_is_reached_where_every_margin_is_met(name: str, classes: int) -> None:
    """The smallest lead of the own class that all margins allow, the others being alike: by a linear programme."""
    machine = MACHINES[name]
    margin = machine.margin(classes)
    target = target_of(machine, classes, margin)
    if machine.split != "joint":
        assert target == (2.0 * margin if machine.split == "one-vs-rest" else margin)
        return
    form = machine.form(classes, margin)
    real, alike = form.real[0], np.eye(classes - 1, classes, 1)[:-1] - np.eye(classes - 1, classes, 2)[:-1]
    found = linprog(
        np.eye(classes)[0] - np.eye(classes)[1],
        A_ub=-form.direction[0][real],
        b_ub=-form.margin[0][real],
        A_eq=np.vstack([np.ones(classes), alike]),
        b_eq=np.zeros(1 + len(alike)),
        bounds=(None, None),
    )
    assert target == pytest.approx(found.fun)


def test_the_bound_is_that_of_the_paper_for_two_classes() -> None:
    """Equation (6), written out for d = 2 and one pair."""
    found = Violations(1.0, np.array([[0.0, 3.0], [1.0, 0.0]]), np.array([40, 60]), 5.0).bound()
    assert found is not None
    rows, z, spread, delta, fat = 100, 4.0, 5.0, 0.05, 7.0
    d = 2 * (np.sqrt(z * spread) + 1.0) / 1.0
    first = (fat + 64 * d**2) * np.log2(65 * rows * (1 + d) ** 3) * np.log2(9 * np.e * rows * (1 + d))
    risk = 2 / rows * (first + np.log2(128 * rows**1.5 * spread / delta))
    expected = (1.0 + np.sqrt((np.log(2) - np.log(delta)) / 2) / np.sqrt(rows)) * risk
    assert found(fat) == pytest.approx(expected)


def test_more_violations_loosen_the_bound() -> None:
    def bound(z: float) -> float:
        sums = np.full((3, 3), z) - np.diag([z] * 3)
        found = Violations(1.0, sums, np.array([10, 10, 10]), 4.0).bound()
        assert found is not None
        return found(1.0)

    assert bound(0.0) < bound(1.0) < bound(10.0)
    assert Violations(1.0, np.zeros((2, 2)), np.array([0, 5]), 4.0).bound() is None


def test_examples_are_there() -> None:
    assert Path(example("wine")).is_file()


@pytest.mark.parametrize("calibrate", [None, "temperature"])
def test_log_loss_and_area_under_roc_are_those_of_scikit_learn(tmp_path: Path, calibrate: str | None) -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 240)
    weights = rng.integers(0, 4, 240).astype(float)
    points = rng.normal(size=(240, 2)) + labels[:, None]
    rows = [f"{a!r},{b!r},c{y},{w}\n" for (a, b), y, w in zip(points.tolist(), labels, weights, strict=True)]
    path = tmp_path / "a.csv"
    path.write_text("a,b,label,w\n" + "".join(rows), "utf-8")
    dataset = open_dataset(path, ReadOptions(weights="w"))
    first, second = np.arange(dataset.rows) % 2 == 0, np.arange(dataset.rows) % 2 == 1
    outcome = train(Request("ww", calibrate=calibrate or "none"), dataset.take(first))
    tested = dataset.take(second)
    side = side_of("ww", outcome.trained, outcome.document, tested)
    assert side.ranked is not None
    given = outcome.trained.predictions(tested, probabilities=True)
    assert tested.labels is not None
    if calibrate is None:
        assert side.ranked.log_loss is None
    else:
        assert side.ranked.log_loss == pytest.approx(
            metrics.log_loss(tested.labels, given.probabilities, sample_weight=tested.weights), rel=1e-12
        )
    ranked = given.scores if given.probabilities is None else given.probabilities
    areas = [
        metrics.roc_auc_score(tested.labels == name, ranked[:, place], sample_weight=tested.weights)
        for place, name in enumerate(outcome.trained.class_names)
    ]
    assert side.ranked.roc_auc == pytest.approx(np.mean(areas), abs=1e-12)
    texts = {row.measure.name: row.texts for row in measure_rows(Comparison("a", tested.classes, None, (side,)))}
    assert texts["roc_auc"] == (f"{np.mean(areas):.4f}",)
    assert ("log_loss" in texts) == (calibrate is not None)
