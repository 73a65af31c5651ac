"""Probabilities in operators of ONNX, and predictions that minimise expected costs."""

from __future__ import annotations

import numpy as np

from mcsvm.solvers.uncertainty.costs import NEAR, CostRule
from mcsvm.solvers.uncertainty.probability import LEAST, Calibration
from mcsvm_gui.core.export.flat_model import FlatModel
from mcsvm_gui.core.export.onnx.graph import Graph
from mcsvm_gui.core.export.onnx.machine import largest, votes


def probabilities(graph: Graph, plain: FlatModel, found: Calibration, scores: str, winner: str) -> None:
    if found.sigmoids is None:
        divided = graph.add(
            "Div", _class_scores(graph, plain, scores, winner), _number(graph, found.temperature or 1.0)
        )
        graph.add("Softmax", divided, axis=1, name="probabilities")
    elif plain.classes == 2:
        share = _sigmoids(graph, found, _pair_values(graph, plain, scores))
        graph.add("Concat", share, _rest(graph, share), axis=1, name="probabilities")
    elif found.method == "pairwise":
        _coupled(graph, plain, _sigmoids(graph, found, _pair_values(graph, plain, scores)))
    else:
        shares = _sigmoids(graph, found, _class_scores(graph, plain, scores, winner))
        nothing = graph.add("Equal", _sum(graph, shares, 1), _number(graph, 0.0))
        _scaled(graph, graph.add("Where", nothing, _number(graph, 1.0), shares))


def _number(graph: Graph, value: float) -> str:
    return graph.constant(np.array(value))


def _sum(graph: Graph, values: str, axis: int) -> str:
    return graph.add("ReduceSum", values, graph.integers(axis), keepdims=1)


def _rest(graph: Graph, shares: str) -> str:
    return graph.add("Sub", _number(graph, 1.0), shares)


def _scaled(graph: Graph, shares: str) -> None:
    graph.add("Div", shares, _sum(graph, shares, 1), name="probabilities")


def _class_scores(graph: Graph, plain: FlatModel, scores: str, winner: str) -> str:
    """Add the (rows, classes) values that temperatures and sigmoids of single classes transform."""
    if plain.decides == "argmax":
        return scores
    if plain.classes == 2:
        return graph.add("Mul", scores, graph.constant(np.array([[0.5, -0.5]])))
    signs = np.zeros((plain.outputs, plain.classes))
    for column, (a, b) in enumerate(plain.pairs):
        signs[column, a], signs[column, b] = 1.0, -1.0
    clarity = graph.add("MatMul", scores, graph.constant(signs))
    bound = graph.add("Mul", graph.add("Add", graph.add("Abs", clarity), _number(graph, 1.0)), _number(graph, 3.0))
    given = graph.add("Add", votes(graph, plain, scores), graph.add("Div", clarity, bound))
    return _exchanged(graph, plain, given, winner, largest(graph, given))


def _exchanged(graph: Graph, plain: FlatModel, given: str, winner: str, first: str) -> str:
    """Exchange two scores: the winner gets the largest, and the class that had the largest gets the winner's."""
    numbers = graph.constant(np.arange(plain.classes)[None, :])
    places = [graph.add("Equal", numbers, place) for place in (winner, first)]
    marks = [graph.cast(place, graph.onnx.TensorProto.DOUBLE) for place in places]
    held = [graph.add("GatherElements", given, place, axis=1) for place in (winner, first)]
    change = graph.add("Mul", graph.add("Sub", marks[0], marks[1]), graph.add("Sub", held[1], held[0]))
    return graph.add("Add", given, change)


def _pair_values(graph: Graph, plain: FlatModel, scores: str) -> str:
    """Add the (rows, pairs) values."""
    if plain.decides != "argmax":
        return scores
    sides = (graph.add("Gather", scores, graph.integers(*side), axis=1) for side in zip(*plain.pairs, strict=True))
    return graph.add("Sub", *sides)


