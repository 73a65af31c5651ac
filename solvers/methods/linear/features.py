"""The features of a part, for compiled loops and for products, made once per set of examples."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from solvers.dual.quantities import weights_of
from solvers.gram import Gram
from solvers.jit.linear.loop import Rows
from solvers.methods.base import State
from solvers.problem import Part

ROWS: weakref.WeakKeyDictionary[Gram, Rows] = weakref.WeakKeyDictionary()
ONLY_LINEAR = (
    "{} keeps one weight per feature instead of kernel values, which only the linear kernel allows;"
    " use auto, s2do or ipm with the kernel {}."
)


def refuse_other_kernels(name: str, part: Part) -> str | None:
    kernel = part.gram.kernel.name
    return None if kernel == "linear" else ONLY_LINEAR.format(name, kernel)


def rows_of(gram: Gram) -> Rows:
    """Dense rows side by side, or CSR; no copy of the values."""
    rows = ROWS.get(gram)
    if rows is None:
        stored: Any = gram.points.rows
        if gram.points.sparse:
            rows = Rows(stored.data, stored.indices.astype(np.int32, copy=False), stored.indptr.astype(np.int64))
        else:
            starts = np.arange(len(gram) + 1, dtype=np.int64) * gram.points.features
            rows = Rows(stored.reshape(-1), np.empty(0, dtype=np.int32), starts)
        ROWS[gram] = rows
    return rows


def vectors_of(part: Part, alpha: np.ndarray) -> np.ndarray:
    """(features, outputs): W = X' weights."""
    return np.ascontiguousarray(part.gram.points.rows.T @ weights_of(part, alpha))


def read_functions(part: Part, state: State, vectors: np.ndarray) -> None:
    """All class functions anew."""
    state.functions[...] = part.gram.points.rows @ vectors + state.constant


def stored_of(part: Part) -> float:
    """Stored features of a row, on average."""
    rows = part.gram.points.rows
    return float(rows.nnz / len(part)) if part.gram.points.sparse else float(part.gram.points.features)
