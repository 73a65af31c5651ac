"""SQLite databases, also hostile ones: nothing of them runs, nothing is written, and every refusal is a sentence."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.readers import ReadOptions, open_dataset
from mcsvm_gui.core.data.readers.formats import sqlite

FISH = (
    "CREATE TABLE notes (text)",
    "CREATE TABLE fish (length REAL, fins INTEGER, sea TEXT, kind TEXT)",
    "INSERT INTO fish VALUES (1.5, 7, 'north', 'cod'), (NULL, 8, 'south', 'eel'), (2, 8, NULL, 'cod')",
)
ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x, x % 2 AS k FROM c"
Made = Callable[..., Path]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    def database(*statements: str, name: str = "fish.db") -> Path:
        with closing(sqlite3.connect(tmp_path / name, isolation_level=None)) as connection:
            for statement in (*FISH, *statements):
                connection.execute(statement)
        return tmp_path / name

    return database


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "_STEPS", 300_000)


def refused(path: Path, **said: str) -> str:
    before = {file: file.read_bytes() for file in path.parent.iterdir()}
    with pytest.raises(FileError) as error:
        open_dataset(path, ReadOptions(**said))
    assert {file: file.read_bytes() for file in path.parent.iterdir()} == before
    return str(error.value)


def holds_fish(found: Dataset) -> None:
    assert (found.format, found.rows, found.label_name) == ("sqlite", 3, "kind")
    assert [(column.name, column.kind) for column in found.columns] == [
        ("length", "number"),
        ("fins", "number"),
        ("sea", "category"),
    ]
    np.testing.assert_array_equal(found.table["length"], [1.5, np.nan, 2.0])
    assert found.table["sea"].tolist() == ["north", "south", None]
    assert found.labels.tolist() == ["cod", "eel", "cod"]


def test_the_first_table_that_holds_anything(made: Made) -> None:
    found = open_dataset(made("CREATE VIEW short AS SELECT fins, kind FROM fish"))
    holds_fish(found)
    assert found.tables == ("notes", "fish", "short")
    assert ("table", "fish", "--table") in {(guess.what, guess.value, guess.option) for guess in found.guesses}
    assert "several-tables" in {notice.code for notice in found.notices}


def test_a_table_a_view_and_a_query(made: Made) -> None:
    path = made(
        "CREATE VIEW short AS SELECT fins, kind FROM fish", 'CREATE TABLE "a ""b" AS SELECT fins, kind FROM fish'
    )
    holds_fish(open_dataset(path, ReadOptions(table="FISH")))
    for said in ({"table": "short"}, {"table": 'a "b'}, {"query": "SELECT fins, kind FROM fish"}):
        found = open_dataset(path, ReadOptions(**said))
        assert found.table.to_numpy().tolist() == [[7.0], [8.0], [8.0]]
        assert found.labels.tolist() == ["cod", "eel", "cod"]
        assert "table" not in {guess.what for guess in found.guesses}


def test_labels_keep_their_spelling_and_text_may_be_numbers(made: Made) -> None:
    found = open_dataset(made("CREATE TABLE t AS SELECT '1.50' AS x, fins AS label FROM fish"), ReadOptions(table="t"))
    assert found.labels.tolist() == ["7", "8", "8"]
    assert found.table["x"].tolist() == [1.5] * 3


def test_the_digest_is_that_of_what_is_read(made: Made) -> None:
    path = made()
    before = open_dataset(path).digest
    assert open_dataset(path, ReadOptions(query="SELECT fins, kind FROM fish")).digest != before
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE later AS SELECT 1 AS x, 2 AS y")
    assert open_dataset(path).digest == before


def test_a_database_of_a_closed_program_in_wal_mode(made: Made) -> None:
    holds_fish(open_dataset(made("PRAGMA journal_mode = WAL")))


def test_rows_that_are_still_beside_the_file_are_not_overlooked(made: Made) -> None:
    path = made("PRAGMA journal_mode = WAL")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM fish WHERE kind = 'eel'")
        connection.commit()
        assert "still in fish.db-wal" in refused(path)


def test_triggers_never_run(made: Made) -> None:
    path = made("CREATE TRIGGER t AFTER INSERT ON fish BEGIN DELETE FROM fish; END")
    holds_fish(open_dataset(path))
    assert "only read" in refused(path, query="INSERT INTO fish SELECT * FROM fish RETURNING *")


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM fish",
        "DROP TABLE fish",
        "CREATE TABLE t (x)",
        "PRAGMA journal_mode = DELETE",
        "BEGIN",
        "SELECT load_extension('x'), 1",
        "SELECT hex(randomblob(9)), 1",
        "SELECT * FROM pragma_database_list",
        "ATTACH 'x.db' AS y",
    ],
)
def test_a_query_only_reads(made: Made, query: str) -> None:
    assert "a database is only read" in refused(made(), query=query)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("VACUUM INTO 'x.db'", "SQLite cannot read this"),
        ("SELECT 1; SELECT 2", "one statement"),
        ("SELECT colour FROM fish", "no such column: colour"),
        ("SELECT", "incomplete input"),
        ("", "gives no table"),
        ("SELECT '\0'", "null character"),
        ("SELECT x'00' AS x, kind FROM fish", '"x" holds bytes'),
        ("SELECT kind FROM fish", "only one column"),
        ("SELECT replace(printf('%1000d', 1), ' ', printf('%2000d', 1)), kind FROM fish", "too big"),
        ("SELECT 9e999 AS x, kind FROM fish", "infinite"),
        ("SELECT * FROM fish WHERE fins > 99", "no data rows"),
        ("SELECT * FROM (SELECT 1) WHERE " + "1 + " * 200 + "1", "depth"),
    ],
)
def test_queries_that_give_no_data(made: Made, query: str, sentence: str) -> None:
    assert sentence in refused(made(), query=query)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("tail", ["", " WHERE x < 0", " ORDER BY x", " LIMIT 10 OFFSET 1000000000"])
def test_views_that_never_end(made: Made, tail: str) -> None:
    path = made(f"CREATE VIEW endless AS {ENDLESS}{tail}")
    holds_fish(open_dataset(path))
    assert "does not end in sight" in refused(path, table="endless")


@pytest.mark.usefixtures("impatient")
def test_a_table_of_some_size_is_read_within_the_limit(made: Made) -> None:
    numbers = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 50000)"
    path = made(f"CREATE TABLE many AS {numbers} SELECT x, x % 7 AS y, x % 3 AS kind FROM c")
    assert open_dataset(path, ReadOptions(table="many")).rows == 50_000


def test_what_would_fill_the_memory(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "memory", lambda: 400_000)
    assert "quarter of this machine's memory" in refused(made(f"CREATE VIEW endless AS {ENDLESS}"), table="endless")


def test_views_of_what_is_not_there(made: Made) -> None:
    assert "no such table" in refused(made("CREATE VIEW v AS SELECT * FROM elsewhere"), table="v")


def complaint(path: Path, table: str) -> str:
    try:
        open_dataset(path, ReadOptions(table=table))
    except FileError as error:
        return str(error)
    return ""


def test_damaged_pages(made: Made) -> None:
    path = made("CREATE TABLE t AS SELECT 'a' AS x, fins, kind FROM fish")
    whole = path.read_bytes()
    page = int.from_bytes(whole[16:18], "big")
    complaints = []
    for start in range(page, len(whole), page):
        path.write_bytes(whole[:start] + b"\xff" * page + whole[start + page :])
        complaints += [said for table in ("fish", "t") if (said := complaint(path, table))]
    assert len(complaints) == 2
    assert all("damaged" in said for said in complaints)
    path.write_bytes(whole[:100])
    assert "SQLite" in refused(path)


def test_tables_that_are_not_there(made: Made) -> None:
    path = made()
    assert 'no table "cats"; there are "notes" and "fish"' in refused(path, table="cats")
    assert "leave one out" in refused(path, table="fish", query="SELECT 1, 2")


def test_other_formats_have_one_table(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("x,label\n1,a\n2,b\n")
    assert "--table is not for CSV files" in refused(path, table="t")
    assert "--query is not for CSV files" in refused(path, query="SELECT 1")


def test_a_project_is_no_data(made: Made) -> None:
    assert "a project of this program" in refused(made(f"PRAGMA application_id = {0x6D637376}"))


def test_what_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_text("x,label\n1,a\n2,b\n")
    assert "no SQLite database" in refused(path, format="sqlite")
    assert open_dataset(path).format == "csv"
