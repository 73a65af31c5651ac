"""ONNX: generic operators in double precision, preparation inside, class names out; runs wherever ONNX runs.

Inputs: "features", one float64 tensor (rows, columns), where all columns are numbers; else one tensor (rows, 1) per
column, float64 or string. Outputs: "label" (rows,) strings, "scores" (rows, outputs) float64: the class functions,
or the pair functions of ovo and dag. With probabilities these come second, as from sklearn-onnx without its ZipMap:
"probabilities" (rows, classes) float64, as the features are; the order of classes is in the metadata. The companion set
ai.onnx.ml is used for categories only (LabelEncoder).

A row that the model refuses (a missing cell that nothing fills, a number that is not finite, and where the model is
trained so a text that it does not know) makes the run fail: an index is taken that is out of bounds.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from mcsvm_gui.core.base.install_advice import advice
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.export.checked import FilePrediction, Files, Receipt, write_checked
from mcsvm_gui.core.export.flat_model import FlatColumn, FlatModel, flat_model
from mcsvm_gui.core.export.probe import Probe
from mcsvm_gui.core.machine.trained import TrainedModel
from solvers.errors import InputError, Sentence
from solvers.probability import LEAST, Calibration

OPSET, ML_OPSET, IR = 13, 2, 7  # understood by every onnxruntime since 1.7
LARGEST = 1_900_000_000  # bytes; a protobuf message ends at 2 GB
BATCH = 1024


def refusal(trained: TrainedModel) -> Sentence | None:
    if trained.model.kernel.name == "precomputed":
        return Sentence("a precomputed kernel has no support vectors to write; use json or libsvm.")
    plain = flat_model(trained)
    if 8 * (plain.vectors.shape[0] * (plain.features + plain.outputs)) > LARGEST:
        return Sentence("the model is larger than the 2 GB that an ONNX file can hold; use c, python or json.")
    strange = next((text for text in plain.texts if not text.isprintable() and not _encodable(text)), None)
    return (
        None
        if strange is None
        else Sentence("the name {name!r} is no Unicode text; use json, c or python.", name=strange)
    )


def _encodable(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def export(trained: TrainedModel, path: Path | str, check: Dataset | None = None) -> Receipt:
    plain = flat_model(trained)
    return write_checked(trained, plain, path, check, written(plain), [_predictor])


def written(plain: FlatModel) -> Files:
    onnx = _library()
    graph = Graph(onnx, [column.name for column in plain.columns])
    features = _prepared(graph, plain)
    scores = graph.add("Add", _weighted(graph, plain, features), graph.constant(plain.bias[None, :]), name="scores")
    winner = _winner(graph, plain, scores)
    _label(graph, plain, winner, _refused(graph, features))
    if plain.calibration is not None:
        _probabilities(graph, plain, plain.calibration, scores, winner)
    return {"": graph.model(plain).SerializeToString()}


def _library() -> Any:
    try:
        import onnx
    except ImportError:
        raise InputError("Writing ONNX needs the package onnx; {advice}.", advice=advice("onnx", "export")) from None
    return onnx


class Graph:
    """Nodes and constants under construction. Its own names start with a mark that no column starts with."""

    def __init__(self, onnx: Any, taken: list[str]) -> None:
        self.onnx, self.helper = onnx, onnx.helper
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []
        self.mark = "_"
        while any(name.startswith(self.mark) for name in taken):
            self.mark += "_"

    def _fresh(self) -> str:
        return f"{self.mark}{len(self.nodes) + len(self.constants)}"

    def constant(self, values: np.ndarray) -> str:
        tensor = self.onnx.numpy_helper.from_array(np.ascontiguousarray(values), self._fresh())
        self.constants.append(tensor)
        return str(tensor.name)

    def integers(self, *values: int) -> str:
        return self.constant(np.array(values, dtype=np.int64))

    def strings(self, values: tuple[str, ...]) -> str:
        encoded = [value.encode("utf-8") for value in values]
        tensor = self.helper.make_tensor(self._fresh(), self.onnx.TensorProto.STRING, [len(values)], encoded)
        self.constants.append(tensor)
        return str(tensor.name)

    def add(self, operator: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        result = name or self._fresh()
        self.nodes.append(self.helper.make_node(operator, list(inputs), [result], name=f"n{result}", **attributes))
        return result

    def cast(self, value: str, to: int) -> str:
        return self.add("Cast", value, to=to)

    def take(self, name: str, kind: int, columns: int) -> str:
        """An input of so many columns."""
        self.inputs.append(self.helper.make_tensor_value_info(name, kind, ["rows", columns]))
        return name

    def _of_classes(self, plain: FlatModel) -> list[Any]:
        kind, shape = self.onnx.TensorProto.DOUBLE, ["rows", plain.classes]
        named = [] if plain.calibration is None else ["probabilities"]
        return [self.helper.make_tensor_value_info(name, kind, shape) for name in named]

    def model(self, plain: FlatModel) -> Any:
        kinds = self.onnx.TensorProto
        outputs = [
            self.helper.make_tensor_value_info("label", kinds.STRING, ["rows"]),
            *self._of_classes(plain),
            self.helper.make_tensor_value_info("scores", kinds.DOUBLE, ["rows", plain.outputs]),
        ]
        graph = self.helper.make_graph(self.nodes, "mcsvm", self.inputs, outputs, self.constants, doc_string=__doc__)
        sets = [self.helper.make_opsetid("", OPSET), self.helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
        model = self.helper.make_model(graph, opset_imports=sets, ir_version=IR, producer_name="mcsvm")
        columns = "\n".join(ascii(column.name) for column in plain.columns)
        classes = "\n".join(map(ascii, plain.class_names))
        self.helper.set_model_props(model, {"machine": plain.machine, "columns": columns, "classes": classes})
        self.onnx.checker.check_model(model)
        return model


def _prepared(graph: Graph, plain: FlatModel) -> str:
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


def _weighted(graph: Graph, plain: FlatModel, features: str) -> str:
    """kernel(features, vectors) @ expansion."""
    if plain.kernel == "linear":
        return graph.add("MatMul", features, graph.constant(plain.dense.T @ plain.expansion))
    products = graph.add("MatMul", features, graph.constant(plain.dense.T))
    return graph.add("MatMul", _kernel(graph, plain, features, products), graph.constant(plain.expansion))


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


def _refused(graph: Graph, features: str) -> str:
    """(rows,) 1 where a feature is not finite, else 0."""
    nothing = graph.add("Mul", features, graph.constant(np.array(0.0)))  # but infinity times 0 is no number
    sums = graph.add("ReduceSum", nothing, graph.integers(1), keepdims=0)
    return graph.cast(graph.add("IsNaN", sums), graph.onnx.TensorProto.INT64)


def _winner(graph: Graph, plain: FlatModel, scores: str) -> str:
    """(rows, 1)"""
    if plain.decides == "graph":
        return _walk(graph, plain, scores)
    return _largest(graph, scores if plain.decides == "argmax" else _votes(graph, plain, scores))


def _largest(graph: Graph, values: str) -> str:
    """(rows, 1) the first of the largest."""
    return graph.add("ArgMax", values, axis=1, keepdims=1, select_last_index=0)


def _label(graph: Graph, plain: FlatModel, winner: str, refused: str) -> None:
    winner = graph.add("Squeeze", winner, graph.integers(1))
    beyond = graph.add("Mul", refused, graph.integers(plain.classes))
    graph.add("Gather", graph.strings(plain.class_names), graph.add("Add", winner, beyond), name="label", axis=0)


# -- probabilities ---------------------------------------------------------------------------------


def _probabilities(graph: Graph, plain: FlatModel, found: Calibration, scores: str, winner: str) -> None:
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
    """(rows, classes) what temperatures and sigmoids of single classes are applied to."""
    if plain.decides == "argmax":
        return scores
    if plain.classes == 2:
        return graph.add("Mul", scores, graph.constant(np.array([[0.5, -0.5]])))
    signs = np.zeros((plain.outputs, plain.classes))
    for column, (a, b) in enumerate(plain.pairs):
        signs[column, a], signs[column, b] = 1.0, -1.0
    clarity = graph.add("MatMul", scores, graph.constant(signs))
    bound = graph.add("Mul", graph.add("Add", graph.add("Abs", clarity), _number(graph, 1.0)), _number(graph, 3.0))
    given = graph.add("Add", _votes(graph, plain, scores), graph.add("Div", clarity, bound))
    return _exchanged(graph, plain, given, winner, _largest(graph, given))


def _exchanged(graph: Graph, plain: FlatModel, given: str, winner: str, first: str) -> str:
    """The largest score goes to the class decided for, and its own to the class that had the largest."""
    numbers = graph.constant(np.arange(plain.classes)[None, :])
    places = [graph.add("Equal", numbers, place) for place in (winner, first)]
    marks = [graph.cast(place, graph.onnx.TensorProto.DOUBLE) for place in places]
    held = [graph.add("GatherElements", given, place, axis=1) for place in (winner, first)]
    change = graph.add("Mul", graph.add("Sub", marks[0], marks[1]), graph.add("Sub", held[1], held[0]))
    return graph.add("Add", given, change)


def _pair_values(graph: Graph, plain: FlatModel, scores: str) -> str:
    """(rows, pairs)"""
    if plain.decides != "argmax":
        return scores
    sides = (graph.add("Gather", scores, graph.integers(*side), axis=1) for side in zip(*plain.pairs, strict=True))
    return graph.add("Sub", *sides)


def _sigmoids(graph: Graph, found: Calibration, values: str) -> str:
    assert found.sigmoids is not None
    slopes, offsets = (graph.constant(-found.sigmoids[None, :, side]) for side in (0, 1))
    return graph.add("Sigmoid", graph.add("Add", graph.add("Mul", values, slopes), offsets))


def _coupled(graph: Graph, plain: FlatModel, pairs: str) -> None:
    """p of sum 1 that minimises p' Q p: (Q + 1) p is a multiple of 1, solved by Gauss and Jordan's elimination.

    Q is positive semidefinite and Q + 1 definite, so that no pivot is 0."""
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
    """(rows, classes, classes) of r_ab, 0 on the diagonal."""
    k, count = plain.classes, plain.outputs if plain.decides != "argmax" else len(plain.pairs)
    places = np.full((k, k), 2 * count)
    for column, (a, b) in enumerate(plain.pairs):
        places[a, b], places[b, a] = column, count + column
    nothing = graph.add("Mul", graph.add("Gather", pairs, graph.integers(0), axis=1), _number(graph, 0.0))
    sides = graph.add("Concat", pairs, _rest(graph, pairs), nothing, axis=1)
    return graph.add("Gather", sides, graph.constant(places), axis=1)


# -- decisions ---------------------------------------------------------------------------------------


def _positive(graph: Graph, values: str, kind: int) -> str:
    return graph.cast(graph.add("Greater", values, graph.constant(np.array(0.0))), kind)


def _votes(graph: Graph, plain: FlatModel, scores: str) -> str:
    """Every pair gives its second class a vote, and takes it back for the first where it is positive."""
    moves, start = np.zeros((plain.outputs, plain.classes)), np.zeros((1, plain.classes))
    for column, (a, b) in enumerate(plain.pairs):
        moves[column, a], moves[column, b] = 1.0, -1.0
        start[0, b] += 1.0
    first = _positive(graph, scores, graph.onnx.TensorProto.DOUBLE)
    return graph.add("Add", graph.add("MatMul", first, graph.constant(moves)), graph.constant(start))


def _walk(graph: Graph, plain: FlatModel, scores: str) -> str:
    """(rows, 1): compare the first and the last class left, drop the loser, one step per class but one."""
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
    """(rows, 1) whole numbers."""
    return graph.add("ArgMax", scores, axis=1, keepdims=1)


def _predictor(path: Path, plain: FlatModel, probe: Probe) -> FilePrediction:
    try:
        import onnxruntime
    except ImportError:
        return FilePrediction(None, Sentence("onnxruntime is not installed (pip install 'mcsvm[export]')"), probe)
    session = onnxruntime.InferenceSession(path.read_bytes(), providers=["CPUExecutionProvider"])
    numbers = {name: number for number, name in enumerate(plain.class_names)}
    labels: list[int] = []
    shares: list[np.ndarray] = []
    wanted = ["label"] if plain.calibration is None else ["label", "probabilities"]
    for start in range(0, len(probe), BATCH):
        part = probe.take(np.arange(start, min(start + BATCH, len(probe))))
        said, *more = session.run(wanted, feed(plain, part))
        labels += [numbers.get(name, -1) for name in said.tolist()]
        shares += more
    found = np.vstack(shares) if shares else None
    return FilePrediction(np.array(labels, dtype=np.int64), f"onnxruntime {onnxruntime.__version__}", probe, found)


def feed(plain: FlatModel, probe: Probe) -> dict[str, np.ndarray]:
    """What onnxruntime is given."""
    if plain.numbers_only:
        return {"features": probe.numbers()}
    return {name: probe.column(number)[:, None] for number, name in enumerate(input_names(plain))}
