"""A wrong file is found, nothing of it appears, and the sentence names the row."""

from __future__ import annotations

import builtins
import gc
import json
import re
import shutil
import weakref
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from export_models import FORMATS, KERNELS, NO_ONNX, Trained, dataset_of, iris, trained_on

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.export import EXPORTERS, c, checked, libsvm_predictors, onnx, python
from mcsvm_gui.core.export import flat_model as flat_model_module
from mcsvm_gui.core.export.c.trial import compiler
from mcsvm_gui.core.export.flat_model import flat_model
from mcsvm_gui.core.export.libsvm_predictors import read
from mcsvm_gui.core.export.libsvm_text import feature_numbers, label_numbers
from mcsvm_gui.core.export.probe import Probe, from_vectors, of_dataset
from mcsvm_gui.core.export.ties import on_border


@pytest.fixture(scope="module")
def trained() -> Trained:
    return trained_on(iris(), machine="ww", C=4.0, **KERNELS["rbf"])


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_a_model_is_laid_out_once_for_all_exports_and_not_kept(
    kernel: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made: list[bool] = []
    flat = flat_model_module._flat
    monkeypatch.setattr(flat_model_module, "_flat", lambda *facts: (made.append(True), flat(*facts))[1])
    model = trained_on(iris(), machine="ww", C=4.0, **KERNELS[kernel])
    for name in ("json", "c", "python", "pmml"):
        assert EXPORTERS[name].refusal(model) is None
        EXPORTERS[name].export(model, tmp_path / name, iris())
    assert len(made) == (2 if kernel == "linear" else 1)  # json keeps a linear model's support vectors
    kept = weakref.ref(flat_model(model))
    del model
    gc.collect()
    assert kept() is None


class Another:
    """Decides the third row as nobody would."""

    def __init__(self, trained: Trained) -> None:
        self.trained = trained

    def __getattr__(self, name: str) -> Any:
        return getattr(self.trained, name)

    def predictions(self, data: Any, **more: Any) -> Any:
        found = self.trained.predictions(data, **more)
        return replace(found, labels=self.altered(found.labels))

    def altered(self, labels: np.ndarray) -> np.ndarray:
        labels[2] = "virginica"
        return labels


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "liblinear"])
def test_a_difference_writes_nothing_and_names_the_row(name: str, trained: Trained, tmp_path: Path) -> None:
    target = tmp_path / "model"
    target.write_text("what stood here before")
    with pytest.raises(InputError, match=r"gives row 3 the label 'setosa', and the model 'virginica' \(1 of 150"):
        EXPORTERS[name].export(Another(trained), target, iris())
    assert [found.name for found in tmp_path.iterdir()] == ["model"]
    assert target.read_text() == "what stood here before"


def on_the_border(trained: Trained) -> Trained:
    """Classes 0 and 1 have the same function."""
    expansion = trained.model.expansion.copy()
    expansion[:, 1] = expansion[:, 0]
    return replace(trained, model=replace(trained.model, expansion=expansion, bias=np.zeros(3)))


def test_where_rounding_decides_a_difference_is_said_and_no_reason_to_refuse(trained: Trained, tmp_path: Path) -> None:
    """The model's own label changes there with the number of rows asked for at once."""
    level = on_the_border(trained)
    ties = int((level.decide(iris()) == "setosa").sum())

    class Otherwise(Another):
        def altered(self, labels: np.ndarray) -> np.ndarray:
            return np.where(labels == "setosa", "versicolor", labels)

    said = EXPORTERS["json"].export(Otherwise(level), tmp_path / "m.json", iris()).sentence
    assert f"150 rows, every label as the model's but for {ties} on the border of two classes" in said


def modulo() -> Dataset:
    """Two three-level categories, and their sum modulo 3: no class function can tell one class from another."""
    cells = np.array([(a, b) for a in range(3) for b in range(3)] * 3)
    table = pd.DataFrame(
        {"a": np.array(list("abc"), object)[cells[:, 0]], "b": np.array(list("xyz"), object)[cells[:, 1]]}
    )
    return dataset_of(table.astype(object), cells.sum(axis=1) % 3)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(("machine", "cost"), [("llw", 100.0), ("cs", 1e5), ("ovo", 0.1)])
def test_symmetric_data_stay_exportable(machine: str, cost: float, name: str, tmp_path: Path) -> None:
    trained = trained_on(modulo(), machine=machine, kernel="linear", C=cost)
    if EXPORTERS[name].refusal(trained) is None:
        assert (
            "27 rows, every label as the model's" in EXPORTERS[name].export(trained, tmp_path / "m", modulo()).sentence
        )


@pytest.mark.parametrize("machine", ["ww", "ovo", "dag"])
def test_the_border_is_narrow(machine: str) -> None:
    """Not one row of iris lies on it."""
    trained = trained_on(iris(), machine=machine, C=4.0, **KERNELS["rbf"])
    probe = of_dataset(flat_model(trained), trained, iris())
    for other in range(3):
        different = probe.take(np.flatnonzero(probe.expected != other))
        assert not on_border(trained, different, np.full(len(different), other)).any()
    assert on_border(
        on_the_border(trained_on(iris(), machine="ww", **KERNELS["rbf"])), probe.take(np.arange(1)), np.array([1])
    )


@pytest.mark.parametrize("name", FORMATS)
def test_a_gamma_from_the_data_is_written_as_a_number(name: str, tmp_path: Path) -> None:
    trained = trained_on(iris(), machine="ww", kernel="rbf", gamma="scale")
    if EXPORTERS[name].refusal(trained) is None:
        assert "150 rows, every label" in EXPORTERS[name].export(trained, tmp_path / "m", iris()).sentence


