"""The form of questions about a file: what it offers must be what the readers take and guess."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from mcsvm_gui.core.base import resources
from mcsvm_gui.core.data import form as data_form
from mcsvm_gui.core.data.dataset import Dataset, NumberedColumns
from mcsvm_gui.core.data.form import OPTIONS, applied, columns_of, reading_form
from mcsvm_gui.core.data.formats import READERS
from mcsvm_gui.core.data.options import HEADERS
from mcsvm_gui.core.data.readers import ReadOptions, open_dataset

ROWS = [(5.5, 1.25, "yes"), (4.0, 2.5, "no"), (3.25, 8.0, "yes"), (1.5, 7.75, "no")]


def written(folder: Path, separator: str = ",", decimal: str = ".", header: bool = True) -> Path:
    lines = [("x", "z", "class")] if header else []
    lines += [(str(x).replace(".", decimal), str(z).replace(".", decimal), name) for x, z, name in ROWS]  # type: ignore[misc]
    path = folder / "made.csv"
    path.write_text("".join(separator.join(line) + "\n" for line in lines))
    return path


def fields_of(path: Path, read: ReadOptions | None = None) -> dict[str, data_form.Field]:
    read = read or ReadOptions()
    return {field.option: field for field in reading_form(read, open_dataset(path, read))}


def test_every_answer_is_one_that_reading_takes(tmp_path: Path) -> None:
    for field in reading_form(ReadOptions(), None):
        for answer in field.answers:
            assert isinstance(applied(ReadOptions(), field.option, answer.value), ReadOptions)
    offered = {field.option: [answer.value for answer in field.answers] for field in reading_form(ReadOptions(), None)}
    assert tuple(offered) == OPTIONS
    assert {"auto", *filter(None, offered["format"])} == {"auto", *READERS}
    assert {"auto", *filter(None, offered["header"])} == set(HEADERS)
    for encoding in filter(None, offered["encoding"]):
        assert "x".encode(encoding)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " "])
def test_a_guessed_separator_is_said_in_the_words_of_its_answer(tmp_path: Path, separator: str) -> None:
    path = written(tmp_path, separator)
    field = fields_of(path)["separator"]
    assert field.guessed
    assert field.value is None
    words = field.answers[0].text.removeprefix("Guessed: ")
    same = next(answer.value for answer in field.answers[1:] if answer.text == words)
    told = open_dataset(path, applied(ReadOptions(), "separator", same))
    assert told.table is not None
    assert told.table.equals(open_dataset(path).table)
    shown = fields_of(path, applied(ReadOptions(), "separator", same))["separator"]
    assert (shown.value, shown.guessed) == (same, False)


@pytest.mark.slow
def test_each_guess_of_a_reader_appears_at_its_control(tmp_path: Path) -> None:
    for path in (written(tmp_path, ";", ","), *(resources.folder() / "datasets").glob("*.csv")):
        guesses = {guess.option.lstrip("-") for guess in open_dataset(path).guesses}
        assert {option for option, field in fields_of(path).items() if field.guessed} == guesses
        assert guesses <= set(OPTIONS)


def test_any_column_can_be_the_label_and_comes_back_as_such(tmp_path: Path) -> None:
    path = written(tmp_path)
    label = fields_of(path)["label"]
    assert (label.value, label.guessed) == ("class", True)
    assert {answer.value for answer in label.answers} == {"x", "z", "class"}
    for answer in label.answers:
        read = applied(ReadOptions(), "label", answer.value)
        assert open_dataset(path, read).label_name == answer.value
        assert fields_of(path, read)["label"].value == answer.value


def test_columns_of_numbers_can_be_weights_and_come_back_as_such(tmp_path: Path) -> None:
    path = written(tmp_path)
    weights = fields_of(path)["weights"]
    assert [(answer.value, answer.text) for answer in weights.answers] == [(None, "none"), ("x", "x"), ("z", "z")]
    read = applied(ReadOptions(), "weights", "z")
    assert open_dataset(path, read).weight_name == "z"
    fields = fields_of(path, read)
    assert fields["weights"].value == "z"
    assert [answer.value for answer in fields["weights"].answers] == [None, "x", "z"]
    assert [answer.value for answer in fields["label"].answers] == ["x", "class"]


def test_what_a_format_does_not_ask_is_closed_with_a_reason(tmp_path: Path) -> None:
    path = tmp_path / "made.libsvm"
    path.write_text("1 1:2 3:4\n2 2:1\n1 1:1\n")
    closed = {option for option, field in fields_of(path).items() if field.reason}
    columns = {"label", "date_order", "spellings", "weights", "groups", "fold_column", "table", "query"}
    assert closed == columns | {"skip_lines", "header", "separator", "decimal"}


def test_a_long_list_of_columns_is_cut_and_may_be_typed_into(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    names = [f"c{number}" for number in range(data_form.MOST_COLUMNS + 50)]
    lines = [[*names, "class"], *([str(row * k % 7) for k in range(len(names))] + ["ab"[row % 2]] for row in range(4))]
    path.write_text("".join(",".join(line) + "\n" for line in lines))
    label = fields_of(path)["label"]
    assert len(label.answers) <= data_form.MOST_COLUMNS + 1
    assert label.free
    assert label.value == "class"
    assert label.value in [answer.value for answer in label.answers]


def test_the_columns_of_a_file_without_classes_are_known(tmp_path: Path) -> None:
    path = tmp_path / "made.csv"
    path.write_text("a,b\n" + "".join(f"{i},{i / 3}\n" for i in range(50)))
    assert columns_of(str(path), ReadOptions()) == ("a", "b")
    assert columns_of(str(tmp_path / "nowhere.csv"), ReadOptions()) == ()


def test_a_million_numbered_columns_are_not_listed() -> None:
    matrix = sp.csr_array((2, 1_000_000))
    labels = np.array(["a", "b"], dtype=object)
    data = Dataset("x", "libsvm", NumberedColumns(1, 1_000_000), None, matrix, "label", labels, None, (), (), "0")
    label = reading_form(ReadOptions(), data)[0]
    assert [answer.value for answer in label.answers] == ["label"]
