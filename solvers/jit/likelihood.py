"""The log loss of scores: at one temperature, its derivatives, its minimum, and at many temperatures at once."""

import math

import numpy as np

from mcsvm.solvers.jit import compiled

TOGETHER = 16  # rows whose sums are multiplied before one logarithm: the product is at most classes^16 < 1e308
NOTHING = 1e-150  # smaller exponentials count as 0: their squares would be denormal, and slow


@compiled
def loss(scores, right, weights, beta):
    """Return sum_i weights_i (log sum_c exp(beta s_ic) - beta s_i,right_i) / sum_i weights_i."""
    found, weight = 0.0, 0.0
    for i in range(scores.shape[0]):
        row = scores[i]
        largest = row.max()
        total = 0.0
        for c in range(row.size):
            total += math.exp(beta * (row[c] - largest))
        found += weights[i] * (math.log(total) + beta * (largest - row[right[i]]))
        weight += weights[i]
    return found / weight


@compiled
def derivatives(scores, right, weights, beta):
    """Return the first and the second derivative, with respect to beta, of the sum in `loss` (not the mean)."""
    slope, curvature = 0.0, 0.0
    for i in range(scores.shape[0]):
        row = scores[i]
        largest = row.max()
        total, mean, square = 0.0, 0.0, 0.0
        for c in range(row.size):
            behind = row[c] - largest
            share = math.exp(beta * behind)
            total += share
            mean += share * behind
            square += share * behind * behind
        mean /= total
        slope += weights[i] * (mean - (row[right[i]] - largest))
        curvature += weights[i] * (square / total - mean * mean)
    return slope, curvature


@compiled
def best(scores, right, weights, enough, widest, steps, bisected):
    """Return the beta of least loss between 1 / widest and widest; the loss is convex in beta.

    Newton's method with bisection of log beta runs until a change of beta by a factor of e promises a gain of at most
    `enough`; after `bisected` steps it only bisects. If all rows are right, the loss falls however large beta becomes.
    """
    low, high, beta = 1.0 / widest, widest, 1.0
    for step in range(steps):
        slope, curvature = derivatives(scores, right, weights, beta)
        if abs(beta * slope) <= enough:
            break
        if slope > 0.0:
            high = beta
        else:
            low = beta
        beta = beta - slope / curvature if curvature > 0.0 and step < bisected else 0.0
        if not low < beta < high:
            middle = math.sqrt(low * high)
            beta = middle if slope > 0.0 else min(2.0 * low, middle)
    return beta


@compiled
def profile(scores, right, weights, first, count, losses):
    """Set losses[j] = sum_i weights_i (log sum_c exp(beta_j s_ic) - beta_j s_i,right_i), with beta_j = first 2^j.

    One exponential per score suffices: exp(2 beta d) = exp(beta d)^2, d <= 0 being the score minus the largest of its
    row.
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
