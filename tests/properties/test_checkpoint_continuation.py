"""A run that is saved and loaded goes on with the same bits, wherever that happens."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from combinations import BIASES, accepted
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_data import blobs, home, problem_of

from mcsvm.solvers.budget import FRANK_WOLFE
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.machines.form import Machine
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.methods.frank_wolfe import method as fw
from mcsvm.solvers.model import dense_expansion
from mcsvm.solvers.problem import Problem
from mcsvm.solvers.run.loop import Limits, Run

X, Y = blobs(n=72, classes=3, features=3, seed=7)
TINY = 0.001  # MB of rows: the fewest there may be, so that most are evicted


def fresh(machine: str, bias: str | None = None, kernel: str = "rbf", **more: Any) -> Problem:
    return problem_of(X, Y, machine, kernel, cost=3.0, bias=bias, **{"cache_mb": TINY, **more})


def begun(problem: Problem, method: str, start: list[np.ndarray] | None = None) -> Run:
    return Run(problem, method, Limits(1e-3, steps=40 if method == "fw" else 600), start)


def advanced(run: Run, slice_length: int = 30, slices: int = 10**6) -> Run:
    while run.running and slices > 0:
        run.advance(slice_length)
        slices -= 1
    return run


def assert_same(one: Run, other: Run) -> None:
    assert (one.ending, one.iterations) == (other.ending, other.iterations)
    assert one.kernel_evaluations == other.kernel_evaluations
    assert [done.stalled for done in one._finished] == [done.stalled for done in other._finished]
    assert one.certificate() == other.certificate()
    for left, right in zip(one.alphas(), other.alphas(), strict=True):
        assert left.tobytes() == right.tobytes()
    left, right = one.model(), other.model()
    assert dense_expansion(left.expansion).tobytes() == dense_expansion(right.expansion).tobytes()
    assert left.bias.tobytes() == right.bias.tobytes()
    for name in ("iteration", "dual", "primal", "violation", "support", "bounded"):
        np.testing.assert_array_equal(one.trace[name], other.trace[name])


def kind(machine: Machine) -> tuple[object, ...]:
    """What of a machine a checkpoint can tell."""
    form = machine.form(3, 1.0)
    return machine.split, form.feasible, form.real.tobytes()


FIRST_OF_KIND = {kind(machine): name for name, machine in reversed(MACHINES.items())}
CASES = [
    # a regularized bias is a kernel like any other
    pytest.param(
        name, method, bias, marks=[pytest.mark.large] * (bias == "regularized" or name not in FIRST_OF_KIND.values())
    )
    for name, method, bias in accepted(MACHINES, METHODS, BIASES)
]


@pytest.mark.parametrize(("machine", "method", "bias"), CASES)
def test_every_method_goes_on_with_the_same_bits(machine: str, method: str, bias: str, tmp_path: Path) -> None:
    """Saved and loaded again and again, at the beginning, in between and at the end."""
    whole = advanced(begun(fresh(machine, bias, home(method)), method))
    run, path = begun(fresh(machine, bias, home(method)), method), tmp_path / "run"
    for slices in (0, 1, 4):
        run.save(path)
        run = advanced(Run.load(fresh(machine, bias, home(method)), path), slices=slices)
    run.save(path)
    assert_same(whole, advanced(Run.load(fresh(machine, bias, home(method)), path)))


@pytest.mark.slow
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(
    machine=st.sampled_from(["ww", "cs", "llw", "ova", "ovo"]),
    method=st.sampled_from(["auto", "s2do", "smo", "fw-away"]),
    length=st.integers(1, 300),
    cache_mb=st.sampled_from([TINY, 0.04, 500.0]),
    where=st.integers(0, 30),
)
def test_at_any_slice(
    machine: str, method: str, length: int, cache_mb: float, where: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("checkpoint") / "run"
    whole = advanced(begun(fresh(machine, cache_mb=cache_mb), method), length)
    advanced(begun(fresh(machine, cache_mb=cache_mb), method), length, where).save(path)
    assert_same(whole, advanced(Run.load(fresh(machine, cache_mb=cache_mb), path), length))


@pytest.mark.parametrize("machine", ["ww", "ovo"])
def test_a_given_start_is_kept_for_the_parts_not_yet_begun(machine: str, tmp_path: Path) -> None:
    solution = advanced(begun(fresh(machine), "auto")).alphas()
    start = [0.5 * alpha for alpha in solution]
    whole = advanced(begun(fresh(machine), "s2do", start))
    advanced(begun(fresh(machine), "s2do", start), slices=2).save(tmp_path / "run")
    assert_same(whole, advanced(Run.load(fresh(machine), tmp_path / "run")))


@pytest.mark.parametrize("machine", ["ww", "cs", "ova", "ovo"])
def test_chunks_of_frank_wolfe_too(machine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fw, "FRANK_WOLFE", replace(FRANK_WOLFE, whole=10, examples=16))
    whole = advanced(begun(fresh(machine), "fw-away"), 3)
    assert whole.iterations > 10
    advanced(begun(fresh(machine), "fw-away"), 3, 3).save(tmp_path / "run")
    assert_same(whole, advanced(Run.load(fresh(machine), tmp_path / "run"), 3))


def test_rows_were_evicted_in_these_tests() -> None:
    run = advanced(begun(fresh("ww"), "auto"))
    assert run.current.part.gram.capacity < Y.size
    assert run.kernel_evaluations > Y.size**2


def test_the_outer_iteration_on_the_bias_was_saved_in_these_tests() -> None:
    run = advanced(begun(fresh("ww", "exact"), "auto"), slices=4)
    assert run.current.view is not run.current.part
    assert run.current.state.constant.any()
    assert run.running
