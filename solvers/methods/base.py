"""What a method is: how alpha moves. Every hook is declared here, with a default that does nothing.

`Method.advance` is work that may be interrupted (solvers/work.py). A method keeps all that decides its path in its
State, so that slices of any length, pauses and checkpoints give the same bits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum, auto
from typing import Any, Generic, TypeVar

import numpy as np

from solvers.decision import Decision
from solvers.dual.geometry import BOX, LINE, SUMS, Geometry
from solvers.dual.quantities import dual_of, weights_of
from solvers.errors import Sentence, any_of
from solvers.jit.rounding import SINGLE
from solvers.problem import Part
from solvers.work import Work, ready


class Progress(Enum):
    MOVING = auto()
    MILESTONE = auto()  # moving, and a costly step was done: the gap may have fallen, and `auto` decides anew
    CONVERGED = auto()  # by the running numbers; the run confirms it in float64
    STALLED = auto()  # no step improves the dual any more


@dataclass
class Point:
    """A feasible alpha with its class functions."""

    alpha: np.ndarray  # (n, slots)
    functions: np.ndarray  # (n, outputs): K @ weights(alpha) + constant
    constant: np.ndarray  # (outputs,): offset * sum(weights) plus any bias given from outside


@dataclass
class State(Point):
    """The single mutable thing of a run: where the solution of one part stands.

    A method declares what else it keeps between slices as fields of a subclass: arrays, numbers, enums, or data
    classes of these. A checkpoint stores them field by field. What begins as an empty array may grow.
    """

    steps: int = 0
    decisions: list[Decision] = field(default_factory=list)

    @classmethod
    def zero(cls, part: Part, **memory: Any) -> Any:
        n, outputs = part.labels.size, part.form.outputs
        return cls(np.zeros((n, part.form.slots)), np.zeros((n, outputs)), np.zeros(outputs), **memory)

    @property
    def best(self) -> Point:
        """The point to keep if the run ends here: where a phase explores elsewhere, the best that was reached."""
        return self


@dataclass
class Exploring(State):
    """Of a method whose phases may go on from a lower dual: the best point is kept until that is made up for."""

    kept: Point | None = None
    kept_dual: float = -np.inf

    @property
    def best(self) -> Point:
        return self.kept or self

    def keep(self, part: Part) -> None:
        """Keep this point, unless a better one is kept."""
        dual = dual_at(part, self)
        if self.kept is None or dual > self.kept_dual:
            self.kept = Point(self.alpha.copy(order="K"), self.functions.copy(order="K"), self.constant.copy())
            self.kept_dual = dual

    def recovered(self, part: Part) -> bool:
        """Whether this point is as good as the kept one, which then is dropped."""
        if self.kept is None:
            return True
        if dual_at(part, self) >= self.kept_dual - SINGLE * abs(self.kept_dual):
            self.kept, self.kept_dual = None, -np.inf
        return self.kept is None

    def return_to_best(self, part: Part) -> bool:
        """Go on from the kept point, unless this one is as good; whether that changed anything."""
        if self.recovered(part):
            return False
        best = self.best
        self.alpha[...], self.functions[...], self.constant = best.alpha, best.functions, best.constant
        self.kept, self.kept_dual = None, -np.inf
        return True


S = TypeVar("S", bound=State)


class Method(ABC, Generic[S]):
    """One way to solve a part; an instance for each name in the registry."""

    name: str
    supports: str  # a sentence for users
    keeps_balance = False  # whether joint machines with an exact bias keep sum_i W_i = 0 by themselves
    natural_gap: float | None = None  # the relative gap it ends at unless told otherwise

    @property
    def geometries(self) -> Collection[Geometry]:
        """The feasible sets that it has steps for."""
        return BOX, SUMS, LINE

    def refuse(self, part: Part) -> Sentence | None:
        """Why it cannot solve this part, in a sentence that says what would; None where it can."""
        if part.geometry in self.geometries:
            return None
        return Sentence(
            "{name} has no steps for {found}: it needs {known}; use another solver or machine.",
            name=self.name,
            found=Sentence(part.geometry.title),
            known=any_of([Sentence(geometry.title) for geometry in self.geometries]),
        )

    def delegate(self, part: Part) -> tuple[Method[Any], Decision | None]:
        """The method that does the work for this part, and why it was chosen where there was a choice."""
        return self, None

    @abstractmethod
    def start(self, part: Part, seed: int) -> S:
        """alpha = 0. `seed` decides all random choices of the method."""

    @abstractmethod
    def advance(self, part: Part, state: S, steps: int, tolerance: float) -> Work[Progress]:
        """About `steps` steps, to the next end of a round. Where the bits of a run change depends on no `steps`."""

    def refuted(self, part: Part, state: S) -> None:
        """Called after a claim of convergence that float64 refuted, so that the method remembers it."""

    def wind_up(self, part: Part, state: S, tolerance: float) -> Work[bool]:
        """The gap suffices: put variables onto their bounds. Returns whether alpha has changed."""
        return ready(False)

    def rehearse(self, part: Part) -> None:
        """Run what a tiny problem does not need by itself, so that it is compiled before a clock starts."""

    def used(self, state: S) -> str:
        """The name of what did the work."""
        return self.name

    def examples_seen(self, state: S) -> int | None:
        """How often an online method has taken an example; None of any other."""
        return None


def seed_with(part: Part, state: State, alpha: np.ndarray) -> None:
    """Start from a given alpha, taken into its bounds. The caller must `refresh` the class functions."""
    state.alpha[...] = part.geometry.within(alpha, part.upper)
    state.constant = state.constant + part.offset * weights_of(part, state.alpha).sum(axis=0)


def dual_at(part: Part, point: Point) -> float:
    return dual_of(part, point.alpha, point.functions, point.constant)


def refresh(part: Part, state: Point) -> Work[None]:
    """The class functions anew from alpha, in float64."""
    products = yield from part.gram.products(weights_of(part, state.alpha))
    state.functions[...] = products + state.constant


def stored_fields(value: Any) -> Iterator[str]:
    """The names of the fields of a state, or of a data class in one, that a checkpoint stores."""
    assert is_dataclass(value)
    return (entry.name for entry in fields(value) if entry.name != "decisions")
