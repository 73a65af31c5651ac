"""Rows in several places: the optimum of one place, by every machine; lost partitions, stops, parts without classes."""

from __future__ import annotations

import pickle
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from small_data import blobs, finished, kernel_named, problem_of

from mcsvm.solvers.budget import PARTITIONED
from mcsvm.solvers.dual.bias import best_bias
from mcsvm.solvers.dual.certificate import certify
from mcsvm.solvers.errors import InputError
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.partitioned import proof
from mcsvm.solvers.partitioned import run as partitioned_run
from mcsvm.solvers.partitioned.messages import LostPartitionsError
from mcsvm.solvers.partitioned.partition import Partition
from mcsvm.solvers.partitioned.partitions import LocalPartitions
from mcsvm.solvers.partitioned.run import PartitionedRun
from mcsvm.solvers.posing import SharedTerms, terms_of
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.limits import Limits

X, Y = blobs(n=90, classes=3, features=3, seed=2)
UNEVEN = [slice(0, 20), slice(20, 20), slice(20, 90)]  # one of them empty
TIGHT = Limits(tolerance=1e-4)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that few rows take many rounds."""
    monkeypatch.setattr(partitioned_run, "PARTITIONED", replace(PARTITIONED, block=24, block_least=8, portion_rows=16))


class Wired(LocalPartitions):
    """Every message travels as bytes, which are counted; before some questions partitions are lost."""

    def __init__(self, terms: SharedTerms, rows: Any, labels: np.ndarray, cuts: Sequence[slice]) -> None:
        self._made = [lambda cut=cut: Partition(terms.problem(rows[cut], labels[cut])) for cut in cuts]
        super().__init__([make() for make in self._made])
        self.round_bytes: list[int] = []
        self.losses: dict[str, set[int]] = {}  # by question

    def ask(self, question: str, arguments: Sequence[Sequence[Any]], of: Collection[int] | None = None) -> list[Any]:
        lost = self.losses.pop(question, set())
        for number in lost:
            self.partitions[number] = self._made[number]()
        chosen = range(self.count) if of is None else of
        here = [place for place, number in enumerate(chosen) if number not in lost]
        sent = [pickle.dumps(arguments[place]) for place in here]
        answers = [
            pickle.dumps(getattr(self.partitions[list(chosen)[place]], question)(*pickle.loads(one)))
            for place, one in zip(here, sent, strict=True)
        ]
        if question == "round":
            self.round_bytes.append(sum(map(len, sent)) + sum(map(len, answers)))
        if lost:
            raise LostPartitionsError(lost)
        return [pickle.loads(one) for one in answers]


def several(
    rows: Any = X,
    labels: np.ndarray = Y,
    machine: str = "ww",
    kernel: str = "rbf",
    cuts: Sequence[slice] = UNEVEN,
    limits: Limits = TIGHT,
    **more: Any,
) -> PartitionedRun:
    terms = terms_of(machine=machine, kernel=kernel_named(kernel), classes=int(labels.max()) + 1, **more)
    return PartitionedRun(terms, Wired(terms, rows, labels, cuts), limits)


def through(run: PartitionedRun) -> PartitionedRun:
    while run.running:
        run.advance()
    run.finish()
    return run


@pytest.mark.parametrize("kernel", ["rbf", "linear", "polynomial"])
@pytest.mark.parametrize("machine", MACHINES)
def test_the_optimum_is_that_of_one_place(machine: str, kernel: str) -> None:
    run = through(several(machine=machine, kernel=kernel, cost=2.0))
    alone = finished(problem_of(X, Y, machine, kernel, cost=2.0), tolerance=1e-5)
    here, there = alone.certificate(), run.certificate()
    assert run.ending is Ending.CONVERGED
    assert there.violation <= 1e-4
    assert there.dual <= here.primal * (1.0 + 1e-9)
    assert here.dual <= there.primal * (1.0 + 1e-9)
    assert there.relative_gap < 1e-3
    np.testing.assert_allclose(run.model().decision(X), alone.model().decision(X), atol=0.02)


@pytest.mark.parametrize("machine", ["ww", "cs", "ova", "ovo"])
def test_the_certificate_is_that_of_its_alpha_in_one_place(machine: str) -> None:
    """The primal at the model's functions, by the definition of the losses in one place."""
    run = through(several(machine=machine, limits=Limits(tolerance=1e-2)))
    problem = problem_of(X, Y, machine)
    total_primal = total_dual = 0.0
    for number, (rows, alpha) in enumerate(run.duals()):
        part, where = problem.part(number), np.arange(len(problem))[problem.rows_of(number)]
        whole = np.zeros((len(part), part.form.slots))
        whole[np.searchsorted(where, rows)] = alpha
        certificate = certify(part, whole).certificate
        total_primal, total_dual = total_primal + certificate.primal, total_dual + certificate.dual
    found = run.certificate()
    assert found.dual == pytest.approx(total_dual, rel=1e-12)
    assert found.primal == pytest.approx(total_primal, rel=1e-12)


ASKED = ["round", "add", "support", "proved", "places", "taken"]


@pytest.mark.parametrize(
    ("machine", "question"), [*(("ww", name) for name in ASKED), *(("ovo", name) for name in [*ASKED, "begin"])]
)
def test_lost_partitions_change_nothing(machine: str, question: str) -> None:
    run = several(machine=machine, cuts=[slice(0, 30), slice(30, 60), slice(60, 90)])
    whole = through(several(machine=machine))
    wired = run.partitions
    assert isinstance(wired, Wired)
    for _ in range(2):
        run.advance()
    wired.losses = {question: {0, 2}}
    found = through(run).model()
    assert not wired.losses
    assert run.ending is Ending.CONVERGED
    assert run.certificate().violation <= 1e-4
    assert run.last.support == whole.last.support
    np.testing.assert_allclose(found.decision(X), whole.model().decision(X), atol=0.01)


