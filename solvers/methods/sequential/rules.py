"""Step rules of the sequential methods: the working set and its layout, by the feasible set of the part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from mcsvm.solvers.budget import SEQUENTIAL
from mcsvm.solvers.errors import Sentence
from mcsvm.solvers.jit.rounding import ROUNDING
from mcsvm.solvers.jit.sequential import box, line, sums, whole
from mcsvm.solvers.jit.sequential import loop as jit
from mcsvm.solvers.jit.sequential import set as sets
from mcsvm.solvers.machines import DualForm
from mcsvm.solvers.methods.sequential.shrinking import idle_box, idle_groups, idle_pairs
from mcsvm.solvers.problem import Part

if TYPE_CHECKING:
    from mcsvm.solvers.methods.sequential.loop import WorkingSetSearch


class SelectionRule(Protocol):
    """The choice of the working set by a sequential method, for one feasible set."""

    @property
    def by_slot(self) -> bool:
        """True if variables are ordered slot by slot, False if they are ordered example by example."""

    @property
    def examples(self) -> int:
        """The largest number of kernel rows that a step needs."""

    def refuse(self, part: Part) -> Sentence | None:
        """Return a sentence that says why the rule does not apply to the part, or None if it applies."""

    def arrange(self, search: WorkingSetSearch) -> None:
        """Update the data of the rule after the active set has changed."""

    def run(self, search: WorkingSetSearch, stop: float, limit: int) -> tuple[int, int, int]:
        """Run the compiled loop; return (why it ended, steps, the number of examples in `search.wanted`)."""

    def idle(self, search: WorkingSetSearch) -> np.ndarray:
        """Return which active variables may be shrunk."""

    def stuck(self, search: WorkingSetSearch) -> np.ndarray | int:
        """Return the active variables of the working set that could not move."""

    def violations(self, search: WorkingSetSearch) -> np.ndarray:
        """Return the largest violation of each example's variables, (n,)."""


class _Anywhere:
    def refuse(self, part: Part) -> Sentence | None:
        return None


class _Separate(_Anywhere):
    """Rules for variables with separate bounds, ordered slot by slot."""

    by_slot = True

    def arrange(self, search: WorkingSetSearch) -> None:
        """Do nothing: no data of the rule depends on the active set."""

    def stuck(self, search: WorkingSetSearch) -> np.ndarray | int:
        return int(search.wanted[0])

    def violations(self, search: WorkingSetSearch) -> np.ndarray:
        """Return the violations by the scores of the last look."""
        worst = np.zeros(len(search.part))
        jit.worst_of(search.variables.example, search.variables.score, worst)
        return worst


class _Box(_Separate):
    """Rules for separate bounds without an equality."""

    def idle(self, search: WorkingSetSearch) -> np.ndarray:
        return idle_box(search.variables)


@dataclass(frozen=True)
class BoxSteps(_Box):
    """Steps in the variable of largest |g|, or (`scaled`) of largest g^2 / Q_nn.

    With `pairs`, a second variable is chosen by second-order selection.
    """

    pairs: bool
    scaled: bool
    examples = 2

    def arrange(self, search: WorkingSetSearch) -> None:
        if self.scaled:
            search.variables.weight[:] = 1.0 / np.sqrt(np.maximum(search.variables.diagonal, 1e-300))

    def run(self, search: WorkingSetSearch, stop: float, limit: int) -> tuple[int, int, int]:
        return box.run_box(
            search.variables, search.moving, search.rows, search.tables, search.coupling, search.wanted,
            self.pairs, stop, limit,
        )  # fmt: skip


@dataclass(frozen=True)
class WorkingSets(_Box):
    """Steps of BSVM: half of the set are the free variables nearest to optimal, half the most violating variables."""

    variables: int
    share: float  # of the tolerance, to which the small problem is solved

    @property
    def examples(self) -> int:
        return self.variables

    def run(self, search: WorkingSetSearch, stop: float, limit: int) -> tuple[int, int, int]:
        return sets.run_sets(
            search.variables, search.moving, search.rows, search.tables, search.coupling, search.wanted,
            self.share * search.tolerance, SEQUENTIAL.set_patience, stop, limit,
        )  # fmt: skip


