"""From a data set to what the kernel sees: fitted on the training part alone, and carried inside the model.

A feature is ((value, or whether it equals a level, else what fills a missing cell) - shift) * scale.
"""

from __future__ import annotations

from typing import Any

from mcsvm_gui.core.dataset import Dataset
from mcsvm_gui.core.preparation.matrix import MatrixPreparation, fit_matrix
from mcsvm_gui.core.preparation.rules import MISSING, SCALES, Feature, Prepared, Rules
from mcsvm_gui.core.preparation.table import TablePreparation, fit_table

Preparation = TablePreparation | MatrixPreparation


def fit(rules: Rules, dataset: Dataset) -> Preparation:
    return fit_matrix(rules, dataset) if dataset.matrix is not None else fit_table(rules, dataset)


def read(document: dict[str, Any]) -> Preparation:
    """What `document()` gave; raises ValueError, LookupError or TypeError where it cannot have."""
    kinds = {"table": TablePreparation, "matrix": MatrixPreparation}
    return kinds[document["kind"]].read(document)  # type: ignore[attr-defined]


__all__ = [
    "MISSING",
    "SCALES",
    "Feature",
    "MatrixPreparation",
    "Preparation",
    "Prepared",
    "Rules",
    "TablePreparation",
    "fit",
    "read",
]
