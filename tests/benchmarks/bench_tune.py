"""A whole search beside GridSearchCV(SVC()), on the same folds, with the same two workers, in one run.

    python -m pytest tests/benchmarks/bench_tune.py -s
    TUNE_STEP=3 python -m pytest tests/benchmarks/bench_tune.py -s -k "ovo or two_line"

segment (2100 rows), the grid of Hsu & Lin (C 2^-2 ... 2^12, gamma 2^-10 ... 2^4, TUNE_STEP apart), 5 folds, scaled by
each training part. TUNE_STEP=3 tries every third row and column.
"""

from __future__ import annotations

import os
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from mcsvm.solvers.selection.grid import Range, best
from mcsvm_gui.core.base import resources
from mcsvm_gui.core.data.readers import ReadOptions, open_dataset
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.tune.search import Tuned, TuneRequest, Tuning

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(0)]

STEP = float(os.environ.get("TUNE_STEP", "1"))
COSTS, GAMMAS = Range(-2.0, 12.0, STEP), Range(-10.0, 4.0, STEP)
SIX = "ovo", "dag", "ova", "ww", "cs", "llw"
WORKERS = 2


def search(
    machines: tuple[str, ...],
    costs: Range = COSTS,
    gammas: Range = GAMMAS,
    how: str = "grid",
    until: str = "tolerance",
) -> Tuned:
    dataset = open_dataset(str(resources.dataset("segment")), ReadOptions())
    wanted = TuneRequest(machines=machines, C=costs, gamma=gammas, search=how, jobs=WORKERS, until=until)
    return Tuning(Request(), wanted, dataset).run()


@pytest.fixture(scope="module")
def theirs() -> tuple[float, np.ndarray]:
    return their_search(COSTS, GAMMAS)


def their_search(costs: Range, gammas: Range) -> tuple[float, np.ndarray]:
    """Wall time of the whole search, and the mean accuracy of each cell: (gammas, costs)."""
    frame = pd.read_csv(resources.dataset("segment"))
    label = next(name for name in frame if frame[name].dtype.kind not in "if")
    y = frame.pop(label).to_numpy()
    parameters = {"svc__C": list(costs.values), "svc__gamma": list(gammas.values)}
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    pipeline = make_pipeline(MinMaxScaler((-1, 1)), SVC())
    small = GridSearchCV(pipeline, {"svc__C": [1, 2]}, cv=folds, n_jobs=WORKERS, refit=False)
    small.fit(frame.to_numpy(float), y)  # its processes are there
    found = GridSearchCV(pipeline, parameters, cv=folds, n_jobs=WORKERS, refit=False)
    began = time.perf_counter()
    found.fit(frame.to_numpy(float), y)
    seconds = time.perf_counter() - began
    shape = len(costs.values), len(gammas.values)
    return seconds, np.asarray(found.cv_results_["mean_test_score"]).reshape(shape).T


def compiled(machines: tuple[str, ...]) -> None:
    search(machines, Range(0.0, 12.0, 6.0), Range(-4.0, 0.0, 4.0))


def say(what: str, tuned: Tuned, theirs: float) -> None:
    print(f"\n{what}: {len(tuned.results)} cells in {tuned.seconds:.2f} s; GridSearchCV(SVC) {theirs:.2f} s", end="")
    print(f"; {theirs / tuned.seconds:.2f} times as fast")
    for machine in tuned.tuning.grid.machines:
        cell = best(tuned.results, machine)
        assert cell is not None
        mine = [result for found, result in tuned.results.items() if found.machine == machine]
        slow = sum(result.seconds for result in mine)
        short = sum(not result.converged for result in mine)
        print(f"  {machine:4} best {100 * tuned.results[cell].mean:.2f} %", end="")
        print(f" at C {cell.C:g}, gamma {cell.gamma:g}; {slow:.2f} s of training, {short} cells not converged")


def test_ovo(theirs: tuple[float, np.ndarray]) -> None:
    compiled(("ovo",))
    tuned = search(("ovo",))
    say("ovo", tuned, theirs[0])
    ours = np.array([result.mean for result in tuned.results.values()]).reshape(theirs[1].shape)
    apart = np.abs(ours - theirs[1])
    print(f"  against SVC: {np.count_nonzero(apart > 1e-9)} cells differ, by {100 * apart.max():.3f} points at most")


@pytest.mark.parametrize("machine", SIX[2:])
def test_one(machine: str, theirs: tuple[float, np.ndarray]) -> None:
    compiled((machine,))
    say(machine, search((machine,)), theirs[0])


def test_all_six(theirs: tuple[float, np.ndarray]) -> None:
    compiled(SIX)
    say("six machines", search(SIX), theirs[0])


@pytest.mark.parametrize("how", [{"until": "proved"}, {"until": "unchanged"}, {"how": "race"}])
def test_all_six_with_less(how: dict[str, str], theirs: tuple[float, np.ndarray]) -> None:
    compiled(SIX)
    tuned = search(SIX, **how)
    say(f"six machines, {how}", tuned, theirs[0])
    settled = sum(bool(result.settled) for result in tuned.results.values())
    trainings = sum(result.folds for result in tuned.results.values())
    print(f"  {settled} cells ended on decisions; {trainings} trainings of {5 * len(tuned.results)}")


@pytest.mark.parametrize("machine", ["ovo", "ova"])
def test_two_line(machine: str, theirs: tuple[float, np.ndarray]) -> None:
    compiled((machine,))
    search((machine,), Range(0.0, 4.0, 4.0), how="two-line")
    line, grid = search((machine,), how="two-line"), search((machine,))
    say(f"two-line {machine}", line, theirs[0])
    top, other = (found.results[best(found.results, machine)].mean for found in (grid, line))
    print(f"  the grid: {grid.seconds:.2f} s, so two-line takes {line.seconds / grid.seconds:.3f} of it", end="")
    print(f"; {100 * (top - other):.2f} points below the grid's {100 * top:.2f} %")
