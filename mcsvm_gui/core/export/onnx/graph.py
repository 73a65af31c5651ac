"""An ONNX graph under construction."""

from __future__ import annotations

from typing import Any

import numpy as np

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base.install_advice import advice
from mcsvm_gui.core.export.flat_model import FlatModel

OPSET, ML_OPSET, IR = 13, 2, 7  # understood by every onnxruntime since 1.7


def library() -> Any:
    try:
        import onnx
    except ImportError:
        raise InputError("Writing ONNX needs the package onnx; {advice}.", advice=advice("onnx", "export")) from None
    return onnx


class Graph:
    """Nodes and constants under construction; the names of its own begin with a mark that no column name begins
    with."""

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
        """Add an input with this number of columns."""
        self.inputs.append(self.helper.make_tensor_value_info(name, kind, ["rows", columns]))
        return name

    def _of_classes(self, plain: FlatModel) -> list[Any]:
        kind, shape = self.onnx.TensorProto.DOUBLE, ["rows", plain.classes]
        named = [] if plain.calibration is None else ["probabilities"]
        return [self.helper.make_tensor_value_info(name, kind, shape) for name in named]

    def model(self, plain: FlatModel, about: str) -> Any:
        kinds = self.onnx.TensorProto
        outputs = [
            self.helper.make_tensor_value_info("label", kinds.STRING, ["rows"]),
            *self._of_classes(plain),
            self.helper.make_tensor_value_info("scores", kinds.DOUBLE, ["rows", plain.outputs]),
        ]
        graph = self.helper.make_graph(self.nodes, "mcsvm", self.inputs, outputs, self.constants, doc_string=about)
        sets = [self.helper.make_opsetid("", OPSET), self.helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
        if any(node.domain == "com.microsoft" for node in self.nodes):
            sets.append(self.helper.make_opsetid("com.microsoft", 1))
        model = self.helper.make_model(graph, opset_imports=sets, ir_version=IR, producer_name="mcsvm")
        columns = "\n".join(ascii(column.name) for column in plain.columns)
        classes = "\n".join(map(ascii, plain.class_names))
        said = {"machine": plain.machine, "columns": columns, "classes": classes}
        said |= {} if plain.rule is None else {"rejected": ascii(plain.rejected)}
        self.helper.set_model_props(model, said)
        self.onnx.checker.check_model(model)
        return model
