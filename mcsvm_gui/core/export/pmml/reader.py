"""A small evaluator of PMML, from the standard's text: support vector machines, chains of models, softmax regressions.

It uses nothing of our models.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np

from mcsvm.solvers.kernels import Points
from mcsvm.solvers.kernels.linear import Linear
from mcsvm.solvers.kernels.polynomial import Polynomial
from mcsvm.solvers.kernels.rbf import Rbf
from mcsvm.solvers.kernels.sigmoid import Sigmoid

P = "{http://www.dmg.org/PMML-4_4}"
Cells = dict[str, np.ndarray]
BLOCK = 4_000_000  # kernel values computed at once
FUNCTIONS: dict[str, Callable[..., np.ndarray]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "exp": np.exp,
    "abs": np.abs,
    "if": np.where,
    "equal": np.equal,
    "greaterThan": np.greater,
    "sum": lambda *terms: np.sum(terms, axis=0),
    "max": lambda *terms: np.max(terms, axis=0),
    "min": lambda *terms: np.min(terms, axis=0),
}


def evaluate(path: Path, cells: Cells, rows: int) -> tuple[list[str | None], np.ndarray | None]:
    """Return the predicted category of every row (None if it has no result), and the numeric outputs as columns.

    `cells` are float64 with NaN, or text with "" if missing.
    """
    return evaluate_scores(path, cells, rows)[:2]


def evaluate_scores(
    path: Path, cells: Cells, rows: int
) -> tuple[list[str | None], np.ndarray | None, np.ndarray | None]:
    """Return the results of `evaluate`, and the values of all support vector machines as columns."""
    root = ET.parse(path).getroot()
    model = root[-1]
    refused = _invalid(root, model, cells, rows)
    with np.errstate(all="ignore"):  # rows without a result
        result = _result(model, _filled(model, cells), rows)
    categories = [None if no else name for name, no in zip(result.categories, refused.tolist(), strict=True)]
    numbers = [values for values in result.outputs.values() if values.dtype == np.float64]
    return categories, np.column_stack(numbers) if numbers else None, result.machines


@dataclass(frozen=True, eq=False)
class _Result:
    values: np.ndarray  # result of a regression
    categories: list[str]  # result of a classification
    outputs: Cells
    machines: np.ndarray | None = None  # (rows, functions) of support vector machines


def _result(model: ET.Element, fields: Cells, rows: int) -> _Result:
    fields = dict(fields)
    for derived in model.iterfind(f"{P}LocalTransformations/{P}DerivedField"):
        fields[derived.attrib["name"]] = _value(derived[0], fields, rows)
    if model.tag == f"{P}MiningModel":
        return _chained(model, fields, rows)
    shares: Cells = {}
    values: np.ndarray = np.empty(0)
    categories: list[str] = []
    found = None
    if model.tag == f"{P}RegressionModel":
        shares = _softmax(model, fields, rows)
        names, table = list(shares), np.column_stack(list(shares.values()))
        categories = [names[winner] for winner in table.argmax(axis=1)]
    else:
        names = [field.attrib["field"] for field in model.iterfind(f"{P}VectorDictionary/{P}VectorFields/{P}FieldRef")]
        found = _outputs(model, np.column_stack([fields[name] for name in names]))
        if model.attrib["functionName"] == "regression":
            values = found[:, 0]
        else:
            categories = _categories(model, found)
    outputs = {
        output.attrib["name"]: _output(output, values if values.size else np.array(categories), shares, fields, rows)
        for output in model.iterfind(f"{P}Output/{P}OutputField")
    }
    return _Result(values, categories, outputs, found)


def _chained(model: ET.Element, fields: Cells, rows: int) -> _Result:
    """Return the result of the last model; its inputs are the outputs of the earlier ones."""
    segmentation = model.find(f"{P}Segmentation")
    assert segmentation is not None
    assert segmentation.attrib["multipleModelMethod"] == "modelChain"
    machines = []
    for segment in segmentation.iterfind(f"{P}Segment"):
        result = _result(segment[1], fields, rows)  # the segment's first child is its predicate, which is true
        fields |= result.outputs
        machines += [] if result.machines is None else [result.machines]
    return replace(result, machines=np.hstack(machines))


def _softmax(model: ET.Element, fields: Cells, rows: int) -> Cells:
    assert model.attrib["normalizationMethod"] == "softmax"
    terms = {}
    for table in model.iterfind(f"{P}RegressionTable"):
        sums = np.full(rows, float(table.attrib["intercept"]))
        for predictor in table.iterfind(f"{P}NumericPredictor"):
            sums += float(predictor.attrib["coefficient"]) * fields[predictor.attrib["name"]]
        terms[table.attrib["targetCategory"]] = np.exp(sums)
    total = sum(terms.values())
    return {name: term / total for name, term in terms.items()}


def _output(output: ET.Element, values: np.ndarray, shares: Cells, fields: Cells, rows: int) -> np.ndarray:
    feature = output.attrib["feature"]
    if feature == "probability":
        return shares[output.attrib["value"]]
    return values if feature == "predictedValue" else _value(output[0], fields, rows)


def _missing(values: np.ndarray) -> np.ndarray:
    return values == "" if values.dtype == object else np.isnan(values)


def _invalid(root: ET.Element, model: ET.Element, cells: Cells, rows: int) -> np.ndarray:
    """Return which rows have no result, because a field is missing or is not among its listed values."""
    result = np.zeros(rows, dtype=bool)
    listed = {
        field.attrib["name"]: {value.attrib["value"] for value in field.iterfind(f"{P}Value")}
        for field in root.iterfind(f"{P}DataDictionary/{P}DataField")
    }
    for field in model.iterfind(f"{P}MiningSchema/{P}MiningField"):
        values = cells.get(field.attrib["name"], np.empty(0))
        if values.size and field.get("missingValueTreatment") == "returnInvalid":
            result |= _missing(values)
        if values.size and field.get("invalidValueTreatment", "returnInvalid") == "returnInvalid":
            known = listed[field.attrib["name"]]
            result |= ~_missing(values) & np.array([value not in known for value in values.tolist()])
    return result


def _filled(model: ET.Element, cells: Cells) -> Cells:
    result = dict(cells)
    for field in model.iterfind(f"{P}MiningSchema/{P}MiningField"):
        name, fill = field.attrib["name"], field.get("missingValueReplacement")
        if fill is not None and name in result:
            values = result[name]
            result[name] = np.where(_missing(values), fill if values.dtype == object else float(fill), values)
    return result


def _value(expression: ET.Element, fields: Cells, rows: int) -> np.ndarray:
    kind = expression.tag.removeprefix(P)
    if kind == "FieldRef":
        return fields[expression.attrib["field"]]
    if kind == "NormDiscrete":
        return (fields[expression.attrib["field"]] == expression.attrib["value"]).astype(np.float64)
    if kind == "Constant":
        return np.full(rows, float(expression.text or "nan"))
    return np.asarray(FUNCTIONS[expression.attrib["function"]](*(_value(part, fields, rows) for part in expression)))


def _vectors(model: ET.Element, width: int) -> tuple[np.ndarray, dict[str, int]]:
    instances = model.findall(f"{P}VectorDictionary/{P}VectorInstance")
    rows = np.zeros((len(instances), width))
    for number, instance in enumerate(instances):
        indices = (instance.findtext(f"{P}REAL-SparseArray/{P}Indices") or "").split()
        entries = (instance.findtext(f"{P}REAL-SparseArray/{P}REAL-Entries") or "").split()
        rows[number, np.array(indices, dtype=np.int64) - 1] = np.array(entries, dtype=np.float64)
    return rows, {instance.attrib["id"]: number for number, instance in enumerate(instances)}


def _kernel(model: ET.Element) -> Rbf | Linear | Polynomial | Sigmoid:
    """Read the kernel; gamma, coef0 and degree default to 1 as in the standard."""
    element = next(part for part in model if part.tag.endswith("KernelType"))
    gamma, coef0 = float(element.get("gamma", "1")), float(element.get("coef0", "1"))
    if element.tag == f"{P}LinearKernelType":
        return Linear()
    if element.tag == f"{P}RadialBasisKernelType":
        return Rbf(gamma)
    if element.tag == f"{P}SigmoidKernelType":
        return Sigmoid(gamma, coef0)
    return Polynomial(gamma, int(element.get("degree", "1")), coef0)


def _outputs(model: ET.Element, inputs: np.ndarray) -> np.ndarray:
    """Return the (rows, machines) values."""
    vectors, places = _vectors(model, inputs.shape[1])
    machines = model.findall(f"{P}SupportVectorMachine")
    weights, start = np.zeros((len(vectors), len(machines))), np.zeros(len(machines))
    for number, machine in enumerate(machines):
        used = [places[vector.attrib["vectorId"]] for vector in machine.iterfind(f"{P}SupportVectors/{P}SupportVector")]
        terms = [float(term.attrib["value"]) for term in machine.iterfind(f"{P}Coefficients/{P}Coefficient")]
        weights[used, number] = terms
        coefficients = machine.find(f"{P}Coefficients")
        assert coefficients is not None
        start[number] = float(coefficients.get("absoluteValue", "0"))
    return _products(model, inputs, vectors, weights) + start


def _products(model: ET.Element, inputs: np.ndarray, vectors: np.ndarray, weights: np.ndarray) -> np.ndarray:
    kernel, right = _kernel(model), Points(vectors)
    result = np.empty((len(inputs), weights.shape[1]))
    height = max(1, BLOCK // max(1, len(vectors)))
    for start in range(0, len(inputs), height):
        part = inputs[start : start + height]
        block = kernel.block(Points(part), right, np.empty((len(part), len(vectors))))
        result[start : start + height] = block @ weights
    return result


def _categories(model: ET.Element, values: np.ndarray) -> list[str]:
    machines = model.findall(f"{P}SupportVectorMachine")
    targets = [machine.attrib["targetCategory"] for machine in machines]
    largest = model.get("maxWins", "false") == "true"
    if model.get("classificationMethod", "OneAgainstAll") == "OneAgainstAll":
        winners = (values if largest else -values).argmax(axis=1)
        return [targets[winner] for winner in winners]
    threshold = float(model.get("threshold", "0"))
    first = values > threshold if largest else values < threshold
    others = [machine.attrib["alternateTargetCategory"] for machine in machines]
    return _voted(first, targets, others)


def _voted(first: np.ndarray, targets: list[str], others: list[str]) -> list[str]:
    """Return the category with most votes; ties go to the category that is named first."""
    names = list(dict.fromkeys([*targets, *others]))
    counts = np.zeros((len(first), len(names)), dtype=np.int64)
    for column, (target, other) in enumerate(zip(targets, others, strict=True)):
        counts[:, names.index(target)] += first[:, column]
        counts[:, names.index(other)] += ~first[:, column]
    return [names[winner] for winner in counts.argmax(axis=1)]
