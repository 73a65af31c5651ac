"""What the model refuses, an exported file refuses as far as its format can: each asked in its own way."""

from __future__ import annotations

import ctypes
import json
import runpy
import subprocess
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from export_models import NO_COMPILER, NO_ONNX, Trained, dataset_of, trained_on

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.kernels.rbf import Rbf
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.preparation import Rules
from mcsvm_gui.core.export import EXPORTERS, WRITTEN
from mcsvm_gui.core.export.c.trial import compiler
from mcsvm_gui.core.export.pmml.reader import evaluate
from mcsvm_gui.core.machine import names

Cells = tuple[float, str | None]
NAN = float("nan")


def table_of(sizes: Any, colours: Any) -> pd.DataFrame:
    return pd.DataFrame({"size": sizes, "colour": pd.Series(colours, dtype=object)})


def dataset() -> Dataset:
    rng = np.random.default_rng(0)
    size, colour = rng.normal(size=60), rng.integers(0, 3, 60)
    return dataset_of(table_of(size, np.array(["red", "green", "blue"], dtype=object)[colour]), colour + (size > 0))


@cache
def model(missing: str, unknown: str) -> Trained:
    return trained_on(dataset(), Rules(missing=missing, unknown=unknown), machine="ww", kernel="rbf", gamma=0.5)


def by_model(trained: Trained, cells: Cells) -> str | None:
    """None where it refuses."""
    row = dataset_of(table_of([cells[0]], [cells[1]]), ["0"])
    try:
        return str(trained.decide(row)[0])
    except InputError:
        return None


def by_python(path: Path, cells: Cells) -> str | None:
    predict: Callable[[Any], str] = runpy.run_path(str(path))["predict"]
    try:
        return predict({"size": cells[0], "colour": cells[1]})
    except ValueError:
        return None


def by_c(path: Path, cells: Cells) -> str | None:
    if not path.with_suffix(".so").exists():
        source = path.rename(path.with_suffix(".c"))
        command = [compiler(), "-std=c99", "-shared", "-fPIC", "-o", path.with_suffix(".so"), source, "-lm"]
        subprocess.run(command, check=True)  # type: ignore[arg-type]
    label = ctypes.CDLL(str(path.with_suffix(".so"))).mcsvm_label
    label.restype = ctypes.c_char_p
    text = None if cells[1] is None else cells[1].encode()
    found = label((ctypes.c_double * 1)(cells[0]), (ctypes.c_char_p * 1)(text))
    return None if found is None else found.decode()


def by_onnx(path: Path, cells: Cells) -> str | None:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # it would print what it also raises
    session = onnxruntime.InferenceSession(path.read_bytes(), options, providers=["CPUExecutionProvider"])
    row = {"size": np.array([[cells[0]]]), "colour": np.array([[cells[1] or ""]], dtype=object)}
    try:
        return str(session.run(["label"], row)[0][0])
    except onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument:
        return None


def by_pmml(path: Path, cells: Cells) -> str | None:
    return evaluate(path, {"size": np.array([cells[0]]), "colour": np.array([cells[1] or ""], dtype=object)}, 1)[0][0]


ASKED = [
    "python",
    "pmml",
    pytest.param("onnx", marks=NO_ONNX),
    pytest.param("c", marks=NO_COMPILER),
]
ASK = {"python": by_python, "c": by_c, "onnx": by_onnx, "pmml": by_pmml}


ROWS: list[Cells] = [(0.3, "red"), (0.3, "mauve"), (NAN, "red"), (0.3, None)]


@pytest.mark.parametrize("unknown", ["zeros", "reject"])
@pytest.mark.parametrize("missing", ["reject", "mean"])
@pytest.mark.parametrize("name", ASKED)
def test_what_the_model_refuses_is_refused(name: str, missing: str, unknown: str, tmp_path: Path) -> None:
    trained = model(missing, unknown)
    path = tmp_path / "model"
    EXPORTERS[name].export(trained, path, dataset())
    for cells in ROWS:
        assert ASK[name](path, cells) == by_model(trained, cells), cells


@pytest.mark.parametrize(("unknown", "says"), [("reject", True), ("zeros", False)])
def test_json_says_what_is_refused(unknown: str, says: bool, tmp_path: Path) -> None:
    EXPORTERS["json"].export(model("mean", unknown), tmp_path / "m.json", dataset())
    assert json.loads((tmp_path / "m.json").read_text())["refused"]["unknown_levels"] is says


@pytest.mark.parametrize("unknown", ["reject", "zeros"])
def test_a_format_that_cannot_refuse_says_so(unknown: str, tmp_path: Path) -> None:
    EXPORTERS["libsvm"].export(model("mean", unknown), tmp_path / "m", dataset())
    says = (tmp_path / "m.names").read_text()
    assert "this format cannot refuse" in says
    assert ("texts not named here, which the model refuses" in says) == (unknown == "reject")


class Unknown(Rbf):
    name = "unknown"


@pytest.mark.parametrize("name", EXPORTERS)
def test_a_kernel_that_no_format_has_a_formula_for_is_refused(name: str, tmp_path: Path) -> None:
    """A new kernel can be trained and kept before any format learns it."""
    trained = model("reject", "reject")
    odd = replace(trained, model=replace(trained.model, kernel=Unknown(0.5)))
    with pytest.raises(InputError, match="no other program knows the kernel unknown"):
        EXPORTERS[name].export(odd, tmp_path / "model", dataset())
    assert list(tmp_path.iterdir()) == []


def test_formats_know_the_kernels_that_are_offered_first() -> None:
    assert {*WRITTEN} == {*names.KERNELS, *names.NOT_FOR_FILES}
