"""Files read block by block are what they are when they are read at once."""

from __future__ import annotations

import gzip
import io
import os
import random
import sys
import threading
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from command_line import NASTY

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.blocks import content, cutting
from mcsvm_gui.core.data.blocks.learned import ReadAgainError
from mcsvm_gui.core.data.blocks.notices import JoinedNotices
from mcsvm_gui.core.data.blocks.rows import RowBlocks
from mcsvm_gui.core.data.dataset import Dataset, NumberedColumns
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.phrases import Lines, places
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.data.readers.source import take_standard_input
from mcsvm_gui.core.evaluate.streamed import decided
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import train


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "BLOCK", 200)
    monkeypatch.setattr(cutting, "ROWS", 3)
    monkeypatch.setattr(content, "PIECE", 130)


def by_blocks(path: Path | str, options: ReadOptions | None = None) -> list[Dataset]:
    blocks = RowBlocks(path, options or ReadOptions())
    for _ in range(10):
        try:
            return list(blocks)
        except ReadAgainError:
            continue
    raise AssertionError("read again for ever")


def said(parts: list[Dataset]) -> list[str]:
    notices = JoinedNotices()
    for part in parts:
        notices.add_dataset(part)
    return sorted(notice.sentence for notice in notices.all())


def cells(dataset: Dataset) -> list[object]:
    if dataset.table is None:
        assert dataset.matrix is not None
        assert isinstance(dataset.columns, NumberedColumns)
        found, first = dataset.matrix.tocoo(), dataset.columns.first
        return list(zip(found.row.tolist(), (found.col + first).tolist(), found.data.tolist(), strict=True))
    return [tuple(None if cell != cell else cell for cell in row) for row in dataset.table.itertuples(index=False)]


def same(path: Path, options: ReadOptions | None = None, *, words: bool = True) -> list[Dataset]:
    """The parts, after they were compared with the whole."""
    whole, parts = open_dataset(path, options or ReadOptions(), needs_label=False), by_blocks(path, options)
    rows, found = 0, []
    for part in parts:
        found += [(row + rows, *rest) for row, *rest in cells(part)] if part.table is None else cells(part)
        rows += part.rows
    assert found == cells(whole)
    assert rows == whole.rows
    assert whole.lines is not None
    assert np.concatenate([part.lines for part in parts]).tolist() == whole.lines.tolist()
    if whole.labels is not None:
        labels = [label for part in parts for label in (part.labels if part.labels is not None else [None])]
        assert labels == whole.labels.tolist()
    if words:
        assert said(parts) == sorted(notice.sentence for notice in whole.notices)
    return parts


def numbers(rows: int, columns: int = 3) -> list[list[str]]:
    rng = random.Random(0)
    return [[repr(rng.gauss(0.0, 1.0)) for _ in range(columns)] for _ in range(rows)]


def write(folder: Path, lines: list[str], name: str = "a.csv") -> Path:
    path = folder / name
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())
    return path


def table(folder: Path, rows: list[list[str]], header: str = "u,v,w") -> Path:
    return write(folder, [header, *map(",".join, rows)])


def test_numbers(tmp_path: Path) -> None:
    assert len(same(table(tmp_path, numbers(100)))) > 10


def test_missing_cells_and_markers_are_counted_over_all_blocks(tmp_path: Path) -> None:
    rows = numbers(100)
    for row, column, cell in ((3, 0, ""), (4, 0, "NA"), (50, 1, "?"), (51, 1, ""), (52, 0, ""), (99, 2, "NA")):
        rows[row][column] = cell
    same(table(tmp_path, rows))


def test_a_column_of_numbers_with_blocks_of_nothing_but_words_for_missing(tmp_path: Path) -> None:
    rows = numbers(100)
    for row in rows[20:60]:
        row[1] = "NA"
    assert all(part.columns[1].kind == "number" for part in same(table(tmp_path, rows)))


