"""A trained model in a flat layout: everything that a format needs, without types of our own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
import scipy.sparse as sp

from mcsvm.solvers.kernels import KERNELS, Points
from mcsvm.solvers.kernels.precomputed import MatrixRows
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.model import TIE, Expansion, dense_expansion, votes, walk
from mcsvm.solvers.uncertainty.costs import CostRule
from mcsvm.solvers.uncertainty.probability import Calibration
from mcsvm_gui.core.data.preparation import TablePreparation
from mcsvm_gui.core.machine.trained import TrainedModel

Rows: TypeAlias = Any  # np.ndarray | sp.csr_array: SciPy has no types


@dataclass(frozen=True)
class FlatColumn:
    """A column of the raw table. A missing cell becomes `fill`, unless that is None."""

    name: str
    levels: tuple[str, ...] | None  # None: numbers
    fill: float | str | None
    kind: str = "number"

    @property
    def numeric(self) -> bool:
        return self.kind in ("number", "date")


@dataclass(frozen=True, eq=False)
class FlatModel:
    """The formulas of a model.

    prepared[f] = (value of sources[f], or whether it equals levels[f], - shift[f]) * scale[f];
    outputs = kernel(prepared, vectors) @ expansion + bias; `decides` names the rule from outputs to a class.
    """

    machine: str
    decides: str  # argmax; votes or graph over the pairs (0, 1), (0, 2), ...
    class_names: tuple[str, ...]
    columns: tuple[FlatColumn, ...]
    sources: np.ndarray  # (features,) index of the column
    levels: tuple[str | None, ...]  # (features,)
    shift: np.ndarray
    scale: np.ndarray
    kernel: str
    parameters: dict[str, float]
    vectors: Rows  # (vectors, features)
    serials: np.ndarray  # (vectors,) index of its training example
    owners: np.ndarray  # (vectors,) its class
    expansion: Expansion  # (vectors, outputs); sparse for the pairs of more than two classes
    bias: np.ndarray  # (outputs,)
    first: int = 1  # the number of the first column in a sparse file
    strict: bool = False  # whether the model refuses an unknown level, instead of treating it as no level
    calibration: Calibration | None = None  # how outputs become probabilities, if the model has them
    rule: CostRule | None = None  # how probabilities give a class, instead of `decides`
    steps: TablePreparation | None = None  # set if features are more than values and levels; then it defines them all

    @property
    def classes(self) -> int:
        return len(self.class_names)

    @property
    def features(self) -> int:
        return len(self.levels)

    @property
    def parts(self) -> tuple[str, ...]:
        """The (features,) parts as a preparation has them; empty for a value or a level."""
        return ("",) * self.features if self.steps is None else tuple(one.part for one in self.steps.features)

    @property
    def width(self) -> int:
        """The number of columns that the kernel receives: the features, then one column for each word."""
        return int(self.vectors.shape[1])

    @property
    def outputs(self) -> int:
        return self.bias.size

    @property
    def sparse(self) -> bool:
        return sp.issparse(self.vectors)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        return list(combinations(range(self.classes), 2))

    @property
    def texts(self) -> Iterator[str]:
        """Yield every name that came with the data."""
        yield from self.class_names
        for column in self.columns:
            yield from (column.name, *(column.levels or ()))

    @property
    def numbers_only(self) -> bool:
        return all(column.kind == "number" for column in self.columns)

    @property
    def rejected(self) -> str:
        """A text that is not a class name; a format of texts returns it if the rule rejects."""
        return unused_name("", self.class_names)

    @cached_property
    def dense(self) -> np.ndarray:
        return self.vectors.toarray() if sp.issparse(self.vectors) else self.vectors

    @cached_property
    def squares(self) -> np.ndarray:
        """The (vectors,) squared norms |z|^2."""
        return Points(self.vectors).squares

    def evaluate(self, prepared: Rows) -> np.ndarray:
        """Return the (n, outputs) values, computed from this layout alone."""
        return self._sum_terms(prepared, self.expansion, self.bias, absolute=False)

    def magnitudes(self, prepared: Rows) -> np.ndarray:
        """Return the (n, outputs) sums of the magnitudes of all terms; they bound the rounding errors."""
        return self._sum_terms(prepared, abs(self.expansion), np.abs(self.bias), absolute=True)

    def column(self, output: int) -> np.ndarray:
        """Return the (vectors,) coefficients of one output."""
        return dense_expansion(self.expansion[:, [output]])[:, 0]

    def _sum_terms(self, prepared: Rows, weights: Expansion, start: np.ndarray, *, absolute: bool) -> np.ndarray:
        """Sum in slices of bounded memory."""
        values = np.empty((prepared.shape[0], self.outputs))
        height = max(1, 4_000_000 // max(1, len(self.serials)))
        for first in range(0, len(values), height):
            part = slice(first, first + height)
            block = self._kernel(prepared[part])
            values[part] = (np.abs(block, out=block) if absolute else block) @ weights + start
        return values

    def _kernel(self, prepared: Rows) -> np.ndarray:
        kernel = KERNELS[self.kernel](**self.parameters)
        right = MatrixRows(self.dense, self.serials) if self.kernel == "precomputed" else Points(self.vectors)
        return kernel.block(Points(prepared), right, np.empty((prepared.shape[0], len(right))))

    def choose(self, values: np.ndarray) -> np.ndarray:
        """Return class numbers from outputs; -1 if the rule rejects."""
        shares = None if self.rule is None else self.probabilities(values)
        if self.rule is not None and shares is not None:
            return self.rule.decide(shares)
        if self.decides == "argmax":
            return values.argmax(axis=1)
        return votes(values, self.classes).argmax(axis=1) if self.decides == "votes" else walk(values, self.classes)

    def probabilities(self, values: np.ndarray) -> np.ndarray | None:
        """Return (n, classes) probabilities from outputs; None without a calibration."""
        if self.calibration is None:
            return None
        return self.calibration.probabilities(MACHINES[self.machine], values, self.classes)


def unused_name(name: str, names: Sequence[str]) -> str:
    """Return the name, made longer until it is not among `names`."""
    while name in names:
        name += "?"
    return name


def flat_model(trained: TrainedModel, *, as_weights: bool = True) -> FlatModel:
    """Return the flat layout of a model; it is built once per model and shared by all steps of an export.

    With `as_weights`, a linear model becomes its weight vectors, one per output, instead of its support vectors.
    """
    collapse = as_weights and trained.model.kernel.name == "linear"
    forms = _forms.setdefault(trained, {})
    if collapse not in forms:
        forms[collapse] = _flat(trained, collapse)
    return forms[collapse]


_forms: WeakKeyDictionary[TrainedModel, dict[bool, FlatModel]] = WeakKeyDictionary()  # freed with the model


def _flat(trained: TrainedModel, collapse: bool) -> FlatModel:
    model, steps = trained.model, trained.preparation
    columns, features = _columns(trained.preparation), tuple(trained.preparation.features)
    names = {column.name: number for number, column in enumerate(columns)}
    parts = (model.points.rows, model.support, model.owners, model.expansion)
    vectors, serials, owners, expansion = _weights(model, *parts) if collapse else parts
    return FlatModel(
        machine=model.machine.name,
        decides="votes" if model.machine.vote == "graph" and model.classes == 2 else model.machine.vote,
        class_names=tuple(trained.class_names),
        columns=columns,
        sources=np.array([names[feature.source] for feature in features], dtype=np.int64),
        levels=tuple(feature.level for feature in features),
        shift=np.array([feature.shift for feature in features], dtype=np.float64),
        scale=np.array([feature.scale for feature in features], dtype=np.float64),
        kernel=model.kernel.name,
        parameters={name: _plain_number(getattr(model.kernel, name)) for name in model.kernel.parameters},
        vectors=vectors,
        serials=serials,
        owners=owners,
        expansion=expansion,
        bias=_tilted(model),
        first=getattr(trained.preparation, "first", 1),
        strict=trained.preparation.rules.unknown == "reject",
        calibration=None if trained.calibrated is None else trained.calibrated.found,
        rule=trained.rule,
        steps=steps if isinstance(steps, TablePreparation) and not steps.plain else None,
    )


def _tilted(model: Any) -> np.ndarray:
    """Return the bias with each later class lowered by another TIE.

    The model treats class functions within TIE as equal and takes the first of them. With the lowered bias, a program
    that takes the largest predicts the same class, whichever way it rounds.
    """
    return model.bias - TIE * np.arange(model.classes) if model.machine.vote == "argmax" else model.bias


def _plain_number(value: Any) -> float:
    """Convert NumPy's numbers, whose `repr` is not a number; an int (a degree) stays an int."""
    return value if isinstance(value, int) else float(value)


