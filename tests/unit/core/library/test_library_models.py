"""Fitted estimators as model files: saved, loaded, verified, exported, and used by the commands."""

from __future__ import annotations

import doctest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from command_line import mcsvm
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from small_data import blobs

import mcsvm_gui.core.library as library
from mcsvm import InputError, MultiClassSVC, SavedModel, export, load_model, open_dataset, save_model, verify
from mcsvm.solvers.machines import MACHINES
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.evaluate.verification.parts import ModelPart

X, Y = blobs(n=60, classes=3, seed=4)
X = np.c_[X, np.ones(60)]  # a constant column is a feature too
TWO_X, TWO_Y = blobs(n=40, classes=2, seed=8)
NEW = np.c_[blobs(n=80, classes=3, seed=5)[0], np.ones(80)]
WEIGHTS = np.random.default_rng(0).random(60)
WEIGHTS[:5] = 0.0

LABELS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "integers": lambda codes: codes * 10 - 3,
    "reals": lambda codes: codes.astype(float),
    "texts in an order of their own": lambda codes: np.array(["10", "9", "b c"])[codes],
    "objects": lambda codes: np.array(["ä", "a", "B"], dtype=object)[codes],
}


def through_a_file(model: MultiClassSVC, folder: Path) -> SavedModel:
    save_model(model, folder / "model.mcsvm")
    return load_model(folder / "model.mcsvm")


def assert_verified(model: Any, *training: Any) -> None:
    verification = verify(model, *training)
    assert [(check.part.value, str(check.detail)) for check in verification.differing] == []
    assert verification.converged
    assert {check.part for check in verification.unverifiable} == {ModelPart.DATA, ModelPart.REQUEST, ModelPart.HISTORY}


@pytest.mark.parametrize("bias", [None, "regularized", "exact"])
@pytest.mark.parametrize("machine", MACHINES)
def test_a_file_gives_the_same_predictions_and_is_verified(machine: str, bias: str | None, tmp_path: Path) -> None:
    model = MultiClassSVC(machine, C=5.0, bias=bias).fit(X, Y)
    saved = through_a_file(model, tmp_path)
    np.testing.assert_array_equal(saved.predict(NEW), model.predict(NEW))
    np.testing.assert_array_equal(saved.scores(NEW), model.decision_function(NEW))
    assert (saved.machine, saved.ending, saved.certificate) == (machine, "converged", model.certificate_)
    assert_verified(model, X, Y)
    assert_verified(saved, X, Y)


@pytest.mark.parametrize("labels", LABELS)
def test_labels_keep_their_type(labels: str, tmp_path: Path) -> None:
    y = LABELS[labels](Y)
    for machine in ("ww", "ovo"):
        model = MultiClassSVC(machine, class_weight={y[0]: 2.0}).fit(X, y)
        saved = through_a_file(model, tmp_path)
        np.testing.assert_array_equal(saved.predict(NEW), model.predict(NEW))
        assert saved.classes_.dtype.kind in (model.classes_.dtype.kind, "U")
        assert saved.score(X, y) == model.score(X, y)
        assert_verified(saved, X, y)


@pytest.mark.parametrize("machine", MACHINES)
def test_two_classes_sparse_rows_and_other_kernels(machine: str, tmp_path: Path) -> None:
    rows, y = sp.csr_array(TWO_X), TWO_Y == 1
    for kernel in ("linear", "poly"):
        model = MultiClassSVC(machine, kernel=kernel, coef0=1.0, class_weight="balanced").fit(rows, y)
        saved = through_a_file(model, tmp_path)
        predicted = saved.predict(rows)
        assert predicted.dtype == bool
        np.testing.assert_array_equal(predicted, model.predict(rows))
        np.testing.assert_array_equal(saved.predict(TWO_X), predicted)
        assert_verified(saved, rows, y)


@pytest.mark.parametrize("machine", MACHINES)
def test_weights_are_those_of_fit(machine: str, tmp_path: Path) -> None:
    model = MultiClassSVC(machine, C=10.0).fit(X, Y, WEIGHTS)
    saved = through_a_file(model, tmp_path)
    assert saved.trained.weighing is not None
    assert saved.trained.weighing.left_out == 5
    assert_verified(saved, X, Y, WEIGHTS)
    with pytest.raises(InputError, match="training rows"):
        verify(saved, X, Y)


@pytest.mark.parametrize("method", ["temperature", "pairwise", "sigmoid"])
def test_probabilities_are_in_the_file(method: str, tmp_path: Path) -> None:
    model = MultiClassSVC("ovo", calibration=method, random_state=3).fit(X, Y)
    saved = through_a_file(model, tmp_path)
    np.testing.assert_array_equal(saved.predict_proba(NEW), model.predict_proba(NEW))
    assert_verified(saved, X, Y)
    with pytest.raises(InputError, match="no probabilities"):
        through_a_file(MultiClassSVC().fit(X, Y), tmp_path).predict_proba(X)


@pytest.mark.parametrize("machine", MACHINES)
def test_other_data_are_not_verified(machine: str) -> None:
    model = MultiClassSVC(machine).fit(X, Y)
    moved = X.copy()
    moved[model.support_[0], 0] += 0.5
    assert not verify(model, moved, Y).holds


