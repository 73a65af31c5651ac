"""A parser of LIBSVM rows, `label index:value ...`, into arrays; decimal numbers are rounded as IEEE 754 requires."""

import numpy as np

from mcsvm.solvers.jit import compiled

SPACE, LF, PLUS, COMMA, MINUS, POINT, ZERO, COLON = 32, 10, 43, 44, 45, 46, 48, 58
DIGITS = 19  # largest number of significant digits: so many always fit into 64 bits
EXACT = 22  # powers of ten up to this one are exact in double precision
POWERS = np.array([10.0**power for power in range(EXACT + 1)])
SPLIT = 2.0**27 + 1.0  # Dekker 1971: splits a double into halves whose products are exact
CLEAR = 2.0**-40  # relative error of the rest of a double-double that must not change the rounding
ODD = -1  # returned instead of a position or a number of pairs for text that is no number


@compiled
def product_error(a, b, product):
    """Return a b - product, exactly (Dekker 1971)."""
    scaled = SPLIT * a
    high = scaled - (scaled - a)
    scaled = SPLIT * b
    top = scaled - (scaled - b)
    low, rest = a - high, b - top
    return ((high * top - product) + high * rest + low * top) + low * rest


@compiled
def decimal(digits, power):
    """Return (digits 10^power in double precision, whether this is certainly the nearest double)."""
    if digits == 0:
        return 0.0, True
    if power > EXACT or power < -EXACT:
        return 0.0, False
    if digits < np.uint64(1 << 53):  # both operands are exact, and one operation rounds once (Clinger 1990)
        exact = np.float64(np.int64(digits))
        return exact / POWERS[-power] if power < 0 else exact * POWERS[power], True
    high = np.float64(digits >> np.uint64(32)) * 4294967296.0  # both halves are exact
    low = np.float64(digits & np.uint64(0xFFFFFFFF))
    total = high + low
    low -= total - high
    scale = POWERS[abs(power)]
    if power < 0:
        found = total / scale
        back = found * scale
        rest = ((total - back) - product_error(found, scale, back) + low) / scale
    else:
        found = total * scale
        rest = product_error(total, scale, found) + low * scale
    nearest = found + rest
    rest -= nearest - found
    return nearest, nearest + rest * (1.0 + CLEAR) == nearest + rest * (1.0 - CLEAR) == nearest


@compiled
def digits_from(data, at, end, digits, kept):
    """Return (number with the digits from `at` on appended, count of digits without leading zeros, end position)."""
    while at < end:
        digit = np.int64(data[at]) - ZERO
        if digit < 0 or digit > 9:
            break
        digits = digits * np.uint64(10) + np.uint64(digit)  # overflows beyond DIGITS digits: the caller checks `kept`
        kept += (kept > 0) | (digit > 0)
        at += 1
    return digits, kept, at


@compiled
def number(data, at, end):
    """Return (value of [+-]digits[.digits][e[+-]digits], its end or ODD if the text differs, whether it is certain)."""
    sign = 1.0
    if at < end and (data[at] == PLUS or data[at] == MINUS):
        sign = -1.0 if data[at] == MINUS else 1.0
        at += 1
    before = at
    digits, kept, at = digits_from(data, at, end, np.uint64(0), 0)
    seen, power = at > before, np.int64(0)
    if at < end and data[at] == POINT:
        before = at + 1
        digits, kept, at = digits_from(data, before, end, digits, kept)
        seen, power = seen or at > before, power - (at - before)
    if not seen:
        return 0.0, ODD, False
    if at < end and (data[at] == 101 or data[at] == 69):
        at, step = at + 1, 1
        if at < end and (data[at] == PLUS or data[at] == MINUS):
            step = -1 if data[at] == MINUS else 1
            at += 1
        if at == end or not 0 <= np.int64(data[at]) - ZERO <= 9:
            return 0.0, ODD, False
        exponent = np.int64(0)
        while at < end and 0 <= np.int64(data[at]) - ZERO <= 9:
            if exponent < 10_000:
                exponent = 10 * exponent + np.int64(data[at]) - ZERO
            at += 1
        power += step * exponent
    if at < end and data[at] > SPACE:
        return 0.0, ODD, False
    if kept > DIGITS:
        return 0.0, at, False
    value, certain = decimal(digits, power)
    return sign * value, at, certain


@compiled
def read_pairs(data, first, last, most, indices, values, rows, doubts):
    """Read the lines from `first` to `last`; return how many pairs (or ODD), rows and doubts there are.

    rows: (rows, 5) line feeds before the row, begin and end of its label, the label's bytes as a number (-1 if over
    seven), number of pairs. doubts: (pairs, 3) a pair whose value is not certain, begin and end of the value.
    """
    at, found, row, line, doubtful = first, 0, 0, 0, 0
    labelled = False
    while at < last:
        if data[at] <= SPACE:
            if data[at] == LF:
                line += 1
                labelled = False
            at += 1
            continue
        start = at
        if not labelled:
            key = 0
            while at < last and data[at] > SPACE:
                if data[at] == COLON or data[at] == COMMA:
                    return ODD, row, doubtful
                key = key | np.int64(data[at]) << 8 * (at - start) if at - start < 7 else -1
                at += 1
            rows[row, 0], rows[row, 1], rows[row, 2], rows[row, 3], rows[row, 4] = line, start, at, key, 0
            labelled = True
            row += 1
            continue
        index = np.int64(0)
        while at < last and 0 <= np.int64(data[at]) - ZERO <= 9 and index <= most:
            index = 10 * index + np.int64(data[at]) - ZERO
            at += 1
        if at == start or index > most or at >= last or data[at] != COLON:
            return ODD, row, doubtful
        begin = at + 1
        value, at, certain = number(data, begin, last)
        if at == ODD:
            return ODD, row, doubtful
        if not certain:
            doubts[doubtful, 0], doubts[doubtful, 1], doubts[doubtful, 2] = found, begin, at
            doubtful += 1
        indices[found], values[found] = index, value
        rows[row - 1, 4] += 1
        found += 1
    return found, row, doubtful
