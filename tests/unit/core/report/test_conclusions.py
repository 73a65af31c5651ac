"""The conclusions of a report say what the numbers say: counted again here by hand, on results made up for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from scipy import stats
from small_table import clouds

from mcsvm.solvers.selection.folds import Fold
from mcsvm_gui.core.compare.comparison import Side
from mcsvm_gui.core.experiment import DataSpec, Experiment, Plan, Results, RunSpec, TrialResult
from mcsvm_gui.core.experiment.results import PartResult
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.report import published_numbers
from mcsvm_gui.core.report.blocks import Table
from mcsvm_gui.core.report.conclusions import sentences

ROWS = Fold(np.arange(70), np.arange(70, 100))
Numbers = Mapping[str, Any]


def made(runs: Mapping[tuple[str, str], tuple[Request, list[Numbers], dict[str, float]]]) -> Results:
    """`runs`: by data set and label, the request, what each part gave, and what is published."""
    names = dict.fromkeys(data for data, _ in runs)
    trials = []
    for (data, label), (request, parts, published) in runs.items():
        documents = [{**PLAIN, **part} for part in parts]
        done = [PartResult(ROWS, document, Side(label, document, np.array([]))) for document in documents]
        trials.append(TrialResult(RunSpec(data, label, request, published), tuple(done)))
    plan = Plan("shares", count=max(1, *(len(parts) for _, parts, _ in runs.values())), summary="median")
    specs = tuple(DataSpec(name, f"{name}.csv") for name in names)
    experiment = Experiment("Made up", plan, specs, tuple(trial.spec for trial in trials))
    return Results(experiment, dict.fromkeys(names, clouds()), {}, tuple(trials))


PLAIN = {"ending": "converged", "certificate": {"relative_gap": 1e-4}, "C": 1.0, "kernel": {"gamma": 0.5}}


def scores_of(*accuracies: float) -> list[Numbers]:
    return [{"test_accuracy": accuracy} for accuracy in accuracies]


def test_differences_to_published_accuracies_are_counted() -> None:
    published = {("a", "ww"): 0.91, ("a", "cs"): 0.88, ("b", "ww"): 0.55, ("b", "cs"): 0.7}
    ours = {("a", "ww"): (0.9, 0.89, 0.95), ("a", "cs"): (0.9, 0.9, 0.9), ("b", "ww"): (0.5, 0.6, 0.4)}
    ours[("b", "cs")] = (0.7, 0.71, 0.6)
    runs = {
        place: (Request(machine=place[1]), scores_of(*values), {"accuracy": published[place]})
        for place, values in ours.items()
    }
    said = " ".join(sentences(made(runs)))
    # medians 0.9, 0.9, 0.5, 0.7 beside 0.91, 0.88, 0.55, 0.7; ranges hold 0.91, 0.55 and 0.7
    assert "2 of 4 accuracies are within 1 point of the published ones" in said
    assert "largest difference is 5.0 points, on b with ww (50.0" in said
    assert "the mean difference -1.00 points" in said
    assert "3 of 4 published accuracies lie inside that range" in said
    # spreads 6, 0, 20, 11 points
    assert "moves by 8.5 points (median)" in said
    assert "All 4 rows reached their tolerance; the worst relative gap is 0.010" in said


def test_ranks_are_of_ours_and_of_the_published_numbers() -> None:
    better = {"ww": (0.9, 0.6), "cs": (0.8, 0.7), "ova": (0.7, 0.8)}  # ours, published
    runs = {
        (f"d{place}", label): (Request(machine=label), scores_of(ours), {"accuracy": theirs})
        for place in range(8)
        for label, (ours, theirs) in better.items()
    }
    said = sentences(made(runs))
    p = stats.friedmanchisquare(*([values] * 8 for values in (0.9, 0.8, 0.7))).pvalue
    assert said[0].endswith("over 8 data sets, 1 being the best: ww 1.00, cs 2.00, ova 3.00.")
    assert f"Friedman p = {p:.2g}" in said[1]
    assert "ww and ova (p = " in said[1]
    assert said[2].endswith("over 8 data sets, 1 being the best: ova 1.00, cs 2.00, ww 3.00.")


def test_two_solvers_of_a_machine_are_compared_where_both_are_done() -> None:
    smo, s2do = [100, 200, 900, 400, 1000], [50, 60, 300, 500, 10]
    runs = {}
    for place, (one, other) in enumerate(zip(smo, s2do, strict=True)):
        ending = "time limit" if place == 4 else "converged"
        for label, count, end in (("smo", one, "converged"), ("s2do", other, ending)):
            part = {"iterations": count, "ending": end, "certificate": {"relative_gap": 0.25}}
            published = {"iterations": {"smo": 200.0, "s2do": 400.0}[label]}
            runs[f"d{place}", label] = (Request(solver=label), [part], published)
    said = " ".join(sentences(made(runs)))
    p = stats.wilcoxon(np.log(smo[:4]), np.log(s2do[:4])).pvalue
    assert (
        "s2do takes fewer iterations than smo on 3 of the 4 data sets where both reach their tolerance, in the"
        f" literature on 0 of 4 (median ratio 0.42, Wilcoxon p = {p:.2g})."
    ) in said
    # of the nine that are done: 0.5 1 4.5 2 5 by smo, 0.125 0.15 0.75 1.25 by s2do
    assert "Iterations here are 1 times the published ones (median of 9 rows" in said
    assert "from 0.12 to 5)" in said
    assert "1 of 10 rows did not reach their tolerance and count with what they had: d4: s2do (gap up to 25" in said


def test_searches_are_told_with_what_limits_them() -> None:
    found = {"cells": 225, "unsolved": 3, "edges": ["C high"], "equal": 4, "mean": 0.9, "seconds": 5.0}
    parts = [{"search": found}, {"search": {**found, "unsolved": 0, "edges": [], "equal": 1}}]
    said = " ".join(sentences(made({("a", "ww"): (Request(), parts, {"validation": 0.93})})))
    assert "In 2 searches over 450 cells the best cell lies on an edge of its grid 1 times" in said
    assert "with others 1 times; 3 cells did not reach" in said
    assert "0 of 1 accuracies of the best cell are within 1 point" in said


def test_published_numbers_stand_beside_ours_as_papers_print_them() -> None:
    late = {"iterations": 7.0, "ending": "time limit"}
    runs = {
        ("a", "ww"): (Request(), [{"iterations": 50, "test_accuracy": 0.5}], {"iterations": 100.0, "accuracy": 0.4}),
        ("a", "cs"): (Request(machine="cs"), [late], {"iterations": 14.0}),
        ("b", "ww"): (Request(), [{"iterations": 400}], {"iterations": 100.0}),
    }
    _, accuracy, iterations = published_numbers.blocks(made(runs))
    assert isinstance(accuracy, Table)
    assert isinstance(iterations, Table)
    assert (accuracy.columns, accuracy.rows) == (
        ("data", "ww", "paper"),
        (("a", "50.00", "40.00"), ("mean difference", "+10.00", "")),
    )
    assert iterations.columns == ("data", "ww", "paper", "cs", "paper")
    assert iterations.rows == (
        ("a", "50", "100", "7*", "14"),
        ("b", "400", "100", "–", ""),  # noqa: RUF001
        ("median ratio", "2.2", "", "–", ""),  # noqa: RUF001
    )


@pytest.mark.parametrize("parts", [[], [{"ending": "converged"}]])
def test_what_is_not_known_is_not_said(parts: list[Numbers]) -> None:
    said = sentences(made({("a", "ww"): (Request(), parts, {"accuracy": 0.9})}))
    assert not any("published" in sentence for sentence in said)
