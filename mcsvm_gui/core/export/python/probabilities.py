"""Probabilities in Python source, and predictions that minimise expected costs."""

from __future__ import annotations

from collections.abc import Iterable

from mcsvm.solvers.uncertainty.costs import NEAR
from mcsvm.solvers.uncertainty.probability import LEAST
from mcsvm_gui.core.export.flat_model import FlatModel
from mcsvm_gui.core.export.python.literals import numbers

CLASS_SCORES = {  # the values that temperatures and sigmoids of single classes transform
    "argmax": """

def _class_scores(values):
    return values
""",
    "one pair": """

def _class_scores(values):
    return [0.5 * values[0], -0.5 * values[0]]
""",
    "pairs": '''

def _class_scores(values):
    """Votes, and what tells ties apart; the largest is that of the class decided for."""
    found, clarity, pair = [0.0] * len(CLASSES), [0.0] * len(CLASSES), 0
    for a in range(len(CLASSES)):
        for b in range(a + 1, len(CLASSES)):
            found[a if values[pair] > 0.0 else b] += 1.0
            clarity[a] += values[pair]
            clarity[b] -= values[pair]
            pair += 1
    found = [votes + c / (3.0 * (abs(c) + 1.0)) for votes, c in zip(found, clarity)]
    best, chosen = found.index(max(found)), _winner(values)
    found[best], found[chosen] = found[chosen], found[best]
    return found
''',
}

PAIR_VALUES = {
    True: """

def _pair_values(values):
    return [values[a] - values[b] for a in range(len(CLASSES)) for b in range(a + 1, len(CLASSES))]
""",
    False: """

def _pair_values(values):
    return values
""",
}

SIGMOID = """

def _sigmoid(values):
    powers = [min(a * value + b, 700.0) for value, (a, b) in zip(values, SIGMOIDS)]
    return [1.0 / (1.0 + math.exp(power)) for power in powers]
"""

SHARES = {
    "temperature": """

def probabilities(row):
    found = _class_scores(scores(row))
    shares = [math.exp((score - max(found)) / TEMPERATURE) for score in found]
    return [share / sum(shares) for share in shares]
""",
    "one sigmoid": """

def probabilities(row):
    share = _sigmoid(_pair_values(scores(row)))[0]
    return [share, 1.0 - share]
""",
    "sigmoid": """

def probabilities(row):
    shares = _sigmoid(_class_scores(scores(row)))
    return [share / sum(shares) if sum(shares) > 0.0 else 1.0 / len(CLASSES) for share in shares]
""",
    "pairwise": '''

def probabilities(row):
    """Minimises the sum of (r_ba p_a - r_ab p_b)^2 over p of sum 1: (Q + 1) p is a multiple of 1."""
    k, pair, p = len(CLASSES), 0, [1.0] * len(CLASSES)
    m = [[1.0] * k for _ in range(k)]
    shares = [min(max(share, LEAST), 1.0 - LEAST) for share in _sigmoid(_pair_values(scores(row)))]
    for a in range(k):
        for b in range(a + 1, k):
            r = shares[pair]
            m[a][a] += (1.0 - r) * (1.0 - r)
            m[b][b] += r * r
            m[a][b] -= r * (1.0 - r)
            m[b][a] = m[a][b]
            pair += 1
    for a in range(k):
        for b in range(a + 1, k):
            factor = m[b][a] / m[a][a]
            m[b] = [x - factor * y for x, y in zip(m[b], m[a])]
            p[b] -= factor * p[a]
    for a in reversed(range(k)):
        p[a] = (p[a] - sum([m[a][c] * p[c] for c in range(a + 1, k)])) / m[a][a]
    p = [max(share, 0.0) for share in p]
    return [share / sum(p) for share in p]
''',
}

EXPECTED_COSTS = """

def _cheapest(shares):
    expected = [sum([share * row[c] for share, row in zip(shares, COSTS)]) for c in range(len(CLASSES))]
    return [cost <= min(expected) + NEAR for cost in expected].index(True)
"""
MOST_PROBABLE = """

def _cheapest(shares):
    return shares.index(max(shares))
"""
RULE = '''

def predict(row):
    """By costs: the class of the smallest expected cost; None where it is less probable than REJECT."""
    shares = probabilities(row)
    chosen = _cheapest(shares)
    return CLASSES[chosen] if shares[chosen] >= REJECT else None
'''


def tables(plain: FlatModel) -> Iterable[str]:
    found = plain.calibration
    if found is None:
        return
    if found.sigmoids is None:
        yield f"TEMPERATURE = {found.temperature!r}\n"
    else:
        yield f"SIGMOIDS = list(zip({numbers(found.sigmoids[:, 0])}, {numbers(found.sigmoids[:, 1])}))\n"
    yield f"LEAST = {LEAST!r}\n" if found.method == "pairwise" and plain.classes > 2 else ""


def code(plain: FlatModel) -> Iterable[str]:
    found = plain.calibration
    if found is None:
        return
    one = plain.classes == 2 and found.method != "temperature"
    if one or found.method == "pairwise":
        yield PAIR_VALUES[plain.decides == "argmax"]
    else:
        yield CLASS_SCORES["argmax" if plain.decides == "argmax" else "one pair" if plain.classes == 2 else "pairs"]
    yield "" if found.sigmoids is None else SIGMOID
    yield SHARES["one sigmoid" if one else found.method]


def rule(plain: FlatModel) -> Iterable[str]:
    found = plain.rule
    if found is not None:
        yield f"\n\nREJECT = {found.reject!r}\n"
        yield f"NEAR = {NEAR * float(found.table.max())!r}\nCOSTS = {found.table.tolist()!r}\n"
        yield MOST_PROBABLE if found.equal else EXPECTED_COSTS
        yield RULE
