"""PMML 4.4: a SupportVectorMachineModel with its preprocessing as derived fields.

In one-against-all the smallest value wins unless `maxWins` says otherwise, which older readers do not know, so every
function is negated. In one-against-one a value below the threshold of 0 is a vote for `targetCategory`, so the same
sign is right there, and a value of 0 votes for the second class, as in our machines. A row that the model refuses has
no result in PMML either (returnInvalid). With probabilities the file is a chain of models instead (probabilities.py):
PMML's support vector machines have none.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import scipy.sparse as sp

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.export.checked import FilePrediction, Files, Receipt, scored, write_checked
from mcsvm_gui.core.export.flat_model import FlatColumn, FlatModel, flat_model
from mcsvm_gui.core.export.pmml.probabilities import Unused, holds, last_model
from mcsvm_gui.core.export.pmml.reader import evaluate_scores
from mcsvm_gui.core.export.probe import Probe
from mcsvm_gui.core.machine.trained import TrainedModel

NAMESPACE = "http://www.dmg.org/PMML-4_4"
KERNELS = {
    "rbf": "RadialBasisKernelType",
    "linear": "LinearKernelType",
    "polynomial": "PolynomialKernelType",
    "sigmoid": "SigmoidKernelType",
}
NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # not allowed in XML 1.0, even escaped

REPRESENTATION = {"svmRepresentation": "SupportVectors"}
WITHOUT = Sentence(
    "Its probabilities are not in the file: to couple them from so many pairs would need too many expressions of PMML."
)


def refusal(trained: TrainedModel) -> Sentence | None:
    if trained.model.kernel.name == "precomputed":
        return Sentence("PMML has no precomputed kernel; use json or libsvm.")
    plain = flat_model(trained)
    if plain.decides == "graph" and not holds(plain):
        return Sentence(
            "PMML decides by the best class function or by votes, and this machine by a decision graph; "
            "use onnx, json, c or python, or train ovo, which has the same pair functions."
        )
    strange = next(filter(NO_XML.search, _texts(plain)), None)
    if strange is not None:
        return Sentence(
            "the name {name!r} holds a character that XML cannot express; use json, python or onnx.", name=strange
        )
    return None


def _seen(plain: FlatModel) -> list[tuple[int, FlatColumn]]:
    """Return the columns that have features."""
    return [(number, plain.columns[number]) for number in sorted(set(plain.sources.tolist()))]


def _texts(plain: FlatModel) -> list[str]:
    levels = [level for _, column in _seen(plain) for level in column.levels or ()]
    return [*plain.class_names, *(column.name for _, column in _seen(plain)), *levels]


def layout(trained: TrainedModel) -> FlatModel:
    return flat_model(trained)


def export(trained: TrainedModel, path: Path | str, check: Dataset | None = None) -> Receipt:
    plain = layout(trained)
    return write_checked(trained, plain, path, check, written(plain), PREDICTORS, None if holds(plain) else WITHOUT)


def written(plain: FlatModel) -> Files:
    root = ET.Element("PMML", {"version": "4.4", "xmlns": NAMESPACE})
    ET.SubElement(ET.SubElement(root, "Header"), "Application", {"name": "mcsvm"})
    unused = _unused({column.name for _, column in _seen(plain)})
    target = unused("label")
    _dictionary(root, plain, target)
    (_chain if holds(plain) else _alone)(root, plain, target, unused)
    ET.indent(root, " ")
    return {"": ET.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"}


def _alone(root: ET.Element, plain: FlatModel, target: str, unused: Unused) -> None:
    """Write a single support vector machine that predicts the class itself."""
    method = "OneAgainstAll" if plain.decides == "argmax" else "OneAgainstOne"
    more = {"classificationMethod": method, "maxWins": "false", "threshold": "0"}
    model = ET.SubElement(root, "SupportVectorMachineModel", {**_about(plain), **REPRESENTATION, **more})
    _schema(model, plain, target)
    fields = _derived(ET.SubElement(model, "LocalTransformations"), plain, unused)
    _kernel(model, plain)
    _vectors(model, plain, fields, np.arange(plain.vectors.shape[0]))
    _machines(model, plain)


def _chain(root: ET.Element, plain: FlatModel, target: str, unused: Unused) -> None:
    """Write a regression for each output, and a last model that predicts from them."""
    chain = ET.SubElement(root, "MiningModel", _about(plain))
    _schema(chain, plain, target)
    fields = _derived(ET.SubElement(chain, "LocalTransformations"), plain, unused)
    segments = ET.SubElement(chain, "Segmentation", {"multipleModelMethod": "modelChain"})
    outputs = [unused(f"output_{number + 1}") for number in range(plain.outputs)]
    for number, name in enumerate(outputs):
        model = ET.SubElement(_segment(segments), "SupportVectorMachineModel", {"functionName": "regression"})
        model.attrib |= REPRESENTATION
        schema = ET.SubElement(model, "MiningSchema")
        for field in fields:
            ET.SubElement(schema, "MiningField", {"name": field, "usageType": "active"})
        said = {**_field(name, "continuous", "double"), "feature": "predictedValue"}
        ET.SubElement(ET.SubElement(model, "Output"), "OutputField", said)
        _kernel(model, plain)
        weights = plain.column(number)
        used = np.flatnonzero(weights)
        _vectors(model, plain, fields, used)
        _sum(ET.SubElement(model, "SupportVectorMachine"), weights[used], float(plain.bias[number]))
    last_model(_segment(segments), plain, outputs, target, unused)


def _segment(segments: ET.Element) -> ET.Element:
    segment = ET.SubElement(segments, "Segment", {"id": str(len(segments) + 1)})
    ET.SubElement(segment, "True")
    return segment


def _about(plain: FlatModel) -> dict[str, str]:
    return {"modelName": f"mcsvm {plain.machine}", "functionName": "classification"}


def _kernel(model: ET.Element, plain: FlatModel) -> None:
    ET.SubElement(model, KERNELS[plain.kernel], {key: repr(value) for key, value in plain.parameters.items()})


def _unused(taken: set[str]) -> Unused:
    """Return a function that makes names unique among all fields."""

    def name(wanted: str) -> str:
        while wanted in taken:
            wanted += "_"
        taken.add(wanted)
        return wanted

    return name


def _dictionary(root: ET.Element, plain: FlatModel, target: str) -> None:
    count = str(len(_seen(plain)) + 1)
    fields = ET.SubElement(root, "DataDictionary", {"numberOfFields": count})
    for _, column in _seen(plain):
        kind = ("continuous", "double") if column.levels is None else ("categorical", "string")
        field = ET.SubElement(fields, "DataField", _field(column.name, *kind))
        for level in column.levels or ():
            ET.SubElement(field, "Value", {"value": level})
    label = ET.SubElement(fields, "DataField", _field(target, "categorical", "string"))
    for name in plain.class_names:
        ET.SubElement(label, "Value", {"value": name})


def _field(name: str, optype: str, kind: str) -> dict[str, str]:
    return {"name": name, "optype": optype, "dataType": kind}


def _schema(model: ET.Element, plain: FlatModel, target: str) -> None:
    """Write the mining schema; a row that the model refuses has no result: returnInvalid."""
    schema = ET.SubElement(model, "MiningSchema")
    for _, column in _seen(plain):
        refused = plain.strict and column.levels is not None
        use = {"name": column.name, "usageType": "active"}
        use["invalidValueTreatment"] = "returnInvalid" if refused else "asIs"
        if column.fill is None:
            use["missingValueTreatment"] = "returnInvalid"
        else:
            use["missingValueReplacement"] = column.fill if isinstance(column.fill, str) else repr(float(column.fill))
        ET.SubElement(schema, "MiningField", use)
    ET.SubElement(schema, "MiningField", {"name": target, "usageType": "target"})


def _derived(parent: ET.Element, plain: FlatModel, unused: Unused) -> list[str]:
    """Write one field per feature: (value - shift) * scale."""
    names = []
    for feature, (source, level) in enumerate(zip(plain.sources.tolist(), plain.levels, strict=True)):
        names.append(unused(f"feature_{feature + 1}"))
        field = ET.SubElement(parent, "DerivedField", _field(names[-1], "continuous", "double"))
        product = ET.SubElement(field, "Apply", {"function": "*"})
        difference = ET.SubElement(product, "Apply", {"function": "-"})
        _value(difference, plain.columns[source].name, level)
        _constant(difference, plain.shift[feature])
        _constant(product, plain.scale[feature])
    return names


def _value(parent: ET.Element, column: str, level: str | None) -> None:
    if level is None:
        ET.SubElement(parent, "FieldRef", {"field": column})
    else:
        ET.SubElement(parent, "NormDiscrete", {"field": column, "value": level})


def _constant(parent: ET.Element, value: float) -> None:
    ET.SubElement(parent, "Constant", {"dataType": "double"}).text = repr(float(value))


def _vectors(model: ET.Element, plain: FlatModel, fields: list[str], used: np.ndarray) -> None:
    """Write the used vectors, numbered from 1."""
    vectors = ET.SubElement(model, "VectorDictionary", {"numberOfVectors": str(used.size)})
    names = ET.SubElement(vectors, "VectorFields", {"numberOfFields": str(plain.features)})
    for field in fields:
        ET.SubElement(names, "FieldRef", {"field": field})
    stored = sp.csr_array(plain.vectors)[used]
    for number, (start, end) in enumerate(zip(stored.indptr[:-1].tolist(), stored.indptr[1:].tolist(), strict=True)):
        instance = ET.SubElement(vectors, "VectorInstance", {"id": str(number + 1)})
        array = ET.SubElement(instance, "REAL-SparseArray", {"n": str(plain.features)})
        if end > start:
            ET.SubElement(array, "Indices").text = " ".join(str(i + 1) for i in stored.indices[start:end].tolist())
            ET.SubElement(array, "REAL-Entries").text = " ".join(map(repr, stored.data[start:end].tolist()))


def _machines(model: ET.Element, plain: FlatModel) -> None:
    """Write one machine per class function, or per pair; negated."""
    names = plain.class_names
    for output in range(plain.outputs):
        if plain.decides == "argmax":
            targets = {"targetCategory": names[output]}
        else:
            a, b = plain.pairs[output]
            targets = {"targetCategory": names[a], "alternateTargetCategory": names[b]}
        machine = ET.SubElement(model, "SupportVectorMachine", targets)
        _sum(machine, -plain.column(output), -float(plain.bias[output]))


def _sum(machine: ET.Element, weights: np.ndarray, bias: float) -> None:
    used = np.flatnonzero(weights)
    references = ET.SubElement(machine, "SupportVectors", {"numberOfSupportVectors": str(used.size)})
    for vector in used.tolist():
        ET.SubElement(references, "SupportVector", {"vectorId": str(vector + 1)})
    count = {"numberOfCoefficients": str(used.size), "absoluteValue": repr(bias)}
    coefficients = ET.SubElement(machine, "Coefficients", count)
    for weight in weights[used].tolist():
        ET.SubElement(coefficients, "Coefficient", {"value": repr(weight)})


def _predictor(path: Path, plain: FlatModel, probe: Probe) -> FilePrediction:
    cells = {column.name: probe.column(number) for number, column in _seen(plain)}
    numbers = {name: number for number, name in enumerate(plain.class_names)}
    categories, shares, scores = evaluate_scores(path, cells, len(probe))
    labels = np.array([-1 if name is None else numbers[name] for name in categories], dtype=np.int64)
    layout = None if holds(plain) else replace(plain, expansion=-plain.expansion, bias=-plain.bias)
    scores = scores if scored(plain, probe) else None
    return FilePrediction(labels, Sentence("our own PMML evaluator"), probe, shares, scores=scores, layout=layout)


PREDICTORS = (_predictor,)
