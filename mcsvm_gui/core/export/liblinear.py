"""LIBLINEAR text, for its `predict`: the weight vectors of a linear machine, one per class.

The file is written as MCSVM_CS, whose prediction is the largest class function, ties to the first. For two classes
LIBLINEAR uses one function only and gives 0 to the second label, so that is written as the difference, in reverse
order.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base import programs
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.export.checked import FilePrediction, Files, Receipt, write_checked
from mcsvm_gui.core.export.flat_model import FlatModel, flat_model
from mcsvm_gui.core.export.libsvm_predictors import ask
from mcsvm_gui.core.export.libsvm_text import companions, feature_numbers, label_numbers, number
from mcsvm_gui.core.export.probe import Probe, prepared
from mcsvm_gui.core.machine.trained import TrainedModel

PROGRAM = "liblinear-predict"  # Debian's name; LIBLINEAR's own, `predict`, could be any program's

WITHOUT = Sentence("Its probabilities are not in the file: LIBLINEAR has none for support vector machines.")


COMPANIONS = ".range", ".names"


def refusal(trained: TrainedModel) -> Sentence | None:
    model = trained.model
    if model.kernel.name != "linear":
        return Sentence("LIBLINEAR knows the linear kernel only, not {kernel}; use libsvm.", kernel=model.kernel.name)
    if model.machine.vote != "argmax" and model.classes > 2:
        return Sentence(
            "LIBLINEAR takes the largest class function, and {machine} decides by pairs; use libsvm."
            if model.machine.vote == "votes"
            else "LIBLINEAR takes the largest class function, and {machine} decides by pairs;"
            " use onnx, json, c or python.",
            machine=model.machine.name,
        )
    return None


def layout(trained: TrainedModel) -> FlatModel:
    return flat_model(trained)


def export(trained: TrainedModel, path: Path | str, check: Dataset | None = None) -> Receipt:
    plain = layout(trained)
    return write_checked(trained, plain, path, check, written(plain), PREDICTORS, WITHOUT)


def _functions(plain: FlatModel) -> tuple[str, list[int], np.ndarray]:
    """Return the solver type, the order of the classes, and the (features + 1, functions) weights, the bias last."""
    weights = np.vstack([plain.dense.T @ plain.expansion, plain.bias])
    if plain.classes > 2:
        return "MCSVM_CS", list(range(plain.classes)), weights
    if plain.decides == "argmax":
        return "L2R_L1LOSS_SVC_DUAL", [1, 0], weights[:, [1]] - weights[:, [0]]
    return "L2R_L1LOSS_SVC_DUAL", [0, 1], weights


def written(plain: FlatModel) -> Files:
    kind, order, weights = _functions(plain)
    labels = label_numbers(plain)
    lines = [f"solver_type {kind}", f"nr_class {plain.classes}", f"label {' '.join(str(labels[c]) for c in order)}"]
    lines += [f"nr_feature {_places(plain)}", "bias 1", "w"]
    lines += [" ".join(map(number, row)) + " " for row in _spread(plain, weights).tolist()]
    text = "\n".join(lines) + "\n"
    return {"": text.encode("ascii"), **companions(plain, feature_numbers(plain))}


def _places(plain: FlatModel) -> int:
    """Return the number of features of the file: all columns if features are named by their column."""
    return len(plain.columns) if plain.numbers_only else plain.features


def _spread(plain: FlatModel, weights: np.ndarray) -> np.ndarray:
    """Return a row of weights for each feature number; features that the model does not use get zeros."""
    result = np.zeros((_places(plain) + 1, weights.shape[1]))
    result[feature_numbers(plain) - 1] = weights[:-1]
    result[-1] = weights[-1]
    return result


def _own_reader(path: Path, plain: FlatModel, probe: Probe) -> FilePrediction:
    """Read the file back and predict as linear.cpp does."""
    head, _, body = path.read_text("ascii").partition("\nw\n")
    header = {words[0]: words[1:] for words in map(str.split, head.splitlines())}
    weights = np.array([line.split() for line in body.splitlines()], dtype=np.float64)
    rows = prepared(plain, probe)
    values = rows @ weights[feature_numbers(plain) - 1] + float(header["bias"][0]) * weights[-1]
    winner = values.argmax(axis=1) if values.shape[1] > 1 else np.where(values[:, 0] > 0.0, 0, 1)
    order = {label: c for c, label in enumerate(label_numbers(plain))}
    labels = np.array([order[int(label)] for label in header["label"]])
    layout = None
    if plain.classes == 2 and plain.decides == "argmax":
        table, bias = plain.expansion, plain.bias
        layout = replace(plain, expansion=table[:, [1]] - table[:, [0]], bias=bias[[1]] - bias[[0]])
    return FilePrediction(labels[winner], Sentence("the file read back"), probe, scores=values, layout=layout)


def _predict(path: Path, plain: FlatModel, probe: Probe) -> FilePrediction:
    program = programs.found(PROGRAM)
    if program is None:
        return FilePrediction(None, Sentence("{program} is not installed here", program=PROGRAM), probe)
    return FilePrediction(ask(program, path, plain, probe, feature_numbers(plain)), PROGRAM, probe)


PREDICTORS = _own_reader, _predict
