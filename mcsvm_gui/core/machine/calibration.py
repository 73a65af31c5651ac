"""Calibration: the machine is trained without each fold in turn; probabilities are fitted to its scores on that fold.

Scaling, levels and imputed values are fitted to each fold's training part, as in a search.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import scipy.sparse as sp

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.run.limits import Limits
from mcsvm.solvers.selection.executor import StoppedError
from mcsvm.solvers.selection.folds import Fold, stratified
from mcsvm.solvers.selection.out_of_fold import check_folds, out_of_fold
from mcsvm.solvers.selection.settings import TrainingSettings
from mcsvm.solvers.selection.trials.shared import FoldRows, KernelFamily, first_of_each
from mcsvm.solvers.uncertainty.conformal import Conformal, of_own_class, strangeness
from mcsvm.solvers.uncertainty.novelty import Landmarks
from mcsvm.solvers.uncertainty.probability import calibrate, scores
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data import preparation as preparing
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.options import Rules
from mcsvm_gui.core.data.preparation import Preparation
from mcsvm_gui.core.data.preparation.rules import Rows
from mcsvm_gui.core.machine.posing import Posed, class_weights_of
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.trained import Calibrated, PredictionSets

CHUNK_ROWS = 20_000  # rows that are preprocessed between two checks for a stop: 0.3 s for 137 features
FoldsDone = Callable[[int, int], object]  # called with the number of finished folds and of all folds


@dataclass(frozen=True, eq=False)
class FoldPreparation:
    """Scaling, levels and imputed values from a fold's training part alone."""

    rules: Rules
    rows: Dataset
    codes: np.ndarray

    def __call__(self, fold: Fold) -> FoldRows:
        return self.sample(fold)

    def sample(
        self, fold: Fold, share: float = 1.0, tested: float = 1.0, stopped: Callable[[], bool] = lambda: False
    ) -> FoldRows:
        """Preprocess only the rows of `FoldRows.nested`, with preprocessing fitted to all rows of the training part.

        Raises StoppedError after a stop, which is checked between chunks of rows.
        """
        train, test = fold.train, fold.test
        if share < 1.0:
            train = train[first_of_each(self.codes[train], share)]
        if tested < 1.0:
            test = test[first_of_each(self.codes[test], tested)]
        fitted = self._fit_fold(fold)
        rows, tests = (self._preprocess(fitted, places, stopped) for places in (train, test))
        weights = None, None
        if self.rows.weights is not None:
            weights = self.rows.weights[train], self.rows.weights[test]
        return FoldRows.of(rows, self.codes[train], tests, self.codes[test], *weights)

    def _preprocess(self, fitted: Preparation, places: np.ndarray, stopped: Callable[[], bool]) -> Rows:
        chunks = []
        for start in range(0, places.size, CHUNK_ROWS):
            if stopped():
                raise StoppedError
            chunks.append(fitted.apply(self.rows.take(places[start : start + CHUNK_ROWS])).rows)
        if len(chunks) == 1:
            return chunks[0]
        return sp.csr_array(sp.vstack(chunks, format="csr")) if sp.issparse(chunks[0]) else np.concatenate(chunks)

    def _fit_fold(self, fold: Fold) -> Preparation:
        preparation = self._known.get(fold)
        if preparation is None:
            preparation = self._known[fold] = preparing.fit(self.rules, self.rows.take(fold.train))
        return preparation

    @cached_property
    def _known(self) -> WeakKeyDictionary[Fold, Preparation]:
        return WeakKeyDictionary()

    def __getstate__(self) -> dict[str, Any]:
        """Leave fitted objects out of the state that is sent to other processes."""
        return {name: value for name, value in vars(self).items() if name != "_known"}


class OutOfFold:
    """The calibration of a training: constructed, and so checked, before the training; `fit` follows it."""

    def __init__(self, request: Request, posed: Posed, limits: Limits, name: str) -> None:
        self._request, self._posed, self._limits = request, posed, limits
        labels = posed.problem.labels
        try:
            check_folds(labels, posed.class_names, request.calibration_folds)
        except InputError as error:
            raise FileError(name, error.sentence) from None
        self.parts = stratified(labels, request.calibration_folds, request.seed)
        rules = replace(request.rules, unknown="zeros")  # every level is known to the model itself
        self.prepare = FoldPreparation(rules, posed.train, labels)

    def fit(self, report: FoldsDone, stopped: Callable[[], bool]) -> Calibrated | None:
        """Return the fitted calibration; None after a stop."""
        request, problem = self._request, self._posed.problem
        began, count = time.perf_counter(), len(self.parts)
        cell = request.machine, float(request.C), getattr(problem.kernel, "gamma", None)
        values = out_of_fold(
            self.prepare, self.parts, cell, self._settings(), stopped, lambda done: report(done, count)
        )
        if values is None:
            return None
        given = self._posed.train.weights
        each = np.ones(problem.labels.size) if given is None else given
        found = calibrate(request.calibrate, problem.machine, values, problem.labels, problem.classes, each)
        return Calibrated(found, count, time.perf_counter() - began, self._sets(values))

    def _sets(self, values: np.ndarray) -> PredictionSets:
        """Return the prediction sets, from out-of-fold scores and out-of-fold distances to landmarks."""
        problem, seed = self._posed.problem, self._request.seed
        codes, classes, kernel = problem.labels, problem.classes, problem.kernel
        margins = of_own_class(strangeness(scores(problem.machine, values, classes)), codes)
        distances = np.empty(codes.size)
        for part in self.parts:
            rows = self.prepare(part)
            near = Landmarks.of(kernel, rows.train, rows.labels, classes, seed)
            distances[part.test] = of_own_class(near.distances(rows.test), codes[part.test])
        return PredictionSets(
            Conformal.of(margins, codes, classes, seed),
            Conformal.of(distances, codes, classes, seed),
            Landmarks.of(kernel, problem.points, codes, classes, seed),
        )

    def _settings(self) -> TrainingSettings:
        request, problem = self._request, self._posed.problem
        factors = class_weights_of(request, self._posed.class_names, problem.labels, self._posed.train.weights)
        return TrainingSettings(
            kernel=KernelFamily.of(problem.kernel),
            solver=request.solver,
            margin=request.margin,
            bias=request.bias,
            class_weight=None if factors is None else dict(enumerate(factors.tolist())),
            limits=self._limits,
            cache_mb=request.cache_mb,
            keep_values=True,
        )
