"""Checks of a trained model on rows: how its training ended, its calibration, and how many rows are novel."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from mcsvm_gui.core.check.results import CheckedResults, Ended, Novel, Reliable
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.evaluate.prediction import Prediction, predict
from mcsvm_gui.core.evaluate.probabilities import SortedProbabilities
from mcsvm_gui.core.machine.state import optimality
from mcsvm_gui.core.machine.trained import TrainedModel

NOVEL = 0.05  # share of rows similar to the training rows that is called novel
FEWEST = 100  # rows with known classes that are needed to measure a calibration error


def results_of(name: str, trained: TrainedModel, dataset: Dataset) -> CheckedResults:
    ending, certificate, request = trained.origin.ending, trained.certificate, trained.request
    gap = certificate.relative_gap
    kind = optimality(ending.value, gap, request.kernel, request.gap_tol, zero=certificate.is_zero)
    ended = Ended(name, ending, gap, kind)
    return replace(of_prediction(predict(trained, dataset, probabilities=True, sets=True), name), ended=(ended,))


def of_prediction(prediction: Prediction, name: str) -> CheckedResults:
    """Check a prediction that contains p-values and probabilities."""
    return CheckedResults(reliable=_reliable(prediction, name), novel=_novel(prediction))


def _novel(prediction: Prediction) -> Novel | None:
    calibrated, typical = prediction.trained.calibrated, prediction.decisions.typical
    if typical is None or calibrated is None or calibrated.sets is None:
        return None
    least = max(1.0 / (levels.size + 1.0) for levels in calibrated.sets.distances.levels)  # smallest p-value of each
    decided, error = typical[np.isfinite(typical)], max(NOVEL, least)
    return Novel(Path(prediction.dataset.name).name, int(decided.size), int((decided <= error).sum()), error)


def _reliable(prediction: Prediction, name: str) -> Reliable | None:
    """Return the calibration error of the most probable class."""
    shares, true = prediction.decisions.probabilities, prediction.dataset.labels
    if shares is None or true is None:
        return None
    rows = np.flatnonzero(np.isfinite(shares).all(axis=1) & ~prediction.trained_on)
    if rows.size < FEWEST:
        return None
    right = prediction.trained.names[shares[rows].argmax(axis=1)] == true[rows]
    found = SortedProbabilities.of(shares[rows].max(axis=1), right)
    return Reliable(name, int(rows.size), found.reliability(np.ones(rows.size)).error)
