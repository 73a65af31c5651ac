"""Find external programs (compilers, svm-predict) by unambiguous names, and run them within a time limit."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from mcsvm.solvers.errors import InputError

TIME_LIMIT = 120.0  # seconds; gcc -O1 takes 14 s for 4 million numbers, more than exported models have


class ProgramResult(NamedTuple):
    status: int
    output: str
    errors: str


class TimeLimitError(InputError):
    """A program exceeded its time limit; the message is a sentence for users."""


def found(*names: str) -> str | None:
    """Return the path of the first installed program. A program in the working directory does not count."""
    paths = (shutil.which(name) for name in names)
    return next((path for path in paths if path is not None and os.path.isabs(path)), None)


def run(
    command: Sequence[str],
    text: str = "",
    *,
    seconds: float | None = None,
    environment: Mapping[str, str] | None = None,
) -> ProgramResult:
    """Run a command with `text` as its standard input. If it takes too long, kill it and raise TimeLimitError."""
    pipe, limit = subprocess.PIPE, TIME_LIMIT if seconds is None else seconds
    with subprocess.Popen(
        command,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        encoding="utf-8",
        errors="replace",
        env=environment,
        start_new_session=True,
    ) as process:
        try:
            output, errors = process.communicate(text, timeout=limit)
        except subprocess.TimeoutExpired:
            _end(process)
            raise TimeLimitError(
                "{program} took longer than {limit:g} seconds", program=os.path.basename(command[0]), limit=limit
            ) from None
        except BaseException:
            _end(process)
            raise
    return ProgramResult(process.returncode, output, errors)


def _end(process: subprocess.Popen[str]) -> None:
    """Kill a process and its child processes: a compiler leaves the work to others."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
