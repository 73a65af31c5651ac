"""The project file keeps what it was given, and nothing but one window writes to it."""

from __future__ import annotations

import importlib.util
import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from run_examples import record

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.project import migrations as migrations_module
from mcsvm_gui.core.project import store as store_module
from mcsvm_gui.core.project.migrations import MIGRATIONS
from mcsvm_gui.core.project.records import STATES
from mcsvm_gui.core.project.store import PARTS, Change, ProjectStore, create


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.mcsvmproj"


def reopened(store: ProjectStore) -> ProjectStore:
    store.close()
    return ProjectStore(store.path)


def test_everything_comes_back(path: Path) -> None:
    given = [record(number + 1, state, note="ü\n'\"\0") for number, state in enumerate(STATES)]
    store = ProjectStore(path)
    store.write([Change(one, parts={kind: kind.encode() for kind in PARTS}) for one in given], {"x": [1, None, "ä"]})
    store = reopened(store)
    assert store.records() == [replace(one, resumable=True) for one in given], "each has a checkpoint"
    assert all(store.part(one.id, kind) == kind.encode() for one in given for kind in PARTS)
    assert store.settings() == {"x": [1, None, "ä"]}
    assert store.last_id == len(given)
    store.close()


def test_commits_reach_the_disk_outside_of_tests(path: Path) -> None:
    """Tests turn it off (tests/conftest.py), so the module is read anew."""
    spec = importlib.util.find_spec(store_module.__name__)
    assert spec is not None
    assert spec.loader is not None
    unpatched = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(unpatched)
    store = unpatched.ProjectStore(path)
    assert store._connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
    store.close()


def test_the_newest_of_a_run_replaces_the_older(path: Path) -> None:
    store = ProjectStore(path)
    store.write([Change(record(1, "running"), parts={"checkpoint": b"1", "trace": b"2"})])
    store.write([Change(record(1, "done", name="best"), parts={"checkpoint": None, "model": b"3"})])
    assert store.records() == [record(1, "done", name="best")]
    assert [store.part(1, kind) for kind in ("checkpoint", "trace", "model")] == [None, b"2", b"3"]
    store.close()


def test_the_newest_of_a_cell_replaces_the_older_with_gamma_and_without(path: Path) -> None:
    keys = [("a", "ww", 0.1, 2.0**-7), ("a", "ww", 0.1, None), ("b", "ww", 0.1, None)]
    store = ProjectStore(path)
    store.write(cells={key: {"folds": 1} for key in keys})
    store.write(cells={keys[0]: {"folds": 2}, keys[1]: {"folds": 3}})
    store = reopened(store)
    assert sorted(store.cells("a"), key=str) == sorted(
        [(*keys[0][1:], {"folds": 2}), (*keys[1][1:], {"folds": 3})], key=str
    )
    assert store.cells("b") == [(*keys[2][1:], {"folds": 1})]
    assert store.cells("c") == []
    store.close()


def test_what_was_deleted_is_gone_after_the_purge_and_its_parts_too(path: Path) -> None:
    store = ProjectStore(path)
    store.write([Change(record(1), parts={"model": bytes(10**6)}), Change(record(2))])
    store = reopened(store)
    large = path.stat().st_size
    store.write([Change(record(1), deleted=True)])
    assert store.records() == [record(2)]
    assert store.part(1, "model") is not None
    store.purge()
    assert store.part(1, "model") is None
    store.close()
    assert path.stat().st_size < large - 900_000


def test_deletion_can_be_taken_back(path: Path) -> None:
    store = ProjectStore(path)
    store.write([Change(record(1), parts={"model": b"m"})])
    store.write([Change(record(1), deleted=True)])
    store.write([Change(record(1))])
    assert (store.records(), store.part(1, "model")) == ([record(1)], b"m")
    store.close()


def test_a_write_is_whole_or_not_at_all(path: Path) -> None:
    store = ProjectStore(path)
    store.write([Change(record(1, "running"), parts={"trace": b"old"})])
    bad = Change(record(2), parts={"model": object()})  # type: ignore[dict-item]
    with pytest.raises((sqlite3.ProgrammingError, sqlite3.InterfaceError)):  # by version of Python
        store.write([Change(record(1, "done"), parts={"trace": b"new"}), bad])
    assert (store.records(), store.part(1, "trace")) == ([record(1, "running")], b"old")
    store.write([Change(record(3))])
    assert [one.id for one in store.records()] == [1, 3]
    store.close()


def test_a_document_that_is_no_json_is_not_called_damage(path: Path) -> None:
    store = ProjectStore(path)
    with pytest.raises(ValueError, match="JSON") as caught:
        store.write([Change(record(1, document={"gap": float("nan")}))])
    assert not isinstance(caught.value, FileError)
    store.close()


