"""The first moments of the program, and streams that cannot be written to."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import ROOT, mcsvm, real_mcsvm
from copies import import_path

PRESSED = """
import os, signal, sys

class Pressed:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            os.kill(os.getpid(), signal.SIGINT)
            for _ in range(1000):
                pass

sys.meta_path.insert(0, Pressed())
from mcsvm_gui.start import main
sys.argv[1:] = ["inspect", "nothing"]
sys.exit(main())
"""


@pytest.mark.parametrize("name", ["mcsvm_gui.cli", "argparse", "mcsvm_gui.core.base.options", "mcsvm_gui.cli.commands"])
def test_ctrl_c_while_the_program_is_loaded_ends_it_quietly(name: str) -> None:
    """`signal` itself is loaded by this script before."""
    program = subprocess.run(
        [sys.executable, "-c", PRESSED.format(name=name)], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert (program.returncode, program.stdout, program.stderr) == (130, "", "")


@pytest.mark.slow
def test_streams_on_a_full_device_change_no_exit_code(blobs: Path, tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    with full.open("w") as stream:
        assert real_mcsvm("inspect", "nothing", stderr=stream).code == 2
        answer = real_mcsvm("inspect", blobs, stdout=stream)
        assert (answer.code, answer.err) == (2, "error: No space left on device\n")
        assert real_mcsvm("inspect", blobs, stdout=stream, stderr=stream).code == 2
        written = tmp_path / "p.csv"
        assert real_mcsvm("train", blobs, "--model", written, stderr=stream).code == 0


LOADING = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name == "pandas":
            raise ImportError("libgfortran.so: failed to map segment from shared object")

sys.meta_path.insert(0, Missing())
from mcsvm_gui.cli import main
sys.exit(main(["inspect", sys.argv[1]]))
"""


def test_a_library_that_cannot_be_loaded_is_a_sentence(blobs: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": import_path()}
    program = subprocess.run(
        [sys.executable, "-c", LOADING, blobs], env=environment, capture_output=True, text=True, timeout=60
    )
    assert (program.returncode, program.stdout) == (2, "")
    sentence = "error: a library cannot be loaded: libgfortran.so: failed to map segment from shared object; "
    assert program.stderr == sentence + "if memory is limited (ulimit -v), allow more, else run `mcsvm doctor`\n"


@pytest.mark.skipif(sys.platform != "linux", reason="file names of other systems are text")
def test_a_file_name_need_not_be_text(blobs: Path, tmp_path: Path) -> None:
    """Bytes that are no UTF-8 are halves of characters in Python, and have no place in a file of text."""
    data, model = tmp_path / os.fsdecode(b"\xff\xfe.csv"), tmp_path / os.fsdecode(b"\xff.mcsvm")
    data.write_bytes(blobs.read_bytes())
    assert mcsvm("train", data, "--model", model).code == 0
    assert mcsvm("verify", model, data).code == 0
    assert mcsvm("predict", model, data, "-o", tmp_path / os.fsdecode(b"\xff-predicted.csv")).code == 0
    two = ("--machines", "ova,ovo", "--folds", 2)
    answer = mcsvm("compare", data, *two, "--report", tmp_path / "r.html", "--save", tmp_path / "s.toml")
    assert "an experiment file is UTF-8 text and cannot hold this file name; rename the file" in answer.complaint
    assert not (tmp_path / "r.html").exists(), "it is refused before the training"
    assert mcsvm("compare", data, *two, "--report", tmp_path / "r.html").code == 0
