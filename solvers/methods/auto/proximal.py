"""Phase PROXIMAL: proximal steps of growing sigma over a factor of the kernel; their number hardly depends on C.

For parts with one system per class (llw, ova), this phase replaces the interior point: it takes a third of the time, as
only free variables are in its Newton systems. Once few variables are free and the violation is small, the last stage of
the homotopy finishes on the exact kernel. After several steps without progress the interior point takes over.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcsvm.solvers.budget import PROXIMAL, Budget
from mcsvm.solvers.dual.geometry import BOX
from mcsvm.solvers.factor.layout import Layout
from mcsvm.solvers.factor.normal import Columns, separable
from mcsvm.solvers.factor.pivoted import factor_of
from mcsvm.solvers.methods.auto.blocks import BlockState, Workbench
from mcsvm.solvers.methods.auto.proximal_newton import FactorStep
from mcsvm.solvers.methods.auto.splitting import move_towards
from mcsvm.solvers.methods.base import Progress, refresh
from mcsvm.solvers.methods.proximal import End
from mcsvm.solvers.problem import Part


@dataclass
class Proximal:
    """The progress of the proximal steps."""

    sigma: float = 0.0  # of the next step, in units of mean U / margin; 0 before the first step
    vain: int = 0  # steps that did not reduce the violation enough
    tried: bool = False
    settled: bool = False  # few variables are free and the violation is small


def ready(part: Part, proximal: Proximal, budget: Budget) -> bool:
    """Return whether Newton systems are small. Larger systems (segment, llw) are slower than the interior point."""
    if proximal.tried or part.geometry != BOX or not separable(part):
        return False
    narrow = factor_of(part.gram).rank <= budget.proximal_narrow * len(part)
    return narrow or Layout.of(part).slot.size <= budget.newton_most


def advance(part: Part, state: BlockState, proximal: Proximal, tolerance: float, budget: Budget) -> Progress:
    """Take one proximal step; return STALLED after too many steps without progress."""
    if proximal.sigma == 0.0:
        refresh(part, state)
        proximal.sigma, proximal.tried = budget.proximal_first, True
    bench = Workbench(part, budget)
    before = bench.look(state)
    if before <= tolerance:
        return Progress.CONVERGED
    sigma = float(proximal.sigma * part.upper.mean() / part.form.margin.max())
    columns = columns_of(part, sigma, budget, stuck=proximal.vain > 0)
    step, most = FactorStep(part, columns, state, sigma), min(PROXIMAL.steps, state.steps_left)
    trial, steps, end = step.solve(step.begin(), most)
    move_towards(part, state, np.asfortranarray(trial.alpha))
    failed = end is not End.CLOSE
    state.steps += most if failed else max(1, steps)  # a failed step counts in full: a decision comes soon
    after = bench.look(state)
    proximal.sigma *= 1.0 / budget.proximal_growth if failed else budget.proximal_growth
    proximal.vain += int(failed or after > budget.helped * before)
    proximal.settled = settled(part, state, after, budget)
    exhausted = proximal.vain > budget.vain or proximal.sigma > budget.proximal_largest
    return Progress.STALLED if exhausted and not proximal.settled else Progress.MILESTONE


def columns_of(part: Part, sigma: float, budget: Budget, *, stuck: bool) -> Columns:
    """Return the columns that sigma needs (proximal_rest); if `stuck`, they may be more than admm_columns * n."""
    factor, rank = factor_of(part.gram), budget.first_rank
    most = len(part) * (1.0 if stuck else budget.admm_columns)
    allowed = budget.proximal_rest / (sigma * max(float(part.gram.diagonal.sum()), 1e-300))
    factor.grow(part.gram, rank)
    while factor.rest_at(rank) > allowed and rank < most:
        rank += rank // 2
        factor.grow(part.gram, rank)
    if "proximal" not in part.kept:
        part.kept["proximal"] = Columns(part.gram, part.offset, exact=False, cap=len(part))
    columns: Columns = part.kept["proximal"]
    if columns.rank != min(rank, factor.rank):
        columns.use(rank)
    return columns


def settled(part: Part, state: BlockState, violation: float, budget: Budget) -> bool:
    """Return whether few variables are free and the violation is small, so that exact Newton steps can end the run."""
    free = part.geometry.free(state.alpha, part.upper)
    near = violation <= budget.proximal_near * float(part.form.margin.max())
    return near and int(np.count_nonzero(free)) <= budget.proximal_free
