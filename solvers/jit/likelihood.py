"""The log loss of scores at many temperatures at once."""

import math

import numpy as np

from solvers.jit import compiled

TOGETHER = 16  # rows whose sums are multiplied before a logarithm is taken: at most classes^16 < 1e308
NOTHING = 1e-150  # shares below it are 0: their squares would be denormal, and slow


@compiled
def profile(scores, right, weights, first, count, losses):
    """losses[j] = sum_i weights_i (log sum_c exp(beta_j s_ic) - beta_j s_i,right_i), beta_j = first 2^j.

    One exponential per score: exp(2 beta d) = exp(beta d)^2, with d <= 0 the score minus the largest of its row.
    """
    n, classes = scores.shape
    shares = np.empty(classes)
    products = np.ones(count)
    losses[:] = 0.0
    alike = True
    for i in range(1, n):
        alike = alike and weights[i] == weights[0]
    waiting = 0
    for i in range(n):
        largest = scores[i, 0]
        for c in range(1, classes):
            largest = max(largest, scores[i, c])
        for c in range(classes):
            shares[c] = math.exp(first * (scores[i, c] - largest))
        beta, behind = first, weights[i] * (largest - scores[i, right[i]])
        for j in range(count):
            total = 0.0
            for c in range(classes):
                share = shares[c]
                total += share
                shares[c] = share * share if share > NOTHING else 0.0
            losses[j] += beta * behind
            beta *= 2.0
            if alike:
                products[j] *= total
            else:
                losses[j] += weights[i] * math.log(total)
        waiting += 1
        if alike and (waiting == TOGETHER or i == n - 1):
            for j in range(count):
                losses[j] += weights[i] * math.log(products[j])
                products[j] = 1.0
            waiting = 0