def test_the_same_fit_gives_the_same_bytes(tmp_path: Path) -> None:
    for name, threads in (("a", 1), ("b", 1)):
        save_model(MultiClassSVC("ova", threads=threads, calibration="sigmoid").fit(X, Y), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    save_model(load_model(tmp_path / "a"), tmp_path / "c")
    assert (tmp_path / "c").read_bytes() == (tmp_path / "a").read_bytes()


def test_columns_of_tables_are_matched_by_name(tmp_path: Path) -> None:
    frame = pd.DataFrame(X, columns=["width", "height", "label"])
    model = MultiClassSVC().fit(frame, Y)
    saved = through_a_file(model, tmp_path)
    assert saved.feature_names_in_.tolist() == ["width", "height", "label"]
    np.testing.assert_array_equal(saved.predict(frame[["label", "height", "width"]]), model.predict(frame))
    np.testing.assert_array_equal(saved.predict(X), model.predict(frame))
    with pytest.raises(FileError, match="column height"):
        saved.predict(frame[["label", "width"]])
    with pytest.raises(InputError, match="must be numbers"):
        saved.predict(frame.assign(width="wide"))


@pytest.mark.slow
def test_commands_take_models_of_python(tmp_path: Path) -> None:
    model = MultiClassSVC("ovo").fit(X, LABELS["integers"](Y))
    save_model(model, tmp_path / "model.mcsvm")
    pd.DataFrame(NEW, columns=["x0", "x1", "x2"]).to_csv(tmp_path / "new.csv", index=False)
    answer = mcsvm("predict", str(tmp_path / "model.mcsvm"), str(tmp_path / "new.csv"), "-o", str(tmp_path / "out.csv"))
    assert answer.code == 0, answer.err
    predicted = pd.read_csv(tmp_path / "out.csv")["prediction"]
    assert predicted.tolist() == model.predict(NEW).tolist()


def test_python_takes_models_of_commands(tmp_path: Path) -> None:
    frame = pd.DataFrame({"size": X[:, 0], "colour": np.array(["red", "blue"])[(X[:, 1] > 0).astype(int)], "kind": Y})
    frame.to_csv(tmp_path / "data.csv", index=False)
    answer = mcsvm("train", str(tmp_path / "data.csv"), "--label", "kind", "--model", str(tmp_path / "model.mcsvm"))
    assert answer.code == 0, answer.err
    model = load_model(tmp_path / "model.mcsvm")
    data = open_dataset(tmp_path / "data.csv", label="kind")
    assert (
        model.predict(frame).tolist() == model.predict(data).tolist() == model.predict(tmp_path / "data.csv").tolist()
    )
    assert set(model.predict(frame)) <= {"0", "1", "2"}
    assert verify(tmp_path / "model.mcsvm", tmp_path / "data.csv").holds


@pytest.mark.parametrize("to", ["json", "python", "libsvm", "pmml", "c"])
def test_estimators_are_exported(to: str, tmp_path: Path) -> None:
    receipt = export(MultiClassSVC("ovo").fit(X, Y), tmp_path / "exported", to, check=NEW)
    assert all(path.exists() for path in receipt.files)
    assert receipt.checks


def test_onnx_predicts_what_the_estimator_does(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    model = MultiClassSVC("ww", C=3.0).fit(X, Y)
    export(model, tmp_path / "model.onnx", "onnx", check=NEW)
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx", providers=["CPUExecutionProvider"])
    labels, scores = session.run(["label", "scores"], {"features": NEW})
    assert labels.astype(int).tolist() == model.predict(NEW).tolist()
    np.testing.assert_allclose(scores, model.decision_function(NEW), atol=1e-9)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (lambda: MultiClassSVC(), "not fitted"),
        (lambda: make_pipeline(StandardScaler(), MultiClassSVC()).fit(X, Y), "not a Pipeline"),
        (lambda: MultiClassSVC(kernel="precomputed").fit(X @ X.T, Y), "precomputed"),
        (lambda: MultiClassSVC(kernel=lambda a, b: a @ b.T).fit(X, Y), "precomputed or callable"),
        (lambda: MultiClassSVC("ovo").partial_fit(X, Y, classes=[0, 1, 2]), "partial_fit"),
        (lambda: MultiClassSVC("ovo").fit(X, Y).partial_fit(X, Y), "partial_fit"),
    ],
)
def test_what_no_file_holds_is_refused_and_nothing_written(
    model: Callable[[], Any], words: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=words):
        save_model(model(), tmp_path / "model.mcsvm")
    assert not list(tmp_path.iterdir())


def test_wrong_arguments_are_named() -> None:
    model = MultiClassSVC().fit(X, Y)
    with pytest.raises(InputError, match="choose one of onnx"):
        export(model, "a", "tensorflow")
    with pytest.raises(InputError, match="2 columns, and the model was trained on 3"):
        verify(model, X[:, :2], Y)
    with pytest.raises(InputError, match="one label for each of the 60 rows"):
        verify(model, X, Y[:5])
    with pytest.raises(InputError, match="Give them as y"):
        verify(model, X)


def test_the_examples_of_the_docstrings_are_true() -> None:
    assert doctest.testmod(library, raise_on_error=False).failed == 0
