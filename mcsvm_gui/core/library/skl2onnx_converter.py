"""A converter of skl2onnx for MultiClassSVC, so that whole scikit-learn pipelines can be written as ONNX.

It adds the nodes of our own ONNX export to the graph of skl2onnx.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mcsvm.solvers import MultiClassSVC
from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base.install_advice import advice
from mcsvm_gui.core.export.flat_model import flat_model
from mcsvm_gui.core.export.onnx import written
from mcsvm_gui.core.export.onnx.graph import OPSET
from mcsvm_gui.core.library.fitted import trained_of

ALIAS = "McsvmMultiClassSVC"


def register_onnx_converter() -> None:
    """Register MultiClassSVC with skl2onnx, so that `skl2onnx.to_onnx` converts it, also inside pipelines.

    The outputs are the label, and the probabilities if `calibration` is set, else the decision values: of the classes,
    or of the pairs of classes for ovo and dag. Computations are in double precision.

    Examples
    --------
    >>> from mcsvm import register_onnx_converter
    >>> register_onnx_converter()  # doctest: +SKIP
    >>> skl2onnx.to_onnx(make_pipeline(StandardScaler(), MultiClassSVC()).fit(X, y), X)  # doctest: +SKIP
    """
    try:
        import skl2onnx
    except ImportError:
        raise InputError(
            "Converting pipelines needs the package skl2onnx; {advice}.", advice=advice("skl2onnx", "export")
        ) from None
    skl2onnx.update_registered_converter(MultiClassSVC, ALIAS, _set_types, _convert)


def _set_types(operator: Any) -> None:
    """Declare the types of the outputs."""
    from skl2onnx.common.data_types import Int64TensorType, StringTensorType, guess_tensor_type

    estimator, features = operator.raw_operator, operator.inputs[0].type
    rows = features.shape[0]
    label = Int64TensorType if _has_numbers(estimator) else StringTensorType
    operator.outputs[0].type = label([rows])
    values = guess_tensor_type(features)
    values.shape = [rows, None]
    operator.outputs[1].type = values


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Add the nodes of our own export, with names of their own."""
    import onnx

    estimator = operator.raw_operator
    graph = onnx.load_model_from_string(written(flat_model(trained_of(estimator)))[""]).graph
    mark = scope.get_unique_variable_name("mcsvm")
    names = {name: f"{mark}{name}" for node in graph.node for name in (*node.input, *node.output)}
    _cast(container, operator.inputs[0].full_name, names["features"], onnx.TensorProto.DOUBLE)
    for constant in graph.initializer:
        kind, values = constant.data_type, onnx.numpy_helper.to_array(constant)
        if kind == onnx.TensorProto.STRING and _has_numbers(estimator):  # the names of the classes
            kind, values = onnx.TensorProto.INT64, estimator._labels.astype(np.int64)
        container.add_initializer(names[constant.name], kind, values.shape, values.ravel().tolist())
    for node in graph.node:
        attributes = {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}
        inputs, outputs = ([names[name] for name in side] for side in (node.input, node.output))
        container.add_node(node.op_type, inputs, outputs, op_domain=node.domain, op_version=OPSET, **attributes)
    shown = "scores" if estimator.calibration is None else "probabilities"
    label, table = operator.outputs
    container.add_node("Identity", names["label"], label.full_name, op_version=OPSET)
    _cast(container, names[shown], table.full_name, table.type._get_element_onnx_type())


def _has_numbers(estimator: Any) -> bool:
    """Tell whether the classes are whole numbers, which ONNX gives back as such."""
    return estimator.classes_.dtype.kind in "iu"


def _cast(container: Any, given: str, result: str, kind: int) -> None:
    container.add_node("Cast", given, result, op_version=OPSET, to=kind)
