"""SQLite databases: one table or view, or the result of a query.

A database can act: views, triggers and expressions are code. So its bytes are opened as a copy in memory, which cannot
reach the disk, with an authorizer that allows only reading and a limit on the steps of SQLite's virtual machine
(https://www.sqlite.org/security.html).
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset, Guess, Notice
from mcsvm_gui.core.data.files.compression import memory
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.phrases import quoted
from mcsvm_gui.core.data.readers import roles
from mcsvm_gui.core.data.readers.declared import Declared
from mcsvm_gui.core.data.readers.rows import Cell, choose_table, read_rows
from mcsvm_gui.core.data.readers.source import Source
from mcsvm_gui.core.data.remedies import OptionWords

NAME = "sqlite"
OPTIONS = *roles.OPTIONS, "table", "query", "format"
_MAGIC = b"SQLite format 3\0"
_VERSIONS = slice(18, 20)  # in the header: 2 if changes are in a separate file, which a copy does not have
_OWN = b"mcsv"  # the application_id of this program's projects
_STEPS, _STEPS_PER_BYTE = 20_000_000, 20  # steps of SQLite's machine: 3 s, and 3 s per MB; a table takes 1 per byte
_BETWEEN = 100_000  # steps between two checks of the limit
_CELL = 100  # smallest size of a cell in memory, in bytes
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 1 << 20,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 1 << 20,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 50,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 100,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
_READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE, sqlite3.SQLITE_FUNCTION}
# functions whose results differ between calls, or that act
_NO_FUNCTIONS = {"load_extension", "fts3_tokenizer", "randomblob", "zeroblob", "random"}


def recognizes(source: Source, options: ReadOptions) -> bool:
    return source.data.startswith(_MAGIC)


def read(source: Source, options: ReadOptions, *, needs_label: bool) -> Dataset:
    if not recognizes(source, options):
        raise FileError(
            source.path,
            "this is no SQLite database; leave {format} out, or name the right one",
            format=OptionWords("format"),
        )
    _refuse_halves(source)
    if options.table is not None and options.query is not None:
        raise FileError(
            source.path,
            "{table} and {query} say both what to read; leave one out",
            table=OptionWords("table"),
            query=OptionWords("query"),
        )
    with _opened(source) as connection:
        tables = _tables(connection)
        sql, guesses, notices = _query(source, connection, tables, options)
        given, rows = _fetched(source, connection, sql)
    cells = list(zip(*rows, strict=True)) if rows else [()] * len(given)
    _refuse_bytes(source, given, cells)
    found = read_rows(
        source,
        NAME,
        given,
        cells,
        np.arange(1, len(rows) + 1),
        Declared(),
        options,
        needs_label=needs_label,
        guesses=guesses,
        notices=notices,
    )
    return replace(found, tables=tuple(tables), digest=_digest(given, rows))


def _refuse_halves(source: Source) -> None:
    """Refuse a project, which is not data, and a database that a program has open: part of it is in another file."""
    if source.data[68:72] == _OWN:
        raise FileError(source.path, "this is a project of this program, not data; open it as a project")
    for beside in (Path(f"{source.path}-wal"), Path(f"{source.path}-journal")):
        if not source.packing and beside.is_file() and beside.stat().st_size > 0:
            raise FileError(
                source.path,
                "part of this database is still in {beside}; close the program that writes it, or open the database"
                " in it once more",
                beside=beside.name,
            )


@contextmanager
def _opened(source: Source) -> Iterator[sqlite3.Connection]:
    data = bytearray(source.data)
    data[_VERSIONS] = b"\1\1"
    watch = _Watch(_STEPS + _STEPS_PER_BYTE * len(data))
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        try:
            for limit, most in _LIMITS.items():
                connection.setlimit(limit, most)
            connection.deserialize(bytes(data))
            for pragma in ("query_only=1", "trusted_schema=0", "cell_size_check=1", "temp_store=2", "mmap_size=0"):
                connection.execute(f"PRAGMA {pragma}").close()
            connection.set_authorizer(_allowed)
            connection.set_progress_handler(watch, _BETWEEN)
            yield connection
        except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError) as trouble:
            raise _refusal(source, trouble, watch) from None


def _allowed(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _NO_FUNCTIONS:
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY


class _Watch:
    """Progress handler that SQLite calls every `_BETWEEN` steps; True ends the query."""

    def __init__(self, most: int) -> None:
        self.left = most

    def __call__(self) -> bool:
        self.left -= _BETWEEN
        return self.left <= 0


def _refusal(source: Source, trouble: Exception, watch: _Watch) -> FileError:
    if isinstance(trouble, FileError):
        return trouble
    reason = str(trouble)
    if watch.left <= 0:
        what = Sentence(
            "reading was stopped because it does not end in sight; a view or query of this database may be endless"
        )
    elif "authorized" in reason or "prohibited" in reason or "readonly" in reason:
        what = Sentence("a database is only read: SELECT ... FROM ..., and no function that acts ({reason})")
    elif "malformed" in reason or "not a database" in reason or "corrupt" in reason or "decode" in reason:
        what = Sentence("this SQLite database is damaged and cannot be read: {reason}")
    else:
        what = Sentence("SQLite cannot read this: {reason}")
    return FileError(source.path, Sentence(what.template, reason=reason[:200]))


def _tables(connection: sqlite3.Connection) -> list[str]:
    """Return the tables in order of creation, then the views."""
    sql = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND substr(name, 1, 7) <> 'sqlite_'"
    return [str(name) for (name,) in connection.execute(f"{sql} ORDER BY type, rowid")]


def _query(
    source: Source, connection: sqlite3.Connection, tables: Sequence[str], options: ReadOptions
) -> tuple[str, tuple[Guess, ...], tuple[Notice, ...]]:
    if options.query is not None:
        return options.query, (), ()
    if not tables:
        raise FileError(source.path, "the database holds no table")
    offered = list(tables)
    if options.table is None:  # put the first table with rows first; views are not tried if a table has rows
        first = next((name for name in tables if _holds_rows(connection, name)), tables[0])
        offered = [first, *(name for name in tables if name != first)]
    name, guesses, notices = choose_table(source, offered, options)
    return f"SELECT * FROM {_name(name)}", guesses, notices


def _holds_rows(connection: sqlite3.Connection, table: str) -> bool:
    """Return whether a table or view has rows; False for a view that cannot be read."""
    try:
        return connection.execute(f"SELECT 1 FROM {_name(table)} LIMIT 1").fetchone() is not None
    except sqlite3.Error:
        return False


def _name(table: str) -> str:
    return '"' + table.replace('"', '""') + '"'


def _fetched(source: Source, connection: sqlite3.Connection, sql: str) -> tuple[list[str], list[tuple[Cell, ...]]]:
    cursor = connection.execute(sql)
    given = [str(column[0]) for column in cursor.description or ()]
    if not given:
        raise FileError(source.path, "the query gives no table; write SELECT ... FROM ...")
    rows: list[tuple[Cell, ...]] = []
    left = memory() // 4
    while more := cursor.fetchmany(1000):
        rows += more
        left -= sum(_CELL + (len(cell) if isinstance(cell, str | bytes) else 0) for row in more for cell in row)
        if left < 0:
            raise FileError(
                source.path, "the table would take more than a quarter of this machine's memory; take a part of it"
            )
    return given, rows


def _refuse_bytes(source: Source, given: Sequence[str], cells: Sequence[Sequence[Cell]]) -> None:
    for name, column in zip(given, cells, strict=True):
        if any(isinstance(cell, bytes) for cell in column):
            raise FileError(
                source.path,
                "column {name} holds bytes (a BLOB), where numbers or text are needed; leave it out by {query}",
                name=quoted(name),
                query=OptionWords("query"),
                column=name,
            )


def _digest(given: Sequence[str], rows: Sequence[tuple[Cell, ...]]) -> str:
    """Return the digest of the rows that were read: other tables of the database may change."""
    found = hashlib.sha256(repr(given).encode())
    for row in rows:
        found.update(repr(row).encode())
    return found.hexdigest()
