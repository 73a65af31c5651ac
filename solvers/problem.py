"""Problem: all data that training needs, canonical; Part: one of its independent quadratic programmes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from mcsvm.solvers.budget import PAIRS
from mcsvm.solvers.dual.geometry import Geometry, geometry_of
from mcsvm.solvers.gram import Gram
from mcsvm.solvers.jit.rounding import ROUNDING
from mcsvm.solvers.kernels import Kernel, Points
from mcsvm.solvers.kernels.base import FeatureKernel
from mcsvm.solvers.kernels.moved import Moved
from mcsvm.solvers.kernels.points import in_double
from mcsvm.solvers.machines import DualForm, Machine
from mcsvm.solvers.machines.form import form_of

Bias = Literal["none", "regularized", "exact"]
BIASES: tuple[Bias, ...] = ("none", "regularized", "exact")
PAIR_ROWS_BYTES = 4e6  # memory for the examples of all pairs, which are requested twice; letter has 3 MB
ARRAY_BYTES = 200  # size of an array in a dictionary, without its numbers


def default_bias(machine: Machine, kernel: Kernel | type[Kernel]) -> Bias:
    """Return the bias that a machine has with a kernel if the user chooses none.

    Machines of binary parts have an exact bias. Joint machines have none with kernels whose functions can come close
    to a constant (rbf), and a regularized one with kernels whose functions all vanish in one place (linear).

    This holds for llw too, which a bias helps on some sets and hurts on others. Its hinges [1/(k-1) + f_c]+ are zero at
    f_c = -1/(k-1), so that a class that no hyperplane separates from the others gets this constant and is never
    predicted (6 of 26 letters are). On standardised columns a linear function without a bias cannot be constant, and
    predicts all classes; on columns from 0 to 1 it can, and loses them as well. Mean test accuracies without and with a
    bias: linear, 14 sets, standardised 0.737 and 0.735, from 0 to 1 0.721 and 0.729; sigmoid, 12 sets, standardised
    0.470 and 0.560; polynomial 0.836 and 0.811, from 0 to 1 0.859 and 0.857.
    """
    return machine.bias or kernel.joint_bias


@dataclass(frozen=True, eq=False)
class Anchor:
    """Known weights and their K W, used if other examples, which are not in the part, have weights too."""

    weights: np.ndarray
    products: np.ndarray


@dataclass(frozen=True, eq=False)
class Part:
    """An independent quadratic programme: a joint machine as a whole, or one binary machine of ova, ovo, dag."""

    form: DualForm
    labels: np.ndarray  # (n,) int64: the class of each example in `form`
    upper: np.ndarray  # (n,) float64: U_i = C class_weight[y_i] sample_weight[i]
    gram: Gram
    bias: Bias
    offset: float = 0.0  # added to every kernel value; 1 is the regularized bias
    multiplied: bool = False  # whether the offset is the penalty of the method of multipliers (run/multipliers.py)
    anchor: Anchor | None = None

    def __len__(self) -> int:
        return self.labels.size

    @cached_property
    def balanced(self) -> bool:
        """Tell whether sum_i W_i = 0 must hold: the equality of an exact bias."""
        return self.bias == "exact"

    @cached_property
    def geometry(self) -> Geometry:
        return geometry_of(self.form, self.balanced)

    @cached_property
    def scale(self) -> float:
        """Return the sum of the costs U_i, which has the unit of primal and dual."""
        return float(self.upper.sum())

    @cached_property
    def curvature(self) -> np.ndarray:
        """Return (n,) K(x, x) + offset; multiplied by |direction|^2, it is the diagonal of Q."""
        return self.gram.diagonal + self.offset

    @property
    def variables(self) -> int:
        """Return the number of variables of alpha, including those that are always zero."""
        return len(self) * self.form.slots

    @cached_property
    def kept(self) -> dict[str, Any]:
        """Return the cache of the method between slices.

        Everything in it must have the same bits when it is recomputed, because no checkpoint contains it.
        """
        return {}

    @cached_property
    def _views(self) -> dict[str, tuple[Any, Part]]:
        """Hold parts derived from this one, each with the source that it was derived for."""
        return {}

    def view(self, name: str, source: Any) -> Part | None:
        """Return the derived part of this name if its source was an equal number or the identical array."""
        known = self._views.get(name)
        same = known is not None and (known[0] is source or (isinstance(source, float) and known[0] == source))
        return known[1] if known is not None and same else None

    def keep_view(self, name: str, source: Any, view: Part) -> Part:
        """Store a derived part, and drop the previous one of this name."""
        self.drop_view(name)
        self._views[name] = source, view
        return view

    def drop_view(self, name: str) -> None:
        """Drop a derived part and empty its cache, whose reference cycle would keep its kernel rows in memory."""
        _, view = self._views.pop(name, (None, None))
        if view is not None:
            view.forget()

    def products(self, weights: np.ndarray) -> np.ndarray:
        """Return K @ weights in float64; a part with an anchor adds K @ (weights - anchor) to the anchor's products."""
        if self.anchor is None:
            return self.gram.products(weights)
        change = self.gram.products(weights - self.anchor.weights)
        return self.anchor.products + change

    def forget(self) -> None:
        """Empty the cache.

        Its objects refer to the part, and this reference cycle would keep the kernel rows in memory.
        """
        for name in list(self._views):
            self.drop_view(name)
        self.kept.clear()
        self.gram.widen()  # the next part may have the same row store, whose memory a view was using


