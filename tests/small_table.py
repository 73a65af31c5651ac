"""A tiny data set as a reader would give it."""

from __future__ import annotations

import numpy as np
import pandas as pd

from mcsvm_gui.core.data.dataset import Column, Dataset


def clouds(rows: int = 60, classes: int = 3) -> Dataset:
    rng = np.random.default_rng(0)
    y = np.arange(rows) % classes
    table = pd.DataFrame(
        rng.normal(size=(rows, 2)) + 1.2 * np.stack([np.cos(y), np.sin(y)], axis=1), columns=["a", "b"]
    )
    labels = np.array([f"c{code}" for code in range(classes)], dtype=object)[y]
    columns = Column("a", "number"), Column("b", "number")
    return Dataset("clouds", "csv", columns, table, None, "label", labels, None, (), (), "0" * 64)


def of_arrays(X: np.ndarray, y: np.ndarray) -> Dataset:
    columns = tuple(Column(f"x{number}", "number") for number in range(X.shape[1]))
    table = pd.DataFrame(X, columns=[column.name for column in columns])
    labels = np.array([f"c{code}" for code in y], dtype=object)
    return Dataset("made", "csv", columns, table, None, "class", labels, None, (), (), "0" * 64)
