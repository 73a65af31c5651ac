"""Ctrl-C, full disks and sudden death: a model is there, or it is not, and somebody says so."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import ROOT, mcsvm, process, real_mcsvm, training

from mcsvm.solvers.run.ending import Ending
from mcsvm_gui.core.machine import model_file

ENDLESS = "--solver", "smo", "--C", "2^14", "--tol", "1e-9"


@pytest.fixture(scope="module")
def compiled(large: Path) -> Path:
    """Data on which compiling, which nothing interrupts, is over."""
    mcsvm("train", large, *ENDLESS, "--max-iter", 5, "--quiet")
    return large


@pytest.mark.slow
def test_ctrl_c_stops_soon_and_keeps_the_model(compiled: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.mcsvm"
    program = training("train", compiled, *ENDLESS, "--json", "--model", model)
    asked = time.perf_counter()
    program.send_signal(signal.SIGINT)
    out, err = program.communicate(timeout=60)
    assert (program.returncode, err) == (130, "")
    assert '"ending": "stopped"' in out
    assert time.perf_counter() - asked < 10.0  # certificate, scores and writing included
    kept = model_file.load(model)
    assert kept.origin.ending is Ending.STOPPED
    assert kept.certificate.gap > 0.0
    assert mcsvm("verify", model, compiled).code == 3


SWALLOWED = """
import os, signal
from mcsvm_gui.cli.interrupt import at_once

class Doomed:
    def __del__(self):  # where Python ignores exceptions, as in some callbacks of its import system
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000):
            pass

with at_once():
    Doomed()
"""


def test_ctrl_c_is_not_lost_while_the_program_loads() -> None:
    program = subprocess.run([sys.executable, "-c", SWALLOWED], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (program.returncode, program.stdout, program.stderr) == (130, "", "")


@pytest.mark.slow
def test_being_asked_to_end_stops_and_keeps_too(compiled: Path, tmp_path: Path) -> None:
    """As batch systems do when the time is over."""
    model = tmp_path / "m.mcsvm"
    program = training("train", compiled, *ENDLESS, "--quiet", "--model", model)
    program.send_signal(signal.SIGTERM)
    program.communicate(timeout=60)
    assert program.returncode == 130
    assert model_file.load(model).origin.ending is Ending.STOPPED


@pytest.mark.slow
def test_ctrl_c_before_the_training_leaves_nothing(tmp_path: Path) -> None:
    """A reader that waits: the data come through a pipe that is open, and nobody writes to it."""
    pipe = tmp_path / "data.csv"
    os.mkfifo(pipe)
    program = process("train", pipe, "--model", tmp_path / "m.mcsvm")
    with pipe.open("wb"):  # waits until it is read
        time.sleep(0.1)
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=30)
    assert (program.returncode, out, err) == (130, "", "")
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]


@pytest.mark.slow
@pytest.mark.parametrize("closed", [*(pytest.param(one, marks=pytest.mark.large) for one in ("1", "2")), "1 and 2"])
def test_closed_streams_lead_nowhere(blobs: Path, model: Path, tmp_path: Path, closed: str) -> None:
    """Above all not into the file that is opened next."""
    written = tmp_path / "p.csv"

    def close() -> None:
        for handle in closed.split(" and "):
            os.close(int(handle))

    program = process("predict", model, blobs, preexec_fn=close)
    err = program.communicate(timeout=60)[1]
    assert program.returncode == 0, err
    assert real_mcsvm("predict", model, blobs, "-o", written, preexec_fn=close).code == 0
    assert written.read_text() == mcsvm("predict", model, blobs).out
    assert real_mcsvm("predict", "nothing", blobs, preexec_fn=close).code == 2


def test_the_data_are_not_written_over(blobs: Path, model: Path) -> None:
    before = blobs.read_bytes(), model.read_bytes()
    for arguments in (
        ("train", blobs, "--model", blobs),
        ("train", blobs, "--test", model, "--trace", model),
        ("predict", model, blobs, "-o", blobs),
        ("predict", model, blobs, "-o", model),
        ("export", model, "--to", "json", "-o", model),
        ("export", model, "--to", "json", "--check", blobs, "-o", blobs),
    ):
        assert "this file is read here" in mcsvm(*arguments).complaint
    assert (blobs.read_bytes(), model.read_bytes()) == before


def test_a_full_device_is_a_sentence(blobs: Path, model: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    sentence = "error: /dev/full: the file cannot be written: No space left on device"
    assert mcsvm("train", blobs, "--json", "--model", "/dev/full").complaint == sentence
    assert mcsvm("predict", model, blobs, "--json", "-o", "/dev/full").complaint == sentence


@pytest.mark.slow
def test_a_file_that_may_not_grow_leaves_the_old_one(blobs: Path, model: Path, tmp_path: Path) -> None:
    before = model.read_bytes()

    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    answer = real_mcsvm("train", blobs, "--json", "--model", model, preexec_fn=small_files)
    assert "blobs.mcsvm: the file cannot be written: File too large" in answer.complaint
    assert model.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["blobs.csv", "blobs.mcsvm"]


def test_a_full_disk_leaves_no_half_file(large: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("only an administrator can make a small disk")
    try:
        complaint = mcsvm("train", large, "--json", "--max-iter", 2000, "--model", disk / "m.mcsvm").complaint
        assert complaint.endswith("m.mcsvm: the file cannot be written: No space left on device")
        assert list(disk.iterdir()) == []
    finally:
        subprocess.run(["umount", str(disk)], check=True)


KILLED = """
import os, sys
from mcsvm_gui.core.machine import model_file
first, second = (model_file.load(path) for path in sys.argv[1:3])
for _ in sys.stdin:
    child = os.fork()
    while not child:
        model_file.save(sys.argv[3], first)
        model_file.save(sys.argv[3], second)
    print(child, flush=True)
    os.waitpid(child, 0)
    print("dead", flush=True)
"""


@pytest.mark.slow
def test_killed_while_writing_the_old_or_the_new_model_stands(blobs: Path, model: Path, tmp_path: Path) -> None:
    """Again and again, at another moment each time."""
    other, target = tmp_path / "other.mcsvm", tmp_path / "target.mcsvm"
    assert mcsvm("train", blobs, "--machine", "cs", "--model", other, "--quiet").code == 0
    whole = {model.read_bytes(), other.read_bytes()}
    target.write_bytes(model.read_bytes())  # a busy machine may kill the writer before its first file stands
    command, pipe = [sys.executable, "-c", KILLED, str(model), str(other), str(target)], subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True, bufsize=1) as program:
        assert program.stdin
        assert program.stdout
        for delay in (0.0, 0.003, 0.007, 0.013, 0.023):
            program.stdin.write("write\n")
            writer = int(program.stdout.readline())
            time.sleep(0.05 + delay)
            os.kill(writer, signal.SIGKILL)
            assert program.stdout.readline() == "dead\n"
            assert target.read_bytes() in whole
            assert model_file.load(target).model.machine.name in ("ww", "cs")
