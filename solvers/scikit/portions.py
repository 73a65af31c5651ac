"""The method `partial_fit`: its online machines (LASVM), which last between calls, and the checks of its arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import _fit_context
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from mcsvm.solvers import clock
from mcsvm.solvers.arguments import refuse_negative, refuse_several_targets, row_weights, weights_by_label
from mcsvm.solvers.errors import InputError, Sentence
from mcsvm.solvers.kernels import KERNELS, PARAMETERS, Kernel, Points
from mcsvm.solvers.machines import MACHINES, Machine
from mcsvm.solvers.methods.lasvm.stream import Expansion, OnlineSettings, Stream
from mcsvm.solvers.methods.lasvm.table import LASVM_METHODS
from mcsvm.solvers.model import Model, dense_expansion, stored_expansion
from mcsvm.solvers.posing import checked_points, listing, positive
from mcsvm.solvers.run.loop import find_method
from mcsvm.solvers.scikit.constraints import seed_of
from mcsvm.solvers.scikit.resources import ResourceMixin
from mcsvm.solvers.work import limited

VARIANTS = {method.name: method for method in LASVM_METHODS}

OF_A_RUN = "certificate_", "ending_", "trace_", "solver_used_", "solver_reason_", "decisions_", "_record"
UNCALIBRATED = Sentence(
    "partial_fit has no rows to leave out, so it cannot fit probabilities; set calibration to None, or use fit."
)
# Parameters that may not change between portions.
LASTING = "machine", "kernel", "C", *PARAMETERS, "margin", "bias", "class_weight"


class Increment:
    """The online machines of a model. `solver` names a variant of LASVM; any other name means `lasvm`."""

    def __init__(
        self, machine: Machine, kernel: Kernel, upper: np.ndarray, margin: float, *,
        tolerance: float, cache_mb: float, solver: str, seed: int,
    ) -> None:  # fmt: skip
        self._machine, self.kernel, self.seconds = machine.name, kernel, 0.0
        variant = VARIANTS.get(solver, VARIANTS["lasvm"])
        settings = OnlineSettings(upper, margin, tolerance, variant.choice, variant.second_order, seed)
        self.stream = Stream(kernel, machine.split, settings, cache_mb)

    def adopt(self, model: Model, numbers: np.ndarray, upper: np.ndarray, seen: int) -> None:
        """Start from a model trained on `seen` rows; `numbers` and `upper` are row and cost of each support vector."""
        learnt = Expansion(model.points, numbers, model.owners, upper, dense_expansion(model.expansion), model.bias)
        self.stream.adopt(learnt, seen)

    def learn(self, features: Any, labels: np.ndarray, weights: np.ndarray) -> None:
        points = checked_points(features, self.kernel)
        began = clock.seconds()
        self.stream.learn(points, labels, weights)
        self.seconds += clock.seconds() - began

    def model(self) -> Model:
        found, machine = self.stream.expansion(), MACHINES[self._machine]
        classes = self.stream.settings.upper.size
        expansion = stored_expansion(machine, classes, found.weights)
        return Model(machine, self.kernel, classes, found.numbers, found.points, found.labels, expansion, found.bias)


def compile_online() -> None:
    """Compile the functions that online machines call."""
    kernel, settings = KERNELS["rbf"](gamma=1.0), OnlineSettings(np.ones(2), 1.0, 1e-3)
    points = Points(np.sin(np.outer(np.arange(12), [1.0, 2.0])))
    Stream(kernel, "pairs", settings, 1.0).learn(points, np.arange(12) % 2)


def why_not(machine: Any, kernel: Any, bias: Any, class_weight: Any) -> Sentence | None:
    """Return the sentence that tells why `partial_fit` refuses these parameters, or None if it accepts them."""
    if not isinstance(machine, str) or machine not in MACHINES or MACHINES[machine].split == "joint":
        able = ", ".join(name for name, entry in MACHINES.items() if entry.split != "joint")
        return Sentence(
            "partial_fit is for machines of binary parts, {able}, not {machine!r}; use fit.", able=able, machine=machine
        )
    if bias not in (None, "exact"):
        return Sentence("partial_fit learns an exact bias, not bias={bias!r}; leave it at None.", bias=bias)
    if callable(kernel) or kernel == "precomputed":
        return Sentence(
            "partial_fit needs features: rows of a precomputed kernel know nothing of rows that are still to come."
        )
    if isinstance(class_weight, str):
        return Sentence(
            "class_weight={weight!r} needs all rows at once; give partial_fit a weight for each label.",
            weight=class_weight,
        )
    return None


def learns_online(estimator: Any) -> bool:
    """Tell scikit-learn's `available_if` whether the estimator has `partial_fit`; raise AttributeError if not."""
    reason = why_not(estimator.machine, None, None, None)
    if reason is None and estimator.calibration is not None:
        reason = UNCALIBRATED
    if reason is not None:
        raise AttributeError(reason)
    return True


