"""Signals end the program, whatever it waits for: also compiled code that never returns."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from command_line import ROOT, mcsvm, real_mcsvm

ENDLESS = """
import hashlib, os, sys, time
from mcsvm_gui.cli.interrupt import Guard, Interrupt
from mcsvm_gui.core.base.exits import exit_code

def command():
    {command}

with Guard(lasting=True):
    sys.exit(exit_code(command))
"""
BEGUN = "os.write(1, b'.')"
WITHOUT_THE_LOCK = f"""
    with Interrupt():
        {BEGUN}
        hashlib.pbkdf2_hmac('sha256', b'a', b'b', 2**31 - 1)  # half an hour
"""
WITH_THE_LOCK = f"""
    with Interrupt() as interrupt:
        {BEGUN}
        while not interrupt.requested: pass
        sum(range(10**15))  # weeks, in which no other thread of Python runs
"""
NOTHING_KEPT = f"""
    {BEGUN}
    time.sleep(600)
"""
GUARDED, TIMER = 130, 1  # exit codes: of the guard, and of faulthandler


def begun(command: str) -> subprocess.Popen[str]:
    """The program, once it waits."""
    code = ENDLESS.format(command=command)
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    program = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, **pipes)
    assert program.stdout is not None
    assert program.stdout.read(1) == "."
    return program


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    ("command", "code", "sentence"),
    [
        (WITHOUT_THE_LOCK, GUARDED, "error: interrupted before there was anything to keep\n"),
        (WITH_THE_LOCK, TIMER, ""),
    ],
)
def test_compiled_code_that_never_returns_is_ended(command: str, code: int, sentence: str, number: int) -> None:
    """Within 5 seconds; here only that it ends, as the machine may be busy."""
    program = begun(command)
    program.send_signal(number)
    _, err = program.communicate(timeout=60)
    assert (program.returncode, err) == (code, sentence)


@pytest.mark.slow
def test_a_second_signal_ends_the_program_soon() -> None:
    program = begun(WITHOUT_THE_LOCK)
    program.send_signal(signal.SIGINT)
    program.send_signal(signal.SIGTERM)
    program.communicate(timeout=60)
    assert program.returncode == GUARDED


@pytest.mark.slow
def test_being_asked_to_end_before_anything_is_kept_ends_like_ctrl_c() -> None:
    program = begun(NOTHING_KEPT)
    program.send_signal(signal.SIGTERM)
    assert (*program.communicate(timeout=60), program.returncode) == ("", "", GUARDED)


def test_a_command_leaves_signals_as_they_were() -> None:
    def signals() -> tuple[Any, Any, int]:
        woken = signal.set_wakeup_fd(-1)
        signal.set_wakeup_fd(woken)
        return signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM), woken

    before, files = signals(), len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    assert mcsvm("doctor").code == 0
    assert mcsvm("train", "nothing.csv").code == 2
    assert signals() == before
    for thread in threading.enumerate():
        if thread.name == "guard":
            thread.join(10.0)
    assert not any(thread.name == "guard" for thread in threading.enumerate())
    if files:
        assert len(os.listdir("/proc/self/fd")) <= files + 1


@pytest.mark.slow
@pytest.mark.parametrize("megabytes", [450, 600, 700])
@pytest.mark.parametrize("command", ["train", "inspect"])
def test_a_limit_on_memory_that_is_too_small_is_refused(blobs: Path, command: str, megabytes: int) -> None:
    """Under 700 MB OpenBLAS looped while it was loaded, and no signal was heard."""
    limit = megabytes << 20
    answer = real_mcsvm(command, blobs, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"error: the memory of this process is limited to {megabytes} MB (ulimit -v), and at")
    assert answer.err.count("\n") == 1
