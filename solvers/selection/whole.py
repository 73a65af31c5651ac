"""Machines trained by a Run of their own, each C from where the one before ended: whatever solver, bias and kernel.

The kernel matrix is shared where there is room for it, and so are the rows that a Gram keeps where there is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from solvers.certificate import total_of
from solvers.gram import Gram
from solvers.kernels import Kernel
from solvers.machines import MACHINES
from solvers.model import Model, decide
from solvers.problem import Problem, pose
from solvers.run import Run
from solvers.selection.cell import FoldResult
from solvers.selection.settings import Settings
from solvers.selection.shared import FoldRows, Matrices, SharedGram

SEEDED = "auto"  # what gains by beginning from the C before; the methods of the papers begin as theirs do


def along(
    rows: FoldRows,
    machine: str,
    kernel: Kernel,
    costs: Sequence[float],
    settings: Settings,
    stopped: Callable[[], bool],
    matrices: Matrices | None,
) -> Iterator[FoldResult]:
    """One result for each cost, as it is done; ends early where a stop comes."""
    base = pose(
        rows.train,
        rows.labels,
        machine=machine,
        kernel=kernel,
        margin=settings.margin,
        bias=settings.bias,
        class_weight=settings.weights(rows),
        cache_mb=settings.cache_mb / settings.jobs,
    )
    gram = shared_gram(base, matrices)
    start, before = None, 0.0
    for cost in costs:
        problem = at_cost(base, cost, gram)
        run = Run(problem, settings.solver, settings.limits, scaled(start, before, problem))
        while run.running:
            if stopped():
                return
            run.advance()
        yield result_of(run, rows, matrices)
        if settings.solver == SEEDED:
            start, before = run.alphas(), float(problem.upper.max())


def shared_gram(problem: Problem, matrices: Matrices | None) -> Gram | None:
    """Of all training rows; pairs keep rows of their own."""
    if problem.machine.split == "pairs":
        return None
    if matrices is None:
        return problem.whole_gram
    return SharedGram(problem.kernel, problem.points, matrices.train)


def at_cost(base: Problem, cost: float, gram: Gram | None) -> Problem:
    problem = replace(base, upper=cost * base.upper)
    if gram is not None:
        vars(problem)["whole_gram"] = gram  # the cached property: made once for all costs
    return problem


def scaled(start: list[np.ndarray] | None, before: float, problem: Problem) -> list[np.ndarray] | None:
    """Alpha seeding: feasible at the new cost, and near."""
    return None if start is None else [alpha * (float(problem.upper.max()) / before) for alpha in start]


def result_of(run: Run, rows: FoldRows, matrices: Matrices | None) -> FoldResult:
    proofs = run.proofs()
    model = run.model(proofs)
    values = model.decision(rows.test) if matrices is None else decisions(model, matrices)
    assert run.ending is not None
    return FoldResult(
        accuracy=rows.accuracy(decide(model.machine, values, rows.classes)),
        seconds=run.seconds,
        n_support=int(model.support.size),
        steps=run.iterations,
        ending=run.ending,
        certificate=total_of(proofs),
    )


def decisions(model: Model, matrices: Matrices) -> np.ndarray:
    """What `model.decision` gives, from kernel values that are there."""
    return matrices.test[model.support].T @ model.expansion + model.bias


def binary_alone(machine: str, kernel: Kernel, settings: Settings) -> bool:
    """Whether compiled binary machines can do it: exact bias, a kernel known to be definite, no solver asked for."""
    limits = settings.limits
    return (
        MACHINES[machine].split != "joint"
        and settings.bias_of(machine) == "exact"
        and settings.solver == "auto"
        and kernel.semidefinite
        and limits.steps is None
        and limits.gap_tolerance is None
    )
