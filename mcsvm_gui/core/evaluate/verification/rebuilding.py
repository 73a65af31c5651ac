"""Rebuild a model from data, request and dual variables, without using its stored parts that predict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mcsvm.solvers.dual.certificate import Proof, certify, total_of
from mcsvm.solvers.dual.quantities import weights_of
from mcsvm.solvers.errors import InputError
from mcsvm.solvers.model import Model
from mcsvm.solvers.problem import Problem
from mcsvm.solvers.run.parts import mark_support
from mcsvm.solvers.uncertainty.costs import CostRule
from mcsvm.solvers.uncertainty.novelty import Landmarks
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data import preparation as preparing
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.preparation import Preparation, TablePreparation
from mcsvm_gui.core.machine.calibration import OutOfFold
from mcsvm_gui.core.machine.posing import Posed, pose_request
from mcsvm_gui.core.machine.session import dense_duals, limits_of
from mcsvm_gui.core.machine.trained import Calibrated, TrainedModel, Weighing, unlearned_columns

RECOMPUTED = 10_000  # training rows up to which a calibration is recomputed by default: it trains once per fold


@dataclass(frozen=True, eq=False)
class Rebuilt:
    posed: Posed
    proofs: Sequence[Proof]
    trained: TrainedModel
    calibration: InputError | None  # why the stored calibration cannot come from these data
    recalibrated: bool  # whether the probabilities were fitted again


def rebuild(trained: TrainedModel, dataset: Dataset, *, recalibrate: bool) -> Rebuilt:
    """Rebuild the model; raise InputError if rows, classes or dual variables do not belong to its training."""
    posed = pose_request(trained.request, dataset, trained.preparation)
    problem, origin, train = posed.problem, trained.origin, posed.train
    if problem.classes != len(trained.class_names) or len(problem) != origin.n_train:
        raise FileError(
            dataset.name,
            "the file has {rows} training rows of {classes} classes as it is read now,"
            " and the model {n_train} rows of {known} classes",
            rows=len(problem),
            classes=problem.classes,
            n_train=origin.n_train,
            known=len(trained.class_names),
        )
    alphas = alphas_of(trained, problem)
    proofs = [_proof(trained, problem, number, alpha) for number, alpha in enumerate(alphas)]
    calibrated, refused = _rebuild_calibration(trained, posed, dataset, recalibrate=recalibrate)
    again = TrainedModel(
        model=Model.of(problem, [proof.weights for proof in proofs], [proof.bias for proof in proofs]),
        class_names=posed.class_names,
        preparation=_refit_preparation(trained, posed),
        request=trained.request,
        label_name=dataset.label_name,
        origin=replace(
            origin,
            certificate=total_of(proofs),
            n_train=train.rows,
            class_counts=train.class_counts,
            n_bounded=_count_bounded(problem, alphas),
            digest=dataset.digest if origin.digest else "",
        ),
        duals=trained.duals,
        calibrated=calibrated,
        weighing=Weighing.of(train),
        rule=_rule(trained, posed, calibrated),
        rows=None if trained.rows is None else train.row_source,
        unlearned=unlearned_columns(dataset) if trained.unlearned else {},
        label_kind=trained.label_kind,
    )
    return Rebuilt(posed, proofs, again, refused, recalibrate and trained.calibrated is not None and refused is None)


def can_recalibrate(trained: TrainedModel) -> bool:
    """Return whether the folds end at the same step again, which they do not under a time limit."""
    return trained.request.time_limit is None


def alphas_of(trained: TrainedModel, problem: Problem) -> list[np.ndarray]:
    """Return the dual variables of each part, for all of its examples."""
    duals = trained.duals
    if duals.parts.size != problem.part_count + 1 or duals.alpha.shape[1] != problem.form.slots:
        raise InputError("the dual variables are those of another machine than the request names")
    return [dense_duals(duals, problem, number) for number in range(problem.part_count)]


def _proof(trained: TrainedModel, problem: Problem, number: int, alpha: np.ndarray) -> Proof:
    joint = problem.machine.split == "joint"
    bias = trained.model.bias if joint else trained.model.bias[number : number + 1]
    part = problem.part(number)
    moved = problem.heights[problem.rows_of(number)] @ weights_of(part, alpha)
    return certify(part, alpha, hint=bias + moved)


def _count_bounded(problem: Problem, alphas: Sequence[np.ndarray]) -> int:
    used, full = np.zeros(len(problem), dtype=bool), np.zeros(len(problem), dtype=bool)
    for number, alpha in enumerate(alphas):
        mark_support(problem, number, alpha, used, full)
    return int(full.sum())


def _refit_preparation(trained: TrainedModel, posed: Posed) -> Preparation:
    fitted, stored = preparing.fit(trained.request.rules, posed.train), trained.preparation
    if isinstance(fitted, TablePreparation) and isinstance(stored, TablePreparation) and not stored.roles:
        return replace(fitted, roles=())  # no prediction depends on the roles, and some models do not store them
    return fitted


def _rebuild_calibration(
    trained: TrainedModel, posed: Posed, dataset: Dataset, *, recalibrate: bool
) -> tuple[Calibrated | None, InputError | None]:
    """Return the calibration, fitted again or else as stored with new landmarks, or an error if it is impossible."""
    stored, request, problem = trained.calibrated, trained.request, posed.problem
    if stored is None:
        return None, None
    try:
        if request.calibrate == "none":
            raise InputError("the request asks for no probabilities")
        if recalibrate:
            found = OutOfFold(request, posed, limits_of(request), dataset.name).fit(lambda *_: None, lambda: False)
            assert found is not None, "nothing stops it"
            return (replace(found, sets=None) if request.rules.as_given else found), None
    except InputError as error:
        return stored, error
    if stored.sets is None:
        return stored, None
    near = Landmarks.of(problem.kernel, problem.points, problem.labels, problem.classes, request.seed)
    return replace(stored, sets=replace(stored.sets, landmarks=near)), None


def _rule(trained: TrainedModel, posed: Posed, calibrated: Calibrated | None) -> CostRule | None:
    costs = trained.request.costs
    return None if costs is None or calibrated is None else costs.rule(posed.class_names)
