"""What kills, fills and damages: the project stays whole, and says what happened."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import time
import uuid
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from run_examples import record

from mcsvm.solvers.run.trace import Sample, Trace
from mcsvm_gui.core.base.arrays import packed, unpacked
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.project.records import ACTIVE, STATES
from mcsvm_gui.core.project.store import APPLICATION, Change, ProjectStore, create

HERE = Path(__file__).resolve().parents[3]

KILLED = """
import sys
sys.path.insert(0, {tests!r})
from run_examples import record
from mcsvm_gui.core.project.store import Change, ProjectStore
store = ProjectStore({path!r})
for number in range(1, 100000):
    store.write([Change(record(number, "running"))])
    print("begun", number, flush=True)
    store.write([Change(record(number, "running"), parts={{"checkpoint": bytes([number % 256]) * 20000}})])
    print("kept", number, flush=True)
    store.write([Change(record(number), parts={{"model": bytes([number % 256]) * 50000, "checkpoint": None}})])
    print("ended", number, flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("patience", [0.0, 0.05, 0.21])
def test_what_was_committed_survives_a_kill(tmp_path: Path, patience: float) -> None:
    path = tmp_path / "a.mcsvmproj"
    code = KILLED.format(tests=str(HERE), path=str(path))
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(patience)
    process.kill()
    told = process.communicate()[0]
    said = ["begun 1", *told[: told.rfind("\n") + 1].splitlines()]  # the kill may have cut the last line
    store = ProjectStore(path)
    states = {one.id: one.state for one in store.records()}
    for line in said:
        what, number = line.split()
        if what == "ended":
            assert states[int(number)] == "done"
            assert store.part(int(number), "model") == bytes([int(number) % 256]) * 50000
        assert int(number) in states
    last = max(states)
    if states[last] in ACTIVE and f"kept {last}" in said:
        assert store.part(last, "checkpoint") == bytes([last % 256]) * 20000
    assert sum(state in ACTIVE for state in states.values()) <= 1
    store.close()


FILLED = """
import resource, sys
sys.path.insert(0, {tests!r})
from run_examples import record
from mcsvm_gui.core.project.store import Change, ProjectStore
store = ProjectStore({path!r})
store.write([Change(record(1), parts={{"model": b"m"}})])
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
try:
    store.write([Change(record(2), parts={{"model": bytes(10**6)}})])
except Exception as error:
    print(type(error).__name__, error)
print([one.id for one in store.records()], store.part(1, "model"))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
store.write([Change(record(2), parts={{"model": bytes(10**6)}})])
print([one.id for one in store.records()])
store.close()
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no resource limits")
def test_a_full_disk_is_a_sentence_and_costs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.mcsvmproj"
    code = FILLED.format(tests=str(HERE), path=str(path))
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    lines = result.stdout.splitlines()
    assert result.returncode == 0, result.stderr
    assert lines[0].startswith("FileError")
    assert "disk" in lines[0]
    assert lines[1:] == ["[1] b'm'", "[1, 2]"]
    store = ProjectStore(path)
    assert [one.id for one in store.records()] == [1, 2]
    store.close()


LOGGED = """
import os, signal, sys
sys.path.insert(0, {tests!r})
from run_examples import record
from mcsvm_gui.core.project.store import Change, ProjectStore
store = ProjectStore({path!r})
store.write([Change(record(1), parts={{"model": bytes(10**6)}})])
os.kill(os.getpid(), signal.SIGKILL)
"""
READ_FULL = """
import resource
from mcsvm_gui.core.project.store import ProjectStore
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
store = ProjectStore({path!r})
print(store.trouble, [one.id for one in store.records()], len(store.part(1, "model")))
try:
    store.write(settings={{"key": "x" * 10**6}})
except Exception as error:
    print(type(error).__name__, error)
store.close()
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no resource limits")
def test_a_project_whose_log_has_no_room_on_the_disk_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "a.mcsvmproj"
    subprocess.run([sys.executable, "-c", LOGGED.format(tests=str(HERE), path=str(path))], timeout=60)
    log = Path(f"{path}-wal")
    assert log.stat().st_size > 10**6, "the test itself: the log was not written back"
    result = subprocess.run([sys.executable, "-c", READ_FULL.format(path=str(path))], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    first, second = result.stdout.splitlines()
    assert first.startswith("nothing can be written to the project (disk I/O error); it can be read")
    assert first.endswith(" [1] 1000000")
    assert second.startswith("FileError")
    store = ProjectStore(path)
    assert store.trouble is None
    assert len(store.part(1, "model") or b"") == 10**6
    store.close()


# -- foreign, damaged, read-only ------------------------------------------------------------------


def database(path: Path, application: int) -> None:
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA application_id = {application}")
    connection.execute("CREATE TABLE bookmarks (url TEXT)")
    connection.close()


def strangers(folder: Path) -> dict[str, Path]:
    (folder / "empty").write_bytes(b"")
    (folder / "text").write_text("x1,x2,label\n" * 100)
    (folder / "short").write_bytes(b"SQLite format 3\0")
    database(folder / "bookmarks", 0)
    database(folder / "claims to be ours", APPLICATION)
    return {path.name: path for path in folder.iterdir()}


@pytest.mark.parametrize("name", ["empty", "text", "short", "bookmarks", "claims to be ours"])
def test_a_foreign_file_is_a_sentence_and_stays_as_it_was(tmp_path: Path, name: str) -> None:
    path = strangers(tmp_path)[name]
    before = path.read_bytes()
    with pytest.raises(FileError, match="no mcsvm project"):
        ProjectStore(path)
    assert path.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 5


def test_a_project_with_a_trigger_in_it_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.mcsvmproj"
    create(path)
    connection = sqlite3.connect(path)
    connection.execute("CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM runs; END")
    connection.close()
    with pytest.raises(FileError, match="no mcsvm project"):
        ProjectStore(path)


def test_a_folder_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(FileError):
        ProjectStore(tmp_path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_project_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.mcsvmproj"
    create(path)
    path.chmod(0o400)
    with pytest.raises(FileError, match="cannot be written"):
        ProjectStore(path)


def whole_project(path: Path) -> bytes:
    trace = Trace()
    for step in range(50):
        trace.append(Sample(step, 0.1 * step, 1.0, 2.0, 0.5, step, 0))
    store = ProjectStore(path)
    store.write(
        [Change(record(run, STATES[run % 6]), parts={"trace": packed(trace.pack())}) for run in range(1, 40)],
        {"page": "train"},
    )
    store.close()
    return path.read_bytes()


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return whole_project(tmp_path_factory.mktemp("sound") / "a.mcsvmproj")


@pytest.mark.slow
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2**32))
def test_a_damaged_project_opens_or_is_a_sentence(tmp_path: Path, sound: bytes, seed: int) -> None:
    path = tmp_path / f"{uuid.uuid4().hex}.mcsvmproj"
    path.write_bytes(mutated(sound, random.Random(seed)))
    before = path.read_bytes()
    try:
        store = ProjectStore(path)
    except FileError:
        assert path.read_bytes() == before
        return
    with suppress(FileError):
        for one in store.records():
            look_at(store, one.id)
        store.settings()
    store.close()


def mutated(content: bytes, dice: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(dice.randint(1, 6)):
        early = dice.random() < 0.5  # the header and the roots of the tables matter most
        changed[dice.randrange(200 if early else len(changed))] = dice.randrange(256)
    if dice.random() < 0.2:
        del changed[dice.randrange(len(changed)) :]
    return bytes(changed)


def look_at(store: ProjectStore, run: int) -> None:
    content = store.part(run, "trace")
    if content is not None:
        try:
            unpacked(content)
        except ValueError:
            return


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_damaged_array_is_a_value_error(data: st.DataObject) -> None:
    sample = Trace()
    sample.append(Sample(1, 0.1, 1.0, 2.0, 0.5, 3, 0))
    content = bytearray(packed(sample.pack()))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        table = unpacked(bytes(content[: data.draw(st.integers(0, len(content)))]))
    except ValueError:
        return
    assert table.ndim == 2
    assert table.dtype == float
