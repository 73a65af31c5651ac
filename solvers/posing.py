"""`pose` checks arguments and makes arrays canonical: the only entrance to the solvers.

The module is not called pose, because a submodule of this name would hide the function `mcsvm.solvers.pose`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp

from mcsvm.solvers.errors import InputError, Sentence, choices_for
from mcsvm.solvers.kernels import Kernel, Points
from mcsvm.solvers.kernels.points import in_double, passes
from mcsvm.solvers.kernels.precomputed import MatrixRows
from mcsvm.solvers.machines import MACHINES, Machine
from mcsvm.solvers.problem import BIASES, Bias, Problem, default_bias
from mcsvm.solvers.work import MOVE, pieces

TOO_LARGE = Sentence(
    "The features are too large: their squares are not finite in double precision. Scale the features first."
)
FAR = 16.0  # limit of |phi(o)|^2 / mean squared distance from phi(o): 4 of the 24 bits of a float32 value
LARGEST_KERNEL_VALUE = 1e15  # largest |K(x, x)| accepted: rows are float32, which ends at 3e38, and Q has products


def pose(
    features: Any,
    labels: np.ndarray,
    *,
    machine: str | Machine,
    kernel: Kernel,
    cost: float = 1.0,
    margin: float | None = None,
    bias: str | None = None,
    class_weight: Sequence[float] | np.ndarray | None = None,
    sample_weight: np.ndarray | None = None,
    classes: int | None = None,
    cache_mb: float = 500.0,
) -> Problem:
    """Check all arguments once and make arrays canonical; raise InputError with a sentence for the user."""
    chosen = find_machine(machine)
    codes, count = _codes(labels, classes)
    points = checked_points(features, kernel)
    if len(points) != codes.size:
        raise InputError(
            "There are {rows} rows of features but {labels} labels; they must be equally many.",
            rows=len(points),
            labels=codes.size,
        )
    cost = positive("C", cost)
    weights = _weights(class_weight, count)
    chosen_bias = _bias(bias, chosen, kernel)
    return Problem(
        machine=chosen,
        kernel=kernel,
        points=points,
        labels=codes,
        classes=count,
        upper=_costs(cost, weights[codes], sample_weight),
        margin=chosen.margin(count) if margin is None else positive("margin", margin),
        bias=chosen_bias,
        cache_mb=positive("cache_mb", cache_mb),
        origin=far_origin(kernel, points) if chosen_bias == "exact" else None,
    )


def far_origin(kernel: Kernel, points: Points) -> np.ndarray | None:
    """Return the mean row o if phi(o) is far from zero, compared with the distances of the rows from it; else None.

    Under an exact bias sum_i W_i = 0, so that a translation of the feature space by phi(o) changes no dual value and no
    function, except for b. Far from zero all kernel values are nearly equal (a column of years: 4e6 + 20), and steps
    lose their digits: training stalled at a gap of 6% to 40%. Sparse rows are not moved, because moved rows are dense.
    """
    if not kernel.grows or points.sparse:
        return None
    n, features = points.rows.shape
    cuts = passes(n, features)
    mean = sum((in_double(points.rows[chunk]).sum(axis=0) for chunk in cuts), np.zeros(features)) / n
    origin = Points(mean[None])
    length = float(kernel.diagonal(origin)[0])
    heights = sum(
        float(kernel.block(points.view(cut), origin, np.empty((len(points.rows[cut]), 1))).sum()) for cut in cuts
    )
    spread = float(kernel.diagonal(points).mean()) - 2.0 * heights / n + length
    return mean if length > FAR * max(spread, 0.0) else None


@dataclass(frozen=True)
class SharedTerms:
    """A problem without its rows, which are in several places (solvers/partitioned)."""

    machine: str
    kernel: Kernel
    classes: int
    cost: float
    margin: float
    bias: Bias
    class_weight: np.ndarray  # (classes,)
    cache_mb: float = 500.0

    def problem(self, features: Any, codes: np.ndarray, sample_weight: np.ndarray | None = None) -> Problem:
        """Return the problem of the rows of one place, which may lack classes or have no rows at all."""
        points = checked_points(features, self.kernel)
        upper = _costs(self.cost, self.class_weight[codes], sample_weight)
        machine = find_machine(self.machine)
        return Problem(
            machine, self.kernel, points, codes, self.classes, upper, self.margin, self.bias, self.cache_mb
        )  # fmt: skip


def terms_of(
    *,
    machine: str,
    kernel: Kernel,
    classes: int,
    cost: float = 1.0,
    margin: float | None = None,
    bias: str | None = None,
    class_weight: Sequence[float] | np.ndarray | None = None,
    cache_mb: float = 500.0,
) -> SharedTerms:
    """Check the arguments as `pose` does, and return the shared terms.

    A joint machine with an exact bias is refused, because its b is found by another method.
    """
    chosen = find_machine(machine)
    _check_kernel(kernel)
    terms = SharedTerms(
        machine=chosen.name,
        kernel=kernel,
        classes=whole("classes", classes),
        cost=positive("C", cost),
        margin=chosen.margin(classes) if margin is None else positive("margin", margin),
        bias=_bias(bias, chosen, kernel),
        class_weight=_weights(class_weight, classes),
        cache_mb=positive("cache_mb", cache_mb),
    )
    if terms.bias == "exact" and chosen.split == "joint":
        raise InputError(
            "On a cluster {machine} is trained with bias none or regularized, not exact.", machine=chosen.name
        )
    return terms


def positive(name: str, value: Any) -> float:
    if not _is_number(value) or not (math.isfinite(_as_float(value)) and value > 0.0):
        raise InputError("{name} must be a positive number, not {value!r}.", name=name, value=value)
    return float(value)


def whole(name: str, value: Any) -> int:
    if not _is_number(value) or not (math.isfinite(_as_float(value)) and value >= 1 and float(value).is_integer()):
        raise InputError("{name} must be a whole number of at least 1, not {value!r}.", name=name, value=value)
    return int(value)


def _as_float(value: Any) -> float:
    """Return the number as a float, or infinity for an integer that is too large for a float."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _is_number(value: Any) -> bool:
    """Return whether the value is a real number; strings, arrays and booleans, which float() would accept, are not."""
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def listing(labels: Sequence[Any], most: int = 10) -> str:
    """List the first `most` labels, separated by commas, for a sentence."""
    return ", ".join(map(repr, labels[:most])) + (", ..." if len(labels) > most else "")


