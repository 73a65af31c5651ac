"""LIBSVM text, for stock svm-predict: class functions written as the pair functions f_i - f_j.

LIBSVM decides pair (i, j), i < j, by sum over block i of coef[j - 1] K + sum over block j of coef[i] K - rho > 0 and
counts votes. A vector p with weights A[p, c] on the class functions stands in the block of every class c that it
weighs on, its coefficient in row m being -A[p, c] where m < c and A[p, c] elsewhere: pair (i, j) then sums to
A[p, i] - A[p, j], and rho = -(b_i - b_j). The largest f wins all its pairs.
A pair that is exactly 0 goes to j, the later one. Argmax gives ties to the first class, so classes are written in
reverse; ovo gives them to the later class of a pair as LIBSVM does, so its classes stay in order.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from mcsvm_gui.core.exporters.deliver import Files, Outcome, Receipt, deliver, refuse
from mcsvm_gui.core.exporters.plain import Plain, Rows, plain_of
from mcsvm_gui.core.exporters.probe import Probe, prepared
from solvers.errors import InputError
from solvers.kernels import KERNELS, Points
from solvers.kernels.precomputed import MatrixRows
from solvers.model import votes

NAME, SUFFIX = "libsvm", ".model"
MOST_SHOWN = 999_999  # svm-predict prints labels with six digits
RANGE, NAMES = ".range", ".names"


def holds(trained: Any) -> str | None:
    model = trained.model
    if model.machine.vote == "graph" and model.classes > 2:
        return (
            "LIBSVM decides by votes, and this machine by a decision graph; "
            "use onnx, json, c or python, or train ovo, which has the same pair functions."
        )
    return None


def export(trained: Any, path: Path | str, check: Any = None) -> Receipt:
    refuse(NAME, holds(trained))
    plain = plain_of(trained)
    return deliver(trained, plain, path, check, written(plain), [_own_reader, _svm_predict])


def label_numbers(plain: Plain) -> list[int]:
    """The class names where all are short whole numbers, else 0, 1, ..."""
    names = plain.class_names
    if all(name.removeprefix("-").isdecimal() and name.isascii() and str(int(name)) == name for name in names):
        numbers = [int(name) for name in names]
        if max(map(abs, numbers)) <= MOST_SHOWN:
            return numbers
    return list(range(len(names)))


def written(plain: Plain) -> Files:
    return {
        "": "".join(_lines(plain)).encode("ascii"),
        RANGE: "".join(range_file(plain)).encode("ascii"),
        NAMES: "".join(names_file(plain)).encode("ascii"),
    }


@dataclass(frozen=True, eq=False)
class Blocks:
    """LIBSVM's layout: `order` of the classes, and per line a vector and its k - 1 coefficients."""

    order: list[int]
    sizes: list[int]
    vectors: np.ndarray
    coefficients: np.ndarray
    rho: np.ndarray


def blocks_of(plain: Plain) -> Blocks:
    k = plain.classes
    order = list(range(k)) if plain.decides == "votes" else list(range(k))[::-1]
    pairs = list(zip(*np.triu_indices(k, 1), strict=True))
    block = _pair_block if plain.decides == "votes" else _class_block
    parts = [block(plain, order, position) for position in range(k)]
    rho = -plain.bias if plain.decides == "votes" else [plain.bias[order[j]] - plain.bias[order[i]] for i, j in pairs]
    return Blocks(
        order,
        [members.size for members, _ in parts],
        np.concatenate([members for members, _ in parts]),
        np.concatenate([coefficients for _, coefficients in parts]),
        np.array(rho),
    )


def _class_block(plain: Plain, order: list[int], position: int) -> tuple[np.ndarray, np.ndarray]:
    weights = plain.expansion[:, order[position]]
    members = np.flatnonzero(weights)
    sign = np.where(np.arange(plain.classes - 1) < position, -1.0, 1.0)
    return members, weights[members, None] * sign


