"""The protocol of methods: Method with all its hooks, and State, the memory of a method between slices.

`Method.advance` may be stopped at any tick (solvers/interrupt.py). The State has everything that determines the path of
a method, so that slices of any length, pauses and checkpoints give the same bits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum, auto
from typing import Any, Generic, TypeVar

import numpy as np

from mcsvm.solvers.budget import BUDGET, Budget
from mcsvm.solvers.decision import Decision
from mcsvm.solvers.dual.geometry import BOX, LINE, SUMS, Geometry
from mcsvm.solvers.dual.quantities import dual_of, weights_of
from mcsvm.solvers.errors import Sentence, any_of
from mcsvm.solvers.jit.rounding import SINGLE
from mcsvm.solvers.problem import Part

NO_LIMIT = 2**62  # steps


class Progress(Enum):
    """The outcome of a call of `advance`."""

    MOVING = auto()
    MILESTONE = auto()  # still moving, after a costly step: the gap may have fallen, and `auto` decides again
    CONVERGED = auto()  # by the running functions; the run verifies it in float64
    STALLED = auto()  # no step improves the dual any more


@dataclass
class Point:
    """A feasible alpha with its class functions."""

    alpha: np.ndarray  # (n, slots)
    functions: np.ndarray  # (n, outputs): K @ weights(alpha) + constant
    constant: np.ndarray  # (outputs,): offset * sum(weights) plus any bias given from outside


@dataclass
class State(Point):
    """The current point of one part, and the memory of the method: the only mutable object of a run.

    A method declares its memory between slices as fields of a subclass: arrays, numbers, enums, or data classes of
    these. A checkpoint stores them field by field. An array that is empty at the start may grow.
    """

    steps: int = 0
    limit: int = NO_LIMIT  # the step count that the run allows; a method ends its round there
    decisions: list[Decision] = field(default_factory=list)

    @property
    def steps_left(self) -> int:
        return self.limit - self.steps

    @classmethod
    def zero(cls, part: Part, **memory: Any) -> Any:
        """Return the state at alpha = 0; `memory` has the fields of the subclass."""
        n, outputs = part.labels.size, part.form.outputs
        return cls(np.zeros((n, part.form.slots)), np.zeros((n, outputs)), np.zeros(outputs), **memory)

    @property
    def best(self) -> Point:
        """The point that a run keeps if it ends here."""
        return self


@dataclass
class Exploring(State):
    """The state of a method whose phases may lower the dual: `kept` is the best point until the dual has caught up."""

    kept: Point | None = None
    kept_dual: float = -np.inf

    @property
    def best(self) -> Point:
        return self.kept or self

    def keep(self, part: Part) -> None:
        """Copy the current point to `kept`, unless `kept` is better."""
        dual = dual_at(part, self)
        if self.kept is None or dual > self.kept_dual:
            self.kept = Point(self.alpha.copy(order="K"), self.functions.copy(order="K"), self.constant.copy())
            self.kept_dual = dual

    def recovered(self, part: Part) -> bool:
        """Return whether the current point is as good as `kept`, and drop `kept` if so."""
        if self.kept is None:
            return True
        if dual_at(part, self) >= self.kept_dual - SINGLE * abs(self.kept_dual):
            self.kept, self.kept_dual = None, -np.inf
        return self.kept is None

    def return_to_best(self, part: Part) -> bool:
        """Replace the current point by `kept`, unless it is as good as `kept`; return whether it was replaced."""
        if self.recovered(part):
            return False
        best = self.best
        self.alpha[...], self.functions[...], self.constant = best.alpha, best.functions, best.constant
        self.kept, self.kept_dual = None, -np.inf
        return True


S = TypeVar("S", bound=State)


class Method(ABC, Generic[S]):
    """A way to solve a part; the registry has one instance for each name."""

    name: str
    supports: str  # a sentence for users
    keeps_balance = False  # whether joint machines with an exact bias keep sum_i W_i = 0 by themselves
    budget: Budget = BUDGET
    natural_gap: float | None = None  # the relative gap at which it ends if the limits give no gap

    @property
    def geometries(self) -> Collection[Geometry]:
        """The feasible sets that the method has steps for."""
        return BOX, SUMS, LINE

    def refuse(self, part: Part) -> Sentence | None:
        """Return a sentence that says why the method cannot solve this part and what would work, or None if it can."""
        if part.geometry in self.geometries:
            return None
        return Sentence(
            "{name} has no steps for {found}: it needs {known}; use another solver or machine.",
            name=self.name,
            found=Sentence(part.geometry.title),
            known=any_of([Sentence(geometry.title) for geometry in self.geometries]),
        )

    def delegate(self, part: Part) -> tuple[Method[Any], Decision | None]:
        """Return (the method to run on this part, why); `auto` leaves some linear kernels to other methods."""
        return self, None

    @abstractmethod
    def start(self, part: Part, seed: int) -> S:
        """Return the state at alpha = 0. `seed` determines all random choices of the method."""

    @abstractmethod
    def advance(self, part: Part, state: S, steps: int, tolerance: float) -> Progress:
        """Take about `steps` steps, to the end of a round, but never more than `state.steps_left`.

        The bits of a run must not depend on how `steps` divides it. `state.limit` is the same in all calls of a run.
        """

    def refuted(self, part: Part, state: S) -> None:
        """Handle a claim of convergence that float64 has refuted: a method may become stricter."""

    def wind_up(self, part: Part, state: S, tolerance: float) -> bool:
        """Put variables that are near a bound onto it; called when the gap suffices, before the certificate.

        Return whether alpha has changed.
        """
        return False

    def rehearse(self, part: Part) -> None:
        """Run code that the tiny problem of run/warmup.py does not reach, to compile it before the clock starts."""

    def used(self, state: S) -> str:
        """Return the name of the method that works on the part, for `solver_used_`; for `auto`, that of its phase."""
        return self.name

    def effort(self, state: S) -> float:
        """Return the effort spent so far, measured without a clock: `auto` counts seconds of its budget."""
        return float(state.steps)

    def examples_seen(self, state: S) -> int | None:
        """Return how many examples an online method has processed, counting repetitions; None for other methods."""
        return None


def start_from(part: Part, state: State, alpha: np.ndarray) -> None:
    """Start from this alpha, projected into its bounds. The caller must `refresh` the class functions."""
    state.alpha[...] = part.geometry.within(alpha, part.upper)
    state.constant = state.constant + part.offset * weights_of(part, state.alpha).sum(axis=0)


def dual_at(part: Part, point: Point) -> float:
    """Return the dual of a point, computed from its functions."""
    return dual_of(part, point.alpha, point.functions, point.constant)


def refresh(part: Part, state: Point) -> None:
    """Recompute the class functions from alpha in float64."""
    products = part.products(weights_of(part, state.alpha))
    state.functions[...] = products + state.constant


def stored_fields(value: Any) -> Iterator[str]:
    """Return the names of the fields of a state, or of a data class in a state, that a checkpoint stores."""
    assert is_dataclass(value)
    return (entry.name for entry in fields(value) if entry.name not in ("decisions", "limit"))
