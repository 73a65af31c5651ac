"""The project file: one SQLite database, opened by one window at a time.

The window holds it exclusively: a second window shows an error, and no lock file is needed. Every write is one
transaction, so that a killed process leaves the last commit. A file that is not a project is recognised by its first
bytes before SQLite opens it, because SQLite might write to it.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.opening import is_pipe, opened
from mcsvm_gui.core.base.writing import part_of, remove_stale_parts
from mcsvm_gui.core.machine.state import JobState
from mcsvm_gui.core.project.migrations import MIGRATIONS, expected_tables, migrate, tables_of, version_of
from mcsvm_gui.core.project.records import STATES, RunRecord, from_json, to_json
from mcsvm_gui.core.project.run_document import check_document
from mcsvm_gui.core.project.sqlite_errors import BUSY, READ_ONLY, as_file_error, refuse, storing, unwritable

APPLICATION = 0x6D637376  # "mcsv"
MAGIC, HEADER = b"SQLite format 3\0", 100
PARTS = "trace", "readings", "model", "checkpoint"
BESIDE = "-wal", "-shm", "-journal"
SYNCHRONOUS = "FULL"  # a commit is on the disk before it is reported: it survives a loss of power

COLUMNS = "id, created, name, note, state, data_name, request, document, error"
UPSERT = f"""INSERT INTO runs ({COLUMNS}, deleted) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, note = excluded.note, state = excluded.state,
    request = excluded.request, document = excluded.document, error = excluded.error, deleted = excluded.deleted"""
RESUMABLE = "EXISTS (SELECT 1 FROM parts WHERE run = runs.id AND kind = 'checkpoint')"
CHECKPOINTS = """SELECT run, length(content) FROM parts JOIN runs ON runs.id = run
    WHERE kind = 'checkpoint' AND state = 'done' ORDER BY run DESC"""

FORGET_CELL = "DELETE FROM cells WHERE search = ? AND machine = ? AND cost = ? AND gamma IS ?"  # NULLs are not UNIQUE
CellKey = tuple[str, str, float, float | None]  # the search, the machine, C, gamma

_held: set[str] = set()  # by this process: opening a held file again would drop its POSIX locks
_holding = threading.Lock()


@dataclass
class Change:
    """The newest state of a run; `parts` has the changed parts, None for parts to drop."""

    record: RunRecord
    deleted: bool = False
    parts: dict[str, bytes | None] = field(default_factory=dict)


class ProjectStore:
    """The store of one project; all methods may be called from any thread and run one at a time."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(os.path.realpath(path))
        self._lock = threading.RLock()
        _hold(self.path)
        try:
            with as_file_error(self.path):
                if not self.path.exists():
                    create(self.path)
                examine(self.path)
                remove_stale_parts(self.path.parent)
                self._connection, self.trouble = _connect(self.path)
        except BaseException:
            _release(self.path)
            raise
        try:
            self.last_id: int = self._one("SELECT coalesce(max(id), 0) FROM runs")
        except BaseException:
            self.close()
            raise

    # -- reading ----------------------------------------------------------------------------------

    def records(self) -> list[RunRecord]:
        """Return all runs that are not deleted, the oldest first."""
        with self._turn():
            rows = self._connection.execute(f"SELECT {COLUMNS}, {RESUMABLE} FROM runs WHERE deleted = 0 ORDER BY id")
            return [_record(row) for row in rows]

    def part(self, run: int, kind: str) -> bytes | None:
        content = self._one("SELECT content FROM parts WHERE run = ? AND kind = ?", run, kind)
        if not isinstance(content, bytes | None):
            refuse(self.path, Sentence("the {kind} of run {run} is damaged", kind=kind, run=run))
        return content

    def settings(self) -> dict[str, Any]:
        with self._turn():
            rows = self._connection.execute("SELECT key, value FROM settings").fetchall()
            return {key: entry["value"] for key, value in rows if "value" in (entry := from_json(value))}

    def cells(self, search: str) -> list[tuple[str, float, float | None, dict[str, Any]]]:
        """Return machine, C, gamma and document of every stored cell of a search."""
        with self._turn():
            question = "SELECT machine, cost, gamma, document FROM cells WHERE search = ?"
            rows = self._connection.execute(question, (search,)).fetchall()
            return [(machine, cost, gamma, from_json(document)) for machine, cost, gamma, document in rows]

    def searches(self) -> list[str]:
        """Return the keys of the searches with stored cells."""
        with self._turn():
            return [search for (search,) in self._connection.execute("SELECT DISTINCT search FROM cells")]

    # -- writing ----------------------------------------------------------------------------------

    def write(
        self,
        changes: Iterable[Change] = (),
        settings: Mapping[str, Any] | None = None,
        cells: Mapping[CellKey, dict[str, Any]] | None = None,
    ) -> None:
        """Write everything in one transaction.

        A FileError is an error of the file or the disk; any other error means that no project can store these values.
        """
        rows = [((*_row(change.record), change.deleted), change.parts) for change in changes]
        plain = [(key, to_json({"value": value})) for key, value in (settings or {}).items()]
        tried = [(*key, to_json(document)) for key, document in (cells or {}).items()]
        with self._lock, storing(self.path), self._transaction() as connection:
            for row, parts in rows:
                connection.execute(UPSERT, row)
                for kind, content in parts.items():
                    _put_part(connection, row[0], kind, content)
            connection.executemany("INSERT OR REPLACE INTO settings VALUES (?, ?)", plain)
            connection.executemany(FORGET_CELL, [cell[:4] for cell in tried])
            connection.executemany("INSERT INTO cells VALUES (?, ?, ?, ?, ?)", tried)

    def purge(self) -> None:
        """Remove deleted runs for good, and return their space to the disk."""
        with self._turn():
            with self._transaction() as connection:
                connection.execute("DELETE FROM runs WHERE deleted = 1")
            self._connection.executescript("PRAGMA incremental_vacuum")  # `execute` would free one page

    def trim_checkpoints(self, most: int) -> set[int]:
        """Drop checkpoints of stopped runs beyond `most` bytes in all, of the oldest runs first; return these runs."""
        with self._turn(), self._transaction() as connection:
            total, dropped = 0, set()
            for run, size in connection.execute(CHECKPOINTS).fetchall():
                total += size
                if total > most:
                    dropped.add(run)
                    _put_part(connection, run, "checkpoint", None)
            return dropped

    def copy_to(self, path: str | os.PathLike[str]) -> None:
        """Write a complete project at `path` or nothing; replace an existing file unless a window holds it."""
        target = Path(os.path.realpath(path))
        with self._turn():
            if target == self.path:
                return
            with as_file_error(target), _fresh(target) as beside:
                copy = sqlite3.connect(beside)
                try:
                    self._connection.backup(copy)
                finally:
                    copy.close()

    def close(self) -> None:
        """Close the connection: the write-ahead log is merged into the file and removed."""
        with self._lock:
            with suppress(sqlite3.Error):
                self._connection.close()
            _release(self.path)

    # -- turns ------------------------------------------------------------------------------------

    def _one(self, question: str, *values: Any) -> Any:
        with self._turn():
            row = self._connection.execute(question, values).fetchone()
            return None if row is None else row[0]

    @contextmanager
    def _turn(self) -> Iterator[None]:
        with self._lock, as_file_error(self.path):
            yield

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield self._connection
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:  # a full disk may have ended the transaction already
                self._connection.execute("ROLLBACK")
            raise


