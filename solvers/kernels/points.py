"""Points: rows of features, with derived arrays that kernels need, each computed once."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp


class Points:
    """Rows of features, dense or sparse (CSR), float64; float32 copies and squared lengths on demand."""

    def __init__(self, rows: Any) -> None:  # np.ndarray or sp.csr_array
        self.rows = rows

    def __len__(self) -> int:
        return self.rows.shape[0]

    @property
    def features(self) -> int:
        return self.rows.shape[1]

    @property
    def stored(self) -> float:
        """Stored numbers per row, on average: the operations of an inner product."""
        return float(self.rows.nnz / max(len(self), 1)) if self.sparse else float(self.features)

    @property
    def sparse(self) -> bool:
        return sp.issparse(self.rows)

    @cached_property
    def _single(self) -> Any:
        return self.rows.astype(np.float32)

    def array(self, dtype: np.dtype) -> Any:
        return self._single if dtype == np.float32 else self.rows

    @cached_property
    def squares(self) -> np.ndarray:
        if self.sparse:
            return np.asarray(self.rows.multiply(self.rows).sum(axis=1)).ravel()
        return np.einsum("ij,ij->i", self.rows, self.rows)

    @cached_property
    def lifted(self) -> np.ndarray:
        """Dense rows with |x|^2 and 1 appended: with `folded` one product gives squared distances."""
        return np.hstack([self.rows, self.squares[:, None], np.ones((len(self), 1))])

    @cached_property
    def folded(self) -> np.ndarray:
        """(features + 2, n) float64: -2z, 1, |z|^2 in columns, so that lifted @ folded = |x - z|^2."""
        return np.vstack([-2.0 * self.rows.T, np.ones((1, len(self))), self.squares[None, :]])

    @cached_property
    def folded_single(self) -> np.ndarray:
        return self.folded.astype(np.float32)

    @cached_property
    def largest_square(self) -> float:
        return float(self.squares.max(initial=0.0))

    def take(self, index: np.ndarray) -> Points:
        """The chosen rows; float32 copies and squared lengths are taken from those of all rows where they exist."""
        part = Points(self.rows[index])
        for name in ("_single", "squares"):
            if name in self.__dict__:
                part.__dict__[name] = self.__dict__[name][index]
        return part


def inner_products(left: Points, right: Points, out: np.ndarray) -> np.ndarray:
    """<x, z> for every pair, in the precision of `out`."""
    a, b = left.array(out.dtype), right.array(out.dtype)
    if left.sparse or right.sparse:
        product = a @ b.T
        out[...] = product.toarray() if sp.issparse(product) else product
        return out
    return np.matmul(a, b.T, out=out)
