"""Reference methods, which solve another problem than the machines do: only experiments know them.

asvm and lsvm (Kao et al. 2004, section 5): two classes, the linear kernel, squared hinges and the bias in the norm.
Their certificate is of that problem. C is searched as for machines: folds of the rows trained on, prepared anew.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mcsvm_gui.core.dataset import Dataset
from mcsvm_gui.core.experiment.searching import SearchSpec
from mcsvm_gui.core.posing import Posed, pose_request
from mcsvm_gui.core.request import Request
from mcsvm_gui.core.session import document, score
from mcsvm_gui.core.trained import Duals, Origin, TrainedModel, versions
from solvers.certificate import Certificate
from solvers.ending import Ending
from solvers.errors import InputError
from solvers.model import Model
from solvers.selection.cell import Cell
from solvers.selection.folds import stratified
from solvers.selection.grid import Grid
from solvers.squared_hinge import Solution, asvm, lsvm
from solvers.threads import limited

REFERENCES: dict[str, Callable[..., Solution]] = {"asvm": asvm, "lsvm": lsvm}
LIMIT = 10_000  # iterations, where the request names none
EQUAL = 1e-12  # between mean accuracies


@dataclass(frozen=True, eq=False)
class Solved:
    posed: Posed
    solution: Solution
    seconds: float


def refuse(request: Request) -> None:
    """Raises InputError where a reference method cannot do what is asked."""
    for name, plain in (("kernel", "linear"), ("class_weight", None), ("holdout", None), ("time_limit", None)):
        if getattr(request, name) != plain:
            wanted = "the linear kernel" if name == "kernel" else f"no {name}"
            raise InputError(f"{request.solver} is a reference method: it knows {wanted} only")


def solve(request: Request, dataset: Dataset) -> Solved:
    posed = pose_request(replace(request, machine="ovo", solver="auto"), dataset)
    problem, began = posed.problem, time.perf_counter()
    if problem.classes != 2:
        raise InputError(f"{request.solver} is a reference method: it knows two classes, not {problem.classes}")
    signs = np.where(problem.labels == 0, 1.0, -1.0)
    with limited(request.threads):
        solution = REFERENCES[request.solver](
            problem.points.rows, signs, request.C, request.tol, request.max_iter or LIMIT
        )
    return Solved(posed, solution, time.perf_counter() - began)


def trained_of(request: Request, dataset: Dataset, solved: Solved) -> TrainedModel:
    posed, solution = solved.posed, solved.solution
    problem = posed.problem
    weights = np.where(problem.labels == 0, solution.alpha, -solution.alpha)[:, None]
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
    )


def document_of(trained: TrainedModel, solved: Solved) -> dict[str, Any]:
    accuracy, _, _ = score(trained, solved.posed.train)
    scores = {"train_accuracy": accuracy, "test_accuracy": None, "n_test": None}
    return {**document(trained, scores, solved.posed.notices), "bias": "regularized"}


# -- search ---------------------------------------------------------------------------------------


def search(
    request: Request, spec: SearchSpec, dataset: Dataset, stopped: Callable[[], bool]
) -> tuple[Request, dict[str, Any]] | None:
    """The request with its best C, and how that was found; of equals the smaller C."""
    if spec.holdout is not None or spec.search != "grid":
        raise InputError(f"{request.solver} is a reference method: its C is searched on a grid and in folds only")
    assert dataset.labels is not None
    costs, folds = spec.costs.values, stratified(dataset.labels, spec.folds, request.seed)
    accuracy, gaps, seconds = np.empty((len(costs), len(folds))), np.zeros(len(costs)), 0.0
    for place, cost in enumerate(costs):
        for number, fold in enumerate(folds):
            if stopped():
                return None
            asked = replace(request, C=cost)
            solved = solve(asked, dataset.take(fold.train))
            trained = trained_of(asked, dataset, solved)
            accuracy[place, number] = score(trained, dataset.take(fold.test))[0]
            seconds += solved.seconds
            if not solved.solution.converged:
                gaps[place] = max(gaps[place], trained.certificate.relative_gap)
    means = accuracy.mean(axis=1)
    best = int(np.argmax(means >= means.max() - EQUAL))
    return replace(request, C=costs[best]), _account(spec, means, best, gaps, seconds)


def _account(spec: SearchSpec, means: np.ndarray, best: int, gaps: np.ndarray, seconds: float) -> dict[str, Any]:
    """As of a search for machines."""
    grid = Grid(("ovo",), spec.costs, None)
    unsolved = gaps[gaps > 0.0]
    return {
        "cells": means.size,
        "mean": float(means[best]),
        "equal": int((means >= means.max() - EQUAL).sum()),
        "edges": list(grid.edges(Cell("ovo", spec.costs.values[best], None))),
        "unsolved": unsolved.size,
        "worst_gap": float(unsolved.max()) if unsolved.size else None,
        "seconds": seconds,
        "seconds_together": seconds,
        "together": ["ovo"],
        **spec.document(),
    }
