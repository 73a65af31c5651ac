"""The free and violating variables of a whole part as one dense problem, solved by Newton and pair steps in turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from solvers.dense.interior import Interior
from solvers.dense.newton import ROWS, BalancedFace, Face, SumsFace
from solvers.jit import box
from solvers.jit import line as pair
from solvers.jit import sums as simplex
from solvers.jit.scan import FULL
from solvers.kernels import Points
from solvers.problem import Part
from solvers.work import PIECE, SMALL, Work, pieces

ENTRIES = 1 << 20  # of a matrix that are made between two yields: 8 MB, 10 to 30 ms where memory is new
FIRST_TURNS, TURNS = 3, 40  # Newton steps, each followed by pair steps that exchange variables between face and bounds


@dataclass
class Selection:
    """Which variables: one row per variable, ordered by example."""

    examples: np.ndarray  # distinct examples
    member: np.ndarray  # (v,) into `examples`
    slot: np.ndarray
    gradient: np.ndarray


def select(part: Part, alpha: np.ndarray, gradient: np.ndarray, threshold: float) -> Selection:
    """All free variables and those that violate by more than `threshold`; under sums, whole competitors."""
    upper = part.upper[:, None]
    real = part.form.real[part.labels]
    if part.form.feasible == "simplex":
        competing = real & ((alpha > 0.0) | (gradient > _level(part, alpha, gradient) - threshold))
        return choose(competing & ~_settled(part, alpha, competing)[:, None], gradient)
    free = (alpha > 0.0) & (alpha < upper)
    wanted = real & (free | ((gradient > threshold) & (alpha < upper)) | ((gradient < -threshold) & (alpha > 0.0)))
    return choose(wanted, gradient)


def foremost(
    part: Part, alpha: np.ndarray, gradient: np.ndarray, threshold: float, least: int, share: float
) -> Selection:
    """All free variables and, of the others, those that violate most: so many, or this share of the free ones."""
    real, used = part.form.real[part.labels], alpha > 0.0
    if part.form.feasible == "simplex":
        level = _level(part, alpha, gradient)
        above = np.where(real, gradient - level, 0.0)
        violation = np.maximum(above.max(axis=1), -level[:, 0])
        room = alpha.sum(axis=1) < part.upper * FULL
        free = used.any(axis=1) & (room | (used.sum(axis=1) > 1))
        some = free | _largest(np.where(free, 0.0, violation), threshold, max(least, int(share * free.sum())))
        best = np.maximum(above.max(axis=1, keepdims=True), threshold)
        return choose(real & some[:, None] & (used | (above >= best)), gradient)
    free = real & used & (alpha < part.upper[:, None])
    violation = np.where(used, -gradient, gradient) * (real & ~free)
    return choose(free | _largest(violation, threshold, max(least, int(share * free.sum()))), gradient)


def _largest(values: np.ndarray, threshold: float, most: int) -> np.ndarray:
    """Which are above the threshold, and among the largest."""
    above = np.flatnonzero(values > threshold)
    if above.size > most:
        above = above[np.argpartition(-values.ravel()[above], most - 1)[:most]]
    chosen = np.zeros(values.size, dtype=bool)
    chosen[above] = True
    return chosen.reshape(values.shape)


def _level(part: Part, alpha: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """(n, 1) the gradient that others of the example compete with: the smallest in use, or the slack's."""
    level = np.where(alpha > 0.0, gradient, np.inf).min(axis=1)
    return np.where(alpha.sum(axis=1) < part.upper * FULL, np.minimum(level, 0.0), level)[:, None]


def _settled(part: Part, alpha: np.ndarray, competing: np.ndarray) -> np.ndarray:
    """The examples that have all on one variable, and nothing better."""
    return (competing.sum(axis=1) == 1) & (alpha >= part.upper[:, None] * FULL).any(axis=1)


def choose(wanted: np.ndarray, gradient: np.ndarray) -> Selection:
    example, slot = np.nonzero(wanted)
    examples, member = np.unique(example, return_inverse=True)
    return Selection(examples, member, slot, gradient[example, slot])


