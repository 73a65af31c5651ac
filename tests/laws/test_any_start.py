"""Whatever alpha a run is given to start from, it ends where a run from zero does, and feasible."""

import numpy as np
import pytest
from small_data import blobs, problem_of

from solvers import InputError
from solvers.dual.certificate import Certificate
from solvers.machines import MACHINES
from solvers.methods import METHODS
from solvers.run.loop import Limits, Run

X, Y = blobs(n=18, classes=3, seed=3)
COST = 1.5
GAP = 1e-4


def certificate_of(machine: str, method: str, bias: str, *, warm: bool) -> Certificate:
    problem = problem_of(X, Y, machine, "rbf", cost=COST, bias=bias)
    rng = np.random.default_rng(7)
    parts = [problem.part(number) for number in range(problem.part_count)]
    start = [
        rng.uniform(-0.5, 1.5 * COST, (len(part), part.form.slots)) * part.form.real[part.labels] for part in parts
    ]
    limits = Limits(1e-6, gap_tolerance=GAP, steps=200_000)
    run = Run(problem, method, limits, start=start if warm else None)
    while run.running:
        run.advance()
    return run.certificate()


@pytest.mark.parametrize("bias", ["none", "regularized", "exact"])
@pytest.mark.parametrize("method", [name for name in METHODS if name != "fw"])  # sublinear: the gap would take minutes
@pytest.mark.parametrize("machine", ["ww", "llw", "cs", "ova", "ovo"])
def test_any_start_leads_to_the_optimum(machine: str, method: str, bias: str) -> None:
    assert machine in MACHINES
    try:
        cold = certificate_of(machine, method, bias, warm=False)
    except InputError as refusal:
        pytest.skip(str(refusal))
    warm = certificate_of(machine, method, bias, warm=True)
    assert warm.infeasibility < 1e-9
    assert warm.relative_gap < 2 * GAP
    assert warm.dual <= cold.primal * (1 + 1e-9)
    assert cold.dual <= warm.primal * (1 + 1e-9)
