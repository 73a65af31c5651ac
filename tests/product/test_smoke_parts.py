"""What the trial of the product stands on: it must see what was written and whom was called, or it proves nothing."""

import shutil
import subprocess
import sys
from pathlib import Path

import clean_root
import pytest
import traces

STORY = """
import os, socket, sys
open(sys.argv[1] + "/new", "w").close()
open(sys.argv[0]).close()
os.mkdir(sys.argv[1] + "/folder")
os.rename(sys.argv[1] + "/new", sys.argv[1] + "/folder/moved")
try:
    open("/nowhere/at/all", "w")
except OSError:
    pass
probe = socket.socket()
probe.settimeout(0.2)
probe.connect_ex(("127.0.0.1", 9))
socket.socket(socket.AF_UNIX).connect_ex("/nowhere")
"""


def sees(tmp_path: Path) -> Path:
    """A log of a process that writes and calls; by strace where it may be used, else what it wrote once."""
    log, story = tmp_path / "log", tmp_path / "story.py"
    story.write_text(STORY, "utf-8")
    words = ["strace", "-f", "-qq", "-s", "400", "-e", traces.CALLS, "-o", str(log)]
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    answer = subprocess.run([*words, sys.executable, "-B", str(story), str(tmp_path)], capture_output=True, timeout=60)
    if answer.returncode != 0:
        pytest.skip("strace may not be used here")
    return log


def test_everything_written_and_everyone_called_is_seen(tmp_path: Path) -> None:
    log = sees(tmp_path)
    expected = {str(tmp_path / name) for name in ("new", "folder", "folder/moved")}
    assert traces.written(log) == expected
    assert [("127.0.0.1" in address, "9" in address) for address in traces.called(log)] == [(True, True)]


def test_what_lies_outside_is_told_from_what_lies_on_the_way() -> None:
    folders = ["/home/ada/.cache", "/home/ada/.config"]
    paths = {"/home/ada/.cache/a/b", "/home/ada", "/home/ada/.cached", "/tmp/x", "/home/ada/.config"}
    assert traces.outside(paths, folders) == {"/home/ada/.cached", "/tmp/x"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("sources.list", "# deb http://old/debian no main\ndeb [arch=amd64] http://a.example/debian trixie main\n"),
        ("sources.list.d/x.sources", "Types: deb\nURIs: http://a.example/debian\nSuites: trixie trixie-updates\n"),
    ],
)
def test_the_mirror_is_that_of_this_machine(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / "sources.list.d").mkdir()
    (tmp_path / "sources.list.d" / "a.list").write_text("deb http://other.example/apt stable main\n", "utf-8")
    (tmp_path / name).write_text(text, "utf-8")
    assert clean_root.mirror(tmp_path) == ("http://a.example/debian", "trixie")


def test_no_mirror_is_said(tmp_path: Path) -> None:
    (tmp_path / "sources.list.d").mkdir()
    with pytest.raises(clean_root.Trouble, match="no Debian"):
        clean_root.mirror(tmp_path)
