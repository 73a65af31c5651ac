"""Files whole or not at all, and cells that a spreadsheet would run."""

from __future__ import annotations

import csv
import io
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcsvm import InputError
from mcsvm.solvers.run import checkpoint
from mcsvm_gui.core.base import writing
from mcsvm_gui.core.base.writing import (
    check_outputs,
    check_writable,
    csv_text,
    plain_cell,
    replacing,
    safe_cell,
    write_text,
)
from mcsvm_gui.core.project.store import create


def test_an_error_in_between_leaves_the_old_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "x"
    write_text(path, "old")
    with pytest.raises(TypeError), replacing(path) as stream:
        stream.writelines([b"new", None])  # type: ignore[list-item]
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_is_flushed_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a loss of power there is the old file or the new one, whole."""
    done: list[str] = []
    rename = os.replace

    def flushed(handle: int) -> None:
        done.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else f"{os.fstat(handle).st_size} bytes")

    def renamed(old: Path, new: Path) -> None:
        done.append("name")
        rename(old, new)

    monkeypatch.setattr(os, "fsync", flushed)
    monkeypatch.setattr(os, "replace", renamed)
    write_text(tmp_path / "x", "12345")
    assert done == ["5 bytes", "name", "folder"]
    done.clear()
    checkpoint.write(tmp_path / "run", checkpoint.Saved({}, {}))
    assert done == [f"{(tmp_path / 'run').stat().st_size} bytes", "name", "folder"]
    done.clear()
    create(tmp_path / "a.mcsvmproj")
    assert done == [f"{(tmp_path / 'a.mcsvmproj').stat().st_size} bytes", "name"]


def test_links_stay_and_so_do_permissions(tmp_path: Path) -> None:
    path, link = tmp_path / "x", tmp_path / "link"
    write_text(path, "old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_text(link, "new")
    assert link.is_symlink()
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", 0o640)


def test_places_that_cannot_be_written_are_said_before(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="this is a folder"):
        check_writable(tmp_path)
    with pytest.raises(InputError, match="there is no folder"):
        check_writable(tmp_path / "a" / "b")
    with pytest.raises(InputError, match="cannot be written: No such file"):
        write_text(tmp_path / "a" / "b", "x")
    with pytest.raises(InputError, match="is empty"):
        check_writable("")


def test_nothing_is_written_over_what_is_read_or_written(tmp_path: Path) -> None:
    data, link, other = tmp_path / "data.csv", tmp_path / "link", tmp_path / "other"
    data.write_text("x")
    link.symlink_to(data)
    for same in (data, link, tmp_path / "." / "data.csv"):
        with pytest.raises(InputError, match="this file is read here"):
            check_outputs([None, same], [data, None])
    with pytest.raises(InputError, match="is written already"):
        check_outputs([other, tmp_path / "other"], [data])
    check_outputs([other, None], [data, None])
    check_outputs(["/dev/null", "/dev/null"], ["/dev/null"])


@given(st.text() | st.from_regex(r"'*[=+\-@\t\r].*"))
def test_neutralised_cells_come_back(text: str) -> None:
    safe = safe_cell(text)
    assert plain_cell(safe) == text
    try:
        float(safe)
    except ValueError:
        assert not safe.startswith(("=", "+", "-", "@"))


def test_numbers_are_no_formulas() -> None:
    assert [safe_cell(text) for text in ("-5", "+1.5e3", "1.0", "=1", "-a", "@b", "'=1", "'tis")] == [
        *("-5", "+1.5e3", "1.0", "'=1", "'-a", "'@b", "''=1", "'tis")
    ]


@given(st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=2, max_size=2)))
def test_tables_come_back(rows: list[list[str]]) -> None:
    found = list(csv.reader(io.StringIO(csv_text(["a", "b"], rows), newline="")))
    assert [[plain_cell(cell) for cell in row] for row in found[1:]] == rows


# -- what killed processes leave ------------------------------------------------------------------

KILLED = """
import os, signal, sys
from mcsvm_gui.core.base.writing import replacing

with replacing(sys.argv[1]) as stream:
    stream.write(b"half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def parts(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith(".mcsvm-"))


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.csv"
    killed = subprocess.run([sys.executable, "-c", KILLED, target], timeout=60)
    assert killed.returncode < 0
    assert len(parts(tmp_path)) == 1, "the test itself: there is something to remove"
    monkeypatch.setattr(writing, "_swept", set())
    writing.write_text(target, "whole")
    assert parts(tmp_path) == []
    assert target.read_text() == "whole"


def test_only_files_of_dead_processes_of_this_computer_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, dead, unique = writing._computer(), 999_999_999, "0" * 32
    stale = [f".mcsvm-{here}-{dead}-{unique}.part{ending}" for ending in ("", "-journal", "-wal")]
    others = [
        f".mcsvm-{here}-{os.getpid()}-{unique}.part",
        f".mcsvm-{here}-{os.getppid()}-{unique}.part",
        f".mcsvm-00000000-{dead}-{unique}.part",
        f".mcsvm-{here}-{dead}-{unique}.part.csv",
        f".mcsvm-{here}-{dead}-mine.part",
        ".mcsvm-notes.part",
    ]
    for name in (*stale, *others):
        (tmp_path / name).write_bytes(b"x")
    monkeypatch.setattr(writing, "_swept", set())
    writing.remove_stale_parts(tmp_path)
    assert parts(tmp_path) == sorted(others)
    (tmp_path / stale[0]).write_bytes(b"x")
    writing.remove_stale_parts(tmp_path)
    assert (tmp_path / stale[0]).exists(), "a folder is looked through once"
    writing.remove_stale_parts(tmp_path / "nowhere")
