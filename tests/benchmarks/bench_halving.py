"""Successive halving beside the full grid, on the same folds: what its winner is worth there, and in which time.

    HALVING_DATA=FOLDER python -m pytest tests/benchmarks/bench_halving.py -s
    HALVING_DATA=FOLDER HALVING_STEP=2 python -m pytest tests/benchmarks/bench_halving.py -s -k "ovo and satimage"

FOLDER has a folder for each set, with data.csv or train.csv (segment: test.csv, ten times as many rows). The grid is
that of Hsu & Lin (C 2^-2 ... 2^12, gamma 2^-10 ... 2^4), HALVING_STEP apart; 5 folds, two threads. `loss`: the grid's
best mean accuracy less that of halving's winner in the grid, in points; allowed are 0.3, or a standard error of the
best mean, whichever is more. Times are of the processor, in all threads; `share`: halving's by the grid's.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import pytest

from mcsvm.solvers.selection.grid import Range
from mcsvm_gui.core.data.options import Rules
from mcsvm_gui.core.data.readers import ReadOptions, open_dataset
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.tune.search import Tuned, TuneRequest, Tuning

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(0)]

FOLDER = os.environ.get("HALVING_DATA")
STEP = float(os.environ.get("HALVING_STEP", "1"))
SETS = (
    *("iris", "wine", "glass", "heart", "soybean", "vowel", "australian", "pima", "vehicle", "german", "car", "dna"),
    *("segment", "optdigits", "satimage", "banana", "page-blocks", "abalone"),
)
LONG, FIFTH, POINTS = 10.0, 0.2, 0.3


def search(name: str, machine: str, how: str, step: float = STEP) -> tuple[Tuned, float]:
    assert FOLDER is not None
    files = ("test.csv",) if name == "segment" else ("train.csv", "data.csv")
    path = next(path for file in files if (path := Path(FOLDER) / name / file).exists())
    costs, gammas = Range(-2.0, 12.0, step), Range(-10.0, 4.0, step)
    wanted = TuneRequest(machines=(machine,), C=costs, gamma=gammas, search=how, jobs=2)
    request = Request(rules=Rules(missing="most-frequent"))
    tuning, began = Tuning(request, wanted, open_dataset(str(path), ReadOptions())), time.process_time()
    return tuning.run(), time.process_time() - began


@pytest.mark.skipif(FOLDER is None, reason="HALVING_DATA names no folder")
@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("machine", ["ovo", "ww"])
def test_one(machine: str, name: str) -> None:
    search("iris", machine, "halving", 7.0)  # compiled
    (halved, short), (grid, long) = search(name, machine, "halving"), search(name, machine, "grid")
    best, winner = grid.best(machine), halved.best(machine)
    assert best is not None
    assert winner is not None
    top, mine = grid.results[best], grid.results[winner]
    error = 100.0 * float(np.std(top.fold_accuracy, ddof=1)) / len(top.fold_accuracy) ** 0.5
    loss, allowed = 100.0 * (top.mean - mine.mean), max(POINTS, error)
    share = short / long
    print(
        f"\n{name:12}{machine:4}{grid.tuning.rows.rows:6} rows  grid {100 * top.mean:6.2f} %{long:8.1f} s "
        f" halving {short:7.1f} s  share {share:.3f}  loss {loss:5.2f}  allowed {allowed:.2f} "
        f" {'good' if loss <= allowed else 'WORSE'} {'' if share <= FIFTH or long < LONG else 'SLOW'}",
        end="",
    )
