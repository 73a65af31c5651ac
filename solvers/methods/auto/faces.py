"""The free and violating variables of a whole part as one dense problem, solved by Newton and pair steps in turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from solvers.dense.interior import Interior
from solvers.dense.newton import BalancedFace, Face, SumsFace
from solvers.jit import box
from solvers.jit import line as pair
from solvers.jit import sums as simplex
from solvers.jit.scan import FULL
from solvers.kernels import Points
from solvers.problem import Part

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


def exact_block(part: Part, examples: np.ndarray) -> np.ndarray:
    """K + offset among these examples in float64."""
    chosen: Points = part.gram.points.take(examples)
    values = part.gram.kernel.block(chosen, chosen, np.empty((examples.size, examples.size)))
    values += part.offset
    return values


def polish(part: Part, alpha: np.ndarray, chosen: Selection, goal: float) -> tuple[np.ndarray, int, bool]:
    """New values of the chosen variables, steps taken, and whether the dense problem was solved to `goal`."""
    rows = chosen.examples[chosen.member]
    labels = part.labels[rows]
    directions = part.form.direction[labels, chosen.slot]
    Q = directions @ directions.T
    Q *= exact_block(part, chosen.examples)[np.ix_(chosen.member, chosen.member)]
    value, upper = alpha[rows, chosen.slot], part.upper[rows]
    if part.balanced:
        turn: Any = Balanced(Q, chosen.gradient, value, upper, directions[:, 0])
    elif part.form.feasible == "simplex":
        slack = part.upper[chosen.examples] - alpha[chosen.examples].sum(axis=1)
        turn = Sums(Q, chosen, value, upper, np.maximum(slack, 0.0), part.upper[chosen.examples])
    else:
        turn = Box(Q, chosen.gradient, value, upper)
    del Q  # hundreds of megabytes
    steps, solved = take_turns(turn, goal)
    return turn.values(), steps, solved


def take_turns(turn: Any, goal: float) -> tuple[int, bool]:
    """Newton and pair steps in turn; where they do not get there, an interior point finds the active set."""
    steps, solved = alternate(turn, goal, FIRST_TURNS)
    if not solved:
        turn.jump(goal)
        more, solved = alternate(turn, goal, TURNS)
        steps += more
    return steps, solved


def alternate(turn: Any, goal: float, turns: int) -> tuple[int, bool]:
    steps = 0
    for _ in range(turns):
        turn.face.newton_step()
        taken, violation = turn.pair_steps(goal)
        steps += taken + 1
        if violation <= goal:
            return steps, True
    return steps, False


class Box:
    def __init__(self, Q: np.ndarray, gradient: np.ndarray, value: np.ndarray, upper: np.ndarray) -> None:
        v = value.size
        self.face = Face(Q, gradient.copy(), value.copy(), np.zeros(v), upper.copy(), np.zeros(v, np.int64))
        self.single = Q.astype(np.float32)

    def jump(self, goal: float) -> None:
        face = self.face
        inside = Interior(face.Q, face.gradient + face.Q @ face.value, np.arange(face.value.size), face.high)
        face.jump(inside.solve(0.5 * face.high, goal))

    def pair_steps(self, goal: float) -> tuple[int, float]:
        face = self.face
        return box.solve_box(self.single, face.gradient, face.value, face.high, goal, face.value.size // 4 + 4)

    def values(self) -> np.ndarray:
        return self.face.value


def signed(Q: np.ndarray, sign: np.ndarray) -> np.ndarray:
    """Q of the variables times their signs."""
    result = Q * sign
    result *= sign[:, None]
    return result


class Balanced:
    """Signed variables beta = s alpha under sum beta = const."""

    def __init__(
        self, Q: np.ndarray, gradient: np.ndarray, value: np.ndarray, upper: np.ndarray, sign: np.ndarray
    ) -> None:
        self.sign, bound = sign, sign * upper
        low, high = np.minimum(bound, 0.0), np.maximum(bound, 0.0)
        Q = signed(Q, sign)
        self.face = BalancedFace(Q, sign * gradient, sign * value, low, high, np.zeros(value.size, np.int64))
        self.single = Q.astype(np.float32)

    def jump(self, goal: float) -> None:
        """In alpha = s beta, where the box starts at zero; the interior starts off balance and finds it."""
        face, sign = self.face, self.sign
        now, upper = sign * face.value, np.maximum(np.abs(face.low), face.high)
        Q = signed(face.Q, sign)
        inside = Interior(Q, sign * face.gradient + Q @ now, np.arange(now.size), upper, sign, float(sign @ now))
        face.jump(face.project(sign * inside.solve(0.5 * upper, goal)))

    def pair_steps(self, goal: float) -> tuple[int, float]:
        face = self.face
        limit = face.value.size // 4 + 4
        return pair.solve_pairs(self.single, face.gradient, face.value, face.low, face.high, goal, limit, 0)

    def values(self) -> np.ndarray:
        return self.sign * self.face.value


class Sums:
    """Examples whose sums are bounded: each one's slack is a last variable without curvature."""

    def __init__(
        self,
        Q: np.ndarray,
        chosen: Selection,
        value: np.ndarray,
        upper: np.ndarray,
        slack: np.ndarray,
        bound: np.ndarray,
    ) -> None:
        v, groups = value.size, slack.size
        whole = np.zeros((v + groups, v + groups))
        whole[:v, :v] = Q
        self.count, self.bound = v, bound
        self.face = SumsFace(
            whole,
            np.concatenate([chosen.gradient, np.zeros(groups)]),
            np.concatenate([value, slack]),
            np.zeros(v + groups),
            np.concatenate([upper, bound]),
            np.concatenate([chosen.member, np.arange(groups)]),
        )
        self.starts = np.searchsorted(chosen.member, np.arange(groups + 1))
        self.single = Q.astype(np.float32)

    def jump(self, goal: float) -> None:
        face, v = self.face, self.count
        Q, member = face.Q[:v, :v], face.group[:v]
        start = (self.bound / (np.bincount(member, minlength=self.bound.size) + 1.0))[member]
        x = Interior(Q, face.gradient[:v] + Q @ face.value[:v], member, self.bound).solve(start, goal)
        slack = self.bound - np.bincount(member, weights=x, minlength=self.bound.size)
        face.jump(face.project(np.concatenate([x, slack])))

    def pair_steps(self, goal: float) -> tuple[int, float]:
        face, v = self.face, self.count
        return simplex.solve_simplex(
            self.single, face.gradient[:v], face.value[:v], face.value[v:], self.starts, self.bound, goal, v // 2 + 4
        )

    def values(self) -> np.ndarray:
        return self.face.value[: self.count]