def test_categories_of_which_some_blocks_hold_numbers_alone(tmp_path: Path) -> None:
    rows = [[row[0], "02" if j % 50 < 40 else "5more", row[2]] for j, row in enumerate(numbers(200))]
    parts = same(table(tmp_path, rows))
    assert parts[0].table is not None
    assert parts[0].table.iloc[0, 1] == "02"


def test_few_words_at_the_end_of_a_file(tmp_path: Path) -> None:
    """In their block there are too few levels for categories, in the file there are enough rows."""
    rows = [[row[0], str(j % 4), row[2]] for j, row in enumerate(numbers(200))]
    for row in rows[-11:]:
        row[1] = "5more"
    same(table(tmp_path, rows))


@pytest.mark.parametrize("place", [2, 150])
def test_a_word_among_numbers_is_refused_with_its_line(tmp_path: Path, place: int) -> None:
    rows = numbers(200)
    rows[place][1] = "lots"
    with pytest.raises(FileError, match=rf"a.csv:{place + 2}: .*\"lots\" \(line {place + 2}\) is no number while"):
        by_blocks(table(tmp_path, rows))


@pytest.mark.parametrize("places", [(2, 3), (2, 80, 150, 199), (0, 30, 60, 90, 120, 150, 180)])
def test_words_among_numbers_are_counted_over_all_blocks(tmp_path: Path, places: tuple[int, ...]) -> None:
    """The error is that of the file read at once."""
    rows = numbers(200)
    for place in places:
        rows[place][1] = f"lots{place % 4}"
    path = table(tmp_path, rows)
    with pytest.raises(FileError) as whole:
        open_dataset(path, ReadOptions(), needs_label=False)
    with pytest.raises(FileError) as parts:
        by_blocks(path)
    assert str(parts.value) == str(whole.value)


@pytest.mark.parametrize("places", [(150,), (2, 3), (2, 80, 150, 199)])
def test_missing_cells_that_are_refused_are_counted_over_all_blocks(tmp_path: Path, places: tuple[int, ...]) -> None:
    """The error of deciding is that of the file read at once."""
    labelled = [[*row, "ab"[number % 2]] for number, row in enumerate(numbers(40))]
    dataset = open_dataset(table(tmp_path, labelled, "u,v,w,label"), ReadOptions())
    trained = train(Request(), dataset).trained
    rows = numbers(200)
    for place in places:
        rows[place][1] = ""
    path = table(tmp_path, rows)
    with pytest.raises(FileError) as whole:
        list(decided(trained, [open_dataset(path, ReadOptions(), needs_label=False)]))
    with pytest.raises(FileError) as parts:
        list(decided(trained, by_blocks(path)))
    assert str(parts.value) == str(whole.value)


def test_a_row_of_another_width_is_refused_with_its_line(tmp_path: Path) -> None:
    rows = numbers(200)
    rows[150].append("1")
    with pytest.raises(FileError, match=r"a.csv:152: 4 fields where 3 are expected, as in the header"):
        by_blocks(table(tmp_path, rows))


def test_quotation_marks_with_line_ends_inside(tmp_path: Path) -> None:
    rows = [[row[0], '"a\nb, ""c"""' if j % 3 else '"d"', row[2]] for j, row in enumerate(numbers(100))]
    same(table(tmp_path, rows))
    rows[80][1] = 'a"b'
    with pytest.raises(FileError) as found:
        open_dataset(table(tmp_path, rows), needs_label=False)
    with pytest.raises(FileError) as later:
        by_blocks(table(tmp_path, rows))
    assert str(later.value) == str(found.value)


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_ends_of_lines(tmp_path: Path, end: str) -> None:
    path = table(tmp_path, numbers(100))
    path.write_bytes(path.read_bytes().replace(b"\n", end.encode()))
    assert len(same(path)) > 5