def _pair_block(plain: Plain, order: list[int], position: int) -> tuple[np.ndarray, np.ndarray]:
    """A support vector of ovo weighs on the pairs of its own class only."""
    members = np.flatnonzero(plain.owners == position)
    columns = [column for column, pair in enumerate(plain.pairs) if position in pair]
    return members, plain.expansion[members][:, columns]


def number(value: float) -> str:
    return f"{value:.17g}"


def _lines(plain: Plain) -> Iterable[str]:
    blocks, labels = blocks_of(plain), label_numbers(plain)
    yield f"svm_type c_svc\nkernel_type {plain.kernel}\n"
    for name, value in plain.parameters.items():
        yield f"{name} {value:d}\n" if name == "degree" else f"{name} {number(value)}\n"
    yield f"nr_class {plain.classes}\ntotal_sv {blocks.vectors.size}\n"
    yield f"rho {' '.join(map(number, blocks.rho.tolist()))}\n"
    yield f"label {' '.join(str(labels[c]) for c in blocks.order)}\n"
    yield f"nr_sv {' '.join(map(str, blocks.sizes))}\nSV\n"
    features = feature_texts(plain)
    for vector, coefficients in zip(blocks.vectors.tolist(), blocks.coefficients.tolist(), strict=True):
        yield f"{' '.join(map(number, coefficients))} {features[vector]}\n"


def feature_texts(plain: Plain) -> list[str]:
    """Every vector as index:value, from 1 on; of a precomputed kernel its serial, from 1 on."""
    if plain.kernel == "precomputed":
        return [f"0:{serial + 1}" for serial in plain.serials.tolist()]
    return [" ".join(terms) for terms in rows_as_terms(plain.vectors)]


def rows_as_terms(rows: Rows) -> Iterable[list[str]]:
    stored = sp.csr_array(rows)
    for start, end in zip(stored.indptr[:-1].tolist(), stored.indptr[1:].tolist(), strict=True):
        places, values = stored.indices[start:end].tolist(), stored.data[start:end].tolist()
        yield [f"{place + 1}:{number(value)}" for place, value in sorted(zip(places, values, strict=True))]


def range_file(plain: Plain) -> Iterable[str]:
    """What svm-scale -r needs to prepare raw numbers; it maps the two ends of a range to -1 and 1."""
    yield "x\n-1 1\n"
    for feature, (shift, scale) in enumerate(zip(plain.shift.tolist(), plain.scale.tolist(), strict=True)):
        if scale != 0.0:
            yield f"{feature + 1} {number(shift - 1.0 / scale)} {number(shift + 1.0 / scale)}\n"


def names_file(plain: Plain) -> Iterable[str]:
    """Names as JSON texts, so that a line is a line."""
    yield "# The numbers of the model file, and what they stand for. Names are JSON texts.\n"
    yield "# The model expects prepared features: value, or 1 where it is the level named and 0 where not,\n"
    yield "# less shift, times scale; svm-scale -r with the file .range beside this one does it.\n"
    for label, name in zip(label_numbers(plain), plain.class_names, strict=True):
        yield f"label {label} = {json.dumps(name)}\n"
    for feature, (source, level) in enumerate(zip(plain.sources.tolist(), plain.levels, strict=True)):
        column = plain.columns[source]
        which = "" if level is None else f" is {json.dumps(level)}"
        fill = "" if column.fill is None else f", missing: {json.dumps(column.fill)}"
        affine = f", shift {plain.shift[feature]!s}, scale {plain.scale[feature]!s}"
        yield f"feature {feature + 1} = {json.dumps(column.name)}{which}{affine}{fill}\n"


