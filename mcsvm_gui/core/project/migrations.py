"""The tables of a project, one migration per version of the format."""

from __future__ import annotations

import sqlite3

FIRST = """
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    created TEXT NOT NULL,
    name TEXT NOT NULL,
    note TEXT NOT NULL,
    state TEXT NOT NULL,
    data_name TEXT NOT NULL,
    request TEXT NOT NULL,
    document TEXT,
    error TEXT,
    deleted INTEGER NOT NULL
);
CREATE TABLE parts (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (run, kind)
);
CREATE TABLE settings (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
CREATE TABLE cells (
    search TEXT NOT NULL,
    machine TEXT NOT NULL,
    cost REAL NOT NULL,
    gamma REAL,
    document TEXT NOT NULL,
    UNIQUE (search, machine, cost, gamma)
);
"""

MIGRATIONS = (FIRST,)  # append only; never change a released entry


def version_of(connection: sqlite3.Connection) -> int:
    return connection.execute("PRAGMA user_version").fetchone()[0]


def migrate(connection: sqlite3.Connection, migrations: tuple[str, ...]) -> None:
    """Apply each migration in one transaction with its version number."""
    for step in range(version_of(connection), len(migrations)):
        connection.execute("BEGIN IMMEDIATE")
        try:
            for statement in filter(str.strip, migrations[step].split(";")):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {step + 1}")
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise


def tables_of(connection: sqlite3.Connection) -> list[tuple[str, str, str]]:
    """Return everything the file declares: a trigger or view that is not ours would run unasked."""
    return connection.execute("SELECT type, name, coalesce(sql, '') FROM sqlite_master ORDER BY type, name").fetchall()


def expected_tables(version: int) -> list[tuple[str, str, str]]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        migrate(connection, MIGRATIONS[:version])
        return tables_of(connection)
    finally:
        connection.close()
