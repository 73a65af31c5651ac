"""One page of all tables and plots of speed.

    python -m tests.benchmarks.page [--only fits,n] [--scale 0.1] [--out FOLDER]

About twenty minutes on two quiet cores at scale 1, a minute at 0.02; above 1 the search has all 225 cells. The result
of a release is committed in tests/benchmarks/results, which README.md names.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numba
import numpy
import scipy
import sklearn

from mcsvm.solvers.work import cores
from tests.benchmarks.page import growth, tables
from tests.benchmarks.page.peers import PEERS

OUT = Path(__file__).resolve().parents[1] / "results"
READING = (
    "Seconds are of the clock, unless a head says otherwise. Beside each table stands a limit: what any program of its"
    " kind has to do at the least. Exponents are slopes of logarithms, by least squares over all sizes."
)
Section = Callable[[Path, float], list[str]]
SECTIONS: dict[str, Section] = {
    "fits": tables.fits,
    "linear": tables.linear,
    "searches": tables.searches,
    "reading": tables.reading,
    "predicting": tables.predicting,
    **growth.sections(),
}


def heading(scale: float) -> list[str]:
    libraries = ", ".join(f"{one.__name__} {one.__version__}" for one in (numpy, scipy, numba, sklearn))
    missing = ", ".join(peer.name for peer in PEERS if peer.found is None)
    return [
        "# How fast it is",
        "",
        f"Printed by `python -m tests.benchmarks.page --scale {scale:g}` on {time.strftime('%Y-%m-%d')}:"
        f" {cores()} cores ({processor()}), Python {platform.python_version()}, {libraries}."
        f" {load()}" + (f" Not installed here: {missing}." if missing else ""),
        "",
        READING,
        "",
    ]


def load() -> str:
    """What else the machine was doing: times beside a load of more than its cores say little."""
    if not hasattr(os, "getloadavg"):
        return ""
    return f"Before it began, {os.getloadavg()[0]:.1f} processes wanted a core."


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def written(wanted: list[str], folder: Path, scale: float) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    lines = heading(scale)
    for name in wanted:
        began = time.perf_counter()
        if name == next((one for one in wanted if one in growth.sections()), None):
            lines += ["## How cost grows", ""]
        lines += SECTIONS[name](folder, scale)
        print(f"{name}: {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    path = folder / "page.md"
    path.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    return path


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.page", description="Write the benchmark page.")
    parser.add_argument("--only", default=",".join(SECTIONS), help=f"some of {', '.join(SECTIONS)}")
    parser.add_argument("--scale", type=float, default=1.0, help="factor on numbers of rows; default 1")
    parser.add_argument("--out", type=Path, default=OUT, help="the folder of page.md and its pictures")
    given = parser.parse_args(arguments)
    wanted = given.only.split(",")
    unknown = [name for name in wanted if name not in SECTIONS]
    if unknown or not 0.0 < given.scale < float("inf"):
        parser.error(f"there is no section {unknown[0]!r}" if unknown else "--scale must be positive")
    print(written(wanted, given.out, given.scale))


if __name__ == "__main__":
    main(sys.argv[1:])
