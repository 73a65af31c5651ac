"""Shapley values of products of one-dimensional factors: loops over background, nodes, players and support vectors.

With factors p_i at the row and q_i at a background row,

    phi_i = integral over t in [0, 1] of (p_i - q_i) prod_{j != i} (t p_j + (1 - t) q_j) dt.

All factors lie in [0, 1] and all weights of a quadrature are positive, so only p_i - q_i can cancel. The product
without i is the product of the factors before i times that of the factors after i, so nothing is divided either.
Therefore the relative error of a term is about players * 1e-16. Support vectors run along the last axis, which
vectorises.
"""

from __future__ import annotations

import numpy as np

from mcsvm.solvers.jit import compiled

LOG2_E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10  # LN2_HIGH has 32 bits, so that k * LN2_HIGH is exact
ROUNDER = 1.5 * 2.0**52


@compiled(relaxed=True)
def distances(row, points, players, found):
    """Set found[i, s] to the squared distance of the row from support vector s in the columns of player i."""
    found[:] = 0.0
    for c in range(row.size):
        value, to, column = row[c], found[players[c]], points[c]
        for s in range(column.size):
            to[s] += (value - column[s]) * (value - column[s])


@compiled
def order_of(row, other, players, count, order):
    """Return how many players differ between the rows; `order` begins with these players, and the others follow."""
    first, last = 0, count
    for i in range(count):
        order[i] = 0
    for c in range(row.size):
        if row[c] != other[c]:
            order[players[c]] = 1
    for i in range(count):
        if order[i] == 1:
            order[count + first] = i
            first += 1
        else:
            last -= 1
            order[count + last] = i
    for i in range(count):
        order[i] = order[count + i]
    return first


@compiled(relaxed=True)
def exponentials(row, scale, shifted):
    """Replace `row` by exp(scale * row) in loops that vectorise; exp of the C library takes four times as long.

    exp(x) = 2^k exp(r) with |r| <= log(2) / 2, by Taylor's series up to r^13, which has a relative error of 4e-18. k is
    rounded by adding 1.5 * 2^52, whose last bits then contain k. Values of x below -708, where exp underflows, count as
    -708: the result is 3e-308. `shifted` is work space.
    """
    for s in range(row.size):
        x = max(scale * row[s], -708.0)
        shifted[s] = x * LOG2_E + ROUNDER
        k = shifted[s] - ROUNDER
        r = (x - k * LN2_HIGH) - k * LN2_LOW
        tail = 1.0 + r * (1.0 / 9.0 + r * (1.0 / 90.0 + r * (1.0 / 990.0 + r * (1.0 / 11880.0 + r / 154440.0))))
        tail = 1.0 + r * (1.0 / 5.0 + r * (1.0 / 30.0 + r * (1.0 / 210.0 + r / 1680.0 * tail)))
        row[s] = 1.0 + r * (1.0 + r * (0.5 + r * (1.0 / 6.0 + r / 24.0 * tail)))
    bits = shifted.view(np.int64)
    for s in range(row.size):
        bits[s] = (bits[s] << 52) + (1023 << 52)
    for s in range(row.size):
        row[s] *= shifted[s]


@compiled(relaxed=True)
def factors(p, far, gamma, order, active, step, q, same, spread, work):
    """Compute q and step = p - q of the players that differ, in their order; add the other distances to `same`.

    On entry, `q` contains the squared distances of the background row by player. spread[s] = sum of |p - q| / (p + q).
    """
    for i in range(active, order.size // 2):
        kept = far[order[i]]
        for s in range(same.size):
            same[s] += kept[s]
    for i in range(active):  # in rising order, so that no distance is overwritten before it is read
        here, there, change = p[order[i]], q[i], step[i]
        there[:] = q[order[i]]
        exponentials(there, -gamma, work)
        for s in range(same.size):
            change[s] = here[s] - there[s]
            spread[s] += abs(change[s]) / (here[s] + there[s])


@compiled(relaxed=True)
def integrate(q, step, active, nodes, weights, before, product, found):
    """Set found[i, s] to the integral without the factor p - q."""
    found[:active] = 0.0
    for k in range(nodes.size):
        t = nodes[k]
        product[:] = weights[k]
        for i in range(active):
            kept, there, change = before[i], q[i], step[i]
            for s in range(product.size):
                kept[s] = product[s]
                product[s] *= there[s] + t * change[s]
        product[:] = 1.0
        for j in range(active):
            i = active - 1 - j
            kept, there, change, to = before[i], q[i], step[i], found[i]
            for s in range(product.size):
                to[s] += kept[s] * product[s]
                product[s] *= there[s] + t * change[s]


@compiled
def size_of(active, spread, sizes, reach):
    """Return the index of the first quadrature that is exact (at least active / 2 nodes) or whose reach suffices.

    The reach suffices if no spread exceeds it.
    """
    widest = spread.max()
    for number in range(sizes.size - 1):
        if 2 * sizes[number] >= active or widest <= reach[number]:
            return number
    return sizes.size - 1


@compiled(relaxed=True)
def contributions(row, background, weights, points, rest, players, gamma, quadrature, room, order, total):
    """Add to total[i, s] the Shapley values of exp(-gamma |x - s|^2), averaged over the background by its weights.

    points: (columns, width) of support vectors. rest: (width,) their squared distances outside these columns, which are
    the same from x and from every background row. quadrature: sizes, reaches and beginnings of all quadratures, then
    their nodes and weights. Work space: room (6, players + 1, width), order (2 players).
    """
    sizes, reach, begins, nodes, shares = quadrature
    far, p, q, step, found, before = room[0], room[1], room[2], room[3], room[4], room[5]
    count = total.shape[0]
    same, spread, product, work = far[count], q[count], p[count], step[count]
    distances(row, points, players, far[:count])
    for i in range(count):
        p[i] = far[i]
        exponentials(p[i], -gamma, work)
    for b in range(weights.size):
        active = order_of(row, background[b], players, count, order)
        distances(background[b], points, players, q[:count])
        same[:] = rest
        spread[:] = 0.0
        factors(p, far, gamma, order, active, step, q, same, spread, work)
        which = size_of(active, spread, sizes, reach)
        used = slice(begins[which], begins[which] + sizes[which])
        integrate(q, step, active, nodes[used], shares[used], before, product, found)
        exponentials(same, -gamma, work)
        for i in range(active):
            to, change, integral = total[order[i]], step[i], found[i]
            for s in range(rest.size):
                to[s] += weights[b] * same[s] * change[s] * integral[s]
