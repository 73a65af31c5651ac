"""Sparse rows and a linear kernel: CPU seconds of coordinate steps beside kernel rows, which choice.py chooses between.

    python -m tests.benchmarks.bench_sparse_linear

Made texts (words by Zipf, 0.3 of them of the topic), one thread, alternating.
"""

from __future__ import annotations

import dataclasses
import time
from unittest import mock

import numpy as np
import scipy.sparse as sp

from mcsvm import MultiClassSVC
from mcsvm.solvers.budget import LinearBudget
from mcsvm.solvers.methods.linear import choice
from mcsvm.solvers.work import limited

SETS = (  # rows, words, drawn per row, topics, share of wrong labels
    *((500, 3_000, 20, 4, 0.1), (2_000, 8_000, 40, 4, 0.1), (2_000, 8_000, 200, 8, 0.1), (6_000, 20_000, 60, 4, 0.1)),
    *((1_000, 1_500, 600, 3, 0.1), (3_000, 800, 30, 4, 0.4), (1_500, 1_200, 700, 4, 0.4), (800, 4_000, 2_000, 4, 0.1)),
)
ROWS_ONLY = dataclasses.replace(choice.LINEAR, filled=0.0)


def texts(rows: int, words: int, drawn: int, topics: int, wrong: float) -> tuple[sp.csr_matrix, np.ndarray]:
    lots = np.random.default_rng(0)
    y = lots.integers(0, topics, rows)
    chances = 1.0 / np.arange(1, words + 1)
    orders = [lots.permutation(words) for _ in range(topics)]
    table = sp.lil_matrix((rows, words))
    for row in range(rows):
        found = lots.choice(words, max(3, lots.poisson(drawn)), p=chances / chances.sum())
        found = np.unique(np.where(lots.random(found.size) < 0.3, orders[y[row]][found], found))
        table[row, found] = 1.0 / np.sqrt(found.size)
    mistaken = lots.random(rows) < wrong
    y[mistaken] = lots.integers(0, topics, mistaken.sum())
    return table.tocsr(), y


def seconds(x: sp.csr_matrix, y: np.ndarray, machine: str, cost: float, budget: LinearBudget) -> float:
    with limited(1), mock.patch.object(choice, "LINEAR", budget):
        begun = time.process_time()
        MultiClassSVC(machine=machine, kernel="linear", C=cost, threads=1).fit(x, y)
        return time.process_time() - begun


def main() -> None:
    for described in SETS:
        x, y = texts(*described)
        for machine in ("ww", "cs"):
            for cost in (1.0, 100.0):
                tries = [[seconds(x, y, machine, cost, b) for b in (ROWS_ONLY, choice.LINEAR)] for _ in range(2)]
                rows, steps = np.min(tries, axis=0)
                filled = x.nnz / (x.shape[0] * x.shape[1])
                print(f"{x.shape}, {filled:.1%} filled, {machine}, C = {cost:g}: ", end="")
                print(f"{rows:.2f} s, {steps:.2f} s, {rows / steps:.1f}")


if __name__ == "__main__":
    main()