def test_losses_one_after_another() -> None:
    run = several(cuts=[slice(0, 30), slice(30, 60), slice(60, 90)])
    run.advance()
    wired = run.partitions
    assert isinstance(wired, Wired)
    wired.losses = {"round": {1}, "restore": {0}, "add": {2}, "clear": {1}}
    assert through(run).certificate().violation <= 1e-4
    assert not wired.losses


@pytest.mark.parametrize("seed", range(6))
def test_the_bias_is_the_median_of_all_kinks(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few kinks may come at once, so that grids narrow them down; costs are whole, so that some slopes are zero."""
    monkeypatch.setattr(proof, "PARTITIONED", replace(PARTITIONED, bias_kinks=2, bias_grid=5))
    random = np.random.default_rng(seed)
    n, weights = 60, random.integers(1, 4, size=60).astype(float)
    labels, products = np.arange(n) % 2, np.round(random.normal(size=(n, 1)), seed % 3)
    terms = terms_of(machine="ovo", kernel=kernel_named("linear"), classes=2)
    parts = [Partition(terms.problem(products[cut], labels[cut], weights[cut])) for cut in (slice(0, 9), slice(9, n))]
    for part, cut in zip(parts, (slice(0, 9), slice(9, n)), strict=True):
        part.begin(0)
        part.clear()
        part._products[...] = products[cut]
    whole = terms.problem(products, labels, weights).part(0)
    expected = best_bias(whole, np.zeros((n, 1)), products, None)
    assert proof.best_bias(LocalPartitions(parts)) == pytest.approx(expected[0], abs=1e-12)


@pytest.mark.parametrize("machine", ["cs", "ovo"])
@pytest.mark.parametrize("rounds", [0, 1, 2])
def test_a_stopped_run_has_a_true_certificate(machine: str, rounds: int) -> None:
    run = several(machine=machine, limits=Limits(tolerance=1e-6))
    for _ in range(rounds):
        run.advance()
    run.stop()
    run.finish()
    best = finished(problem_of(X, Y, machine), tolerance=1e-6).certificate()
    found = run.certificate()
    assert run.ending is Ending.STOPPED
    assert found.dual <= best.primal
    assert found.primal >= best.dual
    assert run.model().predict(X).shape == (90,)


def test_a_class_that_only_one_part_has() -> None:
    order = np.argsort(Y, kind="stable")
    run = through(several(X[order], Y[order], cuts=[slice(0, 60), slice(60, 90)]))
    alone = finished(problem_of(X, Y), tolerance=1e-5).certificate()
    assert run.certificate().dual == pytest.approx(alone.dual, rel=1e-4)


def test_sparse_rows() -> None:
    run = through(several(sp.csr_array(X)))
    np.testing.assert_allclose(run.model().decision(X), through(several()).model().decision(X), atol=0.01)


@pytest.mark.parametrize("machine", ["ww", "cs", "ovo"])
def test_a_gap_that_is_asked_for_is_reached(machine: str) -> None:
    run = through(several(machine=machine, limits=Limits(gap_tolerance=1e-6)))
    assert run.ending is Ending.CONVERGED
    assert run.certificate().relative_gap <= 1e-6


@pytest.mark.parametrize("bias", ["none", "regularized"])
def test_other_biases(bias: str) -> None:
    run = through(several(machine="ww", bias=bias))
    alone = finished(problem_of(X, Y, "ww", bias=bias), tolerance=1e-5).certificate()
    assert run.certificate().dual == pytest.approx(alone.dual, rel=1e-4)


def test_an_exact_bias_of_a_joint_machine_is_refused() -> None:
    with pytest.raises(InputError, match="none or regularized"):
        several(machine="ww", bias="exact")


def test_weights_and_class_weights() -> None:
    weights, classes = np.where(np.arange(90) % 2, 2.0, 1.0), [1.0, 3.0, 0.5]
    terms = terms_of(machine="ww", kernel=kernel_named("rbf"), classes=3, class_weight=classes)
    parts = [Partition(terms.problem(X[cut], Y[cut], weights[cut]), weights[cut]) for cut in UNEVEN]
    run = through(PartitionedRun(terms, LocalPartitions(parts), TIGHT))
    alone = finished(problem_of(X, Y, class_weight=classes, sample_weight=weights), tolerance=1e-5)
    assert run.certificate().dual == pytest.approx(alone.certificate().dual, rel=1e-4)
    right = alone.model().predict(X) == Y
    assert run.train_accuracy(run.model()) == pytest.approx(np.average(right, weights=weights), abs=0.02)


def test_samples_enclose_the_optimum_and_end_at_it() -> None:
    run = through(several())
    trace, best = run.trace.table(), run.certificate()
    assert (trace["dual"] <= best.primal * (1 + 1e-6)).all()
    assert (trace["primal"] >= best.dual * (1 - 1e-6)).all()
    assert run.last.support == run.model().support.size


@pytest.mark.parametrize("machine", ["ww", "ova"])
def test_bytes_per_round_do_not_depend_on_the_rows(machine: str) -> None:
    found = []
    for n in (1000, 4000):
        X, y = blobs(n=n, classes=3, features=5, seed=3)
        run = several(X, y, machine=machine, cuts=[slice(0, n // 2), slice(n // 2, n)])
        for _ in range(4):
            run.advance()
        assert run.running
        wired = run.partitions
        assert isinstance(wired, Wired)
        found.append(np.mean(wired.round_bytes[1:4]))
    assert found[0] == pytest.approx(found[1], rel=0.01)
