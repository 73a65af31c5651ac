"""The converter of skl2onnx: pipelines with MultiClassSVC predict the same in onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from small_data import blobs

from mcsvm import MultiClassSVC, register_onnx_converter
from mcsvm.solvers.machines import MACHINES

skl2onnx = pytest.importorskip("skl2onnx")
onnxruntime = pytest.importorskip("onnxruntime")

X, Y = blobs(n=60, classes=3, seed=4)
NEW = blobs(n=80, classes=3, seed=5)[0]
TWO_X, TWO_Y = blobs(n=40, classes=2, seed=8)


def converted(model: Any, rows: np.ndarray) -> list[np.ndarray]:
    register_onnx_converter()
    content = skl2onnx.to_onnx(model, rows[:1]).SerializeToString()
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    outputs: list[np.ndarray] = session.run(None, {session.get_inputs()[0].name: rows})
    return outputs


@pytest.mark.parametrize("names", [np.array([3, 5, 9]), np.array(["ant", "bee", "cow"])])
@pytest.mark.parametrize("machine", MACHINES)
def test_pipelines_predict_the_same(machine: str, names: np.ndarray) -> None:
    svc = MultiClassSVC(machine, C=3.0, decision_function_shape="ovo")
    model = make_pipeline(StandardScaler(), svc).fit(X, names[Y])
    labels, values = converted(model, NEW)
    assert labels.tolist() == model.predict(NEW).tolist()
    np.testing.assert_allclose(values, model.decision_function(NEW), atol=1e-9)


@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_other_kernels_and_two_classes(kernel: str) -> None:
    model = MultiClassSVC(kernel=kernel, gamma=0.2, coef0=0.5).fit(TWO_X, TWO_Y)
    assert converted(model, TWO_X)[0].tolist() == model.predict(TWO_X).tolist()


@pytest.mark.parametrize("method", ["temperature", "pairwise", "sigmoid"])
def test_probabilities_are_the_second_output(method: str) -> None:
    model = MultiClassSVC("ovo", calibration=method).fit(X, Y)
    for rows, atol in ((NEW, 1e-6), (NEW.astype(np.float32), 1e-5)):
        labels, probabilities = converted(model, rows)
        assert labels.tolist() == model.predict(rows).tolist()
        assert probabilities.dtype == rows.dtype
        np.testing.assert_allclose(probabilities, model.predict_proba(rows), atol=atol)
