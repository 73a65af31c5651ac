"""Trainings and other work in threads: commands go in, facts come out, nothing leaks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QThread

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base import resources
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import Session, train
from mcsvm_gui.core.machine.state import JobState
from mcsvm_gui.ui.threads import thread as threads
from mcsvm_gui.ui.threads.job import Failed
from mcsvm_gui.ui.threads.queue import JobQueue
from mcsvm_gui.ui.threads.tasks import Tasks
from mcsvm_gui.ui.threads.training import Checkpointed, FoldsDone, Read, Sampled, StoppedModel, Trained, Training

MACHINES = "ww", "llw", "cs", "ova", "ovo", "dag"
LONG = Request(machine="llw", solver="smo", C=1000.0, gamma=0.01, tol=1e-9)  # minutes, if nobody stops it


@pytest.fixture(scope="module")
def iris() -> Any:
    return open_dataset(resources.dataset("iris"))


class Ear:
    """All that a queue says, in order."""

    def __init__(self, queue: JobQueue) -> None:
        self.heard: list[tuple[int, Any]] = []
        self.thread = QThread.currentThread()
        queue.told.connect(self._hear)

    def _hear(self, number: int, facts: list[Any]) -> None:
        assert QThread.currentThread() is self.thread
        self.heard += [(number, fact) for fact in facts]

    def of(self, kind: type, number: int = 1) -> list[Any]:
        """What facts of this kind hold; states are facts of their own."""
        found = [fact for heard, fact in self.heard if heard == number and isinstance(fact, kind)]
        return [fact if kind is JobState else next(iter(vars(fact).values())) for fact in found]


@pytest.fixture
def queue(qapp: QCoreApplication) -> Iterator[JobQueue]:
    queue = JobQueue(limit=2)
    yield queue
    assert queue.shut_down(20_000)
    QCoreApplication.processEvents()


def states(ear: Ear, number: int = 1) -> list[str]:
    return [state.value for state in ear.of(JobState, number)]


def until_active(qtbot: Any, ear: Ear, number: int = 1, count: int = 2) -> None:
    qtbot.waitUntil(lambda: len(ear.of(Sampled, number)) >= count, timeout=30_000)


@pytest.mark.parametrize("machine", MACHINES)
def test_the_outcome_is_that_of_a_training_without_threads(
    qtbot: Any, queue: JobQueue, iris: Any, machine: str
) -> None:
    ear, request = Ear(queue), Request(machine=machine, gamma=0.5, holdout=0.3)
    queue.submit(Training(1, request, iris))
    qtbot.waitUntil(lambda: bool(ear.of(Trained)), timeout=60_000)
    assert states(ear) == ["queued", "preparing", "running", "certifying", "done"]
    found, expected = ear.of(Trained)[0].document, train(request, iris).document
    assert {**found, "seconds": 0} == {**expected, "seconds": 0}
    assert ear.of(Sampled)[-1].iteration == found["iterations"]


def test_a_stopped_job_is_kept_at_once_and_certified_after(qtbot: Any, queue: JobQueue, iris: Any) -> None:
    ear = Ear(queue)
    queue.submit(Training(1, LONG, iris))
    until_active(qtbot, ear)
    queue.stop(1)
    qtbot.waitUntil(lambda: bool(ear.of(Trained)), timeout=30_000)
    kept, outcome = ear.of(StoppedModel)[0], ear.of(Trained)[0]
    assert states(ear)[-3:] == ["stopping", "certifying", "done"]
    assert outcome.document["ending"] == "stopped"
    np.testing.assert_allclose(kept.certificate.dual, outcome.trained.certificate.dual, rtol=1e-4)
    assert (kept.decide(iris) == outcome.trained.decide(iris)).mean() > 0.98
    reading = ear.of(Read)[-1] if ear.of(Read) else None
    assert reading is None or reading.train_accuracy > 0.3


def test_a_paused_job_rests_and_goes_on(qtbot: Any, queue: JobQueue, iris: Any) -> None:
    ear = Ear(queue)
    queue.submit(Training(1, LONG, iris))
    until_active(qtbot, ear)
    queue.pause(1)
    qtbot.waitUntil(lambda: states(ear)[-1] == "paused", timeout=5_000)
    count = len(ear.of(Sampled))
    qtbot.wait(150)
    assert len(ear.of(Sampled)) == count
    queue.resume(1)
    until_active(qtbot, ear, count=count + 2)
    assert states(ear)[-1] == "running"
    queue.pause(1)
    queue.discard(1)
    qtbot.waitUntil(lambda: states(ear)[-1] == "discarded", timeout=5_000)
    assert not ear.of(Trained)


def test_a_job_is_discarded_in_the_middle_of_its_certificate(
    qtbot: Any, queue: JobQueue, iris: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def endless(self: Session, look: Callable[[], object]) -> None:
        while True:
            look()
            time.sleep(0.01)

    monkeypatch.setattr(Session, "finish", endless)
    ear = Ear(queue)
    queue.submit(Training(1, Request(gamma=0.5), iris))
    qtbot.waitUntil(lambda: bool(states(ear)) and states(ear)[-1] == "certifying", timeout=30_000)
    queue.discard(1)
    qtbot.waitUntil(lambda: states(ear)[-1] == "discarded", timeout=5_000)
    assert not ear.of(Trained)


CALIBRATED = Request(machine="llw", C=100.0, gamma=0.5, calibrate="temperature", calibration_folds=50)


def until_folds(qtbot: Any, ear: Ear, count: int = 1) -> None:
    qtbot.waitUntil(lambda: max(ear.of(FoldsDone), default=0) >= count, timeout=60_000)


@pytest.mark.slow
def test_probabilities_are_a_phase_of_the_job_that_can_be_paused(qtbot: Any, queue: JobQueue, iris: Any) -> None:
    ear = Ear(queue)
    queue.submit(Training(1, CALIBRATED, iris))
    until_folds(qtbot, ear)
    queue.pause(1)
    qtbot.waitUntil(lambda: states(ear)[-1] == "paused", timeout=20_000)
    count = len(ear.of(FoldsDone))
    qtbot.wait(300)
    assert len(ear.of(FoldsDone)) == count < 51
    queue.resume(1)
    qtbot.waitUntil(lambda: bool(ear.of(Trained)), timeout=60_000)
    phases = ["running", "calibrating", "paused", "calibrating", "certifying", "done"]
    assert states(ear)[2:] == phases
    assert ear.of(FoldsDone) == list(range(51))
    found, expected = ear.of(Trained)[0].document, train(CALIBRATED, iris).document
    assert {**found["calibration"], "seconds": 0} == {**expected["calibration"], "seconds": 0}


def test_a_stop_while_probabilities_are_fitted_keeps_the_trained_model(qtbot: Any, queue: JobQueue, iris: Any) -> None:
    ear = Ear(queue)
    queue.submit(Training(1, CALIBRATED, iris))
    until_folds(qtbot, ear)
    queue.stop(1)
    qtbot.waitUntil(lambda: bool(ear.of(Trained)), timeout=30_000)
    outcome = ear.of(Trained)[0]
    assert states(ear)[-4:] == ["calibrating", "stopping", "certifying", "done"]
    assert (outcome.document["ending"], outcome.trained.calibrated) == ("converged", None)
    assert max(ear.of(FoldsDone)) < 50
    assert any("probabilities" in warning for warning in outcome.document["warnings"])


def test_a_job_can_be_discarded_while_probabilities_are_fitted(qtbot: Any, queue: JobQueue, iris: Any) -> None:
    ear = Ear(queue)
    queue.submit(Training(1, CALIBRATED, iris))
    until_folds(qtbot, ear)
    queue.discard(1)
    qtbot.waitUntil(lambda: states(ear)[-1] == "discarded", timeout=20_000)
    assert not ear.of(Trained)


def test_no_more_jobs_than_allowed_run_at_once_and_all_get_their_turn(qtbot: Any, queue: JobQueue, iris: Any) -> None:
    ear, running, most = Ear(queue), set(), 0

    def count(number: int, facts: list[Any]) -> None:
        nonlocal most
        for state in (fact for fact in facts if isinstance(fact, JobState)):
            busy = state in (JobState.PREPARING, JobState.RUNNING, JobState.CERTIFYING)
            running.add(number) if busy else running.discard(number)
            most = max(most, len(running))

    rests: list[int] = []
    queue.rested.connect(lambda: rests.append(len(ear.of(Trained, 7))))
    queue.told.connect(count)
    for number in range(1, 8):
        queue.submit(Training(number, Request(seed=number, holdout=0.3), iris))
    qtbot.waitUntil(lambda: not queue.active(), timeout=60_000)
    assert most == 2
    assert all(ear.of(Trained, number) for number in range(1, 8))
    qtbot.waitUntil(lambda: bool(rests))
    assert rests == [1]  # once, after the last


def test_a_job_that_waits_can_be_discarded_and_a_larger_limit_lets_it_begin(
    qtbot: Any, queue: JobQueue, iris: Any
) -> None:
    ear, queue.limit = Ear(queue), 1
    for number in (1, 2, 3):
        queue.submit(Training(number, LONG, iris))
    until_active(qtbot, ear)
    queue.stop(2)
    assert states(ear, 2) == ["queued", "discarded"]
    queue.limit = 2
    until_active(qtbot, ear, 3)
    assert queue.active() == [1, 3]
    queue.stop_all()
    qtbot.waitUntil(lambda: not queue.active(), timeout=20_000)
    assert [bool(ear.of(Trained, number)) for number in (1, 2, 3)] == [True, False, True]


def test_what_fails_says_so_in_a_sentence(qtbot: Any, queue: JobQueue, iris: Any) -> None:
    ear = Ear(queue)
    queue.submit(Training(1, Request(machine="nonsense"), iris))
    qtbot.waitUntil(lambda: bool(ear.of(Failed)), timeout=20_000)
    assert ear.of(Failed)[0].startswith("There is no machine 'nonsense'")
    assert queue.state(1) is JobState.FAILED
    assert not queue.active()


@pytest.mark.slow
def test_a_job_goes_on_from_its_checkpoint(
    qtbot: Any, queue: JobQueue, iris: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcsvm_gui.ui.threads.training.BETWEEN_CHECKPOINTS", 0.05)
    ear = Ear(queue)
    queue.submit(Training(1, LONG, iris))
    qtbot.waitUntil(lambda: len(ear.of(Checkpointed)) >= 2, timeout=20_000)
    queue.discard(1)
    qtbot.waitUntil(lambda: not queue.active(), timeout=5_000)
    reached = [sample.iteration for sample in ear.of(Sampled)]
    queue.submit(Training(2, LONG, iris, checkpoint=bytes(ear.of(Checkpointed)[-1])))
    until_active(qtbot, ear, 2, count=1)
    assert ear.of(Sampled, 2)[0].iteration > reached[0]
    queue.stop(2)
    qtbot.waitUntil(lambda: not queue.active(), timeout=20_000)
    assert ear.of(Trained, 2)[0].document["iterations"] >= ear.of(Sampled, 2)[0].iteration


def test_a_run_that_was_cut_short_ends_with_the_numbers_of_one_that_was_not(
    qtbot: Any, queue: JobQueue, iris: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcsvm_gui.ui.threads.training.BETWEEN_CHECKPOINTS", 0.0)
    monkeypatch.setattr("mcsvm_gui.ui.threads.training.CHECKPOINT_SHARE", 1.0)
    request = Request(machine="llw", solver="smo", C=100.0, gamma=0.1, tol=1e-3)
    ear = Ear(queue)
    queue.submit(Training(1, request, iris))
    qtbot.waitUntil(lambda: len(ear.of(Checkpointed)) >= 2, timeout=20_000)
    queue.discard(1)
    qtbot.waitUntil(lambda: not queue.active(), timeout=5_000)
    queue.submit(Training(2, request, iris, checkpoint=bytes(ear.of(Checkpointed)[1])))
    qtbot.waitUntil(lambda: bool(ear.of(Trained, 2)), timeout=60_000)
    assert ear.of(Sampled, 2)[0].iteration > 0
    found, expected = ear.of(Trained, 2)[0].document, train(request, iris).document
    assert {**found, "seconds": 0} == {**expected, "seconds": 0}


def test_nothing_begins_after_the_end(qtbot: Any, iris: Any) -> None:
    queue = JobQueue(limit=1)
    ear = Ear(queue)
    queue.submit(Training(1, LONG, iris))
    queue.submit(Training(2, LONG, iris))
    assert queue.shut_down(20_000)
    queue.submit(Training(3, LONG, iris))
    queue.limit = 9
    assert states(ear, 3) == ["queued", "discarded"]
    assert "discarded" not in states(ear, 1) + states(ear, 2), "the next start goes on with them"
    assert not [thread for thread in threads.running() if isinstance(thread, Training)]


def test_the_end_does_not_wait_for_those_that_rest(qtbot: Any, iris: Any) -> None:
    queue = JobQueue()
    ear = Ear(queue)
    queue.submit(Training(1, LONG, iris))
    until_active(qtbot, ear)
    queue.pause(1)
    qtbot.waitUntil(lambda: states(ear)[-1] == "paused", timeout=5_000)
    assert queue.shut_down(5_000)


# -- tasks ----------------------------------------------------------------------------------------


@pytest.fixture
def tasks(qapp: QCoreApplication) -> Iterator[Tasks]:
    tasks = Tasks()
    yield tasks
    assert tasks.shut_down(5_000)
    QCoreApplication.processEvents()


def test_a_task_answers_in_the_windows_thread(qtbot: Any, tasks: Tasks) -> None:
    answers: list[tuple[int, bool]] = []
    tasks.start(threading.get_ident, lambda where: answers.append((where, threading.get_ident() == here)))
    here = threading.get_ident()
    assert tasks.busy
    qtbot.waitUntil(lambda: not tasks.busy, timeout=5_000)
    assert answers[0][1]
    assert answers[0][0] != here


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (InputError("a.csv:3: too short"), "a.csv:3: too short"),
        (FileNotFoundError(2, "No such file or directory", "a.csv"), "a.csv: No such file or directory"),
        (MemoryError(), "There is not enough memory for this; take fewer rows, or a smaller kernel cache."),
    ],
)
def test_a_task_that_fails_says_why(qtbot: Any, tasks: Tasks, error: Exception, sentence: str) -> None:
    def fail() -> None:
        raise error

    said: list[str] = []
    tasks.start(fail, lambda answer: said.append("done"), said.append)
    qtbot.waitUntil(lambda: bool(said), timeout=5_000)
    assert said == [sentence]


def test_the_answer_of_a_cancelled_task_is_dropped(qtbot: Any, tasks: Tasks) -> None:
    said: list[str] = []
    ticket = tasks.start(lambda: time.sleep(0.05), lambda answer: said.append("done"), said.append)
    ticket.cancel()
    qtbot.waitUntil(lambda: not tasks.busy, timeout=5_000)
    assert said == []


def test_nothing_is_begun_after_the_end_and_nobody_is_answered(qtbot: Any) -> None:
    tasks, done = Tasks(), []
    tasks.start(lambda: time.sleep(0.05), lambda answer: done.append("before"))
    assert tasks.shut_down(5_000)
    ran = threading.Event()
    ticket = tasks.start(ran.set, lambda answer: done.append("after"), done.append)
    assert not ticket.wanted
    qtbot.waitUntil(lambda: not tasks.busy, timeout=5_000)
    qtbot.wait(50)
    assert not ran.is_set()
    assert done == []


def test_the_end_says_when_a_task_goes_on(qtbot: Any, tasks: Tasks) -> None:
    may_end = threading.Event()
    tasks.start(may_end.wait, lambda answer: None)
    assert not tasks.shut_down(50)
    may_end.set()
