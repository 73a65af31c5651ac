"""Predictors for a LIBSVM file: our own reader, and svm-predict if it is installed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy.special import expit

from mcsvm.solvers.errors import Sentence
from mcsvm.solvers.kernels import KERNELS, Kernel, Points
from mcsvm.solvers.kernels.precomputed import MatrixRows
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.model import dense_expansion, votes
from mcsvm.solvers.uncertainty.probability import ROWS, coupled, coupling
from mcsvm_gui.core.base import programs
from mcsvm_gui.core.export.checked import FilePrediction, RefusedFileError, scored
from mcsvm_gui.core.export.flat_model import FlatModel, Rows
from mcsvm_gui.core.export.libsvm_text import feature_numbers, label_numbers, number, rows_as_terms
from mcsvm_gui.core.export.probe import Probe, prepared

BLOCK = 4_000_000  # kernel values computed at once
PRINTED = 1e-5  # svm-predict writes six digits
INEXACT = 0.005  # divided by the number of classes: accuracy at which svm.cpp stops coupling
MOST_WORK = 1_000_000_000  # largest number of kernel terms for a call of svm-predict: some seconds


@dataclass(frozen=True, eq=False)
class File:
    """A model file, interpreted from its content alone; a vector that occurs in several blocks is stored once."""

    kernel: Kernel
    labels: list[int]
    rho: np.ndarray
    points: Points
    weights: np.ndarray  # (vectors, pairs)
    sigmoids: np.ndarray | None = None  # (pairs, 2): probA and probB

    def values(self, rows: Rows) -> np.ndarray:
        """Return the (rows, pairs) values."""
        values = np.empty((rows.shape[0], self.rho.size))
        height = max(1, BLOCK // max(1, len(self.points)))
        for start in range(0, len(values), height):
            part = rows[start : start + height]
            block = self.kernel.block(Points(part), self.points, np.empty((part.shape[0], len(self.points))))
            values[start : start + height] = block @ self.weights - self.rho
        return values

    def classes(self, values: np.ndarray) -> np.ndarray:
        """Return positions in `labels`, by votes as in svm.cpp."""
        return votes(values, len(self.labels)).argmax(axis=1)

    def probabilities(self, values: np.ndarray) -> np.ndarray | None:
        """Return probabilities by position in `labels`, coupled as in svm.cpp, but without its early stopping."""
        if self.sigmoids is None:
            return None
        shares = expit(-(self.sigmoids[:, 0] * values + self.sigmoids[:, 1]))
        return coupled(shares, len(self.labels))


def read(path: Path, numbers: np.ndarray) -> File:
    """Read a model file; `numbers` are the file's feature numbers."""
    head, _, body = path.read_text("ascii").partition("\nSV\n")
    header = {words[0]: words[1:] for words in map(str.split, head.splitlines())}
    k, name = int(header["nr_class"][0]), header["kernel_type"][0]
    lines = [line.split() for line in body.splitlines()]
    coefficients = np.array([line[: k - 1] for line in lines], dtype=np.float64).reshape(-1, k - 1)
    unique: dict[tuple[str, ...], int] = {}
    places = np.array([unique.setdefault(tuple(line[k - 1 :]), len(unique)) for line in lines], dtype=np.int64)
    kinds = {"gamma": float, "coef0": float, "degree": int}
    return File(
        KERNELS[name](**{key: kind(header[key][0]) for key, kind in kinds.items() if key in header}),
        [int(label) for label in header["label"]],
        np.array(header["rho"], dtype=np.float64),
        _serials(list(unique)) if name == "precomputed" else _points(list(unique), numbers),
        _weights(coefficients, places, [int(size) for size in header["nr_sv"]], len(unique)),
        np.array([header["probA"], header["probB"]], dtype=np.float64).T if "probA" in header else None,
    )


def _weights(coefficients: np.ndarray, places: np.ndarray, sizes: list[int], vectors: int) -> np.ndarray:
    """Return the (vectors, pairs) weights: block i with its coefficient j - 1, block j with its coefficient i."""
    ends = np.cumsum(sizes)
    blocks = [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]
    pairs = list(combinations(range(len(sizes)), 2))
    result = np.zeros((vectors, len(pairs)))
    for column, (i, j) in enumerate(pairs):
        np.add.at(result[:, column], places[blocks[i]], coefficients[blocks[i], j - 1])
        np.add.at(result[:, column], places[blocks[j]], coefficients[blocks[j], i])
    return result


def _serials(terms: list[tuple[str, ...]]) -> MatrixRows:
    serials = np.array([int(line[0].partition(":")[2]) - 1 for line in terms], dtype=np.int64)
    return MatrixRows(np.empty((serials.size, 0)), serials)


def _points(terms: list[tuple[str, ...]], numbers: np.ndarray) -> Points:
    place_of = {str(name): place for place, name in enumerate(numbers.tolist())}
    pairs = [term.partition(":") for line in terms for term in line]
    starts = np.concatenate([[0], np.cumsum([len(line) for line in terms], dtype=np.int64)])
    places = np.array([place_of[name] for name, _, _ in pairs], dtype=np.int64)
    values = np.array([float(value) for _, _, value in pairs], dtype=np.float64)
    return Points(sp.csr_array((values, places, starts), shape=(len(terms), numbers.size)))


