"""The text of LIBSVM and LIBLINEAR: numbers for names, index:value, and the two files next to a model.

svm-scale -r reads FILE.range; FILE.names lists the meaning of the numbers of classes and features.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

import numpy as np
import scipy.sparse as sp

from mcsvm_gui.core.export.flat_model import FlatModel, Rows

MOST_SHOWN = 999_999  # svm-predict prints labels with six digits
UNUSUAL = {
    True: "missing cells that nothing fills and texts not named here, which the model refuses",
    False: "missing cells that nothing fills, which the model refuses; a text not named here is none of the levels",
}


def companions(plain: FlatModel, numbers: np.ndarray) -> dict[str, bytes]:
    """Return the contents of the two companion files, by ending."""
    parts = {".range": range_file(plain, numbers), ".names": names_file(plain, numbers)}
    return {ending: "".join(part).encode("ascii") for ending, part in parts.items()}


def label_numbers(plain: FlatModel) -> list[int]:
    """Return the class names as numbers if all are short whole numbers, otherwise 0, 1, ..."""
    names = plain.class_names
    if all(name.removeprefix("-").isdecimal() and name.isascii() and str(int(name)) == name for name in names):
        numbers = [int(name) for name in names]
        if max(map(abs, numbers)) <= MOST_SHOWN:
            return numbers
    return list(range(len(names)))


def feature_numbers(plain: FlatModel, first: int = 1) -> np.ndarray:
    """Return the feature numbers: the column's number if every column is numeric, so that raw files fit; else 1, 2,
    ..."""
    return plain.sources + first if plain.numbers_only else np.arange(plain.features) + 1


def number(value: float) -> str:
    return f"{value:.17g}"


def rows_as_terms(rows: Rows, numbers: np.ndarray) -> Iterable[list[str]]:
    stored = sp.csr_array(rows)
    called = numbers[stored.indices]
    for start, end in zip(stored.indptr[:-1].tolist(), stored.indptr[1:].tolist(), strict=True):
        terms = sorted(zip(called[start:end].tolist(), stored.data[start:end].tolist(), strict=True))
        yield [f"{place}:{number(value)}" for place, value in terms]


def range_file(plain: FlatModel, numbers: np.ndarray) -> Iterable[str]:
    """Yield the lines that svm-scale -r needs to scale raw numbers; it maps the two ends of a range to -1 and 1.

    Columns without a feature get an empty range: svm-scale leaves them out.
    """
    ranges = {}
    for name, shift, scale in zip(numbers.tolist(), plain.shift.tolist(), plain.scale.tolist(), strict=True):
        ranges[name] = (shift - 1.0 / scale, shift + 1.0 / scale) if scale != 0.0 else (0.0, 0.0)
    last = len(plain.columns) if plain.numbers_only else plain.features
    start = min(ranges, default=1) if plain.first == 0 else 1
    yield "x\n-1 1\n"
    for name in range(start, max(last, *ranges) + 1):
        low, high = ranges.get(name, (0.0, 0.0))
        yield f"{name} {number(low)} {number(high)}\n"


def names_file(plain: FlatModel, numbers: np.ndarray) -> Iterable[str]:
    """Yield the lines of the names; each name is a JSON text, so that it cannot break a line."""
    yield "# The numbers of the model file, and what they stand for. Names are JSON texts.\n"
    yield "# The model expects prepared features: value, or 1 where it is the level named and 0 where not,\n"
    yield "# less shift, times scale; svm-scale -r with the file .range beside this one does it.\n"
    yield f"# Whoever prepares the rows must see to {UNUSUAL[plain.strict]}: this format cannot refuse.\n"
    for label, name in zip(label_numbers(plain), plain.class_names, strict=True):
        yield f"label {label} = {json.dumps(name)}\n"
    for feature, (source, level) in enumerate(zip(plain.sources.tolist(), plain.levels, strict=True)):
        called = numbers[feature]
        column = plain.columns[source]
        which = "" if level is None else f" is {json.dumps(level)}"
        fill = "" if column.fill is None else f", missing: {json.dumps(column.fill)}"
        affine = f", shift {plain.shift[feature]!s}, scale {plain.scale[feature]!s}"
        yield f"feature {called} = {json.dumps(column.name)}{which}{affine}{fill}\n"
