"""Python source: one file that imports `math` and nothing else, and predicts raw rows.

Numbers stand in long strings that are split when the module is loaded: a string is one token, so that even a large
model is parsed at once.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from mcsvm_gui.core.base import programs
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.export import python_parts
from mcsvm_gui.core.export.checked import FilePrediction, Files, Receipt, write_checked
from mcsvm_gui.core.export.flat_model import FlatModel, flat_model
from mcsvm_gui.core.export.probe import Probe
from mcsvm_gui.core.machine.trained import TrainedModel
from solvers.costs import NEAR
from solvers.errors import InputError
from solvers.probability import LEAST

MOST_WORK = 30_000_000  # kernel terms that a check may cost: a few seconds of plain Python
PER_LINE = 8

HEAD = '''"""A multi-class support vector machine, written by mcsvm. Needs Python 3.8 and nothing else.

    label = predict(row)     row: the values of COLUMNS in that order, or a mapping from column names to values;
                             None, nan or "" where one is missing
    values = scores(row)     class functions; for one-vs-one and dag, functions of the pairs (0, 1), (0, 2), ...
    labels = predict_all(rows)
$probabilities
ValueError for a row that the model refuses: a missing value that nothing fills, a number that is not finite$unknown.
"""

import math

'''
UNKNOWN = {
    True: ",\na text that training did not know",
    False: ".\nA text that training did not know counts as none of the known ones",
}

PROBABILITIES = """\
    shares = probabilities(row)    in the order of CLASSES; unless by temperature they may disagree with the label
"""

DENSE = """
def _products(x):
    return [sum([a * b for a, b in zip(x, z)]) for z in VECTORS]
"""

SPARSE = """
def _products(x):
    return [sum([x[c] * v for c, v in z]) for z in VECTORS]
"""

KERNELS = {
    "rbf": """
def _kernel(x):
    square = sum([a * a for a in x])
    return [math.exp(-GAMMA * max(0.0, square + s - 2.0 * p)) for s, p in zip(SQUARES, _products(x))]
""",
    "linear": """
def _kernel(x):
    return _products(x)
""",
    "polynomial": """
def _kernel(x):
    return [(GAMMA * p + COEF0) ** DEGREE for p in _products(x)]
""",
    "sigmoid": """
def _kernel(x):
    return [math.tanh(GAMMA * p + COEF0) for p in _products(x)]
""",
}

SCORES = """

def scores(row):
    totals = list(BIAS)
    for value, terms in zip(_kernel(prepare(row)), EXPANSION):
        for output, weight in terms:
            totals[output] += weight * value
    return totals


def predict(row):
    return CLASSES[_winner(scores(row))]


def predict_all(rows):
    return [predict(row) for row in rows]
