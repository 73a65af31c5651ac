"""Reference methods, which solve another problem than the machines do; only experiments use them.

asvm and lsvm (Kao et al. 2004, section 5): two classes, the linear kernel, squared hinges and the bias in the norm.
Their certificate belongs to that problem. C is searched as for machines: on folds of the training rows, with a
preparation for each fold.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mcsvm.solvers.dual.certificate import Certificate
from mcsvm.solvers.errors import InputError
from mcsvm.solvers.model import Model
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.selection.cell import Cell
from mcsvm.solvers.selection.grid import Grid
from mcsvm.solvers.work import limited
from mcsvm_gui.core.data import splitting
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.experiment.journal import Journal, key_of
from mcsvm_gui.core.experiment.searching import SearchSpec, key_of_request
from mcsvm_gui.core.experiment.squared_hinge import Solution, asvm, lsvm
from mcsvm_gui.core.machine.posing import Posed, pose_request
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import document, score
from mcsvm_gui.core.machine.trained import Duals, Origin, TrainedModel, unlearned_columns, versions

REFERENCES: dict[str, Callable[..., Solution]] = {"asvm": asvm, "lsvm": lsvm}
OBEYED = (  # fields of a request that are used; all others must have their defaults
    *("machine", "solver", "C", "gamma", "degree", "coef0", "tol", "max_iter", "cache_mb", "threads", "seed", "split"),
    *("rules", "read", "data", "test", "digest", "test_digest"),
)
OBEYED_BY_SEARCHES = "C", "gamma", "step", "folds"
LIMIT = 10_000  # iterations, if the request has no limit
EQUAL = 1e-12  # tolerance for equal mean accuracies


@dataclass(frozen=True, eq=False)
class TimedSolution:
    posed: Posed
    solution: Solution
    seconds: float


def refuse(request: Request) -> None:
    """Raise InputError if a reference method cannot fulfil the request."""
    if request.read.weights is not None:
        raise InputError("{solver} is a reference method: it knows no weights of rows", solver=request.solver)
    if request.kernel != "linear":
        raise InputError("{solver} is a reference method: it knows the linear kernel only", solver=request.solver)
    kept = {"kernel": "linear", **({"bias": request.bias} if request.bias == "regularized" else {})}
    strange = next((name for name in request.said() if name not in (*OBEYED, *kept)), None)
    if strange is not None:
        raise InputError(
            "{solver} is a reference method: it knows no {option}; leave it out", solver=request.solver, option=strange
        )


def posed_of(request: Request, dataset: Dataset) -> Posed:
    """Pose the problem, which is the same for every C."""
    posed = pose_request(replace(request, machine="ovo", solver="auto"), dataset)
    if posed.problem.classes != 2:
        raise InputError(
            "{solver} is a reference method: it knows two classes, not {classes}",
            solver=request.solver,
            classes=posed.problem.classes,
        )
    return posed


def solve(request: Request, posed: Posed) -> TimedSolution:
    problem, began = posed.problem, time.perf_counter()
    signs = np.where(problem.labels == 0, 1.0, -1.0)
    with limited(request.threads):
        solution = REFERENCES[request.solver](
            problem.points.rows, signs, request.C, request.tol, request.max_iter or LIMIT
        )
    return TimedSolution(posed, solution, time.perf_counter() - began)


def trained_of(request: Request, dataset: Dataset, solved: TimedSolution) -> TrainedModel:
    posed, solution = solved.posed, solved.solution
    problem = posed.problem
    weights = np.where(problem.labels == 0, solution.iterate, -solution.iterate)[:, None]
    used = np.flatnonzero(solution.alpha)
    origin = Origin(
        solver=request.solver,
        ending=Ending.CONVERGED if solution.converged else Ending.STEP_LIMIT,
        certificate=Certificate(solution.primal, solution.dual, solution.violation, 0.0),
        iterations=solution.iterations,
        kernel_evaluations=0,
        seconds=solved.seconds,
        n_train=posed.train.rows,
        class_counts=posed.train.class_counts,
        n_bounded=0,
        digest=dataset.digest,
        versions=versions(),
    )
    return TrainedModel(
        model=Model.of(problem, [weights], [np.array([solution.bias])]),
        class_names=posed.class_names,
        preparation=posed.preparation,
        request=request,
        label_name=dataset.label_name,
        origin=origin,
        duals=Duals(np.array([0, used.size]), used, solution.alpha[used, None]),
        rows=posed.train.row_source,
        unlearned=unlearned_columns(dataset),
    )


def document_of(trained: TrainedModel, solved: TimedSolution) -> dict[str, Any]:
    accuracy, _, _ = score(trained, solved.posed.train)
    scores = {"train_accuracy": accuracy, "test_accuracy": None, "n_test": None}
    return {**document(trained, scores, solved.posed.notices), "bias": "regularized"}


# -- search ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Fold:
    posed: Posed
    train: Dataset
    test: Dataset


def search(
    request: Request, spec: SearchSpec, dataset: Dataset, stopped: Callable[[], bool], journal: Journal | None = None
) -> tuple[Request, dict[str, Any]] | None:
    """Return the request with its best C, and a summary of the search; among equal values, the smallest C."""
    strange = next((name for name in spec.said() if name not in OBEYED_BY_SEARCHES), None)
    if strange is not None:
        raise InputError(
            "{solver} is a reference method: its C is searched on a grid, in folds and by accuracy; leave {option} out",
            solver=request.solver,
            option=strange,
        )
    assert dataset.labels is not None
    splits = splitting.splits_of(dataset, request.split, spec.folds)
    parts = [(dataset.take(fold.train), dataset.take(fold.test)) for fold in splits.of(dataset.labels, request.seed)]
    folds = [_Fold(posed_of(request, train), train, test) for train, test in parts]
    done: list[Mapping[str, Any]] = []
    for cost in spec.c_range.values:
        key = key_of("reference", dataset.digest, key_of_request(replace(request, C=cost)), spec.folds)
        entry = None if journal is None else journal.get(key)
        if entry is None:
            entry = _tried(replace(request, C=cost), folds, stopped)
            if entry is None:
                return None
            if journal is not None:
                journal.add(key, entry)
        done.append(entry)
    means = np.array([np.mean(entry["fold_accuracy"]) for entry in done])
    best = int(np.argmax(means >= means.max() - EQUAL))
    return replace(request, C=spec.c_range.values[best]), _summary(spec, means, best, done)


def _tried(request: Request, folds: Sequence[_Fold], stopped: Callable[[], bool]) -> dict[str, Any] | None:
    """Evaluate one C on all folds; return None after a stop."""
    accuracy, gaps, seconds = [], [], 0.0
    for fold in folds:
        if stopped():
            return None
        solved = solve(request, fold.posed)
        trained = trained_of(request, fold.train, solved)
        accuracy.append(score(trained, fold.test)[0])
        gaps.append(0.0 if solved.solution.converged else trained.certificate.relative_gap)
        seconds += solved.seconds
    label = f"{request.solver} on {folds[0].train.name}"
    return {"label": label, "C": request.C, "fold_accuracy": accuracy, "worst_gap": max(gaps), "seconds": seconds}


def _summary(spec: SearchSpec, means: np.ndarray, best: int, done: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the same summary as a search for machines."""
    grid, seconds = Grid(("ovo",), spec.c_range, None), sum(entry["seconds"] for entry in done)
    unsolved = [entry["worst_gap"] for entry in done if entry["worst_gap"] > 0.0]
    return {
        "cells": means.size,
        "mean": float(means[best]),
        "equal": int((means >= means.max() - EQUAL).sum()),
        "edges": list(grid.edges(Cell("ovo", spec.c_range.values[best], None))),
        "unsolved": len(unsolved),
        "worst_gap": max(unsolved, default=None),
        "seconds": seconds,
        "seconds_together": seconds,
        "together": ["ovo"],
        **spec.document(),
    }
