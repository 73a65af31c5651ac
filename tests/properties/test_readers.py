"""Readers meet bytes nobody meant: a Dataset that holds together or one sentence, and nothing else.

20 000 inputs once, after changes to the readers:

    READER_EXAMPLES=20000 python -m pytest tests/properties/test_readers.py --timeout 3600

An input that fails is then kept in .hypothesis, tried first by the next run, and printed with the line that repeats it.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import sqlite3
import tempfile
import zipfile
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.database import DirectoryBasedExampleDatabase

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.inspection import document
from mcsvm_gui.core.data.readers import ReadOptions, open_dataset
from mcsvm_gui.core.data.readers.cells import BLANKS, is_number
from mcsvm_gui.core.data.readers.formats import libsvm, libsvm_fast, libsvm_slow
from mcsvm_gui.core.data.readers.formats.libsvm_slow import Parsed

FILES = Path(__file__).resolve().parents[1] / "nasty" / "files"
EXAMPLES = int(os.environ.get("READER_EXAMPLES", "200"))
KEPT = DirectoryBasedExampleDatabase(".hypothesis/examples") if EXAMPLES > 200 else None
MANY = settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), database=KEPT, print_blob=True
)

DECLARED = b"@relation r\n@attribute a numeric\n@attribute 'b c' {x,'y z'}\n@attribute class {p,q}\n@data\n"
SEEDS = [path.read_bytes() for path in sorted(FILES.iterdir()) if path.stat().st_size < 5000]
SEEDS += [gzip.compress(seed) for seed in SEEDS[:3]]
SEEDS += [DECLARED + b"1,x,p\n?,'y z',q\n", DECLARED + b"{0 1, 2 q}\n{1 'y z'}\n"]
SEEDS += [b"x\tname\tkind\nc\tstring\td\n\tmeta\tclass\n1\ta\tp\n.\tb\tq\n", b"mS#n,C#x,cD#k\na,1,p\nb,2,q\n"]
SEEDS += [b"@relation r\n@attribute a real [0, 1]\n@attribute b {x,y}\n@inputs a\n@outputs b\n@data\n1, x\n<null>, y\n"]
SEEDS += [b'{"x": 1.5, "label": "a"}\n{"x": null, "label": "b"}\n', b'[{"x": 1, "y": "n"}, {"x": NaN, "y": true}]']
PIECES = [*b", ; | \" ' # : { } ? % \\ . - + e @data label qid:1 nan inf 1e999 0x1 1_0 NA True 2024-01-01".split(b" ")]
PIECES += [b"@inputs", b"@outputs", b"class", b"<null>", b"c#", b"mS#", b"null", b"\\ud800", b"{}", b"[]"]
PIECES += [b" ", b"\n", b"\r", b"\r\n", b"\t", b"\0", b"\x1a", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"9" * 20]
PIECES += [text.encode() for text in ("\u2212", "\u2028", "\x85", "\u0661", "\U0001f41f", "\u00a0")]


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A file with some of its bytes replaced, repeated, removed or cut off."""
    data = bytearray(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        gone = draw(st.sampled_from([0, 0, 1, 1, 2, 10, 100, 10_000]))
        new = draw(st.sampled_from(PIECES) | st.binary(max_size=3) | st.just(bytes(data[:start][-40:])))
        data[start : start + gone] = new
    return bytes(data)


OPTIONS = st.builds(
    ReadOptions,
    label=st.sampled_from([None, None, "label", "1", -1, 7]),
    format=st.sampled_from(["auto", "auto", "auto", "auto", "csv", "libsvm", "arff", "orange", "keel", "json"]),
    header=st.sampled_from(["auto", "auto", "yes", "no"]),
    separator=st.sampled_from([None, None, ",", "whitespace", "tab"]),
    decimal=st.sampled_from([None, None, ",", "."]),
    encoding=st.sampled_from([None, None, None, "utf-8", "cp1252", "utf-16"]),
)


def opened(content: bytes, options: ReadOptions | None = None, *, needs_label: bool = True) -> Dataset:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data"
        path.write_bytes(content)
        return open_dataset(path, options or ReadOptions(), needs_label=needs_label)


def holds_together(found: Dataset) -> None:
    assert (found.table is None) != (found.matrix is None)
    shape = found.table.shape if found.table is not None else found.matrix.shape
    assert shape == (found.rows, len(found.columns))
    assert found.lines is not None
    assert len(found.lines) == found.rows > 0
    assert (np.diff(found.lines) > 0).all()
    if found.labels is not None:
        assert len(found.labels) == found.rows == sum(found.class_counts)
        assert all(isinstance(label, str) for label in found.labels)
    if found.table is not None:
        table_holds_together(found)
    document(found)


def table_holds_together(found: Dataset) -> None:
    assert found.table is not None
    assert list(found.table.columns) == [column.name for column in found.columns]
    assert len(set(found.table.columns)) == len(found.columns)
    for position, column in enumerate(found.columns):
        cells = found.table.iloc[:, position].to_numpy()
        assert cells.dtype == (np.float64 if column.kind == "number" else object)
        if column.kind == "number":
            assert not np.isinf(cells).any()
        else:
            assert all(cell is None or isinstance(cell, str) for cell in cells)


def attempted(content: bytes, options: ReadOptions, *, needs_label: bool = True) -> Dataset | InputError:
    try:
        return opened(content, options, needs_label=needs_label)
    except InputError as error:
        return error


@pytest.mark.slow
@MANY
@given(content=mutated(), options=OPTIONS | st.just(ReadOptions()), needs_label=st.booleans())
def test_a_dataset_or_a_sentence(content: bytes, options: ReadOptions, needs_label: bool) -> None:
    found = attempted(content, options, needs_label=needs_label)
    if isinstance(found, Dataset):
        holds_together(found)
    else:
        assert "\n" not in str(found)
        assert len(str(found)) > 20


def made_database() -> bytes:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("PRAGMA page_size = 512")
        connection.execute("CREATE TABLE t (x REAL, y TEXT, label TEXT)")
        connection.execute("INSERT INTO t VALUES (1.5, 'n', 'a'), (NULL, 's', 'b'), (2, 'n', 'a')")
        connection.execute("CREATE VIEW v AS SELECT x, label FROM t")
        connection.commit()
        return bytes(connection.serialize())


def made_array(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def zipped_arrays() -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, X=np.array([[1.5, 2.0], [3.0, 4.0]]), y=np.array(["a", "b"]))
    return buffer.getvalue()


DATABASE = made_database()
ARRAYS = made_array(np.array([[1.5, 2.0], [3.0, 4.0]])), made_array(np.array(["a", "b"]))
SQL = "SELECT * FROM t v x , ( ) ' \" -- ; WHERE 1 = NULL UNION ALL WITH RECURSIVE c(n) AS SELECT(1) n+1 LIMIT 5 x'00'"
QUERIES = st.lists(st.sampled_from(SQL.split(" ")), max_size=12).map(" ".join) | st.text(max_size=8)


@st.composite
def damaged(draw: st.DrawFn, whole: bytes) -> bytes:
    data = bytearray(whole)
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        data[start : start + draw(st.sampled_from([0, 1, 1, 2, 8]))] = draw(st.binary(max_size=4))
    return bytes(data)


def stands(found: Dataset | InputError) -> None:
    if isinstance(found, Dataset):
        holds_together(found)
    else:
        assert "\n" not in str(found)


@pytest.mark.slow
@MANY
@given(content=damaged(DATABASE), table=st.sampled_from([None, "t", "v"]))
def test_damaged_databases(content: bytes, table: str | None) -> None:
    stands(attempted(content, ReadOptions(table=table, format="sqlite")))


@pytest.mark.slow
@MANY
@given(query=QUERIES)
def test_any_query(query: str) -> None:
    stands(attempted(DATABASE, ReadOptions(query=query), needs_label=False))


@pytest.mark.slow
@MANY
@given(rows=damaged(ARRAYS[0]) | st.just(ARRAYS[0]), classes=damaged(ARRAYS[1]))
def test_damaged_arrays(rows: bytes, classes: bytes) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("X.npy", rows)
        archive.writestr("y.npy", classes)
    stands(attempted(buffer.getvalue(), ReadOptions()))


@pytest.mark.slow
@MANY
@given(content=damaged(zipped_arrays()))
def test_damaged_archives(content: bytes) -> None:
    stands(attempted(content, ReadOptions(format="npz")))


NAME_LETTERS = st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\t")
NAMES = st.text(NAME_LETTERS, min_size=1, max_size=12).filter(lambda name: name == name.strip(BLANKS) != "?")


@pytest.mark.slow
@MANY
@given(
    rows=st.lists(st.tuples(st.floats(allow_nan=False, allow_infinity=False), NAMES), min_size=2, max_size=20),
    separator=st.sampled_from([",", ";", "\t", "|"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_numbers_and_names_come_back_exactly(rows: list[tuple[float, str]], separator: str, encoding: str) -> None:
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, delimiter=separator, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([["x", "label"], *([repr(value), name] for value, name in rows)])
    options = ReadOptions(separator=separator, decimal=".", encoding=encoding)
    found = opened(buffer.getvalue().encode(encoding), options, needs_label=False)
    expected = [name for _, name in rows]
    if {name.lower() for name in expected} != {"true", "false"}:
        assert found.labels.tolist() == expected
    np.testing.assert_array_equal(found.table["x"].to_numpy(), [value for value, _ in rows])


SPELLINGS = "1 -2.5 1e3 .5 5. +7 1e 0x1 1_0 nan inf 1e999 1,5 -- NA ? True 1d2 \u0661 \u22121 1.2.3"
CELLS = (
    st.sampled_from(SPELLINGS.split(" "))
    | st.text("0123456789.eE+-xX_ ,infa\t\n\r\f\v", max_size=8)
    | st.floats(allow_nan=False, allow_infinity=False).map("{:+.19e}".format)
    | st.integers(-(2**70), 2**70).map(str)
    | st.from_regex(r"[+-]?[0-9]{0,30}\.?[0-9]{0,400}e[+-]?[0-9]{0,20}", fullmatch=True, alphabet="0123456789+-.e")
)


@pytest.mark.slow
@MANY
@given(cell=CELLS, others=st.integers(0, 60))
@example(cell="+0E 0", others=0)  # a number to pandas 3.1
@example(cell="7\n", others=0)
@example(cell="7\n7", others=0)
def test_numbers_are_those_of_the_grammar(cell: str, others: int) -> None:
    """Whether pandas reads a column at once or its cells one by one: only the one spelling is a number."""
    rows = [f'{j}.5,"{"ab"[j % 2]}"' for j in range(others + 30)] + [f'"{cell}","a"']
    content = "\n".join(["x,label", *rows]).encode()
    found, number = attempted(content, ReadOptions(decimal=".", separator=",")), is_number(cell.strip())
    if isinstance(found, InputError):
        assert not number or abs(float(cell)) == np.inf
        assert f"line {len(rows) + 1})" in str(found)
    elif number:
        assert found.table["x"].to_numpy()[-1] == float(cell)
    else:
        assert found.missing == 1
        assert cell.strip() == "" or "missing-marker" in {notice.code for notice in found.notices}


WORDS = "1:1 2:-.5 7:1e3 03:5. 0:1 1: :1 1:1:1 x:1 1:x 1:nan 1:1e999 2 1e1:2"
ANY_PAIR = st.builds("{}:{}".format, st.integers(0, 2**33), st.floats())
PAIRS = st.lists(st.sampled_from(WORDS.split(" ")) | ANY_PAIR, max_size=5)
LINES = st.lists(st.tuples(st.sampled_from(["1", "-1", "+1", "a", "1,2", "é", ""]), PAIRS), min_size=1, max_size=6)


@pytest.mark.slow
@MANY
@given(lines=LINES, blank=st.sampled_from([" ", "  ", "\t"]))
def test_the_fast_libsvm_parser_agrees_with_the_careful_one(lines: list[tuple[str, list[str]]], blank: str) -> None:
    data = "\n".join(blank.join([label, *pairs]) for label, pairs in lines).encode()
    compiled = libsvm_fast.parse(data)
    if compiled is not None:
        assert_same(compiled, libsvm_slow.parse(Path("data"), data, needs_label=True))
    try:
        fast = libsvm.parse(data)
    except libsvm._TooOddError:
        return
    assert_same(fast, libsvm_slow.parse(Path("data"), data, needs_label=True))


def assert_same(first: Parsed, second: Parsed) -> None:
    for name in ("pointers", "indices", "values", "lines"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    assert first.labels is not None
    assert second.labels is not None
    assert first.labels.tolist() == second.labels.tolist()


@pytest.mark.parametrize("seed", range(len(SEEDS)))
def test_every_seed_is_read_or_refused_as_it_is(seed: int) -> None:
    found = attempted(SEEDS[seed], ReadOptions())
    if isinstance(found, Dataset):
        holds_together(found)
