"""Nothing above a note is found in fifteen sets that are in order, and finding so takes no time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from sklearn import datasets
from small_table import of_arrays

from mcsvm_gui.core.base import resources
from mcsvm_gui.core.check.finding import Severity
from mcsvm_gui.core.check.plan import CheckedPlan
from mcsvm_gui.core.check.table import check_data
from mcsvm_gui.core.data.dataset import Column, Dataset
from mcsvm_gui.core.data.readers import open_dataset

BUNDLED = "iris", "wine", "glass", "segment", "vowel_train", "vowel_test", "optdigits_train", "optdigits_test"


MADE: dict[str, Callable[[], tuple[np.ndarray, np.ndarray]]] = {
    "breast_cancer": lambda: datasets.load_breast_cancer(return_X_y=True),
    "digits": lambda: datasets.load_digits(return_X_y=True),
    "moons": lambda: datasets.make_moons(400, noise=0.2, random_state=0),
    "circles": lambda: datasets.make_circles(400, noise=0.1, factor=0.5, random_state=0),
    "blobs": lambda: datasets.make_blobs(600, n_features=5, centers=6, cluster_std=3.0, random_state=0),
    "quantiles": lambda: datasets.make_gaussian_quantiles(n_samples=500, n_features=3, n_classes=4, random_state=0),
    "classification": lambda: datasets.make_classification(
        1000, n_features=20, n_informative=8, n_redundant=0, n_classes=4, random_state=0
    ),
}
CLEAN = (*BUNDLED, *MADE)


def opened(name: str) -> Dataset:
    return of_arrays(*MADE[name]()) if name in MADE else open_dataset(resources.dataset(name))


@pytest.mark.parametrize("name", CLEAN)
def test_a_clean_set_gives_notes_at_most(name: str) -> None:
    data = opened(name)
    for seed in range(3):
        found = check_data(CheckedPlan(data, holdout=0.3, seed=seed))
        assert [one for one in found if one.severity is not Severity.NOTE] == []


def test_there_are_fifteen() -> None:
    assert len(set(CLEAN)) == 15


def test_two_seconds_are_enough_for_sixty_thousand_rows() -> None:
    rng = np.random.default_rng(0)
    data = of_arrays(rng.integers(0, 256, size=(60_000, 100)).astype(np.float64), rng.integers(0, 10, 60_000))
    began = time.process_time()
    check_data(CheckedPlan(data, holdout=0.3))
    assert time.process_time() - began < 2.0


def test_names_of_many_rows_take_no_time_either() -> None:
    rng = np.random.default_rng(0)
    data = of_arrays(rng.normal(size=(50_000, 3)), rng.integers(0, 3, 50_000))
    assert data.table is not None
    named = data.table.assign(name=[f"person {number}" for number in range(50_000)])
    data = replace(data, table=named, columns=(*data.columns, Column("name", "category")))
    began = time.process_time()
    found = check_data(CheckedPlan(data))
    assert time.process_time() - began < 2.0
    assert [one.code for one in found if one.severity is not Severity.NOTE] == ["MC011"]
