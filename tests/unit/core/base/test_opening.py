"""Files that users name are regular files or pipes; what has no end is refused."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import mcsvm_gui
from mcsvm_gui.core.base import opening
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.base.opening import opened

DEVICE = Path("/dev/zero")
# Modules that open a file themselves: each opens what this program or another one wrote, never what a user names.
OWN_FILES = {
    *("core/base/about.py", "core/base/crash_log.py", "core/base/hardware.py", "core/base/licences.py"),
    *("core/base/settings.py", "core/base/i18n/catalogue.py", "core/base/i18n/terms.py"),
    *("core/base/i18n/translation.py", "core/data/projections/neighborhoods.py", "core/report/formats/text_width.py"),
    *("core/export/json.py", "core/export/liblinear.py", "core/export/libsvm_predictors.py"),
    *("core/export/onnx/__init__.py", "core/base/opening.py", "core/project/store.py"),
    "core/data/files/compression.py",
}
READING = re.compile(
    r"(\.read_text|\.read_bytes|np\.load)\(|\bopen\([^)]*['\"]r?\+?b['\"]|\.open\((['\"]rb?['\"]|encoding|\))"
)
ROOT = Path(mcsvm_gui.__file__).parent


@pytest.mark.skipif(not DEVICE.exists(), reason="needs a device")
def test_a_device_is_refused_before_it_is_read() -> None:
    with pytest.raises(FileError, match="/dev/zero: this is a device; name a file"), opened(DEVICE):
        pass


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="this is a folder"), opened(tmp_path):
        pass


def test_a_regular_file_may_be_too_long(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    with opened(path, 5) as stream:
        assert stream.read() == b"12345"
    with (
        pytest.raises(FileError, match=r"it is longer than 4.B, the largest allowed size of such a file"),
        opened(path, 4),
    ):
        pass


@pytest.fixture
def endless(tmp_path: Path) -> Iterator[Path]:
    """A pipe that somebody writes to without an end."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no named pipes")
    pipe = tmp_path / "endless"
    os.mkfifo(pipe)
    writer = subprocess.Popen(["sh", "-c", f"exec cat /dev/zero > '{pipe}'"], stderr=subprocess.DEVNULL)
    yield pipe
    assert writer.wait(timeout=20) != 0, "it was ended by the end of the pipe"


def test_an_endless_pipe_is_read_to_its_limit(endless: Path) -> None:
    with pytest.raises(FileError, match=r"endless: it is longer than 3\.00.MB"), opened(endless, 3_000_000):
        pass


def test_a_pipe_without_a_limit_may_fill_half_of_the_free_space(endless: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    space = opening.shutil.disk_usage("/")._replace(free=8_000_000)
    monkeypatch.setattr(opening.shutil, "disk_usage", lambda place: space)
    with (
        pytest.raises(FileError, match=r"it is longer than 4\.00.MB, half of the free space on the disk"),
        opened(endless),
    ):
        pass


def test_a_pipe_can_be_read_from_any_position(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"0123456789",))
    writer.start()
    with opened(pipe) as stream:
        stream.seek(7)
        assert stream.read() == b"789"
    writer.join()


def reads_a_file(path: Path) -> bool:
    calls = (ast.unparse(node) for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call))
    return any(READING.search(call) for call in calls)


def test_files_that_users_name_are_opened_here_alone() -> None:
    modules = [path for folder in ("core", "cli") for path in (ROOT / folder).rglob("*.py")]
    found = {path.relative_to(ROOT).as_posix() for path in modules if reads_a_file(path)}
    assert found - OWN_FILES == set()
