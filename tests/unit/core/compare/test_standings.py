"""Runs on the same rows: the numbers of `mcsvm evaluate`, the tests of the Compare page, and one sentence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from run_examples import document
from scipy.stats import binomtest

from mcsvm_gui.core.base.resources import dataset as example
from mcsvm_gui.core.compare.conclusion import Candidate, conclude
from mcsvm_gui.core.compare.standings import RunScores, better_than_chance, most_confused, run_scores, told_apart
from mcsvm_gui.core.compare.tested_runs import RowCache, comparison_of, decided, split_rows
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.evaluate.applied import applied
from mcsvm_gui.core.evaluate.bootstrap import share_interval
from mcsvm_gui.core.evaluate.evaluation import evaluate_rows
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import Outcome, train


def outcome_of(machine: str, seed: int = 0, data: str = "glass") -> tuple[Request, Outcome, Dataset]:
    rows = open_dataset(str(example(data)))
    request = Request(machine=machine, data=rows.name, digest=rows.digest, holdout=0.4, seed=seed)
    return request, train(request, rows), split_rows(request, rows, None).tested


@pytest.fixture(scope="module")
def three() -> list[tuple[Request, Outcome, Dataset]]:
    return [outcome_of(machine) for machine in ("ww", "llw", "ovo")]


@pytest.mark.parametrize("seed", [0, 3])
def test_a_run_has_the_intervals_of_its_evaluation(seed: int) -> None:
    request, outcome, tested = outcome_of("cs", seed)
    found = run_scores(7, outcome.trained, tested, request.seed)
    evaluation = evaluate_rows(applied(outcome.trained, tested).rows, request.seed)
    assert found is not None
    assert found.accuracy == pytest.approx(outcome.document["test_accuracy"], abs=1e-15)
    assert found.interval == evaluation.intervals["accuracy"]
    assert found.balanced_interval == evaluation.intervals["balanced_accuracy"]
    assert found.balanced == evaluation.measures["balanced_accuracy"]
    assert (found.confusion == evaluation.confusion).all()


def test_differences_are_those_of_the_compare_page(three: list[tuple[Request, Outcome, Dataset]]) -> None:
    library = RowCache()
    scored = [
        decided(run, request, outcome.document, lambda o=outcome: o.trained, lambda r=request: library.rows_of(r, None))
        for run, (request, outcome, _) in enumerate(three)
    ]
    wanted = [result for result in comparison_of(scored).tests() if result.name == "mcnemar exact"]
    standing = [run_scores(run, outcome.trained, tested, 0) for run, (_, outcome, tested) in enumerate(three)]
    found = told_apart(one for one in standing if one is not None)
    assert len(wanted) == 3
    for result in wanted:
        a, b = map(int, result.between)
        assert found[a, b] == found[b, a] == result.adjusted["holm"]


def made_up(run: int, right: np.ndarray, names: tuple[str, ...] = ("a", "b", "c")) -> RunScores:
    """Of rows of class a; what is wrong is called b."""
    outcomes = right.astype(np.int8)
    confusion = np.zeros((len(names), len(names)))
    confusion[0, 0], confusion[0, 1] = (outcomes == 1).sum(), (outcomes == 0).sum()
    share = float(confusion[0, 0] / confusion.sum())
    return RunScores(run, outcomes, names, confusion, share, (share - 0.01, share + 0.01), share, (share, share))


def solved(run: int, **values: object) -> dict[str, object]:
    known = document(run, ending="converged", train_accuracy=0.9, test_accuracy=0.9, n_test=1000, n_support=100)
    return {**known, "certificate": {**known["certificate"], "relative_gap": 1e-6}, **values}


ROWS = np.arange(1000)
GOOD, LIKE, BAD = ROWS % 10 != 0, ROWS % 10 != 1, ROWS % 3 != 0


def test_the_sentence_names_the_best_and_tells_difference_from_chance() -> None:
    runs = [made_up(1, BAD), made_up(2, GOOD), made_up(3, np.where(ROWS == 7, False, LIKE))]
    labels = ["ova 1", "ww 2", "cs 3"]
    candidates = [
        Candidate(one.run, label, solved(one.run), one, validation=accuracy, chosen=one.run == 2)
        for one, label, accuracy in zip(runs, labels, (0.7, 0.91, 0.9), strict=True)
    ]
    found = conclude(candidates, told_apart(runs))
    assert found is not None
    assert found.run == 2
    assert "ww 2 decides 90.0" in found.text
    assert "0.1 points before the next" in found.text
    assert "more than chance against ova 1, not against cs 3" in found.text
    assert "chosen by its cross-validation of 91.0%; " in found.text
    early = conclude([replace(one, share=1 / 9) for one in candidates], told_apart(runs))
    assert early is not None
    assert "chosen by its cross-validation of 91.0% on 11% of the rows; " in early.text
    assert better_than_chance(2, [1, 3], told_apart(runs)) == [1]


def test_cross_validation_chooses_and_not_the_rows_tested_on() -> None:
    runs = [made_up(1, GOOD), made_up(2, LIKE & (ROWS % 7 != 0))]
    candidates = [
        Candidate(1, "a", solved(1), runs[0], validation=0.8),
        Candidate(2, "b", solved(2), runs[1], validation=0.9, chosen=True),
    ]
    found = conclude(candidates, told_apart(runs))
    assert found is not None
    assert found.run == 2
    assert "points behind the most accurate" in found.text
    assert "a did better on them by more than chance" in found.text


UNSOLVED = {"relative_gap": 0.2, "primal": 1.0, "dual": 0.8, "violation": 0.5}
STEPS = {
    "hold-out": {"document": {"test_accuracy": None, "n_test": None}, "scores": None},
    "unsolved": {"document": {"ending": "time limit", "certificate": UNSOLVED}},
    "guessed": {"validation": None},
    "cut": {"cut": True},
    "edge": {"edges": ("C high",), "ranges": ("C=2^-2:2^16",)},
    "confused": {"scores": made_up(1, BAD)},
    "rows": {"document": {"train_accuracy": 1.0}, "scores": made_up(1, BAD)},
}  # fmt: skip


@pytest.mark.parametrize("code", STEPS)
def test_what_can_be_done_next_is_said_with_its_button(code: str) -> None:
    plain = Candidate(1, "ww 1", solved(1), made_up(1, np.ones(1000, dtype=bool)), validation=0.9)
    quiet = conclude([plain], {})
    assert quiet is not None
    assert quiet.steps == ()
    changes = dict(STEPS[code])
    changed = replace(plain, **{**changes, "document": {**plain.document, **changes.get("document", {})}})  # type: ignore[arg-type]
    found = conclude([changed], {})
    assert found is not None
    step = next(step for step in found.steps if step.code == code)
    assert step.text
    assert found.steps[0].sentence in found.text
    assert found.text.endswith(".")


def test_of_equals_the_smaller_model_is_taken_and_nothing_comes_of_nothing() -> None:
    same = made_up(1, GOOD)
    runs = [
        Candidate(run, str(run), solved(run, n_support=count), replace(same, run=run))
        for run, count in ((1, 90), (2, 40))
    ]
    found = conclude(runs, {})
    assert found is not None
    assert found.run == 2
    assert "the next is as good, and no other differs by more than chance" in found.text
    assert conclude([], {}) is None


def test_the_most_confused_classes_are_those_with_most_errors_both_ways() -> None:
    confusion = np.array([[50, 3, 0], [4, 40, 1], [0, 5, 60]])
    found = most_confused(replace(made_up(1, GOOD), confusion=confusion))
    assert found is not None
    assert (found.names, found.errors, found.share) == (("a", "b"), 7.0, 7 / 13)
    assert most_confused(replace(made_up(1, GOOD), confusion=np.diag([3, 4, 5]))) is None


def test_of_rows_all_decided_rightly_the_interval_is_that_of_the_binomial_distribution() -> None:
    """Resamples of them say 100 % to 100 %. `scipy.stats.binomtest` is the oracle."""
    resampled = np.ones(200)
    wanted = binomtest(18, 18).proportion_ci(0.95, "exact")
    assert share_interval(resampled, np.ones(18)) == pytest.approx((wanted.low, wanted.high), abs=1e-12)
    wanted = binomtest(0, 7).proportion_ci(0.95, "exact")
    assert share_interval(0.0 * resampled, np.full(7, 3.0)) == pytest.approx((wanted.low, wanted.high), abs=1e-12)
    assert share_interval(np.linspace(0.5, 1.0, 201), np.ones(9)) == pytest.approx((0.5125, 0.9875))
