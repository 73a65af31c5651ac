"""Pair functions of ovo and dag: their values from sparse coefficients, their votes, and their sums by class.

Pairs are numbered (0, 1), (0, 2), ...; a positive value predicts the first class of its pair.
"""

import numpy as np

from mcsvm.solvers.jit import compiled


@compiled
def pair_values(starts, vectors, coefficients, kernel, values):
    """Add to values[r, p] the sum over the support vectors of pair p of coefficient * kernel[vector, r].

    `kernel` has one row per support vector, so that the inner loop runs over consecutive numbers. The sum of a row does
    not depend on the other rows.
    """
    rows = kernel.shape[1]
    total = np.empty(rows)
    for pair in range(values.shape[1]):
        total[:] = 0.0
        for entry in range(starts[pair], starts[pair + 1]):
            coefficient, products = coefficients[entry], kernel[vectors[entry]]
            for row in range(rows):
                total[row] += coefficient * products[row]
        for row in range(rows):
            values[row, pair] += total[row]


@compiled
def count_votes(values, votes):
    """Add one vote per pair function: for the first class if its value is positive, else for the second."""
    classes = votes.shape[1]
    for row in range(values.shape[0]):
        pair = 0
        for first in range(classes):
            for second in range(first + 1, classes):
                votes[row, first if values[row, pair] > 0.0 else second] += 1
                pair += 1


@compiled
def add_signed(values, sums):
    """Add every pair function to the sum of its first class, and subtract it from the sum of its second class."""
    classes = sums.shape[1]
    for row in range(values.shape[0]):
        pair = 0
        for first in range(classes):
            for second in range(first + 1, classes):
                sums[row, first] += values[row, pair]
                sums[row, second] -= values[row, pair]
                pair += 1
