"""One dense problem of all free and violating variables of a part, solved by Newton steps and pair steps in turn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcsvm.solvers.budget import INNER, Budget
from mcsvm.solvers.dense.interior import DenseInterior
from mcsvm.solvers.dense.newton import BalancedFace, Face, SumsFace
from mcsvm.solvers.dual.geometry import BOX, LINE, SUMS, Geometry
from mcsvm.solvers.interrupt import tick
from mcsvm.solvers.jit import box
from mcsvm.solvers.jit import line as pair
from mcsvm.solvers.jit import sums as simplex
from mcsvm.solvers.kernels import Points
from mcsvm.solvers.methods.base import NO_LIMIT
from mcsvm.solvers.problem import Part
from mcsvm.solvers.work import ENTRIES, PIECE, ROWS, VALUE, pieces


@dataclass
class Selection:
    """The v variables of a dense problem, ordered by example."""

    examples: np.ndarray  # their distinct examples
    member: np.ndarray  # (v,) index into `examples`
    slot: np.ndarray  # (v,)
    gradient: np.ndarray  # (v,)


def select(part: Part, alpha: np.ndarray, gradient: np.ndarray, threshold: float) -> Selection:
    """Select all free variables and those that violate by more than `threshold` (Geometry.working_set)."""
    return choose(part.geometry.working_set(part, alpha, gradient, threshold), gradient)


def foremost(
    part: Part, alpha: np.ndarray, gradient: np.ndarray, threshold: float, least: int, share: float
) -> Selection:
    """Select all free variables and the most violating of the others (Geometry.foremost)."""
    return choose(part.geometry.foremost(part, alpha, gradient, threshold, least, share), gradient)


def choose(chosen: np.ndarray, gradient: np.ndarray) -> Selection:
    """Return the selection of the True entries of `chosen`, (n, slots)."""
    example, slot = np.nonzero(chosen)
    examples, member = np.unique(example, return_inverse=True)
    return Selection(examples, member, slot, gradient[example, slot])


def exact_block(part: Part, examples: np.ndarray) -> np.ndarray:
    """Return K + offset among these examples in float64."""
    if part.gram.small:
        return part.gram.exact()[np.ix_(examples, examples)] + part.offset
    points, count = part.gram.points, examples.size
    chosen: Points = points.take(examples)
    part.gram.kernel.prepare(chosen, np.float64)
    values = np.empty((count, count))
    for rows in pieces(count, max(2.0 * count * (points.stored + VALUE), count * PIECE / ENTRIES)):
        tick()
        left = chosen if rows.stop - rows.start == count else chosen.take(np.arange(rows.start, rows.stop))
        part.gram.kernel.block(left, chosen, values[rows])
        values[rows] += part.offset
    return values


def polish(
    part: Part, alpha: np.ndarray, chosen: Selection, goal: float, budget: Budget, most: int = NO_LIMIT
) -> tuple[np.ndarray, int, bool]:
    """Return (new values of the chosen variables, steps <= most, whether the dense problem was solved to `goal`).

    Peak memory is 20 bytes per pair of variables: Q in float64 and float32, and the matrix of a Newton step or, during
    the construction of Q, the kernel values. Slacks are not counted.
    """
    rows = chosen.examples[chosen.member]
    kind = PROBLEMS[part.geometry]
    Q, single = coupled(part, chosen, kind.reading(part.form.direction[part.labels[rows], chosen.slot]))
    problem = kind(part, alpha, chosen, Q, single)
    steps, solved = solve(problem, goal, budget.newton_turns, most)
    return problem.values(), steps, solved


def coupled(part: Part, chosen: Selection, directions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return Q = <direction, direction> (K + offset), in double and in single precision."""
    kernel = exact_block(part, chosen.examples)
    count = chosen.member.size
    Q, single = np.empty((count, count)), np.empty((count, count), np.float32)
    for rows in pieces(count, max(2.0 * count * (directions.shape[1] + VALUE), count * PIECE / ENTRIES)):
        tick()
        np.matmul(directions[rows], directions.T, out=Q[rows])
        for start in range(rows.start, rows.stop, ROWS):
            some = slice(start, min(start + ROWS, rows.stop))
            Q[some] *= kernel[chosen.member[some]].take(chosen.member, axis=1)
            single[some] = Q[some]
    return Q, single


def rehearse(part: Part, gradient: np.ndarray) -> None:
    """Compile the pair steps and the projection, at alpha = 0."""
    part.geometry.rehearse()
    alpha = np.zeros_like(gradient)
    chosen, kind = select(part, alpha, gradient, 0.0), PROBLEMS[part.geometry]
    Q = np.eye(chosen.slot.size)
    kind(part, alpha, chosen, Q, Q.astype(np.float32)).pair_steps(1e-3, 1)


def solve(problem: BoxProblem, goal: float, newton_turns: tuple[int, int], most: int) -> tuple[int, bool]:
    """Take Newton and pair steps in turn; if they miss `goal`, repeat them from a dense interior point solution."""
    steps, solved = take_turns(problem, goal, newton_turns[0], most)
    if not solved and steps < most:
        problem.jump(goal)
        more, solved = take_turns(problem, goal, newton_turns[1], most - steps)
        steps += more
    return steps, solved


