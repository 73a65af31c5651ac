"""Python source: one file that imports only `math`, and predicts raw rows.

Numbers are in long strings that are split when the module is loaded: a string is one token, so that even a large model
is parsed at once.
"""

from __future__ import annotations

import ast
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
from mcsvm_gui.core.export.checked import FilePrediction, Files, Receipt, RefusedFileError, scored, write_checked
from mcsvm_gui.core.export.flat_model import FlatModel, flat_model
from mcsvm_gui.core.export.probe import Probe
from mcsvm_gui.core.export.python import probabilities
from mcsvm_gui.core.export.python.literals import numbers
from mcsvm_gui.core.machine.trained import TrainedModel

MOST_WORK = 30_000_000  # largest number of kernel terms of a check: a few seconds of plain Python

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

DRIVER = """
import json, runpy, sys
model = runpy.run_path(sys.argv[1])
rows, scored = json.loads(sys.stdin.read())
shares = [model["probabilities"](row) for row in rows] if "probabilities" in model else None
scores = [model["scores"](row) for row in rows] if scored else None
print(json.dumps([model["COLUMNS"], model["predict_all"](rows), shares, scores]))
"""


def refusal(trained: TrainedModel) -> str | None:
    if trained.model.kernel.name == "precomputed":
        return "a precomputed kernel has no support vectors to write; use json or libsvm."
    return None


def layout(trained: TrainedModel) -> FlatModel:
    return flat_model(trained)


def export(trained: TrainedModel, path: Path | str, check: Dataset | None = None) -> Receipt:
    plain = layout(trained)
    return write_checked(trained, plain, path, check, written(plain), PREDICTORS)


def written(plain: FlatModel) -> Files:
    head = HEAD.replace("$unknown", UNKNOWN[plain.strict])
    head = head.replace("$probabilities", "" if plain.calibration is None else PROBABILITIES)
    parts = [head, *_tables(plain), "\n", SPARSE if plain.sparse else DENSE]
    parts += ["\n", KERNELS[plain.kernel], "\n", *python_parts.prepared(plain), SCORES]
    parts += [DECISIONS[plain.decides], *probabilities.code(plain), *probabilities.rule(plain)]
    return {"": "".join(parts).encode("ascii")}


def has_own_code(text: bytes, plain: FlatModel) -> bool:
    """Return whether the file differs from the output of this version only in constants; then it is safe to run.

    Constants are not run: `numbers` splits strings, and names are compared with values of rows.
    """
    return _without_constants(text) == _without_constants(written(plain)[""])


def _without_constants(text: bytes) -> str:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            node.value = type(node.value).__name__  # a constant of another type makes another program
    return ast.dump(tree)


def _tables(plain: FlatModel) -> Iterable[str]:
    yield f"CLASSES = {_names(plain.class_names)}\n"
    yield f"COLUMNS = {_names(column.name for column in plain.columns)}\n"
    yield f"FILLS = {_names(column.fill for column in plain.columns)}\n"
    yield f"SOURCES = {numbers(plain.sources, 'int')}\n"
    yield f"LEVELS = {_levels(plain)}\n"
    yield f"KNOWN = {_known(plain)}\n"
    yield f"SHIFT = {numbers(plain.shift)}\n"
    yield f"SCALE = {numbers(plain.scale)}\n"
    yield from (f"{key.upper()} = {value!r}\n" for key, value in plain.parameters.items())
    yield f"BIAS = {numbers(plain.bias)}\n"
    yield from probabilities.tables(plain)
    yield f"SQUARES = {numbers(plain.squares)}\n" if plain.kernel == "rbf" else ""
    yield _vectors(plain)
    yield _pairs("EXPANSION", sp.csr_array(plain.expansion))


def _names(names: Iterable[Any]) -> str:
    """Return a list of literals: ascii() of a text leaves no quote, backslash, line break or letter that could
    escape."""
    return "[" + "".join(f"\n    {name if name is None else _literal(name)}," for name in names) + "\n]"


def _literal(name: Any) -> str:
    return ascii(name) if isinstance(name, str) else repr(float(name))


def _levels(plain: FlatModel) -> str:
    return f"[None] * {plain.features}" if plain.numbers_only else _names(plain.levels)


def _known(plain: FlatModel) -> str:
    """Return the columns that refuse a text unknown to the training, with their known texts."""
    known = {c: column.levels for c, column in enumerate(plain.columns) if plain.strict and column.levels is not None}
    return "{" + "".join(f"\n    {c}: {_names(levels)}," for c, levels in known.items()) + "}"


def _vectors(plain: FlatModel) -> str:
    if plain.sparse:
        return _pairs("VECTORS", sp.csr_array(plain.vectors))
    width = plain.features
    return (
        f"VECTORS = {numbers(plain.dense)}\n"
        f"VECTORS = [VECTORS[start : start + {width}] for start in range(0, len(VECTORS), {width})]\n"
    )


def _pairs(name: str, rows: sp.csr_array) -> str:
    """Return the code that lists, per row, the nonzero places and values."""
    return (
        f"{name} = list(zip({numbers(rows.indices, 'int')}, {numbers(rows.data)}))\n"
        f"_starts = {numbers(rows.indptr, 'int')}\n"
        f"{name} = [{name}[start:end] for start, end in zip(_starts, _starts[1:])]\n"
    )


def _predictor(path: Path, plain: FlatModel, probe: Probe) -> FilePrediction:
    if getattr(sys, "frozen", False):
        return FilePrediction(None, "this program carries no Python that could run the file", probe)
    terms = (plain.vectors.nnz if plain.sparse else plain.vectors.size) + sp.csr_array(plain.expansion).nnz
    tried = probe.in_full().some(max(20, MOST_WORK // max(1, int(terms))))
    rows = _rows(plain, tried)
    command = [sys.executable, "-I", "-c", DRIVER, str(path)]
    done = programs.run(command, json.dumps([rows, scored(plain, tried)]))
    if done.status:
        raise RefusedFileError("Python stops at it: {reason}", reason=done.errors.strip().splitlines()[-1])
    columns, names, *numbers = json.loads(done.output)
    if columns != [column.name for column in plain.columns]:
        raise RefusedFileError("it has other columns than the model")
    known = {name: number for number, name in enumerate(plain.class_names)}
    labels = np.array([known.get(name, -1) for name in names], dtype=np.int64)
    shares, scores = (
        None if one is None else np.array(one, dtype=np.float64).reshape(len(tried), -1) for one in numbers
    )
    return FilePrediction(labels, f"Python {sys.version.split()[0]}", tried, shares, scores=scores)


PREDICTORS = (_predictor,)


def _rows(plain: FlatModel, probe: Probe) -> list[list[Any]]:
    if plain.numbers_only:
        return probe.numbers().tolist()
    columns = [probe.column(number).tolist() for number in range(len(plain.columns))]
    return [list(row) for row in zip(*columns, strict=True)]
