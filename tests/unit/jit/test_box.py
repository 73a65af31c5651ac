"""Steps of one and two variables against a fine grid, and violations against their definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import JOINT, SUMS, direction, random_alpha
from small_data import blobs, problem_of

from mcsvm.solvers.dual.quantities import examine
from mcsvm.solvers.jit.box import pair_step, single_step

NUMBER = st.floats(-5.0, 5.0)
SHARE = st.floats(0.0, 1.0)
POSITIVE = st.floats(0.1, 5.0)


@settings(max_examples=200, deadline=None)
@given(ga=NUMBER, gb=NUMBER, qaa=POSITIVE, qbb=POSITIVE, angle=st.floats(-1.0, 1.0), a=SHARE, b=SHARE, ub=POSITIVE)
def test_a_pair_step_is_the_best_in_its_box(
    ga: float, gb: float, qaa: float, qbb: float, angle: float, a: float, b: float, ub: float
) -> None:
    qab, b = angle * np.sqrt(qaa * qbb), b * ub

    def gain(x: np.ndarray | float, z: np.ndarray | float) -> np.ndarray | float:
        return ga * x + gb * z - 0.5 * (qaa * x * x + 2.0 * qab * x * z + qbb * z * z)

    x, z = pair_step(a, b, ga, gb, qaa, qbb, qab, 1.0, ub)
    assert -1e-12 <= a + x <= 1.0 + 1e-12
    assert -1e-12 <= b + z <= ub + 1e-12
    grid = gain(*np.meshgrid(np.linspace(-a, 1.0 - a, 60), np.linspace(-b, ub - b, 60)))
    assert gain(x, z) >= np.max(grid) - 1e-9


@settings(max_examples=50, deadline=None)
@given(g=NUMBER, q=st.floats(0.0, 5.0), a=SHARE)
def test_a_single_step_is_the_best_on_its_line(g: float, q: float, a: float) -> None:
    x = single_step(a, g, q, 1.0)
    line = np.linspace(-a, 1.0 - a, 200)
    assert -1e-12 <= a + x <= 1.0 + 1e-12
    assert g * x - 0.5 * q * x * x >= np.max(g * line - 0.5 * q * line**2) - 1e-9


@pytest.mark.parametrize("machine", JOINT)
def test_the_violation_is_the_one_defined(machine: str) -> None:
    """The KKT violation: the gradient where a variable may follow it; in a sum, the best against the worst used."""
    x, y = blobs(n=20, classes=3, seed=17)
    part = problem_of(x, y, machine, cost=2.0).part(0)
    rng = np.random.default_rng(9)
    alpha, f = random_alpha(machine, y, part.upper, 3, rng), rng.normal(size=(20, 3))
    f -= f.mean(axis=1, keepdims=True)
    margin, worst = (0.5 if machine == "llw" else 1.0), []
    for i, own in enumerate(y):
        steps = {c: direction(machine, int(own), c, 3) for c in range(3)}
        gradient = {c: margin - step @ f[i] for c, step in steps.items() if step is not None}
        if machine in SUMS:
            full = alpha[i].sum() >= part.upper[i] * (1 - 1e-12)
            falling = [g for c, g in gradient.items() if alpha[i, c] > 0] + ([] if full else [0.0])
            worst.append(max(0.0, *gradient.values()) - min(falling))
        else:
            up = [g for c, g in gradient.items() if alpha[i, c] < part.upper[i]]
            down = [-g for c, g in gradient.items() if alpha[i, c] > 0]
            worst.append(max([0.0, *up, *down]))
    standing = examine(part, alpha, f)
    np.testing.assert_allclose(standing.violations, worst, atol=1e-12)
    assert standing.violation == pytest.approx(max(worst))
