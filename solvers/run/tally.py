"""What is done of a run: its finished parts, and sums over them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from solvers.dual.certificate import Certificate, Proof
from solvers.dual.geometry import BOX
from solvers.problem import Problem


@dataclass
class Finished:
    """A part that is done: what the model and the totals need of it."""

    alpha: np.ndarray
    proof: Proof
    stalled: bool


@dataclass
class Tally:
    """Sums over the finished parts, so that a sample costs the same with five thousand parts as with one."""

    idle: np.ndarray  # (parts + 1,) the primal of all parts from this one on, not begun
    used: np.ndarray  # (n,) whether a support vector of any part
    full: np.ndarray  # (n,) whether bounded in any part
    certificate: Certificate = field(default_factory=lambda: Certificate(0.0, 0.0, 0.0, 0.0))
    steps: int = 0
    evaluations: int = 0
    examples: int = 0  # taken by an online method

    @classmethod
    def of(cls, problem: Problem) -> Tally:
        idle = np.array([problem.idle_loss(number) for number in range(problem.part_count)] + [0.0])
        return cls(np.cumsum(idle[::-1])[::-1], np.zeros(len(problem), dtype=bool), np.zeros(len(problem), dtype=bool))

    def add(self, problem: Problem, number: int, alpha: np.ndarray, proof: Proof, steps: int, evaluations: int) -> None:
        mark(problem, number, alpha, self.used, self.full)
        self.certificate = self.certificate + proof.certificate
        self.steps += steps
        self.evaluations += evaluations


def mark(problem: Problem, number: int, alpha: np.ndarray, used: np.ndarray, full: np.ndarray) -> None:
    """Note the support vectors of a part, and those with a variable at its upper bound."""
    where = problem.rows_of(number)
    used[where] |= alpha.max(axis=1) > 0.0
    full[where] |= BOX.at_upper(alpha, problem.upper[where]).any(axis=1)
