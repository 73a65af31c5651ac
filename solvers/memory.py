"""Memory that a training needs besides its row store, and memory that is still available to the process.

The size of parts and tables grows with the number of classes, for pairs with its square, and `cache_mb` does not
bound it. `Run` therefore estimates this size before the training, and refuses a training that cannot fit.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.problem import Problem

PART_BYTES = 2200  # of a finished pair besides its numbers: 10 to 12 arrays and objects; 2,000 measured
PAIR_NUMBERS = 9  # float64 numbers per example of a pair: alpha, weights, products, and the model's with their places
REST_NUMBERS = 6  # float64 numbers per example and class of one-vs-rest: the same, and a table for the model
JOINT_NUMBERS = 10  # the same for a joint machine: point and best point, certificate, and the model
DIRECTION_BYTES = 11.0  # bytes per entry of a joint machine's table of directions, with the tables derived from it
SMALL = 32e6  # bytes that need no look at the memory that is left, which takes 0.4 ms: a tenth of a short fit
CGROUP = Path("/sys/fs/cgroup")


def check_memory(problem: Problem) -> None:
    """Raise InputError if the tables of this problem do not fit into the memory that is available."""
    needed = needed_bytes(problem)
    if needed > SMALL and needed > (available := available_bytes()):
        raise InputError(
            "Training {machine} on {rows} rows of {classes} classes needs about {needed:.3g} GB of memory, and"
            " {available:.3g} GB are available. Use a computer with more memory, or train on fewer classes.",
            machine=problem.machine.name,
            rows=len(problem),
            classes=problem.classes,
            needed=needed / 1e9,
            available=available / 1e9,
        )


def needed_bytes(problem: Problem) -> float:
    """Return about how many bytes the finished parts, the certificate and the model take."""
    examples, classes = float(len(problem)), float(problem.classes)
    if problem.machine.split == "pairs":
        return PART_BYTES * problem.part_count + 8.0 * PAIR_NUMBERS * examples * (classes - 1.0)
    if problem.machine.split == "one-vs-rest":
        return 8.0 * REST_NUMBERS * examples * classes
    return 8.0 * JOINT_NUMBERS * examples * classes + DIRECTION_BYTES * classes**3


def available_bytes() -> float:
    """Return how many bytes the process may still take; infinity if the system does not report it."""
    return max(0.0, min((float("inf"), *_system(), *_container(), *_address_space())))


def _system() -> Iterator[float]:
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text("ascii").splitlines():
            if line.startswith("MemAvailable:"):
                yield 1024.0 * float(line.split()[1])
                return
    with suppress(OSError, ValueError, AttributeError):
        yield float(os.sysconf("SC_AVPHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")


def _container() -> Iterator[float]:
    """Yield the memory that the control group (version 2 or 1) still allows."""
    for limit, used in (
        ("memory.max", "memory.current"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
    ):
        with suppress(OSError, ValueError):
            yield float((CGROUP / limit).read_text("ascii")) - float((CGROUP / used).read_text("ascii"))


def _address_space() -> Iterator[float]:
    """Yield the address space that `ulimit -v` still allows."""
    with suppress(ImportError, OSError, ValueError, IndexError):
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit != resource.RLIM_INFINITY:
            pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
            yield float(limit - pages * resource.getpagesize())