# -- opening --------------------------------------------------------------------------------------


def _hold(path: Path) -> None:
    with _holding:
        if str(path) in _held:
            refuse(path, BUSY)
        _held.add(str(path))


def _release(path: Path) -> None:
    with _holding:
        _held.discard(str(path))


def replace_by_new(path: str | os.PathLike[str]) -> None:
    """Replace any file by an empty project, unless a window holds it."""
    target = Path(os.path.realpath(path))
    with as_file_error(target):
        create(target)


def create(path: Path) -> None:
    """Create an empty project that is complete before it gets its name."""
    with _fresh(path) as beside:
        connection = sqlite3.connect(beside, isolation_level=None)
        try:
            connection.execute("PRAGMA synchronous = OFF")  # `_fresh` flushes the file before it has its name
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            migrate(connection, MIGRATIONS)
            connection.execute("PRAGMA journal_mode = WAL")
        finally:
            connection.close()


@contextmanager
def _fresh(target: Path) -> Iterator[Path]:
    """Yield a temporary file next to `target` that replaces it if the block succeeds."""
    beside = part_of(target)
    try:
        yield beside
        with open(beside, "rb") as stream:
            os.fsync(stream.fileno())
        if target.exists():
            _check_free(target)
        for ending in BESIDE:  # the log of another database would be replayed into this one
            with suppress(FileNotFoundError):
                os.unlink(f"{target}{ending}")
        os.replace(beside, target)
    finally:
        with suppress(OSError):
            beside.unlink()


