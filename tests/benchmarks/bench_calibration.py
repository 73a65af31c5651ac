"""Probabilities by temperature beside scikit-learn's: log loss on rows of a test part, and what calibration costs.

    python -m pytest tests/benchmarks/bench_calibration.py -s

scikit-learn: CalibratedClassifierCV(SVC, method="temperature", ensemble=False) with C and gamma of ovo, on the folds
that calibrate ww and ovo here. `cost`: CPU time of fitting the temperature, as a share of the five fits out of fold.
Settings: Hsu & Lin's optimal ones as in bench_speed, those of Dogan et al. for optdigits, of least log loss out of
fold elsewhere.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

from mcsvm import MultiClassSVC
from mcsvm.solvers.kernels import Points
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.selection.folds import stratified
from mcsvm.solvers.selection.out_of_fold import fold_rows_of, out_of_fold
from mcsvm.solvers.selection.settings import TrainingSettings
from mcsvm.solvers.uncertainty.probability import calibrate
from mcsvm_gui.core.base import resources

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
FOLDS = 5
REPEATS, FEW = 9, 1000  # where so few rows are trained on, milliseconds are measured
pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(0)]


@dataclass(frozen=True)
class Setting:
    """Without names of files, a set that comes with the program; half of its rows test where it has no test part."""

    train: str
    test: str
    cost: float
    gamma: float
    pair_cost: float
    pair_gamma: float


SETTINGS = {
    "iris": Setting("iris", "", 1, 0.5, 1, 1),
    "wine": Setting("wine", "", 16, 0.25, 16, 2**-4),
    "glass": Setting("glass", "", 4, 0.125, 64, 0.125),
    "segment": Setting("segment/test.csv", "segment/train.csv", 16, 1, 64, 1),
    "vowel": Setting("vowel/train.csv", "vowel/test.csv", 4, 1, 16, 1),
    "optdigits": Setting("optdigits/train.csv", "optdigits/test.csv", 2, 2**-5, 4, 2**-5),
    "satimage": Setting("satimage/train.csv", "satimage/test.csv", 4, 1, 16, 1),
    "letter": Setting("letter/train.csv", "letter/test.csv", 1, 4, 16, 4),
}


def table(path: Path | str) -> tuple[np.ndarray, np.ndarray]:
    frame = pd.read_csv(path, dtype={"label": str})
    return frame.drop(columns="label").to_numpy(dtype=np.float64), frame["label"].to_numpy()


def rows_of(setting: Setting) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Train and test, scaled to [-1, 1] by the training part."""
    if setting.test:
        (X, y), (T, t) = table(DATA / setting.train), table(DATA / setting.test)
    else:
        found, labels = table(resources.dataset(setting.train))
        X, T, y, t = train_test_split(found, labels, test_size=0.5, stratify=labels, random_state=0)
    low, high = X.min(axis=0), X.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    return 2.0 * (X - low) / span - 1.0, y, 2.0 * (T - low) / span - 1.0, t


def cost_of(model: Any, X: np.ndarray, codes: np.ndarray, classes: int) -> float:
    """CPU time of calibration over that of the cross-validation whose decision values it takes: the middle of some."""
    return median(_cost(model, X, codes, classes) for _ in range(REPEATS if codes.size < FEW else 1))


def _cost(model: Any, X: np.ndarray, codes: np.ndarray, classes: int) -> float:
    weights, parts = np.ones(codes.size), stratified(codes, FOLDS, 0)
    rows, cell = fold_rows_of(Points(X), codes, weights), (model.machine, model.C, model.gamma)
    began = time.process_time()
    values = out_of_fold(rows, parts, cell, TrainingSettings(keep_values=True))
    trained = time.process_time()
    calibrate("temperature", MACHINES[model.machine], values, codes, classes, weights)
    return (time.process_time() - trained) / (trained - began)


def test_log_loss_beside_scikit_learns() -> None:
    known = {name: one for name, one in SETTINGS.items() if not one.test or (DATA / one.train).exists()}
    print(f"\n{'log loss':>10} {'sklearn':>8} {'ww':>8} {'ratio':>6} {'ovo':>8} {'ratio':>6}   cost of ww, ovo")
    for name, setting in known.items():
        X, y, T, t = rows_of(setting)
        classes, codes = np.unique(y, return_inverse=True)
        parts = [(part.train, part.test) for part in stratified(codes, FOLDS, 0)]
        svc = SVC(C=setting.pair_cost, gamma=setting.pair_gamma, cache_size=500)
        theirs = CalibratedClassifierCV(svc, method="temperature", ensemble=False, cv=parts).fit(X, y)
        known_loss = log_loss(t, theirs.predict_proba(T), labels=classes)
        losses, costs = [], []
        for machine, C, gamma in (
            ("ww", setting.cost, setting.gamma),
            ("ovo", setting.pair_cost, setting.pair_gamma),
        ):
            model = MultiClassSVC(machine=machine, C=C, gamma=gamma, calibration="temperature", random_state=0)
            losses.append(log_loss(t, model.fit(X, y).predict_proba(T), labels=classes))
            costs.append(cost_of(model, X, codes, classes.size))
        shares = " ".join(f"{loss:8.4f} {loss / known_loss:6.3f}" for loss in losses)
        print(f"{name:>10} {known_loss:8.4f} {shares}   {costs[0]:6.2%} {costs[1]:6.2%}", flush=True)
