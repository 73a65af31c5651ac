"""Newton systems in the columns of a factor, and their pieces, against dense linear algebra."""

from __future__ import annotations

import numpy as np
import pytest
from small_data import blobs, dense_kernel, problem_of

from mcsvm.solvers.dual.geometry import SUMS
from mcsvm.solvers.factor import normal as normals
from mcsvm.solvers.factor.layout import Layout
from mcsvm.solvers.factor.normal import DIAGONALS, Columns, Separate, Together, normals_for
from mcsvm.solvers.factor.path import Path
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.problem import Part

X, Y = blobs(n=24, classes=4, features=3, seed=5)
BIASES = "none", "regularized", "exact"


def part_of(machine: str, bias: str, kernel: str = "rbf") -> Part:
    return problem_of(X, Y, machine, kernel, cost=2.0, bias=bias).part(0)


def dense_system(layout: Layout, own: np.ndarray, bound: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Q + D and the weights' sums, from the table of directions alone."""
    part = layout.part
    d = np.vstack([part.form.direction[y][slots] for y, slots in zip(part.labels, layout.slot, strict=True)])
    example = np.repeat(np.arange(len(part)), layout.slot.shape[1])
    K = dense_kernel("rbf", X, X)[np.ix_(example, example)] + part.offset
    D = np.diag(own.ravel())
    together = example[:, None] == example if layout.part.geometry == SUMS else np.eye(example.size, dtype=bool)
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
    bound = np.exp(rng.normal(scale=3.0, size=layout.total(layout.margin).shape))
    right, off = rng.normal(size=layout.slot.shape), np.zeros(part.form.outputs)
    matrix, d = dense_system(layout, own, bound)
    for normal in normals_for(layout, columns):
        diagonal, path.normal, path.error = DIAGONALS[layout.part.geometry](own, bound), normal, 0.0
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
def test_products_with_the_columns(bias: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(normals, "HEIGHT", 7)
    part, rng = part_of("ova", bias), np.random.default_rng(0)
    columns = Columns(part.gram, part.offset, bias == "exact", 24)
    columns.use(10)
    V = columns.gather(np.arange(24)).T
    assert V.shape == (24, columns.width)
    np.testing.assert_allclose(V[:, columns.first :], columns.factor.V[:, :10])
    np.testing.assert_allclose(V[:, : columns.first], 0.0 if bias == "none" else 1.0)
    np.testing.assert_allclose(columns.squares, (V * V).sum(axis=1))
    weights, u = rng.normal(size=(24, 3)), rng.normal(size=(columns.width, 3))
    np.testing.assert_allclose(columns.reduce(weights), V.T @ weights)
    np.testing.assert_allclose(columns.expand(u), V @ u)
    np.testing.assert_allclose(columns.square(), V.T @ V)
    for weight in weights[:, 0], np.abs(weights[:, 1]):
        np.testing.assert_allclose(columns.weighted(weight), (V * weight[:, None]).T @ V, atol=1e-6)


def test_columns_stand_alike_however_they_came_there() -> None:
    part = part_of("ww", "regularized")
    at_once, by_steps = (Columns(part.gram, part.offset, False, 24) for _ in range(2))
    at_once.use(9)
    for rank in 4, 20, 9:
        by_steps.use(rank)
    assert at_once.width == by_steps.width == 10
    np.testing.assert_array_equal(at_once.squares, by_steps.squares)


def test_columns_suffice_when_the_next_ones_move_nothing() -> None:
    part = part_of("ww", "none")
    columns, weights = Columns(part.gram, 0.0, False, 24), np.random.default_rng(0).normal(size=(24, 4))
    columns.suffice(weights, np.inf)
    assert columns.rank == 0
    columns.suffice(weights, 1e-3)
    exact = dense_kernel("rbf", X, X) @ weights
    assert np.abs(columns.functions(weights) - exact).max() <= 1e-2
