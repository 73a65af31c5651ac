"""MultiClassSVC: the scikit-learn face of the solvers."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import InvalidParameterError
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from mcsvm.solvers.arguments import (
    class_weights,
    gamma_of,
    kernel_matrix,
    pairwise,
    refuse_several_targets,
    row_weights,
    weighing_rows,
    weights_by_label,
)
from mcsvm.solvers.decision import final_reasons
from mcsvm.solvers.kernels import KERNELS, Kernel
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.model import Model, function_of_two
from mcsvm.solvers.posing import kernel_from, pose, positive, whole
from mcsvm.solvers.problem import Problem
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.limits import Limits
from mcsvm.solvers.run.loop import Run
from mcsvm.solvers.run.start import moved_to_bounds
from mcsvm.solvers.run.trace import Sample
from mcsvm.solvers.scikit.constraints import (
    ALIASES,
    CHECKED,
    CONSTRAINTS,
    DEFAULT_CACHE_MB,
    MOST_CHECKED,
    ParameterError,
    checkable,
    seed_of,
    suggestion,
)
from mcsvm.solvers.scikit.fit_callbacks import CallbackSupport, FitTask
from mcsvm.solvers.scikit.portions import LASTING, Increment, PartialFitMixin
from mcsvm.solvers.scikit.prediction import PRECISIONS, PredictionMixin
from mcsvm.solvers.scikit.progress import ProgressPrinter, print_summary
from mcsvm.solvers.scikit.record import FitRecord
from mcsvm.solvers.selection.folds import stratified
from mcsvm.solvers.selection.out_of_fold import check_folds, fold_rows_of, out_of_fold
from mcsvm.solvers.selection.settings import TrainingSettings
from mcsvm.solvers.selection.trials.shared import KernelFamily
from mcsvm.solvers.uncertainty.probability import calibrate
from mcsvm.solvers.work import limited

# Relative gap above which a fit that has converged by its violation warns. Of 44 fits of 9 standardised sets with rbf,
# none exceeds 1% at C = 1, 17 exceed 1% and one exceeds 10% at C = 100, and 34 exceed 10% at C = 10,000.
LOOSE = 0.1


class MultiClassSVC(CallbackSupport, PartialFitMixin, PredictionMixin, ClassifierMixin, BaseEstimator):
    """Multi-class support vector machine with a certificate of optimality.

    The machine is one problem for all classes (ww, llw, cs, adm, atm, ats, mmr) or a set of binary problems (ova, ovo,
    dag). After training, primal and dual objective are recomputed in double precision. The gap between them bounds how
    far the model is from the optimum, even if training ended early.

    The page "From SVC to MultiClassSVC" of the documentation lists what differs from scikit-learn's SVC.

    Parameters
    ----------
    machine : {"ww", "llw", "cs", "ova", "ovo", "dag", "adm", "atm", "ats", "mmr"}, default="ww"
        The multi-class formulation: Weston-Watkins, Lee-Lin-Wahba, Crammer-Singer, one-vs-all, one-vs-one, DAGSVM, and
        four machines of the unified view of Dogan, Glasmachers & Igel (2016).
    solver : str, default="auto"
        "auto" chooses a method and changes it if another becomes cheaper. The others are methods of the literature,
        such as "smo", "s2do", "fw" and "ipm"; they are slower.
    kernel : {"rbf", "linear", "polynomial" or "poly", "sigmoid", "precomputed"} or callable, default="rbf"
        The kernel. A callable ``kernel(X, Y)`` returns the matrix of shape (len(X), len(Y)). It is called with
        (X_train, X_train) in `fit` and with (X, X_train) in `predict`.
    C : float, default=1.0
        The penalty on the training loss (inverse of the regularization strength), as in SVC: training minimises
        ``1/2 sum_c norm(w_c)^2 + C sum_i loss_i``. For two classes every machine solves SVC's problem,
        ``1/2 norm(w)^2 + C sum_i max(0, 1 - s_i f(x_i))``, so that equal C mean equal
        models. The objectives in `certificate_` are those of the machine's own problem, in which C is C/2 for ww and
        cs, and 2 C for llw, adm, atm and mmr.
    gamma : {"scale", "auto"} or float, default="scale"
        The coefficient of the rbf, polynomial and sigmoid kernels. "scale" is 1 / (n_features * X.var()), of all
        rows of X whatever their weights; "auto" is 1 / n_features.
    degree : int, default=3
        The degree of the polynomial kernel.
    coef0 : float, default=0.0
        The constant term of the polynomial and sigmoid kernels.
    margin : float or None, default=None
        The target margin of the losses. None is the default of the machine.
    bias : {"none", "regularized", "exact"} or None, default=None
        The intercept. None is the default of machine and kernel: exact for ova, ovo and dag; for the other machines
        regularized with the linear, polynomial and sigmoid kernels, and none with the rbf kernel and with precomputed
        values. A regularized bias adds ``1/2 sum_c b_c^2`` to the norm, so centre the features first. With a linear
        kernel llw never predicts classes that no hyperplane separates from the others; try ``bias="none"`` or rbf.
    class_weight : dict, "balanced" or None, default=None
        Factors on C by class label. "balanced" gives every class the same total weight.
    tol : float, default=1e-3
        Stop when the largest KKT violation is at most this.
    gap_tol : float or None, default=None
        Stop when the relative duality gap is at most this. If set, `tol` is ignored.
    max_iter : int or None, default=None
        The largest number of solver iterations, in all binary problems of ova, ovo and dag together. An iteration is an
        update of one or two dual variables or, depending on the method, of all variables of an example; a Newton,
        interior point, conjugate gradient or Frank-Wolfe step; or a burst of ADMM steps. None and -1 mean no limit.
    time_limit : float or None, default=None
        The largest number of seconds of training. None means no limit.
    cache_mb : float, default=500
        Memory in MB for kernel rows, factors and dense systems.
    cache_size : float or None, default=None
        Same as `cache_mb`, under the name that SVC uses. Set one of the two.
    threads : int or None, default=None
        The number of threads. None uses all cores. The model has the same bits for every number.
    n_jobs : int or None, default=None
        Same as `threads`, under the name that scikit-learn uses. -1 uses all cores, -2 all but one. Set one of the two.
    verbose : bool or int, default=False
        Print the progress of `fit` about once a second, and a summary at its end.
    warm_start : bool, default=False
        Start from the dual variables of the previous fit on the same rows: those at their bound move to the new bound.
        Along increasing C most machines then take 0.5 to 0.9 of the time. One-vs-all takes half of the steps but 1.1 to
        1.2 of the time, because each class computes its scores at the start anew. To choose C, `mcsvm.search` takes
        less.
    random_state : int, RandomState instance or None, default=None
        Seed of the methods that use random numbers. None means 0, so that results are reproducible.
    callback : callable or None, default=None
        ``callback(sample)`` is called about every 0.04 s of training. The sample has the fields iteration, seconds,
        dual, primal, violation, support and bounded. If the callback returns True, training stops, and the model so far
        is kept with its certificate.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        The columns of `decision_function` for ovo and dag with more than two classes: a score for each class ("ovr"),
        the largest of which is the predicted class, or the decision value of each pair of classes ("ovo").
    break_ties : bool, default=False
        For ovo with decision_function_shape="ovr": break ties in votes by the decision values instead of by class
        order.
    calibration : {"temperature", "pairwise", "sigmoid"} or None, default=None
        Fit probabilities by cross-validation on the training rows, and provide `predict_proba`. With "temperature" the
        most probable class is always the predicted class; with the other two it can differ for some rows.
    calibration_folds : int, default=5
        The number of cross-validation folds for `calibration`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in y, sorted. A class whose rows all have weight 0 is listed, but never predicted, and has no
        function in `dual_coef_`, `intercept_` and `coef_`.
    support_ : ndarray of shape (n_support,)
        Indices of the support vectors among the training rows.
    support_vectors_ : ndarray or sparse array of shape (n_support, n_features)
        The support vectors; empty if the kernel is precomputed.
    n_support_ : ndarray of shape (n_classes,)
        The number of support vectors of each class.
    dual_coef_ : ndarray of shape (n_functions, n_support)
        Coefficients of the support vectors in the decision function of each class, or of each pair (ovo, dag).
    intercept_ : ndarray of shape (n_functions,)
        The intercept of each decision function.
    coef_ : ndarray of shape (n_functions, n_features)
        The weights of each decision function, for the linear kernel only; read-only.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        The names of the features, if all column names of X are strings.
    n_iter_ : int
        The number of solver iterations, counted as `max_iter` counts them.
    fit_status_ : int
        0 if training converged and the relative gap is at most 10% or `gap_tol`, whichever is larger; 1 otherwise.
    seconds_ : float
        Seconds of training, without compilation, input checks and the certificate.
    kernel_evaluations_ : int
        The number of kernel values computed in training.
    certificate_ : Certificate
        primal, dual, gap, relative_gap, violation and infeasibility of the model, recomputed in double precision.
    ending_ : Ending
        Why training ended: a string, one of "converged", "step limit", "time limit", "stopped" and "stalled". `fit`
        issues a ConvergenceWarning unless it is "converged".
    solver_used_ : str
        The method that ended the training: a method of the literature, such as "linear-newton" or "ipm", or a phase of
        "auto", such as "blocks". If several problems were ended by different methods, their names are joined by "+".
    solver_reason_ : str
        Why "auto" chose that method, in a sentence.
    decisions_ : list of Decision
        The changes of method during training: step, phase, reason and the numbers behind it.
    temperature_ : float
        The T in p_c proportional to exp(s_c / T), with calibration="temperature".
    calibration_ : Calibration
        The fitted probabilities. `before` and `after` are cross-validated log losses, without and with the fit.
    trace_ : dict of ndarray
        iteration, seconds, dual, primal, violation, support and bounded during training.

    See Also
    --------
    sklearn.svm.SVC : One-vs-one by LIBSVM, without a certificate; machine="ovo" trains the same model.
    sklearn.svm.LinearSVC : One-vs-all or Crammer-Singer, for the linear kernel.
    sklearn.calibration.CalibratedClassifierCV : Probabilities for any classifier.

    Notes
    -----
    For two classes `dual_coef_`, `intercept_`, `coef_` and `decision_function` have one row, positive for
    ``classes_[1]``, as in scikit-learn.

    `partial_fit` (ova, ovo and dag) trains on portions of the rows by LASVM. It discards rows that do not become
    support vectors, so the model then has no `certificate_`, `ending_`, `trace_` and `solver_used_`.

    The first fit after an installation compiles code for this processor, which takes a few seconds, and stores it under
    MCSVM_CACHE_DIR, else NUMBA_CACHE_DIR, else in the user's cache folder. To compile everything ahead, run
    ``python -m mcsvm.precompile``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mcsvm import MultiClassSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MultiClassSVC(machine="ww", C=4.0, gap_tol=1e-6).fit(X, y)
    >>> model.predict(X[:2])
    array([0, 0])
    >>> model.certificate_.relative_gap <= 1e-6
    True

    A callback that prints the gap and stops at one percent:

    >>> def stop_at_one_percent(sample):
    ...     return sample.relative_gap <= 0.01
    >>> MultiClassSVC(gap_tol=0.01, callback=stop_at_one_percent).fit(X, y).certificate_.relative_gap <= 0.01
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = CONSTRAINTS

    def __init__(
        self,
        machine: str = "ww",
        solver: str = "auto",
        kernel: str | Callable[[Any, Any], Any] = "rbf",
        *,
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
        cache_mb: float = DEFAULT_CACHE_MB,
        cache_size: float | None = None,
        threads: int | None = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        warm_start: bool = False,
        random_state: int | None = None,
        callback: Callable[[Sample], bool | None] | None = None,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        calibration: str | None = None,
        calibration_folds: int = 5,
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
        self.cache_size = cache_size
        self.threads = threads
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.warm_start = warm_start
        self.random_state = random_state
        self.callback = callback
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.calibration = calibration
        self.calibration_folds = calibration_folds

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MultiClassSVC:
        """Train the machine, and compute its certificate.

        Parameters
        ----------
        X : array-like or sparse of shape (n_rows, n_features)
            The training rows. With a precomputed kernel, the matrix of kernel values of all pairs of rows; with a
            callable kernel, any argument that the kernel accepts.
        y : array-like of shape (n_rows,)
            The class label of each row.
        sample_weight : array-like of shape (n_rows,), float or None, default=None
            Factors on C by row. Weight 2 counts a row twice; rows of weight 0 are left out.

        Returns
        -------
        self : MultiClassSVC
            The fitted estimator.

        Examples
        --------
        >>> from mcsvm import MultiClassSVC
        >>> model = MultiClassSVC(kernel="linear").fit([[0.0], [1.0], [4.0]], [0, 0, 1], sample_weight=[1, 0, 2])
        >>> model.support_
        array([0, 2])
        """
        task = FitTask(self, X, y, sample_weight)
        self._seed = seed_of(self.random_state)
        features, labels = self._training_rows(X, y)
        weights, self._rows = row_weights(sample_weight, labels.size), labels.size
        kept = weighing_rows(weights, labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        self._trained, codes = np.unique(codes[kept], return_inverse=True)
        self._kept, self._sparse = kept, sp.issparse(features)
        if self.calibration is not None:
            check_folds(codes, self._labels.tolist(), self.calibration_folds)
        with limited(self._threads):
            kernel = self._kernel(features)
            features, weights = _take_rows(features, kept, pairwise(self.kernel)), weights[kept]
            problem = self._pose(features, kernel, codes, weights)
            run = Run(problem, self.solver, self._limits(), self._start(problem), seed=self._seed)
            self._finish(problem, self._drive(run, task))
            self._record = self._record_of(run, None if sample_weight is None else weights)
            self._calibrate(problem, weights)
        if self.verbose:
            print_summary(self)
        self._warn_unless_converged()
        self._remember(None)
        task.end()
        return self

    def _remember(self, increment: Increment | None) -> None:
        """Store the data that the next `partial_fit` needs: the parameters, and any online machines."""
        self._began_with = {name: getattr(self, name) for name in LASTING}
        self._increment = increment

    def _validate_params(self) -> None:
        """Check each set of values only once: scikit-learn's check takes 60 us, 6 % of the shortest fits."""
        values = checkable(self, self._parameter_constraints)
        if values in CHECKED:
            return
        try:
            super()._validate_params()
        except InvalidParameterError as error:
            raise ParameterError(f"{error}{suggestion(vars(self))}") from None
        if values is not None and len(CHECKED) < MOST_CHECKED:
            CHECKED.add(values)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    # -- rows -------------------------------------------------------------------------------------

    def _training_rows(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        """Return the checked training rows, or the kernel matrix of a callable kernel, and the checked labels."""
        if sp.issparse(X) and self.kernel == "precomputed":
            raise ParameterError("Sparse precomputed kernels are not supported; give the matrix as a dense array.")
        refuse_several_targets(y)
        self._fitted_on: Any = None
        if callable(self.kernel):
            X, y = validate_data(self, X, y, accept_sparse="csr", dtype=None, ensure_2d=False)
            self._fitted_on = X
            X = kernel_matrix(self.kernel, X, X)
        else:
            X, y = validate_data(self, X, y, accept_sparse="csr", dtype=PRECISIONS, order="C")
        check_classification_targets(y)
        return X, y

    # -- the run ----------------------------------------------------------------------------------

    def _pose(self, X: Any, kernel: Kernel, codes: np.ndarray, weights: np.ndarray) -> Problem:
        return pose(
            X,
            codes,
            machine=self.machine,
            kernel=kernel,
            cost=MACHINES[self.machine].problem_cost(self._trained.size, positive("C", self.C)),
            margin=self.margin,
            bias=self.bias,
            class_weight=self._class_weights(codes, weights),
            sample_weight=weights,
            classes=self._trained.size,
            cache_mb=self._cache_mb,
        )

    def _class_weights(self, codes: np.ndarray, weights: np.ndarray) -> np.ndarray | None:
        """Return a factor on C for each trained class; `class_weight` may name the others as well."""
        if isinstance(self.class_weight, Mapping):
            return weights_by_label(self.class_weight, self.classes_)[self._trained]
        return class_weights(self.class_weight, self._labels, codes, weights)

    def _kernel(self, X: Any) -> Kernel:
        """Return the kernel. As in SVC, gamma="scale" reads all values of X, whatever the row weights."""
        name = "precomputed" if callable(self.kernel) else ALIASES.get(self.kernel, self.kernel)
        self._gamma = 1.0 if pairwise(self.kernel) else gamma_of(self.gamma, X)
        return kernel_from(name, KERNELS, **{**vars(self), "gamma": self._gamma})

    def _limits(self) -> Limits:
        return Limits(
            tolerance=positive("tol", self.tol),
            gap_tolerance=None if self.gap_tol is None else positive("gap_tol", self.gap_tol),
            steps=None if self.max_iter in (None, -1) else whole("max_iter", self.max_iter),
            seconds=None if self.time_limit is None else positive("time_limit", self.time_limit),
        )

    def _start(self, problem: Problem) -> list[np.ndarray] | None:
        """Return the last solution, moved to the new costs; None without warm_start, or if its shape differs."""
        before = getattr(self, "_solution", None)
        if not self.warm_start or before is None:
            return None
        shapes = [(len(part), part.form.slots) for part in map(problem.part, range(problem.part_count))]
        if [alpha.shape for alpha in before[1]] != shapes:
            return None
        return [moved_to_bounds(problem, number, alpha, before[0]) for number, alpha in enumerate(before[1])]

    def _drive(self, run: Run, task: FitTask) -> Run:
        progress = ProgressPrinter() if self.verbose else None

        def look(sample: Sample) -> None:
            if run.ending is Ending.STOPPED:
                return
            if progress is not None:
                progress.show(sample)
            if task.enough(lambda: self._fitted_so_far(run)) or (self.callback is not None and self.callback(sample)):
                run.stop()

        while run.running:
            look(run.advance(look=look))
        return run

    def _fitted_so_far(self, run: Run) -> dict[str, Any]:
        """Return the attributes that `predict` needs in the middle of a run, for callbacks that score."""
        names = "classes_", "_trained", "_kept", "_sparse", "_fitted_on", "n_features_in_", "feature_names_in_"
        state = {name: getattr(self, name) for name in names if hasattr(self, name)}
        return state | {"_model": run.model(run.proofs())}

    def _finish(self, problem: Problem, run: Run) -> None:
        proofs = run.proofs()
        model = run.model(proofs)
        self._support_upper = problem.upper[model.support]
        self._solution = (problem.upper, run.alphas()) if self.warm_start else None
        self.certificate_ = run.certificate(proofs)
        assert run.ending is not None
        self.ending_, self.trace_ = run.ending, run.trace.table()
        near = self.certificate_.reaches(max(LOOSE, self.gap_tol or 0.0), np.inf)
        self.fit_status_ = int(run.ending is not Ending.CONVERGED or not near)
        self.solver_used_ = run.solver_used
        self.decisions_ = run.decisions
        self.solver_reason_ = " ".join(final_reasons(self.solver, run.decisions))
        self.n_iter_, self.kernel_evaluations_, self.seconds_ = run.iterations, run.kernel_evaluations, run.seconds
        self._set_model(model)
        self.support_ = self._kept[model.support]

    def _record_of(self, run: Run, weights: np.ndarray | None) -> FitRecord:
        problem, support = run.problem, self._model.support
        return FitRecord(
            seed=self._seed,
            class_counts=np.bincount(problem.labels, minlength=problem.classes),
            total_weight=None if weights is None else float(weights.sum()),
            weightless=self._rows - len(problem),
            bounded=int(run.supporting()[1].sum()),
            support_alpha=None if problem.form.is_readable else np.ascontiguousarray(run.alphas()[0][support]),
        )

    def _set_model(self, model: Model) -> None:
        self._model = model
        self.support_ = model.support
        self.n_support_ = np.bincount(self._trained[model.owners], minlength=self.classes_.size)
        one = self.classes_.size == 2  # one function, positive for the second class
        self.intercept_ = function_of_two(model.machine, model.bias[None, :]) if one else model.bias

    def _calibrate(self, problem: Problem, weights: np.ndarray) -> None:
        for name in ("calibration_", "temperature_"):
            self.__dict__.pop(name, None)
        if self.calibration is None:
            return
        folds = stratified(problem.labels, self.calibration_folds, self._seed)
        by_class = self._class_weights(problem.labels, weights)
        settings = TrainingSettings(
            kernel=KernelFamily.of(problem.kernel),
            solver=self.solver,
            margin=self.margin,
            bias=self.bias,
            class_weight=None if by_class is None else dict(enumerate(by_class.tolist())),
            limits=self._limits(),
            cache_mb=self._cache_mb,
            keep_values=True,
        )
        cell = self.machine, float(self.C), self._gamma
        values = out_of_fold(fold_rows_of(problem.points, problem.labels, weights), folds, cell, settings)
        assert values is not None
        self.calibration_ = calibrate(
            self.calibration, problem.machine, values, problem.labels, problem.classes, weights
        )
        if self.calibration_.temperature is not None:
            self.temperature_ = self.calibration_.temperature

    def _warn_unless_converged(self) -> None:
        """Issue a ConvergenceWarning that names the ending and the gap, unless the certificate confirms convergence."""
        if self.fit_status_ == 0:
            return
        certificate = self.certificate_
        warnings.warn(
            f"{_NOT_CONVERGED[self.ending_]} The relative gap is {certificate.relative_gap:.2g},"
            f" the largest KKT violation {certificate.violation:.2g}.",
            ConvergenceWarning,
            stacklevel=4,
        )


_NOT_CONVERGED = {
    Ending.CONVERGED: "The training converged within tol, but the gap is large, because C is large for this tol."
    " Scale the features, reduce C, or set gap_tol.",
    Ending.STOPPED: "A callback stopped the training before convergence.",
    Ending.STEP_LIMIT: "The training ended at max_iter, before convergence. Increase max_iter or scale the features.",
    Ending.TIME_LIMIT: "The training ended at time_limit, before convergence. Increase time_limit or scale the"
    " features.",
    Ending.STALLED: "The training stalled before convergence: no step improves the dual objective any more. Scale the"
    " features, or check that the kernel is positive semidefinite.",
}


def _take_rows(features: Any, kept: np.ndarray, pairwise: bool) -> Any:
    if kept.size == features.shape[0]:
        return features
    return features[np.ix_(kept, kept)] if pairwise else features[kept]
