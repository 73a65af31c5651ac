"""A trained model: it predicts class names of raw rows, and stores how it was trained."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, Literal

import numpy as np

from mcsvm.solvers.decision import Decision
from mcsvm.solvers.dual.certificate import Certificate
from mcsvm.solvers.errors import Sentence
from mcsvm.solvers.machines import Machine
from mcsvm.solvers.model import Model, class_scores, decide
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.uncertainty.conformal import Conformal, strangeness
from mcsvm.solvers.uncertainty.costs import REJECTED, CostRule
from mcsvm.solvers.uncertainty.novelty import Landmarks
from mcsvm.solvers.uncertainty.probability import Calibration, scores
from mcsvm.solvers.work import limited
from mcsvm_gui.core.base.about import own_version
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset, Notice, NoticeTally
from mcsvm_gui.core.data.preparation import Preparation
from mcsvm_gui.core.data.preparation.rules import Prepared, Rows, some_names
from mcsvm_gui.core.data.roles.value import Role, roles_of
from mcsvm_gui.core.data.row_source import RowSource
from mcsvm_gui.core.machine.request import Request

LabelKind = Literal["text", "integer", "real", "boolean"]
UNLEARNED: tuple[Role, ...] = ("name", "group", "fold")  # roles whose columns a model stores by name
PACKAGES = "numpy", "scipy", "numba", "scikit-learn", "pandas"


@dataclass(frozen=True, eq=False)
class Duals:
    """The nonzero dual variables: for each part the training rows, and their variables."""

    parts: np.ndarray  # (parts + 1,) first row of each part, as in CSR
    rows: np.ndarray  # (m,) row of the training part, rising within a part
    alpha: np.ndarray  # (m, slots)


@dataclass(frozen=True)
class Origin:
    """Origin of the model: how the training went."""

    solver: str
    ending: Ending
    certificate: Certificate
    iterations: int
    kernel_evaluations: int
    seconds: float | None  # of training; None in a model from a file, because files are reproducible byte for byte
    n_train: int
    class_counts: tuple[int, ...]
    n_bounded: int
    digest: str  # of the file's bytes; empty in a model that was trained on arrays
    versions: tuple[tuple[str, str], ...]
    system: str = ""
    processor: str = ""
    decisions: tuple[Decision, ...] = ()  # decisions of the solver, with reasons
    certified: bool = True  # False: time ran out, and `certificate` has the running numbers of the training


@dataclass(frozen=True)
class Weighing:
    """The weights of the training rows."""

    column: str
    total: float
    left_out: int  # rows of weight 0

    @classmethod
    def of(cls, training: Dataset) -> Weighing | None:
        if training.weights is None or training.weight_name is None:
            return None
        return cls(training.weight_name, float(training.weights.sum()), training.weightless)


@dataclass(frozen=True, eq=False)
class PredictionSets:
    """The calibrated scales for two questions: which classes a row may have, and whether it is like the rows of any
    class."""

    margins: Conformal  # by how much other classes lead, for rows not trained on
    distances: Conformal  # distances from the landmarks of their class, for the same rows
    landmarks: Landmarks

    def p_values(self, machine: Machine, values: np.ndarray, rows: Rows) -> tuple[np.ndarray, np.ndarray]:
        """Return p-values: (n, classes) for each class by the scores, and (n,) for the nearest class by the kernel."""
        ranked = scores(machine, values, len(self.margins.levels))
        near = self.distances.p_values(self.landmarks.distances(rows))
        return self.margins.p_values(strangeness(ranked)), near.max(axis=1)


@dataclass(frozen=True, eq=False)
class Calibrated:
    """The map from scores to probabilities and sets, and how it was fitted."""

    found: Calibration
    folds: int
    seconds: float | None  # of the calibration; None in a model from a file
    sets: PredictionSets | None = None  # None if the model was trained on arrays

    def document(self) -> dict[str, Any]:
        """Return the entries of the model file, which has no times."""
        return {**self.found.document(), "folds": self.folds}


@dataclass(frozen=True, eq=False)
class Decisions:
    labels: np.ndarray  # class names; None for rejected rows, and for dropped rows with missing cells
    scores: np.ndarray  # (rows, classes), the machine predicts the largest; NaN without a prediction
    notices: tuple[Notice, ...]
    probabilities: np.ndarray | None = None  # (rows, classes), if requested; NaN as above
    p_values: np.ndarray | None = None  # (rows, classes), if requested: the set at an error holds the classes above it
    typical: np.ndarray | None = None  # (rows,) p-value of the nearest class: a row at or below the error is novel

    @property
    def decided(self) -> np.ndarray:
        return np.flatnonzero(self.labels != None)  # noqa: E711 - element by element

    def members(self, error: float) -> np.ndarray:
        """Return (rows, classes): which classes the set of a row holds.

        For every class, the sets of at least 1 - error of its rows hold it.
        """
        assert self.p_values is not None
        return np.asarray(self.p_values > error)

    def novel(self, error: float) -> np.ndarray:
        """Return (rows,) whether a row is novel; at most the share `error` of the rows of any class is."""
        assert self.typical is not None
        return np.asarray(self.typical <= error)

    @property
    def rejected(self) -> np.ndarray:
        """The (rows,) mask of rows that the rule rejects, because no class is probable enough."""
        return np.asarray((self.labels == None) & ~np.isnan(self.scores[:, 0]))  # noqa: E711


@dataclass(frozen=True, eq=False)
class RowOutputs:
    """The outputs of a model for preprocessed rows, with an entry per row in each array."""

    finite: np.ndarray  # whether the decision values are finite
    codes: np.ndarray  # the class, or REJECTED
    scores: np.ndarray  # (rows, classes)
    probabilities: np.ndarray | None
    p_values: np.ndarray | None
    typical: np.ndarray | None

    @classmethod
    def concatenate(cls, parts: Sequence[RowOutputs]) -> RowOutputs:
        columns: Any = zip(*(part._arrays() for part in parts), strict=True)
        arrays: list[Any] = [None if one[0] is None else np.concatenate(one) for one in columns]
        return cls(*arrays)

    def __getitem__(self, rows: slice) -> RowOutputs:
        arrays: list[Any] = [None if one is None else one[rows] for one in self._arrays()]
        return RowOutputs(*arrays)

    def __len__(self) -> int:
        return len(self.codes)

    def _arrays(self) -> list[Any]:
        return [self.finite, self.codes, self.scores, self.probabilities, self.p_values, self.typical]


def _for_all_rows(numbers: np.ndarray, rows: int, kept: np.ndarray) -> np.ndarray:
    """Return the numbers at the rows in `kept`, NaN at the others."""
    table = np.full((rows, *numbers.shape[1:]), np.nan)
    table[kept] = numbers
    return table


@dataclass(frozen=True, eq=False)
class TrainedModel:
    model: Model
    class_names: tuple[str, ...]
    preparation: Preparation
    request: Request
    label_name: str | None
    origin: Origin
    duals: Duals
    calibrated: Calibrated | None = None
    weighing: Weighing | None = None  # None if all rows have equal weight
    rule: CostRule | None = None  # only if the model is calibrated
    rows: RowSource | None = None  # source of the training rows; None if unknown
    unlearned: Mapping[str, Role] = field(default_factory=dict)  # names, groups and folds of the training file
    label_kind: LabelKind = "text"  # type of the labels that a model trained on arrays was given

    def columns_of(self, role: Role) -> tuple[str, ...]:
        """Return the columns of the training file that had this role, one of `UNLEARNED`."""
        return tuple(name for name, had in self.unlearned.items() if had == role)

    @property
    def certificate(self) -> Certificate:
        return self.origin.certificate

    def predictions(self, dataset: Dataset, *, probabilities: bool = False, sets: bool = False) -> Decisions:
        """Return class names and scores of raw rows, with probabilities and p-values if the model has them."""
        prepared = self.preparation.apply(dataset)
        outputs = self.outputs(prepared.rows, probabilities=probabilities, sets=sets)
        return self.decisions(dataset, prepared, outputs)

    def outputs(self, rows: Rows, *, probabilities: bool = False, sets: bool = False) -> RowOutputs:
        """Return the outputs for preprocessed rows, in chunks: pairs of many classes have many decision values."""
        with limited(self.request.threads), np.errstate(over="ignore", invalid="ignore"):
            chunks = [self._outputs(rows[some], probabilities, sets) for some in self.model.chunks(rows.shape[0])]
        return RowOutputs.concatenate(chunks) if chunks else self._outputs(rows, probabilities, sets)

    def _outputs(self, rows: Rows, probabilities: bool, sets: bool) -> RowOutputs:
        return self.outputs_of(self.model.decision(rows), rows, probabilities=probabilities, sets=sets)

    def outputs_of(self, values: np.ndarray, rows: Rows, *, probabilities: bool, sets: bool) -> RowOutputs:
        """Return the outputs for preprocessed rows from their decision values."""
        machine, classes = self.model.machine, self.model.classes
        finite = np.isfinite(values).all(axis=1)
        shares = p_values = typical = None
        if self.calibrated is not None and (probabilities or self.rule is not None):
            shares = self.calibrated.found.probabilities(machine, values, classes)
        codes = decide(machine, values, classes) if self.rule is None or shares is None else self.rule.decide(shares)
        if sets and self.calibrated is not None and self.calibrated.sets is not None:
            p_values, typical = self.calibrated.sets.p_values(machine, values, rows)
        scores = class_scores(machine, values, classes) if machine.split == "pairs" else values
        return RowOutputs(finite, codes, scores, shares if probabilities else None, p_values, typical)

    def decisions(self, dataset: Dataset, prepared: Prepared, outputs: RowOutputs) -> Decisions:
        """Return the predictions for the rows of a dataset from the outputs for its preprocessed rows."""
        if not outputs.finite.all():
            row = int(prepared.kept[np.flatnonzero(~outputs.finite)[0]])
            raise FileError(
                dataset.name,
                "data row {row} is too far from the training data to be computed with",
                row=int(dataset.row_numbers[row]),
            )
        labels, codes = np.full(dataset.rows, None, dtype=object), outputs.codes
        labels[prepared.kept[codes != REJECTED]] = self.names[codes[codes != REJECTED]]
        given, shares, p_values, typical = (
            None if numbers is None else _for_all_rows(numbers, dataset.rows, prepared.kept)
            for numbers in (outputs.scores, outputs.probabilities, outputs.p_values, outputs.typical)
        )
        assert given is not None
        return Decisions(labels, given, prepared.notices, shares, p_values, typical)

    def decide(self, dataset: Dataset) -> np.ndarray:
        """Return the predicted class name of each row."""
        return self.predictions(dataset).labels

    @property
    def names(self) -> np.ndarray:
        names = np.empty(len(self.class_names), dtype=object)
        names[:] = self.class_names
        return names


def labels_of(names: Sequence[str], kind: LabelKind) -> np.ndarray:
    """Return class names as labels of this type; raise ValueError or OverflowError if one is not of it."""
    if kind == "integer":
        return np.array([int(name) for name in names], dtype=np.int64)
    if kind == "real":
        return np.array([float(name) for name in names])
    if kind == "boolean":
        return np.array([("False", "True").index(name) == 1 for name in names])
    return np.array(names)


def unlearned_columns(dataset: Dataset) -> dict[str, Role]:
    """Return the columns of the file that have a role but are not features."""
    return {name: role for name, role in roles_of(dataset).items() if role in UNLEARNED}


def accuracy(right: np.ndarray, weights: np.ndarray | None) -> float:
    """Return the weighted share of rows predicted correctly."""
    return float(np.mean(right) if weights is None else np.average(right, weights=weights))


def unseen_classes(trained_names: tuple[str, ...], labels: np.ndarray) -> tuple[Notice, ...]:
    """Return a notice on classes of other data that are unknown to the training."""
    strange = [name for name in sorted(set(labels.tolist())) if name not in trained_names]
    rows = int(np.isin(labels, strange).sum())
    return (Notice.of("unseen classes", NoticeTally(_unseen, rows, words=tuple(strange))),) if strange else ()


def _unseen(tally: NoticeTally) -> Sentence:
    return Sentence(
        "class never seen in training: {names}; their rows ({rows}) count as errors",
        "classes never seen in training: {names}; their rows ({rows}) count as errors",
        count=len(tally.words),
        names=some_names(sorted(tally.words)),
        rows=tally.count,
    )


def versions() -> tuple[tuple[str, str], ...]:
    named = [("mcsvm", own_version()), ("python", platform.python_version())]
    return (*named, *((name, version(name)) for name in PACKAGES))
