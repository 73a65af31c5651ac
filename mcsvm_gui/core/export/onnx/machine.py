"""Kernel, outputs and the winning class, in operators of ONNX."""

from __future__ import annotations

import numpy as np

from mcsvm.solvers.model import dense_expansion
from mcsvm_gui.core.export.flat_model import FlatModel
from mcsvm_gui.core.export.onnx.graph import Graph


def weighted(graph: Graph, plain: FlatModel, features: str) -> str:
    """Add kernel(features, vectors) @ expansion."""
    if plain.kernel == "linear":
        return graph.add("MatMul", features, graph.constant(np.asarray(plain.dense.T @ plain.expansion)))
    products = graph.add("MatMul", features, graph.constant(plain.dense.T))
    return graph.add(
        "MatMul", _kernel(graph, plain, features, products), graph.constant(dense_expansion(plain.expansion))
    )


def _kernel(graph: Graph, plain: FlatModel, features: str, products: str) -> str:
    number = {key: graph.constant(np.array(float(value))) for key, value in plain.parameters.items()}
    if plain.kernel == "rbf":
        squares = graph.add("ReduceSum", graph.add("Mul", features, features), graph.integers(1), keepdims=1)
        sums = graph.add("Add", squares, graph.constant(plain.squares[None, :]))
        distances = graph.add("Sub", sums, graph.add("Mul", products, graph.constant(np.array(2.0))))
        distances = graph.add("Max", distances, graph.constant(np.array(0.0)))
        return graph.add("Exp", graph.add("Neg", graph.add("Mul", distances, number["gamma"])))
    inner = graph.add("Add", graph.add("Mul", products, number["gamma"]), number["coef0"])
    return graph.add("Tanh", inner) if plain.kernel == "sigmoid" else graph.add("Pow", inner, number["degree"])


def winner_of(graph: Graph, plain: FlatModel, scores: str) -> str:
    """Add the (rows, 1) winning class."""
    if plain.decides == "graph":
        return _walk(graph, plain, scores)
    return largest(graph, scores if plain.decides == "argmax" else votes(graph, plain, scores))


def largest(graph: Graph, values: str) -> str:
    """Add the (rows, 1) index of the largest value, the first one if tied."""
    return graph.add("ArgMax", values, axis=1, keepdims=1, select_last_index=0)


def _positive(graph: Graph, values: str, kind: int) -> str:
    return graph.cast(graph.add("Greater", values, graph.constant(np.array(0.0))), kind)


def votes(graph: Graph, plain: FlatModel, scores: str) -> str:
    """Add votes: every pair votes for its second class, and moves the vote to the first if its value is positive."""
    moves, start = np.zeros((plain.outputs, plain.classes)), np.zeros((1, plain.classes))
    for column, (a, b) in enumerate(plain.pairs):
        moves[column, a], moves[column, b] = 1.0, -1.0
        start[0, b] += 1.0
    first = _positive(graph, scores, graph.onnx.TensorProto.DOUBLE)
    return graph.add("Add", graph.add("MatMul", first, graph.constant(moves)), graph.constant(start))


def _walk(graph: Graph, plain: FlatModel, scores: str) -> str:
    """Add the (rows, 1) winner of the graph: compare the first and the last remaining class, drop the loser.

    There is one such step fewer than classes.
    """
    column_of = np.zeros((plain.classes, plain.classes), dtype=np.int64)
    for column, (a, b) in enumerate(plain.pairs):
        column_of[a, b] = column
    table, one, width = graph.constant(column_of.ravel()), graph.integers(1), graph.integers(plain.classes)
    none = graph.add("Mul", _zeros(graph, scores), graph.integers(0))
    first, last = none, graph.add("Add", none, graph.integers(plain.classes - 1))
    for _ in range(plain.classes - 1):
        place = graph.add("Gather", table, graph.add("Add", graph.add("Mul", first, width), last))
        keep = _positive(graph, graph.add("GatherElements", scores, place, axis=1), graph.onnx.TensorProto.INT64)
        last, first = graph.add("Sub", last, keep), graph.add("Add", first, graph.add("Sub", one, keep))
    return first


def _zeros(graph: Graph, scores: str) -> str:
    """Return (rows, 1) integers to multiply by zero."""
    return graph.add("ArgMax", scores, axis=1, keepdims=1)