def take_turns(problem: BoxProblem, goal: float, turns: int, most: int) -> tuple[int, bool]:
    """Return (steps <= most, whether the violation fell to `goal`); a Newton step counts as one step."""
    steps = 0
    for _ in range(turns):
        if steps >= most:
            break
        problem.face.newton_step()
        tick()
        taken, violation = problem.pair_steps(goal, most - steps - 1)
        steps += taken + 1
        if violation <= goal:
            return steps, True
    return steps, False


class BoxProblem:
    """The dense problem of a Box, and the base class of the problems of other feasible sets."""

    face: Face

    def __init__(self, part: Part, alpha: np.ndarray, chosen: Selection, Q: np.ndarray, single: np.ndarray) -> None:
        rows, v = chosen.examples[chosen.member], chosen.slot.size
        value, upper = alpha[rows, chosen.slot], part.upper[rows]
        self.face = Face(Q, chosen.gradient.copy(), value, np.zeros(v), upper, np.zeros(v, np.int64))
        self.single = single

    @staticmethod
    def reading(directions: np.ndarray) -> np.ndarray:
        """Return the rows whose inner products couple the variables."""
        return directions

    def jump(self, goal: float) -> None:
        face = self.face
        inside = DenseInterior(face.Q, face.gradient + face.Q @ face.value, np.arange(face.value.size), face.high)
        face.jump(inside.solve(0.5 * face.high, goal))

    def pair_steps(self, goal: float, most: int) -> tuple[int, float]:
        face = self.face
        limit = min(face.value.size // 4 + 4, most)
        return box.solve_box(self.single, face.gradient, face.value, face.high, goal, limit)

    def values(self) -> np.ndarray:
        return self.face.value


class LineProblem(BoxProblem):
    """The dense problem of a Line, in beta = s alpha under sum beta = const; Q couples the beta."""

    def __init__(self, part: Part, alpha: np.ndarray, chosen: Selection, Q: np.ndarray, single: np.ndarray) -> None:
        rows = chosen.examples[chosen.member]
        self.sign, (beta, low, high) = LINE.signs(part, rows), LINE.signed(part, alpha, rows)
        group = np.zeros(rows.size, np.int64)
        self.face, self.single = BalancedFace(Q, self.sign * chosen.gradient, beta, low, high, group), single

    @staticmethod
    def reading(directions: np.ndarray) -> np.ndarray:
        return directions * directions

    def jump(self, goal: float) -> None:
        """Solve in alpha = s beta, whose lower bounds are zero. The interior point need not start on the equality."""
        face, sign = self.face, self.sign
        now, upper = sign * face.value, np.maximum(np.abs(face.low), face.high)
        flip(face.Q, sign)
        inside = DenseInterior(
            face.Q, sign * face.gradient + face.Q @ now, np.arange(now.size), upper, sign, float(sign @ now)
        )
        found = inside.solve(0.5 * upper, goal)
        flip(face.Q, sign)
        face.jump(face.project(sign * found))

    def pair_steps(self, goal: float, most: int) -> tuple[int, float]:
        face = self.face
        limit = min(face.value.size // 4 + 4, most)
        return pair.solve_pairs(self.single, face.gradient, face.value, face.low, face.high, goal, limit, 0)

    def values(self) -> np.ndarray:
        return self.sign * self.face.value


def flip(Q: np.ndarray, sign: np.ndarray) -> None:
    """Replace Q_ij by s_i s_j Q_ij, without rounding: a second call restores Q."""
    for start in range(0, sign.size, ROWS):
        rows = slice(start, start + ROWS)
        Q[rows] *= sign
        Q[rows] *= sign[rows, None]
        tick()


class SumsProblem(BoxProblem):
    """The dense problem of Sums. The slacks follow the variables and have no curvature."""

    def __init__(self, part: Part, alpha: np.ndarray, chosen: Selection, Q: np.ndarray, single: np.ndarray) -> None:
        rows, v, groups = chosen.examples[chosen.member], chosen.slot.size, chosen.examples.size
        self.count, self.bound, self.single = v, part.upper[chosen.examples], single
        slack = np.maximum(self.bound - alpha[chosen.examples].sum(axis=1), 0.0)
        self.face = SumsFace(
            Q,
            np.concatenate([chosen.gradient, np.zeros(groups)]),
            np.concatenate([alpha[rows, chosen.slot], slack]),
            np.zeros(v + groups),
            np.concatenate([part.upper[rows], self.bound]),
            np.concatenate([chosen.member, np.arange(groups)]),
        )
        self.starts = np.searchsorted(chosen.member, np.arange(groups + 1))

    def jump(self, goal: float) -> None:
        face, v = self.face, self.count
        Q, member = face.Q, face.group[:v]
        start = (self.bound / (np.bincount(member, minlength=self.bound.size) + 1.0))[member]
        inside = DenseInterior(Q, face.gradient[:v] + Q @ face.value[:v], member, self.bound)
        x = inside.solve(start, goal)
        slack = self.bound - np.bincount(member, weights=x, minlength=self.bound.size)
        face.jump(face.project(np.concatenate([x, slack])))

    def pair_steps(self, goal: float, most: int) -> tuple[int, float]:
        face, v = self.face, self.count
        return simplex.solve_simplex(
            self.single, face.gradient[:v], face.value[:v], face.value[v:], self.starts, self.bound, goal,
            min(v // 2 + 4, most), INNER.share,
        )  # fmt: skip

    def values(self) -> np.ndarray:
        return self.face.value[: self.count]


PROBLEMS: dict[Geometry, type[BoxProblem]] = {BOX: BoxProblem, SUMS: SumsProblem, LINE: LineProblem}
