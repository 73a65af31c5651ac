"""Class-wise conformal p-values: how strange a row would be as a member of a class, compared with rows of that class.

p_c(x) = (1 + #{i of class c: a_i >= a_c(x)}) / (n_c + 1), where a_i is the strangeness of a row on which the model was
not trained (Vovk, Gammerman & Shafer 2005, Mondrian inductive). A row of class c has p_c <= error with probability at
most error. So the set of classes with p_c > error contains the true class with probability at least 1 - error, for each
true class separately. The compared rows are scored by models of cross-validation that were not trained on them, new
rows by the model of all rows, which makes fewer errors: the sets are slightly too large.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

MOST = 2000  # largest number of rows stored per class: a p-value of 0.05 is then known to 0.005


@dataclass(frozen=True, eq=False)
class Conformal:
    levels: tuple[np.ndarray, ...]  # for each class, the strangeness of its rows in rising order

    @classmethod
    def of(cls, strange: np.ndarray, codes: np.ndarray, classes: int, seed: int = 0) -> Conformal:
        """Build the levels from `strange`, the (n,) strangeness of each row as a member of its true class."""
        rng = np.random.default_rng(seed)
        mine = [strange[codes == code] for code in range(classes)]
        kept = [one if one.size <= MOST else rng.choice(one, MOST, replace=False) for one in mine]
        return cls(tuple(np.sort(one) for one in kept))

    def p_values(self, strange: np.ndarray) -> np.ndarray:
        """Return the (n, classes) p-values for the (n, classes) strangeness of each row as a member of each class."""
        found = np.empty(strange.shape)
        for code, levels in enumerate(self.levels):
            below = np.searchsorted(levels, strange[:, code], side="left")
            found[:, code] = (1.0 + levels.size - below) / (levels.size + 1.0)
        return found


def strangeness(scores: np.ndarray) -> np.ndarray:
    """Return (n, classes): the largest score of any other class minus the score of the class."""
    two = np.partition(scores, -2, axis=1)[:, -2:]
    best = np.where(scores == two[:, 1:], two[:, :1], two[:, 1:])
    return np.asarray(best - scores)


def of_own_class(table: np.ndarray, codes: Sequence[int] | np.ndarray) -> np.ndarray:
    """Return (n,): for each row, the entry of `table` in the column of its class."""
    return np.asarray(table[np.arange(len(table)), codes])
