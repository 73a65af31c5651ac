"""Rules that choose the next example of LASVM: the first in random order, or the best of a random sample.

`active` suits rows that have not been labelled yet: it reads no label of an example before the example is processed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mcsvm.solvers.budget import LASVM
from mcsvm.solvers.model import pair_column, pair_scores

Worth = Callable[[np.ndarray, np.ndarray], np.ndarray]


def _least_certain(functions: np.ndarray, signs: np.ndarray) -> np.ndarray:
    return -np.abs(functions)


def _most_wrong(functions: np.ndarray, signs: np.ndarray) -> np.ndarray:
    return -signs * functions


# (functions with b, signs) of candidates -> worth of each candidate; None: examples are taken in the queue's order
CHOICES: dict[str, Worth | None] = {"random": None, "gradient": _most_wrong, "active": _least_certain}


def class_margins(functions: np.ndarray) -> np.ndarray:
    """Return (n,) differences of the largest and the second largest class function."""
    second, first = np.partition(functions, -2, axis=1)[:, -2:].T
    return np.asarray(first - second)


def pair_margins(functions: np.ndarray, classes: int) -> np.ndarray:
    """Return (n,) absolute values of the pair function of the winner and the runner-up."""
    best = np.sort(np.argsort(pair_scores(functions, classes), axis=1, kind="stable")[:, -2:], axis=1)
    columns = pair_column(best[:, 0], best[:, 1], classes)
    return np.asarray(np.abs(functions[np.arange(len(functions)), columns]))


def draw(queue: np.ndarray, position: int, seed: list[int]) -> np.ndarray:
    """Draw candidates: return their places in the queue, from `position` on, which are the same for the same seed."""
    left = queue.size - position
    if left <= LASVM.candidates:
        return np.arange(position, queue.size)
    return position + np.random.default_rng(seed).choice(left, LASVM.candidates, replace=False)
