"""Ten sets of two to eleven classes, as data sets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn import datasets
from small_table import of_arrays

from mcsvm_gui.core.base import resources
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.readers import open_dataset

MADE: dict[str, Callable[[], tuple[np.ndarray, np.ndarray]]] = {
    "breast_cancer": lambda: datasets.load_breast_cancer(return_X_y=True),
    "blobs": lambda: datasets.make_blobs(600, n_features=5, centers=6, cluster_std=3.0, random_state=0),
    "quantiles": lambda: datasets.make_gaussian_quantiles(n_samples=500, n_features=3, n_classes=4, random_state=0),
    "classification": lambda: datasets.make_classification(
        1000, n_features=20, n_informative=8, n_redundant=0, n_classes=4, random_state=0
    ),
}
TEN = ("iris", "wine", "glass", "segment", "vowel_train", "optdigits_test", *MADE)


def opened(name: str) -> Dataset:
    return of_arrays(*MADE[name]()) if name in MADE else open_dataset(resources.dataset(name))
