"""Machines trained by a Run per C, warm-started from the C before: any solver, bias and kernel.

All runs share the kernel matrix if memory allows, else the row store of a Gram.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from mcsvm.solvers.dual.certificate import Certificate, Proof, certify
from mcsvm.solvers.dual.geometry import BOX
from mcsvm.solvers.gram import Gram
from mcsvm.solvers.interrupt import unless
from mcsvm.solvers.kernels import Kernel, Points
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.model import Model, decide
from mcsvm.solvers.posing import pose
from mcsvm.solvers.problem import Part, Problem
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.loop import Run
from mcsvm.solvers.selection.cell import FoldResult
from mcsvm.solvers.selection.scores import Measured
from mcsvm.solvers.selection.settings import TrainingSettings
from mcsvm.solvers.selection.trials.rising import Rising
from mcsvm.solvers.selection.trials.settling import DecisionWatch, decisions, watch_of
from mcsvm.solvers.selection.trials.shared import FoldRows, Matrices, SharedGram
from mcsvm.solvers.work import LEAST_ROWS, PREDICTION_ROWS, SEARCH_STEPS

CHUNK_VALUES = 10_000_000  # kernel values between two checks for a stop: 0.2 s
SEEDED = "auto"  # the only solver that is warm-started; methods of the literature start from zero, as in their papers


def along(
    rows: FoldRows,
    machine: str,
    kernel: Kernel,
    costs: Sequence[float],
    settings: TrainingSettings,
    stopped: Callable[[], bool],
    matrices: Matrices | None,
    relatives: Relatives | None = None,
) -> Iterator[FoldResult]:
    """Yield one result per cost; end early after a stop."""
    relatives = relatives or Relatives()
    base = pose(
        rows.train,
        rows.labels,
        machine=machine,
        kernel=kernel,
        cost=MACHINES[machine].problem_cost(rows.classes, 1.0),
        margin=settings.margin,
        bias=settings.bias,
        class_weight=settings.weights(rows),
        sample_weight=rows.weights,
        cache_mb=settings.cache_mb / settings.jobs,
    )
    if matrices is not None:
        base = replace(base, origin=None)  # the shared matrix is that of the rows as they are
    gram = shared_gram(base, matrices)
    method = method_for(base, gram, settings)
    run: Run | None = None
    for cost in costs:
        problem = replace(base, upper=cost * base.upper)
        if run is not None and settings.solver == SEEDED and unbounded(run):
            result = result_of(run, rows, matrices, settings, stopped)
            if result is None:
                return
            yield replace(result, seconds=0.0, steps=0, certificate=moved(run, problem))
            continue
        start = begin(run, problem, gram, relatives, stopped) if settings.solver == SEEDED else None
        if stopped():
            return
        run = Run(problem, method, settings.limits, start, gram=gram)
        watch = watch_of(run, rows, matrices, settings.until)
        while run.running:
            if not follow(run, watch, stopped):
                return
        if problem.part_count == 1:
            relatives.keep(run)
        result = result_of(run, rows, matrices, settings, stopped)
        if result is None:
            return
        yield result


def begin(
    run: Run | None, problem: Problem, gram: Gram | None, relatives: Relatives, stopped: Callable[[], bool]
) -> list[np.ndarray] | None:
    """Return the starting point with the larger dual, or None after a stop.

    Candidates are the scaled solution at the previous cost, and the solution of a related machine at this cost.
    """
    own = None if run is None else seeds(run, problem)
    found = relatives.at(problem)
    if found is None:
        return own
    part = problem.part(0, gram)
    alphas = [part.geometry.within(found, part.upper), *(own or [])]
    if len(alphas) == 1:
        return alphas
    duals = [unless(stopped, partial(certify, part, alpha)) for alpha in alphas]
    return [max(zip(alphas, duals, strict=True), key=lambda pair: dual_of(pair[1]))[0]]


def dual_of(proof: Proof | None) -> float:
    return -np.inf if proof is None else proof.certificate.dual


class Relatives:
    """The solutions of the joint machines of a task.

    Machines of equal directions and margins differ in the feasible set only. If neither set binds, as at large C, a
    solution of ww solves cs too.
    """

    def __init__(self) -> None:
        self._answers: list[tuple[Part, np.ndarray]] = []

    def keep(self, run: Run) -> None:
        if run.problem.machine.split == "joint":
            self._answers.append((run.problem.part(0), run.alphas()[0]))

    def at(self, problem: Problem) -> np.ndarray | None:
        """Return the solution of a related machine at the same cost and bias, or None."""
        if problem.machine.split != "joint":
            return None
        here = problem.part(0)
        return next((alpha for part, alpha in self._answers if related(here, part)), None)


def related(one: Part, other: Part) -> bool:
    tables = (one.form.direction, other.form.direction), (one.form.margin, other.form.margin), (one.upper, other.upper)
    apart = one.geometry is not other.geometry and one.bias == other.bias
    return apart and all(np.array_equal(left, right) for left, right in tables)


def follow(run: Run, watch: DecisionWatch | None, stopped: Callable[[], bool]) -> bool:
    """Advance the run by a slice, after which `watch` may end the run; return False after a stop."""
    sample = unless(stopped, partial(run.advance, SEARCH_STEPS if watch is None else None))
    ending = None if watch is None or sample is None else watch.settled(sample)
    if ending is not None:
        run.stop(ending)
    return sample is not None


def unbounded(run: Run) -> bool:
    """Tell whether no variable is at its upper bound, so that the solution is optimal at every larger C too."""
    part, alpha = run.problem.part(0), run.alphas()[0]
    if run.problem.machine.split != "joint" or part.balanced or run.ending is not Ending.CONVERGED:
        return False
    bounded = part.geometry.at_upper(alpha, part.upper).any()
    return not bounded and run.certificate().violation <= run.limits.tolerance


def moved(run: Run, problem: Problem) -> Certificate:
    """Return the certificate of the same alpha at another cost."""
    return certify(problem.part(0), run.alphas()[0], run.proofs()[0].products).certificate


def method_for(problem: Problem, gram: Gram | None, settings: TrainingSettings) -> str | Rising:
    """Return `Rising` for joint machines in a box with a whole kernel matrix, else the solver of the settings.

    The linear kernel is left to `auto`, which delegates to methods that store W.
    """
    kernel, boxes = problem.kernel, problem.machine.split == "joint" and problem.geometry == BOX
    wanted = settings.solver == SEEDED and boxes and problem.bias == "none"
    if wanted and isinstance(gram, SharedGram) and kernel.semidefinite and kernel.name != "linear":
        return Rising(gram)
    return settings.solver


def shared_gram(problem: Problem, matrices: Matrices | None) -> Gram | None:
    """Return the Gram of all training rows, shared by all costs; None for pairs, which have one each."""
    if problem.machine.split == "pairs":
        return None
    return problem.whole_gram() if matrices is None else SharedGram(problem.kernel, problem.points, matrices.train)


def seeds(run: Run, problem: Problem) -> list[np.ndarray]:
    """Return the solution at the previous cost, scaled to the largest dual within the new bounds (alpha seeding)."""
    widest = float(problem.upper.max() / run.problem.upper.max())
    if problem.machine.split == "pairs":
        return [alpha * widest for alpha in run.alphas()]
    found = zip(run.alphas(), run.proofs(), strict=False)
    return [
        alpha * _along(run.problem.part(number), alpha, proof, widest) for number, (alpha, proof) in enumerate(found)
    ]


def _along(part: Part, alpha: np.ndarray, proof: Proof, widest: float) -> float:
    """Return the t that maximises t linear - t^2 energy / 2 over 1 <= t <= widest."""
    linear = float(np.vdot(part.form.margin[part.labels], alpha))
    energy = 2.0 * (linear - proof.certificate.dual)
    return min(max(linear / energy, 1.0), widest) if energy > 0.0 else widest


def result_of(
    run: Run, rows: FoldRows, matrices: Matrices | None, settings: TrainingSettings, stopped: Callable[[], bool]
) -> FoldResult | None:
    """Return the result of a finished run, or None after a stop."""
    proofs = unless(stopped, run.proofs)
    if proofs is None:
        return None
    model = run.model(proofs)
    values = predict_scores(model, rows.test, stopped) if matrices is None else decisions(model, matrices)
    if values is None:
        return None
    assert run.ending is not None
    return FoldResult(
        accuracy=rows.accuracy(decide(model.machine, values, rows.classes)),
        seconds=run.seconds,
        n_support=int(model.support.size),
        steps=run.iterations,
        ending=run.ending,
        certificate=run.certificate(proofs),
        tested=Measured.of(rows, model.machine.name, values),
        values=values if settings.keep_values else None,
    )


def predict_scores(model: Model, points: Points, stopped: Callable[[], bool]) -> np.ndarray | None:
    """Return the decision values of the rows, or None after a stop; a chunk takes about 0.2 s."""
    size = int(np.clip(CHUNK_VALUES // max(model.support.size, 1), LEAST_ROWS, PREDICTION_ROWS))
    values = []
    for start in range(0, len(points), size):
        if stopped():
            return None
        values.append(model.decision(points.take(np.arange(start, min(start + size, len(points))))))
    return np.concatenate(values)


def binary_alone(machine: str, kernel: Kernel, settings: TrainingSettings) -> bool:
    """Tell whether binary.py applies: binary parts, exact bias, semidefinite kernel, `auto`, no limits but time."""
    limits = settings.limits
    return (
        MACHINES[machine].split != "joint"
        and settings.bias_of(machine, kernel) == "exact"
        and settings.solver == "auto"
        and kernel.semidefinite
        and limits.steps is None
        and limits.gap_tolerance is None
    )
