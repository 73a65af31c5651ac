"""Which example LASVM processes next: the first in random order, or the best of some drawn at random."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from solvers.budget import LASVM

Worth = Callable[[np.ndarray, np.ndarray], np.ndarray]


def _least_certain(functions: np.ndarray, signs: np.ndarray) -> np.ndarray:
    return -np.abs(functions)


def _most_wrong(functions: np.ndarray, signs: np.ndarray) -> np.ndarray:
    return -signs * functions


# (functions with b, signs) of candidates -> what each is worth; None takes examples in the order they are drawn
CHOICES: dict[str, Worth | None] = {"random": None, "gradient": _most_wrong, "active": _least_certain}


def draw(queue: np.ndarray, position: int, seed: list[int]) -> np.ndarray:
    """Places in the queue, from `position` on, of the candidates; the same for the same seed."""
    left = queue.size - position
    if left <= LASVM.candidates:
        return np.arange(position, queue.size)
    return position + np.random.default_rng(seed).choice(left, LASVM.candidates, replace=False)
