"""Newton steps from cost to cost end where every other way ends."""

from __future__ import annotations

from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_data import blobs

from mcsvm.solvers.budget import SEARCH
from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.posing import kernel_from, pose
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.loop import Limits, Run
from mcsvm.solvers.selection.settings import TrainingSettings
from mcsvm.solvers.selection.trials import rising, system, whole
from mcsvm.solvers.selection.trials.proximal import VariableStep
from mcsvm.solvers.selection.trials.shared import FoldRows, Matrices
from mcsvm.solvers.selection.trials.system import VariableSystem

COSTS = 0.5, 8.0, 256.0
BOXES = [
    name for name, machine in MACHINES.items() if machine.split == "joint" and machine.form(3, 1.0).feasible == "box"
]


@pytest.mark.parametrize("weight", [None, "balanced"])
@pytest.mark.parametrize("machine", BOXES)
def test_optima_are_those_of_pair_steps(machine: str, weight: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rising, "price", lambda part, alpha: 0.0)  # no pair step is affordable
    monkeypatch.setattr(system, "SEARCH", replace(SEARCH, worth=1))  # nor another factor
    X, y = blobs(n=75, classes=3, seed=3)
    rows = FoldRows.of(X[:60], y[:60], X[60:], y[60:])
    kernel = kernel_from("rbf", KERNELS, gamma=0.5)
    settings = TrainingSettings(limits=Limits(tolerance=1e-5), class_weight=weight)
    matrices = Matrices.of_kernel(rows, kernel, keep_distances=True)
    found = whole.along(rows, machine, kernel, COSTS, settings, lambda: False, matrices)
    for cost, result in zip(COSTS, found, strict=True):
        weights = settings.weights(rows)
        problem = pose(rows.train, rows.labels, machine=machine, kernel=kernel, cost=cost, class_weight=weights)
        run = Run(problem, "s2do", Limits(tolerance=1e-5))
        while run.running:
            run.advance()
        other = run.certificate()
        assert result.ending is Ending.CONVERGED
        assert result.certificate.violation <= 1e-5
        assert result.certificate.infeasibility == 0.0
        assert result.certificate.dual <= other.primal + 1e-9
        assert other.dual <= result.certificate.primal + 1e-9
        assert result.certificate.dual == pytest.approx(other.dual, rel=1e-5)


@pytest.mark.parametrize("machine", [name for name, machine in MACHINES.items() if machine.split == "joint"])
def test_an_optimum_that_no_bound_touches_stays_one(machine: str) -> None:
    X, y = blobs(n=75, classes=3, seed=3)
    rows, kernel = FoldRows.of(X[:60], y[:60], X[60:], y[60:]), kernel_from("rbf", KERNELS, gamma=200.0)
    settings, costs = TrainingSettings(limits=Limits(tolerance=1e-5)), (1.0, 1e4, 1e6)
    matrices = Matrices.of_kernel(rows, kernel, keep_distances=True)
    *_, before, last = whole.along(rows, machine, kernel, costs, settings, lambda: False, matrices)
    problem = pose(rows.train, rows.labels, machine=machine, kernel=kernel, cost=costs[-1])
    run = Run(problem, "s2do", settings.limits)
    while run.running:
        run.advance()
    assert (last.steps, last.accuracy, last.ending) == (0, before.accuracy, Ending.CONVERGED)
    assert last.certificate.violation <= 1e-5
    assert last.certificate.dual <= run.certificate().primal + 1e-9
    assert run.certificate().dual <= last.certificate.primal + 1e-9


def test_newton_steps_were_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = []
    step = VariableStep.newton
    monkeypatch.setattr(rising, "price", lambda part, alpha: 0.0)
    monkeypatch.setattr(VariableStep, "newton", lambda *given: taken.append(1) or step(*given))
    test_optima_are_those_of_pair_steps("llw", None, monkeypatch)
    assert taken


@given(st.integers(1, 24), st.integers(1, 24), st.integers(0, 1000))
def test_a_system_solves_for_other_variables_than_its_own(count: int, other: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    points, directions = rng.normal(size=(8, 3)), rng.normal(size=(4, 3))
    K, couplings, kinds = points @ points.T, directions @ directions.T, rng.integers(0, 4, (8, 3))
    own, chosen = (np.sort(rng.choice(24, some, replace=False)) for some in (count, other))
    right, examples, kind = rng.normal(size=other), chosen // 3, kinds.ravel()[chosen]
    Q = K[np.ix_(examples, examples)] * couplings[np.ix_(kind, kind)] + 0.1 * np.eye(other)
    with mock.patch.object(system, "PANEL", 5):
        assert np.allclose(Q @ VariableSystem(K, kinds, couplings, 0.1, own).solve(chosen, right), right, atol=1e-8)
