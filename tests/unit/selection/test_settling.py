"""Trainings of a search that end on decisions: proofs hold, what was unchanged is marked, certificates are true."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from small_data import blobs

from mcsvm.solvers.budget import SETTLE, SettlingBudget
from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.model import decide
from mcsvm.solvers.posing import kernel_from, pose
from mcsvm.solvers.problem import Problem
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.loop import Limits, Run
from mcsvm.solvers.selection.settings import TrainingSettings
from mcsvm.solvers.selection.trials import settling, whole
from mcsvm.solvers.selection.trials.settling import DecisionWatch, decisions, lead_scale, proves
from mcsvm.solvers.selection.trials.shared import FoldRows, Matrices

JOINT = [name for name, machine in MACHINES.items() if machine.split == "joint"]
RBF = kernel_from("rbf", KERNELS, gamma=0.5)
ALWAYS = SettlingBudget(first=0.0, apart=1.0)


def fold(seed: int = 3, apart: float = 1.0) -> tuple[FoldRows, Matrices]:
    X, y = blobs(n=75, classes=3, seed=seed)
    rows = FoldRows.of(apart * X[:60], y[:60], apart * X[60:], y[60:])
    return rows, Matrices.of_kernel(rows, RBF, keep_distances=True)


def clear(rows: FoldRows, machine: str) -> tuple[FoldRows, Matrices]:
    """The test rows of the larger leads at the optimum: a proof for them comes before the end."""
    run = solved(posed(rows, machine, "none"), "auto")
    ordered = np.sort(run.model().decision(rows.test), axis=1)
    some = np.argsort(ordered[:, -1] - ordered[:, -2])[len(rows.test) // 2 :]
    labels = {"test_labels": rows.test_labels[some], "given_labels": rows.given_labels[some]}
    rows = replace(rows, test=rows.test.take(some), test_weights=rows.test_weights[some], **labels)
    return rows, Matrices.of_kernel(rows, RBF, keep_distances=True)


def posed(rows: FoldRows, machine: str, bias: str, cost: float = 4.0) -> Problem:
    return pose(rows.train, rows.labels, machine=machine, kernel=RBF, cost=cost, bias=bias)


def solved(problem: Problem, method: str) -> Run:
    run = Run(problem, method, Limits(tolerance=1e-9))
    while run.running:
        run.advance()
    assert run.certificate().relative_gap < 1e-9
    return run


@pytest.mark.parametrize("bias", ["none", "regularized"])
@pytest.mark.parametrize("machine", JOINT)
def test_no_lead_is_farther_from_its_optimum_than_the_gap_allows(machine: str, bias: str) -> None:
    """At every slice of a sequential method; the optimum is that of `auto`, solved to 1e-9."""
    rows, matrices = clear(fold()[0], machine)
    problem = posed(rows, machine, bias)
    optimal = decisions(solved(problem, "auto").model(), matrices)
    scale, proved = lead_scale(problem.part(0), rows), 0
    run = Run(problem, "smo", Limits(tolerance=1e-6))
    while run.running:
        run.advance(80)
        certificate, values = run.certificate(), decisions(run.model(), matrices)
        moved = (values[:, :, None] - values[:, None]) - (optimal[:, :, None] - optimal[:, None])
        allowed = scale * np.sqrt(max(certificate.gap, 0.0) + 1e-9 * certificate.primal)
        assert (np.abs(moved).max(axis=(1, 2)) <= allowed).all()
        if proves(certificate, values, scale):
            proved += 1
            assert np.array_equal(decide(problem.machine, values, 3), decide(problem.machine, optimal, 3))
    assert proved, "nothing was ever proved"


@pytest.mark.parametrize("machine", JOINT)
def test_a_proved_fold_decides_as_the_optimum(machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settling, "SETTLE", ALWAYS)
    rows, matrices = clear(fold()[0], machine)
    settings = TrainingSettings(until="proved", limits=Limits(tolerance=1e-9), solver="smo")
    (result,) = whole.along(rows, machine, RBF, [4.0], settings, lambda: False, matrices)
    run = solved(posed(rows, machine, "none"), "auto")
    optimum = run.certificate()
    assert result.ending is Ending.PROVED
    assert result.certificate.violation > 1e-9
    assert result.certificate.dual <= optimum.primal + 1e-9
    assert optimum.dual <= result.certificate.primal + 1e-9
    right = decide(run.problem.machine, decisions(run.model(), matrices), rows.classes)
    assert result.accuracy == rows.accuracy(right)


@pytest.mark.parametrize("until", settling.UNTIL)
def test_a_fold_ends_on_unchanged_decisions_only_where_it_may(until: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settling, "SETTLE", replace(ALWAYS, near=1.0, share=0.9))
    monkeypatch.setattr(settling, "proves", lambda *_: False)
    rows, matrices = fold()
    settings = TrainingSettings(until=until, limits=Limits(tolerance=1e-9), solver="smo")
    (result,) = whole.along(rows, "ww", RBF, [4.0], settings, lambda: False, matrices)
    assert (result.ending is Ending.UNCHANGED) == (until == "unchanged")
    assert result.ending.is_enough
    optimum = solved(posed(rows, "ww", "none"), "auto").certificate()
    assert result.certificate.dual <= optimum.primal
    assert optimum.dual <= result.certificate.primal


def test_decisions_that_changed_late_are_not_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    """A watch that sees other decisions at each look never ends the run."""
    rows, matrices = fold()
    run = Run(posed(rows, "ww", "none"), "smo", Limits(tolerance=1e-9))
    seen = iter(range(10**6))
    monkeypatch.setattr(settling, "SETTLE", replace(ALWAYS, near=np.inf, share=0.99))
    monkeypatch.setattr(settling, "decide", lambda *_: np.array([next(seen)]))
    monkeypatch.setattr(settling, "proves", lambda *_: False)
    watch = DecisionWatch(run, rows, matrices, "unchanged")
    while run.running:
        assert watch.settled(run.advance(20)) is None
    assert next(seen) > 5, "nobody looked"


@pytest.mark.parametrize(("machine", "bias"), [("ww", "exact"), ("ova", "exact"), ("ovo", "none")])
def test_machines_without_a_bound_are_solved(machine: str, bias: str) -> None:
    rows, matrices = fold()
    assert settling.watch_of(Run(posed(rows, machine, bias), "auto", Limits()), rows, matrices, "unchanged") is None


def test_looks_change_no_bit_of_what_is_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, matrices = fold()
    plain = TrainingSettings()
    found = [whole.along(rows, "llw", RBF, [0.5, 8.0], plain, lambda: False, matrices)]
    monkeypatch.setattr(settling, "SETTLE", replace(SETTLE, first=0.0, near=0.0))
    monkeypatch.setattr(settling, "proves", lambda *_: False)
    watched = replace(plain, until="unchanged")
    found.append(whole.along(rows, "llw", RBF, [0.5, 8.0], watched, lambda: False, matrices))
    for one, other in zip(*found, strict=True):
        assert one.certificate == other.certificate


@pytest.mark.parametrize(("first", "then"), [("ww", "cs"), ("cs", "ww"), ("ats", "atm")])
def test_where_no_bound_is_met_a_related_machine_is_there_at_once(first: str, then: str) -> None:
    """At large C no set binds: the optimum of one is that of the other."""
    rows, matrices = fold(apart=6.0)
    settings, relatives = TrainingSettings(), whole.Relatives()
    list(whole.along(rows, first, RBF, [1e3], settings, lambda: False, matrices, relatives))
    (near,) = whole.along(rows, then, RBF, [1e3], settings, lambda: False, matrices, relatives)
    (alone,) = whole.along(rows, then, RBF, [1e3], settings, lambda: False, matrices)
    assert alone.steps > 0
    assert near.steps < alone.steps / 4
    assert near.certificate.dual == pytest.approx(alone.certificate.dual, rel=1e-3)


@pytest.mark.parametrize("machine", JOINT)
def test_a_start_from_a_relative_changes_no_optimum(machine: str) -> None:
    rows, matrices = fold()
    settings, relatives = TrainingSettings(limits=Limits(tolerance=1e-6)), whole.Relatives()
    for other in JOINT:
        if other != machine:
            list(whole.along(rows, other, RBF, [0.5, 8.0], settings, lambda: False, matrices, relatives))
    found = whole.along(rows, machine, RBF, [0.5, 8.0], settings, lambda: False, matrices, relatives)
    alone = whole.along(rows, machine, RBF, [0.5, 8.0], settings, lambda: False, matrices)
    for near, lone in zip(found, alone, strict=True):
        assert near.certificate.dual == pytest.approx(lone.certificate.dual, rel=1e-6)
        assert near.certificate.violation <= 1e-6
