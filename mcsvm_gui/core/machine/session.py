"""A training, slice by slice. It has no thread of its own: the owner calls `advance` and may call `stop` between
slices."""

from __future__ import annotations

import io
import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from mcsvm.solvers.decision import final_reasons
from mcsvm.solvers.dual.certificate import Certificate, Proof
from mcsvm.solvers.errors import InputError, Sentence
from mcsvm.solvers.interrupt import unless
from mcsvm.solvers.model import Model, decide
from mcsvm.solvers.problem import Problem, default_bias
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.limits import Limits
from mcsvm.solvers.run.loop import Look, Run
from mcsvm.solvers.run.trace import Sample, Trace
from mcsvm.solvers.work import limited
from mcsvm_gui.core.base import hardware
from mcsvm_gui.core.base.options import differing
from mcsvm_gui.core.data.dataset import Dataset, Notice
from mcsvm_gui.core.data.spellings import in_training_spelling
from mcsvm_gui.core.machine.calibration import FoldsDone, OutOfFold
from mcsvm_gui.core.machine.checkpoint_file import Checkpoint
from mcsvm_gui.core.machine.live import Reading, Watch
from mcsvm_gui.core.machine.posing import Posed, parameters, pose_request
from mcsvm_gui.core.machine.request import Request, TestedModel
from mcsvm_gui.core.machine.trained import (
    Calibrated,
    Duals,
    Origin,
    TrainedModel,
    Weighing,
    accuracy,
    unlearned_columns,
    unseen_classes,
    versions,
)

BEFORE_THE_END = Ending.STOPPED, Ending.STEP_LIMIT, Ending.TIME_LIMIT  # endings from which a checkpoint can continue
SLICE_SECONDS = 0.04  # so that a stop takes effect soon
SLICE_STEPS = 64  # of the first slice
FEWEST, MOST = 2, 65_536  # steps of a slice
MOST_SCORED_VALUES = 2e9  # kernel values for the accuracy of the training rows: 15 ns each on one thread
FEWEST_SCORED_ROWS = 10_000  # rows scored at least, if there are more: the standard error is at most half a point
SCORING_PRICE = 25e-9  # seconds per kernel value of a scored row, on one thread; 20 ns for 133 features
SecondsLeft = Callable[[], float]  # until certificates and scores are skipped


class SliceLength:
    """The number of steps of the next slice, from the duration of the last one."""

    def __init__(self) -> None:
        self.steps = SLICE_STEPS

    def learn(self, seconds: float) -> None:
        if seconds < 0.5 * SLICE_SECONDS:
            self.steps = min(2 * self.steps, MOST)
        elif seconds > SLICE_SECONDS:
            self.steps = max(int(self.steps * SLICE_SECONDS / seconds), FEWEST)


@dataclass(frozen=True, eq=False)
class Outcome:
    """The result of a training."""

    trained: TrainedModel
    document: dict[str, Any]  # as `mcsvm train --json` prints it
    trace: Trace
    notices: tuple[Notice, ...]
    checkpoint: Checkpoint | None = None  # to continue from, if the training was stopped or reached a limit


