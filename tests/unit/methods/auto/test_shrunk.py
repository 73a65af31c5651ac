"""Blocks on the examples near their margins: the optimum of all, the same bits, and the memory given back."""

from __future__ import annotations

import gc
import io
import time
import weakref
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from combinations import rarely
from small_data import blobs, finished, interrupt, problem_of

from mcsvm.solvers.budget import BUDGET, Phase
from mcsvm.solvers.dual.certificate import certify
from mcsvm.solvers.dual.quantities import weights_of
from mcsvm.solvers.gram import Gram
from mcsvm.solvers.methods.auto import shrunk
from mcsvm.solvers.methods.auto.blocks import BlockState
from mcsvm.solvers.methods.auto.conductor import Auto, AutoState
from mcsvm.solvers.methods.base import Progress
from mcsvm.solvers.problem import Part, Problem
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.loop import Limits, Run
from mcsvm.solvers.work import limited

X, Y = blobs(n=400, classes=3, features=3, seed=4)
SMALL = {"shrunk_least": 1, "shrunk_examples": 24, "shrunk_variables": 48, "interior_race": False, "shrunk_shared": 0.5}
METHOD = Auto(replace(BUDGET, **SMALL, phases=frozenset({Phase.SHRUNK, Phase.BLOCKS})))
CASES = [
    *((machine, bias) for machine in ("ww", "cs", "llw", "mmr") for bias in ("none", "regularized")),
    *(("ova", bias) for bias in ("none", "exact")),
    ("ovo", "exact"),
]
STORE = 0.1  # MB: 65 of 400 rows


def posed(machine: str = "ww", bias: str | None = None, cost: float = 3.0) -> Problem:
    return problem_of(X, Y, machine, cost=cost, bias=bias, cache_mb=STORE)


def ended(run: Run, steps: int | None = None) -> Run:
    while run.running:
        run.advance(steps)
    return run


def assert_same(one: Run, other: Run) -> None:
    assert (one.ending, one.iterations, one.decisions) == (other.ending, other.iterations, other.decisions)
    assert one.kernel_evaluations == other.kernel_evaluations
    for left, right in zip(one.alphas(), other.alphas(), strict=True):
        np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize(("machine", "bias"), CASES)
def test_it_takes_no_more_steps_than_allowed(machine: str, bias: str) -> None:
    for most in (30, 200):
        run, sliced = (ended(Run(posed(machine, bias), METHOD, Limits(1e-4, steps=most)), by) for by in (None, 1))
        assert run.iterations <= most
        assert_same(run, sliced)


@pytest.mark.parametrize(("machine", "bias"), CASES)
def test_it_ends_at_the_optimum(machine: str, bias: str) -> None:
    run = ended(Run(posed(machine, bias), METHOD, Limits(1e-4)))
    assert run.ending is Ending.CONVERGED
    assert {decision.phase for decision in run.decisions} == {"shrunk"}
    optimum, certificate = finished(posed(machine, bias), tolerance=1e-5).certificate(), run.certificate()
    assert certificate.violation <= 1e-4
    assert certificate.dual == pytest.approx(optimum.dual, rel=1e-4)
    assert certificate.dual <= optimum.primal + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("machine", ["ww", "ova", "ovo"])
def test_slices_and_checkpoints_change_no_bit(machine: str) -> None:
    whole = ended(Run(posed(machine), METHOD, Limits(1e-3)))
    assert_same(whole, ended(Run(posed(machine), METHOD, Limits(1e-3)), 7))
    run, random = Run(posed(machine), METHOD, Limits(1e-3)), np.random.default_rng(0)
    while run.running:
        run.advance(int(random.integers(1, 60)))
        if run.running:
            run = Run.load(posed(machine), io.BytesIO(run.pack()), METHOD)
    assert_same(whole, run)