def exact_block(part: Part, examples: np.ndarray) -> Work[np.ndarray]:
    """K + offset among these examples in float64."""
    points, count = part.gram.points, examples.size
    chosen: Points = points.take(examples)
    values = np.empty((count, count))
    for rows in pieces(count, max(2.0 * count * (points.stored + 10.0), count * PIECE / ENTRIES)):
        if rows.start:
            yield
        left = chosen if rows.stop - rows.start == count else chosen.take(np.arange(rows.start, rows.stop))
        part.gram.kernel.block(left, chosen, values[rows])
        values[rows] += part.offset
    return values


def polish(part: Part, alpha: np.ndarray, chosen: Selection, goal: float) -> Work[tuple[np.ndarray, int, bool]]:
    """New values of the chosen variables, steps taken, and whether the dense problem was solved to `goal`.

    At its peak it holds 20 bytes per pair of variables: Q in float64 and float32, and the matrix of a Newton step (or,
    while Q is made, the kernel values). Slacks are not counted.
    """
    rows = chosen.examples[chosen.member]
    labels = part.labels[rows]
    directions = part.form.direction[labels, chosen.slot]
    value, upper = alpha[rows, chosen.slot], part.upper[rows]
    Q, single = yield from coupled(part, chosen, directions * directions if part.balanced else directions)
    if part.balanced:
        turn: Any = Balanced(Q, single, chosen.gradient, value, upper, directions[:, 0])
    elif part.form.feasible == "simplex":
        slack = part.upper[chosen.examples] - alpha[chosen.examples].sum(axis=1)
        turn = Sums(Q, single, chosen, value, upper, np.maximum(slack, 0.0), part.upper[chosen.examples])
    else:
        turn = Box(Q, single, chosen.gradient, value, upper)
    steps, solved = yield from take_turns(turn, goal)
    return turn.values(), steps, solved


def coupled(part: Part, chosen: Selection, directions: np.ndarray) -> Work[tuple[np.ndarray, np.ndarray]]:
    """Q = <direction, direction> (K + offset), in double and in single precision."""
    kernel = yield from exact_block(part, chosen.examples)
    count = chosen.member.size
    Q, single = np.empty((count, count)), np.empty((count, count), np.float32)
    for rows in pieces(count, max(2.0 * count * (directions.shape[1] + 10.0), count * PIECE / ENTRIES)):
        if rows.start:
            yield
        np.matmul(directions[rows], directions.T, out=Q[rows])
        for start in range(rows.start, rows.stop, ROWS):
            some = slice(start, min(start + ROWS, rows.stop))
            Q[some] *= kernel[chosen.member[some]].take(chosen.member, axis=1)
            single[some] = Q[some]
    return Q, single


def take_turns(turn: Any, goal: float) -> Work[tuple[int, bool]]:
    """Newton and pair steps in turn; where these do not get there, an interior point finds the active set."""
    steps, solved = yield from alternate(turn, goal, FIRST_TURNS)
    if not solved:
        yield from turn.jump(goal)
        more, solved = yield from alternate(turn, goal, TURNS)
        steps += more
    return steps, solved


def alternate(turn: Any, goal: float, turns: int) -> Work[tuple[int, bool]]:
    steps = 0
    for _ in range(turns):
        yield from turn.face.newton_step()
        if turn.face.value.size > SMALL:
            yield
        taken, violation = turn.pair_steps(goal)
        steps += taken + 1
        if violation <= goal:
            return steps, True
    return steps, False


