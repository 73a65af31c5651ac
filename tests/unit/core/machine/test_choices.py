"""What the form greys out is what a training would refuse, with the same words."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.posing import kernel_from, pose
from mcsvm.solvers.problem import default_bias
from mcsvm.solvers.run.loop import Run
from mcsvm_gui.core.machine.choices import (
    BIASES,
    FIRST_KERNELS,
    FIRST_MACHINES,
    FIRST_SOLVERS,
    FormChoice,
    choices,
    why_not,
)
from mcsvm_gui.core.machine.request import Request


def refused(request: Request, classes: int) -> str | None:
    """By a training that would really begin."""
    draw = np.random.default_rng(3)
    labels = np.concatenate([np.arange(classes), draw.integers(classes, size=5 * classes)])
    kernel = kernel_from(request.kernel, KERNELS, gamma=0.3, degree=2, coef0=1.0)
    try:
        problem = pose(
            draw.normal(size=(labels.size, 3)),
            labels,
            machine=request.machine,
            kernel=kernel,
            bias=request.bias,
            cost=7.0,
        )
        Run(problem, request.solver)
    except InputError as error:
        return str(error)
    return None


@pytest.mark.parametrize("classes", [2, 3, 11])
@pytest.mark.parametrize("machine", MACHINES)
def test_reasons_are_those_of_a_training(machine: str, classes: int) -> None:
    for solver, bias in product(METHODS, (None, *BIASES)):
        request = Request(machine=machine, solver=solver, bias=bias)
        assert why_not(request, classes) == refused(request, classes), (machine, solver, bias)


@pytest.mark.parametrize("kernel", FIRST_KERNELS)
@pytest.mark.parametrize("solver", METHODS)
def test_reasons_hold_for_every_kernel(solver: str, kernel: str) -> None:
    request = Request(solver=solver, kernel=kernel)
    assert why_not(request, 3) == refused(request, 3)


def by_name(entries: tuple[FormChoice, ...]) -> dict[str, FormChoice]:
    return {entry.name: entry for entry in entries}


def test_all_that_is_registered_can_be_found() -> None:
    found = choices(Request(), 3)
    assert set(by_name(found.machines)) == set(MACHINES)
    assert set(by_name(found.solvers)) == set(METHODS)
    assert set(by_name(found.kernels)) == set(KERNELS)
    assert set(by_name(found.biases)) == set(BIASES)


def test_what_everyone_looks_for_comes_first() -> None:
    found = choices(Request(), 3)
    for entries, first in (
        (found.machines, FIRST_MACHINES),
        (found.solvers, FIRST_SOLVERS),
        (found.kernels, FIRST_KERNELS),
    ):
        assert tuple(entry.name for entry in entries if not entry.more) == first
        assert tuple(entry.name for entry in entries[: len(first)]) == first


def test_an_entry_says_why_it_does_not_go_with_the_rest() -> None:
    found = choices(Request(solver="whole-example"), 3)
    assert found.reason is not None
    machines = by_name(found.machines)
    assert machines["cs"].reason is None
    assert machines["ww"].reason == found.reason
    assert by_name(found.solvers)["auto"].reason is None
    assert "features" in str(by_name(found.kernels)["precomputed"].reason)


@pytest.mark.parametrize("kernel", FIRST_KERNELS)
def test_a_kernel_names_its_parameters(kernel: str) -> None:
    assert choices(Request(kernel=kernel), 3).parameters == KERNELS[kernel].parameters


@pytest.mark.parametrize("kernel", FIRST_KERNELS)
@pytest.mark.parametrize("machine", MACHINES)
def test_the_default_bias_and_margin_of_a_machine(machine: str, kernel: str) -> None:
    found = choices(Request(machine=machine, kernel=kernel), 4)
    assert found.default_bias == default_bias(MACHINES[machine], KERNELS[kernel])
    assert found.own_margin == MACHINES[machine].margin(4)
