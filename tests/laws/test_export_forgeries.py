"""No altered export that predicts something else passes `mcsvm verify --export`; honest exports are confirmed.

What an alteration changes is measured by the outputs of the altered file itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import forging
import numpy as np
import pytest
from command_line import mcsvm
from small_table import clouds

from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.evaluate.verification.parts import Status
from mcsvm_gui.core.export import EXPORTERS
from mcsvm_gui.core.export.c.trial import compiler
from mcsvm_gui.core.export.checked import FilePrediction, ask
from mcsvm_gui.core.export.probe import of_dataset
from mcsvm_gui.core.export.verification import verify_export
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import train
from mcsvm_gui.core.machine.trained import TrainedModel

ROWS = clouds(30, 3)
CASES: dict[str, dict[str, Any]] = {
    "ww": {"machine": "ww"},
    "dag": {"machine": "dag"},
    "linear": {"machine": "cs", "kernel": "linear"},
    "small C": {"machine": "ova", "C": 1e-9},
    "large C": {"machine": "ovo", "C": 1e6},
    "calibrated": {"machine": "ovo", "calibrate": "pairwise", "calibration_folds": 3},
    "temperature": {"machine": "ww", "calibrate": "temperature", "calibration_folds": 3},
}
NUMBER = re.compile(rb"(?<![\w.])-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?(?![\w.])")
POSITIONS = {"c": 25, "python": 25}  # programs are started for each alteration
CHANGE = 1e-6  # of the largest score, or of a probability
SHARE = 9


def _json(content: bytes, count: int) -> Iterator[tuple[str, bytes]]:
    document = json.loads(content)
    for left_out in ("request", "certificate"):  # no prediction is made of these
        document[left_out] = {}
    for place in forging.places(document):
        for name, value in forging.alterations(document, place):
            altered = deepcopy(document)
            forging.put(altered, place, value)
            yield f"{place} {name}", json.dumps(altered).encode()


def _numbers(content: bytes, count: int) -> Iterator[tuple[str, bytes]]:
    """Single numbers of a text: another sign, twice as large, exchanged with the next."""
    found = list(NUMBER.finditer(content))
    for place in np.unique(np.linspace(0, len(found) - 2, min(count, len(found) - 1)).astype(int)).tolist():
        one, other = found[place], found[place + 1]
        text = one[0]
        sign = text[1:] if text.startswith(b"-") else b"-" + text
        for name, value in (("sign", sign), ("twice", b"%r" % (2.0 * float(text)) if b"." in text else b"1" + text)):
            yield f"{text!r} at {one.start()} {name}", content[: one.start()] + value + content[one.end() :]
        between = content[one.end() : other.start()]
        yield (
            f"{text!r} at {one.start()} exchanged",
            content[: one.start()] + other[0] + between + text + content[other.end() :],
        )


def _onnx(content: bytes, count: int) -> Iterator[tuple[str, bytes]]:
    onnx = pytest.importorskip("onnx")
    model = onnx.load_from_string(content)
    for place, tensor in enumerate(model.graph.initializer):
        array = onnx.numpy_helper.to_array(tensor)
        for name, alter in forging.ARRAYS.items():
            if array.dtype.kind not in "fi" and name not in ("reversed", "rolled"):
                continue
            if name in ("shorter",) or (name.startswith("columns") and array.ndim < 2) or not array.ndim:
                continue
            changed = alter(array.copy())
            if changed is None or np.array_equal(changed, array):
                continue
            altered = onnx.ModelProto()
            altered.CopyFrom(model)
            made = onnx.numpy_helper.from_array(np.asarray(changed, dtype=array.dtype), tensor.name)
            altered.graph.initializer[place].CopyFrom(made)
            yield f"{tensor.name} {name}", altered.SerializeToString()


ALTERATIONS: dict[str, Callable[[bytes, int], Iterator[tuple[str, bytes]]]] = {"json": _json, "onnx": _onnx}


def _needed(name: str) -> None:
    if name == "onnx":
        pytest.importorskip("onnxruntime")
    if name == "c" and compiler() is None:
        pytest.skip("there is no C compiler here")


def _asked(trained: TrainedModel, name: str, path: Path) -> FilePrediction | None:
    """What the file predicts, by the first program that can be asked; None if it cannot be read."""
    plain = EXPORTERS[name].code.layout(trained)
    try:
        with np.errstate(all="ignore"):
            return ask(EXPORTERS[name].code.PREDICTORS[0], path, plain, of_dataset(plain, trained, ROWS))
    except Exception:
        return None


def _changes(before: FilePrediction, after: FilePrediction | None) -> bool:
    if after is None or after.labels is None:
        return True
    changed = not np.array_equal(before.labels, after.labels)
    for one, other in ((before.scores, after.scores), (before.probabilities, after.probabilities)):
        if one is not None and other is not None:
            far = one.shape != other.shape or not np.abs(one - other).max() <= CHANGE * np.abs(one).max()
            changed = changed or bool(far)
    return changed


def _forged(name: str, case: str, folder: Path, each: int = 1) -> tuple[int, int, list[str]]:
    """How many alterations were tried, how many were accepted, and which of these change what the file predicts."""
    trained = train(Request(**CASES[case]), ROWS).trained
    exporter = EXPORTERS[name]
    if exporter.refusal(trained) is not None:
        pytest.skip("this format cannot hold the model")
    path = folder / f"model{exporter.suffix}"
    exporter.export(trained, path, ROWS)
    assert verify_export(trained, str(path), ROWS).status is Status.VERIFIED
    content, before = path.read_bytes(), _asked(trained, name, path)
    assert before is not None
    tried, accepted, changing = 0, 0, []
    alter = ALTERATIONS.get(name, _numbers)
    for number, (what, altered) in enumerate(alter(content, POSITIONS.get(name, 150))):
        if number % each:
            continue
        tried += 1
        path.write_bytes(altered)
        if verify_export(trained, str(path), ROWS).status is Status.VERIFIED:
            accepted += 1
            if _changes(before, _asked(trained, name, path)):
                changing.append(what)
    return tried, accepted, changing


@pytest.mark.parametrize("case", ["ww", "calibrated"])
def test_some_altered_files_are_found(case: str, tmp_path: Path) -> None:
    tried, _, changing = _forged("json", case, tmp_path, SHARE)
    assert tried > 20
    assert not changing


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    "case", [case if case == "calibrated" else pytest.param(case, marks=pytest.mark.large) for case in CASES]
)
@pytest.mark.parametrize("name", EXPORTERS)
def test_altered_files_that_predict_something_else_are_found(name: str, case: str, tmp_path: Path) -> None:
    _needed(name)
    tried, accepted, changing = _forged(name, case, tmp_path)
    print(f"\n{name}, {case}: {tried} forgeries, {accepted} accepted, {len(changing)} of these predict something else")
    assert tried > 20
    assert not changing


@pytest.mark.parametrize(
    ("name", "insert"),
    [("python", b"import os\n"), ("c", b"int system(const char *);\n"), ("python", b"("), ("c", b'"??/"')],
)
def test_a_program_with_other_code_is_not_run(
    name: str, insert: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained = train(Request(), ROWS).trained
    path = tmp_path / f"model{EXPORTERS[name].suffix}"
    path.write_bytes(insert + EXPORTERS[name].code.written(EXPORTERS[name].code.layout(trained))[""])
    monkeypatch.setattr("mcsvm_gui.core.base.programs.run", lambda *_: pytest.fail("it was run"))
    found = verify_export(trained, str(path), ROWS)
    assert found.status is Status.DIFFERS
    assert "so it was not run" in found.detail


def test_without_a_compiler_nothing_is_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trained = train(Request(), ROWS).trained
    path = tmp_path / "model.c"
    path.write_bytes(EXPORTERS["c"].code.written(EXPORTERS["c"].code.layout(trained))[""])
    monkeypatch.setattr("mcsvm_gui.core.export.c.trial.compiler", lambda: None)
    found = verify_export(trained, str(path), ROWS)
    assert found.status is Status.NOT_VERIFIABLE
    assert "no C compiler" in found.detail


def _file(rows: Dataset, path: Path) -> Path:
    assert rows.table is not None
    rows.table.assign(label=rows.labels).to_csv(path, index=False)
    return path


def test_the_command_compares_several_files_on_any_rows(tmp_path: Path) -> None:
    data, other = _file(ROWS, tmp_path / "rows.csv"), _file(clouds(50, 3), tmp_path / "other.csv")
    model, wrong = tmp_path / "m.mcsvm", tmp_path / "wrong.json"
    assert mcsvm("train", data, "--model", model, "--quiet").code == 0
    exports = [tmp_path / "m.json", tmp_path / "m.pmml"]
    for path in exports:
        assert mcsvm("export", model, "--to", path.suffix[1:], "-o", path, "--quiet").code == 0
    answer = mcsvm("verify", model, other, "--json", "--export", *exports)
    assert answer.code == 0
    assert [one["result"] for one in answer.document["exports"]] == ["verified", "verified"]
    document = json.loads(exports[0].read_bytes())
    document["bias"][0] += 1.0
    wrong.write_text(json.dumps(document), "utf-8")
    answer = mcsvm("verify", model, other, "--export", exports[1], wrong)
    assert answer.code == 2
    assert "wrong.json: not what the model predicts" in answer.err
    assert "the endings of exports are" in mcsvm("verify", model, other, "--export", data).complaint
