"""The program as users start it: as a process of its own, or quickly by its main function."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copies import import_path

from mcsvm_gui import cli

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"  # larger data beside the checkout; what needs them skips without
NASTY = ROOT / "tests" / "nasty" / "files"


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """All of standard output is one JSON document."""
        return json.loads(self.out)

    @property
    def complaint(self) -> str:
        """Wrong input: exit code 2, nothing on standard output, one line that begins with error."""
        assert (self.code, self.out) == (2, ""), self
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        assert lines[0].startswith("error: "), self.err
        return lines[0]


def mcsvm(*arguments: object) -> Answer:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = cli.main([str(argument) for argument in arguments])
        except SystemExit as end:  # how argparse leaves
            code = int(end.code or 0)
    return Answer(code, out.getvalue(), err.getvalue())


def process(*arguments: object, **more: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "mcsvm_gui.cli", *(str(argument) for argument in arguments)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "encoding": "utf-8"}
    environment = {**os.environ, "PYTHONPATH": import_path()}
    return subprocess.Popen(command, **{**pipes, "env": environment, **more})


TELLING = """
import os, sys
from mcsvm_gui import cli
from {module} import {run} as Run

advance = Run.advance
def told(run, *steps):
    os.write({told}, b".")
    Run.advance = advance
    return run.advance(*steps)
Run.advance = told
sys.exit(cli.main(sys.argv[1:]))
"""


def training(*arguments: object, run: str = "mcsvm.solvers.run.loop.Run") -> subprocess.Popen[str]:
    """The program, as soon as it begins to train; not before, however busy the machine is."""
    heard, told = os.pipe()
    module, _, name = run.rpartition(".")
    told_by = TELLING.format(told=told, module=module, run=name)
    code = [sys.executable, "-c", told_by, *(str(argument) for argument in arguments)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "encoding": "utf-8"}
    program = subprocess.Popen(code, **pipes, env={**os.environ, "PYTHONPATH": import_path()}, pass_fds=[told])
    os.close(told)
    said = os.read(heard, 1)
    os.close(heard)
    assert said, program.communicate()
    return program


def real_mcsvm(*arguments: object, **more: Any) -> Answer:
    program = process(*arguments, **more)
    out, err = program.communicate(timeout=120)
    return Answer(program.returncode, out, err)
