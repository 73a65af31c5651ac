"""Baselines on the folds or the test rows of a machine: majority class, nearest neighbours, boosted trees."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from mcsvm.solvers.kernels import Points, squared_distances
from mcsvm.solvers.work import limited
from mcsvm_gui.core.data import splitting
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.preparation.rules import Rows
from mcsvm_gui.core.evaluate.applied import labels_of
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import train
from mcsvm_gui.core.machine.trained import TrainedModel

NEIGHBOURS = 5
PIECE = 2**24  # distances that are computed at once
DENSE = 2**28  # largest number of cells of sparse rows that are made dense for trees, 2 GB

STEP = 10  # trees per class that are grown between two checks for a stop
TREES = 100  # largest number of trees per class: the usual number

Stop = Callable[[], bool]
Method = Callable[[Rows, np.ndarray, Rows, int, Stop], np.ndarray]  # training rows, classes, test rows, seed
MACHINE = ""  # the key of the machine's own accuracy


def accuracies(
    request: Request,
    dataset: Dataset,
    folds: int,
    report: Callable[[int, int], object] = lambda done, parts: None,
    stopped: Callable[[], bool] = lambda: False,
) -> dict[str, float]:
    """Return the accuracies of the machine and of each baseline on all tested rows; nothing after a stop.

    `report` receives the number of finished trainings and the number of all trainings.
    """
    asked = replace(request, holdout=None, test=None, calibrate="none", costs=None)
    parts = splitting.splits_of(dataset, request.split, folds).of(labels_of(dataset), request.seed)
    right: dict[str, list[np.ndarray]] = {}
    done, expected = 0, len(parts) * (1 + len(BASELINES))
    for part in parts:
        report(done, expected)
        outcome = train(asked, dataset.take(part.train), stopped=stopped)
        if stopped():
            return {}
        for name, hits in _hits(outcome.trained, dataset.take(part.train), dataset.take(part.test), stopped):
            if stopped():
                return {}
            right.setdefault(name, []).append(hits)
            done += 1
            report(done, expected)
    return {name: float(np.concatenate(hits).mean()) for name, hits in right.items()}


def _hits(trained: TrainedModel, training: Dataset, tested: Dataset, stopped: Stop) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the name of each method and which test rows it predicts correctly.

    All methods receive the features that the machine's kernel receives.
    """
    known, asked = trained.preparation.apply(training), trained.preparation.apply(tested)
    number = {name: code for code, name in enumerate(trained.class_names)}
    codes, true = (
        np.array([number.get(label, -1) for label in labels_of(part)[rows.kept].tolist()], dtype=np.int64)
        for part, rows in ((training, known), (tested, asked))
    )
    own = trained.predictions(tested).labels[asked.kept]
    yield MACHINE, np.array([number[label] for label in own.tolist()], dtype=np.int64) == true
    for name, method in methods(known.rows).items():
        with limited(trained.request.threads):
            answers = method(known.rows, codes, asked.rows, trained.request.seed, stopped)
        yield name, answers == true


def predictions(
    trained: TrainedModel,
    training: Dataset,
    tested: Dataset,
    report: Callable[[int, int], object] = lambda done, parts: None,
    stopped: Stop = lambda: False,
) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the name of each baseline and its classes for the test rows; None for rows that the machine leaves out.

    The baselines are trained on the training rows of the machine, with the same preprocessing.
    """
    training_rows, test_rows = trained.preparation.apply(training), trained.preparation.apply(tested)
    number = {name: code for code, name in enumerate(trained.class_names)}
    codes = np.array([number[label] for label in labels_of(training)[training_rows.kept].tolist()], dtype=np.int64)
    every = methods(training_rows.rows)
    for done, (name, method) in enumerate(every.items()):
        report(done, len(every))
        with limited(trained.request.threads):
            answers = method(training_rows.rows, codes, test_rows.rows, trained.request.seed, stopped)
        if stopped():
            return
        labels = np.full(tested.rows, None, dtype=object)
        labels[test_rows.kept] = trained.names[answers]
        yield name, labels
    report(len(every), len(every))


def methods(rows: Rows) -> dict[str, Method]:
    """Return the baselines that can train on the rows, which may be too wide for trees."""
    trees = rows.shape[0] * rows.shape[1] <= DENSE
    return {name: method for name, method in BASELINES.items() if trees or method is not boosting}


def majority(rows: Rows, codes: np.ndarray, asked: Rows, seed: int, stopped: Stop) -> np.ndarray:
    return np.full(asked.shape[0], np.bincount(codes).argmax())


def neighbours(rows: Rows, codes: np.ndarray, asked: Rows, seed: int, stopped: Stop) -> np.ndarray:
    """Predict the class with the most votes; in a tie, the smaller class."""
    known, answers = Points(rows), np.zeros(asked.shape[0], dtype=np.int64)
    nearest, step = min(NEIGHBOURS, codes.size), max(1, PIECE // codes.size)
    for first in range(0, answers.size, step):
        if stopped():
            break
        some = Points(asked[first : first + step])
        distances = squared_distances(some, known, np.empty((len(some), codes.size)))
        found = codes[np.argpartition(distances, nearest - 1, axis=1)[:, :nearest]]
        votes = (found[:, :, None] == np.arange(codes.max() + 1)).sum(axis=1)
        answers[first : first + step] = votes.argmax(axis=1)
    return answers


def boosting(rows: Rows, codes: np.ndarray, asked: Rows, seed: int, stopped: Stop) -> np.ndarray:
    """Grow the same trees in steps, so that a stop is possible; this takes 1.5 times as long."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    # scikit-learn asks joblib for the number of physical cores. joblib runs lscpu or wmic to count them, and warns if
    # the system has neither (Windows 11). A limit below the number of cores is used unchecked; 0 means one.
    os.environ.setdefault("LOKY_MAX_CPU_COUNT", "0")
    dense = [part.toarray() if isinstance(part, sp.csr_array) else part for part in (rows, asked)]
    with threadpool_limits(1, user_api="openmp"):  # waiting threads spin: 64 s for 171 rows instead of 1 s
        trees = HistGradientBoostingClassifier(random_state=seed % 2**32, warm_start=True)
        for most in range(STEP, TREES + 1, STEP):
            trees.set_params(max_iter=most).fit(dense[0], codes)
            if trees.n_iter_ < most or stopped():
                break
        return np.asarray(trees.predict(dense[1]))


BASELINES: dict[str, Method] = {"majority": majority, "neighbours": neighbours, "boosting": boosting}
