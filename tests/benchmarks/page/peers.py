"""Other programs that train support vector machines; those that are not installed are named as such.

pip install thundersvm scikit-learn-intelex liquidSVM libsvm-official
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from solvers.work import limited

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


@dataclass(frozen=True)
class Peer:
    """`train(module, X, y, C, gamma)` trains once, on one thread; `linear`: it knows no kernel, and no gamma."""

    name: str
    module: str
    train: Callable[[Any, np.ndarray, np.ndarray, float, float], object]
    linear: bool = False

    @property
    def found(self) -> Any:
        try:
            return importlib.import_module(self.module)
        except ImportError:
            return None

    def seconds(self, X: np.ndarray, y: np.ndarray, cost: float, gamma: float) -> float | None:
        """None where it is not installed."""
        module = self.found
        if module is None:
            return None
        with limited(1):
            return seconds_of(lambda: self.train(module, X, y, cost, gamma))


def _svc(module: Any, X: np.ndarray, y: np.ndarray, cost: float, gamma: float) -> object:
    return module.SVC(C=cost, gamma=gamma, cache_size=500).fit(X, y)


def _thunder(module: Any, X: np.ndarray, y: np.ndarray, cost: float, gamma: float) -> object:
    return module.SVC(C=cost, gamma=gamma, n_jobs=1).fit(X, y)


def _linear_svc(module: Any, X: np.ndarray, y: np.ndarray, cost: float, gamma: float) -> object:
    return module.LinearSVC(C=cost, loss="hinge", max_iter=10_000).fit(X, y)


def _libsvm(module: Any, X: np.ndarray, y: np.ndarray, cost: float, gamma: float) -> object:
    return module.svm_train(y, X, f"-c {cost} -g {gamma} -m 500 -q")


def _liquid(module: Any, X: np.ndarray, y: np.ndarray, cost: float, gamma: float) -> object:
    """One cell: liquidSVM has 1 / gamma^2 where others have gamma, and lambda = 1 / (2 n C)."""
    grid = {"gammas": [gamma**-0.5], "lambdas": [0.5 / (len(y) * cost)], "folds": 1, "threads": 1}
    return module.mcSVM(X, y, mc_type="AvA_hinge", **grid)


SVC = Peer("SVC", "sklearn.svm", _svc)
LINEAR_SVC = Peer("LinearSVC", "sklearn.svm", _linear_svc, linear=True)
PEERS = (
    SVC,
    Peer("LIBSVM", "libsvm.svmutil", _libsvm),
    Peer("thundersvm", "thundersvm", _thunder),
    Peer("scikit-learn-intelex", "sklearnex.svm", _svc),
    Peer("liquidSVM", "liquidSVM", _liquid),
    LINEAR_SVC,
)
