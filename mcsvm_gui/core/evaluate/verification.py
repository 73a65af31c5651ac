"""Whether a model is what it says: its certificate recomputed from its dual variables and the training data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.machine.posing import pose_request
from mcsvm_gui.core.machine.trained import TrainedModel
from solvers.dual.certificate import Certificate, Proof, certify, total_of
from solvers.errors import InputError
from solvers.model import Model
from solvers.problem import Problem
from solvers.work import limited

CLOSE = 1e-6  # relative; different processors round kernel values differently


@dataclass(frozen=True)
class Verification:
    stored: Certificate
    recomputed: Certificate
    same_certificate: bool
    same_model: bool  # whether the class functions are those of the dual variables

    @property
    def holds(self) -> bool:
        return self.same_certificate and self.same_model


def verify(trained: TrainedModel, dataset: Dataset) -> Verification:
    """`dataset`: the training file, read as the request says."""
    if dataset.digest != trained.origin.digest:
        raise FileError(dataset.name, "this is not the file the model was trained on: its contents differ")
    with limited(trained.request.threads):
        posed = pose_request(trained.request, dataset, trained.preparation)
        if posed.class_names != trained.class_names or len(posed.problem) != trained.origin.n_train:
            raise FileError(dataset.name, "the file, as it is read now, has other rows or classes than in training")
        proofs = [_proof(trained, posed.problem, number) for number in range(posed.problem.part_count)]
        again = Model.of(posed.problem, [proof.weights for proof in proofs], [proof.bias for proof in proofs])
    recomputed = total_of(proofs)
    return Verification(
        stored=trained.certificate,
        recomputed=recomputed,
        same_certificate=_same(trained.certificate, recomputed),
        same_model=np.array_equal(again.support, trained.model.support)
        and again.expansion.shape == trained.model.expansion.shape
        and _near(again.expansion - trained.model.expansion, trained.model.expansion)
        and again.bias.shape == trained.model.bias.shape
        and _near(again.bias - trained.model.bias, trained.model.bias),
    )


def _proof(trained: TrainedModel, problem: Problem, number: int) -> Proof:
    duals, part = trained.duals, problem.part(number)
    mine = slice(duals.parts[number], duals.parts[number + 1])
    where = np.arange(len(problem))[problem.rows_of(number)]
    places = np.searchsorted(where, duals.rows[mine])
    if not np.array_equal(where[np.minimum(places, where.size - 1)], duals.rows[mine]):
        raise InputError("the model's dual variables belong to other rows than the training data has")
    alpha = np.zeros((len(part), part.form.slots))
    alpha[places] = duals.alpha[mine]
    joint = problem.machine.split == "joint"
    return certify(part, alpha, hint=trained.model.bias if joint else trained.model.bias[number : number + 1])


def _same(stored: Certificate, found: Certificate) -> bool:
    scale = max(1.0, abs(stored.primal))
    objectives = max(abs(stored.primal - found.primal), abs(stored.dual - found.dual)) / scale
    feasible = found.infeasibility <= max(stored.infeasibility, CLOSE)
    return (
        feasible
        and objectives <= CLOSE
        and abs(stored.violation - found.violation) <= CLOSE * max(1.0, found.violation)
    )


def _near(difference: Any, stored: Any) -> bool:
    """Whether no number, of dense or sparse arrays, differs by more than rounding."""
    return _largest(difference) <= CLOSE * max(1.0, _largest(stored))


def _largest(array: Any) -> float:
    return float(np.abs(array.data if sp.issparse(array) else array).max(initial=0.0))
