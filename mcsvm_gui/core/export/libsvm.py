"""LIBSVM text, for stock svm-predict: class functions written as the pair functions f_i - f_j.

LIBSVM decides pair (i, j), i < j, by sum over block i of coef[j - 1] K + sum over block j of coef[i] K - rho > 0 and
counts votes. A vector p with weights A[p, c] on the class functions is in the block of every class c on which it has a
weight; its coefficient in row m is -A[p, c] if m < c and A[p, c] otherwise. Pair (i, j) then sums to
A[p, i] - A[p, j], and rho = -(b_i - b_j). The largest f wins all its pairs.
A pair that is exactly 0 goes to j, the later one. Argmax gives ties to the first class, so classes are written in
reverse; ovo gives them to the later class of a pair as LIBSVM does, so its classes stay in order.
Probabilities coupled from pairs are probA and probB: P(i | i or j) = 1 / (1 + exp(A f + B)), f the pair's function;
if classes are reversed, f is the negative, so P(j | ...) = 1 / (1 + exp(A (-f) - B)). svm-predict -b 1 then takes
the most probable class, which may differ from the class with most votes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from mcsvm.solvers.errors import Sentence
from mcsvm.solvers.model import Expansion, dense_expansion, pair_column
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.export.checked import Files, Receipt, write_checked
from mcsvm_gui.core.export.flat_model import FlatModel, flat_model
from mcsvm_gui.core.export.libsvm_predictors import own_reader, svm_predict
from mcsvm_gui.core.export.libsvm_text import companions, feature_numbers, label_numbers, number, rows_as_terms
from mcsvm_gui.core.machine.trained import TrainedModel

COMPANIONS = ".range", ".names"


def refusal(trained: TrainedModel) -> Sentence | None:
    model = trained.model
    if model.machine.vote == "graph" and model.classes > 2:
        return Sentence(
            "LIBSVM decides by votes, and this machine by a decision graph; "
            "use onnx, json, c or python, or train ovo, which has the same pair functions."
        )
    return None


PREDICTORS = own_reader, svm_predict


def layout(trained: TrainedModel) -> FlatModel:
    return flat_model(trained)


def export(trained: TrainedModel, path: Path | str, check: Dataset | None = None) -> Receipt:
    plain = layout(trained)
    return write_checked(trained, plain, path, check, written(plain), PREDICTORS, _without(plain))


def _without(plain: FlatModel) -> Sentence | None:
    if plain.calibration is None or plain.calibration.method == "pairwise":
        return None
    return Sentence(
        "Its probabilities are not in the file: LIBSVM couples them from pairs, which --calibrate pairwise fits."
    )


def written(plain: FlatModel) -> Files:
    numbers = feature_numbers(plain, plain.first)
    return {"": "".join(_lines(plain, numbers)).encode("ascii"), **companions(plain, numbers)}


@dataclass(frozen=True, eq=False)
class Blocks:
    """LIBSVM's layout: `order` of the classes, and per line a vector and its k - 1 coefficients."""

    order: list[int]
    sizes: list[int]
    vectors: np.ndarray
    coefficients: np.ndarray
    rho: np.ndarray


def blocks_of(plain: FlatModel) -> Blocks:
    k = plain.classes
    order = list(range(k)) if plain.decides == "votes" else list(range(k))[::-1]
    pairs = list(zip(*np.triu_indices(k, 1), strict=True))
    weights = _by_vector(plain.expansion) if plain.decides == "votes" else _shifted(plain.expansion)
    block = _pair_block if plain.decides == "votes" else _class_block
    parts = [block(plain, weights, order, position) for position in range(k)]
    rho = -plain.bias if plain.decides == "votes" else [plain.bias[order[j]] - plain.bias[order[i]] for i, j in pairs]
    return Blocks(
        order,
        [members.size for members, _ in parts],
        np.concatenate([members for members, _ in parts]),
        np.concatenate([coefficients for _, coefficients in parts]),
        np.array(rho),
    )


def _by_vector(expansion: Expansion) -> Expansion:
    """Return the coefficients in an order that gives fast access by vector."""
    return sp.csr_array(expansion) if sp.issparse(expansion) else expansion


def _shifted(expansion: np.ndarray) -> np.ndarray:
    """Subtract from each vector's weights the constant that leaves most zeros.

    A constant subtracted from a vector's weights on all classes changes no difference, and may save most blocks.
    """
    result = expansion.copy()
    for row in result:
        values, counts = np.unique(row, return_counts=True)
        row -= values[counts.argmax()] if counts.max() > (row == 0.0).sum() else 0.0
    return result


def _class_block(
    plain: FlatModel, expansion: np.ndarray, order: list[int], position: int
) -> tuple[np.ndarray, np.ndarray]:
    weights = expansion[:, order[position]]
    members = np.flatnonzero(weights)
    sign = np.where(np.arange(plain.classes - 1) < position, -1.0, 1.0)
    return members, weights[members, None] * sign


def _pair_block(
    plain: FlatModel, expansion: Expansion, order: list[int], position: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the members of a class and their coefficients; in ovo they have weights in the pairs of their class
    only."""
    members = np.flatnonzero(plain.owners == position)
    others = np.delete(np.arange(plain.classes), position)
    columns = pair_column(np.minimum(others, position), np.maximum(others, position), plain.classes)
    return members, dense_expansion(expansion[members][:, columns])


def _lines(plain: FlatModel, numbers: np.ndarray) -> Iterable[str]:
    blocks, labels = blocks_of(plain), label_numbers(plain)
    yield f"svm_type c_svc\nkernel_type {plain.kernel}\n"
    for name, value in plain.parameters.items():
        yield f"{name} {int(value)}\n" if name == "degree" else f"{name} {number(value)}\n"
    yield f"nr_class {plain.classes}\ntotal_sv {blocks.vectors.size}\n"
    yield f"rho {' '.join(map(number, blocks.rho.tolist()))}\n"
    yield f"label {' '.join(str(labels[c]) for c in blocks.order)}\n"
    yield from _sigmoids(plain, blocks.order)
    yield f"nr_sv {' '.join(map(str, blocks.sizes))}\nSV\n"
    features = _feature_texts(plain, numbers)
    for vector, coefficients in zip(blocks.vectors.tolist(), blocks.coefficients.tolist(), strict=True):
        yield f"{' '.join(map(number, coefficients))} {features[vector]}\n"


def _sigmoids(plain: FlatModel, order: list[int]) -> Iterable[str]:
    """Yield the header lines with the sigmoids of the pairs, in the order of the file."""
    if plain.calibration is None or plain.calibration.method != "pairwise":
        return
    assert plain.calibration.sigmoids is not None
    column = {pair: number for number, pair in enumerate(plain.pairs)}
    pairs = [(order[i], order[j]) for i, j in plain.pairs]
    found = [plain.calibration.sigmoids[column[min(pair), max(pair)]] * (1.0, _sign(pair)) for pair in pairs]
    for name, side in (("probA", 0), ("probB", 1)):
        yield f"{name} {' '.join(number(float(sigmoid[side])) for sigmoid in found)}\n"


def _sign(pair: tuple[int, int]) -> float:
    return 1.0 if pair[0] < pair[1] else -1.0


def _feature_texts(plain: FlatModel, numbers: np.ndarray) -> list[str]:
    """Return every vector as number:value; for a precomputed kernel its serial number, from 1 on."""
    if plain.kernel == "precomputed":
        return [f"0:{serial + 1}" for serial in plain.serials.tolist()]
    return [" ".join(terms) for terms in rows_as_terms(plain.vectors, numbers)]