@dataclass(frozen=True, eq=False)
class Problem:
    """All data that training needs, canonical: float64, C order, labels 0..k-1."""

    machine: Machine
    kernel: Kernel
    points: Points
    labels: np.ndarray
    classes: int
    upper: np.ndarray
    margin: float
    bias: Bias
    cache_mb: float = 500.0
    origin: np.ndarray | None = None  # (features,) subtracted from all rows for the training; see `far_origin`

    def __len__(self) -> int:
        return self.labels.size

    @cached_property
    def training_points(self) -> Points:
        """Return the rows that parts are trained on: with a linear kernel moved by the origin, if there is one."""
        if self.origin is None or not isinstance(self.kernel, FeatureKernel):
            return self.points
        return Points(in_double(self.points.rows) - self.origin)

    @cached_property
    def training_kernel(self) -> Kernel:
        """Return the kernel for `training_points`; kernels other than the linear one are moved in place of the rows."""
        if self.origin is None or isinstance(self.kernel, FeatureKernel):
            return self.kernel
        return Moved(self.kernel, self.origin)

    @cached_property
    def heights(self) -> np.ndarray:
        """Return (n,) K(x_i, origin). The b of a part is that of the unmoved rows plus sum_i W_i height_i."""
        if self.origin is None:
            return np.zeros(len(self))
        values = np.empty((len(self), 1))
        return self.kernel.block(self.points, Points(self.origin[None]), values)[:, 0]

    @cached_property
    def form(self) -> DualForm:
        return form_of(self.machine, self.classes, self.margin)

    @cached_property
    def geometry(self) -> Geometry:
        """Return the feasible set of every part."""
        return geometry_of(self.form, self.bias == "exact")

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        return list(combinations(range(self.classes), 2))

    @cached_property
    def part_count(self) -> int:
        pairs = self.classes * (self.classes - 1) // 2
        return {"joint": 1, "one-vs-rest": self.classes, "pairs": pairs}[self.machine.split]

    @property
    def mirrored(self) -> bool:
        """Tell whether the second of two parts is the first one with the classes exchanged: ova with two classes."""
        return self.machine.split == "one-vs-rest" and self.classes == 2

    @property
    def outputs(self) -> int:
        return self.form.outputs if self.machine.split == "joint" else self.part_count

    def whole_gram(self) -> Gram:
        """Return a row store over all examples; one per run, as the last bits of a row depend on earlier requests."""
        return Gram(
            self.training_kernel, self.training_points, self.cache_mb, shared=self.machine.split == "one-vs-rest"
        )

    def part(self, number: int, gram: Gram | None = None) -> Part:
        """Return the independent programme of this number; parts over the same examples may share one `Gram`."""
        if self.machine.split == "pairs":
            return self._pair(number)
        labels = self.labels if self.machine.split == "joint" else np.where(self.labels == number, 0, 1)
        return self._part(labels, self.upper, self.whole_gram() if gram is None else gram)

    def rows_of(self, number: int) -> np.ndarray | slice:
        """Return the examples of a part."""
        if self.machine.split != "pairs":
            return slice(None)
        if number not in self._pair_rows:
            first, second = self.pairs[number]
            rows = np.sort(np.concatenate([self._members[first], self._members[second]]))
            if not self._few_pair_rows:
                return rows
            self._pair_rows[number] = rows
        return self._pair_rows[number]

    @cached_property
    def _pair_rows(self) -> dict[int, np.ndarray]:
        """Cache the examples of requested pairs, if the examples of all pairs take little memory."""
        return {}

    @cached_property
    def _few_pair_rows(self) -> bool:
        return self.part_count * ARRAY_BYTES + 8.0 * len(self) * (self.classes - 1) <= PAIR_ROWS_BYTES

    @cached_property
    def _members(self) -> list[np.ndarray]:
        return [np.flatnonzero(self.labels == number) for number in range(self.classes)]

    def primal_at_zero(self, number: int) -> float:
        """Return the primal of a part at w = 0, b = 0, which a run counts for parts that have not begun."""
        margins = self.geometry.loss(self.form.margin)
        if self.machine.split == "joint":
            return float(self.upper @ margins[self.labels])
        classes = list(self.pairs[number]) if self.machine.split == "pairs" else slice(None)
        return float(self._costs[classes].sum() * margins[0])

    @cached_property
    def primals_at_zero(self) -> np.ndarray:
        """Return (parts,) values of `primal_at_zero`."""
        if self.machine.split == "joint":
            return np.array([self.primal_at_zero(0)])
        positive, negative = self.side_costs(0)
        return (positive + negative) * float(self.geometry.loss(self.form.margin)[0])

    def side_costs(self, first: int) -> tuple[np.ndarray, np.ndarray]:
        """Return (sums of U_i of positive, of negative examples), an entry for each binary part from `first` on."""
        if self.machine.split == "one-vs-rest":
            return self._costs[first:], self._costs.sum() - self._costs[first:]
        a, b = np.triu_indices(self.classes, 1)
        return self._costs[a[first:]], self._costs[b[first:]]

    @cached_property
    def _costs(self) -> np.ndarray:
        """Return (classes,) sums of U_i."""
        return np.bincount(self.labels, weights=self.upper)

    def biases_at_zero(self, first: int) -> np.ndarray:
        """Return the best b at w = 0 of all parts from `first` on: +-margin, in favour of the side of larger cost.

        If both sides have equal cost, b is 0, the middle of the interval of best values.
        """
        if self.machine.split == "joint" or self.bias != "exact":
            return np.zeros(self.form.outputs * (self.part_count - first))
        positive, negative = self.side_costs(first)
        equal = np.abs(positive - negative) <= ROUNDING * (positive + negative)
        return np.where(equal, 0.0, np.where(positive > negative, self.margin, -self.margin))

    @cached_property
    def pair_mb(self) -> list[float]:
        """Return the cache_mb of each pair: room for its matrix and a factor, so that small pairs fit side by side."""
        sizes = np.bincount(self.labels, minlength=self.classes)
        matrices = [4.0 * float(sizes[a] + sizes[b]) ** 2 / 2**20 for a, b in self.pairs]
        return [min(self.cache_mb, max(PAIRS.least_mb, PAIRS.room * matrix)) for matrix in matrices]

    def _pair(self, number: int) -> Part:
        first, rows = self.pairs[number][0], self.rows_of(number)
        labels = np.where(self.labels[rows] == first, 0, 1)
        points = self.training_points.take(np.asarray(rows))
        return self._part(labels, self.upper[rows], Gram(self.training_kernel, points, self.pair_mb[number]))

    def _part(self, labels: np.ndarray, upper: np.ndarray, gram: Gram) -> Part:
        offset = 1.0 if self.bias == "regularized" else 0.0
        return Part(self.form, labels, upper, gram, self.bias, offset)

    @cached_property
    def digest(self) -> str:
        """Return the SHA-256 of everything that defines the training problem.

        A checkpoint with another digest is refused.
        """
        stamp = hashlib.sha256(repr((self.machine.name, self.kernel, self.margin, self.bias)).encode())
        stored: Any = self.points.rows
        arrays = [stored.data, stored.indices, stored.indptr] if sp.issparse(stored) else [stored]
        for array in (*arrays, self.labels, self.upper):
            stamp.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
        return stamp.hexdigest()


def narrowed(part: Part, examples: np.ndarray, gram: Gram) -> Part:
    """Return the part of these examples alone; `gram` is theirs."""
    return replace(part, labels=part.labels[examples], upper=part.upper[examples], gram=gram)


def with_offset(part: Part, offset: float) -> Part:
    """Return the inner problem of the method of multipliers, in which a regularized bias replaces the exact one.

    Its weight is `offset`.
    """
    return replace(part, offset=offset, bias="regularized", multiplied=True)
