"""A training with rows on the workers of a cluster; it has the interface of a Session (core/machine/session.py)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from mcsvm.solvers.partitioned.run import PartitionedRun
from mcsvm.solvers.run.loop import Look
from mcsvm.solvers.run.trace import Sample
from mcsvm.solvers.work import LOOK_SECONDS, limited
from mcsvm_gui.core.base import hardware
from mcsvm_gui.core.cluster.connection import Connection
from mcsvm_gui.core.cluster.posing import PosedParts, asked_again, check, pose_parts
from mcsvm_gui.core.data.dataset import Dataset, Notice
from mcsvm_gui.core.data.row_source import RowSource, concatenate
from mcsvm_gui.core.machine.live import SOONEST, Reading
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import Outcome, Session, document, limits_of, score
from mcsvm_gui.core.machine.sources import test_of
from mcsvm_gui.core.machine.trained import Duals, Origin, TrainedModel, Weighing, unlearned_columns, versions

SOLVER = "rounds"


class ClusterSession:
    """`test`: test rows, from a file that this computer reads.

    A separate thread computes the rounds, so that a stop is noticed within LOOK_SECONDS, however long a round takes.
    The current round ends first, and the certificate follows it.
    """

    calibrating = False  # refused, because it needs folds of all rows
    continuable = False  # a session on a cluster writes no checkpoints

    def __init__(self, request: Request, connection: Connection, test: Dataset | None = None) -> None:
        self.posed: PosedParts = pose_parts(request, connection)
        empty = self.posed.facts.empty
        self.request = replace(request, digest=empty.digest)
        self.test = test_of(request, empty) if test is None else test
        if self.test is not None:
            self.posed.preparation.apply(self.test)
        with limited(request.threads):
            self.run = PartitionedRun(self.posed.settled.terms, self.posed.partitions, limits_of(request))
        self._read, self._read_rounds = 0.0, 0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="rounds")
        self._round: Future[Sample] | None = None  # the current round
        self._stopped = False

    @property
    def running(self) -> bool:
        return self.run.running and not self._stopped

    @property
    def parts(self) -> int:
        return self.run.parts

    @property
    def gap_goal(self) -> float | None:
        return self.request.gap_tol

    def sample(self) -> Sample:
        return self.run.last

    def advance(self, look: Look | None = None) -> Sample:
        """Compute a round, or as much of it as LOOK_SECONDS allow; the next call continues it.

        It returns so soon that `look`, which a Session calls within a slice, is not needed.
        """
        if self._round is None:
            self._round = self._thread.submit(self._make_round)
        wait([self._round], timeout=LOOK_SECONDS)
        if self._round.done():
            self._end_round()
        return self.run.last

    def _make_round(self) -> Sample:
        with limited(self.request.threads):
            return self.run.advance()

    def _end_round(self) -> None:
        """Wait for the current round, and raise its error if it failed."""
        if self._round is not None:
            ended, self._round = self._round, None
            ended.result()

    def stop(self) -> None:
        self._stopped = True

    def read(self) -> Reading | None:
        """Return a reading from the last round's counts over all rows, without another pass over them."""
        if time.perf_counter() - self._read < SOONEST or self.run.rounds == self._read_rounds:
            return None
        self._read, self._read_rounds = time.perf_counter(), self.run.rounds
        support, right, total = self.run.counted
        accuracy = right / total if total else float("nan")
        per_class = tuple(support.tolist())
        return Reading(self.run.iterations, self.run.seconds, accuracy, float("nan"), per_class)

    def calibrate(self, *_: object) -> None:
        """Do nothing: there is no calibration."""

    def checkpoint(self) -> None:
        """Return None: there is no checkpoint, because rows and functions are on the workers."""

    def standing(self) -> None:
        """Return None: there is no model before the support vectors have arrived."""

    def finish(self, *_: object) -> Outcome:
        """Return the model, its scores, and its certificate, which all workers recompute in float64."""
        run = self.run
        self._end_round()
        if self._stopped:
            run.stop()
        with limited(self.request.threads):
            run.finish()
            model = run.model()
            accuracy = run.train_accuracy(model)
        trained = TrainedModel(
            model=model,
            class_names=self.posed.names,
            preparation=self.posed.preparation,
            request=self.request,
            label_name=self.posed.facts.empty.label_name,
            origin=self._origin(),
            duals=_duals(run),
            weighing=self._weighing(),
            rows=self._row_source(),
            unlearned=unlearned_columns(self.posed.facts.empty),
        )
        test_accuracy, count, said = self._tested(trained)
        notices = (*self.posed.notices, *said)
        scores = {"train_accuracy": accuracy, "test_accuracy": test_accuracy, "n_test": count}
        return Outcome(
            trained, {**document(trained, scores, notices), "cluster": self._travelled()}, run.trace, notices
        )

    def _row_source(self) -> RowSource:
        """Return the files and numbers of all rows that are trained on, in the order of the dual variables."""
        return concatenate(asked_again(lambda: self.posed.partitions.ask_all("row_source")))

    def _tested(self, trained: TrainedModel) -> tuple[float | None, int | None, tuple[Notice, ...]]:
        """Return the test accuracy, the number of test rows and notices, for held-out rows or the test file."""
        if self.request.holdout is not None:
            answers = asked_again(lambda: self.posed.partitions.ask_all("tested", trained))
            right, total, count = (sum(getattr(one, name) for one in answers) for name in ("right", "total", "rows"))
            return right / total, count, tuple(dict.fromkeys(notice for one in answers for notice in one.notices))
        if self.test is None:
            return None, None, ()
        accuracy, count, notices = score(trained, self.test)
        return accuracy, count, (*self.test.notices, *notices)

    def _travelled(self) -> dict[str, Any]:
        """Return the sizes of the parts and the transferred bytes."""
        partitions = self.posed.partitions
        return {
            "parts": self.run.sizes,
            "rounds": self.run.rounds,
            "lost": partitions.lost,
            "bytes_sent": partitions.sent,
            "bytes_received": partitions.received,
            "bytes_per_round": partitions.per_round,
        }

    def _origin(self) -> Origin:
        run, facts = self.run, self.posed.facts
        assert run.ending is not None, "finish comes after the end"
        return Origin(
            solver=SOLVER,
            ending=run.ending,
            certificate=run.certificate(),
            iterations=run.iterations,
            kernel_evaluations=run.kernel_evaluations,
            seconds=run.seconds,
            n_train=facts.rows,
            class_counts=tuple(facts.counts[name] for name in self.posed.names),
            n_bounded=run.count_bounded(),
            digest=facts.empty.digest,
            versions=versions(),
            system=hardware.system(),
            processor=hardware.processor(),
            decisions=tuple(run.decisions),
        )

    def _weighing(self) -> Weighing | None:
        empty = self.posed.facts.empty
        if empty.weight_name is None:
            return None
        return Weighing(empty.weight_name, self.posed.facts.weight, empty.weightless)


