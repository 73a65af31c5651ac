"""External programs (compilers, svm-predict): found by names that nothing else has, run within a time limit."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from mcsvm.solvers.errors import InputError

TIME_LIMIT = 120.0  # seconds; gcc -O1 takes 14 for 4 million numbers, more than exported models have


class ProgramResult(NamedTuple):
    status: int
    output: str
    errors: str


class TimeLimitError(InputError):
    """A program took longer than it may; the message is a sentence for users."""


def found(*names: str) -> str | None:
    """The path of the first that is installed. What lies in the working directory is not installed."""
    paths = (shutil.which(name) for name in names)
    return next((path for path in paths if path is not None and os.path.isabs(path)), None)


def run(
    command: Sequence[str],
    text: str = "",
    *,
    seconds: float | None = None,
    environment: Mapping[str, str] | None = None,
) -> ProgramResult:
    """`text` is its standard input. Raises TimeLimitError, with nothing of it left running, where it takes longer."""
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
    """With the processes that it began: a compiler leaves the work to others."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
