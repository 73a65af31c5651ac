"""MultiClassSVC: the scikit-learn face of the solvers."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from solvers.dual.certificate import total_of
from solvers.errors import InputError
from solvers.kernels import KERNELS, Kernel
from solvers.model import Model, class_scores
from solvers.portions import LASTING, Increment, all_classes, check_portions, codes_of, going_on, learns_online
from solvers.posing import kernel_from, pose, positive, shown, whole
from solvers.problem import Problem
from solvers.run.decisions import final_reasons
from solvers.run.ending import Ending
from solvers.run.limits import Limits
from solvers.run.loop import Run
from solvers.run.trace import Sample
from solvers.work import limited

OF_A_RUN = "certificate_", "ending_", "trace_", "solver_used_", "solver_reason_", "decisions_"


class MultiClassSVC(ClassifierMixin, BaseEstimator):
    """Multi-class support vector machine, trained to a certified optimum.

    machine: ww, cs, llw, ova, ovo, dag (and adm, atm, ats, mmr); solver: auto, or a method of the literature.
    kernel: rbf, linear, polynomial, sigmoid or precomputed, with gamma ("scale": 1 / (features x variance)),
    degree and coef0. C: the cost; class_weight, "balanced" or {label: weight}, scales it.
    margin, bias (none, regularized, exact): None for the machine's own.
    tol: the largest violation of optimality allowed; gap_tol: the relative gap to end at, which then rules alone.
    max_iter, time_limit (seconds of training): ends earlier; cache_mb: memory for kernel rows, factors, dense systems.
    threads: over which pieces of work are shared, with the same bits for every number.
    warm_start: begin from the last solution, scaled to the new C. random_state: decides lots; None is 0.
    callback(sample) returning True stops, and the model so far stands, with its certificate.
    decision_function_shape: "ovo" or "ovr", what ovo and dag return for more than two classes: the functions
    of all pairs, or a score per class (as CalibratedClassifierCV needs).

    After `fit`: classes_, support_, n_support_ (per class), dual_coef_ (a row per class function, or per pair),
    intercept_, n_iter_, seconds_, kernel_evaluations_, solver_used_ and solver_reason_ (what auto took, and in a
    sentence why), decisions_ (each step, phase, reason and numbers), ending_ (why it ended), certificate_ (primal,
    dual, gap, relative_gap, violation, infeasibility) and trace_, one array for each of iteration, seconds, dual,
    primal, violation, support and bounded.

    `partial_fit` (ova, ovo and dag) goes on learning from rows that come in portions, by LASVM. It forgets rows that
    become no support vectors, so the model then has no certificate_, and no ending_, trace_ and solver_used_.
    """

    def __init__(
        self,
        machine: str = "ww",
        solver: str = "auto",
        kernel: str = "rbf",
        C: float = 1.0,
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        margin: float | None = None,
        bias: str | None = None,
        class_weight: str | Mapping[Any, float] | None = None,
        tol: float = 1e-3,
        gap_tol: float | None = None,
        max_iter: int | None = None,
        time_limit: float | None = None,
        cache_mb: float = 500,
        threads: int | None = None,
        warm_start: bool = False,
        random_state: int | None = None,
        callback: Callable[[Sample], bool | None] | None = None,
        decision_function_shape: str = "ovo",
    ) -> None:
        self.machine = machine
        self.solver = solver
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.margin = margin
        self.bias = bias
        self.class_weight = class_weight
        self.tol = tol
        self.gap_tol = gap_tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.cache_mb = cache_mb
        self.threads = threads
        self.warm_start = warm_start
        self.random_state = random_state
        self.callback = callback
        self.decision_function_shape = decision_function_shape

    def fit(self, X: Any, y: Any) -> MultiClassSVC:
        """Train; the result carries `certificate_`, `ending_` and `trace_`."""
        self._check_parameters()
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, order="C")
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        with limited(self.threads):
            problem = self._pose(X, codes)
            run = Run(problem, self.solver, self._limits(), self._start(problem), seed=self._seed())
            self._finish(problem, self._drive(run))
        self._warn_of_limits()
        self._remember(None)
        return self

    @available_if(learns_online)
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> MultiClassSVC:
        """Learn each of these rows once, on top of what was learnt by `fit` or by earlier portions.

        classes: all labels that will ever come; needed with the first portion, unless `fit` came before. The model
        can be used after any portion. Mix the rows before: from rows sorted by class, one pass learns little.
        solver: lasvm-gradient and lasvm-active choose what is learnt first, lasvm-first-order chooses pairs
        otherwise; whatever else it is, lasvm learns.
        """
        self._check_parameters()
        features, labels = self._portion(X, y, classes)
        with limited(self.threads):
            increment = going_on(self, features)
            increment.learn(features, labels)
        self._remember(increment)
        self._show(increment)
        return self

    def _remember(self, increment: Increment | None) -> None:
        """What the next portion goes on with."""
        self._began_with = {name: getattr(self, name) for name in LASTING}
        self._increment = increment

    def _check_parameters(self) -> None:
        """What `pose` does not see."""
        if self.callback is not None and not callable(self.callback):
            raise InputError("callback must be a function of a sample, not {callback!r}.", callback=self.callback)
        if self.decision_function_shape not in ("ovo", "ovr"):
            raise InputError(
                "decision_function_shape must be 'ovo' or 'ovr', not {decision_function_shape!r}.",
                decision_function_shape=self.decision_function_shape,
            )
        if not isinstance(self.warm_start, bool | np.bool_):
            raise InputError("warm_start must be True or False, not {warm_start!r}.", warm_start=self.warm_start)

    def _portion(self, X: Any, y: Any, classes: Any) -> tuple[Any, np.ndarray]:
        """Rows in canonical form, and where their labels stand among the classes."""
        check_portions(self)
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=np.float64, order="C", reset=not hasattr(self, "_began_with")
        )
        check_classification_targets(y)
        known = all_classes(self, classes)
        codes = codes_of(y, known)
        self.classes_ = known
        return X, codes

    def _show(self, increment: Increment) -> None:
        self._solution: tuple[float, list[np.ndarray]] | None = None
        for name in OF_A_RUN:
            self.__dict__.pop(name, None)
        stream = increment.stream
        self.n_iter_, self.kernel_evaluations_, self.seconds_ = stream.steps, stream.evaluations, increment.seconds
        self._tell(increment.model())

    def _tell(self, model: Model) -> None:
        self._model = model
        self.support_ = model.support
        self.n_support_ = np.bincount(model.owners, minlength=model.classes)
        self.dual_coef_, self.intercept_ = model.expansion.T, model.bias

    def _drive(self, run: Run) -> Run:
        while run.running:
            sample = run.advance()
            if self.callback is not None and self.callback(sample):
                run.stop()
        return run

    def _pose(self, X: Any, codes: np.ndarray) -> Problem:
        return pose(
            X,
            codes,
            machine=self.machine,
            kernel=self._kernel(X),
            cost=self.C,
            margin=self.margin,
            bias=self.bias,
            class_weight=self._weights(codes),
            classes=self.classes_.size,
            cache_mb=self.cache_mb,
        )

    def _kernel(self, X: Any) -> Kernel:
        return kernel_from(self.kernel, KERNELS, gamma=self._gamma(X), degree=self.degree, coef0=self.coef0)

    def _gamma(self, X: Any) -> float:
        if isinstance(self.gamma, str) and self.gamma != "scale":
            raise InputError("gamma must be a positive number or 'scale', not {gamma!r}.", gamma=self.gamma)
        if not isinstance(self.gamma, str):
            return positive("gamma", self.gamma)
        mean = X.mean() if not sp.issparse(X) else X.sum() / np.prod(X.shape)
        square = (X.multiply(X)).sum() / np.prod(X.shape) if sp.issparse(X) else np.mean(np.square(X))
        variance = square - mean**2
        return 1.0 / (X.shape[1] * variance) if variance > 1e-12 * square else 1.0

    def _weights(self, codes: np.ndarray) -> np.ndarray | None:
        if self.class_weight is None:
            return None
        if isinstance(self.class_weight, Mapping):
            return self._weights_by_label(self.class_weight)
        if not (isinstance(self.class_weight, str) and self.class_weight == "balanced"):
            raise InputError(
                "class_weight must be 'balanced' or a mapping, not {class_weight!r}.", class_weight=self.class_weight
            )
        return codes.size / (self.classes_.size * np.bincount(codes, minlength=self.classes_.size))

    def _weights_by_label(self, weights: Mapping[Any, float]) -> np.ndarray:
        """1 for labels without a weight. A fold may lack a class, but a name that fits nothing is a slip."""
        labels = self.classes_.tolist()
        strange = [label for label in weights if label not in labels]
        if strange and any(label not in weights for label in labels):
            raise InputError(
                "class_weight names {strange!r}, which is no label; the labels are {labels}.",
                strange=strange[0],
                labels=shown(labels),
            )
        return np.array([positive(f"class_weight of {label!r}", weights.get(label, 1.0)) for label in labels])

    def _seed(self) -> int:
        """Of the lots that a method draws; None is 0, so that the same call gives the same bits."""
        given: Any = self.random_state
        if given is None or isinstance(given, Integral):
            return int(given or 0)
        return int(check_random_state(given).randint(2**31))

    def _warn_of_limits(self) -> None:
        limits = {Ending.STEP_LIMIT: "max_iter", Ending.TIME_LIMIT: "time_limit"}
        if self.ending_ in limits:
            warnings.warn(
                f"{limits[self.ending_]} was reached before convergence: the relative gap is"
                f" {self.certificate_.relative_gap:.2g}, the largest violation {self.certificate_.violation:.2g}."
                " Allow more, scale the features, or accept the model, whose certificate says how far it may be off.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _limits(self) -> Limits:
        return Limits(
            tolerance=positive("tol", self.tol),
            gap_tolerance=None if self.gap_tol is None else positive("gap_tol", self.gap_tol),
            steps=None if self.max_iter in (None, -1) else whole("max_iter", self.max_iter),
            seconds=None if self.time_limit is None else positive("time_limit", self.time_limit),
        )

    def _start(self, problem: Problem) -> list[np.ndarray] | None:
        """The last solution, scaled to the new costs, where warm_start asks for it and it fits."""
        before = getattr(self, "_solution", None)
        if not self.warm_start or before is None:
            return None
        shapes = [(len(part), part.form.slots) for part in map(problem.part, range(problem.part_count))]
        if [alpha.shape for alpha in before[1]] != shapes:
            return None
        return [alpha * (problem.upper.max() / before[0]) for alpha in before[1]]

    def _finish(self, problem: Problem, run: Run) -> None:
        proofs = run.proofs()
        model = run.model(proofs)
        self._rows = len(problem)
        self._solution = (float(problem.upper.max()), run.alphas()) if self.warm_start else None
        self.certificate_ = total_of(proofs)
        assert run.ending is not None
        self.ending_, self.trace_ = run.ending, run.trace.table()
        self.solver_used_ = run.solver_used
        self.decisions_ = run.decisions
        self.solver_reason_ = " ".join(final_reasons(self.solver, run.decisions))
        self.n_iter_, self.kernel_evaluations_, self.seconds_ = run.iterations, run.kernel_evaluations, run.seconds
        self._tell(model)

    def decision_function(self, X: Any) -> np.ndarray:
        """(n, classes) class functions; (n,) for two classes, positive for classes_[1].

        Of ovo and dag the functions of the pairs (0, 1), (0, 2), ..., positive for the first class, or scores per
        class where decision_function_shape is "ovr".
        """
        check_is_fitted(self, "_model")
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, order="C", reset=False)
        with limited(self.threads):
            values = self._model.decision(X)
        if self.classes_.size == 2:
            return self._binary(values)
        by_pairs = self._model.machine.split == "pairs" and self.decision_function_shape == "ovr"
        return class_scores(self._model.machine, values, self.classes_.size) if by_pairs else values

    def _binary(self, values: np.ndarray) -> np.ndarray:
        return -values[:, 0] if values.shape[1] == 1 else values[:, 1] - values[:, 0]

    def predict(self, X: Any) -> np.ndarray:
        """The label of each row; ties go to the class that comes first."""
        check_is_fitted(self, "_model")
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, order="C", reset=False)
        with limited(self.threads):
            return self.classes_[self._model.predict(X)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags
