"""Rows to inspect, in display order: outliers, duplicates, contradictions, rows with missing cells."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.inspection import row_keys
from mcsvm_gui.core.data.projections.outliers import outliers
from mcsvm_gui.core.data.roles.arrangement import ALL


def picked(dataset: Dataset, pick: str, scale: str) -> np.ndarray | None:
    """Return row numbers; None for all. `scale`: the scaling of the rows for finding outliers."""
    return None if pick == ALL else _FOUND[pick](dataset, scale)


def _together(keys: np.ndarray, wanted: Callable[[pd.Series], pd.Series]) -> np.ndarray:
    """Return the rows whose keys are wanted; equal ones follow each other, at the place of the first of them."""
    codes = pd.factorize(keys)[0]  # numbered in order of occurrence
    held = wanted(pd.Series(codes)).to_numpy()
    return np.flatnonzero(held)[np.argsort(codes[held], kind="stable")]


def _repeated(dataset: Dataset, _: str) -> np.ndarray:
    return _together(row_keys(dataset), lambda codes: codes.duplicated(keep=False))


def _contradictions(dataset: Dataset, _: str) -> np.ndarray:
    if dataset.labels is None:
        return np.zeros(0, dtype=np.int64)
    classes = pd.factorize(dataset.labels)[0]

    def torn(codes: pd.Series) -> pd.Series:
        pairs = pd.DataFrame({"row": codes, "label": classes}).drop_duplicates()["row"]
        return codes.isin(pairs[pairs.duplicated()])

    return _together(row_keys(dataset), torn)


def _missing(dataset: Dataset, _: str) -> np.ndarray:
    found = np.zeros(dataset.rows, dtype=bool)
    for position in range(0 if dataset.table is None else dataset.table.shape[1]):
        found |= dataset.table.iloc[:, position].isna().to_numpy()  # type: ignore[union-attr]
    return np.flatnonzero(found)


_FOUND: dict[str, Callable[[Dataset, str], np.ndarray]] = {
    "outliers": outliers,
    "repeated": _repeated,
    "contradictions": _contradictions,
    "missing": _missing,
}
