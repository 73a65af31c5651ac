"""The inspect document: the content of a file, whether or not it is fit for training."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.errors import NoLabelError
from mcsvm_gui.core.data.dataset import Dataset, Notice
from mcsvm_gui.core.data.readers import ReadOptions, open_dataset

_MOST_FEATURES = 10_000  # largest number of features in a document; sparse files have millions
WIDE = 1000  # from this many columns on, rows of numbers are hashed as a whole: pandas takes 0.1 ms per column
_NOTHING_SAID = ReadOptions()


def inspect(path: str | os.PathLike[str], options: ReadOptions = _NOTHING_SAID) -> Dataset:
    """Read a file as for training; if its last column clearly is not a label, as data without labels."""
    try:
        return open_dataset(path, options)
    except NoLabelError as trouble:
        found = open_dataset(path, options, needs_label=False)
        return replace(
            found,
            notices=(
                *found.notices,
                Notice("no-label-column", Sentence("taken as data without labels: {what}", what=trouble.what)),
            ),
        )


def document(dataset: Dataset) -> dict[str, Any]:
    """Return the document that `mcsvm inspect --json` prints."""
    duplicates, conflicts = repeated(dataset)
    many = len(dataset.columns)
    return {
        "name": dataset.name,
        "format": dataset.format,
        "digest": dataset.digest,
        "rows": dataset.rows,
        "n_features": many,
        "features": [{"name": column.name, "kind": column.kind} for column in dataset.columns[:_MOST_FEATURES]],
        "features_not_listed": max(0, many - _MOST_FEATURES),
        "sparse": dataset.matrix is not None,
        "label": dataset.label_name,
        "weights": dataset.weight_name,
        "groups": dataset.group_name,
        "fold_column": dataset.fold_name,
        "weightless": dataset.weightless,
        "classes": list(dataset.classes),
        "class_counts": list(dataset.class_counts),
        "missing": dataset.missing,
        "duplicates": duplicates,
        "conflicts": conflicts,
        "guesses": [{"what": guess.what, "value": guess.value, "option": guess.option} for guess in dataset.guesses],
        "warnings": [notice.sentence for notice in dataset.notices],
        "notices": [{"code": notice.code, "sentence": notice.sentence} for notice in dataset.notices],
    }


def repeated(dataset: Dataset) -> tuple[int, int]:
    """Return the number of repeated rows, label included, and of feature vectors with more than one label."""
    keys = row_keys(dataset)
    labels = np.zeros(dataset.rows, np.int64) if dataset.labels is None else pd.factorize(dataset.labels)[0]
    pairs = pd.DataFrame({"row": keys, "label": labels}).drop_duplicates()
    conflicts = int((pairs["row"].value_counts() > 1).sum())
    return dataset.rows - len(pairs), conflicts


def row_keys(dataset: Dataset) -> np.ndarray:
    """Return a 64-bit hash of each row. Unequal rows collide in one of 10^8 tables of a million rows."""
    if dataset.table is not None and len(dataset.columns) > WIDE and all(one.numeric for one in dataset.columns):
        values = dataset.table.to_numpy(dtype=np.float64, na_value=np.nan) + 0.0  # -0 and 0 are equal
        return _hash_rows(row.tobytes() for row in values)
    if dataset.table is not None:
        return pd.util.hash_pandas_object(dataset.table, index=False).to_numpy()
    matrix = dataset.matrix
    assert matrix is not None
    cuts = list(zip(matrix.indptr[:-1].tolist(), matrix.indptr[1:].tolist(), strict=True))
    return _hash_rows(matrix.indices[a:b].tobytes() + matrix.data[a:b].tobytes() for a, b in cuts)


def _hash_rows(parts: Iterable[bytes]) -> np.ndarray:
    return np.array([int.from_bytes(hashlib.blake2b(part, digest_size=8).digest(), "big") for part in parts], np.uint64)
