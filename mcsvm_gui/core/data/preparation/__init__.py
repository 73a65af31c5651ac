"""Turn a data set into the rows of a kernel. It is fitted on the training part alone, and is part of the model.

A feature is ((value, or whether it equals a level, else the fill of a missing cell) - shift) * scale.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mcsvm_gui.core.data.dataset import Column, Dataset, Notice, NumberedColumns
from mcsvm_gui.core.data.options import MISSING, SCALES, Rules
from mcsvm_gui.core.data.preparation.fitting import fit_table
from mcsvm_gui.core.data.preparation.gaps import complete_rows
from mcsvm_gui.core.data.preparation.matrix import MatrixPreparation, fit_matrix
from mcsvm_gui.core.data.preparation.rules import Feature, Prepared
from mcsvm_gui.core.data.preparation.table import TablePreparation, expected_arrays

Preparation = TablePreparation | MatrixPreparation


def fit(rules: Rules, dataset: Dataset) -> Preparation:
    if rules.as_given:
        return take_as_given(rules, dataset.columns, sparse=dataset.matrix is not None)
    return fit_matrix(rules, dataset) if dataset.matrix is not None else fit_table(rules, dataset)


def take_as_given(rules: Rules, columns: Sequence[Column], *, sparse: bool) -> Preparation:
    """Return the preprocessing that makes each column of numbers a feature, and changes none."""
    width = len(columns)
    if sparse:
        numbered = columns if isinstance(columns, NumberedColumns) else None
        names = tuple(column.name for column in columns) if numbered is None else None
        first = 1 if numbered is None else numbered.first
        kept, shift, scale = np.arange(width), np.zeros(width), np.ones(width)
        return MatrixPreparation(rules, first, width, names, False, kept, shift, scale, ())
    features = tuple(Feature(column.name, None, None, 0.0, 1.0) for column in columns)
    return TablePreparation(rules, tuple(columns), features, ())


def complete(rules: Rules, dataset: Dataset) -> tuple[Dataset, tuple[Notice, ...]]:
    """Return the rows to fit on and to train on: all, unless rows with missing cells are to be dropped."""
    if rules.missing != "drop" or dataset.table is None:
        return dataset, ()
    kept, notices = complete_rows(dataset)
    return (dataset if kept.size == dataset.rows else dataset.take(kept)), tuple(notices)


def read(document: dict[str, Any], arrays: Mapping[str, np.ndarray]) -> Preparation:
    """Rebuild a preparation from its `document()` and `arrays()`.

    Raise ValueError, LookupError or TypeError if these cannot have come from a preparation.
    """
    if document["kind"] == "table":
        return TablePreparation.read(document, arrays)
    return {"matrix": MatrixPreparation}[document["kind"]].read(document)


__all__ = [
    "MISSING",
    "SCALES",
    "Feature",
    "MatrixPreparation",
    "Preparation",
    "Prepared",
    "Rules",
    "TablePreparation",
    "complete",
    "expected_arrays",
    "fit",
    "read",
    "take_as_given",
]
