"""What is said of a training is what its numbers say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from run_examples import document
from small_table import clouds

from mcsvm.solvers.decision import ASKED
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.methods.auto.conductor import REASONS
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.trace import COLUMNS, Sample, Trace
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.evaluate import curves
from mcsvm_gui.core.evaluate.curves import History
from mcsvm_gui.core.machine import summary
from mcsvm_gui.core.machine.posing import pose_request
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import train
from mcsvm_gui.core.machine.state import CLOSE, optimality
from mcsvm_gui.core.machine.time_left import parts_of, progress_of, shared_progress


@pytest.mark.parametrize("machine", MACHINES)
def test_a_real_training_in_words(machine: str) -> None:
    outcome = train(Request(machine=machine, holdout=0.3), clouds())
    found, origin = outcome.document, outcome.trained.origin
    words = " ".join(summary.sentences(found))
    for number in (origin.iterations, found["n_support"], found["n_bounded"], found["n_test"]):
        assert figures.count(number) in words
    assert figures.accuracy(found["test_accuracy"], found["n_test"]) in words
    assert origin.ending.sentence in words
    assert all(decision.reason in words for decision in origin.decisions)
    assert found["solver_reason"].startswith(origin.decisions[-1].reason)
    assert MACHINES[machine].title in summary.title(found)
    assert figures.gap(max(origin.certificate.relative_gap, 0.0)) in summary.badge(found).text


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_a_solver_that_was_asked_for_needs_no_words(kernel: str) -> None:
    found = train(Request(machine="ww", kernel=kernel, solver="s2do"), clouds()).document
    assert found["solver_reason"] == ASKED
    assert ASKED not in summary.sentences(found)
    chosen = train(Request(machine="ww", kernel=kernel), clouds()).document
    assert chosen["solver_reason"] in REASONS
    assert chosen["solver_reason"] != ASKED


@pytest.mark.parametrize("ending", [ending.value for ending in Ending])
@pytest.mark.parametrize("gap", [-1e-12, 0.0, 7e-6, 0.02, 3.0])
def test_the_badge_says_the_gap_and_the_optimality(ending: str, gap: float) -> None:
    found = document(ending=ending)
    found["certificate"] |= {"relative_gap": gap}
    badge = summary.badge(found)
    assert badge.kind == optimality(ending, gap, "rbf")
    if gap > 0.0:
        assert figures.gap(gap) in badge.text
    if ending == "converged" and gap > CLOSE:
        assert badge.text.startswith("Converged by violation, but up to")
        assert badge.tip.startswith("Train with a smaller tolerance.")
    assert figures.objective(found["certificate"]["primal"]) in badge.tip


@pytest.mark.parametrize("gap", [-1e-12, 0.0, 1e-16, 1e-12])
def test_a_gap_that_rounds_to_zero_is_named_in_words(gap: float) -> None:
    texts = {}
    for ending in ("converged", "stopped"):
        found = document(ending=ending)
        found["certificate"] |= {"relative_gap": gap}
        texts[ending] = summary.badge(found).text
    assert texts["converged"] == "Solved: the gap is zero within rounding"
    assert texts["stopped"] == "Close: the gap is zero within rounding, but the run has not converged"


def test_a_gap_above_rounding_is_never_written_as_zero() -> None:
    found = document(ending="converged")
    found["certificate"] |= {"relative_gap": 2e-12}
    assert summary.badge(found).text == "Solved to <0.000001%"


@pytest.mark.parametrize("machine", MACHINES)
def test_parts_are_those_of_the_problem(machine: str) -> None:
    posed = pose_request(Request(machine=machine), clouds())
    assert parts_of(machine, posed.problem.classes) == posed.problem.part_count


def test_a_steady_training_is_projected_to_its_tolerance() -> None:
    """Falling by e a second from 1 to 1e-3 takes ln 1000 = 6.9 s; two are over."""
    trace = Trace()
    for seconds in np.linspace(0.0, 2.0, 50).tolist():
        gap = math.exp(-seconds)
        trace.append(Sample(int(1000 * seconds), seconds, 10.0 - gap, 10.0, gap, 5, 2))
    known = progress_of(trace, Request(), 3)
    assert known is not None
    words = summary.progress_text(known)
    assert f"about {figures.remaining(math.log(1000.0) - 2.0)} left" in words
    assert figures.rate(1000.0) in words
    assert progress_of(Trace(), Request(), 3) is None


# -- the lines ------------------------------------------------------------------------------------


def history(final: tuple[float | None, float | None] = (None, None), readings: int = 0) -> History:
    x = np.linspace(1.0, 5.0, 9)
    looked = np.linspace(1.0, 4.0, readings)
    table = dict.fromkeys(("seconds", "iteration", "train_accuracy"), looked)
    table |= {"test_accuracy": np.full(readings, np.nan), "support_per_class": np.ones((readings, 3))}
    return History(1, "ww 1", "ww", dict.fromkeys(COLUMNS, x), table if readings else {}, (), final)


def test_accuracy_ends_with_that_of_all_rows() -> None:
    lines = curves.accuracy(history((0.9, 0.8), readings=4), "seconds")
    assert (lines["train_accuracy"][0][-1], lines["train_accuracy"][1][-1]) == (5.0, 90.0)
    assert lines["train_accuracy"][0].size == 5
    assert lines["test_accuracy"][1][-1] == 80.0


def test_what_was_never_read_has_no_line() -> None:
    assert curves.accuracy(history(), "seconds") == {}
    assert set(curves.accuracy(history(readings=3), "seconds")) == {"train_accuracy"}
    assert curves.support_per_class(history(), "seconds") == []
    assert len(curves.support_per_class(history(readings=3), "seconds")) == 3


def test_the_reach_holds_every_run() -> None:
    later = History(2, "cs 2", "cs", dict.fromkeys(COLUMNS, np.array([3.0, 9.0])))
    assert curves.reach([history(), later], "seconds") == (1.0, 9.0)
    assert curves.reach([], "seconds") is None


@pytest.mark.parametrize("count", [1, 2, 3, 40])
def test_the_last_value_counts_for_the_scale_and_the_first_does_not(count: int) -> None:
    values = np.linspace(5.0, 6.0, count)
    values[0] = 1e9 if count > 1 else 5.0
    low, high = curves.settled((values, values))
    assert low <= values[-1] <= high < 1e9


@given(st.floats(1.0, 1e6), st.lists(st.floats(1e3, 1e9), min_size=1, max_size=30))
def test_first_leaps_never_set_the_scale(last: float, leaps: list[float]) -> None:
    """However few samples there are, the end of the line is no thin stripe at the edge of the plot."""
    values = np.array([last * (1.0 + leap) for leap in leaps] + [last])
    low, high = curves.settled((np.arange(values.size), values))
    assert low <= last <= high <= 2.0 * last


def test_a_line_that_ends_at_zero_or_nowhere_has_a_scale() -> None:
    for values in ([5.0, 0.0], [1.0, np.nan], [np.nan, np.nan], [-3.0, -2.0]):
        low, high = curves.settled((np.arange(2.0), np.array(values)))
        assert np.isfinite([low, high]).all()
        assert low <= high


def test_one_estimate_of_the_time_left_for_all_who_show_it() -> None:
    """A card and a row ask at different moments, while samples come in between."""
    trace, now = Trace(), 100.0
    request = Request(machine="ww")

    def add(first: int, last: int) -> None:
        for step in range(first, last):
            trace.append(Sample(step, 0.1 * step, 1.0, 1.0 + 2.0 ** (-step / 10), 1.0, 5, 5))

    add(0, 40)
    card = shared_progress(trace, request, 3, lambda: now)
    add(40, 60)
    row = shared_progress(trace, request, 3, lambda: now + 0.6)
    assert card is not None
    assert row is not None
    assert row.seconds_left == card.seconds_left
    assert row.last.iteration == 59, "where it stands is not held back"
    later = shared_progress(trace, request, 3, lambda: now + 1.1)
    assert later is not None
    assert later.seconds_left != card.seconds_left


def test_a_finished_training_of_many_parts_shows_no_rise_of_its_violation() -> None:
    """Of what is above the largest violation of all parts nothing changes."""
    values = np.array([2.0, 0.0005, 1.5, 0.0008, 0.9, 0.001])
    table = dict.fromkeys(COLUMNS, np.arange(6.0)) | {"violation": values}
    running, ended = (History(1, "ovo 1", "ovo", table, {}, (), final) for final in ((None, None), (1.0, None)))
    assert (curves.violation(running, "seconds")["violation"][1] == values).all()
    shown = curves.violation(ended, "seconds")["violation"][1]
    assert shown.min() == values[-1]
    assert (shown[values > 0.001] == values[values > 0.001]).all()
    joint = History(1, "ww 1", "ww", table, {}, (), (1.0, None))
    assert (curves.violation(joint, "seconds")["violation"][1] == values).all()


def test_lines_of_classes_reach_the_end_of_the_training() -> None:
    table = dict.fromkeys(COLUMNS, np.arange(6.0))
    readings = {"seconds": np.array([1.0, 2.0]), "support_per_class": np.array([[1.0, 2.0], [3.0, 4.0]])}
    history = History(1, "ww 1", "ww", table, readings, ("a", "b"), (1.0, None), (7, 8))
    lines = curves.support_per_class(history, "seconds")
    assert [(line[0][-1], line[1][-1]) for line in lines] == [(5.0, 7.0), (5.0, 8.0)]


def test_times_far_apart_are_told() -> None:
    short, long = (
        History(run, "", "ww", dict.fromkeys(COLUMNS, np.array([0.0, end]))) for run, end in ((1, 1), (2, 11))
    )
    assert curves.ends_differ([short, long], "seconds")
    assert not curves.ends_differ([short, short], "seconds")
    assert not curves.ends_differ([], "seconds")
