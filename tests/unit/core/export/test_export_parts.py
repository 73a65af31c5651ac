"""Python source that holds words and parts of dates: it takes rows as files spell them."""

from __future__ import annotations

import datetime
import runpy
from pathlib import Path

import numpy as np
import pytest
from export_models import FORMATS, NO_ONNX
from hypothesis import given
from hypothesis import strategies as st

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.data.options import DATE_PARTS, ReadOptions, Rules
from mcsvm_gui.core.data.preparation.date_parts import PARTS, part_of
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.export import EXPORTERS, HOLDERS, onnx
from mcsvm_gui.core.export.date_formulas import evaluated, formula
from mcsvm_gui.core.export.flat_model import flat_model
from mcsvm_gui.core.export.probe import of_dataset
from mcsvm_gui.core.machine import model_file
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import train
from mcsvm_gui.core.machine.trained import TrainedModel

TABLE = "when,note,size,colour,label\n" + "".join(
    f"2024-{1 + j % 12:02}-0{1 + j % 9} {j % 24:02}:15,{['corn and wheat', 'GOLD; silver'][j % 2]} {j % 5},"
    f"{'' if j % 4 == 0 else j},{['red', 'blue', 'green', ''][j % 4]},{'ab'[j % 2]}\n"
    for j in range(40)
)
RULES = Rules(missing="category", missing_indicator=True, min_frequency=15, ngrams="1:2", stop_words="english")


def trained(tmp_path: Path, rules: Rules = RULES) -> TrainedModel:
    path = tmp_path / "t.csv"
    path.write_text(TABLE)
    read = ReadOptions(text=("note",), dates=("when",))
    return train(Request(kernel="rbf", rules=rules, read=read, data=str(path)), open_dataset(path, read)).trained


def test_rows_as_they_are_spelled(tmp_path: Path) -> None:
    model = trained(tmp_path)
    receipt = EXPORTERS["python"].export(model, tmp_path / "m.py")
    assert "40 training rows, every label as the model's" in receipt.sentence
    module = runpy.run_path(str(tmp_path / "m.py"))
    rows = [line.split(",")[:-1] for line in TABLE.splitlines()[1:]]
    expected = [module["scores"](row) for row in rows]
    for row, scores in zip(rows, expected, strict=True):
        moment = datetime.datetime.fromisoformat(row[0])
        assert module["scores"]([moment, *row[1:]]) == scores
        assert module["scores"](dict(zip(module["COLUMNS"], row, strict=True))) == scores
    with pytest.raises(ValueError, match="isoformat"):
        module["predict"](["yesterday", *rows[0][1:]])


@pytest.mark.parametrize("name", sorted(set(EXPORTERS) - set(HOLDERS["words"])))
def test_other_formats_refuse_in_a_sentence(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="learns from words, which this format cannot hold; use onnx, json, python"):
        EXPORTERS[name].export(trained(tmp_path), tmp_path / "out")
    assert not (tmp_path / "out").exists()


RULED = {
    "words and all": Rules(missing="category", missing_indicator=True, min_frequency=15, stop_words="english"),
    "every part": Rules(missing="mean", date_parts=tuple(DATE_PARTS), scale="standard"),
    "several words": RULES,
    "letters": Rules(missing="median", analyzer="char_wb", ngrams="2:4", missing_indicator=True),
    "neighbors": Rules(missing="knn", missing_indicator=True),
}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("case", RULED)
def test_a_format_that_takes_the_model_decides_alike(tmp_path: Path, case: str, name: str) -> None:
    model = trained(tmp_path, RULED[case])
    reason = EXPORTERS[name].refusal(model)
    if reason is not None:
        assert "use " in reason
        return
    receipt = EXPORTERS[name].export(model, tmp_path / "out")
    assert "every label as the model's" in receipt.sentence
    assert "border" not in receipt.sentence


@NO_ONNX
def test_onnx_has_the_scores_of_the_model(tmp_path: Path) -> None:
    import onnxruntime

    lines = ["said,when,size,kind,label"]
    texts = ["Corn, corn a\u00a0WHEAT", "GOLD_1; x straße", "naïve\u2013café corn", ""]
    texts += ["über über 日本 ж corn2", "ÄÖ äö Ж"]
    lines += [
        f'"{texts[j % 6]} {j % 4}7",19{j + 10}-02-28T0{j % 9}:30,{j if j % 5 else ""},{"uvw"[j % 3]},{"ab"[j % 2]}'
        for j in range(60)
    ]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    read = ReadOptions(text=("said",), dates=("when",))
    rules = Rules(missing="median", missing_indicator=True, min_frequency=2, date_parts=tuple(DATE_PARTS))
    data = open_dataset(path, read)
    model = train(Request(kernel="rbf", rules=rules, read=read, data=str(path)), data).trained
    EXPORTERS["onnx"].export(model, tmp_path / "m.onnx")
    session = onnxruntime.InferenceSession(str(tmp_path / "m.onnx"))
    plain = flat_model(model)
    for rows in (np.arange(60), np.array([3])):
        probe = of_dataset(plain, model, data.take(rows))
        (scores,) = session.run(["scores"], onnx.feed(plain, probe))
        assert np.allclose(scores, model.model.decision(model.preparation.apply(data.take(rows)).rows), atol=1e-9)


@given(st.lists(st.floats(-6e10, 2.5e11), min_size=1, max_size=50))
def test_formulas_give_the_parts_of_dates(seconds: list[float]) -> None:
    """From the year 69 to 9892."""
    values = np.array(seconds)
    for part in PARTS:
        assert np.allclose(evaluated(formula(part), values), part_of(values, part), rtol=0, atol=1e-9), part


def test_without_rows_to_try_it_on(tmp_path: Path) -> None:
    model_file.save(tmp_path / "m.mcsvm", trained(tmp_path))
    (tmp_path / "t.csv").unlink()
    with pytest.raises(InputError, match="no rows to try it on"):
        EXPORTERS["python"].export(model_file.load(tmp_path / "m.mcsvm"), tmp_path / "out.py")
    assert not (tmp_path / "out.py").exists()
