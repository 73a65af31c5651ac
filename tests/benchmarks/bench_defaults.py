"""Test accuracy at default parameters on 14 data sets with standardised features, next to scikit-learn's SVC.

    python -m pytest tests/benchmarks/bench_defaults.py -s

Categories of car are columns of 0 and 1. Sets without a test file are split 70/30 by class. The means of the rows are
the figures that a change of defaults moves.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from table_3 import DATA

from mcsvm import MultiClassSVC

pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.timeout(0),
    pytest.mark.skipif(not DATA.exists(), reason="needs the measuring data sets"),
]
FILES = (
    *("wine", "vowel", "vehicle", "segment", "satimage", "dna", "optdigits", "page-blocks"),
    *("german", "car", "letter", "shuttle"),
)
LOADED: dict[str, Callable[..., Any]] = {"digits": load_digits, "breast cancer": load_breast_cancer}
MACHINES = "ovo", "ww", "cs", "llw", "ova"
Split = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def table(name: str) -> tuple[np.ndarray, np.ndarray]:
    frame = pd.concat([pd.read_csv(path) for path in sorted((DATA / name.split("/")[0]).glob(name.split("/")[1]))])
    labels = frame.pop("label").astype(str).to_numpy()
    return pd.get_dummies(frame).to_numpy(dtype=float), labels


def split_of(name: str) -> Split:
    """Return (training rows, test rows, training labels, test labels), scaled by the training rows."""
    if name in LOADED or (DATA / name / "data.csv").exists():
        features, labels = LOADED[name](return_X_y=True) if name in LOADED else table(f"{name}/data.csv")
        train, test, known, expected = train_test_split(
            features, labels, test_size=0.3, random_state=0, stratify=labels
        )
    else:
        (train, known), (test, expected) = table(f"{name}/train.csv*"), table(f"{name}/test.csv*")
    scaler = StandardScaler().fit(train)
    return scaler.transform(train), scaler.transform(test), known, expected


def accuracies(kernel: str, split: Split) -> Iterator[float]:
    train, test, known, expected = split
    yield SVC(kernel=kernel).fit(train, known).score(test, expected)
    for machine in MACHINES:
        yield MultiClassSVC(machine=machine, kernel=kernel).fit(train, known).score(test, expected)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_accuracy_at_default_parameters(kernel: str) -> None:
    rows = []
    print(f"\n{kernel:14}", *(f"{name:>7}" for name in ("SVC", *MACHINES)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for name in (*FILES, *LOADED):
            rows.append(list(accuracies(kernel, split_of(name))))
            print(f"{name:14}", *(f"{accuracy:7.4f}" for accuracy in rows[-1]), flush=True)
    means = np.mean(rows, axis=0)
    print(f"{'mean':14}", *(f"{mean:7.4f}" for mean in means))
    assert (means > 0.8).all()