def _check_free(target: Path) -> None:
    """Raise FileError if a window holds the file that is about to be replaced."""
    _hold(target)
    try:
        connection = sqlite3.connect(target, timeout=0.0, isolation_level=None)
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
                raise
        except sqlite3.DatabaseError:
            pass  # a file that is not a database may be replaced
        finally:
            connection.close()
    finally:
        _release(target)


def examine(path: Path) -> None:
    """Refuse a file that is not a project by its first bytes, without changing it."""
    if is_pipe(path):
        refuse(path, Sentence("this is no mcsvm project"))
    with opened(path) as stream:
        header = stream.read(HEADER)
    if len(header) < HEADER or not header.startswith(MAGIC):
        refuse(path, Sentence("this is no mcsvm project"))
    if int.from_bytes(header[68:72], "big") != APPLICATION:
        refuse(path, Sentence("this is the database of another program, no mcsvm project"))
    version = int.from_bytes(header[60:64], "big")
    if version > len(MIGRATIONS):
        sentence = Sentence(
            "the project was written by a newer mcsvm (format {found}; this one reads up to {known}): update mcsvm",
            found=version,
            known=len(MIGRATIONS),
        )
        refuse(path, sentence)
    if not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        refuse(path, READ_ONLY)


def _connect(path: Path) -> tuple[sqlite3.Connection, Sentence | None]:
    """Return the connection, and the reason if the project cannot be written.

    Reading takes the lock, because the file is in WAL mode. Nothing is written unless the file is a project.
    """
    trouble = None
    connection = sqlite3.connect(path, timeout=0.0, isolation_level=None, check_same_thread=False)
    try:
        for pragma in ("locking_mode = EXCLUSIVE", "trusted_schema = OFF", "cell_size_check = ON", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {pragma}")
        if tables_of(connection) != expected_tables(version_of(connection)):
            refuse(path, Sentence("this is no mcsvm project: its tables are others"))
        connection.execute(f"PRAGMA synchronous = {SYNCHRONOUS}")
        migrate(connection, MIGRATIONS)
        connection.execute("PRAGMA journal_mode = WAL")
        try:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # the version is then in the first bytes of the file
        except sqlite3.OperationalError as error:
            trouble = unwritable(error)  # the log stays next to the file, and its content can be read
            if trouble is None:
                raise
    except BaseException:
        connection.close()
        raise
    return connection, trouble


# -- rows -----------------------------------------------------------------------------------------


def _row(record: RunRecord) -> tuple[Any, ...]:
    documents = to_json(record.plain_request), to_json(record.document or record.earlier)
    head = record.id, record.created, record.name, record.note, record.state, record.data_name
    return (*head, *documents, record.error)


def _record(row: tuple[Any, ...]) -> RunRecord:
    run, created, name, note, state, data_name, request, document, error, resumable = row
    texts = created, name, note, state, data_name
    if not all(isinstance(text, str) for text in texts) or state not in STATES or not isinstance(error, str | None):
        raise ValueError(f"run {run} is not readable")
    datetime.fromisoformat(created)  # raises ValueError if it is not a date
    known = None if document is None else from_json(document)
    if known is not None:
        try:
            check_document(known)
        except ValueError as reason:
            state, known, resumable = JobState.FAILED, None, False
            error = f"what the project keeps of this run is damaged: {reason}"
    ended, earlier = (known, None) if state == JobState.DONE else (None, known)
    return RunRecord(
        *(run, created, name, data_name, from_json(request), note, state, ended, error),
        earlier=earlier,
        resumable=bool(resumable),
    )


def _put_part(connection: sqlite3.Connection, run: int, kind: str, content: bytes | None) -> None:
    if content is None:
        connection.execute("DELETE FROM parts WHERE run = ? AND kind = ?", (run, kind))
    else:
        connection.execute("INSERT OR REPLACE INTO parts VALUES (?, ?, ?)", (run, kind, content))
