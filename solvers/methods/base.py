"""The single mutable thing of a run, and what a method says after a slice."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto

import numpy as np

from solvers.dual.quantities import weights_of, within
from solvers.problem import Part


class Progress(Enum):
    MOVING = auto()
    CONVERGED = auto()  # by the running numbers; the run confirms it in float64
    STALLED = auto()


@dataclass
class State:
    """Where the solution of one part stands.

    functions = K @ weights(alpha) + constant, the constant being offset * sum(weights) plus any bias given
    from outside; both move together with alpha.
    """

    alpha: np.ndarray  # (n, slots)
    functions: np.ndarray  # (n, outputs)
    constant: np.ndarray  # (outputs,)
    steps: int = 0
    memory: dict[str, np.ndarray] = field(default_factory=dict)  # what a method keeps between slices

    @classmethod
    def zero(cls, part: Part) -> State:
        n, outputs = len(part), part.form.outputs
        return cls(np.zeros((n, part.form.slots)), np.zeros((n, outputs)), np.zeros(outputs))


def refresh(part: Part, state: State) -> None:
    """The functions anew from alpha, in float64."""
    state.functions[...] = part.gram.times(weights_of(part, state.alpha)) + state.constant


def seed(part: Part, state: State, alpha: np.ndarray) -> None:
    """Start from a given alpha instead of zero; it is taken into its bounds."""
    state.alpha[...] = within(part, alpha)
    state.constant = state.constant + part.offset * weights_of(part, state.alpha).sum(axis=0)
    refresh(part, state)
