"""A training in slices: what it says, when it stops, and that slices change nothing."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_table import clouds

from mcsvm import InputError, MultiClassSVC
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.trace import Sample
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.spellings import in_training_spelling
from mcsvm_gui.core.evaluate.scores import evaluate
from mcsvm_gui.core.evaluate.verification import verify
from mcsvm_gui.core.machine import model_file
from mcsvm_gui.core.machine import session as sessions
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import Session, SliceLength, sampling_step, train
from mcsvm_gui.core.machine.time_left import seconds_left

PLAIN = {"gamma": 0.7, "C": 3.0}


def estimator(data: Dataset, **parameters: object) -> MultiClassSVC:
    X = data.table.to_numpy()  # type: ignore[union-attr]
    low, high = X.min(axis=0), X.max(axis=0)
    scaled = (X - (0.5 * low + 0.5 * high)) * (2.0 / (high - low))
    return MultiClassSVC(**PLAIN, **parameters).fit(scaled, data.labels)


@pytest.mark.parametrize("machine", ["ww", "llw", "ova", "dag"])
def test_accuracy_of_the_training_rows_is_that_of_the_model(machine: str) -> None:
    data, request = clouds(90, 4), Request(machine=machine, gamma=0.7)
    outcome = train(request, data)
    assert outcome.document["train_accuracy"] == np.mean(outcome.trained.decide(data) == data.labels)


@pytest.mark.parametrize("weights", [False, True])
def test_where_all_rows_would_take_too_long_some_are_scored(monkeypatch: pytest.MonkeyPatch, weights: bool) -> None:
    data, request = clouds(90, 4), Request(machine="ovo", gamma=0.7, C=0.01)
    if weights:
        data = replace(data, weights=np.linspace(0.5, 2.0, 90), weight_name="w")
    whole = train(request, data)
    assert not [said for said in whole.notices if said.code == "sampled accuracy"]
    monkeypatch.setattr(sessions, "MOST_SCORED_VALUES", 30.0 * whole.document["n_support"])
    monkeypatch.setattr(sessions, "FEWEST_SCORED_ROWS", 10)
    outcome = train(request, data)
    said = next(said for said in outcome.notices if said.code == "sampled accuracy")
    some = data.take(np.arange(0, 90, 3))
    right = outcome.trained.decide(some) == some.labels
    assert outcome.document["train_accuracy"] == pytest.approx(np.average(right, weights=some.weights), abs=1e-12)
    assert "measured on 30 of the 90" in said.sentence
    assert said.sentence in outcome.document["warnings"]


def test_at_least_so_many_rows_are_scored() -> None:
    assert sampling_step(60_000, 20_137) == 1
    assert sampling_step(1_000_000, 23_738) == 12
    assert sampling_step(1_000_000, 600_000) == 100
    assert sampling_step(9_000, 10**9) == 1


class _EnoughError(Exception):
    pass


@pytest.mark.parametrize("machine", ["ww", "ovo"])
def test_a_certificate_can_be_given_up_between_pieces(machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcsvm.solvers.interrupt.REST", 0.0)
    running = Session(Request(machine=machine, gamma=0.7, C=50.0), clouds(200, 4))
    running.advance()
    running.stop()
    looks = []

    def look() -> None:
        looks.append(None)
        if len(looks) == 2:
            raise _EnoughError

    with pytest.raises(_EnoughError):
        running.finish(look)
    assert verify(running.finish().trained, clouds(200, 4)).holds


@pytest.mark.parametrize("weight", [None, "balanced", {"c0": 2.0, "c1": 0.5}])
@pytest.mark.parametrize("solver", ["auto", "smo"])
def test_the_answer_is_the_estimators_to_the_last_bit(solver: str, weight: object) -> None:
    data = clouds()
    request = Request.from_document({**Request(solver=solver, **PLAIN).document(), "class_weight": weight})
    model = train(request, data).trained.model
    oracle = estimator(data, solver=solver, class_weight=weight)
    assert np.array_equal(model.expansion.T, oracle.dual_coef_)
    assert np.array_equal(model.support, oracle.support_)


def test_a_gap_tolerance_ends_where_it_ends_for_the_estimator() -> None:
    data = clouds()
    found = train(Request(solver="smo", gap_tol=0.05, **PLAIN), data).document
    oracle = estimator(data, solver="smo", gap_tol=0.05)
    assert (found["ending"], found["iterations"]) == (oracle.ending_.value, oracle.n_iter_)


@pytest.mark.slow
def test_a_wish_to_stop_is_heard_within_a_tenth_of_a_second() -> None:
    train(Request(solver="smo", max_iter=10), clouds())  # compiled
    session = Session(Request(solver="smo", C=1e5, tol=1e-9), clouds(3000, 5))
    slices = []
    until = time.perf_counter() + 1.5
    while session.running and time.perf_counter() < until:
        began = time.perf_counter()
        session.advance()
        slices.append(time.perf_counter() - began)
    assert session.running
    assert np.median(slices[len(slices) // 2 :]) < 0.1
    session.stop()
    outcome = session.finish()
    assert outcome.trained.origin.ending is Ending.STOPPED
    assert verify(outcome.trained, clouds(3000, 5)).holds


def test_slices_grow_and_shrink() -> None:
    pace = SliceLength()
    pace.learn(0.001)
    assert pace.steps == 128
    pace.learn(0.4)
    assert pace.steps == 12
    pace.learn(10.0)
    assert pace.steps == 2


def test_stopped_before_it_begins_there_is_still_a_certified_model() -> None:
    outcome = train(Request(**PLAIN), clouds(), stopped=lambda: True)
    assert (outcome.document["ending"], outcome.document["iterations"]) == ("stopped", 0)
    assert outcome.document["certificate"]["dual"] == 0.0
    assert verify(outcome.trained, clouds()).holds


def test_every_slice_is_reported() -> None:
    seen: list[Sample] = []
    outcome = train(Request(solver="smo", **PLAIN), clouds(), report=lambda session, sample: seen.append(sample))
    assert seen[-1].iteration == outcome.document["iterations"]
    assert [sample.iteration for sample in seen] == sorted({sample.iteration for sample in seen})


def test_what_cannot_be_trained_is_refused() -> None:
    one = clouds().take(np.arange(0, 60, 3))
    with pytest.raises(InputError, match="only one class is left to train on, 'c0'"):
        train(Request(), one)
    with pytest.raises(InputError, match="no solver"):
        train(Request(solver="x"), clouds())


# -- beside it ------------------------------------------------------------------------------------


def samples(gaps: list[float], violations: list[float]) -> list[Sample]:
    rows = enumerate(zip(gaps, violations, strict=True))
    return [Sample(i, float(i), 0.0, gap, violation, 0, 0) for i, (gap, violation) in rows]


def test_time_left_follows_the_gap() -> None:
    falling = samples([2.0**-i for i in range(20)], [2.0**-i for i in range(20)])
    assert seconds_left(falling, tol=2.0**-25) == pytest.approx(6.0)
    assert seconds_left(falling, tol=1.0) == 0.0
    linear = samples([100.0 - 4 * i for i in range(20)], [1.0] * 20)
    assert seconds_left(linear, tol=1e-3, parts=10) == pytest.approx(24 / 4)
    assert seconds_left(samples([1.0] * 20, [1.0] * 20), tol=1e-3) is None
    assert seconds_left(falling[:2], tol=1e-3) is None


def test_scores() -> None:
    scores = evaluate(["a", "a", "b", "z"], ["a", "b", "b", "a"], ["a", "b", "z"])
    assert scores.accuracy == 0.5
    assert scores.confusion.tolist() == [[1, 1, 0], [0, 1, 0], [1, 0, 0]]
    assert [score.recall for score in scores.per_class] == [0.5, 1.0, 0.0]
    assert scores.balanced_accuracy == pytest.approx(0.5)
    assert evaluate(["a", "a"], ["a", "a"], ["a", "b"]).kappa == 1.0


def test_spellings() -> None:
    names = ("1", "x", "True")
    labels = np.array(["+1", "1.0", "x", "X", "true", "2"], dtype=object)
    assert in_training_spelling(names, labels).tolist() == ["1", "1", "x", "X", "True", "2"]
    assert in_training_spelling(("1", "1.0"), np.array(["+1", "1.0"], dtype=object)).tolist() == ["+1", "1.0"]


def test_a_model_without_the_time_for_a_certificate_says_so_and_is_not_verified(tmp_path: Path) -> None:
    data = clouds(90, 4)
    session = Session(Request(gamma=0.7, holdout=0.3), data)
    session.advance()
    session.stop()
    outcome = session.finish(seconds_left=lambda: 0.0)
    found = outcome.document
    assert (found["certified"], found["train_accuracy"], found["test_accuracy"], found["n_test"]) == (
        False,
        *[None] * 3,
    )
    assert "without a certificate" in str(outcome.notices[-1].sentence)
    model_file.save(tmp_path / "m.mcsvm", outcome.trained)
    kept = model_file.load(tmp_path / "m.mcsvm")
    assert not kept.origin.certified
    np.testing.assert_array_equal(kept.decide(data), outcome.trained.decide(data))
    with pytest.raises(InputError, match="no certificate that could be verified"):
        verify(kept, data)


@pytest.mark.parametrize("machine", ["ww", "ovo"])
def test_what_there_is_no_time_to_score_is_not_scored(machine: str) -> None:
    """The certificate of a training that has converged is there; only scores of other rows take time."""
    outcome = train(Request(machine=machine, gamma=0.7, holdout=0.3), clouds(90, 4), seconds_left=lambda: 1e-9)
    found = outcome.document
    assert (found["certified"], found["ending"]) == (True, "converged")
    assert (found["test_accuracy"], found["n_test"]) == (None, None)
    assert any("test rows was not measured" in str(notice.sentence) for notice in outcome.notices)
    assert (found["train_accuracy"] is None) == (machine == "ovo")  # that of ww comes with the certificate
