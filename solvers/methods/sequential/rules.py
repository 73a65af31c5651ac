"""The ways of stepping that the sequential methods choose from, by the feasible set of the part."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.jit.sequential import box as sequential_box
from solvers.jit.sequential import line as sequential_pair
from solvers.jit.sequential import loop as leaf
from solvers.jit.sequential import set as sequential_set
from solvers.jit.sequential import sums as sequential_simplex
from solvers.jit.sequential import whole as sequential_whole
from solvers.machines import DualForm
from solvers.methods.sequential.loop import Search
from solvers.methods.sequential.shrinking import idle_box, idle_groups, idle_pairs


class _Box:
    """Box without equality: every variable on its own."""

    by_slot = True

    def arrange(self, search: Search) -> None:
        pass

    def idle(self, search: Search) -> np.ndarray:
        return idle_box(search.awake)

    def stuck(self, search: Search) -> np.ndarray | int:
        return int(search.wanted[0])

    def violations(self, search: Search) -> np.ndarray:
        worst = np.zeros(len(search.part))
        leaf.worst_of(search.awake.example, search.awake.score, worst)
        return worst


@dataclass(frozen=True)
class BoxSteps(_Box):
    """One or two variables; the first by g^2 / Q_nn (`scaled`) or by |g|."""

    pairs: bool
    scaled: bool
    examples = 2

    def arrange(self, search: Search) -> None:
        if self.scaled:
            search.awake.weight[:] = 1.0 / np.sqrt(np.maximum(search.awake.diagonal, 1e-100))

    def run(self, search: Search, stop: float, limit: int) -> tuple[int, int, int]:
        return sequential_box.run_box(
            search.awake, search.moving, search.rows, search.tables, search.coupling, search.wanted,
            self.pairs, stop, limit,
        )  # fmt: skip


@dataclass(frozen=True)
class BoxSets(_Box):
    """BSVM's working set."""

    variables: int
    goal: float  # the violation that the small problem is solved to

    @property
    def examples(self) -> int:
        return self.variables

    def run(self, search: Search, stop: float, limit: int) -> tuple[int, int, int]:
        return sequential_set.run_sets(
            search.awake, search.moving, search.rows, search.tables, search.coupling, search.wanted,
            self.goal, stop, limit,
        )  # fmt: skip


@dataclass(frozen=True)
class SignedPairs:
    """Binary with exact bias: two variables."""

    second_order: bool
    by_slot = True
    examples = 2

    def arrange(self, search: Search) -> None:
        pass

    def run(self, search: Search, stop: float, limit: int) -> tuple[int, int, int]:
        return sequential_pair.run_pairs(
            search.awake, search.moving, search.rows, search.wanted, self.second_order, stop, limit
        )

    def idle(self, search: Search) -> np.ndarray:
        return idle_pairs(search.awake)

    def stuck(self, search: Search) -> np.ndarray | int:
        return int(search.wanted[0])

    def violations(self, search: Search) -> np.ndarray:
        sequential_pair.signed_violations(search.awake)
        worst = np.zeros(len(search.part))
        leaf.worst_of(search.awake.example, search.awake.score, worst)
        return worst


class _Simplex:
    """A bounded sum per example: variables lie in groups."""

    by_slot = False
    examples = 1
    whole = False

    def arrange(self, search: Search) -> None:
        part, example = search.part, search.awake.example
        count = int(np.count_nonzero(np.diff(example))) + 1 if example.size else 0
        places = np.empty((2, count), dtype=np.int64)
        real = np.empty((5, count))
        gap = gaps(part.form)
        least = np.array([table[table > 1e-12].min() for table in gap])
        starts = np.zeros(count + 1, dtype=np.int64)
        search.groups = sequential_simplex.Groups._make([starts, *places, *real, gap, least])
        sequential_simplex.group(
            search.awake, search.groups, part.labels, part.upper, part.curvature, search.state.alpha
        )

    def idle(self, search: Search) -> np.ndarray:
        return idle_groups(search.awake, search.groups, whole=self.whole)

    def stuck(self, search: Search) -> np.ndarray | int:
        return np.flatnonzero(search.awake.example == search.wanted[0])

    def violations(self, search: Search) -> np.ndarray:
        worst = np.zeros(len(search.part))
        worst[search.groups.member] = np.maximum(search.groups.violation, 0.0)
        return worst


@dataclass(frozen=True)
class PairsWithin(_Simplex):
    """Two variables of one example, the slack being one."""

    second_order: bool

    def run(self, search: Search, stop: float, limit: int) -> tuple[int, int, int]:
        return sequential_simplex.run_within(
            search.awake, search.moving, search.groups, search.rows, search.tables, search.wanted,
            self.second_order, stop, limit,
        )  # fmt: skip


@dataclass(frozen=True)
class WholeExamples(_Simplex):
    """All variables of one example, of directions `own` long beyond a shared part."""

    own: float
    shared: float
    whole = True

    def run(self, search: Search, stop: float, limit: int) -> tuple[int, int, int]:
        return sequential_whole.run_examples(
            search.awake, search.moving, search.groups, search.rows, search.tables, search.wanted,
            self.own, self.shared, stop, limit,
        )  # fmt: skip


def gaps(form: DualForm) -> np.ndarray:
    """(classes, slots + 1, slots + 1): squared distance between two directions, the last one the slack's 0."""
    padded = np.concatenate([form.direction, np.zeros((form.classes, 1, form.outputs))], axis=1)
    inner = np.einsum("ypc,yqc->ypq", padded, padded)
    length = np.einsum("ypp->yp", inner)
    return np.ascontiguousarray(length[:, :, None] + length[:, None, :] - 2.0 * inner)