def test_files_appear_together(trained: Trained, tmp_path: Path) -> None:
    receipt = EXPORTERS["libsvm"].export(trained, str(tmp_path / "iris.model"), iris())
    assert {file.name for file in receipt.files} == {found.name for found in tmp_path.iterdir()}
    assert {file.name for file in receipt.files} == {"iris.model", "iris.model.range", "iris.model.names"}


def test_a_folder_that_is_not_there_is_a_sentence(trained: Trained, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        EXPORTERS["json"].export(trained, tmp_path / "nowhere" / "model.json")


def test_one_file_that_cannot_be_written_keeps_all_back(trained: Trained, tmp_path: Path) -> None:
    (tmp_path / "m.range").mkdir()
    with pytest.raises(InputError):
        EXPORTERS["libsvm"].export(trained, tmp_path / "m", iris())
    assert not (tmp_path / "m").exists()


def test_no_room_to_try_it_out_is_a_sentence(trained: Trained, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, files: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checked, "_put", full)
    with pytest.raises(InputError, match="No space left"):
        EXPORTERS["json"].export(trained, tmp_path / "m.json", iris())
    assert list(tmp_path.iterdir()) == []


def test_who_was_not_asked_is_said(trained: Trained, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert EXPORTERS["c"].export(trained, tmp_path / "m.c", iris()).checks == (
        "Not checked: there is no C compiler here.",
    )
    checks = EXPORTERS["libsvm"].export(trained, tmp_path / "m", iris()).checks
    assert checks[0].startswith("Checked with the file read back")
    assert checks[1] == "Not checked: svm-predict (LIBSVM) is not installed here."


@NO_ONNX
def test_what_is_missing_is_said(trained: Trained, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.startswith("onnx"):
            raise ImportError(name)
        return real(name, *rest)

    files = onnx.written(flat_model(trained))
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match=r"mcsvm\[export\]"):
        onnx.written(flat_model(trained))
    plain = flat_model(trained)
    monkeypatch.setattr(onnx, "written", lambda plain: files)
    assert "not installed" in onnx._predictor(tmp_path / "m", plain, from_vectors(plain, trained)).by


def test_a_source_that_does_not_run_is_found(trained: Trained, tmp_path: Path) -> None:
    plain = flat_model(trained)
    (tmp_path / "m.py").write_text("CLASSES = [")
    (tmp_path / "m.c").write_text("int x = ;")
    for predicted, name in ((python._predictor, "m.py"), (c.predictor, "m.c")):
        if name == "m.py" or compiler():
            with pytest.raises(InputError, match="stops at it"):
                predicted(tmp_path / name, plain, from_vectors(plain, trained))


def test_too_few_answers_are_no_answer() -> None:
    probe = Probe((np.zeros(3),), np.zeros(3, dtype=np.int64), np.arange(1, 4), "row")
    with pytest.raises(InputError, match="did not label all 3 rows"):
        checked._compared(checked.FilePrediction(np.zeros(2, dtype=np.int64), "nobody", probe), None, None, 3)  # type: ignore[arg-type]


def test_a_libsvm_file_holds_the_differences_of_the_class_functions(trained: Trained, tmp_path: Path) -> None:
    EXPORTERS["libsvm"].export(trained, tmp_path / "m", iris())
    plain = flat_model(trained)
    file = read(tmp_path / "m", feature_numbers(plain))
    expected = trained.model.expansion
    assert file.labels == [2, 1, 0]
    order = [int(np.flatnonzero((plain.dense == point).all(axis=1))[0]) for point in file.points.rows.toarray()]
    for column, (i, j) in enumerate([(2, 1), (2, 0), (1, 0)]):
        np.testing.assert_allclose(file.weights[:, column], (expected[:, i] - expected[:, j])[order], atol=1e-14)


def test_labels_of_libsvm_are_the_names_where_these_are_numbers(trained: Trained) -> None:
    plain = flat_model(trained)

    def numbers(*names: str) -> list[int]:
        return label_numbers(replace(plain, class_names=names))

    assert numbers("-3", "1", "7") == [-3, 1, 7]
    for names in (("1", "1.0"), ("01", "2"), ("1", "a"), ("1", "1000000"), ("²", "3"), ("+1", "-1"), ("-0", "0")):
        assert numbers(*names) == [0, 1]


def test_json_says_everything(trained: Trained, tmp_path: Path) -> None:
    EXPORTERS["json"].export(trained, tmp_path / "m.json", iris())
    found = json.loads((tmp_path / "m.json").read_text())
    assert found["format"] == "mcsvm model"
    assert found["classes"] == ["setosa", "versicolor", "virginica"]
    assert found["kernel"]["gamma"] == 0.6
    assert found["certificate"]["primal"] == trained.certificate.primal
    assert found["request"]["machine"] == "ww"
    assert found["expansion"] == trained.model.expansion.tolist()


def test_large_models_are_tried_on_some_rows(trained: Trained, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(python, "MOST_WORK", 5000)
    assert "of 150 rows, every label" in EXPORTERS["python"].export(trained, tmp_path / "m.py", iris()).sentence
    monkeypatch.setattr(libsvm_predictors, "MOST_WORK", 5000)
    if shutil.which("svm-predict"):
        said = EXPORTERS["libsvm"].export(trained, tmp_path / "m", iris()).sentence
        assert re.search(r"svm-predict: \d\d of 150 rows, every label", said)
