"""Inputs of an ONNX graph, and the features that the kernel receives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mcsvm_gui.core.data.preparation import Feature
from mcsvm_gui.core.export.date_formulas import SECONDS, Formula, formula
from mcsvm_gui.core.export.flat_model import FlatColumn, FlatModel
from mcsvm_gui.core.export.onnx.graph import Graph
from mcsvm_gui.core.export.onnx.words import word_weights

_OPERATORS = {"+": "Add", "-": "Sub", "*": "Mul", "/": "Div", "floor": "Floor", "sin": "Sin"}


def prepared(graph: Graph, plain: FlatModel) -> str:
    """Add all features that the kernel receives."""
    texts = () if plain.steps is None else plain.steps.words
    blocks = [_scaled(graph, plain)] if plain.features else []
    names = dict(zip((column.name for column in plain.columns), input_names(plain), strict=True))
    blocks += [
        word_weights(graph, one, graph.take(names[one.source], graph.onnx.TensorProto.STRING, 1)) for one in texts
    ]
    return blocks[0] if len(blocks) == 1 else graph.add("Concat", *blocks, axis=1)


def one_input(plain: FlatModel) -> bool:
    """Return whether a row is one tensor of numbers."""
    return plain.numbers_only and plain.steps is None


def _scaled(graph: Graph, plain: FlatModel) -> str:
    """Add (value - shift) * scale for every feature."""
    values = _numbers(graph, plain) if one_input(plain) else _mixed(graph, plain)
    if np.array_equal(plain.shift, np.zeros(plain.features)) and np.array_equal(plain.scale, np.ones(plain.features)):
        return values
    centred = graph.add("Sub", values, graph.constant(plain.shift[None, :]))
    return graph.add("Mul", centred, graph.constant(plain.scale[None, :]))


def _numbers(graph: Graph, plain: FlatModel) -> str:
    values = graph.take("features", graph.onnx.TensorProto.DOUBLE, len(plain.columns))
    if any(column.fill is not None for column in plain.columns):
        fills = [np.nan if column.fill is None else column.fill for column in plain.columns]
        values = _filled(graph, values, np.array([fills], dtype=np.float64))
    if np.array_equal(plain.sources, np.arange(len(plain.columns))):
        return values
    return graph.add("Gather", values, graph.constant(plain.sources), axis=1)


def _filled(graph: Graph, values: str, fills: np.ndarray) -> str:
    return graph.add("Where", graph.add("IsNaN", values), graph.constant(fills), values)


def input_names(plain: FlatModel) -> list[str]:
    """Return the names of the inputs, column by column; a name that ONNX cannot use gets a number."""
    names = [column.name for column in plain.columns]
    unfit = ("", "label", "scores", "probabilities")
    return [f"column {i + 1}: {name}" if name in unfit else name for i, name in enumerate(names)]


def _mixed(graph: Graph, plain: FlatModel) -> str:
    """Add one input per column, join their features, and put these in the order of the model."""
    blocks, order = [], []
    for number, name in enumerate(input_names(plain)):
        members = np.flatnonzero(plain.sources == number)
        if plain.columns[number].kind == "text":
            continue
        blocks.append(_column(graph, plain, number, name, members))
        order.extend(members.tolist())
    together = graph.add("Concat", *blocks, axis=1)
    back = np.argsort(np.array(order))
    if np.array_equal(back, np.arange(back.size)):
        return together
    return graph.add("Gather", together, graph.constant(back), axis=1)


def _column(graph: Graph, plain: FlatModel, number: int, name: str, members: np.ndarray) -> str:
    column, kinds = plain.columns[number], graph.onnx.TensorProto
    parts = [plain.parts[member] for member in members]
    if any(parts):
        cells = graph.take(name, kinds.DOUBLE if column.numeric else kinds.STRING, 1)
        made = _date_parts(graph, column, cells, parts) if column.kind == "date" else None
        made = made or [_part(graph, plain, number, cells, member) for member in members.tolist()]
        return made[0] if len(made) == 1 else graph.add("Concat", *made, axis=1)
    if column.levels is None:
        values = graph.take(name, kinds.DOUBLE, 1)
        return values if column.fill is None else _filled(graph, values, np.array([[column.fill]], dtype=np.float64))
    codes = _codes(graph, plain.strict, column, graph.take(name, kinds.STRING, 1))
    known = np.array([[plain.levels[member] == level for member in members] for level in column.levels])
    table = np.vstack([known, np.zeros((0 if plain.strict else 1, members.size))])  # the last row is for unknown texts
    return graph.add("Squeeze", graph.add("Gather", graph.constant(table), codes), graph.integers(1))


def _part(graph: Graph, plain: FlatModel, number: int, cells: str, member: int) -> str:
    """Add one feature of a column that also marks missing values or joins categories."""
    column, double = plain.columns[number], graph.onnx.TensorProto.DOUBLE
    if column.numeric:
        gone = graph.add("IsNaN", cells)
        if plain.parts[member] == "missing":
            return graph.cast(gone, double)
        return cells if column.fill is None else _filled(graph, cells, np.array([[column.fill]], dtype=np.float64))
    assert plain.steps is not None
    feature, known = plain.steps.features[member], [*(column.levels or ()), ""]
    strange = np.nan if plain.strict and not feature.part else float(feature.part == "others")
    told = graph.add(
        *("LabelEncoder", cells),
        domain="ai.onnx.ml",
        keys_strings=[level.encode("utf-8") for level in known],
        values_floats=[_told(feature, column.levels or (), level) for level in known],
        default_float=strange,
    )
    return graph.cast(told, double)


def _told(feature: Feature, levels: Sequence[str], text: str) -> float:
    """Return the feature's value for a known text, or for a missing one."""
    if feature.part == "missing":
        return float(text == "")
    cell = text or feature.fill
    if cell is None:
        return np.nan
    return float(cell not in levels and cell != "") if feature.part == "others" else float(cell == feature.level)