def _duals(run: PartitionedRun) -> Duals:
    found = run.duals()
    counts = [0, *(rows.size for rows, _ in found)]
    rows, alpha = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return Duals(np.cumsum(counts), rows.astype(np.int64), alpha)


AnySession = Session | ClusterSession


@contextmanager
def session_of(
    request: Request,
    dataset: Dataset | None,
    test: Dataset | None = None,
    checkpoint: bytes | None = None,
    start: Duals | None = None,
) -> Iterator[AnySession]:
    """Open a session on this computer, or on the cluster that the request names; a cluster ignores `dataset`."""
    if request.scheduler is None:
        assert dataset is not None
        yield Session(request, dataset, test, checkpoint, start)
        return
    check(request)
    with Connection(request.scheduler) as connection:
        yield ClusterSession(request, connection, test)


def train_on_cluster(
    request: Request,
    report: Callable[[ClusterSession, Sample], object],
    stopped: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Run a whole training; `stopped` is checked between rounds."""
    assert request.scheduler is not None
    check(request)
    with Connection(request.scheduler, stopped) as connection:
        session = ClusterSession(request, connection)
        connection.heed(lambda: False)  # a stop keeps the result so far, so the workers must still answer
        while session.running:
            if stopped():
                session.stop()
                break
            report(session, session.advance())
        return session.finish()
