"""How much of each package tests run, at least; a table, and whether a measurement holds it.

    python -m pip install -e '.[coverage]'
    python -m pytest -n 2 --cov=solvers --cov=mcsvm_gui --cov-report=json    # writes coverage.json
    python -m tests.coverage_floors                                           # reads it; fails below a floor

A file belongs to the longest name above it. What numba compiles is not seen, nor what other processes run (the command
line as users start it, workers of a cluster): solvers/jit has no floor, laws over machines and methods stand for it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
COMPILED = "solvers/jit"
FLOORS = {  # per cent of lines, three below what the fast part ran in November 2026, without cluster and most laws
    "mcsvm_gui": 75,
    "mcsvm_gui/cli": 86,
    "mcsvm_gui/core/base": 90,
    "mcsvm_gui/core/check": 94,
    "mcsvm_gui/core/cluster": 46,
    "mcsvm_gui/core/compare": 94,
    "mcsvm_gui/core/data": 93,
    "mcsvm_gui/core/evaluate": 95,
    "mcsvm_gui/core/experiment": 86,
    "mcsvm_gui/core/explain": 89,
    "mcsvm_gui/core/export": 81,
    "mcsvm_gui/core/library": 82,
    "mcsvm_gui/core/machine": 88,
    "mcsvm_gui/core/playground": 94,
    "mcsvm_gui/core/project": 92,
    "mcsvm_gui/core/report": 91,
    "mcsvm_gui/core/tune": 84,
    "mcsvm_gui/ui/compare": 92,
    "mcsvm_gui/ui/data": 92,
    "mcsvm_gui/ui/explain": 71,
    "mcsvm_gui/ui/kit": 91,
    "mcsvm_gui/ui/playground": 90,
    "mcsvm_gui/ui/plots": 92,
    "mcsvm_gui/ui/predict": 93,
    "mcsvm_gui/ui/runs": 90,
    "mcsvm_gui/ui/shell": 89,
    "mcsvm_gui/ui/tables": 88,
    "mcsvm_gui/ui/threads": 69,
    "mcsvm_gui/ui/train": 84,
    "mcsvm_gui/ui/tune": 93,
    "solvers": 95,
    "solvers/dense": 95,
    "solvers/dual": 96,
    "solvers/explain": 95,
    "solvers/factor": 95,
    "solvers/kernels": 95,
    "solvers/machines": 96,
    "solvers/methods": 95,
    "solvers/partitioned": 95,
    "solvers/run": 96,
    "solvers/scikit": 95,
    "solvers/selection": 95,
    "solvers/uncertainty": 96,
}


@dataclass(frozen=True)
class Row:
    package: str
    lines: int
    covered: int
    floor: int

    @property
    def share(self) -> float:
        return 100.0 * self.covered / max(1, self.lines)

    @property
    def holds(self) -> bool:
        return self.share >= self.floor

    def __str__(self) -> str:
        return f"{self.package:32}{self.lines:7}{self.share:8.1f}{self.floor:7}{'' if self.holds else '  too low'}"


def package_of(file: str, floors: Mapping[str, int] = FLOORS) -> str | None:
    """None where no floor is for it."""
    above = [name for name in [*floors, COMPILED] if file.startswith(f"{name}/")]
    best = max(above, key=len, default=None)
    return None if best == COMPILED else best


def rows(report: Mapping[str, Any], floors: Mapping[str, int] = FLOORS) -> Iterator[Row]:
    """From the JSON that coverage writes; a package of which nothing was measured has no lines."""
    files = {name.replace("\\", "/"): entry["summary"] for name, entry in report["files"].items()}
    for package, floor in floors.items():
        own = [one for name, one in files.items() if package_of(name, floors) == package]
        yield Row(package, sum(one["num_statements"] for one in own), sum(one["covered_lines"] for one in own), floor)


def main(place: Path) -> int:
    found = list(rows(json.loads(place.read_text("utf-8"))))
    print(f"{'package':32}{'lines':>7}{'%':>8}{'floor':>7}")
    print("\n".join(map(str, found)))
    return 0 if all(row.holds for row in found) else 1


if __name__ == "__main__":
    sys.exit(main(Path(*sys.argv[1:] or ["coverage.json"])))
