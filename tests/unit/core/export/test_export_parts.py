"""Python source that holds words and parts of dates: it takes rows as files spell them."""

from __future__ import annotations

import datetime
import runpy
from pathlib import Path

import pytest

from mcsvm_gui.core.data.options import ReadOptions, Rules
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.export import EXPORTERS
from mcsvm_gui.core.machine import model_file
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import train
from mcsvm_gui.core.machine.trained import TrainedModel
from solvers.errors import InputError

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


@pytest.mark.parametrize("name", [name for name in EXPORTERS if name != "python"])
def test_other_formats_refuse_in_a_sentence(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"cannot hold|no other program"):
        EXPORTERS[name].export(trained(tmp_path), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_no_format_holds_neighbors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="filled from training rows, which no format holds"):
        EXPORTERS["python"].export(trained(tmp_path, Rules(missing="knn")), tmp_path / "out")


def test_without_rows_to_try_it_on(tmp_path: Path) -> None:
    model_file.save(tmp_path / "m.mcsvm", trained(tmp_path))
    (tmp_path / "t.csv").unlink()
    with pytest.raises(InputError, match="no rows to try it on"):
        EXPORTERS["python"].export(model_file.load(tmp_path / "m.mcsvm"), tmp_path / "out.py")
    assert not (tmp_path / "out.py").exists()
