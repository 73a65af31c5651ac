"""Newton steps on faces, and the dense interior point, against conditions of optimality written out."""

from __future__ import annotations

import numpy as np
import pytest

from mcsvm.solvers.dense.interior import DenseInterior
from mcsvm.solvers.dense.newton import BalancedFace, Face, SumsFace

GROUPS, EACH = 30, 3
V = GROUPS * EACH


def problem(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(V, V))
    return rows @ rows.T / V + 0.01 * np.eye(V), rng.normal(size=V)


def test_a_step_ends_at_the_maximum_where_all_stay_free() -> None:
    Q, g = problem()
    value = np.full(V, 500.0)
    face = Face(Q, g.copy(), value, np.zeros(V), np.full(V, 1000.0), np.zeros(V, np.int64))
    assert face.newton_step()
    np.testing.assert_allclose(value - 500.0, np.linalg.solve(Q, g), atol=1e-6)
    np.testing.assert_allclose(face.gradient, 0.0, atol=1e-6)


def test_one_balance_is_kept() -> None:
    Q, g = problem()
    value = np.linspace(1.0, 2.0, V)
    face = BalancedFace(Q, g.copy(), value, np.full(V, -1000.0), np.full(V, 1000.0), np.zeros(V, np.int64))
    total = value.sum()
    assert face.newton_step()
    assert value.sum() == pytest.approx(total)
    assert np.ptp(face.gradient) <= 1e-6


def test_slacks_past_the_end_of_Q_have_no_curvature() -> None:
    """The same step as with rows and columns of zeros; later ones may differ in which variables rounding frees."""
    Q, g = problem()
    member = np.repeat(np.arange(GROUPS), EACH)
    group, bound = np.concatenate([member, np.arange(GROUPS)]), np.full(GROUPS, 4.0)
    start = np.full(V + GROUPS, 1.0)
    start[:EACH], start[V] = 0.0, 4.0
    high, gradient = np.full(V + GROUPS, 4.0), np.concatenate([g, np.zeros(GROUPS)])
    whole = np.zeros((V + GROUPS, V + GROUPS))
    whole[:V, :V] = Q
    faces = [SumsFace(M, gradient.copy(), start.copy(), np.zeros(V + GROUPS), high, group) for M in (Q, whole)]
    assert all(face.newton_step() for face in faces)
    np.testing.assert_allclose(faces[0].value, faces[1].value, atol=1e-9)
    np.testing.assert_allclose(faces[0].gradient, faces[1].gradient, atol=1e-9)
    assert faces[0].value @ gradient > start @ gradient
    np.testing.assert_allclose(np.bincount(group, weights=faces[0].value), bound)
    assert bound[0] == faces[0].value[V] + faces[0].value[:EACH].sum()


def test_an_interior_point_solves_a_box() -> None:
    Q, c = problem()
    upper = np.full(V, 2.0)
    x = DenseInterior(Q, c, np.arange(V), upper).solve(0.5 * upper, 1e-8)
    slope = c - Q @ x
    assert np.abs(slope[(x > 0.0) & (x < upper)]).max() <= 1e-4
    assert slope[x == 0.0].max(initial=0.0) <= 1e-4
    assert slope[x == upper].min(initial=0.0) >= -1e-4


def test_an_interior_point_solves_sums() -> None:
    Q, c = problem()
    group, bound = np.repeat(np.arange(GROUPS), EACH), np.full(GROUPS, 1.5)
    x = DenseInterior(Q, c, group, bound).solve(np.full(V, 0.3), 1e-8)
    slope, sums = (c - Q @ x).reshape(GROUPS, EACH), x.reshape(GROUPS, EACH).sum(axis=1)
    assert (sums <= bound * (1.0 + 1e-12)).all()
    level = np.where(sums >= bound * (1.0 - 1e-9), np.maximum(slope.max(axis=1), 0.0), 0.0)
    assert (slope - level[:, None]).max() <= 1e-4
    assert (np.where(x.reshape(GROUPS, EACH) > 0.0, level[:, None] - slope, 0.0)).max() <= 1e-4


def test_an_interior_point_finds_the_balance() -> None:
    Q, c = problem()
    sign = np.where(np.arange(V) % 2 == 0, 1.0, -1.0)
    upper = np.full(V, 2.0)
    x = DenseInterior(Q, c, np.arange(V), upper, sign, 3.0).solve(0.5 * upper, 1e-8)
    assert sign @ x == pytest.approx(3.0, abs=1e-4)
    slope = (c - Q @ x)[(x > 0.0) & (x < upper)] * sign[(x > 0.0) & (x < upper)]
    assert np.ptp(slope) <= 1e-4