def test_comments_blank_lines_and_hollow_rows(tmp_path: Path) -> None:
    lines = ["# head", "u,v,w", *map(",".join, numbers(100))]
    for place, line in ((20, "# more"), (50, ""), (51, ",,"), (80, "#"), (81, ",,"), (90, "  ")):
        lines.insert(place, line)
    same(write(tmp_path, lines))


def test_a_separator_at_the_end_of_all_lines_or_of_the_first(tmp_path: Path) -> None:
    rows = [[*row, ""] for row in numbers(100)]
    same(write(tmp_path, list(map(",".join, rows))))
    rows[70][-1] = "1.5"
    assert len(same(write(tmp_path, list(map(",".join, rows))))[0].columns) == 4


def test_columns_that_count_that_are_constant_and_that_are_empty(tmp_path: Path) -> None:
    rows = [[str(j), "7", ""] for j in range(200)]
    same(table(tmp_path, rows, "id,same,nothing"))
    rows[150][:2] = "3", "8"
    same(table(tmp_path, rows, "id,same,nothing"))


def test_labels_and_blanks_around_them(tmp_path: Path) -> None:
    rows = [[*row, "a " if j in (5, 150) else "abc"[j % 3]] for j, row in enumerate(numbers(200))]
    path = table(tmp_path, rows, "u,v,w,label")
    same(path)
    rows[170][-1] = ""
    parts = by_blocks(table(tmp_path, rows, "u,v,w,label"))
    whole = open_dataset(path, needs_label=False)
    assert whole.labels is None
    assert any(part.labels is None for part in parts)
    assert [sentence for sentence in said(parts) if "no label" in sentence] == [
        '1 row has no label in column "label" (line 172); no row is scored'
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    rows = [[row[0], "\u00e9\u00e8" if j > 80 else "e", row[2]] for j, row in enumerate(numbers(100))]
    text = "\n".join(["u,v,w", *map(",".join, rows)])
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode(encoding))
    assert len(same(path)) > 5


def test_two_encodings_in_one_file_are_refused(tmp_path: Path) -> None:
    for first, second in (("\u00e9".encode(), b"\xe9"), (b"\xe9", "\u00e9".encode())):
        lines = [",".join(row).encode() for row in numbers(100)]
        lines[20], lines[80] = b"1," + first + b",2", b"1," + second + b",2"
        path = tmp_path / "a.csv"
        path.write_bytes(b"\n".join([b"u,v,w", *lines]))
        with pytest.raises(FileError) as whole:
            open_dataset(path, needs_label=False)
        with pytest.raises(FileError) as parts:
            by_blocks(path)
        assert str(parts.value) == str(whole.value)


def pairs(rows: int) -> list[str]:
    return [f"{'abc'[j % 3]} 1:{j}.5 {2 + j % 7}:-1e-3 9:{j}" for j in range(rows)]


def test_libsvm(tmp_path: Path) -> None:
    lines = pairs(100)
    lines[60] = "b 0:1 3:2 # word"
    lines[70] = "c"
    assert len(same(write(tmp_path, lines, "a.libsvm"))) > 5
    lines[80] = "a 1:2 x:3"
    with pytest.raises(FileError) as whole:
        open_dataset(write(tmp_path, lines, "a.libsvm"), needs_label=False)
    with pytest.raises(FileError) as parts:
        by_blocks(tmp_path / "a.libsvm")
    assert str(parts.value) == str(whole.value)


def test_libsvm_without_a_feature_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no line has a feature"):
        by_blocks(write(tmp_path, ["a", "b"] * 200, "a.libsvm"))


def test_packed_files_pipes_and_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = table(tmp_path, numbers(100))
    packed = tmp_path / "b.csv.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert len(same(packed)) > 5
    expected = [cells(part) for part in by_blocks(path)]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    take_standard_input()
    assert [cells(part) for part in by_blocks("-")] == expected
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(path.read_bytes()))
    writer.start()
    assert [cells(part) for part in by_blocks(pipe)] == expected
    writer.join()


