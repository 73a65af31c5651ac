"""The model of a run that still goes on, against the one that is proved."""

import numpy as np
import pytest

from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.posing import pose
from mcsvm.solvers.run.loop import Limits, Run
from tests.small_data import blobs


def run_of(machine: str, bias: str, tolerance: float = 1e-3) -> tuple[Run, np.ndarray]:
    features, labels = blobs(45, 3)
    problem = pose(features, labels, machine=machine, kernel=KERNELS["rbf"](gamma=0.5), bias=bias)
    return Run(problem, "s2do", Limits(tolerance=tolerance)), features


@pytest.mark.parametrize("bias", ["none", "regularized", "exact"])
@pytest.mark.parametrize("machine", MACHINES)
def test_at_the_end_it_is_the_proved_model(machine: str, bias: str) -> None:
    run, features = run_of(machine, bias)
    while run.running:
        run.advance()
    expected = run.model().decision(features)
    np.testing.assert_allclose(run.running_model().decision(features), expected, atol=1e-12)


@pytest.mark.parametrize("bias", ["none", "regularized", "exact"])
@pytest.mark.parametrize("machine", ["ww", "llw", "cs", "ova", "ovo"])
def test_on_the_way_it_is_near_the_model_of_a_stop(machine: str, bias: str) -> None:
    run, features = run_of(machine, bias, tolerance=1e-6)
    before = run.running_model()
    assert before.support.size == 0
    while run.running:
        run.advance(50)
        if run.sample().relative_gap < 1e-4 and run.running:
            break
    stands = run.running_model().decision(features)
    run.stop()
    np.testing.assert_allclose(stands, run.model().decision(features), atol=0.2)