def find_machine(machine: str | Machine) -> Machine:
    if isinstance(machine, Machine):
        return machine
    if not isinstance(machine, str) or machine not in MACHINES:
        raise InputError(
            "There is no machine {machine!r}; choose one of {choices}.",
            machine=machine,
            choices=choices_for(machine, MACHINES),
        )
    return MACHINES[machine]


def _bias(bias: str | None, machine: Machine, kernel: Kernel) -> Bias:
    if bias is None:
        return default_bias(machine, kernel)
    if not isinstance(bias, str) or bias not in BIASES:
        raise InputError("bias must be one of {choices}, not {bias!r}.", choices=choices_for(bias, BIASES), bias=bias)
    return bias


def _codes(labels: Any, classes: int | None) -> tuple[np.ndarray, int]:
    given = np.asarray(labels)
    if given.ndim != 1:
        raise InputError(
            "The labels must be one class number per example, not an array of shape {shape}.", shape=given.shape
        )
    if given.size == 0:
        raise InputError("There are no examples to train on.")
    if given.dtype.kind not in "iu":
        raise InputError("The labels must be whole numbers 0, 1, ..., not of type {dtype}.", dtype=given.dtype)
    codes = np.ascontiguousarray(given, dtype=np.int64)
    count = int(codes.max()) + 1 if classes is None else whole("classes", classes)
    if codes.min() < 0 or codes.max() >= count:
        raise InputError(
            "The labels run from {lowest} to {highest}; they must be from 0 to {last}.",
            lowest=codes.min(),
            highest=codes.max(),
            last=count - 1,
        )
    if np.all(codes == codes[0]):
        raise InputError(
            "All {size} examples belong to one class; a classifier needs at least two classes.", size=codes.size
        )
    absent = np.flatnonzero(np.bincount(codes, minlength=count) == 0)
    if absent.size:
        raise InputError(
            "Class {absent} has no examples; number the classes that occur 0, 1, ... without a gap.", absent=absent[0]
        )
    return codes, count


def checked_points(features: Any, kernel: Kernel) -> Points:
    """Return the features in canonical form; raise InputError if the kernel cannot use them."""
    points = _points(features, kernel)
    _check_kernel(kernel)
    check_size(kernel, points)
    return points


def _points(features: Any, kernel: Kernel) -> Points:
    if isinstance(features, MatrixRows):
        return features  # rows of a matrix whose checks have passed
    rows = _numbers(features.rows if isinstance(features, Points) else features)
    _check_finite(rows)
    return _matrix(in_double(rows)) if kernel.name == "precomputed" else Points(rows)


def _numbers(rows: Any) -> Any:
    """Return the rows in canonical form.

    Dense rows are in C order, in float64 or float32 without a copy. Sparse rows are in float64 with sorted, unique
    indices.
    """
    try:
        if sp.issparse(rows):
            rows = sp.csr_array(rows, dtype=np.float64)
            rows.sum_duplicates()
            return rows
        rows = np.asarray(rows)
        if rows.dtype.kind == "c":
            raise InputError("The features are complex numbers; they must be real.")
        rows = np.ascontiguousarray(rows, dtype=np.float32 if rows.dtype == np.float32 else np.float64)
    except (TypeError, ValueError) as problem:
        if isinstance(problem, InputError):
            raise
        raise InputError("The features must be rows of numbers of equal length: {problem}.", problem=problem) from None
    if rows.ndim != 2:
        raise InputError(
            "The features must be a table of rows and columns, not an array of shape {shape}.", shape=rows.shape
        )
    return rows


