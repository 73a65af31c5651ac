"""Files without an end: each command that reads a file refuses them in a sentence, and takes no memory for them."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import ROOT, Answer, mcsvm
from copies import import_path

MEMORY = 3 << 30  # bytes of address space; numerical libraries alone take 1 GB of it
ZERO = Path("/dev/zero")

pytestmark = pytest.mark.skipif(not ZERO.exists(), reason="needs a device")


IN_ONE_PROCESS = """
import json, sys
from command_line import mcsvm

answers = [mcsvm(*words) for words in json.load(sys.stdin)]
print(json.dumps([[answer.code, answer.out, answer.err] for answer in answers]))
"""


def limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


@pytest.mark.slow
def test_a_device_is_refused_by_every_command(blobs: Path, model: Path, tmp_path: Path) -> None:
    experiment, new = tmp_path / "experiment.toml", tmp_path / "new"
    saved = mcsvm("compare", blobs, "--machines", "ova,ovo", "--folds", 2, "--save", experiment, "--quiet")
    assert saved.code == 0, saved.err
    commands = [
        ("predict", ZERO, blobs),
        ("predict", model, ZERO),
        ("verify", ZERO, blobs),
        ("evaluate", ZERO, blobs),
        ("explain", ZERO, blobs),
        ("export", ZERO, "--to", "json", "-o", new),
        ("check", blobs, "--model", ZERO),
        ("check", blobs, "--test", ZERO),
        ("run", ZERO),
        ("run", experiment, "--results", ZERO),
        ("report", ZERO, "-o", f"{new}.html"),
        ("inspect", ZERO),
        ("train", blobs, "--calibrate", "temperature", "--costs", ZERO),
        ("evaluate", model, blobs, "--costs", ZERO),
    ]
    answers = subprocess.run(
        [sys.executable, "-c", IN_ONE_PROCESS],
        input=json.dumps([[str(word) for word in words] for words in commands]),
        env={**os.environ, "PYTHONPATH": import_path(ROOT, ROOT / "tests")},
        preexec_fn=limit_memory,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert answers.returncode == 0, answers.stderr
    for words, answer in zip(commands, json.loads(answers.stdout), strict=True):
        complaint = Answer(*answer).complaint
        assert "/dev/zero: this is a device; name a file" in complaint, words


@pytest.mark.slow
def test_standard_input_that_is_a_device_or_closed() -> None:
    for redirect, words in (("< /dev/zero", "is a device"), ("<&-", "is closed")):
        line = f"ulimit -v {MEMORY >> 10}; {sys.executable} -m mcsvm_gui.cli inspect - {redirect}"
        answer = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=60, env=os.environ)
        assert answer.returncode == 2, answer.stderr
        assert answer.stderr.startswith(f"error: -: standard input {words}; name a file")
        assert answer.stderr.count("\n") == 1
