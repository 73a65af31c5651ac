"""The interior point's pieces against dense linear algebra, and `auto` changing over to it."""

from __future__ import annotations

import io

import numpy as np
import pytest
from small_data import blobs, dense_kernel, finished, problem_of

from solvers.factor.layout import Layout
from solvers.factor.normal import Columns, Diagonal, Separate, Together, normals_for
from solvers.factor.path import Path
from solvers.factor.pivoted import Factor
from solvers.kernels import KERNELS
from solvers.machines import MACHINES
from solvers.methods.auto import price, proximal
from solvers.problem import Part, pose
from solvers.run.ending import Ending
from solvers.run.loop import Limits, Run

X, Y = blobs(n=24, classes=4, features=3, seed=5)
BIASES = "none", "regularized", "exact"


def part_of(machine: str, bias: str, kernel: str = "rbf") -> Part:
    return problem_of(X, Y, machine, kernel, cost=2.0, bias=bias).part(0)


@pytest.mark.parametrize(("kernel", "rank"), [("rbf", 24), ("linear", 3), ("polynomial", 10)])
def test_the_factor_is_the_kernel(kernel: str, rank: int) -> None:
    """Of degree 2 in three features: 1 + 3 + 6 monomials."""
    gram, K = part_of("ww", "none", kernel).gram, dense_kernel(kernel, X, X)
    factor = Factor(gram)
    factor.grow(gram, 2)
    first = factor.V.copy()
    rest = np.trace(K - first @ first.T) / np.trace(K)
    assert factor.rest == pytest.approx(rest, rel=1e-6)
    factor.grow(gram, 24)
    assert factor.rank == rank
    assert factor.rest_at(2) == pytest.approx(rest, rel=1e-6)
    np.testing.assert_array_equal(factor.V[:, :2], first)
    np.testing.assert_allclose(factor.V @ factor.V.T, K, atol=1e-6)


def dense_system(layout: Layout, own: np.ndarray, bound: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Q + D and the weights' sums, from the table of directions alone."""
    part = layout.part
    d = np.vstack([part.form.direction[y][slots] for y, slots in zip(part.labels, layout.slot, strict=True)])
    example = np.repeat(np.arange(len(part)), layout.slot.shape[1])
    K = dense_kernel("rbf", X, X)[np.ix_(example, example)] + part.offset
    D = np.diag(own.ravel())
    together = example[:, None] == example if layout.sums else np.eye(example.size, dtype=bool)
    return (d @ d.T) * K + D + together * np.broadcast_to(bound, own.shape).ravel(), d


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("machine", [name for name, machine in MACHINES.items() if machine.split != "pairs"])
def test_a_newton_system_is_solved(machine: str, bias: str) -> None:
    part, rng = part_of(machine, bias), np.random.default_rng(0)
    layout = Layout(part)
    columns = Columns(part.gram, part.offset, part.balanced, 100)
    columns.use(100)
    path = Path(layout, columns, np.zeros(part.form.outputs))
    own = np.exp(rng.normal(scale=3.0, size=layout.slot.shape))
    bound = np.exp(rng.normal(scale=3.0, size=(Y.size, 1) if layout.sums else layout.slot.shape))
    right, off = rng.normal(size=layout.slot.shape), np.zeros(part.form.outputs)
    matrix, d = dense_system(layout, own, bound)
    for normal in normals_for(layout, columns):
        diagonal, path.normal, path.error = Diagonal(layout, own, bound), normal, 0.0
        assert normal.prepare(diagonal)
        x, b = path._solve(diagonal, right, off)
        np.testing.assert_allclose(matrix @ x.ravel() + d @ b, right.ravel(), atol=1e-8)
        if part.balanced:
            np.testing.assert_allclose(d.T @ x.ravel(), 0.0, atol=1e-8)


def test_which_machines_are_solved_class_by_class() -> None:
    kinds = {name: type(normals_for(Layout(part_of(name, "none")), None)[0]) for name in MACHINES}  # type: ignore[arg-type]
    apart = {name for name, kind in kinds.items() if kind is Separate}
    assert apart == {"llw", "ats", "mmr", "ova", "ovo", "dag"}
    assert {kind for name, kind in kinds.items() if name not in apart} == {Together}


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("machine", ["ww", "cs", "llw", "ova", "ovo"])
def test_a_relative_gap_of_1e_8(machine: str, bias: str) -> None:
    problem = problem_of(X, Y, machine, cost=10.0, bias=bias, class_weight=[1.0, 2.0, 0.5, 1.0])
    run = finished(problem, "ipm", 1e-12, gap_tolerance=1e-8, steps=300_000)
    assert run.ending is Ending.CONVERGED
    assert run.certificate().relative_gap <= 1e-8


@pytest.mark.parametrize("machine", ["ww", "cs", "llw", "ova", "ovo"])
def test_a_gap_reached_between_the_bounds_ends_at_them(machine: str) -> None:
    """An interior point has every example as a support vector; its optimum has not."""
    x, y = blobs(n=60, classes=3, features=2, seed=1)
    optimum = finished(problem_of(x, y, machine, cost=10.0), "s2do", 1e-7)
    run = finished(problem_of(x, y, machine, cost=10.0), "ipm", 1e-12, gap_tolerance=1e-2)
    assert run.ending is Ending.CONVERGED
    assert run.certificate().relative_gap <= 1e-2
    wrong = run.supporting()[0] != optimum.supporting()[0]
    assert wrong.sum() <= 0.05 * y.size


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interior point is said to cost nothing, and nothing else takes its place."""
    monkeypatch.setattr(proximal, "due", lambda part, state: False)
    monkeypatch.setattr(price, "least", lambda part: 0.0)
    monkeypatch.setattr(price, "interior", lambda part, affordable: 0.0)


@pytest.mark.usefixtures("cheap")
@pytest.mark.parametrize("machine", ["ww", "cs", "llw", "ovo"])
def test_auto_changes_over_and_says_so(machine: str) -> None:
    def begun() -> Run:
        return Run(problem_of(X, Y, machine, cost=100.0), "auto", Limits(1e-6))

    run = begun()
    assert run.solver_used == "auto"
    run.advance(1)
    assert run.solver_used == "ipm"
    stored = run.pack()
    while run.running:
        run.advance()
    assert run.ending is Ending.CONVERGED
    assert run.solver_used == ("ipm" if machine != "ovo" else "auto+ipm")  # some pairs are done before they are asked
    again = Run.load(problem_of(X, Y, machine, cost=100.0), io.BytesIO(stored))
    while again.running:
        again.advance()
    assert again.solver_used == run.solver_used
    for one, other in zip(run.alphas(), again.alphas(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_prices_rise_with_the_rank_and_a_rough_kernel_has_none() -> None:
    x = np.random.default_rng(1).normal(size=(1000, 20))

    def asked(gamma: float) -> float:
        part = pose(x, np.arange(1000) % 3, machine="llw", kernel=KERNELS["rbf"](gamma=gamma)).part(0)
        return price.interior(part, np.inf)

    assert 0.0 < asked(1e-6) < asked(1e-4)
    assert asked(1.0) == np.inf
