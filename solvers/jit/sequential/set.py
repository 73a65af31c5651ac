"""Steps of several variables of a box problem: BSVM's working set (Hsu & Lin 2002, section III.B)."""

import numpy as np

from mcsvm.solvers.jit import compiled
from mcsvm.solvers.jit.bound import free
from mcsvm.solvers.jit.box import solve_box
from mcsvm.solvers.jit.sequential.loop import LIMIT, MISSING, REACHED, STUCK, look, overlaps, set_variable, shift


@compiled
def insert(values, places, count, value, place):
    """Insert a value into the descending list of the largest values; return the length of the list."""
    room = values.size
    if room == 0 or (count == room and value <= values[room - 1]):
        return count
    at = count if count < room else room - 1
    while at > 0 and values[at - 1] < value:
        values[at], places[at] = values[at - 1], places[at - 1]
        at -= 1
    values[at], places[at] = value, place
    return min(count + 1, room)


@compiled
def choose_free(active, places):
    """Choose the free variables of smallest |gradient|; return their number."""
    values = np.empty(places.size)
    count = 0
    for b in range(active.gradient.size):
        if free(active.alpha[b], active.upper[b]):
            count = insert(values, places, count, -abs(active.gradient[b]), b)
    return count


@compiled
def choose_set(active, places):
    """Choose q/2 free variables of smallest |gradient|, then the most violating ones; return how many there are."""
    count = choose_free(active, places[: places.size // 2])
    values, others = np.empty(places.size), np.empty(places.size, np.int64)
    found = 0
    for b in range(active.gradient.size):
        if active.score[b] > 0.0:
            found = insert(values, others, found, active.score[b], b)
    for t in range(found):
        if count < places.size and not np.any(places[:count] == others[t]):
            places[count] = others[t]
            count += 1
    return count


@compiled
def cut(active, rows, tables, coupling, places, Q):
    """Compute Q of the chosen variables."""
    for s in range(places.size):
        overlaps(tables, active.key[places[s]], coupling)
        row = rows.store[rows.slot_of[active.example[places[s]]]]
        for t in range(places.size):
            Q[s, t] = coupling[active.key[places[t]]] * (row[active.example[places[t]]] + rows.offset)


@compiled
def move_set(active, moving, rows, tables, coupling, places, goal, patience):
    """Solve for the chosen variables and move them; return the gain of the dual."""
    q = places.size
    Q = np.empty((q, q))
    cut(active, rows, tables, coupling, places, Q)
    before, gradient, after = active.alpha[places], active.gradient[places], active.alpha[places]
    start = gradient.copy()
    solve_box(Q, gradient, after, active.upper[places], goal, patience * q)
    gain = 0.5 * ((after - before) * (start + gradient)).sum()
    if not gain > 0.0:
        return 0.0
    for t in range(q):
        b, x = places[t], after[t] - before[t]
        if x != 0.0:
            set_variable(active, moving, b, after[t])
            moving.change[0] = x * tables.direction[active.key[b]]
            moving.change[1] = 0.0
            i = np.int64(active.example[b])
            shift(moving, rows, i, i)
    return gain


@compiled
def run_sets(active, moving, rows, tables, coupling, wanted, goal, patience, stop, limit):
    """Take steps like `run_box`, with working sets of wanted.size variables, solved to a violation of `goal`."""
    steps = 0
    room = np.empty(wanted.size, np.int64)
    while True:
        if look(active, moving.columns) <= stop:
            return REACHED, steps, 0
        if steps >= limit:
            return LIMIT, steps, 0
        places = room[: choose_set(active, room)]
        missing = False
        for t in range(places.size):
            wanted[t] = active.example[places[t]]
            missing = missing or rows.slot_of[wanted[t]] < 0
        if missing:
            return MISSING, steps, places.size
        gain = move_set(active, moving, rows, tables, coupling, places, goal, patience)
        if not gain > 0.0:
            wanted[0] = np.argmax(active.score)
            return STUCK, steps, 1
        steps += 1
