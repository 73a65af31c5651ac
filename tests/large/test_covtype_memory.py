"""cache_mb bounds what a training takes on real data, whose rows have many support vectors and little structure."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from copies import import_path

ROOT = Path(__file__).resolve().parents[2]
COVTYPE = ROOT.parent / "shared" / "data" / "covtype" / "data.csv.gz"
CODE = """
import gc, sys
import numpy as np
from tests.peak_memory import peak_mb
from mcsvm import Limits, Run, pose
from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.work import limited
file, machine, cache_mb, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4])
stored = np.load(file)
rows, labels, gamma = stored["rows"], stored["labels"], float(stored["gamma"])

def train(rows, labels, cache_mb, seconds):
    problem = pose(rows, labels, machine=machine, kernel=KERNELS["rbf"](gamma), cost=32.0, cache_mb=cache_mb)
    run = Run(problem, "auto", Limits(1e-3, seconds=seconds))
    while run.running:
        run.advance()
    run.model(run.proofs())

with limited(2):
    gc.disable()
    train(rows, labels, cache_mb, seconds)
print(peak_mb(), rows.nbytes / 2**20)
"""
pytestmark = [
    pytest.mark.timeout(0),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc"),
]


def peak(folder: Path, rows: np.ndarray, labels: np.ndarray, gamma: float, *arguments: object) -> tuple[float, float]:
    """Return the peak of a process that trains, and the size of its rows, in MB.

    The training runs in two processes, one after the other: the first compiles, the second is measured.
    """
    np.savez(folder / "rows.npz", rows=rows, labels=labels, gamma=gamma)
    command = [sys.executable, "-c", CODE, str(folder / "rows.npz"), *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": import_path()}
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    found, data = map(float, done.stdout.split())
    return found, data


@pytest.mark.large
@pytest.mark.skipif(not COVTYPE.exists(), reason="needs the measuring data sets")
@pytest.mark.parametrize("machine", ["ww", "cs", "llw", "ova", "ovo", "dag"])
@pytest.mark.parametrize("count", [20_000, 50_000, 100_000])
def test_covtype_takes_no_more_than_its_cache_and_some_tables(machine: str, count: int, tmp_path: Path) -> None:
    """A minute of each: what grows, grows within the first pairs. 100,000 rows, ovo, took 12 GB in a minute."""
    table = pd.read_csv(COVTYPE).sample(count, random_state=0)
    rows = table.iloc[:, :-1].to_numpy(np.float64)
    reach = rows.max(axis=0) - rows.min(axis=0)
    rows = np.ascontiguousarray((rows - rows.min(axis=0)) / np.where(reach > 0.0, reach, 1.0))
    labels = np.unique(table.iloc[:, -1], return_inverse=True)[1].astype(np.int64)
    cache_mb = count / 100.0
    found, data = peak(tmp_path, rows, labels, 32.0, machine, cache_mb, 60.0)
    assert found <= cache_mb + 3.0 * data + 500.0


@pytest.mark.slow
@pytest.mark.parametrize("machine", ["ww", "ovo"])
def test_generated_rows_take_no_more_than_their_cache_and_some_tables(machine: str, tmp_path: Path) -> None:
    """Three overlapping classes, of whose rows most are support vectors; the store holds a fifth of the rows."""
    random = np.random.default_rng(0)
    rows, labels = random.uniform(size=(9000, 20)), random.integers(3, size=9000)
    found, data = peak(tmp_path, rows, labels, 2.0, machine, 60.0, 10.0)
    assert found <= 60.0 + 3.0 * data + 400.0
