"""Problem, its independent parts, and `pose`: the one door where arrays become canonical."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from solvers.errors import InputError
from solvers.gram import Gram
from solvers.kernels import Kernel, Points
from solvers.kernels.precomputed import MatrixRows
from solvers.machines import MACHINES, DualForm, Machine

Bias = Literal["none", "regularized", "exact"]
BIASES: tuple[Bias, ...] = ("none", "regularized", "exact")


@dataclass(frozen=True, eq=False)
class Part:
    """One quadratic programme: all of a joint machine, or one binary machine of ova, ovo, dag."""

    form: DualForm
    labels: np.ndarray  # (n,) int64: the class of each example in `form`
    upper: np.ndarray  # (n,) float64: the cost U_i
    gram: Gram
    bias: Bias
    offset: float = 0.0  # added to every kernel value; 1 is the regularized bias

    def __len__(self) -> int:
        return self.labels.size

    @property
    def balanced(self) -> bool:
        """Whether sum_i W_i = 0 must hold: the equality of an exact bias."""
        return self.bias == "exact"

    @cached_property
    def curvature(self) -> np.ndarray:
        """(n,) K(x, x) with the offset: times a squared direction length, the diagonal of Q."""
        return self.gram.diagonal + self.offset


@dataclass(frozen=True, eq=False)
class Problem:
    """All that training needs, canonical: float64, C order, labels 0..k-1."""

    machine: Machine
    kernel: Kernel
    points: Points
    labels: np.ndarray
    classes: int
    upper: np.ndarray
    margin: float
    bias: Bias
    cache_mb: float = 500.0

    def __len__(self) -> int:
        return self.labels.size

    @cached_property
    def form(self) -> DualForm:
        return self.machine.form(self.classes, self.margin)

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        return list(combinations(range(self.classes), 2))

    @property
    def part_count(self) -> int:
        return {"joint": 1, "one-vs-rest": self.classes, "pairs": len(self.pairs)}[self.machine.split]

    @property
    def outputs(self) -> int:
        return self.form.outputs if self.machine.split == "joint" else self.part_count

    @cached_property
    def whole_gram(self) -> Gram:
        return Gram(self.kernel, self.points, self.cache_mb)

    def part(self, number: int) -> Part:
        """The numbered independent programme; parts over the same examples share one `Gram`."""
        if self.machine.split == "pairs":
            return self._pair(number)
        labels = self.labels if self.machine.split == "joint" else np.where(self.labels == number, 0, 1)
        return self._part(labels, self.upper, self.whole_gram)

    def rows_of(self, number: int) -> np.ndarray | slice:
        """Which examples a part is about."""
        if self.machine.split != "pairs":
            return slice(None)
        first, second = self.pairs[number]
        return np.sort(np.concatenate([self._members[first], self._members[second]]))

    @cached_property
    def _members(self) -> list[np.ndarray]:
        return [np.flatnonzero(self.labels == number) for number in range(self.classes)]

    def idle_loss(self, number: int) -> float:
        """The primal of a part before it begins: w = 0, b = 0."""
        margins = self.form.margin.sum(axis=1) if self.form.feasible == "box" else self.form.margin.max(axis=1)
        upper = self.upper[self.rows_of(number)]
        if self.machine.split == "joint":
            return float(upper @ margins[self.labels])
        return float(upper.sum() * margins[0])

    def _pair(self, number: int) -> Part:
        first, rows = self.pairs[number][0], self.rows_of(number)
        labels = np.where(self.labels[rows] == first, 0, 1)
        gram = Gram(self.kernel, self.points.take(rows), self.cache_mb)
        return self._part(labels, self.upper[rows], gram)

    def _part(self, labels: np.ndarray, upper: np.ndarray, gram: Gram) -> Part:
        offset = 1.0 if self.bias == "regularized" else 0.0
        return Part(self.form, labels, upper, gram, self.bias, offset)

    @cached_property
    def digest(self) -> str:
        """The same training problem, the same digest."""
        stamp = hashlib.sha256(repr((self.machine.name, self.kernel, self.margin, self.bias)).encode())
        stored = self.points.rows
        arrays = [stored.data, stored.indices, stored.indptr] if sp.issparse(stored) else [stored]
        for array in (*arrays, self.labels, self.upper):
            stamp.update(np.ascontiguousarray(array).tobytes())
        return stamp.hexdigest()


def pose(
    features: Any,
    labels: np.ndarray,
    *,
    machine: str | Machine,
    kernel: Kernel,
    cost: float = 1.0,
    margin: float | None = None,
    bias: str | None = None,
    class_weight: Sequence[float] | None = None,
    classes: int | None = None,
    cache_mb: float = 500.0,
) -> Problem:
    """Check everything once and put it into canonical form; raises InputError with a sentence."""
    chosen = _machine(machine)
    codes, count = _codes(labels, classes)
    points = _points(features, kernel)
    if len(points) != codes.size:
        raise InputError(f"There are {len(points)} rows of features but {codes.size} labels; they must be equally many.")
    _check_kernel(kernel)
    cost = positive("C", cost)
    weights = _weights(class_weight, count)
    return Problem(
        machine=chosen,
        kernel=kernel,
        points=points,
        labels=codes,
        classes=count,
        upper=cost * weights[codes],
        margin=chosen.margin(count) if margin is None else positive("margin", margin),
        bias=_bias(bias, chosen),
        cache_mb=positive("cache_mb", cache_mb),
    )


def positive(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be a positive number, not {value!r}.") from None
    if not (np.isfinite(number) and number > 0.0):
        raise InputError(f"{name} must be a positive number, not {value!r}.")
    return number


def _machine(machine: str | Machine) -> Machine:
    if isinstance(machine, Machine):
        return machine
    if machine not in MACHINES:
        raise InputError(f"There is no machine {machine!r}; choose one of {', '.join(MACHINES)}.")
    return MACHINES[machine]


def _bias(bias: str | None, machine: Machine) -> Bias:
    if bias is None:
        return machine.bias
    if bias not in BIASES:
        raise InputError(f"bias must be one of {', '.join(BIASES)}, not {bias!r}.")
    return bias  # type: ignore[return-value]


def _codes(labels: np.ndarray, classes: int | None) -> tuple[np.ndarray, int]:
    codes = np.ascontiguousarray(labels, dtype=np.int64)
    count = int(codes.max(initial=-1)) + 1 if classes is None else classes
    present = np.unique(codes).size
    if codes.size == 0:
        raise InputError("There are no examples to train on.")
    if present < 2:
        raise InputError(f"All {codes.size} examples belong to one class; a classifier needs at least two classes.")
    return codes, count


def _points(features: Any, kernel: Kernel) -> Points:
    rows = features.rows if isinstance(features, Points) else features
    if sp.issparse(rows):
        rows = sp.csr_array(rows, dtype=np.float64)
        rows.sum_duplicates()
        _check_finite(rows.data, "sparse values")
    else:
        rows = np.ascontiguousarray(rows, dtype=np.float64)
        _check_finite(rows, "rows")
    if kernel.name == "precomputed":
        return _matrix(rows)
    return Points(rows)


def _check_finite(values: np.ndarray, unit: str) -> None:
    if np.isfinite(values).all():
        return
    first = int(np.argwhere(~np.isfinite(values))[0][0])
    raise InputError(
        f"The features contain NaN or infinity (the first at {unit} index {first}); fill or drop these values first."
    )


def _matrix(rows: np.ndarray | sp.csr_array) -> MatrixRows:
    dense = rows.toarray() if sp.issparse(rows) else rows
    if dense.shape[0] != dense.shape[1]:
        raise InputError(
            f"A precomputed kernel must be a square matrix of training examples, not {dense.shape[0]} x {dense.shape[1]}."
        )
    return MatrixRows(dense, np.arange(dense.shape[0]))


def _check_kernel(kernel: Kernel) -> None:
    for name in kernel.parameters:
        value = getattr(kernel, name)
        if name == "coef0":
            if not np.isfinite(value):
                raise InputError(f"coef0 must be a finite number, not {value!r}.")
        elif name == "degree":
            if not (float(value).is_integer() and value >= 1):
                raise InputError(f"degree must be a whole number of at least 1, not {value!r}.")
        else:
            positive(name, value)


def _weights(class_weight: Sequence[float] | None, classes: int) -> np.ndarray:
    if class_weight is None:
        return np.ones(classes)
    weights = np.asarray(class_weight, dtype=np.float64)
    if weights.shape != (classes,):
        raise InputError(f"There are {classes} classes but {weights.size} class weights.")
    if not (np.isfinite(weights).all() and (weights > 0.0).all()):
        raise InputError("Every class weight must be a positive number.")
    return weights


def with_offset(part: Part, offset: float) -> Part:
    """The same part with another constant added to the kernel, as a regularized bias."""
    return replace(part, offset=offset, bias="regularized")


def kernel_from(name: str, kernels: Mapping[str, Any], **parameters: Any) -> Kernel:
    """The named kernel with those of the parameters that it declares."""
    if name not in kernels:
        raise InputError(f"There is no kernel {name!r}; choose one of {', '.join(kernels)}.")
    kind = kernels[name]
    return kind(**{key: parameters[key] for key in kind.parameters})