def test_a_damaged_archive_is_a_sentence(tmp_path: Path) -> None:
    whole = gzip.compress(table(tmp_path, numbers(2000)).read_bytes())
    path = tmp_path / "a.csv.gz"
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FileError, match="cannot be unpacked as gzip: the file ends early"):
        by_blocks(path)


def test_a_folder_of_files(tmp_path: Path) -> None:
    write(tmp_path, ["u,v", *(f"{j},1" for j in range(100))], "a.csv")
    write(tmp_path, ["u,v", *(f"{j},2" for j in range(100))], "b.csv")
    parts = by_blocks(tmp_path)
    together = [row for part in parts for row in cells(part)]
    assert together == cells(open_dataset(tmp_path, needs_label=False))
    write(tmp_path, ["x,z", *(f"{j},2" for j in range(100))], "c.csv")
    with pytest.raises(FileError, match=r"c\.csv: its columns are not those of"):
        by_blocks(tmp_path)


@pytest.mark.parametrize(
    "path",
    [path for path in sorted(NASTY.iterdir()) if path.suffix not in (".arff", ".jsonl")],
    ids=lambda path: path.name,
)
def test_nasty_files_are_read_alike_or_refused(path: Path) -> None:
    try:
        open_dataset(path, needs_label=False)
    except InputError as whole:
        with pytest.raises(type(whole)):
            by_blocks(path)
    else:
        same(path, words=False)


def test_lines_are_named_alike_however_they_are_cut() -> None:
    rng = random.Random(0)
    for _ in range(500):
        end, share = rng.randrange(40), rng.random()
        lines = [line for line in range(1, end + 1) if rng.random() < share]
        cuts = [0, *sorted(rng.choices(range(end + 1), k=3)), end]
        joined = Lines()
        for low, high in pairwise(cuts):
            joined = joined.joined(Lines.of([line for line in lines if low < line <= high]))
        assert joined.said == places(lines)


CHOSEN = ["x>100", "x<20", "CLASS=b", "x>140; CLASS=a,c", "x>50; x<60"]


@pytest.mark.parametrize("where", CHOSEN)
@pytest.mark.parametrize("merge", [None, "one=a+b", "one=a+nothing; two=c"])
def test_chosen_rows_and_merged_classes(tmp_path: Path, where: str, merge: str | None) -> None:
    """Also where whole blocks have no such row, the last ones among them."""
    path = tmp_path / "t.csv"
    path.write_text("x,colour,label\n" + "".join(f"{j},{['red', 'blue'][j % 2]},{'abc'[j % 3]}\n" for j in range(150)))
    assert len(by_blocks(path)) > 4
    same(path, ReadOptions(label="label", where=where, merge=merge))


@pytest.mark.parametrize("where", ["1>100", "CLASS=2", "9>0", "1<5"])
def test_chosen_rows_of_sparse_files(tmp_path: Path, where: str) -> None:
    path = tmp_path / "t.libsvm"
    path.write_text("".join(f"{j % 3} 1:{j + 1} {9 if j % 40 == 7 else 4}:2.5\n" for j in range(150)))
    assert len(by_blocks(path)) > 4
    same(path, ReadOptions(where=where, merge="5=0+1"))


def test_no_such_row_in_any_block(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,label\n" + "".join(f"{j},{'ab'[j % 2]}\n" for j in range(200)))
    with pytest.raises(FileError, match="no row is left where"):
        by_blocks(path, ReadOptions(label="label", where="x>1000"))


def test_rows_that_are_not_asked_for_tell_nothing_of_a_column(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    odd = {120: "word", 130: "other"}
    path.write_text("x,y,label\n" + "".join(f"{j},{odd.get(j, j)},{'ab'[j % 2]}\n" for j in range(150)))
    same(path, ReadOptions(label="label", where="x<100"))
    with pytest.raises(FileError, match="word"):
        by_blocks(path, ReadOptions(label="label", where="x>10"))
