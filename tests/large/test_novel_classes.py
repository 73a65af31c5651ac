"""A class that was left out of training is told from the others at least as well as by OneClassSVM."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from sklearn.svm import OneClassSVM
from ten_sets import TEN, opened

from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.splitting import hold_out
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import train

FEWEST = 10  # rows of a class that is left out
SPLITS = 3
NU = 0.5, 0.1  # scikit-learn's default, and a usual choice
SETS = [name for name in TEN if name != "breast_cancer"]  # of two classes, one of which is no set to train on
SETS += ["optdigits_train"]


def areas(inside: Dataset, outside: Dataset, split: int) -> list[float]:
    """Of landmarks, then of OneClassSVM with each nu, on rows of known classes and of the one left out."""
    assert inside.labels is not None
    parts = hold_out(inside.labels, 0.3, split)
    trained = train(Request(C=8.0, calibrate="temperature"), inside.take(parts.train)).trained
    assert trained.calibrated is not None
    assert trained.calibrated.sets is not None
    known, tested, strange = (
        trained.preparation.apply(part).rows for part in (inside.take(parts.train), inside.take(parts.test), outside)
    )
    rows, truth = np.vstack([tested, strange]), np.repeat([0, 1], [len(tested), len(strange)])
    found = [trained.calibrated.sets.landmarks.distances(rows).min(axis=1)]
    for nu in NU:
        found.append(-OneClassSVM(gamma=trained.model.kernel.gamma, nu=nu).fit(known).decision_function(rows))
    return [float(roc_auc_score(truth, one)) for one in found]


@pytest.mark.large
@pytest.mark.parametrize("name", SETS)
def test_a_class_left_out_is_called_none_of_these(name: str) -> None:
    data = opened(name)
    counts = dict(zip(data.classes, data.class_counts, strict=True))
    left_out = [label for label in data.classes if counts[label] >= FEWEST]
    found = [
        areas(data.take(data.labels != label), data.take(data.labels == label), split)
        for label in left_out
        for split in range(SPLITS)
    ]
    mine, *others = np.mean(found, axis=0)
    print(name, np.round([mine, *others], 3))
    assert mine >= max(others)
