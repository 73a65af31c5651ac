"""Every oracle against a linear programme written down in full, on the whole set and on a face of it."""

import numpy as np
import pytest
from scipy.optimize import linprog

from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.methods.frank_wolfe.chunk import Chunk, cut
from mcsvm.solvers.methods.frank_wolfe.correction import ChunkFace
from mcsvm.solvers.methods.frank_wolfe.oracles import oracle_of
from mcsvm.solvers.methods.frank_wolfe.steps import step_size
from mcsvm.solvers.posing import pose


def chunk_of(machine: str, bias: str, steps: int, seed: int) -> Chunk:
    """A sub-problem at a point that is neither zero nor optimal, costs differing by class."""
    random = np.random.default_rng(seed)
    problem = pose(
        random.normal(size=(14, 2)), np.arange(14) % 4, machine=machine, kernel=KERNELS["rbf"](0.5),
        cost=1.5, bias=bias, class_weight=[1.0, 2.0, 0.7, 1.0],
    )  # fmt: skip
    part = problem.part(0)
    state = METHODS["fw"].start(part, 0)
    if steps:
        METHODS["fw-pairwise"].advance(part, state, steps, 0.5)
    examples = np.arange(1, 12)
    points = part.gram.points.take(examples)
    return cut(part, state, examples, part.gram.kernel.block(points, points, np.empty((11, 11))))


def matrices(rows: list[tuple[np.ndarray, float]], left: str, right: str) -> dict[str, np.ndarray]:
    return {left: np.array([row for row, _ in rows]), right: np.array([value for _, value in rows])} if rows else {}


def written_out(chunk: Chunk, gradient: np.ndarray, face: bool) -> float:
    """The largest <gradient, s>, by HiGHS on constraints that share no code with the oracles."""
    low, high = np.zeros(chunk.point.size), chunk.upper.copy()
    above, equal = [], []
    groups = [np.flatnonzero(chunk.member == number) for number in np.unique(chunk.member)]
    for group in groups if chunk.groups is not None else []:
        row = np.zeros(chunk.point.size)
        row[group] = 1.0
        full = face and chunk.point[group].sum() >= chunk.upper[group[0]] * (1 - 1e-12)
        (equal if full else above).append((row, chunk.upper[group[0]]))
    if chunk.balanced:
        equal += list(zip(chunk.balance, chunk.target, strict=True))
    if face:
        high[chunk.point == 0.0] = 0.0
        low = np.where(chunk.point == chunk.upper, chunk.upper, low) if chunk.groups is None else low
    limits = matrices(above, "A_ub", "b_ub") | matrices(equal, "A_eq", "b_eq")
    solution = linprog(-gradient, bounds=np.column_stack([low, high]), **limits)
    assert solution.status == 0
    return -float(solution.fun)


SETS = [("ww", "none"), ("cs", "none")] + [(machine, "exact") for machine in ("ww", "llw", "cs", "atm", "ova")]


@pytest.mark.parametrize(("machine", "bias"), SETS)
@pytest.mark.parametrize("steps", [0, 1, 30])
@pytest.mark.parametrize("face", [False, True])
@pytest.mark.parametrize("seed", [0, 1])
def test_no_vertex_is_better(machine: str, bias: str, steps: int, face: bool, seed: int) -> None:
    chunk = chunk_of(machine, bias, steps, seed)
    gradient = np.random.default_rng(seed + 7).normal(size=chunk.point.size)
    vertex, bias_found = oracle_of(chunk)(chunk, gradient, face)
    best = written_out(chunk, gradient, face)
    assert gradient @ vertex == pytest.approx(best, abs=1e-8 * max(1.0, abs(best)))
    assert np.all(vertex >= 0.0)
    assert np.all(vertex <= chunk.upper)
    if chunk.balanced:
        np.testing.assert_allclose(chunk.balance @ vertex, chunk.target, atol=1e-12)
        if not face and chunk.groups is None:
            weak = np.maximum(chunk.reduced(gradient, bias_found), 0.0) @ chunk.upper + bias_found @ chunk.target
            assert weak == pytest.approx(best, abs=1e-8)  # its multipliers are the bias of least loss
    if chunk.groups is not None:
        assert np.all(chunk.groups.sums(vertex) <= chunk.groups.limits * (1 + 1e-12))


@pytest.mark.parametrize(("machine", "bias"), SETS)
def test_directions_of_a_face_stay_in_it(machine: str, bias: str) -> None:
    chunk = chunk_of(machine, bias, 30, 0)
    face = ChunkFace(chunk)
    direction = face.project(np.random.default_rng(1).normal(size=chunk.point.size))
    assert np.all(direction[~chunk.free()] == 0.0)
    np.testing.assert_allclose(face.project(direction), direction, atol=1e-12)
    if chunk.balanced:
        np.testing.assert_allclose(chunk.balance @ direction, 0.0, atol=1e-12)
    if chunk.groups is not None:
        full = chunk.groups.full(chunk.point)
        np.testing.assert_allclose(chunk.groups.sums(direction)[full], 0.0, atol=1e-12)


@pytest.mark.parametrize(("machine", "bias"), SETS)
def test_room_ends_at_the_first_bound(machine: str, bias: str) -> None:
    chunk = chunk_of(machine, bias, 30, 0)
    oracle, gradient = oracle_of(chunk), chunk.gradient()
    direction = oracle(chunk, gradient, False)[0] - oracle(chunk, -gradient, True)[0]
    room = chunk.room(direction)

    def outside(step: float) -> float:
        point = chunk.point + step * direction
        over = point - chunk.upper if chunk.groups is None else chunk.groups.sums(point) - chunk.groups.limits
        return float(max(over.max(), -point.min()))

    assert outside(room) <= 1e-12
    assert outside(1.01 * room + 1e-6) > 1e-9


def test_a_step_is_exact_and_goes_all_the_way_where_nothing_curves() -> None:
    assert step_size(2.0, 4.0, 1.0) == 0.5
    assert step_size(2.0, 1.0, 1.0) == 1.0
    assert step_size(2.0, -1.0, 0.25) == 0.25
    assert step_size(2.0, 0.0, 3.0) == 3.0