def test_threads_take_turns(path: Path) -> None:
    store = ProjectStore(path)

    def work(first: int) -> None:
        for number in range(first, first + 20):
            store.write([Change(record(number), parts={"trace": str(number).encode()})])
            assert store.part(number, "trace") == str(number).encode()

    threads = [threading.Thread(target=work, args=(100 * turn + 1,)) for turn in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.records()) == 80
    store.close()


def test_closing_leaves_one_file(path: Path) -> None:
    store = ProjectStore(path)
    store.write([Change(record(1))])
    store.close()
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


# -- two windows ----------------------------------------------------------------------------------


def test_a_second_window_of_the_same_process_gets_a_sentence(path: Path) -> None:
    store = ProjectStore(path)
    with pytest.raises(FileError, match="open in another window"):
        ProjectStore(path)
    store.write([Change(record(1))])
    store.close()
    ProjectStore(path).close()


def test_a_second_process_gets_a_sentence_until_the_first_is_gone(path: Path) -> None:
    code = (
        "import sys\n"
        "from mcsvm_gui.core.project.store import ProjectStore\n"
        f"store = ProjectStore({str(path)!r})\n"
        "print('open', flush=True)\n"
        "sys.stdin.read()\n"
    )
    other = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert other.stdout is not None
        assert other.stdout.readline().strip() == b"open"
        with pytest.raises(FileError, match="open in another window"):
            ProjectStore(path)
        target = ProjectStore(path.with_name("b.mcsvmproj"))
        with pytest.raises(FileError, match="open in another window"):
            target.copy_to(path)
        target.close()
    finally:
        other.kill()
        other.communicate()
    ProjectStore(path).close()


# -- copies ---------------------------------------------------------------------------------------


def test_a_copy_is_complete_and_its_own(path: Path) -> None:
    store = ProjectStore(path)
    store.write([Change(record(1), parts={"model": b"m"})], {"key": 1})
    target = path.with_name("b.mcsvmproj")
    store.copy_to(target)
    store.write([Change(record(2))])
    copy = ProjectStore(target)
    assert (copy.records(), copy.part(1, "model"), copy.settings()) == ([record(1)], b"m", {"key": 1})
    assert len(store.records()) == 2
    copy.close()
    store.close()


@pytest.mark.parametrize("before", [b"", b"something else", None])
def test_a_copy_takes_the_place_of_what_was_there(path: Path, before: bytes | None) -> None:
    target = path.with_name("b.mcsvmproj")
    if before is None:
        older = ProjectStore(target)
        older.write([Change(record(9))])
        older.close()
    else:
        target.write_bytes(before)
    target.with_name(target.name + "-wal").write_bytes(b"a log of another database")
    store = ProjectStore(path)
    store.write([Change(record(1))])
    store.copy_to(target)
    copy = ProjectStore(target)
    assert copy.records() == [record(1)]
    copy.close()
    store.close()
    assert {entry.name for entry in path.parent.iterdir()} == {path.name, target.name}


def test_a_copy_that_cannot_be_made_is_a_sentence_and_leaves_nothing(path: Path) -> None:
    store = ProjectStore(path)
    with pytest.raises(FileError):
        store.copy_to(path.parent / "nowhere" / "b.mcsvmproj")
    store.write([Change(record(1))])
    store.close()
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


# -- formats --------------------------------------------------------------------------------------


def another_step(monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    for module in (migrations_module, store_module):
        monkeypatch.setattr(module, "MIGRATIONS", (*MIGRATIONS, step))


def test_an_older_project_is_brought_up_to_date(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    older = ProjectStore(path)
    older.write([Change(record(1))])
    older.close()
    another_step(monkeypatch, "ALTER TABLE runs ADD COLUMN stars INTEGER NOT NULL DEFAULT 3;")
    for _ in range(2):
        store = ProjectStore(path)
        assert store.records() == [record(1)]
        store.close()
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT stars FROM runs").fetchall() == [(3,)]
    connection.close()


def test_a_newer_project_is_a_sentence(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as later:
        another_step(later, "CREATE TABLE stars (run INTEGER)")
        create(path)
    before = path.read_bytes()
    with pytest.raises(FileError, match="newer mcsvm"):
        ProjectStore(path)
    assert path.read_bytes() == before


def test_a_migration_that_fails_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create(path)
    before = path.read_bytes()
    another_step(monkeypatch, "ALTER TABLE runs ADD COLUMN stars INTEGER; CREATE TABLE nonsense")
    with pytest.raises(FileError):
        ProjectStore(path)
    assert path.read_bytes() == before


def test_records_are_plain_values() -> None:
    one = record(1)
    assert one == replace(one)
    assert one.request.document() == one.plain_request
