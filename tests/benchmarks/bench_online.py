"""Learning online, one pass over the rows, beside training on all of them: accuracy, support vectors, seconds.

The checkerboard is that of Glasmachers & Igel (2008), whose tables end with 944 support vectors by second-order choice,
3395 by first-order and 873 of a batch solver. `python -m pytest tests/benchmarks/bench_online.py -s` prints the tables.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import StratifiedShuffleSplit

from mcsvm import MultiClassSVC
from mcsvm.solvers.kernels import KERNELS, Points
from mcsvm.solvers.methods.lasvm.stream import OnlineSettings, Stream
from mcsvm.solvers.work import limited

pytestmark = pytest.mark.benchmark

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
NEEDS_DATA = pytest.mark.skipif(not DATA.exists(), reason="the data is not beside the checkout")
NEAR = 0.01  # of batch accuracy, on average over the splits
PORTION = 500
SOLVERS = ["lasvm", "lasvm-first-order", "lasvm-gradient", "lasvm-active"]
BANANA = {"machine": "ovo", "C": 10.0, "gamma": 1.0}
OPTDIGITS = {"machine": "ova", "C": 10.0, "gamma": 0.1}

Split = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def table(path: Path) -> tuple[np.ndarray, np.ndarray]:
    content = pd.read_csv(path)
    return content.iloc[:, :-1].to_numpy(float), np.unique(content.iloc[:, -1], return_inverse=True)[1]


def banana() -> list[Split]:
    X, y = table(DATA / "banana" / "data.csv")
    cuts = StratifiedShuffleSplit(5, test_size=0.3, random_state=0).split(X, y)
    return [(X[train], y[train], X[test], y[test]) for train, test in cuts]


def optdigits() -> list[Split]:
    """The official split, its training rows in three orders."""
    (X, y), (test, answers) = (table(DATA / "optdigits" / f"{name}.csv") for name in ("train", "test"))
    orders = [np.random.default_rng(seed).permutation(y.size) for seed in range(3)]
    return [(X[order] / 16.0, y[order], test / 16.0, answers) for order in orders]


def board(n: int, seed: int, noise: float = 0.1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.uniform(0.0, 4.0, size=(n, 2))
    return x, (x.astype(int).sum(axis=1) + (rng.random(n) < noise)) % 2


def batch(split: Split, **parameters: Any) -> tuple[float, int, float]:
    X, y, test, answers = split
    began = time.perf_counter()
    model = MultiClassSVC(**parameters).fit(X, y)
    return model.score(test, answers), model.support_.size, time.perf_counter() - began


def one_pass(split: Split, **parameters: Any) -> tuple[float, int, float]:
    """In portions, each row once."""
    X, y, test, answers = split
    model, classes, began = MultiClassSVC(**parameters), np.unique(y), time.perf_counter()
    for start in range(0, y.size, PORTION):
        model.partial_fit(X[start : start + PORTION], y[start : start + PORTION], classes=classes)
    return model.score(test, answers), model.support_.size, time.perf_counter() - began


def line(title: str, results: list[tuple[float, int, float]], seconds: float) -> str:
    accuracy, support, taken = np.mean(results, axis=0)
    return f"{title:20s} accuracy {100 * accuracy:6.2f} %   {support:7.1f} support vectors   {taken / seconds:5.2f} x"


@NEEDS_DATA
@pytest.mark.parametrize(
    ("name", "splits", "parameters"),
    [("banana", banana, BANANA), ("optdigits, ova", optdigits, OPTDIGITS)],
    ids=["banana", "optdigits"],
)
def test_one_pass_beside_all_rows_at_once(
    name: str, splits: Any, parameters: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    with limited(1):
        cuts = splits()
        batch(cuts[0], **parameters), one_pass(cuts[0], **parameters)  # what is compiled on first use
        whole = [batch(cut, **parameters) for cut in cuts]
        online = {solver: [one_pass(cut, solver=solver, **parameters) for cut in cuts] for solver in SOLVERS}
    seconds = float(np.mean([taken for *_, taken in whole]))
    with capsys.disabled():
        print(f"\n{name}: one pass in portions of {PORTION}; time as a multiple of that for all rows at once")
        print(line("all rows at once", whole, seconds))
        for solver, results in online.items():
            print(line(solver, results, seconds))
    best = np.mean([accuracy for accuracy, *_ in whole])
    assert np.mean([accuracy for accuracy, *_ in online["lasvm"]]) >= best - NEAR


def support_after_one_pass(X: np.ndarray, y: np.ndarray, *, second_order: bool) -> int:
    """By PROCESS and REPROCESS alone: what finishing would still remove is counted."""
    settings = OnlineSettings(np.full(2, 1000.0), 1.0, 1e-3, second_order=second_order)
    stream = Stream(KERNELS["rbf"](gamma=2.0), "pairs", settings, 500.0)
    stream.learn(Points(X), y, patience=0)
    return stream.expansion().labels.size


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_second_order_keeps_fewer(noise: float, capsys: pytest.CaptureFixture[str]) -> None:
    with limited(1):
        boards = [board(5000, seed, noise) for seed in range(3)]
        counts = {
            order: [support_after_one_pass(*one, second_order=order) for one in boards] for order in (True, False)
        }
    with capsys.disabled():
        print(
            f"\ncheckerboard, {100 * noise:.0f} % wrong labels: support vectors after one pass,"
            f" second order {counts[True]}, first order {counts[False]}"
        )
    assert all(few < many for few, many in zip(counts[True], counts[False], strict=True))