class Session:
    """One training of one request: call `advance` while `running`, then `finish`.

    `checkpoint` is a result of `checkpoint()` to continue from. `start` are initial dual variables instead of 0.
    """

    def __init__(
        self,
        request: Request,
        dataset: Dataset,
        test: Dataset | None = None,
        checkpoint: bytes | None = None,
        start: Duals | None = None,
    ) -> None:
        self.request, self.dataset = request, dataset
        limits = limits_of(request)
        with limited(request.threads):
            self.posed: Posed = pose_request(request, dataset)
            self.run = _begin(self.posed, request, limits, checkpoint, start)
        self.test = self.posed.held_out if test is None else test
        if test is not None:  # report an unusable test file before the training, not after it
            self.posed.preparation.apply(test)
        self._rule = None if request.costs is None else request.costs.rule(self.posed.class_names)
        self._out_of_fold: OutOfFold | None = None
        if request.calibrate != "none":
            self._out_of_fold = OutOfFold(request, self.posed, limits, dataset.name)
        self.calibrated: Calibrated | None = None
        self._pace = SliceLength()
        self._begun = False
        self._watch: Watch | None = None

    @property
    def running(self) -> bool:
        return self.run.running

    @property
    def parts(self) -> int:
        """The number of independent parts."""
        return self.posed.problem.part_count

    @property
    def gap_goal(self) -> float | None:
        return self.run.gap_goal

    def sample(self) -> Sample:
        return self.run.sample()

    def advance(self, look: Look | None = None) -> Sample:
        """Train for a slice, and return a sample; `look` is called within it, as in `Run.advance`."""
        began = time.perf_counter()
        with limited(self.request.threads):
            sample = self.run.advance(self._pace.steps, look)
        if self._begun:  # the first slice may compile
            self._pace.learn(time.perf_counter() - began)
        self._begun = True
        return sample

    def stop(self) -> None:
        """Stop the training and keep the current model."""
        self.run.stop()

    def read(self) -> Reading | None:
        """Return the current accuracies if a reading is due, otherwise None."""
        if self._watch is None:
            self._watch = Watch(self.posed, self.test)
        if not self._watch.due():
            return None
        with limited(self.request.threads):
            return self._watch.read(self.run)

    @property
    def calibrating(self) -> bool:
        """Whether `calibrate` must precede `finish`: not if the training was stopped."""
        wanted = self._out_of_fold is not None and self.calibrated is None
        return wanted and not self.running and self.run.ending is not Ending.STOPPED

    def calibrate(
        self, report: FoldsDone = lambda done, folds: None, stopped: Callable[[], bool] = lambda: False
    ) -> None:
        """Fit probabilities to out-of-fold scores if the request has a calibration; after a stop there is no
        calibration."""
        if self._out_of_fold is not None and self.calibrating:
            report(0, self.request.calibration_folds)
            with limited(self.request.threads):
                self.calibrated = self._out_of_fold.fit(report, stopped)

    @property
    def continuable(self) -> bool:
        """Whether the training ended early or was stopped, so that its checkpoint should be saved."""
        return self.run.ending in BEFORE_THE_END or (not self.running and self.calibrating)

    def checkpoint(self) -> bytes:
        return self.run.pack()

    def take_checkpoint(self) -> Checkpoint:
        """Return the point that the training has reached, for a file next to its model."""
        return Checkpoint(self.request, self.run.iterations, self.run.ending, self.checkpoint())

    def standing(self) -> TrainedModel:
        """Return the model of a stop at once; its certificate has the running numbers and is not recomputed."""
        with limited(self.request.threads):
            last = self.run.sample()
            certificate = Certificate(last.primal, last.dual, last.violation, 0.0)
            return self._make_trained(self.run.running_model(), certificate, last.bounded, certified=False)

    def finish(
        self, certifying: Callable[[], object] = lambda: None, seconds_left: SecondsLeft = lambda: math.inf
    ) -> Outcome:
        """Return the model with its certificate, recomputed in float64, and its scores.

        `certifying` is called between chunks of the certificate; its exceptions end the training without a model. If
        `seconds_left` run out, the model is returned in its current state, without a certificate and without scores
        that would take longer.
        """
        with limited(self.request.threads):
            proofs = self._prove(certifying, seconds_left)
            if proofs is None:
                return self._end_without_certificate()
            trained = self._make_trained(
                self.run.model(proofs), self.run.certificate(proofs), self.run.sample().bounded
            )
        scores, notices = self._scores(trained, proofs, seconds_left)
        notices = (*self.posed.notices, *self._uncalibrated(), *notices)
        return Outcome(trained, document(trained, scores, notices), self.run.trace, notices)

    def _prove(self, certifying: Callable[[], object], seconds_left: SecondsLeft) -> list[Proof] | None:
        """Compute the certificate; return None if the time runs out."""

        def out_of_time() -> bool:
            certifying()
            return seconds_left() <= 0.0

        return unless(out_of_time, self.run.proofs)

    def _end_without_certificate(self) -> Outcome:
        trained = self.standing()
        sentence = Sentence(
            "the time ran out before the certificate was computed: the model is kept without a certificate, and its"
            " accuracy was not measured"
        )
        notices = (*self.posed.notices, *self._uncalibrated(), Notice("no certificate", sentence))
        scores = {"train_accuracy": None, "test_accuracy": None, "n_test": None}
        return Outcome(trained, document(trained, scores, notices), self.run.trace, notices)

    def _uncalibrated(self) -> tuple[Notice, ...]:
        if self._out_of_fold is None or self.calibrated is not None:
            return ()
        sentence = Sentence("stopped before calibration was done: the model decides, but gives no probabilities")
        return (Notice("no probabilities", sentence),)

    def _make_trained(
        self, model: Model, certificate: Certificate, bounded: int, *, certified: bool = True
    ) -> TrainedModel:
        return TrainedModel(
            model=model,
            class_names=self.posed.class_names,
            preparation=self.posed.preparation,
            request=self.request,
            label_name=self.dataset.label_name,
            origin=replace(self._origin(certificate, bounded), certified=certified),
            duals=duals_of(self.run),
            calibrated=self.calibrated,
            weighing=Weighing.of(self.posed.train),
            rule=None if self.calibrated is None else self._rule,
            rows=self.posed.train.row_source,
            unlearned=unlearned_columns(self.dataset),
        )

    def _origin(self, certificate: Certificate, bounded: int) -> Origin:
        run, train = self.run, self.posed.train
        assert run.ending is not None, "finish comes after the end"
        return Origin(
            solver=run.solver_used,
            ending=run.ending,
            certificate=certificate,
            iterations=run.iterations,
            kernel_evaluations=run.kernel_evaluations,
            seconds=run.seconds,
            n_train=train.rows,
            class_counts=train.class_counts,
            n_bounded=bounded,
            digest=self.dataset.digest,
            versions=versions(),
            system=hardware.system(),
            processor=hardware.processor(),
            decisions=tuple(run.decisions),
        )

    def _scores(
        self, trained: TrainedModel, proofs: list[Proof], seconds_left: SecondsLeft
    ) -> tuple[dict[str, Any], tuple[Notice, ...]]:
        train_accuracy, sampled = self._train_accuracy(trained, proofs, seconds_left)
        test_accuracy: float | None = None
        count: int | None = None
        notices: tuple[Notice, ...] = ()
        if self.test is not None:
            if _scoring_seconds(trained, self.test.rows) < seconds_left():
                test_accuracy, count, notices = score(trained, self.test)
            else:
                notices = (
                    _unscored_notice(Sentence("the accuracy of the test rows was not measured: the time ran out")),
                )
        if self.test is not None and self.test is not self.posed.held_out:
            notices = (*self.test.notices, *notices)
        scores = {"train_accuracy": train_accuracy, "test_accuracy": test_accuracy, "n_test": count}
        return scores, (*sampled, *notices)

    def _train_accuracy(
        self, trained: TrainedModel, proofs: list[Proof], seconds_left: SecondsLeft
    ) -> tuple[float | None, tuple[Notice, ...]]:
        """Return the accuracy of the training rows, and notices.

        The certificate's class functions are reused if they exist: their kernel values are half of the work here.
        """
        problem, rows = self.posed.problem, self.posed.train
        if problem.machine.split == "pairs" or trained.rule is not None:
            step = sampling_step(rows.rows, trained.model.support.size)
            some = rows if step == 1 else rows.take(np.arange(0, rows.rows, step))
            if _scoring_seconds(trained, some.rows) >= seconds_left():
                sentence = Sentence("the accuracy of the training rows was not measured: the time ran out")
                return None, (_unscored_notice(sentence),)
            return score(trained, some)[0], () if step == 1 else (sampled_accuracy(some.rows, rows.rows),)
        begun = np.hstack([proof.products + proof.bias for proof in proofs])
        constant = trained.model.bias[begun.shape[1] :]
        values = np.hstack([begun, np.broadcast_to(constant, (len(begun), constant.size))])
        right = decide(problem.machine, values, problem.classes) == problem.labels
        return accuracy(right, rows.weights), ()


