"""What is promised of every training, whoever else trains beside it and whatever was trained before."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from small_data import blobs, problem_of

from mcsvm import MultiClassSVC
from mcsvm.solvers.budget import BUDGET
from mcsvm.solvers.methods.auto.conductor import Auto
from mcsvm.solvers.run import warmup
from mcsvm.solvers.run.loop import Limits, Run

X, Y = blobs(n=60, classes=3, features=3, seed=5)


def ended(run: Run) -> Run:
    while run.running:
        run.advance()
    return run


def test_homotopy_in_cost_keeps_a_given_start() -> None:
    free = Auto(replace(BUDGET, homotopy_start_price=0.0, homotopy_stage_price=0.0, decide_first=1))
    start = ended(Run(problem_of(X, Y, "ww", cost=8e3), "auto", Limits(0.05))).alphas()
    run = Run(problem_of(X, Y, "ww", cost=1e4), free, Limits(1e-4), start)
    before = run.certificate().dual
    while run.running:
        run.advance(1)
        dual = run.certificate().dual
        assert dual >= before * (1.0 - 2e-6)
        before = dual
    assert "homotopy" in {decision.phase for decision in run.decisions}


def test_the_names_of_classes_choose_no_method() -> None:
    rng = np.random.default_rng(0)
    sizes = [15, 15, 400, 400]
    y = np.repeat(np.arange(4), sizes)
    x = rng.normal(size=(y.size, 40)) + rng.normal(size=(4, 40))[y]
    used = [Run(problem_of(x, labels, "ovo", "linear"), "auto", Limits(1e-2)) for labels in (y, 3 - y)]
    assert len({ended(run).solver_used for run in used}) == 1


@pytest.mark.parametrize("solver", ["lasvm", "linear"])
def test_random_state_decides_the_lots(solver: str) -> None:
    kernel = "linear" if solver == "linear" else "rbf"

    def fitted(seed: int) -> np.ndarray:
        model = MultiClassSVC(machine="ova", bias="exact" if solver == "lasvm" else "none", solver=solver,
                              kernel=kernel, random_state=seed)  # fmt: skip
        return model.fit(X, Y).dual_coef_

    np.testing.assert_array_equal(fitted(7), fitted(7))
    assert fitted(0).shape != fitted(7).shape or not np.array_equal(fitted(0), fitted(7))


@pytest.mark.parametrize("machine", ["ww", "llw", "cs", "ova", "ovo"])
def test_a_gap_tolerance_rules_alone(machine: str) -> None:
    model = MultiClassSVC(machine=machine, C=100.0, tol=0.5, gap_tol=1e-6).fit(X, Y)
    assert model.ending_.value == "converged"
    assert model.certificate_.relative_gap <= 1e-6


@pytest.mark.parametrize("limit", [{"max_iter": 3}, {"time_limit": 1e-9}])
def test_a_limit_warns_and_names_the_gap(limit: dict[str, Any]) -> None:
    with pytest.warns(ConvergenceWarning, match="relative gap"):
        MultiClassSVC(machine="ww", C=100.0, tol=1e-9, **limit).fit(X, Y)


def test_a_second_thread_waits_until_all_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    began, go_on, returned = threading.Event(), threading.Event(), threading.Event()
    part = problem_of(X, Y, "ww").part(0)
    method = Run(problem_of(X, Y, "ww")).method

    def rehearse(*_: object) -> None:
        began.set()
        go_on.wait(20.0)

    monkeypatch.setattr(warmup, "_rehearse", rehearse)
    monkeypatch.setattr(warmup, "_warm", set())

    def second() -> None:
        warmup.warm_up(method, part)
        returned.set()

    threads = [threading.Thread(target=warmup.warm_up, args=(method, part)), threading.Thread(target=second)]
    threads[0].start()
    began.wait(20.0)
    threads[1].start()
    early = returned.wait(0.2)
    go_on.set()
    for thread in threads:
        thread.join()
    assert not early


@pytest.mark.parametrize("machine", ["ww", "ova"])
def test_a_second_run_of_a_problem_is_like_the_first(machine: str) -> None:
    problem = problem_of(*blobs(n=400, classes=3, seed=2), machine, cost=50.0, cache_mb=0.2)
    first = ended(Run(problem, "auto", Limits(1e-5)))
    counted = first.kernel_evaluations
    second = ended(Run(problem, "auto", Limits(1e-5)))
    assert counted == first.kernel_evaluations == second.kernel_evaluations
    for one, other in zip(first.alphas(), second.alphas(), strict=True):
        np.testing.assert_array_equal(one, other)
