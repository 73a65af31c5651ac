"""Tiny training problems, made in a moment and the same every time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mcsvm import MultiClassSVC
from mcsvm.solvers.interrupt import Stopped
from mcsvm.solvers.kernels import KERNELS, Kernel
from mcsvm.solvers.posing import pose
from mcsvm.solvers.problem import Problem
from mcsvm.solvers.run.loop import Limits, Run

KERNEL_PARAMETERS: dict[str, dict[str, Any]] = {
    "rbf": {"gamma": 0.7},
    "linear": {},
    "polynomial": {"gamma": 0.5, "degree": 2, "coef0": 1.0},
}


def blobs(n: int = 24, classes: int = 3, features: int = 2, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Overlapping clouds, every class present, labels in no order."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % classes)
    centres = rng.normal(scale=1.5, size=(classes, features))
    return centres[y] + rng.normal(size=(n, features)), y


def kernel_named(name: str) -> Kernel:
    return KERNELS[name](**KERNEL_PARAMETERS[name])


def dense_kernel(name: str, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The kernel matrix from its definition, one number at a time."""
    values = {
        "rbf": lambda a, b: np.exp(-0.7 * np.sum((a - b) ** 2)),
        "linear": lambda a, b: a @ b,
        "polynomial": lambda a, b: (0.5 * (a @ b) + 1.0) ** 2,
    }[name]
    return np.array([[values(a, b) for b in right] for a in left])


def home(method: str) -> str:
    """A kernel that the method takes: rbf, or linear where it takes no other."""
    return "linear" if method.startswith("linear") else "rbf"


def problem_of(X: np.ndarray, y: np.ndarray, machine: str = "ww", kernel: str = "rbf", **more: Any) -> Problem:
    return pose(X, y, machine=machine, kernel=kernel_named(kernel), **more)


def finished(problem: Problem, method: str = "auto", tolerance: float = 1e-6, **limits: Any) -> Run:
    run = Run(problem, method, Limits(tolerance=tolerance, **limits))
    while run.running:
        run.advance()
    return run


def trained(X: Any, y: Any, **parameters: Any) -> MultiClassSVC:
    """Train a model whose `decision_function` returns the model's own functions: those of pairs for ovo and dag."""
    return MultiClassSVC(**{"gamma": 0.7, "tol": 1e-6, "decision_function_shape": "ovo", **parameters}).fit(X, y)


def interrupt(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Let every slice of a run be left at a random tick, in the middle of whatever is done there."""
    random, left = np.random.default_rng(seed), [1]

    def hear(run: Run, look: object) -> None:
        left[0] -= 1
        if not left[0]:
            left[0] = 2 ** int(random.integers(0, 11))
            raise Stopped(run)

    monkeypatch.setattr("mcsvm.solvers.interrupt.REST", 0.0)
    monkeypatch.setattr(Run, "_hear", hear)
