"""Class-wise conformal p-values: how strange a row would be, were it of a class, beside rows of that class.

p_c(x) = (1 + #{i of class c: a_i >= a_c(x)}) / (n_c + 1), a_i the strangeness of a row that the model was not trained
on (Vovk, Gammerman & Shafer 2005, Mondrian inductive). A row of class c has p_c <= error with probability at most
error, so the classes of p_c > error hold its class with probability 1 - error at least, in every class by itself.
The rows compared with come out of fold, while new rows are decided by the model of all rows, which errs less: sets are
slightly too large.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

MOST = 2000  # rows kept of a class: a p-value of 0.05 is then known to 0.005


@dataclass(frozen=True, eq=False)
class Conformal:
    levels: tuple[np.ndarray, ...]  # of each class, the strangeness of its rows, rising

    @classmethod
    def of(cls, strange: np.ndarray, codes: np.ndarray, classes: int, seed: int = 0) -> Conformal:
        """`strange`: (n,) of each row as one of its own class."""
        rng = np.random.default_rng(seed)
        mine = [strange[codes == code] for code in range(classes)]
        kept = [one if one.size <= MOST else rng.choice(one, MOST, replace=False) for one in mine]
        return cls(tuple(np.sort(one) for one in kept))

    def p_values(self, strange: np.ndarray) -> np.ndarray:
        """(n, classes) of the strangeness of each row as one of each class."""
        found = np.empty(strange.shape)
        for code, levels in enumerate(self.levels):
            below = np.searchsorted(levels, strange[:, code], side="left")
            found[:, code] = (1.0 + levels.size - below) / (levels.size + 1.0)
        return found


def strangeness(scores: np.ndarray) -> np.ndarray:
    """(n, classes): by how much the best other class is ahead of it."""
    two = np.partition(scores, -2, axis=1)[:, -2:]
    best = np.where(scores == two[:, 1:], two[:, :1], two[:, 1:])
    return np.asarray(best - scores)


def of_own_class(table: np.ndarray, codes: Sequence[int] | np.ndarray) -> np.ndarray:
    """(n,) what stands in the column of each row's class."""
    return np.asarray(table[np.arange(len(table)), codes])
