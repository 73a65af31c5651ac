"""Inputs of an ONNX graph, and the features that the kernel sees."""

from __future__ import annotations

import numpy as np

from mcsvm_gui.core.export.flat_model import FlatColumn, FlatModel
from mcsvm_gui.core.export.onnx.graph import Graph


def prepared(graph: Graph, plain: FlatModel) -> str:
    """(value - shift) * scale for every feature."""
    values = _numbers(graph, plain) if plain.numbers_only else _mixed(graph, plain)
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
    """The names of the inputs, column by column; a name that ONNX cannot use gets a number."""
    names = [column.name for column in plain.columns]
    unfit = ("", "label", "scores", "probabilities")
    return [f"column {i + 1}: {name}" if name in unfit else name for i, name in enumerate(names)]


def _mixed(graph: Graph, plain: FlatModel) -> str:
    """One input per column, and their features side by side, then in the order of the model."""
    blocks, order = [], []
    for number, name in enumerate(input_names(plain)):
        members = np.flatnonzero(plain.sources == number)
        blocks.append(_column(graph, plain, number, name, members))
        order.extend(members.tolist())
    together = graph.add("Concat", *blocks, axis=1)
    back = np.argsort(np.array(order))
    if np.array_equal(back, np.arange(back.size)):
        return together
    return graph.add("Gather", together, graph.constant(back), axis=1)


def _column(graph: Graph, plain: FlatModel, number: int, name: str, members: np.ndarray) -> str:
    column, kinds = plain.columns[number], graph.onnx.TensorProto
    if column.levels is None:
        values = graph.take(name, kinds.DOUBLE, 1)
        return values if column.fill is None else _filled(graph, values, np.array([[column.fill]], dtype=np.float64))
    codes = _codes(graph, plain.strict, column, graph.take(name, kinds.STRING, 1))
    known = np.array([[plain.levels[member] == level for member in members] for level in column.levels])
    table = np.vstack(
        [known, np.zeros((0 if plain.strict else 1, members.size))]
    )  # the last row is that of unknown texts
    return graph.add("Squeeze", graph.add("Gather", graph.constant(table), codes), graph.integers(1))


def _codes(graph: Graph, strict: bool, column: FlatColumn, texts: str) -> str:
    """Which level a text is, or beyond the last; beyond all where it is missing and nothing fills it."""
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
    """(rows,) 1 where a feature is not finite, else 0."""
    nothing = graph.add("Mul", features, graph.constant(np.array(0.0)))  # but infinity times 0 is no number
    sums = graph.add("ReduceSum", nothing, graph.integers(1), keepdims=0)
    return graph.cast(graph.add("IsNaN", sums), graph.onnx.TensorProto.INT64)
