"""The peak memory of a process of its own, for tests that start one."""

from __future__ import annotations

from pathlib import Path


def peak_mb() -> float:
    """Return the largest resident memory of this process so far, in MB; Linux only.

    `ru_maxrss` is not used: a new process begins with the value of the process that started it.
    """
    status = Path("/proc/self/status").read_text("ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 2**10
