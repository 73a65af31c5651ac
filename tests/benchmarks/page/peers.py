"""Other programs that train support vector machines; those that are not installed are named as such.

pip install scikit-learn-intelex libsvm-official thundersvm-cpu

liquidSVM 1.0.1 builds (`--no-build-isolation`, with setuptools and wheel) but looks for its library under the name that
Python 2 gave it, so it does not import here. thundersvm 0.3.12 brings a library for CUDA, thundersvm-cpu one without.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

LONG = 2.0  # seconds of a training after which it is not repeated
TIMES = 3


def seconds_of(action: Callable[[], object]) -> float:
    """The best of three; of long ones, the first."""
    best = np.inf
    for _ in range(TIMES):
        began = time.perf_counter()
        action()
        best = min(best, time.perf_counter() - began)
        if best > LONG:
            break
    return best


def as_arrays(module: Any, X: np.ndarray, y: np.ndarray) -> tuple[Any, ...]:
    return X, y


@dataclass(frozen=True)
class Peer:
    """`train(module, *rows, C, gamma)` trains once, on one thread, on what `rows(module, X, y)` returned before.

    `linear`: it knows no kernel, and no gamma.
    """

    name: str
    module: str
    train: Callable[..., object]
    linear: bool = False
    rows: Callable[[Any, np.ndarray, np.ndarray], tuple[Any, ...]] = as_arrays

    @property
    def found(self) -> Any:
        try:
            return importlib.import_module(self.module)
        except (ImportError, NameError):  # NameError: liquidSVM without its library
            return None

    def seconds(self, X: np.ndarray, y: np.ndarray, cost: float, gamma: float) -> float | None:
        """None where it is not installed."""
        module = self.found
        if module is None:
            return None
        with threadpool_limits(1):  # of OpenMP too: LIBSVM's and thundersvm's
            rows = self.rows(module, X, y)
            return seconds_of(lambda: self.train(module, *rows, cost, gamma))


def _svc(module: Any, X: np.ndarray, y: np.ndarray, cost: float, gamma: float) -> object:
    return module.SVC(C=cost, gamma=gamma, cache_size=500).fit(X, y)


def _thunder(module: Any, X: np.ndarray, y: np.ndarray, cost: float, gamma: float) -> object:
    return module.SVC(C=cost, gamma=gamma, n_jobs=1).fit(X, y)


def _linear_svc(module: Any, X: np.ndarray, y: np.ndarray, cost: float, gamma: float) -> object:
    return module.LinearSVC(C=cost, loss="hinge", max_iter=10_000).fit(X, y)


def _intelex(module: Any, X: np.ndarray, y: np.ndarray, cost: float, gamma: float) -> object:
    importlib.import_module("daal4py").daalinit(1)  # its threads are TBB's, which threadpoolctl does not know
    return _svc(module, X, y, cost, gamma)


def _libsvm_rows(module: Any, X: np.ndarray, y: np.ndarray) -> tuple[Any, ...]:
    """Its own structures: made row by row in Python, which can take as long as training."""
    return (module.svm_problem(y, X),)


def _libsvm(module: Any, problem: Any, cost: float, gamma: float) -> object:
    return module.svm_train(problem, f"-c {cost} -g {gamma} -m 500 -q")


def _liquid(module: Any, X: np.ndarray, y: np.ndarray, cost: float, gamma: float) -> object:
    """One cell: liquidSVM has 1 / gamma^2 where others have gamma, and lambda = 1 / (2 n C)."""
    grid = {"gammas": [gamma**-0.5], "lambdas": [0.5 / (len(y) * cost)], "folds": 1, "threads": 1}
    return module.mcSVM(X, y, mc_type="AvA_hinge", **grid)


SVC = Peer("SVC", "sklearn.svm", _svc)
LINEAR_SVC = Peer("LinearSVC", "sklearn.svm", _linear_svc, linear=True)
PEERS = (
    SVC,
    Peer("LIBSVM", "libsvm.svmutil", _libsvm, rows=_libsvm_rows),
    Peer("thundersvm", "thundersvm", _thunder),
    Peer("scikit-learn-intelex", "sklearnex.svm", _intelex),
    Peer("liquidSVM", "liquidSVM", _liquid),
    LINEAR_SVC,
)