class Box:
    def __init__(
        self, Q: np.ndarray, single: np.ndarray, gradient: np.ndarray, value: np.ndarray, upper: np.ndarray
    ) -> None:
        v = value.size
        self.face = Face(Q, gradient.copy(), value.copy(), np.zeros(v), upper.copy(), np.zeros(v, np.int64))
        self.single = single

    def jump(self, goal: float) -> Work[None]:
        face = self.face
        inside = Interior(face.Q, face.gradient + face.Q @ face.value, np.arange(face.value.size), face.high)
        face.jump((yield from inside.solve(0.5 * face.high, goal)))

    def pair_steps(self, goal: float) -> tuple[int, float]:
        face = self.face
        return box.solve_box(self.single, face.gradient, face.value, face.high, goal, face.value.size // 4 + 4)

    def values(self) -> np.ndarray:
        return self.face.value


class Balanced:
    """Signed variables beta = s alpha under sum beta = const; Q is theirs."""

    def __init__(
        self,
        Q: np.ndarray,
        single: np.ndarray,
        gradient: np.ndarray,
        value: np.ndarray,
        upper: np.ndarray,
        sign: np.ndarray,
    ) -> None:
        self.sign, bound = sign, sign * upper
        low, high = np.minimum(bound, 0.0), np.maximum(bound, 0.0)
        self.face = BalancedFace(Q, sign * gradient, sign * value, low, high, np.zeros(value.size, np.int64))
        self.single = single

    def jump(self, goal: float) -> Work[None]:
        """In alpha = s beta, where the box starts at zero; the interior starts off balance and finds it."""
        face, sign = self.face, self.sign
        now, upper = sign * face.value, np.maximum(np.abs(face.low), face.high)
        yield from flip(face.Q, sign)
        inside = Interior(
            face.Q, sign * face.gradient + face.Q @ now, np.arange(now.size), upper, sign, float(sign @ now)
        )
        found = yield from inside.solve(0.5 * upper, goal)
        yield from flip(face.Q, sign)
        face.jump(face.project(sign * found))

    def pair_steps(self, goal: float) -> tuple[int, float]:
        face = self.face
        limit = face.value.size // 4 + 4
        return pair.solve_pairs(self.single, face.gradient, face.value, face.low, face.high, goal, limit, 0)

    def values(self) -> np.ndarray:
        return self.sign * self.face.value


def flip(Q: np.ndarray, sign: np.ndarray) -> Work[None]:
    """Q_ij becomes s_i s_j Q_ij, exactly; twice is as before."""
    for start in range(0, sign.size, ROWS):
        rows = slice(start, start + ROWS)
        Q[rows] *= sign
        Q[rows] *= sign[rows, None]
        yield


class Sums:
    """Examples whose sums are bounded; after their variables come the slacks, which have no curvature."""

    def __init__(
        self,
        Q: np.ndarray,
        single: np.ndarray,
        chosen: Selection,
        value: np.ndarray,
        upper: np.ndarray,
        slack: np.ndarray,
        bound: np.ndarray,
    ) -> None:
        v, groups = value.size, slack.size
        self.count, self.bound, self.single = v, bound, single
        self.face = SumsFace(
            Q,
            np.concatenate([chosen.gradient, np.zeros(groups)]),
            np.concatenate([value, slack]),
            np.zeros(v + groups),
            np.concatenate([upper, bound]),
            np.concatenate([chosen.member, np.arange(groups)]),
        )
        self.starts = np.searchsorted(chosen.member, np.arange(groups + 1))

    def jump(self, goal: float) -> Work[None]:
        face, v = self.face, self.count
        Q, member = face.Q, face.group[:v]
        start = (self.bound / (np.bincount(member, minlength=self.bound.size) + 1.0))[member]
        inside = Interior(Q, face.gradient[:v] + Q @ face.value[:v], member, self.bound)
        x = yield from inside.solve(start, goal)
        slack = self.bound - np.bincount(member, weights=x, minlength=self.bound.size)
        face.jump(face.project(np.concatenate([x, slack])))

    def pair_steps(self, goal: float) -> tuple[int, float]:
        face, v = self.face, self.count
        return simplex.solve_simplex(
            self.single, face.gradient[:v], face.value[:v], face.value[v:], self.starts, self.bound, goal, v // 2 + 4
        )

    def values(self) -> np.ndarray:
        return self.face.value[: self.count]
