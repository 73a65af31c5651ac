"""The tables of the page: fits beside other programs, linear kernels, searches, reading and predicting."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from mcsvm import MultiClassSVC
from mcsvm.solvers.selection.grid import Range
from mcsvm.solvers.work import cores, limited
from mcsvm_gui.core.base import resources
from mcsvm_gui.core.data.readers import open_dataset
from tests.benchmarks import bench_speed, bench_tune
from tests.benchmarks.page.growth import one_pass, overlapping
from tests.benchmarks.page.markdown import table
from tests.benchmarks.page.peers import LINEAR_SVC, PEERS, seconds_of
from tests.copies import import_path

ROOT = Path(__file__).resolve().parents[3]
KERNEL_PEERS = [peer for peer in PEERS if not peer.linear]
BUNDLED = {
    "vowel": ("vowel_train", 16.0, 1.0),
    "segment": ("segment", 64.0, 1.0),
    "optdigits": ("optdigits_train", 4.0, 0.05),
}
FIT_MACHINES = "ovo", "ww", "cs", "ova", "llw"
CPU = """
import sys, time
from mcsvm_gui import cli
began, cpu = time.perf_counter(), time.process_time()
code = cli.main(sys.argv[1:])
peak = int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) / 1024
print(code, peak, time.perf_counter() - began, time.process_time() - cpu, file=sys.stderr)
"""


# -- fits -----------------------------------------------------------------------------------------


def fits(folder: Path, scale: float) -> list[str]:
    sets = _speed_sets() if bench_speed.DATA.exists() else _bundled()
    rows = [_fit_row(name, *rest, scale) for name, *rest in sets]
    heads = ["data", "rows", *(f"{name}, of SVC's time" for name in FIT_MACHINES)]
    heads += ["one pass, of SVC's", *(f"{peer.name}, s" for peer in KERNEL_PEERS)]
    said = (
        "Whole `fit` with its certificate, one thread, best of three, rbf kernel, parameters of Hsu & Lin (llw at"
        " 4 C / (k - 1)). The limit: one pass, n x n_support kernel values in single precision, on all threads."
    )
    return ["## Beside other programs", "", said, "", *table(heads, rows), ""]


def _speed_sets() -> list[tuple]:
    found = []
    for name, setting in bench_speed.SETTINGS.items():
        X, y = bench_speed.read(name)
        classes = int(y.max()) + 1
        places = {machine: bench_speed.cost_and_gamma(setting, machine, classes) for machine in FIT_MACHINES}
        found.append((name, X, y, places))
    return found


def _bundled() -> list[tuple]:
    found = []
    for name, (file, cost, gamma) in BUNDLED.items():
        frame = pd.read_csv(resources.dataset(file))
        label = next((column for column in frame if frame[column].dtype.kind not in "if"), frame.columns[-1])
        y = np.unique(frame.pop(label), return_inverse=True)[1]
        X = frame.to_numpy(float)
        spread = np.where(np.ptp(X, axis=0) > 0.0, np.ptp(X, axis=0), 1.0)
        found.append((name, 2.0 * (X - X.min(axis=0)) / spread - 1.0, y, dict.fromkeys(FIT_MACHINES, (cost, gamma))))
    return found


def _fit_row(name: str, X: np.ndarray, y: np.ndarray, places: dict, scale: float) -> list[object]:
    some = np.sort(np.random.default_rng(0).permutation(len(X))[: max(150, round(min(1.0, scale) * len(X)))])
    X, y = X[some], np.unique(y[some], return_inverse=True)[1]
    theirs = [peer.seconds(X, y, *places["ovo"]) for peer in KERNEL_PEERS]
    svc, ours, support = theirs[0] or np.nan, [], np.empty(0, dtype=int)
    for machine in FIT_MACHINES:
        cost, gamma = places[machine]
        model = MultiClassSVC(machine=machine, C=cost, gamma=gamma, threads=1)
        with limited(1):
            ours.append(seconds_of(lambda model=model: model.fit(X, y)) / svc)
        support = model.support_ if machine == "ww" else support
    return [name, len(X), *ours, one_pass(X, support) / svc, *theirs]


def linear(folder: Path, scale: float) -> list[str]:
    rows = []
    for n, d, k in ((20_000, 50, 2), (20_000, 50, 7)):
        X, y = overlapping(max(500, round(n * scale)), d, k)
        rows += [_linear_row(X, y, k, cost) for cost in (2.0**-4, 1.0, 16.0)]
    heads = ["rows", "columns", "classes", "C", "ova, s", "its relative gap", "LinearSVC, s", "one product X W, s"]
    said = (
        "Linear kernel, ova with a regularized bias, one thread; LinearSVC with its default tolerance and loss hinge."
    )
    return ["## Linear kernels", "", said + " The limit: one product of all rows with W.", "", *table(heads, rows), ""]


def _linear_row(X: np.ndarray, y: np.ndarray, classes: int, cost: float) -> list[object]:
    model = MultiClassSVC(machine="ova", kernel="linear", bias="regularized", C=cost, threads=1)
    with limited(1):
        ours = seconds_of(lambda: model.fit(X, y))
        product = seconds_of(lambda: X @ np.ones((X.shape[1], classes)))
    theirs = LINEAR_SVC.seconds(X, y, cost, 0.0)
    return [len(X), X.shape[1], classes, cost, ours, model.certificate_.relative_gap, theirs, product]


# -- searches -------------------------------------------------------------------------------------

SEARCHES: Sequence[tuple[str, tuple[str, ...], dict[str, str]]] = (
    ("ovo", ("ovo",), {}),
    ("all but llw", bench_tune.SIX[:-1], {}),
    ("six machines", bench_tune.SIX, {}),
    ("six, until decisions do not change", bench_tune.SIX, {"until": "unchanged"}),
    ("six, race", bench_tune.SIX, {"how": "race"}),
)


def searches(folder: Path, scale: float) -> list[str]:
    costs, gammas = _ranges(scale)
    seconds, _ = bench_tune.their_search(costs, gammas)
    bench_tune.compiled(bench_tune.SIX)
    cells = len(costs.values) * len(gammas.values)
    rows: list[list[object]] = [["GridSearchCV(SVC)", seconds, 1.0, "", ""]]
    for name, machines, how in SEARCHES:
        tuned = bench_tune.search(machines, costs, gammas, **how)
        trials = sum(result.folds for result in tuned.results.values())
        early = sum(bool(result.settled) for result in tuned.results.values())
        rows.append([name, tuned.seconds, tuned.seconds / seconds, trials, early])
    kernel = _kernel_matrices(len(gammas.values)) / bench_tune.WORKERS
    rows.append(["limit: its kernel matrices", kernel, kernel / seconds, "", ""])
    heads = ["search", "seconds", "of GridSearchCV's", "trainings", "cells ended on decisions"]
    said = f"segment, 2100 rows, {cells} cells x 5 folds, {bench_tune.WORKERS} workers each."
    return ["## Searching C and gamma", "", said, "", *table(heads, rows), ""]


def _ranges(scale: float) -> tuple[Range, Range]:
    """Those of bench_tune, two steps apart or, above 1, one; below 1 a few cells of small costs."""
    if scale < 1.0:
        return Range(-2.0, 2.0, 4.0), Range(-4.0, 0.0, 4.0)
    step = 1.0 if scale > 1.0 else 2.0
    return Range(-2.0, 12.0, step), Range(-10.0, 4.0, step)


def _kernel_matrices(gammas: int) -> float:
    """Seconds of the matrices of every fold and gamma in double precision: 1680 x (1680 + 420) values each."""
    values = np.linspace(-4.0, 0.0, 1680 * 2100)
    return 5 * gammas * seconds_of(lambda: np.exp(values))


# -- files ----------------------------------------------------------------------------------------


def reading(folder: Path, scale: float) -> list[str]:
    rows = []
    with tempfile.TemporaryDirectory() as place:
        for suffix in ("csv", "libsvm"):
            path = Path(place) / f"data.{suffix}"
            _write(path, max(1000, round(400_000 * scale)))
            size = path.stat().st_size / 1e6
            disk = seconds_of(path.read_bytes)
            ours = seconds_of(lambda path=path: open_dataset(path))
            theirs = seconds_of(lambda path=path, suffix=suffix: _library(path, suffix))
            rows.append([suffix, round(size), size / ours, size / theirs, size / disk])
    heads = ["file", "MB", "mcsvm, MB/s", "pandas, scikit-learn, MB/s", "limit: its bytes, MB/s"]
    return ["## Reading", "", "20 columns of numbers and a label.", "", *table(heads, rows), ""]


def _library(path: Path, suffix: str) -> object:
    if suffix == "csv":
        return pd.read_csv(path)
    from sklearn.datasets import load_svmlight_file

    return load_svmlight_file(str(path))


def _write(path: Path, count: int, columns: int = 20) -> None:
    rng, step = np.random.default_rng(0), 20_000
    with path.open("w", encoding="utf-8") as stream:
        if path.suffix == ".csv":
            stream.write(",".join([*(f"x{j}" for j in range(columns)), "label"]) + "\n")
        for start in range(0, count, step):
            labels = rng.integers(0, 3, min(step, count - start))
            values = np.round(rng.normal(size=(labels.size, columns)) + labels[:, None], 4)
            for row, label in zip(values.tolist(), labels.tolist(), strict=True):
                if path.suffix == ".csv":
                    stream.write(",".join(map(repr, row)) + f",c{label}\n")
                else:
                    stream.write(f"{label} " + " ".join(f"{j}:{v!r}" for j, v in enumerate(row, 1)) + "\n")


def predicting(folder: Path, scale: float) -> list[str]:
    """`mcsvm predict` of a file, in a process of its own."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        train, model = place / "train.csv", place / "a.mcsvm"
        _write(train, 2000, 4)
        _cli("train", train, "--C", "0.1", "--model", model, "--quiet")
        for count in (100_000, 1_000_000):
            data = place / "data.csv"
            _write(data, max(1000, round(count * scale)), 4)
            peak, wall, cpu = _cli("predict", model, data, "-o", place / "out.csv", "--quiet")
            lines = max(1000, round(count * scale))
            rows.append([lines, lines / wall, cpu / wall, cores(), peak])
    heads = ["rows", "rows/s", "threads busy, mean", "limit: cores", "peak memory, MB"]
    return ["## Predicting a file", "", "Four columns, block by block.", "", *table(heads, rows), ""]


def _cli(*words: object) -> tuple[float, float, float]:
    environment = {**os.environ, "PYTHONPATH": import_path()}
    command = [sys.executable, "-c", CPU, *map(str, words)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    code, peak, wall, cpu = done.stderr.split()[-4:]
    assert code in ("0", "3"), done.stderr
    return float(peak), float(wall), float(cpu)