def _date_parts(graph: Graph, column: FlatColumn, cells: str, parts: list[str]) -> list[str]:
    double, made = graph.onnx.TensorProto.DOUBLE, {}
    seconds = cells if column.fill is None else _filled(graph, cells, np.array([[column.fill]], dtype=np.float64))

    def node(found: Formula) -> str:
        if found == SECONDS:
            return seconds
        if found not in made:
            if isinstance(found, float):
                made[found] = graph.constant(np.array([[found]]))
            else:
                operator, *more = found
                made[found] = graph.add(_OPERATORS[operator], *map(node, more))
        return made[found]

    gone = [graph.cast(graph.add("IsNaN", cells), double)] if "missing" in parts else []
    return [gone[0] if part == "missing" else node(formula(part)) for part in parts]


def _codes(graph: Graph, strict: bool, column: FlatColumn, texts: str) -> str:
    """Return the level number of each text: beyond the last if unknown, beyond all if missing and not imputed."""
    levels = column.levels or ()
    keys, values = list(levels), list(range(len(levels)))
    if "" not in levels:
        keys, values = [*keys, ""], [*values, levels.index(column.fill) if column.fill in levels else len(levels) + 1]
    encoded = [key.encode("utf-8") for key in keys]
    return graph.add(
        "LabelEncoder",
        texts,
        domain="ai.onnx.ml",
        keys_strings=encoded,
        values_int64s=values,
        default_int64=len(levels),
    )


def refused(graph: Graph, features: str) -> str:
    """Return (rows,) 1 if a feature is not finite, else 0."""
    nothing = graph.add("Mul", features, graph.constant(np.array(0.0)))  # infinity times 0 is not a number
    sums = graph.add("ReduceSum", nothing, graph.integers(1), keepdims=0)
    return graph.cast(graph.add("IsNaN", sums), graph.onnx.TensorProto.INT64)