def _check_finite(rows: Any) -> None:
    if rows.shape[1] == 0:
        raise InputError("There are no features: every example needs at least one number.")
    values = (rows.data if sp.issparse(rows) else rows).reshape(-1)
    odd = np.concatenate([_not_finite(values, some) for some in pieces(values.size, MOVE)] or [np.empty(0, np.int64)])
    if odd.size:
        row, column = _place(rows, int(odd[0]))
        raise InputError(
            "The features contain NaN or infinity {times} times, first in row {row}, column {column}; fill or"
            " drop these values first.",
            times=odd.size,
            row=row,
            column=column,
        )


def _not_finite(values: np.ndarray, some: slice) -> np.ndarray:
    """Return the places of NaN and infinity in a piece; a mask of all values would be an eighth of their size."""
    return np.flatnonzero(~np.isfinite(values[some])) + some.start


def _place(rows: Any, place: int) -> tuple[int, int]:
    if not sp.issparse(rows):
        return divmod(place, rows.shape[1])
    return int(np.searchsorted(rows.indptr, place, side="right") - 1), int(rows.indices[place])


def _matrix(rows: Any) -> MatrixRows:
    dense = rows.toarray() if sp.issparse(rows) else rows
    if dense.shape[0] != dense.shape[1]:
        raise InputError(
            "A precomputed kernel must be a square matrix of the training examples, not of shape {shape}.",
            shape=dense.shape,
        )
    if not np.allclose(dense, dense.T, rtol=1e-5, atol=1e-6 * np.abs(dense).max()):
        raise InputError("A precomputed kernel must be symmetric: K[i, j] = K[j, i] for all pairs of examples.")
    return MatrixRows(dense, np.arange(dense.shape[0]))


def check_size(kernel: Kernel, points: Points) -> None:
    """Raise InputError if kernel values exceed LARGEST_KERNEL_VALUE."""
    with np.errstate(over="ignore", invalid="ignore"):
        largest = max(float(np.abs(kernel.diagonal(points)).max(initial=0.0)), kernel.largest_argument(points))
        lengths = (
            0.0 if kernel.name == "precomputed" else 8.0 * points.largest_square
        )  # guarantees that squared distances are finite
    if not np.isfinite(lengths):
        raise InputError(TOO_LARGE)
    if not largest <= LARGEST_KERNEL_VALUE:
        raise InputError(
            "The kernel reaches {largest:.3g} on these features, too large to compute with; scale the features first.",
            largest=largest,
        )


def _check_kernel(kernel: Kernel) -> None:
    for name in kernel.parameters:
        value = getattr(kernel, name)
        if name == "coef0":
            if not _is_number(value) or not np.isfinite(value):
                raise InputError("coef0 must be a finite number, not {value!r}.", value=value)
        elif name == "degree":
            whole(name, value)
        else:
            positive(name, value)


def _weights(class_weight: Sequence[float] | np.ndarray | None, classes: int) -> np.ndarray:
    if class_weight is None:
        return np.ones(classes)
    weights = np.asarray(class_weight, dtype=np.float64)
    if weights.shape != (classes,):
        raise InputError("There are {classes} classes but {size} class weights.", classes=classes, size=weights.size)
    if not (np.isfinite(weights).all() and (weights > 0.0).all()):
        raise InputError("Every class weight must be a positive number.")
    return weights


def kernel_from(name: str, kernels: Mapping[str, Any], **parameters: Any) -> Kernel:
    """Return the kernel of this name, with those of `parameters` that it declares."""
    if not isinstance(name, str) or name not in kernels:
        raise InputError(
            "There is no kernel {name!r}; choose one of {choices}.", name=name, choices=choices_for(name, kernels)
        )
    kind = kernels[name]
    return kind(**{key: parameters[key] for key in kind.parameters})


def _costs(cost: float, class_weight: np.ndarray, sample_weight: np.ndarray | None) -> np.ndarray:
    """Return (n,) U_i = C class_weight[y_i] sample_weight[i], all positive: callers leave out rows of weight 0.

    `class_weight` has the weight of each example's class.
    """
    if sample_weight is None:
        return cost * class_weight
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != class_weight.shape:
        raise InputError(
            "There are {examples} examples but {weights} weights of rows.",
            examples=class_weight.size,
            weights=weights.size,
        )
    if not (np.isfinite(weights).all() and (weights > 0.0).all()):
        raise InputError("Every weight of a row must be a positive number; leave rows of weight 0 out.")
    return cost * class_weight * weights