@dataclass(frozen=True)
class Pairs(_Separate):
    """Steps in two variables along the equality of a binary machine with exact bias."""

    second_order: bool
    examples = 2

    def run(self, search: WorkingSetSearch, stop: float, limit: int) -> tuple[int, int, int]:
        return line.run_pairs(
            search.variables, search.moving, search.rows, search.wanted, self.second_order, stop, limit
        )

    def idle(self, search: WorkingSetSearch) -> np.ndarray:
        return idle_pairs(search.variables)

    def violations(self, search: WorkingSetSearch) -> np.ndarray:
        line.signed_violations(search.variables)
        return super().violations(search)


class _Simplex(_Anywhere):
    """Rules for a bounded sum per example; the variables of an example form a group."""

    by_slot = False
    examples = 1
    whole = False

    def arrange(self, search: WorkingSetSearch) -> None:
        part, example = search.part, search.variables.example
        count = int(np.count_nonzero(np.diff(example))) + 1 if example.size else 0
        places = np.empty((2, count), dtype=np.int64)
        real = np.empty((5, count))
        lengths = difference_lengths(part.form)
        least = np.array([table[table > ROUNDING].min() for table in lengths])
        starts = np.zeros(count + 1, dtype=np.int64)
        search.groups = sums.Groups._make([starts, *places, *real, lengths, least])
        sums.group(search.variables, search.groups, part.labels, part.upper, part.curvature, search.state.alpha)

    def idle(self, search: WorkingSetSearch) -> np.ndarray:
        return idle_groups(search.variables, search.groups, whole=self.whole)

    def stuck(self, search: WorkingSetSearch) -> np.ndarray | int:
        return np.flatnonzero(search.variables.example == search.wanted[0])

    def violations(self, search: WorkingSetSearch) -> np.ndarray:
        worst = np.zeros(len(search.part))
        worst[search.groups.member] = np.maximum(search.groups.violation, 0.0)
        return worst


@dataclass(frozen=True)
class SimplexPairs(_Simplex):
    """Steps in two variables of one example; the slack of its sum counts as a variable."""

    second_order: bool

    def run(self, search: WorkingSetSearch, stop: float, limit: int) -> tuple[int, int, int]:
        return sums.run_within(
            search.variables, search.moving, search.groups, search.rows, search.tables, search.wanted,
            self.second_order, stop, limit,
        )  # fmt: skip


@dataclass(frozen=True)
class WholeExamples(_Simplex):
    """Steps in all variables of the most violating example, solved exactly by a sort."""

    whole = True

    def refuse(self, part: Part) -> Sentence | None:
        if part.form.uniform is not None:
            return None
        return Sentence(
            "whole-example needs directions that are all alike within an example: it handles cs and adm,"
            " not this machine; use smo or auto."
        )

    def run(self, search: WorkingSetSearch, stop: float, limit: int) -> tuple[int, int, int]:
        geometry = search.part.form.uniform
        assert geometry is not None
        return whole.run_examples(
            search.variables, search.moving, search.groups, search.rows, search.tables, search.wanted,
            *geometry, stop, limit,
        )  # fmt: skip


def difference_lengths(form: DualForm) -> np.ndarray:
    """Return (classes, slots + 1, slots + 1): |d_p - d_q|^2 of two directions; the last direction is the slack's, 0."""
    padded = np.concatenate([form.direction, np.zeros((form.classes, 1, form.outputs))], axis=1)
    inner = np.einsum("ypc,yqc->ypq", padded, padded)
    length = np.einsum("ypp->yp", inner)
    return np.ascontiguousarray(length[:, :, None] + length[:, None, :] - 2.0 * inner)
