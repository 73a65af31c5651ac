"""Machines fitted to a drawing, each starting from its previous solution."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from mcsvm.solvers.dual.certificate import Certificate
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.model import Model
from mcsvm.solvers.posing import pose
from mcsvm.solvers.problem import Problem
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.limits import Limits
from mcsvm.solvers.run.loop import Run
from mcsvm_gui.core.playground.drawing import Drawing
from mcsvm_gui.core.playground.fit_options import TOLERANCE, FitOptions

AT_REST = 4.0  # seconds for one machine; the certificate shows how far it came
IN_MOTION = 0.03  # seconds while points are dragged


@dataclass(frozen=True, eq=False)
class Fitted:
    """One machine on one drawing."""

    machine: str
    drawing: Drawing
    setting: FitOptions
    problem: Problem
    model: Model
    certificate: Certificate
    ending: Ending
    iterations: int
    seconds: float
    support: np.ndarray  # (n,) bool
    bounded: np.ndarray  # (n,) bool: support vectors at their bound
    alphas: list[np.ndarray]  # dual variables of every part, to start the next fit

    @cached_property
    def wrong(self) -> np.ndarray:
        """The (n,) mask of points that the machine misclassifies."""
        return self.drawing.used[self.model.predict(self.drawing.places)] != self.drawing.classes


def posed(drawing: Drawing, setting: FitOptions, machine: str) -> Problem:
    """Pose the problem; labels are positions among the used classes. Raise InputError if it cannot be trained."""
    return pose(
        drawing.places,
        np.searchsorted(drawing.used, drawing.classes),
        machine=machine,
        kernel=setting.kernel_itself(),
        cost=MACHINES[machine].problem_cost(drawing.used.size, setting.cost),
        bias=setting.bias or None,
        classes=drawing.used.size,
    )


def fit_all(
    drawing: Drawing,
    setting: FitOptions,
    before: Mapping[str, Fitted] | None = None,
    seconds: float = AT_REST,
    wanted: Callable[[], bool] = lambda: True,
) -> dict[str, Fitted]:
    """Fit all machines and return them by name; machines that are trained alike are trained once.

    When `wanted` becomes false, each fit ends with its current solution.
    """
    found: dict[str, Fitted] = {}
    for machine in setting.machines:
        twin = next((done for done in found.values() if _trained_alike(done.machine, machine)), None)
        if twin is not None:
            found[machine] = replace(twin, machine=machine, model=replace(twin.model, machine=MACHINES[machine]))
        else:
            found[machine] = fit(drawing, setting, machine, (before or {}).get(machine), seconds, wanted)
    return found


def _trained_alike(one: str, other: str) -> bool:
    """Return whether both machines are trained on pairs, as the decision graph is."""
    return MACHINES[one].split == MACHINES[other].split == "pairs"


def fit(
    drawing: Drawing,
    setting: FitOptions,
    machine: str,
    before: Fitted | None = None,
    seconds: float = AT_REST,
    wanted: Callable[[], bool] = lambda: True,
) -> Fitted:
    problem = posed(drawing, setting, machine)
    start = None if before is None else _carried_on(before, problem)
    run = Run(problem, limits=Limits(tolerance=TOLERANCE, seconds=seconds), start=start)
    while run.running:
        run.advance(look=lambda _: not wanted())
        if not wanted():
            run.stop()
    proofs = run.proofs()
    assert run.ending is not None
    support, bounded = run.supporting()
    return Fitted(
        machine=machine,
        drawing=drawing,
        setting=setting,
        problem=problem,
        model=run.model(proofs),
        certificate=run.certificate(proofs),
        ending=run.ending,
        iterations=run.iterations,
        seconds=run.seconds,
        support=support.copy(),
        bounded=bounded.copy(),
        alphas=_all_parts(run),
    )


def _all_parts(run: Run) -> list[np.ndarray]:
    """Return the dual variables of all parts, zeros for parts that have not begun."""
    problem, alphas = run.problem, [alpha.copy() for alpha in run.alphas()]
    for number in range(len(alphas), problem.part_count):
        alphas.append(np.zeros((len(problem.part(number)), problem.form.slots)))
    return alphas


def _carried_on(before: Fitted, problem: Problem) -> list[np.ndarray] | None:
    """Return the previous dual variables at the new cost: after scaling they satisfy the bounds if labels are equal.

    None under an exact bias: binary problems are solved from zero in no time, and a start is worth little if the
    balance constraint must hold.
    """
    old = before.problem
    alike = problem.bias == old.bias != "exact" and np.array_equal(old.labels, problem.labels)
    if not alike:
        return None
    ratio = float(problem.upper[0] / old.upper[0])
    return [ratio * alpha for alpha in before.alphas]
