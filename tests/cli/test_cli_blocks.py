"""mcsvm predict on files of many blocks: what it says and writes of them in one piece, bit for bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import mcsvm

from mcsvm_gui.cli.commands import predict
from mcsvm_gui.core.data.blocks import content, cutting
from mcsvm_gui.core.evaluate.streamed import StreamOutcome

ROWS = 9000  # more than two groups of rows that are decided together


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Numbers and categories with labels; a model of each machine, trained on the first rows."""
    folder, rng = tmp_path_factory.mktemp("blocks"), np.random.default_rng(0)
    labels = rng.integers(0, 3, ROWS)
    values = rng.normal(size=(ROWS, 2)) + labels[:, None]
    points = list(zip(values.tolist(), labels, strict=True))
    rows = [f"{a!r},{b!r},{'uvw'[label]},class {label}\n" for (a, b), label in points]
    rows[5000] = rows[5000].replace("class", "unknown")
    (folder / "train.csv").write_text("a,b,word,label\n" + "".join(rows[:300]), "utf-8")
    (folder / "all.csv").write_text("a,b,word,label\n" + "".join(rows), "utf-8")
    holes = [f",{row.partition(',')[2]}" if number % 1000 == 7 else row for number, row in enumerate(rows)]
    (folder / "holes.csv").write_text("a,b,word,label\n" + "".join(holes), "utf-8")
    pairs = [f"{label} 1:{a!r} 2:{b!r}\n" for (a, b), label in points]
    (folder / "train.libsvm").write_text("".join(pairs[:300]), "utf-8")
    (folder / "all.libsvm").write_text("".join(pairs), "utf-8")
    for machine, data in (("ww", "train.csv"), ("dag", "train.csv"), ("ovo", "train.libsvm")):
        model = folder / f"{machine}.mcsvm"
        answer = mcsvm("train", folder / data, "--machine", machine, "--calibrate", "temperature", "--model", model)
        assert answer.code == 0, answer.err
    return folder


@pytest.fixture
def blocks(monkeypatch: pytest.MonkeyPatch) -> Any:
    def use(size: int) -> None:
        monkeypatch.setattr(cutting, "BLOCK", size)
        monkeypatch.setattr(cutting, "ROWS", 10)
        monkeypatch.setattr(content, "PIECE", size // 3)

    return use


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "data", "more"),
    [
        ("ww", "all.csv", ["--proba", "--scores"]),
        ("dag", "all.csv", ["--scores"]),
        ("ww", "all.csv", ["--reject", "0.7"]),
        ("ww", "holes.csv", ["--missing", "drop", "--proba"]),
        ("ovo", "all.libsvm", ["--proba", "--scores", "--reject", "0.6"]),
    ],
)
def test_the_same_bits_and_words(
    folder: Path, tmp_path: Path, blocks: Any, model: str, data: str, more: list[str]
) -> None:
    found = []
    for size in (1 << 30, 20_000):
        blocks(size)
        out = tmp_path / "out.csv"
        answer = mcsvm("predict", folder / f"{model}.mcsvm", folder / data, *more, "-o", out, "--json")
        assert answer.code == 0, answer.err
        printed = mcsvm("predict", folder / f"{model}.mcsvm", folder / data, *more)
        assert printed.out == out.read_text("utf-8")
        found.append((answer.document, out.read_bytes(), printed.err))
    assert found[0] == found[1]
    assert found[0][0]["n_rows"] == ROWS


@pytest.mark.parametrize("where", ["file", "standard output"])
def test_an_error_far_down_leaves_nothing(folder: Path, tmp_path: Path, blocks: Any, where: str) -> None:
    blocks(20_000)
    data, out = tmp_path / "data.csv", tmp_path / "out.csv"
    lines = (folder / "all.csv").read_text("utf-8").splitlines(keepends=True)
    lines[8000] = "far,0.5,u,class 0\n"
    data.write_text("".join(lines), "utf-8")
    complaint = mcsvm("predict", folder / "ww.mcsvm", data, *(["-o", out] if where == "file" else [])).complaint
    assert 'data.csv:8001: column "a": "far" (line 8001) is no number while other cells are' in complaint
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]


def test_missing_cells_are_refused_with_their_lines(folder: Path, blocks: Any) -> None:
    blocks(20_000)
    complaint = mcsvm("predict", folder / "ww.mcsvm", folder / "holes.csv").complaint
    assert "holes.csv:9: 9 cells of 9000 rows missing (line 9 column a, line 1009 column a," in complaint


def test_ctrl_c_between_blocks_leaves_nothing(
    folder: Path, tmp_path: Path, blocks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks(20_000)

    class Stopped(StreamOutcome):
        def add(self, *arguments: Any) -> None:
            super().add(*arguments)
            if self.rows > ROWS // 2:
                raise KeyboardInterrupt

    monkeypatch.setattr(predict, "StreamOutcome", Stopped)
    answer = mcsvm("predict", folder / "ww.mcsvm", folder / "all.csv", "-o", tmp_path / "out.csv")
    assert (answer.code, answer.out, answer.err) == (130, "", "")
    assert list(tmp_path.iterdir()) == []
