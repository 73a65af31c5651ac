"""Runs on the same rows: the numbers of `mcsvm evaluate`, the tests of the Compare page, and the answer."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from run_examples import document
from scipy.stats import binomtest

from mcsvm_gui.core.base.resources import dataset as example
from mcsvm_gui.core.compare.baselines import _result
from mcsvm_gui.core.compare.conclusion import Candidate, conclude
from mcsvm_gui.core.compare.standings import (
    RunScores,
    differing_from,
    most_confused,
    run_scores,
    scores_of,
    told_apart,
)
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
    """Rows of the classes in turn; a wrong row is predicted as the next class."""
    true = np.arange(right.size) % len(names)
    told = np.where(right, true, (true + 1) % len(names))
    return scored(run, true, told, names)


def scored(run: int, true: np.ndarray, told: np.ndarray, names: tuple[str, ...] = ("a", "b", "c")) -> RunScores:
    rows = SimpleNamespace(labels=np.array(names, dtype=object)[true], rows=true.size, weights=None)
    found = scores_of(run, names, np.array(names, dtype=object)[told], rows, 0)  # type: ignore[arg-type]
    assert found is not None
    return found


def solved(run: int, **values: object) -> dict[str, object]:
    known = document(run, ending="converged", train_accuracy=0.9, test_accuracy=0.9, n_test=1000, n_support=100)
    return {**known, "certificate": {**known["certificate"], "relative_gap": 1e-6}, **values}


ROWS = np.arange(1000)
GOOD, LIKE, BAD, HALF = ROWS % 10 != 0, ROWS % 10 != 1, ROWS % 3 != 0, ROWS % 2 == 0


def plain(text: str) -> str:
    return text.replace("\u202f", "")


def shares(text: str) -> list[float]:
    """Every percentage that a text names."""
    return [float(found) for found in re.findall(r"(\d+(?:\.\d+)?)(?=%|–)", plain(text))]  # noqa: RUF001


def test_the_answer_comes_first_and_tells_a_lead_from_a_tie() -> None:
    runs = [made_up(1, BAD), made_up(2, GOOD), made_up(3, np.where(ROWS == 7, False, LIKE))]
    machines = ["ova", "ww", "cs"]
    candidates = [
        Candidate(
            one.run, f"{machine} {one.run}", solved(one.run, machine=machine), one, validation=v, chosen=one.run == 2
        )
        for one, machine, v in zip(runs, machines, (0.7, 0.91, 0.9), strict=True)
    ]
    found = conclude(candidates, told_apart(runs))
    assert found is not None
    assert (found.run, found.quality) == (2, "good")
    low, high = (100.0 * end for end in runs[1].interval)
    assert found.text.startswith("Best model: Weston-Watkins (ww 2), 90.0")
    assert shares(found.text)[:4] == [90.0, 95.0, round(low, 1), round(high, 1)]
    assert "always predicting “a” gives 33.4" in found.text
    assert "The lead over One-vs-all is significant; the other one is statistically tied." in found.text
    assert "It was chosen by cross-validation (91.0%)." in plain(found.text)
    early = conclude([replace(one, share=1 / 9) for one in candidates], told_apart(runs))
    assert early is not None
    assert "(91.0% on 11% of the training rows)" in plain(early.text)
    assert differing_from(2, [1, 3], told_apart(runs)) == [1]
    assert "Solved to" in found.optimum


def test_cross_validation_chooses_and_not_the_test_rows() -> None:
    runs = [made_up(1, GOOD), made_up(2, LIKE & (ROWS % 7 != 0))]
    candidates = [
        Candidate(1, "a", solved(1), runs[0], validation=0.8),
        Candidate(2, "b", solved(2), runs[1], validation=0.8, chosen=True),
    ]
    found = conclude(candidates, told_apart(runs))
    assert found is not None
    assert found.run == 2
    assert "scored significantly higher, but cross-validation chose this model" in found.text


def test_a_winner_by_test_rows_is_called_so() -> None:
    runs = [made_up(1, GOOD), made_up(2, BAD)]
    candidates = [Candidate(one.run, str(one.run), solved(one.run), one) for one in runs]
    found = conclude(candidates, told_apart(runs))
    assert found is not None
    assert "chosen by the test rows, so its score is optimistic. C and gamma were not tuned." in found.text
    alone = conclude(candidates[:1], {})
    assert alone is not None
    assert "optimistic" not in alone.text


def test_the_preprocessing_is_named_if_it_differs_between_the_models() -> None:
    runs = [made_up(1, GOOD), made_up(2, BAD)]
    words = "standardized", "scaled to [-1, 1]"
    candidates = [
        Candidate(one.run, str(one.run), solved(one.run), one, preprocessing=said)
        for one, said in zip(runs, words, strict=True)
    ]
    found, alike = conclude(candidates, {}), conclude([replace(one, preprocessing="x") for one in candidates], {})
    assert found is not None
    assert alike is not None
    assert "The models differ in preprocessing; this one: standardized." in found.text
    assert "The models differ in preprocessing; this one: standardized." in found.ranking
    assert "preprocessing" not in alike.text


def test_groups_on_both_sides_of_the_split_are_told_second() -> None:
    good, bad = made_up(1, GOOD), scored(2, ROWS % 3, np.zeros(1000, dtype=int))
    doubted = replace(good, shared_groups=("lot",))
    found = conclude([Candidate(1, "a", solved(1), doubted, validation=0.9, chosen=True)], {})
    assert found is not None
    assert found.quality == "doubtful"
    assert "column “lot” looks like groups of rows" in found.text.split(". ")[1]
    assert "role “group”" in found.text
    useless = conclude([Candidate(2, "b", solved(2), replace(bad, shared_groups=("lot",)))], {})
    assert useless is not None
    assert "lot" not in useless.text, "there is no score to doubt"
    told = conclude([Candidate(1, "a", solved(1), doubted, validation=1.0, chosen=True)], {})
    assert told is not None
    assert "Cross-validation promised" in told.text
    assert "lot" not in told.text, "the advice is the same"


def test_random_labels_are_no_better_than_guessing() -> None:
    random = np.random.default_rng(3)
    true = np.repeat([0, 1, 2], 6)
    runs = [scored(run, true, random.integers(0, 3, true.size)) for run in range(1, 7)]
    assert all(binomtest(int(np.trace(one.counts)), 18, 1 / 3, "greater").pvalue > 0.05 for one in runs), "the oracle"
    candidates = [
        Candidate(one.run, f"ova {one.run}", solved(one.run), one, validation=0.43, chosen=one.run == 4) for one in runs
    ]
    found = conclude(candidates, told_apart(runs))
    assert found is not None
    assert found.quality == "useless"
    assert found.verdict == "No better than guessing"
    sentences = found.text.split(". ")
    assert sentences[0] == "No model is better than guessing"
    right = int(np.trace(runs[3].counts))
    assert f"{100 * right / 18:.1f}%" in plain(sentences[1])
    assert "always predicting “a” gives 33.3%" in plain(sentences[1])


def test_an_interval_that_excludes_guessing_is_explained() -> None:
    """Four random models, the best of which has 11 of 18 rows right: by itself p = 0.05, adjusted 0.2."""
    true = np.repeat([0, 1, 2], 6)
    wrong = (true + 1) % 3
    runs = [
        scored(run, true, np.where(np.arange(18) % 18 < right, true, wrong))
        for run, right in enumerate((11, 6, 6, 6), 1)
    ]
    candidates = [Candidate(one.run, f"ww {one.run}", solved(one.run), one, chosen=one.run == 1) for one in runs]
    found = conclude(candidates, told_apart(runs))
    assert found is not None
    # Guessing "a" is right on the first six rows, as is the model; on the others it wins 5 times and never loses.
    assert binomtest(5, 5, 0.5, "greater").pvalue == pytest.approx(0.03125)
    assert found.quality == "useless"
    assert "The difference is not significant (p = 0.12, Holm-adjusted for 4 models)." in plain(found.text)


def test_a_model_that_only_repeats_the_largest_class_is_guessing() -> None:
    true = np.array([0] * 70 + [1] * 20 + [2] * 10)
    run = scored(1, true, np.zeros_like(true))
    found = conclude([Candidate(1, "ww 1", solved(1), run, validation=0.7, chosen=True)], {})
    assert found is not None
    assert found.quality == "useless"


def test_a_class_that_is_never_predicted_is_named_with_its_rows() -> None:
    true = np.array([0] * 60 + [1] * 33 + [2] * 7)
    never = scored(1, true, np.where(true == 2, 0, true))
    found = conclude([Candidate(1, "ww 1", solved(1), never, validation=0.9, chosen=True)], {})
    assert found is not None
    assert found.quality == "doubtful"
    assert found.text.split(") ")[0].startswith("Best model") or found.text.startswith("Best model")
    assert "Class “c” is never predicted (0 of 7 test rows correct)." in found.text
    told = np.where(true == 2, 0, true)
    told[:3] = 2
    wrong = conclude([Candidate(1, "ww 1", solved(1), scored(1, true, told), validation=0.9, chosen=True)], {})
    assert wrong is not None
    assert "Class “c” is never predicted correctly (0 of 7 test rows)." in wrong.text


def test_unequal_classes_are_judged_by_balanced_accuracy() -> None:
    true = np.array([0] * 180 + [1] * 18 + [2] * 12)
    blind, fair = np.where(true == 2, 0, true), true.copy()
    fair[:10] = 2
    runs = [scored(1, true, blind), scored(2, true, fair)]
    counts = {"class_counts": [600, 60, 40]}
    assert runs[0].accuracy == pytest.approx(198 / 210)
    assert runs[1].balanced == pytest.approx(np.mean([170 / 180, 1, 1])), "by hand"
    candidates = [
        Candidate(one.run, one_label, solved(one.run, **counts), one)
        for one, one_label in zip(runs, ("x", "y"), strict=True)
    ]
    found = conclude(candidates, told_apart(runs))
    assert found is not None
    assert (found.run, found.measure) == (2, "balanced-accuracy")
    assert "98.1% balanced test accuracy" in plain(found.text)
    assert "guessing gives 33.3%" in plain(found.text)


def test_cross_validation_far_above_the_test_suggests_groups() -> None:
    half = made_up(1, ROWS % 2 == 0)
    one = Candidate(1, "ww 1", solved(1), half, validation=0.995, chosen=True)
    found = conclude([one], {})
    assert found is not None
    assert found.quality == "doubtful"
    assert "Cross-validation promised 99.5%, but the test shows 50.0%." in plain(found.text)
    assert "role “group”" in found.text
    grouped = conclude([replace(one, grouped=True)], {})
    assert grouped is not None
    assert "role “group”" not in grouped.text
    near = conclude([replace(one, validation=0.53)], {})
    assert near is not None
    assert "promised" not in near.text


def test_a_simple_method_that_is_better_is_named() -> None:
    run = made_up(1, BAD)
    trees, near = (_result("boosting", 1, made_up(-3, GOOD), 1e-9), _result("neighbours", 1, made_up(-2, HALF), 1.0))
    one = Candidate(1, "ww 1", solved(1), run, validation=0.7, chosen=True)
    found = conclude([one], {}, [trees, near])
    assert found is not None
    assert "significantly better on the same rows: Boosted trees, 90.0% test accuracy" in plain(found.text)
    quiet = conclude([one], {}, [near])
    assert quiet is not None
    assert "simple method" not in quiet.text


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
    usual = Candidate(1, "ww 1", solved(1), made_up(1, np.ones(1000, dtype=bool)), validation=0.9)
    quiet = conclude([usual], {})
    assert quiet is not None
    assert quiet.steps == ()
    changes = dict(STEPS[code])
    changed = replace(usual, **{**changes, "document": {**usual.document, **changes.get("document", {})}})  # type: ignore[arg-type]
    found = conclude([changed], {})
    assert found is not None
    step = next(step for step in found.steps if step.code == code)
    assert step.text
    assert found.steps[0].sentence.endswith(".")
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
    assert "It is statistically tied with Lee-Lin-Wahba." in found.text
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


def test_classes_always_or_never_right_leave_room_for_doubt() -> None:
    """Every resample has the same balanced accuracy. `scipy.stats.binomtest` is the oracle."""
    true = np.array([0] * 54 + [1] * 27 + [2] * 4)
    found = scored(1, true, np.where(true == 2, 1, true))
    exact = [binomtest(hits, rows).proportion_ci(0.95, "exact") for hits, rows in ((54, 54), (27, 27), (0, 4))]
    wanted = np.mean([one.low for one in exact]), np.mean([one.high for one in exact])
    assert found.balanced == pytest.approx(2 / 3)
    assert found.balanced_interval == pytest.approx(wanted, abs=1e-9)
    assert found.balanced_interval[0] < 2 / 3 < found.balanced_interval[1]
