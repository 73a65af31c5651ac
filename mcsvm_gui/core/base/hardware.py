"""Names of the system and the processor that this program runs on."""

from __future__ import annotations

import platform
from functools import cache
from pathlib import Path


@cache
def system() -> str:
    return platform.platform()


@cache
def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