def _own_reader(path: Path, plain: Plain, probe: Probe) -> Outcome:
    """The file read back and decided as svm.cpp does."""
    header, lines = _split(path.read_text("ascii"))
    k = int(header["nr_class"][0])
    coefficients = np.array([line.split()[: k - 1] for line in lines], dtype=np.float64).reshape(-1, k - 1)
    rows = prepared(plain, probe)
    points = _points([line.split()[k - 1 :] for line in lines], rows.shape[1], header["kernel_type"][0])
    starts = np.concatenate([[0], np.cumsum(np.array(header["nr_sv"], dtype=np.int64))])
    kernel = KERNELS[header["kernel_type"][0]](**_parameters(header))
    values = np.empty((len(probe), len(header["rho"])))
    height = max(1, 4_000_000 // max(1, len(points)))
    for start in range(0, len(probe), height):
        part = rows[start : start + height]
        block = kernel.block(Points(part), points, np.empty((part.shape[0], len(points))))
        values[start : start + height] = _pair_values(block, coefficients, starts, header)
    order = {label: c for c, label in enumerate(label_numbers(plain))}
    labels = np.array([order[int(label)] for label in header["label"]])
    return Outcome(labels[votes(values, k).argmax(axis=1)], "the file read back", probe)


def _split(text: str) -> tuple[dict[str, list[str]], list[str]]:
    head, _, body = text.partition("\nSV\n")
    header = {words[0]: words[1:] for words in map(str.split, head.splitlines())}
    return header, body.splitlines()


def _parameters(header: dict[str, list[str]]) -> dict[str, float]:
    kinds = {"gamma": float, "coef0": float, "degree": int}
    return {name: kind(header[name][0]) for name, kind in kinds.items() if name in header}


def _points(terms: list[list[str]], features: int, kernel: str) -> Points:
    if kernel == "precomputed":
        serials = np.array([int(line[0].partition(":")[2]) - 1 for line in terms], dtype=np.int64)
        return MatrixRows(np.empty((serials.size, 0)), serials)
    starts = np.concatenate([[0], np.cumsum([len(line) for line in terms], dtype=np.int64)])
    pairs = [term.partition(":") for line in terms for term in line]
    places = np.array([int(place) - 1 for place, _, _ in pairs], dtype=np.int64)
    values = np.array([float(value) for _, _, value in pairs], dtype=np.float64)
    return Points(sp.csr_array((values, places, starts), shape=(len(terms), features)))


def _pair_values(block: np.ndarray, coefficients: np.ndarray, starts: np.ndarray, header: Any) -> np.ndarray:
    k = starts.size - 1
    columns = []
    for i in range(k):
        for j in range(i + 1, k):
            first, second = slice(starts[i], starts[i + 1]), slice(starts[j], starts[j + 1])
            columns.append(block[:, first] @ coefficients[first, j - 1] + block[:, second] @ coefficients[second, i])
    return np.column_stack(columns) - np.array(header["rho"], dtype=np.float64)


def _svm_predict(path: Path, plain: Plain, probe: Probe) -> Outcome:
    program = shutil.which("svm-predict")
    if program is None:
        return Outcome(None, "svm-predict (LIBSVM) is not installed here", probe)
    return Outcome(ask(program, path, plain, probe), "svm-predict", probe)


def ask(program: str, path: Path, plain: Plain, probe: Probe) -> np.ndarray:
    """Labels from svm-predict, or LIBLINEAR's predict, as class numbers."""
    data, answers = path.with_name("rows"), path.with_name("answers")
    data.write_text("".join(f"0 {row}\n" for row in _data_rows(plain, prepared(plain, probe))), "ascii")
    done = subprocess.run([program, str(data), str(path), str(answers)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise InputError(f"The export was not written: {program} stops at it: {(done.stderr or done.stdout).strip()}")
    numbers = {label: c for c, label in enumerate(label_numbers(plain))}
    return np.array([numbers[int(answer)] for answer in answers.read_text("ascii").split()], dtype=np.int64)


def _data_rows(plain: Plain, rows: Rows) -> Iterable[str]:
    if plain.kernel != "precomputed":
        yield from (" ".join(terms) for terms in rows_as_terms(rows))
        return
    for serial, row in enumerate(rows.tolist()):
        yield f"0:{serial + 1} " + " ".join(f"{i + 1}:{number(value)}" for i, value in enumerate(row))
