"""The content of one panel of the playground, ready to be painted: a fitted machine, or a solver on its way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.trace import Sample
from mcsvm.solvers.work import limited
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.machine import summary
from mcsvm_gui.core.machine.session import certificate_document
from mcsvm_gui.core.machine.state import claim
from mcsvm_gui.core.machine.summary import Badge
from mcsvm_gui.core.playground.drawing import Drawing
from mcsvm_gui.core.playground.fit_options import TOLERANCE, FitOptions
from mcsvm_gui.core.playground.fitting import AT_REST, Fitted, fit_all
from mcsvm_gui.core.playground.regions import regions
from mcsvm_gui.core.playground.steps import Update, Walk, rivals

COARSE = 3  # width in screen pixels of a pixel in an outdated picture
TOLD = 2  # updates of a step that are described in full


@dataclass(frozen=True, eq=False)
class Picture:
    key: str  # machine or solver
    title: str
    codes: np.ndarray  # (side, side) uint8, see regions.py
    support: np.ndarray  # (n,) bool, as the next two
    bounded: np.ndarray
    wrong: np.ndarray
    badge: Badge
    lines: tuple[str, ...]
    drawing: Drawing  # the drawing of the picture; the current one may differ
    working: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))  # points of the last step
    steps: np.ndarray = field(default_factory=lambda: np.empty(0))  # the solver's own trace
    dual: np.ndarray = field(default_factory=lambda: np.empty(0))
    running: bool = False  # more time would improve it


def refit(
    drawing: Drawing,
    setting: FitOptions,
    side: int,
    before: Mapping[str, Fitted] | None = None,
    seconds: float = AT_REST,
    wanted: Callable[[], bool] = lambda: True,
) -> tuple[dict[str, Fitted], tuple[Picture, ...]]:
    """Fit all machines; return the fits to start from, and one picture per machine, coarse if no longer wanted."""
    with limited(None):
        found = fit_all(drawing, setting, before, seconds, wanted)
        return found, tuple(
            of_machine(fitted, side if wanted() else max(1, side // COARSE)) for fitted in found.values()
        )


def of_machine(fitted: Fitted, side: int) -> Picture:
    machine, certificate = MACHINES[fitted.machine], fitted.certificate
    plain, kernel = certificate_document(certificate), fitted.setting.kernel
    return Picture(
        key=fitted.machine,
        title=tr(machine.title),
        codes=regions(fitted.model, fitted.problem, fitted.drawing.used, side).codes(),
        support=fitted.support,
        bounded=fitted.bounded,
        wrong=fitted.wrong,
        badge=summary.badge_of_claim(claim(fitted.ending.value, plain, kernel), plain, TOLERANCE),
        lines=(_objective(certificate.primal, certificate.dual), _counts(fitted)),
        drawing=fitted.drawing,
        running=fitted.ending is Ending.TIME_LIMIT,
    )


def _objective(primal: float, dual: float) -> str:
    return tr("primal {primal}, dual {dual}", primal=figures.objective(primal), dual=figures.objective(dual))


def _counts(fitted: Fitted) -> str:
    free = int((fitted.support & ~fitted.bounded).sum())
    return tr(
        "{free} free, {bounded} bounded, {wrong} wrong",
        free=figures.count(free),
        bounded=figures.count(int(fitted.bounded.sum())),
        wrong=figures.count(int(fitted.wrong.sum())),
    )


# -- step by step ---------------------------------------------------------------------------------


def of_walk(walk: Walk, side: int) -> Picture:
    """Return the picture of a solver's current state, by its running numbers."""
    with limited(None):
        run, drawing = walk.run, walk.drawing
        model, (support, bounded) = run.running_model(), run.supporting()
        sample = run.sample()
        trace = run.trace.table() if len(run.trace) else {"iteration": np.empty(0), "dual": np.empty(0)}
        return Picture(
            key=walk.solver,
            title=_solver_title(walk.solver),
            codes=regions(model, walk.problem, drawing.used, side).codes(),
            support=support.copy(),
            bounded=bounded.copy(),
            wrong=np.zeros(len(drawing), dtype=bool),  # nearly all at first: crosses would hide the steps
            badge=_walk_badge(walk, sample),
            lines=(_objective(sample.primal, sample.dual), *step_lines(walk)),
            drawing=drawing,
            working=np.unique(np.array([update.point for update in walk.updates], dtype=np.int64)),
            steps=np.concatenate([[0.0], trace["iteration"]]),
            dual=np.concatenate([[0.0], trace["dual"]]),
            running=walk.running,
        )


def _solver_title(solver: str) -> str:
    return {"smo": tr("SMO"), "s2do": tr("S2DO"), "fw": tr("Frank-Wolfe")}.get(solver, solver)


def _walk_badge(walk: Walk, sample: Sample) -> Badge:
    steps, gap = figures.count(sample.iteration), figures.gap(max(sample.relative_gap, 0.0))
    if not walk.running:
        return Badge("solved", tr("Done after {steps} steps", steps=steps))
    return Badge("running", tr("Step {step}, gap {gap}", step=steps, gap=gap))


def step_lines(walk: Walk) -> list[str]:
    """Describe the working set of the last step: points, variables, changes and gradients."""
    if not walk.updates:
        return [tr("Last steps not taken one by one.") if walk.run.iterations else tr("No step taken yet.")]
    words = [_update_text(walk, update) for update in walk.updates[:TOLD]]
    rest = len(walk.updates) - TOLD
    if rest > 0:
        words.append(tr("and {count} more variables", count=figures.count(rest)))
    return words


def _update_text(walk: Walk, update: Update) -> str:
    own, other = rivals(walk.problem, update)
    names = {
        "point": figures.count(update.point + 1),
        "own": int(walk.drawing.used[own]) + 1,
        "gradient": figures.number(update.gradient),
        "step": figures.number(update.change, signed=True),
    }
    if other is None:
        return tr("point {point}, {own} against all: gradient {gradient}, step {step}", **names)
    against = int(walk.drawing.used[other]) + 1
    return tr("point {point}, {own} against {other}: gradient {gradient}, step {step}", other=against, **names)