def own_reader(path: Path, plain: FlatModel, probe: Probe) -> FilePrediction:
    file = read(path, feature_numbers(plain, plain.first))
    class_of = {label: number for number, label in enumerate(label_numbers(plain))}
    order = np.array([class_of[label] for label in file.labels])
    rows = prepared(plain, probe)
    values = file.values(rows)
    shares = file.probabilities(values)
    back = None if shares is None else shares[:, np.argsort(order)]
    labels = order[file.classes(values)]
    if not scored(plain, probe):
        return FilePrediction(labels, Sentence("the file read back"), probe, back)
    layout = _differences(plain, order) if plain.decides == "argmax" else None
    return FilePrediction(labels, Sentence("the file read back"), probe, back, scores=values, layout=layout)


def _differences(plain: FlatModel, order: np.ndarray) -> FlatModel:
    """Convert the class functions to the pair functions that the file contains."""
    a, b = (order[list(side)] for side in zip(*combinations(range(order.size), 2), strict=True))
    table = dense_expansion(plain.expansion)
    return replace(plain, expansion=table[:, a] - table[:, b], bias=plain.bias[a] - plain.bias[b])


def svm_predict(path: Path, plain: FlatModel, probe: Probe) -> FilePrediction:
    program = programs.found("svm-predict")
    if program is None:
        return FilePrediction(None, "svm-predict (LIBSVM) is not installed here", probe)
    with path.open("rb") as file:
        terms = max(1, sum(line.count(b":") for line in file))
    tried = probe.some(max(20, MOST_WORK // terms))
    numbers = feature_numbers(plain, plain.first)
    labels = ask(program, path, plain, tried, numbers)
    if plain.calibration is not None and plain.calibration.method == "pairwise":
        shares = _asked_shares(program, path, plain, tried, numbers)
        return FilePrediction(labels, "svm-predict", tried, shares, _inexact(plain, tried))
    return FilePrediction(labels, "svm-predict", tried)


def _inexact(plain: FlatModel, probe: Probe) -> np.ndarray:
    """Return (rows,) bounds on the error of p where svm.cpp stops: Q p is within INEXACT / k of a multiple of 1.

    With d = p - p*, whose sum is 0, d' Q d = d' r with abs(r) <= INEXACT / k; and d' Q d = d' (Q + 1) d.
    """
    assert plain.calibration is not None
    assert plain.calibration.sigmoids is not None
    k, result = plain.classes, np.empty(len(probe))
    shares = plain.calibration.pair_shares(MACHINES[plain.machine], plain.evaluate(prepared(plain, probe)), k)
    for start in range(0, len(probe), ROWS):
        curvature = np.linalg.eigvalsh(coupling(shares[start : start + ROWS], k) + 1.0)[:, 0]
        result[start : start + ROWS] = INEXACT / (np.sqrt(k) * curvature)
    return result + PRINTED


def _asked_shares(program: str, path: Path, plain: FlatModel, probe: Probe, numbers: np.ndarray) -> np.ndarray:
    """Return probabilities from svm-predict -b 1, whose first line names the classes; its label is the most
    probable."""
    head, *lines = _answers(program, path, plain, probe, numbers, "-b", "1")
    class_of = {label: number for number, label in enumerate(label_numbers(plain))}
    order = np.array([class_of[int(label)] for label in head.split()[1:]])
    return np.array([line.split()[1:] for line in lines], dtype=np.float64)[:, np.argsort(order)]


def ask(program: str, path: Path, plain: FlatModel, probe: Probe, numbers: np.ndarray) -> np.ndarray:
    """Return labels from svm-predict or liblinear-predict, as class numbers."""
    class_of = {label: number for number, label in enumerate(label_numbers(plain))}
    return np.array(
        [class_of[int(answer)] for answer in _answers(program, path, plain, probe, numbers)], dtype=np.int64
    )


def _answers(program: str, path: Path, plain: FlatModel, probe: Probe, numbers: np.ndarray, *options: str) -> list[str]:
    data, answers = path.with_name("rows"), path.with_name("answers")
    rows = _data_rows(plain, prepared(plain, probe), numbers)
    data.write_text("".join(f"0 {row}\n" for row in rows), "ascii")
    done = programs.run([program, *options, str(data), str(path), str(answers)])
    if done.status:
        raise RefusedFileError(
            "{program} stops at it: {reason}",
            program=program,
            reason=(done.errors or done.output).strip(),
        )
    return answers.read_text("ascii").splitlines()


def _data_rows(plain: FlatModel, rows: Rows, numbers: np.ndarray) -> Iterable[str]:
    if plain.kernel != "precomputed":
        yield from (" ".join(terms) for terms in rows_as_terms(rows, numbers))
        return
    for serial, row in enumerate(rows.tolist()):
        yield f"0:{serial + 1} " + " ".join(f"{i + 1}:{number(value)}" for i, value in enumerate(row))
