"""Shapley values of a product of one-dimensional factors: the loops over background, nodes, players, support vectors.

With factors p_i at the row and q_i at a background row,

    phi_i = integral over t in [0, 1] of (p_i - q_i) prod_{j != i} (t p_j + (1 - t) q_j) dt.

All factors lie in [0, 1] and all weights of a quadrature are positive: nothing cancels but p_i - q_i. The product
without i is the product of those before i times that of those after i, so that nothing is divided either. So the
relative error of a term stays near players * 1e-16. Support vectors run along the last axis, which vectorises.
"""

from __future__ import annotations

import math

from solvers.jit import compiled


@compiled(relaxed=True)
def distances(row, points, players, found):
    """found[i, s]: squared distance of the row from support vector s in the columns of player i."""
    found[:] = 0.0
    for c in range(row.size):
        value, to, column = row[c], found[players[c]], points[c]
        for s in range(column.size):
            to[s] += (value - column[s]) * (value - column[s])


@compiled
def order_of(row, other, players, count, order):
    """How many players differ between the rows; `order` begins with these, the others follow."""
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
def factors(p, far, gamma, order, active, step, q, same, spread):
    """Of the players that differ: q and step = p - q in the order of `order`; what the others share in `same`.

    `q` comes as the squared distances of the background row, by player. spread[s] = sum of |p - q| / (p + q).
    """
    for i in range(active, order.size // 2):
        for s in range(same.size):
            same[s] += far[order[i], s]
    for i in range(active):  # rising, so that no distance is overwritten before it is read
        for s in range(same.size):
            q[i, s] = math.exp(-gamma * q[order[i], s])
    for i in range(active):
        for s in range(same.size):
            step[i, s] = p[order[i], s] - q[i, s]
            both = p[order[i], s] + q[i, s]
            spread[s] += abs(step[i, s]) / both if both > 0.0 else 0.0


@compiled(relaxed=True)
def integrate(q, step, active, nodes, weights, before, product, found):
    """found[i, s]: the integral without the factor p - q."""
    found[:active] = 0.0
    for k in range(nodes.size):
        t = nodes[k]
        product[:] = weights[k]
        for i in range(active):
            for s in range(product.size):
                before[i, s] = product[s]
                product[s] *= q[i, s] + t * step[i, s]
        product[:] = 1.0
        for i in range(active - 1, -1, -1):
            for s in range(product.size):
                found[i, s] += before[i, s] * product[s]
                product[s] *= q[i, s] + t * step[i, s]


@compiled
def size_of(active, spread, sizes, reach):
    """Which quadrature: exact, with at least active / 2 nodes, or one whose reach is not exceeded by any spread."""
    widest = spread.max()
    for number in range(sizes.size - 1):
        if 2 * sizes[number] >= active or widest <= reach[number]:
            return number
    return sizes.size - 1


@compiled(relaxed=True)
def contributions(row, background, weights, points, rest, players, gamma, quadrature, room, order, total):
    """Add to total[i, s] the Shapley values of exp(-gamma |x - s|^2), averaged over the background by its weights.

    points: (columns, width) of support vectors; rest: (width,) their squared distance from x and every background row
    alike, outside these columns. quadrature: sizes and reach of each, where it begins, nodes, weights. Work space:
    room (6, players + 1, width), order (2 players).
    """
    sizes, reach, begins, nodes, shares = quadrature
    far, p, q, step, found = room[0], room[1], room[2], room[3], room[4]
    count = total.shape[0]
    same, spread, product = far[count], q[count], p[count]
    distances(row, points, players, far)
    for i in range(count):
        for s in range(rest.size):
            p[i, s] = math.exp(-gamma * far[i, s])
    for b in range(weights.size):
        active = order_of(row, background[b], players, count, order)
        distances(background[b], points, players, q[:count])
        same[:] = rest
        spread[:] = 0.0
        factors(p, far, gamma, order, active, step, q, same, spread)
        which = size_of(active, spread, sizes, reach)
        used = slice(begins[which], begins[which] + sizes[which])
        integrate(q, step, active, nodes[used], shares[used], room[5], product, found)
        for s in range(rest.size):
            same[s] = weights[b] * math.exp(-gamma * same[s])
        for i in range(active):
            for s in range(rest.size):
                total[order[i], s] += same[s] * step[i, s] * found[i, s]