def _scoring_seconds(trained: TrainedModel, rows: int) -> float:
    return SCORING_PRICE * rows * trained.model.support.size


def _unscored_notice(sentence: Sentence) -> Notice:
    return Notice("not scored", sentence)


def sampling_step(rows: int, support: int) -> int:
    """Return the step between scored training rows: one row in that many is scored."""
    return max(1, min(math.ceil(rows * support / MOST_SCORED_VALUES), rows // FEWEST_SCORED_ROWS))


def sampled_accuracy(scored: int, rows: int) -> Notice:
    sentence = Sentence(
        "the accuracy of the training rows is measured on {scored} of the {rows}, evenly chosen",
        scored=scored,
        rows=rows,
    )
    return Notice("sampled accuracy", sentence)


def train(
    request: Request,
    dataset: Dataset,
    test: Dataset | None = None,
    report: Callable[[Session, Sample], object] | None = None,
    stopped: Callable[[], bool] = lambda: False,
    calibrating: FoldsDone = lambda done, folds: None,
    certifying: Callable[[], object] = lambda: None,
    seconds_left: SecondsLeft = lambda: math.inf,
    *,
    checkpoint: bytes | None = None,
    start: Duals | None = None,
    continuable: bool = False,
) -> Outcome:
    """Train in this thread; `stopped` is called between pieces, `certifying` and `seconds_left` are for `finish`.

    `checkpoint` and `start` are for the Session. With `continuable`, return a checkpoint of a training that has not
    ended.
    """
    session = Session(request, dataset, test, checkpoint, start)

    def look(sample: Sample) -> bool:
        if report is not None:
            report(session, sample)
        return stopped()

    while session.running:
        if stopped():
            session.stop()
            break
        look(session.advance(look))
    saved = session.take_checkpoint() if continuable and session.continuable else None
    session.calibrate(calibrating, stopped)
    outcome = session.finish(certifying, seconds_left)
    return replace(outcome, checkpoint=saved) if session.continuable else outcome


def _begin(posed: Posed, request: Request, limits: Limits, checkpoint: bytes | None, start: Duals | None) -> Run:
    if checkpoint is not None:
        return Run.load(posed.problem, io.BytesIO(checkpoint), request.solver, limits)
    alphas = None if start is None else [dense_duals(start, posed.problem, n) for n in range(posed.problem.part_count)]
    return Run(posed.problem, request.solver, limits, alphas, seed=request.seed)


def limits_of(request: Request) -> Limits:
    return Limits(
        tolerance=request.tol, gap_tolerance=request.gap_tol, steps=request.max_iter, seconds=request.time_limit
    )


def score(trained: TrainedModel, dataset: Dataset) -> tuple[float | None, int | None, tuple[Notice, ...]]:
    """Return the accuracy, the number of scored rows, and notices; None for both numbers without labels."""
    decisions = trained.predictions(dataset)
    if dataset.labels is None:
        notice = Notice(
            "no labels", Sentence("{name} has no class labels, so there is nothing to compare with", name=dataset.name)
        )
        return None, None, (*decisions.notices, notice)
    rows = decisions.decided
    true = in_training_spelling(trained.class_names, dataset.labels[rows])
    notices = (*decisions.notices, *unseen_classes(trained.class_names, true))
    if rows.size == 0:
        return None, 0, notices
    weights = None if dataset.weights is None else dataset.weights[rows]
    return accuracy(true == decisions.labels[rows], weights), int(rows.size), notices


def dense_duals(duals: Duals, problem: Problem, number: int) -> np.ndarray:
    """Return the dual variables of one part, (rows of the part, slots); raise InputError if they have other rows."""
    stored = slice(duals.parts[number], duals.parts[number + 1])
    rows = np.arange(len(problem))[problem.rows_of(number)]
    places = np.searchsorted(rows, duals.rows[stored])
    if not np.array_equal(rows[np.minimum(places, rows.size - 1)], duals.rows[stored]):
        raise InputError("the dual variables belong to other rows than the training data has")
    alpha = np.zeros((rows.size, problem.form.slots))
    alpha[places] = duals.alpha[stored]
    return alpha


def duals_of(run: Run) -> Duals:
    """Return the nonzero dual variables, part after part."""
    problem, rows, values, counts = run.problem, [], [], [0]
    for number, alpha in enumerate(run.alphas_begun()):
        where = problem.rows_of(number)
        where = np.arange(len(problem)) if isinstance(where, slice) else where
        used = np.flatnonzero(np.any(alpha != 0.0, axis=1))
        rows.append(where[used])
        values.append(np.ascontiguousarray(alpha[used]))
        counts.append(used.size)
    counts += [0] * (problem.part_count + 1 - len(counts))
    return Duals(np.cumsum(counts), np.concatenate(rows).astype(np.int64), np.concatenate(values))


def certificate_document(certificate: Certificate) -> dict[str, Any]:
    names = "primal", "dual", "gap", "relative_gap", "violation"
    numbers = {name: float(getattr(certificate, name)) for name in names}
    return {**numbers, "zero_within_rounding": certificate.is_zero}


def calibration_document(trained: TrainedModel) -> dict[str, Any] | None:
    """Return the entries of the calibration without the sigmoids, of which there may be thousands."""
    if trained.calibrated is None:
        return None
    entries = {name: value for name, value in trained.calibrated.document().items() if name != "sigmoids"}
    return {**entries, "seconds": trained.calibrated.seconds}


def _refit(tested: TestedModel | None, n_train: int) -> dict[str, Any]:
    """Return the scores of the model that was tested, if this one repeats its training on all rows."""
    if tested is None:
        return {}
    return {"test_accuracy": tested.test_accuracy, "n_test": tested.n_test, "refit": tested.report(n_train)}


def document(trained: TrainedModel, scores: dict[str, Any], notices: tuple[Notice, ...]) -> dict[str, Any]:
    """Return the train document of the contract, with the requested options that differ from the defaults."""
    request, origin, model = trained.request, trained.origin, trained.model
    cost = model.machine.problem_cost(model.classes, float(request.C))
    form_margin = model.machine.margin(model.classes) if request.margin is None else request.margin
    more = [(option, value) for option, value in differing(request) if option.train and not option.of_kernel]
    return {
        **{option.name: option.kind.plain(value) for option, value in more},
        "machine": model.machine.name,
        "solver": request.solver,
        "solver_used": origin.solver,
        "solver_reason": " ".join(final_reasons(request.solver, origin.decisions)),
        "decisions": [decision.document() for decision in origin.decisions],
        "kernel": {"name": model.kernel.name, **parameters(model.kernel)},
        "C": float(request.C),
        **({} if cost == request.C else {"machine_C": cost}),  # two classes: C is SVC's, this is the problem's
        "margin": float(form_margin),
        "bias": request.bias or default_bias(model.machine, model.kernel),
        "tol": float(request.tol),
        "seed": request.seed,
        "n_train": origin.n_train,
        "n_features": len(trained.preparation.columns),
        "n_classes": model.classes,
        "classes": list(trained.class_names),
        "class_counts": list(origin.class_counts),
        "ending": origin.ending.value,
        "iterations": origin.iterations,
        "kernel_evaluations": origin.kernel_evaluations,
        "seconds": origin.seconds,
        "certificate": certificate_document(origin.certificate),
        "certified": origin.certified,
        "n_support": int(model.support.size),
        "n_bounded": origin.n_bounded,
        "n_support_per_class": np.bincount(model.owners, minlength=model.classes).tolist(),
        **scores,
        **_refit(request.tested, origin.n_train),
        "calibration": calibration_document(trained),
        "weights": None if trained.weighing is None else asdict(trained.weighing),
        "rule": None if trained.rule is None else trained.rule.document(),
        "model": None,
        "warnings": [notice.sentence for notice in notices],
    }
