"""Whatever alpha a run is given to start from, it ends where a run from zero does, and feasible."""

import numpy as np
import pytest
from combinations import BIASES, accepted
from small_data import blobs, home, problem_of

from mcsvm.solvers.dual.certificate import Certificate
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.run.loop import Limits, Run

X, Y = blobs(n=18, classes=3, seed=3)
COST = 1.5
GAP = 1e-4
MACHINES = "ww", "llw", "cs", "ova", "ovo"
QUICK = [name for name in METHODS if name != "fw"]  # which is sublinear: the gap would take minutes


def certificate_of(machine: str, method: str, bias: str, *, warm: bool) -> Certificate:
    problem = problem_of(X, Y, machine, home(method), cost=COST, bias=bias)
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


@pytest.mark.parametrize(("machine", "method", "bias"), accepted(MACHINES, QUICK, BIASES))
def test_any_start_leads_to_the_optimum(machine: str, method: str, bias: str) -> None:
    cold = certificate_of(machine, method, bias, warm=False)
    warm = certificate_of(machine, method, bias, warm=True)
    assert warm.infeasibility < 1e-9
    assert warm.relative_gap < 2 * GAP
    assert warm.dual <= cold.primal * (1 + 1e-9)
    assert cold.dual <= warm.primal * (1 + 1e-9)
