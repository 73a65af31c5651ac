"""ONNX: generic operators in double precision, preparation inside, class names out; runs wherever ONNX runs.

Inputs: "features", one float64 tensor (rows, columns), where all features are numbers of a file; else one tensor
(rows, 1) per column, float64 or string, a date as its seconds since 1970. Outputs: "label" (rows,) strings, "scores"
(rows, outputs) float64: the class functions, or the pair functions of ovo and dag. With probabilities these come
second, as from sklearn-onnx without its ZipMap: "probabilities" (rows, classes) float64, as the features are; the order
of classes is in the metadata. The companion set ai.onnx.ml is used for categories and texts only (LabelEncoder); texts
need onnxruntime's own set com.microsoft too (Tokenizer). A model that decides by costs has the empty text for its label
where no class is probable enough; should that be a class, the metadata say the label instead, as "rejected".

A row that the model refuses (a missing cell that nothing fills, a number that is not finite, and where the model is
trained so a text that it does not know) makes the run fail: an index is taken that is out of bounds.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.export.checked import FilePrediction, Files, Receipt, scored, write_checked
from mcsvm_gui.core.export.flat_model import FlatModel, flat_model
from mcsvm_gui.core.export.onnx import words
from mcsvm_gui.core.export.onnx.features import input_names, one_input, prepared, refused
from mcsvm_gui.core.export.onnx.graph import Graph, library
from mcsvm_gui.core.export.onnx.machine import weighted, winner_of
from mcsvm_gui.core.export.onnx.probabilities import cheapest, probabilities
from mcsvm_gui.core.export.probe import Probe
from mcsvm_gui.core.machine.trained import TrainedModel

LARGEST = 1_900_000_000  # bytes; a protobuf message ends at 2 GB
BATCH = 1024


def refusal(trained: TrainedModel) -> Sentence | None:
    if trained.model.kernel.name == "precomputed":
        return Sentence("a precomputed kernel has no support vectors to write; use json or libsvm.")
    plain = flat_model(trained)
    if 8 * (plain.vectors.shape[0] * (plain.width + plain.outputs) + plain.outputs * plain.classes) > LARGEST:
        return Sentence("the model is larger than the 2 GB that an ONNX file can hold; use c, python or json.")
    told = (words.refusal(one) for one in (() if plain.steps is None else plain.steps.words))
    if reason := next(filter(None, told), None):
        return reason
    strange = next((text for text in plain.texts if not text.isprintable() and not _encodable(text)), None)
    return (
        None
        if strange is None
        else Sentence("the name {name!r} is no Unicode text; use json, c or python.", name=strange)
    )


def _encodable(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def layout(trained: TrainedModel) -> FlatModel:
    return flat_model(trained)


def export(trained: TrainedModel, path: Path | str, check: Dataset | None = None) -> Receipt:
    plain = layout(trained)
    return write_checked(trained, plain, path, check, written(plain), PREDICTORS)


def written(plain: FlatModel) -> Files:
    graph = Graph(library(), [column.name for column in plain.columns])
    features = prepared(graph, plain)
    scores = graph.add("Add", weighted(graph, plain, features), graph.constant(plain.bias[None, :]), name="scores")
    winner = winner_of(graph, plain, scores)
    if plain.calibration is not None:
        probabilities(graph, plain, plain.calibration, scores, winner)
    decided = winner if plain.rule is None else cheapest(graph, plain, plain.rule)
    _label(graph, plain, decided, refused(graph, features))
    return {"": graph.model(plain, __doc__).SerializeToString()}


def _label(graph: Graph, plain: FlatModel, decided: str, refused: str) -> None:
    names = plain.class_names if plain.rule is None else (*plain.class_names, plain.rejected)
    beyond = graph.add("Mul", refused, graph.integers(len(names)))
    place = graph.add("Add", graph.add("Squeeze", decided, graph.integers(1)), beyond)
    graph.add("Gather", graph.strings(names), place, name="label", axis=0)


def _predictor(path: Path, plain: FlatModel, probe: Probe) -> FilePrediction:
    try:
        import onnxruntime
    except ImportError:
        return FilePrediction(None, Sentence("onnxruntime is not installed (pip install 'mcsvm[export]')"), probe)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # level 4: errors are raised as exceptions anyway
    session = onnxruntime.InferenceSession(path.read_bytes(), options, providers=["CPUExecutionProvider"])
    numbers = {name: number for number, name in enumerate(plain.class_names)}
    labels: list[int] = []
    parts: list[list[np.ndarray]] = []
    outputs = [] if plain.calibration is None else ["probabilities"]
    outputs += ["scores"] if scored(plain, probe) else []
    for start in range(0, len(probe), BATCH):
        part = probe.take(np.arange(start, min(start + BATCH, len(probe))))
        said, *more = session.run(["label", *outputs], feed(plain, part))
        labels += [numbers.get(name, -1) for name in said.tolist()]
        parts.append(more)
    tables_by_output = {
        name: np.vstack(tables) for name, tables in zip(outputs, zip(*parts, strict=True), strict=False)
    }
    return FilePrediction(
        np.array(labels, dtype=np.int64),
        f"onnxruntime {onnxruntime.__version__}",
        probe,
        tables_by_output.get("probabilities"),
        scores=tables_by_output.get("scores"),
    )


PREDICTORS = (_predictor,)


def feed(plain: FlatModel, probe: Probe) -> dict[str, np.ndarray]:
    """Return the inputs for onnxruntime."""
    if one_input(plain):
        return {"features": probe.numbers()}
    return {name: probe.column(number)[:, None] for number, name in enumerate(input_names(plain))}