@pytest.mark.parametrize(("machine", "seeds"), [("ww", 1), *rarely(product(["ww", "cs", "llw", "ova", "ovo"], [3]))])
def test_a_checkpoint_between_any_two_pieces_changes_no_bit(
    machine: str, seeds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = ended(Run(posed(machine), METHOD, Limits(1e-3)))
    for seed in range(3, 3 + seeds):
        interrupt(monkeypatch, seed)
        run = Run(posed(machine), METHOD, Limits(1e-3))
        while run.running:
            run.advance(60)
            if run.running:
                run = Run.load(posed(machine), io.BytesIO(run.pack()), METHOD)
        assert_same(whole, run)


def test_rows_have_the_columns_in_use_and_the_memory_of_all() -> None:
    run, widths = Run(posed(), METHOD, Limits(1e-3)), []
    while run.running:
        run.advance(1)
        gram = run.current.part.gram
        if gram._inner is not None:
            widths.append(len(gram._inner))
            assert gram.store.size == 0
            assert 4 * gram._inner.capacity * len(gram._inner) <= STORE * 2**20
    assert widths[0] == 102  # a quarter of every class
    assert 102 < widths[-1] <= 161  # 161 rows of 161 numbers fit


@pytest.mark.parametrize("machine", ["ww", "cs", "llw"])
def test_examples_that_stay_keep_their_kernel_values(machine: str) -> None:
    """And a run that goes on from a checkpoint there has the same bits."""
    whole, run = ended(Run(posed(machine), METHOD, Limits(1e-3))), Run(posed(machine), METHOD, Limits(1e-3))
    longest = 0
    while run.running:
        run.advance(1)
        inner = run.current.part.gram._inner
        if inner is None or inner.chain is None or not inner.whole or len(inner.chain.lists) <= longest:
            continue
        longest = len(inner.chain.lists)
        run = Run.load(posed(machine), io.BytesIO(run.pack()), METHOD)
    assert longest > 1
    assert_same(whole, run)


def test_the_store_has_room_for_the_matrix_of_the_first_sample() -> None:
    run = Run(posed(), Auto(replace(METHOD.budget, shrunk_sample=1.0)), Limits(1e-3))
    run.advance(1)
    inner = run.current.part.gram._inner
    assert inner is not None
    assert len(inner) > 102
    assert inner.capacity == len(inner)


def test_where_it_stalls_blocks_of_all_examples_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(posed(), METHOD, Limits(1e-3))
    while run.current.state.shrunk.examples.size <= 102:
        run.advance(1)

    def stall(*arguments: object) -> Progress:
        return Progress.STALLED

    before = run.certificate().dual
    monkeypatch.setattr(shrunk, "advance", stall)
    ended(run)
    assert run.ending is Ending.CONVERGED
    assert [decision.phase for decision in run.decisions] == ["shrunk", "blocks"]
    assert run.certificate().dual >= before
    assert run.current.part.gram._inner is None


def test_a_start_from_outside_is_kept() -> None:
    start = finished(posed(cost=2.0), tolerance=1e-3).alphas()
    run = Run(posed(), METHOD, Limits(1e-3), start)
    before = certify(posed().part(0), start[0]).certificate.dual
    run.advance(1)
    assert run.certificate().dual >= before
    assert ended(run).ending is Ending.CONVERGED


def test_a_claim_that_forgot_violating_examples_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    """None but those that violate now are looked at until the run has refuted the claim; then all are."""
    refuted: list[int] = []
    monkeypatch.setattr(shrunk, "unsettled", lambda part, *_: np.zeros(len(part), dtype=bool))
    doubt = Auto.refuted

    def noted(self: Auto, part: Part, state: AutoState) -> None:
        refuted.append(state.steps)
        doubt(self, part, state)

    monkeypatch.setattr(Auto, "refuted", noted)
    run = ended(Run(posed(), METHOD, Limits(1e-3)))
    assert refuted
    assert run.ending is Ending.CONVERGED
    assert run.certificate().violation <= 1e-3
    assert run.current.state.shrunk.doubted


@pytest.mark.parametrize("store", [0.02, 0.1, 0.3])
@pytest.mark.parametrize("machine", ["ww", "cs", "ova"])
def test_functions_of_all_are_exact_at_every_look_at_all(
    machine: str, store: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of those in use, of those not settled, and of the rest, whatever has moved since their last look."""
    look_at_rest, wrong = shrunk.look_at_rest, []

    def watched(part: Part, state: BlockState, some: shrunk.Shrunk) -> None:
        look_at_rest(part, state, some)
        products = part.gram.products(weights_of(part, state.alpha))
        wrong.append(np.abs(state.functions - state.constant - products).max())

    monkeypatch.setattr(shrunk, "look_at_rest", watched)
    problem = problem_of(X, Y, machine, cost=3.0, cache_mb=store)
    run = ended(Run(problem, METHOD, Limits(1e-3)))
    assert run.ending is Ending.CONVERGED
    watched(run.current.part, run.current.state, run.current.state.shrunk)  # a claim comes before that look
    assert max(wrong) < 1e-4


@pytest.mark.parametrize("machine", ["ww", "cs", "ovo"])
def test_a_gap_rules_alone(machine: str) -> None:
    run = ended(Run(posed(machine), METHOD, Limits(1e-1, 1e-6)))
    assert run.ending is Ending.CONVERGED
    assert run.certificate().relative_gap <= 1e-6


def test_a_refuted_claim_goes_on_with_exact_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were what functions change by wrong by a hundredth, the run would still end at the optimum."""
    exact = shrunk.single_products

    def rough(kernel: object, points: object, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
        found = exact(kernel, points, rows, weights)  # type: ignore[arg-type]
        return 0.99 * found

    monkeypatch.setattr(shrunk, "single_products", rough)
    run = ended(Run(posed(), METHOD, Limits(1e-3)))
    assert run.ending is Ending.CONVERGED
    assert run.certificate().violation <= 1e-3


def test_a_large_store_needs_no_shrinking() -> None:
    problem = problem_of(X, Y)
    assert Auto(replace(BUDGET, **SMALL)).opening(problem.part(0)) is Phase.BLOCKS
    assert METHOD.opening(posed().part(0)) is Phase.SHRUNK


def test_more_memory_costs_no_more_kernel_values() -> None:
    """A few rows of one class against thousands: few support vectors, however many rows the store has room for."""
    x = np.random.default_rng(3).normal(size=(5000, 2))
    y = np.repeat([0, 1], [15, 4985])
    x[:15] += 2.5
    values = []
    for room in (4.0, 40.0):
        run = ended(Run(problem_of(x, y, "ovo", cost=1.0, cache_mb=room), "auto", Limits(1e-3)))
        assert run.ending is Ending.CONVERGED
        assert {decision.phase for decision in run.decisions} == {"shrunk"}
        values.append(run.kernel_evaluations)
    assert values[1] <= 1.05 * values[0]
    assert values[1] <= 5000**2 / 8  # the rows of the trial, at most


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("stopped", [False, True])
def test_kernel_rows_of_a_pair_are_given_back_when_it_ends(threads: int, stopped: bool) -> None:
    """50,000 x 54 with a cache of 2,000 MB held the rows of an earlier pair as well, 2,000 MB more."""
    grams: weakref.WeakSet[Gram] = weakref.WeakSet()
    begin = Gram.__init__

    def watched(gram: Gram, *given: object, **named: object) -> None:
        begin(gram, *given, **named)  # type: ignore[arg-type]
        grams.add(gram)

    run = Run(posed("ovo"), METHOD, Limits(1e-3))
    gc.collect()
    gc.disable()
    try:
        with pytest.MonkeyPatch.context() as patch, limited(threads):
            patch.setattr(Gram, "__init__", watched)
            while run.running:
                run.advance(1)
                if stopped and run._finished:
                    run.stop()
        del run
        deadline = time.monotonic() + 10.0
        while len(grams) and time.monotonic() < deadline:
            time.sleep(0.01)  # a helper drops its part when it leaves
        assert [gram for gram in grams if gram.store.size or gram._inner is not None] == []
        assert len(grams) == 0
    finally:
        gc.enable()


def test_the_rows_of_earlier_examples_are_given_back_at_once() -> None:
    """Without waiting for a collection: 50 000 x 20 held 9.5 GB with a cache of 500 MB."""
    run, grams = Run(posed(), METHOD, Limits(1e-3)), weakref.WeakSet()
    gc.disable()
    try:
        while run.running:
            run.advance(1)
            inner = run.current.part.gram._inner
            if inner is not None:
                grams.add(inner)
            del inner
            assert len(grams) <= 1
    finally:
        gc.enable()


def test_every_part_of_a_shared_store_has_its_trial() -> None:
    """Rows that an earlier part has left bring a part to support vectors before it computes a row of its own."""
    problem = posed("ova")
    gram = problem.whole_gram()
    gram.fetch(np.arange(40))
    part, trial = problem.part(1, gram), shrunk.Shrunk()
    state = AutoState.zero(part)
    state.alpha[:10] = 1.0
    shrunk.prolong_trial(part, state, trial, METHOD.budget)
    assert not trial.tried
    assert trial.trial.left == int(METHOD.budget.shrunk_trial * len(part))


@pytest.mark.parametrize(("support", "tried", "few"), [(5, False, True), (30, True, False)])
def test_a_trial_of_few_support_vectors_is_prolonged(support: int, tried: bool, few: bool) -> None:
    """Few of 40 rows are of support vectors: the trial continues, and a later sample begins small."""
    part, trial = posed("ova").part(0), shrunk.Shrunk()
    part.gram.fetch(np.arange(40))
    state = AutoState.zero(part)
    state.alpha[:support] = 1.0
    trial.trial.looks, trial.trial.used = 1, 40
    shrunk.prolong_trial(part, state, trial, METHOD.budget)
    assert (trial.tried, trial.few) == (tried, few)
    share = METHOD.budget.shrunk_sample_few if few else METHOD.budget.shrunk_sample
    assert shrunk.share_of(trial, METHOD.budget) == share
