"""Task: all machines and costs of one fold, one share of its rows and one gamma, which share one kernel matrix."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.kernels import Kernel, Points
from mcsvm.solvers.kernels.base import FeatureKernel
from mcsvm.solvers.kernels.moved import Moved
from mcsvm.solvers.kernels.points import in_double
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.model import decide
from mcsvm.solvers.posing import check_size, far_origin
from mcsvm.solvers.selection.cell import Cell, FoldResult, Pair, Trial
from mcsvm.solvers.selection.scores import Measured
from mcsvm.solvers.selection.settings import TrainingSettings
from mcsvm.solvers.selection.trials import binary, whole
from mcsvm.solvers.selection.trials.shared import BYTES, FoldRows, Matrices

Done = tuple[Trial, FoldResult]


@dataclass(frozen=True)
class Task:
    fold: int
    gamma: float | None
    costs: Mapping[str, tuple[float, ...]]  # the values of C of each machine, ascending
    share: float = 1.0  # share of the training rows

    @property
    def trials(self) -> int:
        return sum(len(costs) for costs in self.costs.values())


def tasks_of(trials: Iterable[Trial]) -> list[Task]:
    """Group trials by share, fold and gamma, fold after fold, so that threads share distances."""
    wanted: dict[tuple[float, int, float | None], dict[str, set[float]]] = {}
    for cell, fold, share in trials:
        wanted.setdefault((share, fold, cell.gamma), {}).setdefault(cell.machine, set()).add(cell.C)
    ordered = sorted(wanted, key=lambda key: (*key[:2], -1.0 if key[2] is None else key[2]))
    return [
        Task(
            fold, gamma, {machine: tuple(sorted(costs)) for machine, costs in wanted[share, fold, gamma].items()}, share
        )
        for share, fold, gamma in ordered
    ]


def perform(task: Task, rows: FoldRows, settings: TrainingSettings, stopped: Callable[[], bool]) -> Iterator[Done]:
    """Yield results as trials finish; a trial that a stop interrupts has no result.

    `rows` are the rows of the task's share.
    """
    if stopped():
        return
    kernel = settings.kernel.at(task.gamma)
    check_size(kernel, rows.train)  # binary.py calls no `pose`; with infinite kernel values its loops would not end
    exact = {name: costs for name, costs in task.costs.items() if settings.bias_of(name, kernel) == "exact"}
    moved = moved_to_mean(rows, kernel) if exact else None
    if moved is None:
        yield from _perform(task, rows, kernel, settings, stopped)
        return
    others = {name: costs for name, costs in task.costs.items() if name not in exact}
    if others:
        yield from _perform(replace(task, costs=others), rows, kernel, settings, stopped)
    yield from _perform(replace(task, costs=exact), *moved, settings, stopped)


def moved_to_mean(rows: FoldRows, kernel: Kernel) -> tuple[FoldRows, Kernel] | None:
    """Return rows and kernel with the zero of the feature space at the mean row; None if it is near enough already.

    Under an exact bias this changes b alone (posing.far_origin). A linear kernel moves the rows, others move.
    """
    origin = far_origin(kernel, rows.train)
    if origin is None:
        return None
    if not isinstance(kernel, FeatureKernel):
        return rows, Moved(kernel, origin)
    train, test = (Points(in_double(points.rows) - origin) for points in (rows.train, rows.test))
    return replace(rows, train=train, test=test), kernel


def _perform(
    task: Task, rows: FoldRows, kernel: Kernel, settings: TrainingSettings, stopped: Callable[[], bool]
) -> Iterator[Done]:
    """Carry out the trials of a task on one pair of kernel matrices."""
    matrices = matrices_of(rows, kernel, settings)
    rest = dict(task.costs)
    for group in ("pairs", "one-vs-rest"):
        fast = {name: rest.pop(name) for name in list(rest) if _fast(name, group, rows, kernel, settings, matrices)}
        if fast:
            chosen = settings.of_rung(task.share, next(iter(fast)), rows.classes)
            yield from _binary(task, rows, kernel, fast, chosen, stopped, matrices)
    relatives = whole.Relatives()
    for machine, costs in rest.items():
        chosen = settings.of_rung(task.share, machine, rows.classes)
        found = whole.along(rows, machine, kernel, costs, chosen, stopped, matrices, relatives)
        for cost, result in zip(costs, found, strict=False):
            yield Trial(Cell(machine, cost, task.gamma), task.fold, task.share), result


def matrices_of(rows: FoldRows, kernel: Kernel, settings: TrainingSettings) -> Matrices | None:
    """Return the kernel matrices if memory allows, else None; cache the distances if they fit too."""
    if rows.bytes * 1.5 > settings.room:  # + half for the float32 copy
        return None
    return Matrices.of_kernel(rows, kernel, keep_distances=rows.bytes * 2.5 <= settings.room)


def _fast(
    name: str, group: str, rows: FoldRows, kernel: Kernel, settings: TrainingSettings, matrices: Matrices | None
) -> bool:
    if MACHINES[name].split != group or not whole.binary_alone(name, kernel, settings):
        return False
    if matrices is not None or group != "pairs":
        return matrices is not None
    needed = bytes_of_largest_pair(rows)
    if settings.by_pair and needed > settings.room:
        raise InputError(
            "choosing for each pair keeps the kernel matrix of a pair: the largest needs a cache of {needed}"
            " MB, and {cache_mb:g} are allowed",
            needed=math.ceil(needed * settings.jobs / 2**20),
            cache_mb=settings.cache_mb,
        )
    return needed <= settings.room


def bytes_of_largest_pair(rows: FoldRows) -> int:
    """Return the bytes of the two matrices of the largest pair, if each pair has matrices of its own."""
    largest = int(np.sort(np.diff(rows.starts))[-2:].sum())
    return BYTES * largest * (largest + len(rows.test))


def _binary(
    task: Task,
    rows: FoldRows,
    kernel: Kernel,
    machines: Mapping[str, tuple[float, ...]],
    settings: TrainingSettings,
    stopped: Callable[[], bool],
    matrices: Matrices | None,
) -> Iterator[Done]:
    """Train machines with the same parts once: dag has the pair functions of ovo, and predicts by them differently."""
    costs = sorted(set().union(*machines.values()))
    margin = settings.margin_of(MACHINES[next(iter(machines))], rows.classes)
    path = binary.CostPath(rows, costs, margin, settings, stopped)
    split = MACHINES[next(iter(machines))].split
    if split == "pairs":
        parts, count = binary.pairs_of(rows, kernel, matrices), rows.classes * (rows.classes - 1) // 2
    else:
        assert matrices is not None
        parts, count = binary.rests_of(rows, matrices), rows.classes
    solved = path.along(parts, count)
    for cost, at_cost in zip(costs, solved or (), strict=False):
        for name, wanted in machines.items():
            if cost in wanted:
                trial = Trial(Cell(name, cost, task.gamma), task.fold, task.share)
                yield trial, _result(name, rows, at_cost, settings)


def _result(name: str, rows: FoldRows, solved: binary.Solved, settings: TrainingSettings) -> FoldResult:
    values = np.ascontiguousarray(solved.values.T)
    return FoldResult(
        accuracy=rows.accuracy(decide(MACHINES[name], values, rows.classes)),
        seconds=solved.seconds,
        n_support=int(solved.support.sum()),
        steps=solved.steps,
        ending=solved.ending,
        certificate=solved.certificate,
        pairs=pair_scores(rows, solved.values) if settings.by_pair and MACHINES[name].split == "pairs" else {},
        tested=Measured.of(rows, name, values),
        values=values if settings.keep_values else None,
    )


def pair_scores(rows: FoldRows, values: np.ndarray) -> dict[Pair, tuple[int, int]]:
    """Return for each pair of labels (number of its test rows, number of rows that its function predicts correctly)."""
    scores = {}
    for (a, b), decided in zip(combinations(range(rows.classes), 2), values, strict=True):
        first, second = rows.test_labels == a, rows.test_labels == b
        right = np.count_nonzero(decided[first] > 0.0) + np.count_nonzero(decided[second] <= 0.0)
        scores[int(rows.names[a]), int(rows.names[b])] = int(first.sum() + second.sum()), int(right)
    return scores
