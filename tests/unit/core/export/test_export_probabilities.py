"""Probabilities in other programs' formats: the model's own within 1e-6, or said to be left out."""

from __future__ import annotations

import dataclasses
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from export_models import FORMATS, KERNELS, NO_ONNX, SIX, Trained, dataset_of, iris, mixed, one_in_three, trained_on
from sklearn.svm import _libsvm

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.uncertainty.probability import CALIBRATION_METHODS, Calibration, coupling
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.preparation import Rules
from mcsvm_gui.core.export import EXPORTERS, c, libsvm, onnx
from mcsvm_gui.core.export.checked import PROBABILITY
from mcsvm_gui.core.export.flat_model import flat_model
from mcsvm_gui.core.export.libsvm_predictors import INEXACT
from mcsvm_gui.core.export.probe import of_dataset, prepared

HOLDERS = [name for name in FORMATS if name not in ("libsvm", "liblinear")]
WITHIN = f"Every probability is the model's within {PROBABILITY:.1g}."


@cache
def two() -> Dataset:
    rows = np.flatnonzero(iris().labels != "setosa")
    return iris().take(rows)


DATA = {"iris": iris, "mixed": mixed, "two": two}


@cache
def model(data: str, machine: str, method: str, kernel: str = "rbf") -> tuple[Trained, Dataset]:
    rows = DATA[data]()
    more = {"calibration": method, "calibration_folds": 2, "random_state": 0}
    return trained_on(rows, machine=machine, C=2.0, **more, **KERNELS[kernel]), rows


def exported(trained: Trained, name: str, folder: Path, check: Dataset | None) -> str:
    return EXPORTERS[name].export(trained, folder / f"model{EXPORTERS[name].suffix}", check).sentence


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "data", "machine", "method"), one_in_three(HOLDERS, list(DATA), list(SIX), list(CALIBRATION_METHODS))
)
def test_they_are_the_models(name: str, data: str, machine: str, method: str, tmp_path: Path) -> None:
    trained, rows = model(data, machine, method)
    assert WITHIN in exported(trained, name, tmp_path, rows)


@pytest.mark.parametrize("name", HOLDERS)
@pytest.mark.parametrize("method", CALIBRATION_METHODS)
def test_support_vectors_serve_as_well_and_linear_kernels(method: str, name: str, tmp_path: Path) -> None:
    trained, _ = model("iris", "ovo", method, "linear")
    assert WITHIN in exported(trained, name, tmp_path, None)


@pytest.mark.parametrize(("data", "machine"), [(data, machine) for data in DATA for machine in SIX])
def test_a_libsvm_file_holds_what_is_coupled_from_pairs(data: str, machine: str, tmp_path: Path) -> None:
    trained, rows = model(data, machine, "pairwise")
    if libsvm.refusal(trained) is None:
        assert WITHIN in exported(trained, "libsvm", tmp_path, rows)


@pytest.mark.parametrize(
    ("name", "method"),
    [("libsvm", "temperature"), ("libsvm", "sigmoid"), ("liblinear", "pairwise")],
)
def test_what_is_left_out_is_said(name: str, method: str, tmp_path: Path) -> None:
    trained, rows = model("iris", "ww", method, "linear")
    said = exported(trained, name, tmp_path, rows)
    assert "probabilities are not in the file" in said
    assert WITHIN not in said
    plain = dataclasses.replace(trained, calibrated=None)
    assert "robabilit" not in exported(plain, name, tmp_path, rows)
    assert "prob" not in (tmp_path / f"model{EXPORTERS[name].suffix}").read_text("utf-8")


def test_pairs_of_too_many_classes_are_left_out_of_pmml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcsvm_gui.core.export.pmml.probabilities.MOST_COUPLED", 2)
    trained, rows = model("iris", "ovo", "pairwise")
    assert "probabilities are not in the file" in exported(trained, "pmml", tmp_path, rows)
    assert WITHIN in exported(model("iris", "ovo", "sigmoid")[0], "pmml", tmp_path, rows)
    trained, rows = model("iris", "dag", "pairwise")
    assert "decision graph" in str(EXPORTERS["pmml"].refusal(trained))


@pytest.mark.skipif(find_spec("pypmml") is None, reason="pypmml, which needs Java, is not installed")
@pytest.mark.parametrize("method", CALIBRATION_METHODS)
@pytest.mark.parametrize(("data", "machine"), [("iris", "ww"), ("mixed", "ovo"), ("mixed", "dag"), ("two", "llw")])
def test_pmml4s_gives_them(data: str, machine: str, method: str, tmp_path: Path) -> None:
    import pypmml

    trained, rows = model(data, machine, method)
    exported(trained, "pmml", tmp_path, rows)
    probe = of_dataset(flat_model(trained), trained, rows)
    found = pypmml.Model.load(str(tmp_path / "model.pmml")).predict(rows.table).iloc[probe.rows]
    assert found["decision"].tolist() == [trained.class_names[number] for number in probe.expected]
    shares = found[[f"probability({name})" for name in trained.class_names]].to_numpy(dtype=np.float64)
    np.testing.assert_allclose(shares, probe.probabilities, atol=PROBABILITY, rtol=0.0)


