"""No name breaks out of the file it is written to."""

from __future__ import annotations

import ast
import json
import re
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pytest
from export_models import (
    FORMATS,
    HOSTILE,
    KERNELS,
    NO_COMPILER,
    Trained,
    dataset_of,
    iris,
    mixed,
    one_in_three,
    trained_on,
)
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.export import EXPORTERS, c, pmml, python
from mcsvm_gui.core.export.c.literals import literal
from mcsvm_gui.core.export.c.trial import compiler
from mcsvm_gui.core.export.flat_model import flat_model

pytestmark = pytest.mark.filterwarnings("ignore:The training (ended|stalled)")  # models that need not be good

ANY = st.text(st.characters())  # with surrogates
NAMES = st.lists(st.text(min_size=1, max_size=12), min_size=3, max_size=3, unique=True)


def named(columns: list[str], levels: list[str], classes: list[str]) -> Dataset:
    """A number, a category, and three classes that follow from them."""
    rng = np.random.default_rng(1)
    value, which = rng.normal(size=36), np.arange(36) % 3
    label = np.where(value > 0.4, 2, which % 2)
    table = pd.DataFrame(
        {columns[0]: value, columns[1]: pd.Series(np.array(levels, dtype=object)[which], dtype=object)}
    )
    return dataset_of(table, np.array(classes, dtype=object)[label])


@pytest.mark.parametrize("name", FORMATS)
@given(columns=NAMES, levels=NAMES, classes=NAMES)
@example(columns=["label", "scores", "x"], levels=["\n", '"', "\\"], classes=["??/", "%d\\n", "{}"])
@example(columns=["_0", "n_0", "x"], levels=["0", "None", "nan"], classes=["1", "1.0", "01"])
@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_any_names(name: str, columns: list[str], levels: list[str], classes: list[str]) -> None:
    rows = named(columns, levels, classes)
    trained = trained_on(rows, machine="ova", kernel="linear", C=1.0, tol=0.1)
    if EXPORTERS[name].refusal(trained) is None:
        with TemporaryDirectory() as folder:
            receipt = EXPORTERS[name].export(trained, Path(folder) / "model", rows)
            assert "36 rows, every label" in receipt.sentence


@given(ANY)
@example("\x00\x7f\x80\ud800 ??/ \\")
def test_python_literals(text: str) -> None:
    written = python._literal(text)
    assert ast.literal_eval(written) == text
    assert written.isascii()
    assert "\n" not in written


@given(ANY)
@example("1" * 1000 + "é" * 500)
@example("\x00" + "1")
def test_c_literals(text: str) -> None:
    written = literal(text)
    assert re.fullmatch(r'("([\w \-+.,:;()=<>]|\\[0-7]{3})*" ?)+', written, re.ASCII)
    inside = "".join(re.findall(r'"([^"]*)"', written))
    decoded = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), inside).encode("latin-1")
    assert decoded == text.encode("utf-8", "surrogatepass")


@NO_COMPILER
def test_the_compiler_reads_the_same(tmp_path: Path) -> None:
    texts = [*HOSTILE, "".join(map(chr, range(1, 0x180))), "é" * 3000]
    lines = "".join(f"puts({literal(text)});" for text in texts)
    (tmp_path / "m.c").write_text(f"#include <stdio.h>\nint main(void) {{ {lines} return 0; }}\n")
    command = [compiler(), "-std=c99", "-Wall", "-Werror", "-o", tmp_path / "m", tmp_path / "m.c"]
    subprocess.run(command, check=True)  # type: ignore[arg-type]
    said = subprocess.run([tmp_path / "m"], capture_output=True, check=True).stdout
    assert said == "".join(f"{text}\n" for text in texts).encode()


@NO_COMPILER
@pytest.mark.parametrize(("machine", "kernel"), one_in_three(["ww", "ovo", "dag"], list(KERNELS)))
def test_c_without_a_warning(machine: str, kernel: str, tmp_path: Path) -> None:
    for number, data in enumerate((iris(), mixed())):
        trained = trained_on(data, machine=machine, kernel=kernel, gamma=0.1, max_iter=100)
        (tmp_path / f"{number}.c").write_bytes(c.written(flat_model(trained))[""])
        command = [compiler(), "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-c", f"{number}.c"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)  # type: ignore[arg-type]
        assert (done.returncode, done.stderr) == (0, "")


def strange(text: str) -> Any:
    """A model with a class of that name."""
    trained = trained_on(iris(), machine="ww", kernel="linear")
    return Trained(trained.model, (text, "b", "c"), trained.preparation, trained.request, trained.certificate)


@pytest.mark.parametrize(
    ("name", "text"), [("pmml", "bell \x07"), ("pmml", "half \ud800"), ("c", "end \0 more"), ("onnx", "half \ud800")]
)
def test_what_a_format_cannot_spell_is_refused(name: str, text: str) -> None:
    assert "use " in (EXPORTERS[name].refusal(strange(text)) or "")
    for other in ("json", "python", "libsvm"):
        assert EXPORTERS[other].refusal(strange(text)) is None


def test_pmml_names_no_field_twice(tmp_path: Path) -> None:
    data = named(["label", "feature_1", ""], ["a", "b", "c"], ["x", "y", "z"])
    text = pmml.written(flat_model(trained_on(data, machine="ww", kernel="linear")))[""].decode()
    names = re.findall(r'<(?:DataField|DerivedField) name="([^"]*)"', text)
    assert len(set(names)) == len(names) == 7


def test_a_line_stays_a_line_in_the_names_of_libsvm(tmp_path: Path) -> None:
    trained = trained_on(mixed(), machine="ww", kernel="linear")
    EXPORTERS["libsvm"].export(trained, tmp_path / "m", mixed())
    lines = (tmp_path / "m.names").read_text("ascii").splitlines()
    labels = [json.loads(line.partition(" = ")[2]) for line in lines if line.startswith("label ")]
    assert tuple(labels) == trained.class_names
    assert sum(line.startswith("feature ") for line in lines) == len(trained.preparation.features)