"""

DECISIONS = {
    "argmax": '''

def _winner(values):
    """The largest; ties go to the first."""
    return values.index(max(values))
''',
    "votes": '''

def _winner(values):
    """Pair (a, b) votes for a where positive, else for b; ties go to the first."""
    votes, pair = [0] * len(CLASSES), 0
    for a in range(len(CLASSES)):
        for b in range(a + 1, len(CLASSES)):
            votes[a if values[pair] > 0.0 else b] += 1
            pair += 1
    return votes.index(max(votes))
''',
    "graph": '''

def _winner(values):
    """Compare the first and the last class of the list, drop the loser, until one is left."""
    first, last = 0, len(CLASSES) - 1
    while first < last:
        pair = first * (2 * len(CLASSES) - first - 1) // 2 + last - first - 1
        if values[pair] > 0.0:
            last -= 1
        else:
            first += 1
    return first
''',
}

CLASS_SCORES = {  # what temperatures and sigmoids of single classes are applied to
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

DRIVER = """
import json, runpy, sys
model = runpy.run_path(sys.argv[1])
rows = json.loads(sys.stdin.read())
classes = {name: number for number, name in enumerate(model["CLASSES"])}
shares = [model["probabilities"](row) for row in rows] if "probabilities" in model else None
print(json.dumps([[classes.get(label, -1) for label in model["predict_all"](rows)], shares]))
"""


def refusal(trained: TrainedModel) -> str | None:
    if trained.model.kernel.name == "precomputed":
        return "a precomputed kernel has no support vectors to write; use json or libsvm."
    return None


def export(trained: TrainedModel, path: Path | str, check: Dataset | None = None) -> Receipt:
    plain = flat_model(trained)
    return write_checked(trained, plain, path, check, written(plain), [_predictor])


def written(plain: FlatModel) -> Files:
    head = HEAD.replace("$unknown", UNKNOWN[plain.strict])
    head = head.replace("$probabilities", "" if plain.calibration is None else PROBABILITIES)
    parts = [head, *_tables(plain), "\n", SPARSE if plain.sparse else DENSE]
    parts += ["\n", KERNELS[plain.kernel], "\n", *python_parts.prepared(plain), SCORES]
    parts += [DECISIONS[plain.decides], *_calibrated(plain), *_ruled(plain)]
    return {"": "".join(parts).encode("ascii")}


def _calibrated(plain: FlatModel) -> Iterable[str]:
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


def _ruled(plain: FlatModel) -> Iterable[str]:
    rule = plain.rule
    if rule is not None:
        yield f"\n\nREJECT = {rule.reject!r}\n"
        yield f"NEAR = {NEAR * float(rule.table.max())!r}\nCOSTS = {rule.table.tolist()!r}\n"
        yield MOST_PROBABLE if rule.equal else EXPECTED_COSTS
        yield RULE


def _tables(plain: FlatModel) -> Iterable[str]:
    yield f"CLASSES = {_names(plain.class_names)}\n"
    yield f"COLUMNS = {_names(column.name for column in plain.columns)}\n"
    yield f"FILLS = {_names(column.fill for column in plain.columns)}\n"
    yield f"SOURCES = {_numbers(plain.sources, 'int')}\n"
    yield f"LEVELS = {_levels(plain)}\n"
    yield f"KNOWN = {_known(plain)}\n"
    yield f"SHIFT = {_numbers(plain.shift)}\n"
    yield f"SCALE = {_numbers(plain.scale)}\n"
    yield from (f"{key.upper()} = {value!r}\n" for key, value in plain.parameters.items())
    yield f"BIAS = {_numbers(plain.bias)}\n"
    yield from _calibration(plain)
    yield f"SQUARES = {_numbers(plain.squares)}\n" if plain.kernel == "rbf" else ""
    yield _vectors(plain)
    yield _pairs("EXPANSION", sp.csr_array(plain.expansion))


def _calibration(plain: FlatModel) -> Iterable[str]:
    found = plain.calibration
    if found is None:
        return
    if found.sigmoids is None:
        yield f"TEMPERATURE = {found.temperature!r}\n"
    else:
        yield f"SIGMOIDS = list(zip({_numbers(found.sigmoids[:, 0])}, {_numbers(found.sigmoids[:, 1])}))\n"
    yield f"LEAST = {LEAST!r}\n" if found.method == "pairwise" and plain.classes > 2 else ""


def _names(names: Iterable[Any]) -> str:
    """ascii() of a text is a literal that no quote, backslash, line break or letter can escape from."""
    return "[" + "".join(f"\n    {name if name is None else _literal(name)}," for name in names) + "\n]"


def _literal(name: Any) -> str:
    return ascii(name) if isinstance(name, str) else repr(float(name))


def _levels(plain: FlatModel) -> str:
    return f"[None] * {plain.features}" if plain.numbers_only else _names(plain.levels)


def _known(plain: FlatModel) -> str:
    """The columns where a text that training did not know is refused, and those it knew."""
    known = {c: column.levels for c, column in enumerate(plain.columns) if plain.strict and column.levels is not None}
    return "{" + "".join(f"\n    {c}: {_names(levels)}," for c, levels in known.items()) + "}"


def _numbers(values: np.ndarray, kind: str = "float") -> str:
    texts = list(map(repr, values.ravel().tolist()))
    lines = [" ".join(texts[start : start + PER_LINE]) for start in range(0, len(texts), PER_LINE)]
    return f'list(map({kind}, """\n' + "\n".join(lines) + '\n""".split()))'


def _vectors(plain: FlatModel) -> str:
    if plain.sparse:
        return _pairs("VECTORS", sp.csr_array(plain.vectors))
    width = plain.features
    return (
        f"VECTORS = {_numbers(plain.dense)}\n"
        f"VECTORS = [VECTORS[start : start + {width}] for start in range(0, len(VECTORS), {width})]\n"
    )


def _pairs(name: str, rows: sp.csr_array) -> str:
    """Per row the nonzero places and values."""
    return (
        f"{name} = list(zip({_numbers(rows.indices, 'int')}, {_numbers(rows.data)}))\n"
        f"_starts = {_numbers(rows.indptr, 'int')}\n"
        f"{name} = [{name}[start:end] for start, end in zip(_starts, _starts[1:])]\n"
    )


def _predictor(path: Path, plain: FlatModel, probe: Probe) -> FilePrediction:
    if getattr(sys, "frozen", False):
        return FilePrediction(None, "this program carries no Python that could run the file", probe)
    terms = (plain.vectors.nnz if plain.sparse else plain.vectors.size) + np.count_nonzero(plain.expansion)
    tried = probe.in_full().some(max(20, MOST_WORK // max(1, int(terms))))
    rows = _rows(plain, tried)
    command = [sys.executable, "-I", "-c", DRIVER, str(path)]
    done = programs.run(command, json.dumps(rows))
    if done.status:
        raise InputError(
            "The export was not written: Python stops at it: {reason}", reason=done.errors.strip().splitlines()[-1]
        )
    labels, shares = json.loads(done.output)
    shares = None if shares is None else np.array(shares, dtype=np.float64).reshape(len(labels), -1)
    return FilePrediction(np.array(labels, dtype=np.int64), f"Python {sys.version.split()[0]}", tried, shares)


def _rows(plain: FlatModel, probe: Probe) -> list[list[Any]]:
    if plain.numbers_only:
        return probe.numbers().tolist()
    columns = [probe.column(number).tolist() for number in range(len(plain.columns))]
    return [list(row) for row in zip(*columns, strict=True)]