def _columns(preparation: Any) -> tuple[FlatColumn, ...]:
    """Return all columns of the training data if all are numbers, so that a raw row fits; otherwise those with
    features."""
    levels: dict[str, list[str]] = {}
    fills: dict[str, float | str | None] = {}
    for source in preparation.sources if not preparation.plain else ():
        fills.setdefault(source, "")  # texts
    for feature in preparation.features:
        fills[feature.source] = feature.fill
        if feature.level is not None:
            levels.setdefault(feature.source, []).append(feature.level)
    plain = all(column.kind == "number" for column in preparation.columns)
    used = [column for column in preparation.columns if plain or column.name in fills]
    return tuple(
        FlatColumn(column.name, tuple(levels.get(column.name, ())) or None, fills.get(column.name), column.kind)
        for column in used
    )


def _weights(model: Any, rows: Rows, serials: Any, owners: Any, expansion: Expansion) -> Sequence[Any]:
    """Return one weight vector per output; its owner is its class, or the first class of its pair."""
    weights, outputs = expansion.T @ rows, model.bias.size
    owner = np.triu_indices(model.classes, 1)[0] if model.machine.split == "pairs" else np.arange(outputs)
    stored = sp.csr_array(weights) if sp.issparse(rows) else np.ascontiguousarray(weights)
    identity = sp.csc_array(sp.eye_array(outputs)) if sp.issparse(expansion) else np.eye(outputs)
    return stored, np.arange(outputs), owner, identity
