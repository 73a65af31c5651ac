"""Names from files do not control the terminal, whichever command prints them; files and JSON keep them."""

from __future__ import annotations

import csv
import unicodedata
from pathlib import Path

import pytest
from command_line import Answer, mcsvm

ESCAPE = "\x1b[31m"
CLASSES = f"{ESCAPE}red", "\x1b]0;owned\x07", "txt.\u202eexe"
COLUMNS = "\x1b[2Jclear", "\x9b1mbold", "so\u200bft"


def write_hostile(path: Path, rows: int = 60) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow([*COLUMNS, "label"])
        for row in range(rows):
            values = [(row % 3) + (row * step % 7) / 10 for step in (1, 3, 5)]
            writer.writerow([*values, CLASSES[row % 3]])
    return path


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    return write_hostile(tmp_path / f"{ESCAPE}rows\u202e.csv")


@pytest.fixture
def hostile_model(hostile: Path, tmp_path: Path) -> Path:
    path = tmp_path / f"{ESCAPE}model.mcsvm"
    assert_plain(mcsvm("train", hostile, "--model", path, "--calibrate", "temperature"))
    return path


def assert_plain(answer: Answer, *codes: int) -> Answer:
    """The terminal is not controlled, and the names can be recognised."""
    assert answer.code in (codes or (0,)), answer
    for text in (answer.out, answer.err):
        assert "Traceback" not in text
        assert {letter for letter in text if unicodedata.category(letter)[0] in "CZ"} <= {"\n", " ", "\u202f", "\xa0"}
        for line in text.splitlines():
            assert r"\n" not in line, "a line end of ours was escaped"
    return answer


@pytest.mark.slow
def test_commands_on_data(hostile: Path, tmp_path: Path) -> None:
    for words in (
        ("inspect", hostile),
        ("check", hostile),
        ("check", hostile, "--test", hostile),
        ("train", hostile, "--model", tmp_path / f"{ESCAPE}.mcsvm", "--trace", tmp_path / f"{ESCAPE}.csv"),
        ("curve", hostile, "--machine", "ova", "--folds", 2),
        ("tune", hostile, "--machine", "ova", "--C", "1", "--gamma", "1", "--folds", 2, "-o", tmp_path / ESCAPE),
        ("compare", hostile, "--machines", "ova,ovo", "--folds", 2, "--save", tmp_path / f"{ESCAPE}.toml"),
        ("run", tmp_path / f"{ESCAPE}.toml", "--report", tmp_path / f"{ESCAPE}.html"),
    ):
        answer = assert_plain(mcsvm(*words))
        assert r"\x1b[31m" in answer.out or words[0] == "curve"


@pytest.mark.slow
def test_commands_on_a_model(hostile: Path, hostile_model: Path, tmp_path: Path) -> None:
    written = tmp_path / f"{ESCAPE}out"
    for words in (
        ("verify", hostile_model, hostile),
        ("evaluate", hostile_model, hostile),
        ("explain", hostile_model, hostile, "--rows", "1,2"),
        ("explain", hostile_model, hostile, "--rows", "1", "--flip"),
        ("check", hostile, "--model", hostile_model),
        ("export", hostile_model, "--to", "json", "-o", f"{written}.json"),
        ("predict", hostile_model, hostile, "-o", f"{written}.csv"),
    ):
        assert_plain(mcsvm(*words))
    assert "\\x1b[31mred" in mcsvm("evaluate", hostile_model, hostile).out
    assert "\\x1b[2Jclear" in mcsvm("explain", hostile_model, hostile, "--rows", "1").out
    table = Path(f"{written}.csv").read_text("utf-8")
    assert set(CLASSES) <= {cell for row in csv.reader(table.splitlines()) for cell in row}
    assert mcsvm("predict", hostile_model, hostile).out == table, "what is no terminal receives the table as it is"
    evaluation = mcsvm("evaluate", hostile_model, hostile, "--json")
    assert set(CLASSES) <= set(evaluation.document["roc_auc"])
    assert evaluation.out.isascii()


@pytest.mark.parametrize(
    "words",
    [
        ("inspect", "{nothing}"),
        ("train", "{nothing}"),
        ("predict", "{nothing}", "{hostile}"),
        ("run", "{nothing}"),
        ("report", "{nothing}", "-o", "r.html"),
        ("train", "{hostile}", "--label", "\x1b[1mnone"),
        ("train", "{hostile}", "--machine", "\x1b[1mnone"),
        ("train", "{hostile}", "--where", "\x1b[1mnone=1"),
        ("\x1b[1mnone",),
        ("predict", "{hostile}", "{hostile}"),
        ("report", "{hostile}", "-o", "r.html"),
    ],
    ids=str,
)
def test_errors(words: tuple[str, ...], hostile: Path, tmp_path: Path) -> None:
    places = {"nothing": tmp_path / f"{ESCAPE}nothing", "hostile": hostile}
    answer = assert_plain(mcsvm(*(word.format(**places) for word in words)), 2)
    assert answer.complaint


@pytest.mark.slow
def test_cells_of_other_rows_are_named_plainly(hostile: Path, hostile_model: Path, tmp_path: Path) -> None:
    strange = tmp_path / "strange.csv"
    strange.write_text(hostile.read_text("utf-8").replace("0.1,", "\x1b[5mblink,", 1), "utf-8")
    for words in (("train", strange), ("predict", hostile_model, strange), ("inspect", strange), ("check", strange)):
        assert_plain(mcsvm(*words), 0, 2)
