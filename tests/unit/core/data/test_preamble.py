"""Lines above the header are skipped: as many as are asked for, or as the file shows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.readers import ReadOptions, open_dataset
from tests import lab_files
from tests.lab_files import PREAMBLE, LabFile

SMALL = lab_files.spectra(rows=60, points=6, missing=4, seed=2)


def guess(dataset: object) -> str | None:
    return next((one.value for one in dataset.guesses if one.option == "--skip-lines"), None)  # type: ignore[attr-defined]


def opened(lab: LabFile, tmp_path: Path, options: ReadOptions = ReadOptions()):  # noqa: B008 - a frozen value
    return open_dataset(lab.write(tmp_path / "lab.csv"), options)


@pytest.mark.parametrize(
    "preamble",
    [
        PREAMBLE,
        ["NIR-7"],
        ["Operator: Keller, M.", "Lamp: on, new"],
        ["Instrument;NIR-7", "Operator;M. Keller", "Room;3, left"],
        ["Serial no.\t17", "", "", 'Comment: a "quoted" word, and one more'],
        [f"Setting {number}: {number * 7}" for number in range(40)],
        ["# a comment", "Instrument: NIR-7", "# and another"],
    ],
)
@pytest.mark.parametrize("german", [False, True])
def test_they_are_guessed_and_said(tmp_path: Path, preamble: list[str], german: bool) -> None:
    lab = SMALL.german() if german else SMALL
    found = opened(lab.with_preamble(preamble), tmp_path)
    plain = opened(lab, tmp_path)
    assert guess(found) == str(len(preamble))
    assert found.rows == SMALL.rows
    assert [column.name for column in found.columns] == [column.name for column in plain.columns]
    assert found.table.equals(plain.table)
    assert found.labels.tolist() == SMALL.labels
    assert (found.lines == plain.lines + len(preamble)).all()
    assert found.row_numbers.tolist() == list(range(1, SMALL.rows + 1))
    sentence = next(str(one.sentence) for one in found.notices if one.code == "skipped-lines")
    assert sentence.startswith(f"{len(preamble)} line")


def test_as_many_as_are_asked_for_are_skipped(tmp_path: Path) -> None:
    lab = SMALL.with_preamble(["a,b", "c,d"])
    assert opened(lab, tmp_path, ReadOptions(skip_lines=2)).rows == SMALL.rows
    assert guess(opened(lab, tmp_path, ReadOptions(skip_lines=2))) is None
    with pytest.raises(FileError, match="fields where"):
        opened(lab, tmp_path, ReadOptions(skip_lines=0))
    with pytest.raises(FileError, match="nothing below them"):
        opened(lab, tmp_path, ReadOptions(skip_lines=900))


def test_rows_may_be_skipped_and_the_next_names_the_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("x,y,label\nx [mm],y [mm],-\n" + "1,2,a\n2,1,b\n" * 5, "utf-8")
    found = open_dataset(path, ReadOptions(skip_lines=1, label="-"))
    assert [column.name for column in found.columns] == ["x [mm]", "y [mm]"]
    assert found.rows == 10


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,2,x\n3,4,y\n",  # names of rows, or a name too few
        "a,b,label\n1,2,x\n3,4\n5,6,y\n",
        "a,b,label\n1,2,x,9\n" + "3,4,y\n" * 20,
        "1,2\n1,2,x\n3,4,y\n5,6,x\n",  # no header
        "a,b,label\n" + "1,2,x\n2,1,y\n" * 9,
        "x label\n" + "1 a\n2 b\n" * 9,
    ],
)
def test_nothing_is_skipped_where_no_line_stands_above_a_header(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text, "utf-8")
    try:
        found = open_dataset(path)
    except FileError as error:
        assert "fields where" in str(error)  # noqa: PT017 - both are right, silence is not
    else:
        assert guess(found) is None


def test_what_a_line_is_wrong_with_is_said_by_its_line_in_the_file(tmp_path: Path) -> None:
    lab = SMALL.with_preamble()
    text = lab.text.splitlines()
    text[20] += ",extra"
    path = tmp_path / "a.csv"
    path.write_text("\n".join(text) + "\n", "utf-8")
    with pytest.raises(FileError) as caught:
        open_dataset(path, ReadOptions(skip_lines=5))
    assert caught.value.line == 21


def test_another_file_is_guessed_by_itself(tmp_path: Path) -> None:
    """A model trained on a file with five lines above the header reads one with two and one with none."""
    from mcsvm_gui.core.machine.request import Request
    from mcsvm_gui.core.machine.session import train
    from mcsvm_gui.core.machine.sources import blocks_for, open_for, open_test

    read = ReadOptions(skip_lines=5, drop=("date",))
    path = SMALL.with_preamble().write(tmp_path / "train.csv")
    dataset = open_dataset(path, read)
    request = Request(rules=dataset_rules(), read=read, data=str(path))
    model = train(request, dataset).trained
    expected = model.decide(dataset).tolist()
    for preamble in ([], ["Instrument: NIR-8", "Operator: nobody"]):
        other = SMALL.with_preamble(preamble).write(tmp_path / "new.csv")
        assert model.decide(open_for(model, str(other), ReadOptions())).tolist() == expected
        (block,) = blocks_for(model, str(other), ReadOptions())
        assert model.decide(block).tolist() == expected
        assert open_test(str(other), read, dataset).rows == SMALL.rows


def dataset_rules():
    from mcsvm_gui.core.data.options import Rules

    return Rules(missing="mean")


def test_wavelengths_may_name_columns(tmp_path: Path) -> None:
    """A header of numbers in equal steps beside words is a header, with lines above it and without."""
    names = {f"A_{wave}nm": str(wave) for wave in range(900, 960, 10)}
    columns = {names.get(name, name): cells for name, cells in SMALL.without("date").columns.items()}
    lab = LabFile(columns, "origin")
    for made in (lab, lab.with_preamble()):
        found = opened(made, tmp_path, ReadOptions(label="origin"))
        assert [column.name for column in found.columns][-6:] == list(names.values())
        assert found.rows == SMALL.rows
    values = np.array(columns["900"], dtype=float)
    np.testing.assert_allclose(found.table["900"], values, rtol=1e-5)


def test_rows_above_the_header_of_a_sheet(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for line in (["Instrument", "NIR-7"], [], ["Operator: M. Keller"]):
        book.active.append(line)
    book.active.append(list(SMALL.columns))
    for row in zip(*SMALL.columns.values(), strict=True):
        book.active.append(list(row))
    path = tmp_path / "lab.xlsx"
    book.save(path)
    for options in (ReadOptions(), ReadOptions(skip_lines=3)):
        found = open_dataset(path, options)
        assert found.labels.tolist() == SMALL.labels
        assert found.lines.tolist() == list(range(5, 5 + SMALL.rows))
    assert guess(open_dataset(path)) == "3"
    with pytest.raises(FileError, match="nothing below them"):
        open_dataset(path, ReadOptions(skip_lines=500))