def _sigmoids(graph: Graph, found: Calibration, values: str) -> str:
    assert found.sigmoids is not None
    slopes, offsets = (graph.constant(-found.sigmoids[None, :, side]) for side in (0, 1))
    return graph.add("Sigmoid", graph.add("Add", graph.add("Mul", values, slopes), offsets))


def _coupled(graph: Graph, plain: FlatModel, pairs: str) -> None:
    """Add the p of sum 1 that minimises p' Q p: (Q + 1) p is a multiple of 1, solved by Gauss-Jordan elimination.

    Q is positive semidefinite and Q + 1 definite, so that no pivot is 0.
    """
    k, one = plain.classes, _number(graph, 1.0)
    pairs = graph.add("Clip", pairs, _number(graph, LEAST), _number(graph, 1.0 - LEAST))
    r = _table(graph, plain, pairs)
    sums = _sum(graph, graph.add("Mul", r, r), 1)
    products = graph.add("Mul", r, graph.add("Transpose", r, perm=[0, 2, 1]))
    diagonal = graph.add("Mul", sums, graph.constant(np.eye(k)[None]))
    left = graph.add("Add", graph.add("Sub", diagonal, products), one)
    zeros = graph.add("Mul", graph.add("Gather", left, graph.integers(0), axis=2), _number(graph, 0.0))
    system = graph.add("Concat", left, graph.add("Add", zeros, one), axis=2)
    for row in range(k):
        here = graph.integers(row)
        own = graph.add("Gather", system, here, axis=1)
        own = graph.add("Div", own, graph.add("Gather", own, here, axis=2))
        column = graph.add("Gather", system, here, axis=2)
        factors = graph.add("Sub", column, graph.constant(np.eye(k)[None, :, row : row + 1]))
        system = graph.add("Sub", system, graph.add("Mul", factors, own))
    found = graph.add("Squeeze", graph.add("Gather", system, graph.integers(k), axis=2), graph.integers(2))
    _scaled(graph, graph.add("Max", found, _number(graph, 0.0)))


def _table(graph: Graph, plain: FlatModel, pairs: str) -> str:
    """Add the (rows, classes, classes) table of r_ab, 0 on the diagonal."""
    k, count = plain.classes, plain.outputs if plain.decides != "argmax" else len(plain.pairs)
    places = np.full((k, k), 2 * count)
    for column, (a, b) in enumerate(plain.pairs):
        places[a, b], places[b, a] = column, count + column
    nothing = graph.add("Mul", graph.add("Gather", pairs, graph.integers(0), axis=1), _number(graph, 0.0))
    sides = graph.add("Concat", pairs, _rest(graph, pairs), nothing, axis=1)
    return graph.add("Gather", sides, graph.constant(places), axis=1)


# -- predictions by cost -----------------------------------------------------------------------------


def cheapest(graph: Graph, plain: FlatModel, rule: CostRule) -> str:
    """Add the (rows, 1) class of the smallest expected cost; if it is too improbable, the number of classes."""
    best = largest(graph, "probabilities" if rule.equal else _near_the_least(graph, rule))
    share = graph.add("GatherElements", "probabilities", best, axis=1)
    improbable = graph.add("Less", share, _number(graph, rule.reject))
    return graph.add("Where", improbable, graph.integers(plain.classes), best)


def _near_the_least(graph: Graph, rule: CostRule) -> str:
    """Add (rows, classes) 1 if the expected cost is the smallest, or within the tolerance of it."""
    expected = graph.add("MatMul", "probabilities", graph.constant(rule.table))
    least = graph.add("ReduceMin", expected, axes=[1], keepdims=1)
    enough = graph.add("Add", least, _number(graph, NEAR * float(rule.table.max())))
    return graph.cast(graph.add("LessOrEqual", expected, enough), graph.onnx.TensorProto.DOUBLE)