def check_portions(estimator: Any) -> None:
    reason = why_not(estimator.machine, estimator.kernel, estimator.bias, estimator.class_weight)
    if reason is not None:
        raise InputError(reason)
    if hasattr(estimator, "_trained") and estimator._trained.size < estimator.classes_.size:
        raise InputError(
            "partial_fit cannot continue from this fit, in which all rows of a class had weight 0. Use fit, or a clone."
        )
    before = getattr(estimator, "_began_with", {})
    changed = [name for name, value in before.items() if getattr(estimator, name) != value]
    if changed:
        raise InputError(
            "partial_fit cannot change {changed} of a model that is already fitted. Use fit, or a clone.",
            changed=changed[0],
        )


def all_classes(estimator: Any, classes: Any) -> np.ndarray:
    """Return all labels: those of the argument `classes` in the first portion, else those of `fit`."""
    begun = hasattr(estimator, "_began_with")
    if classes is None and not begun:
        raise InputError("The first call of partial_fit needs classes: all labels that will ever come.")
    given: np.ndarray = estimator.classes_ if classes is None else np.unique(np.asarray(classes))
    if begun and not np.array_equal(given, estimator.classes_):
        known = listing(estimator.classes_.tolist())
        raise InputError(
            "partial_fit cannot change the classes {known} of a model that is already fitted. Use fit, or a clone.",
            known=known,
        )
    if given.size < 2:
        raise InputError("There is only one class to learn; a classifier needs at least two classes.")
    return given


def codes_of(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Return the class numbers of labels; raise InputError for an unknown label."""
    strange = np.flatnonzero(~np.isin(labels, classes))
    if strange.size:
        name = labels[strange[:1]].tolist()[0]
        raise InputError(
            "The label {name!r} is not one of the model's classes. Give all labels in the first call of partial_fit.",
            name=name,
        )
    return np.searchsorted(classes, labels)


def going_on(estimator: Any, features: Any) -> Increment:
    """Return the online machines of earlier portions, else new ones, which start from the model of `fit` if any."""
    begun = hasattr(estimator, "_began_with")
    if begun and estimator._increment is not None:
        return estimator._increment
    machine, count = MACHINES[estimator.machine], estimator.classes_.size
    given = estimator.class_weight
    weights = np.ones(count) if given is None else weights_by_label(given, estimator.classes_)
    increment = Increment(
        machine,
        estimator._model.kernel if begun else estimator._kernel(features),
        positive("C", estimator.C) * weights,
        machine.margin(count) if estimator.margin is None else positive("margin", estimator.margin),
        tolerance=positive("tol", estimator.tol),
        cache_mb=positive("cache_mb", estimator._cache_mb),
        solver=find_method(estimator.solver).name,
        seed=seed_of(estimator.random_state),
    )
    if begun:
        increment.adopt(estimator._model, estimator.support_, estimator._support_upper, estimator._rows)
    return increment


class PartialFitMixin(ResourceMixin):
    """The method `partial_fit`. `_remember` stores the state from which the next portion continues."""

    _solution: tuple[np.ndarray, list[np.ndarray]] | None
    _remember: Callable[[Increment | None], None]
    _set_model: Callable[[Model], None]

    @available_if(learns_online)
    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Update the model of `fit`, or of earlier portions, by one pass over new rows.

        The model can predict after any portion. Shuffle the rows first: one pass over rows sorted by class learns
        little. With solver="lasvm-gradient" or "lasvm-active" the current model chooses the order of the rows, with
        "lasvm-first-order" pairs are chosen by their gradients alone. Any other solver means "lasvm".

        Parameters
        ----------
        X : array-like or sparse of shape (n_rows, n_features)
            New rows.
        y : array-like of shape (n_rows,)
            The class label of each row.
        classes : array-like or None, default=None
            All class labels of all portions. Required with the first portion, unless `fit` was called before.
        sample_weight : array-like of shape (n_rows,), float or None, default=None
            Factors on C by row.

        Returns
        -------
        self : MultiClassSVC
            The updated estimator.

        Examples
        --------
        >>> from mcsvm import MultiClassSVC
        >>> model = MultiClassSVC(machine="ovo").partial_fit([[0.0], [1.0]], [0, 1], classes=[0, 1])
        >>> model.partial_fit([[0.2], [0.9]], [0, 1]).predict([[0.8]])
        array([1])
        """
        features, codes = self._portion(X, y, classes)
        weights = row_weights(sample_weight, codes.size)
        refuse_negative(weights)
        with limited(self._threads):
            increment = going_on(self, features)
            increment.learn(features, codes, weights)
        self._remember(increment)
        self._use_increment(increment)
        return self

    def _portion(self, X: Any, y: Any, classes: Any) -> tuple[Any, np.ndarray]:
        """Return the checked rows of a portion, and the class number of each."""
        check_portions(self)
        refuse_several_targets(y)
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=np.float64, order="C", reset=not hasattr(self, "_began_with")
        )
        check_classification_targets(y)
        known = all_classes(self, classes)
        codes = codes_of(y, known)
        self.classes_, self._trained = known, np.arange(known.size)
        self._sparse = sp.issparse(X) or getattr(self, "_sparse", False)
        return X, codes

    def _use_increment(self, increment: Increment) -> None:
        self._solution = None
        for name in (*OF_A_RUN, "calibration_", "temperature_"):
            self.__dict__.pop(name, None)
        stream = increment.stream
        self.n_iter_, self.kernel_evaluations_, self.seconds_ = stream.steps, stream.evaluations, increment.seconds
        self._set_model(increment.model())