@pytest.mark.parametrize("machine", ["ww", "ova", "ovo"])
def test_libsvm_itself_gives_them(machine: str, tmp_path: Path) -> None:
    """The library inside scikit-learn, handed what the file says."""
    trained, rows = model("iris", machine, "pairwise")
    plain = flat_model(trained)
    blocks = libsvm.blocks_of(plain)
    lines = dict(
        line.split(" ", 1) for line in "".join(libsvm._lines(plain, np.arange(4) + 1)).split("\nSV\n")[0].splitlines()
    )
    probe = of_dataset(plain, trained, rows)
    shares = _libsvm.predict_proba(
        np.ascontiguousarray(prepared(plain, probe)),
        blocks.vectors.astype(np.int32),
        np.ascontiguousarray(plain.dense[blocks.vectors]),
        np.array(blocks.sizes, dtype=np.int32),
        np.ascontiguousarray(blocks.coefficients.T),
        np.array(lines["rho"].split(), dtype=np.float64) * -1.0,
        np.array(lines["probA"].split(), dtype=np.float64),
        np.array(lines["probB"].split(), dtype=np.float64),
        svm_type=0,
        kernel="rbf",
        gamma=plain.parameters["gamma"],
    )
    p = shares[:, np.argsort(blocks.order)]
    kind, found = trained.model.machine, trained.calibrated.found
    values = trained.model.decision(prepared(plain, probe))
    slopes = np.einsum("nij,nj->ni", coupling(found.pair_shares(kind, values, plain.classes), plain.classes), p)
    unequal = np.abs(slopes - (slopes * p).sum(axis=1, keepdims=True))
    assert unequal.max() < INEXACT / plain.classes * 1.001  # where svm.cpp stops; at the exact p all are equal
    np.testing.assert_allclose(p, probe.probabilities, atol=0.01)


@pytest.mark.parametrize("name", HOLDERS)
def test_a_difference_writes_nothing_and_names_the_row(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained, rows = model("iris", "ww", "temperature")
    right = Calibration.probabilities

    def wrong(self: Calibration, *values: object) -> np.ndarray:
        shares = right(self, *values)
        shares[7] += (0.01, -0.01, 0.0)
        return shares

    module = {"onnx": onnx, "c": c}.get(name)
    if module is None:
        found = trained.calibrated.found
        other = dataclasses.replace(found, temperature=found.temperature * 1.01)
        module = EXPORTERS[name].code
        plain = flat_model
        monkeypatch.setattr(
            module, "flat_model", lambda *a, **b: dataclasses.replace(plain(*a, **b), calibration=other)
        )
    else:
        monkeypatch.setattr(Calibration, "probabilities", wrong)
    with pytest.raises(InputError, match=r"gives row \d+ another probability than the model"):
        exported(trained, name, tmp_path, rows)
    assert list(tmp_path.iterdir()) == []


@NO_ONNX
def test_onnx_gives_them_second_as_sklearn_onnx_does(tmp_path: Path) -> None:
    import onnxruntime

    trained, rows = model("iris", "ww", "temperature")
    exported(trained, "onnx", tmp_path, rows)
    session = onnxruntime.InferenceSession(str(tmp_path / "model.onnx"))
    assert [output.name for output in session.get_outputs()] == ["label", "probabilities", "scores"]
    assert session.get_outputs()[1].type == "tensor(double)"
    classes = session.get_modelmeta().custom_metadata_map["classes"].splitlines()
    labels, shares, _ = session.run(None, {"features": rows.table.to_numpy()})
    assert [classes[best].strip("'") for best in shares.argmax(axis=1)] == labels.tolist()


@pytest.mark.parametrize("name", HOLDERS)
@pytest.mark.parametrize(("machine", "method"), [("ovo", "pairwise"), ("ww", "sigmoid"), ("dag", "temperature")])
def test_many_classes(machine: str, method: str, name: str, tmp_path: Path) -> None:
    rng, classes = np.random.default_rng(0), 11
    codes = np.arange(132) % classes
    import pandas as pd

    table = pd.DataFrame(rng.normal(size=(132, 5)) + 1.5 * rng.normal(size=(classes, 5))[codes], columns=list("abcde"))
    rows = dataset_of(table, [f"c{code:02}" for code in codes])
    more = {"calibration": method, "calibration_folds": 3, "random_state": 0}
    trained = trained_on(rows, Rules(), machine=machine, C=4.0, **more, **KERNELS["rbf"])
    assert WITHIN in exported(trained, name, tmp_path, rows)
