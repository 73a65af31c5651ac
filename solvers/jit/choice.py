"""Choice of the examples of a block: the most violating ones and, for up to half of it, those of the last round."""

from mcsvm.solvers.jit import compiled


@compiled
def largest_but(values, k):
    """Return the (k + 1)-th largest of the values, and reorder them (Hoare's quickselect)."""
    low, high = 0, values.size - 1
    while low < high:
        first, middle, last = values[low], values[(low + high) >> 1], values[high]
        pivot = max(min(first, middle), min(max(first, middle), last))
        i, j = low, high
        while i <= j:
            while values[i] > pivot:
                i += 1
            while values[j] < pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i, j = i + 1, j - 1
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            return values[k]
    return values[low]


@compiled
def take_largest(values, sign, wanted, taken, chosen, count, work):
    """Append the examples of the `wanted` largest positive sign * values that are not `taken`; return the new count.

    Among equal values, the first examples are chosen.
    """
    found = 0
    for i in range(values.size):
        if not taken[i] and sign * values[i] > 0.0:
            work[found] = sign * values[i]
            found += 1
    level, equal = 0.0, 0
    if found > wanted > 0:
        level = largest_but(work[:found], wanted - 1)
        equal = wanted
        for b in range(wanted):  # quickselect has put the largest first
            equal -= 1 if work[b] > level else 0
    for i in range(values.size if wanted > 0 else 0):
        value = sign * values[i]
        if value < level or value <= 0.0 or taken[i]:
            continue
        if value == level:
            if equal == 0:
                continue
            equal -= 1
        chosen[count], taken[i] = i, True
        count += 1
    return count


@compiled
def take_recent(recent, taken, chosen, count):
    for i in recent:
        if count < chosen.size and not taken[i]:
            chosen[count], taken[i] = i, True
            count += 1
    return count


@compiled
def choose_worst(worst, recent, taken, chosen, work):
    """Choose the most violating examples and, for up to half of the block, those of the last round; return how many."""
    if worst.size <= chosen.size:
        return all_of(worst.size, chosen)
    taken[:] = False
    fresh = chosen.size - min(recent.size, chosen.size // 2)
    count = take_largest(worst, 1.0, fresh, taken, chosen, 0, work)
    count = take_recent(recent, taken, chosen, count)
    return take_largest(worst, 1.0, chosen.size - count, taken, chosen, count, work)


@compiled
def choose_both_signs(signed, recent, taken, chosen, work):
    """Choose the examples of a block by signed violations; return how many.

    A quarter of the block are the beta that should rise most, a quarter those that should fall most. Examples of the
    last round follow, then the most violating other examples.
    """
    if signed.size <= chosen.size:
        return all_of(signed.size, chosen)
    taken[:] = False
    quarter = chosen.size // 4
    count = take_largest(signed, 1.0, quarter, taken, chosen, 0, work)
    count = take_largest(signed, -1.0, quarter, taken, chosen, count, work)
    count = take_recent(recent, taken, chosen, count)
    rest = (chosen.size - count + 1) // 2
    count = take_largest(signed, 1.0, rest, taken, chosen, count, work)
    count = take_largest(signed, -1.0, chosen.size - count, taken, chosen, count, work)
    return take_largest(signed, 1.0, chosen.size - count, taken, chosen, count, work)


@compiled
def all_of(n, chosen):
    for i in range(n):
        chosen[i] = i
    return n
