"""Check, part by part, that a model follows from its data, its request and its dual variables.

`rebuilding` rebuilds the model, `differences` compares every stored entry with it, `values` computes the scores of the
training rows from kernel and dual variables. Parts that cannot be recomputed are listed, never omitted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from mcsvm.solvers.dual.certificate import Certificate, seen_indefinite
from mcsvm.solvers.errors import InputError, Sentence
from mcsvm.solvers.jit.rounding import FEASIBLE
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.uncertainty.costs import REJECTED
from mcsvm.solvers.work import limited
from mcsvm_gui.core.base import hardware
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.preparation.rules import Rows
from mcsvm_gui.core.evaluate.verification.differences import Differences, differences, summarize_differences
from mcsvm_gui.core.evaluate.verification.parts import ModelPart, PartCheck, Status, in_order
from mcsvm_gui.core.evaluate.verification.rebuilding import RECOMPUTED, Rebuilt, can_recalibrate, rebuild
from mcsvm_gui.core.evaluate.verification.values import recompute_values
from mcsvm_gui.core.machine.command_line import command
from mcsvm_gui.core.machine.posing import parameters
from mcsvm_gui.core.machine.trained import RowOutputs, TrainedModel, versions

CERTIFIED = 1e-6  # largest difference of two certificates, as a share of the larger objective
NEARBY = 0.02  # largest difference of a probability that is fitted again on another processor
SURE = 1e-9  # largest difference of probabilities that are computed from the same scores
BARELY = 1.0 + 1e-6  # a violation up to this multiple of the tolerance counts as reaching it


@dataclass(frozen=True)
class Verification:
    """The result of `verify`. `checks`: one result for each part of the model."""

    checks: tuple[PartCheck, ...]
    stored: Certificate
    recomputed: Certificate
    ending: str  # from the recomputed numbers and the request's tolerance, not from the word in the file

    @property
    def converged(self) -> bool:
        return self.ending == Ending.CONVERGED.value

    @property
    def holds(self) -> bool:
        """Return whether nothing differs."""
        return not self.differing

    @property
    def differing(self) -> tuple[PartCheck, ...]:
        return tuple(check for check in self.checks if check.status is Status.DIFFERS)

    @property
    def unverifiable(self) -> tuple[PartCheck, ...]:
        return tuple(check for check in self.checks if check.status is Status.NOT_VERIFIABLE)


def verify(trained: TrainedModel, dataset: Dataset, *, recompute_calibration: bool = False) -> Verification:
    """Check the model on its training file, read as the request says.

    `recompute_calibration`: fit probabilities again also if there are more than RECOMPUTED training rows. Raises
    InputError if the file is not the training file, or if the model cannot belong to it at all.
    """
    if not _has_its_digest(trained, dataset):
        raise FileError(dataset.name, "this is not the file the model was trained on: its contents differ")
    if not trained.origin.certified:
        raise InputError(
            "the model has no certificate that could be verified: its training was ended before one was computed; train"
            " it again, and let it end"
        )
    recalibrate = can_recalibrate(trained) and (recompute_calibration or trained.origin.n_train <= RECOMPUTED)
    with limited(trained.request.threads), np.errstate(over="ignore", invalid="ignore"):
        rebuilt = rebuild(trained, dataset, recalibrate=recalibrate)
        seen = _behaviour(trained, rebuilt)
        differing = differences(trained, rebuilt.trained, seen.rounding)
    checks = [*_stored_parts(trained, rebuilt, differing), *_behaviour_checks(seen, len(rebuilt.posed.problem))]
    checks += _uncertainty_checks(trained, rebuilt, differing, seen)
    ended, ending = _check_ending(trained, rebuilt)
    checks += [_certificate(trained, rebuilt), ended, _request(trained), HISTORY]
    return Verification(in_order(checks), trained.certificate, rebuilt.trained.certificate, ending)


NO_DIGEST = Sentence(
    "The model was trained on arrays and has no digest of them. All other parts are compared with the given rows."
)


def _has_its_digest(trained: TrainedModel, dataset: Dataset) -> bool:
    """Return whether the digests of the model are those of the data; a model of arrays needs no digest."""
    stored = trained.origin.digest, trained.request.digest
    if stored == ("", None) and trained.request.rules.as_given:
        return True
    return stored[0] == dataset.digest and stored[1] in (None, dataset.digest)


# -- stored entries ---------------------------------------------------------------------------------


def _stored_parts(trained: TrainedModel, rebuilt: Rebuilt, differing: Differences) -> Iterator[PartCheck]:
    """Compare the parts whose entries have to equal those of the rebuilt model."""
    problem, again = rebuilt.posed.problem, rebuilt.trained
    kernel = ", ".join(f"{name} {value:.10g}" for name, value in parameters(again.model.kernel).items())
    infeasible = again.certificate.infeasibility
    feasible = infeasible <= FEASIBLE * float(problem.upper.sum())
    details = {
        ModelPart.DATA: Sentence("The digest of the file and the numbers of the training rows match the model."),
        ModelPart.CLASSES: Sentence(
            "The {classes} classes and their row counts are those of the file.", classes=problem.classes
        ),
        ModelPart.PREPROCESSING: Sentence(
            "Fitted again on the {rows} training rows: the same {features} features, with the same values.",
            rows=len(problem),
            features=again.preparation.width,
        ),
        ModelPart.KERNEL: Sentence(
            "Same as in the request: {machine}, {kernel}.",
            machine=again.model.machine.name,
            kernel=f"{again.model.kernel.name} ({kernel})" if kernel else again.model.kernel.name,
        ),
        ModelPart.DUALS: Sentence(
            "All constraints hold; {count} rows have a nonzero variable.", count=_count_nonzero_rows(trained)
        ),
        ModelPart.VECTORS: Sentence(
            "The {count} stored vectors and their classes are those of the preprocessed training rows.",
            count=int(trained.model.support.size),
        ),
        ModelPart.FUNCTIONS: Sentence("Coefficients and bias are those of the dual variables."),
        ModelPart.COUNTS: Sentence("Training rows, bounded rows and weights are those of the file."),
    }
    for part, detail in details.items():
        if part is ModelPart.DATA and not trained.origin.digest and not differing.get(part):
            yield PartCheck(part, Status.NOT_VERIFIABLE, NO_DIGEST)
        elif part is ModelPart.DUALS and not feasible:
            broken = Sentence("A constraint is broken by {amount}.", amount=f"{infeasible:.3g}")
            yield PartCheck(part, Status.DIFFERS, broken)
        else:
            yield _compare_part(part, differing, detail)
    if differing.get(ModelPart.OTHER):
        yield _compare_part(ModelPart.OTHER, differing, Sentence(""))


def _count_nonzero_rows(trained: TrainedModel) -> int:
    return int(np.unique(trained.duals.rows).size)


def _compare_part(part: ModelPart, differing: Differences, detail: Sentence) -> PartCheck:
    if differing.get(part):
        return PartCheck(part, Status.DIFFERS, summarize_differences(differing[part]))
    return PartCheck(part, Status.VERIFIED, detail)


# -- predictions for the training rows ---------------------------------------------------------------


@dataclass
class _Behaviour:
    """The predictions of the model for its training rows, compared with the recomputed ones."""

    rounding: np.ndarray  # (outputs,) largest change of a score by rounding
    largest: float = 0.0  # largest absolute score
    apart: float = 0.0  # largest difference of a score
    far: int = 0  # rows with a score that differs by more than rounding
    border: int = 0  # rows between two classes, whose class depends on rounding
    wrong: int = 0  # rows with a different prediction
    improper: int = 0  # rows whose probabilities do not sum to 1, or are negative
    other_share: float = 0.0  # largest difference of a probability computed from the same scores
    other_p_value: float = 0.0


def _behaviour(trained: TrainedModel, rebuilt: Rebuilt) -> _Behaviour:
    """Compare the stages that new rows pass through: raw rows, preprocessing, scores, classes."""
    rows = trained.preparation.apply(rebuilt.posed.train).rows
    again = replace(rebuilt.trained, model=trained.model)  # it predicts from the given scores
    seen = _Behaviour(np.zeros(trained.model.bias.size))
    for chunk in recompute_values(rebuilt.posed.problem, rebuilt.proofs):
        values = trained.model.decision(rows[chunk.rows])
        apart = np.abs(values - chunk.values)
        seen.rounding = np.maximum(seen.rounding, chunk.reach.max(axis=0, initial=0.0))
        seen.largest = max(seen.largest, float(np.abs(chunk.values).max(initial=0.0)))
        seen.apart = max(seen.apart, float(apart.max(initial=0.0)))
        seen.far += int((~(apart <= chunk.reach)).any(axis=1).sum())
        if np.isfinite(values).all() and np.isfinite(chunk.values).all():
            _compare_outputs(seen, trained, again, rows[chunk.rows], values, chunk.values)
        else:
            seen.wrong += chunk.rows.size
    return seen


def _compare_outputs(
    seen: _Behaviour,
    trained: TrainedModel,
    again: TrainedModel,
    rows: Rows,
    values: np.ndarray,
    expected: np.ndarray,
) -> None:
    stored = trained.outputs_of(values, rows, probabilities=True, sets=True)
    same_scores = again.outputs_of(values, rows, probabilities=True, sets=True)
    own_scores = again.outputs_of(expected, rows, probabilities=False, sets=False)
    wrong = _labels(trained, stored) != _labels(again, same_scores)
    seen.wrong += int(wrong.sum())
    seen.border += int((~wrong & (same_scores.codes != own_scores.codes)).sum())
    if stored.probabilities is not None:
        shares = stored.probabilities
        proper = (shares >= 0.0).all(axis=1) & (np.abs(shares.sum(axis=1) - 1.0) <= SURE)
        seen.improper += int((~proper).sum())
        seen.other_share = max(seen.other_share, _largest(shares, same_scores.probabilities))
    if stored.p_values is not None:
        seen.other_p_value = max(
            seen.other_p_value,
            _largest(stored.p_values, same_scores.p_values),
            _largest(stored.typical, same_scores.typical),
        )


def _labels(trained: TrainedModel, outputs: RowOutputs) -> np.ndarray:
    """Return the class names, None for rejected rows."""
    labels = trained.names[np.where(outputs.codes == REJECTED, 0, outputs.codes)]
    labels[outputs.codes == REJECTED] = None
    return labels


def _largest(one: np.ndarray | None, other: np.ndarray | None) -> float:
    """Return the largest difference; infinity if one of the arrays is missing."""
    if one is None or other is None or one.shape != other.shape:
        return np.inf
    return float(np.nan_to_num(np.abs(one - other), nan=np.inf).max(initial=0.0))


def _behaviour_checks(seen: _Behaviour, rows: int) -> Iterator[PartCheck]:
    if seen.far:
        yield PartCheck(
            ModelPart.SCORES,
            Status.DIFFERS,
            Sentence(
                "{count} of {rows} training rows has a score that kernel and dual variables do not give.",
                "{count} of {rows} training rows have scores that kernel and dual variables do not give.",
                count=seen.far,
                rows=rows,
            ),
        )
    else:
        detail = Sentence(
            "Computed again from kernel and dual variables for all {rows} training rows;"
            " the largest difference is {apart}, the largest score {largest}.",
            rows=rows,
            apart=f"{seen.apart:.1g}",
            largest=f"{seen.largest:.3g}",
        )
        yield PartCheck(ModelPart.SCORES, Status.VERIFIED, detail)
    if seen.wrong:
        detail = Sentence(
            "{count} of {rows} training rows has a different prediction.",
            "{count} of {rows} training rows have different predictions.",
            count=seen.wrong,
            rows=rows,
        )
        yield PartCheck(ModelPart.PREDICTIONS, Status.DIFFERS, detail)
        return
    detail = Sentence("The recomputed model gives the same predictions for all {rows} training rows.", rows=rows)
    if seen.border:
        detail = Sentence(
            "The recomputed model gives the same predictions for all {rows} training rows, except for {count} on the"
            " border of two classes, which depend on rounding.",
            rows=rows,
            count=seen.border,
        )
    yield PartCheck(ModelPart.PREDICTIONS, Status.VERIFIED, detail)


# -- probabilities, prediction sets, cost rule -------------------------------------------------------


def _uncertainty_checks(
    trained: TrainedModel, rebuilt: Rebuilt, differing: Differences, seen: _Behaviour
) -> Iterator[PartCheck]:
    request = trained.request
    if trained.calibrated is None:
        if request.calibrate != "none":
            yield PartCheck(
                ModelPart.PROBABILITIES,
                Status.NOT_VERIFIABLE,
                Sentence("The request asks for probabilities, and the model gives none: training was stopped before."),
            )
        return
    yield _probabilities(trained, rebuilt, differing, seen)
    yield _sets(rebuilt, differing, seen, trained)
    if trained.rule is not None or request.costs is not None:
        yield _compare_part(
            ModelPart.RULE, differing, Sentence("The costs of the request, in the order of the classes.")
        )


def _probabilities(trained: TrainedModel, rebuilt: Rebuilt, differing: Differences, seen: _Behaviour) -> PartCheck:
    part, request, calibrated = ModelPart.PROBABILITIES, trained.request, trained.calibrated
    assert calibrated is not None
    if rebuilt.calibration is not None:
        return PartCheck(part, Status.DIFFERS, rebuilt.calibration.sentence)
    if (calibrated.found.method, calibrated.folds) != (request.calibrate, request.calibration_folds):
        return PartCheck(part, Status.DIFFERS, Sentence("The request asks for another calibration."))
    if seen.improper:
        return PartCheck(part, Status.DIFFERS, Sentence("Some probabilities are negative, or do not sum to 1."))
    if rebuilt.recalibrated:
        return _check_new_fit(part, differing, seen.other_share, trained)
    return PartCheck(part, Status.NOT_VERIFIABLE, _not_recalibrated(trained))


def _not_recalibrated(trained: TrainedModel) -> Sentence:
    if can_recalibrate(trained):
        return Sentence(
            "Fitting them again takes one training for each of the {folds} folds; --recompute-calibration does it.",
            folds=trained.request.calibration_folds,
        )
    return Sentence("Their folds were trained under a time limit, so a new training ends at a different step.")


def _sets(rebuilt: Rebuilt, differing: Differences, seen: _Behaviour, trained: TrainedModel) -> PartCheck:
    if rebuilt.recalibrated or differing.get(ModelPart.SETS):
        return _check_new_fit(ModelPart.SETS, differing, seen.other_p_value, trained)
    return PartCheck(ModelPart.SETS, Status.NOT_VERIFIABLE, _not_recalibrated(trained))


def _check_new_fit(part: ModelPart, differing: Differences, apart: float, trained: TrainedModel) -> PartCheck:
    """Compare with the new fit. On another system folds may end at another step, which changes the fit slightly.

    Such a small difference neither confirms nor refutes the part.
    """
    if not differing.get(part) and apart <= SURE:
        return PartCheck(
            part,
            Status.VERIFIED,
            Sentence("Fitted again on {folds} folds: the same.", folds=trained.request.calibration_folds),
        )
    if _is_same_system(trained) or not apart <= NEARBY:
        return _compare_part(part, differing, Sentence("")) if differing.get(part) else _difference_check(part, apart)
    return PartCheck(
        part,
        Status.NOT_VERIFIABLE,
        Sentence(
            "Fitted again, they differ by up to {apart}. The model was trained on another system, whose rounding may be"
            " the reason.",
            apart=f"{apart:.2g}",
        ),
    )


def _difference_check(part: ModelPart, apart: float) -> PartCheck:
    return PartCheck(part, Status.DIFFERS, Sentence("They differ by up to {apart}.", apart=f"{apart:.2g}"))


def _is_same_system(trained: TrainedModel) -> bool:
    """Return whether this system trained the model according to the file, so that identical bits are expected."""
    origin = trained.origin
    here = hardware.system(), hardware.processor(), dict(versions())
    return (origin.system, origin.processor, dict(origin.versions)) == here


# -- certificate and ending --------------------------------------------------------------------------


def _certificate(trained: TrainedModel, rebuilt: Rebuilt) -> PartCheck:
    stored, again, problem = trained.certificate, rebuilt.trained.certificate, rebuilt.posed.problem
    allowed = CERTIFIED * max(abs(again.primal), abs(again.dual))
    reach = CERTIFIED * again.violation + CERTIFIED * problem.margin
    feasible = FEASIBLE * float(problem.upper.sum())
    same = (
        abs(stored.primal - again.primal) <= allowed
        and abs(stored.dual - again.dual) <= allowed
        and abs(stored.violation - again.violation) <= reach
        and abs(stored.infeasibility - again.infeasibility) <= feasible
        and (not stored.scale or abs(stored.scale - again.scale) <= CERTIFIED * again.scale)
    )
    if not same:
        detail = Sentence(
            "Stored: primal {primal}, dual {dual}, violation {violation}. Recomputed: {numbers}.",
            primal=f"{stored.primal:.10g}",
            dual=f"{stored.dual:.10g}",
            violation=f"{stored.violation:.3g}",
            numbers=_numbers(again),
        )
        return PartCheck(ModelPart.CERTIFICATE, Status.DIFFERS, detail)
    return PartCheck(
        ModelPart.CERTIFICATE,
        Status.VERIFIED,
        Sentence("Recomputed from the dual variables: {numbers}.", numbers=_numbers(again)),
    )


def _numbers(certificate: Certificate) -> Sentence:
    return Sentence(
        "primal {primal}, dual {dual}, gap {gap}, violation {violation}",
        primal=f"{certificate.primal:.10g}",
        dual=f"{certificate.dual:.10g}",
        gap=f"{certificate.gap:.3g}",
        violation=f"{certificate.violation:.3g}",
    )


def _check_ending(trained: TrainedModel, rebuilt: Rebuilt) -> tuple[PartCheck, str]:
    """Return how the training ended according to the recomputed numbers; the word in the file does not count."""
    request, again, stored = trained.request, rebuilt.trained.certificate, trained.origin.ending
    method = METHODS.get(request.solver)
    goal = request.gap_tol if request.gap_tol is not None else None if method is None else method.natural_gap
    if goal is None or again.is_zero:
        number, limit, name = again.violation, request.tol, Sentence("violation")
    else:
        number, limit, name = again.relative_gap, goal, Sentence("relative gap")
    said = {"name": name, "number": f"{number:.3g}", "limit": f"{limit:.3g}"}
    if not number <= limit * BARELY:
        ending = "not converged" if stored.is_enough else stored.value
        detail = Sentence("Not converged: the {name} {number} exceeds {limit}, which the request allows.", **said)
    elif goal is None and _indefinite(trained, rebuilt):
        ending = Ending.STALLED.value
        detail = Sentence(
            "Not known to be the optimum: the kernel matrix has a negative eigenvalue, and the problem is not convex."
        )
    else:
        ending = Ending.CONVERGED.value
        detail = Sentence("Converged: the {name} {number} is within {limit}, which the request allows.", **said)
    if (ending == Ending.CONVERGED.value) is not stored.is_enough:
        detail = Sentence("{detail} The file says “{word}”, which is not used.", detail=detail, word=stored.value)
    return PartCheck(ModelPart.ENDING, Status.VERIFIED, detail), ending


def _indefinite(trained: TrainedModel, rebuilt: Rebuilt) -> bool:
    used = np.zeros(len(rebuilt.posed.problem), dtype=bool)
    used[trained.duals.rows] = True
    return seen_indefinite(rebuilt.posed.problem, used)


# -- entries that only the file contains -------------------------------------------------------------


def _request(trained: TrainedModel) -> PartCheck:
    try:
        command_line = command(trained.request)
    except InputError:
        command_line = f"mcsvm train --machine {trained.request.machine}"
    detail = Sentence("The request is taken from the file. Compare it with yours: {command}", command=command_line)
    return PartCheck(ModelPart.REQUEST, Status.NOT_VERIFIABLE, detail)


HISTORY = PartCheck(
    ModelPart.HISTORY,
    Status.NOT_VERIFIABLE,
    Sentence(
        "Solver, steps, kernel evaluations, decisions of the solver, versions, computer and notices are taken from the"
        " file. No prediction depends on them."
    ),
)
