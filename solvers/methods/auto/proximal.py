"""Proximal steps of growing sigma, where the kernel's rank is small: as good as nothing of their number depends on C.

They take over where pair steps have cost what an interior point would, for machines of one system per class (llw, ova):
a third of its time, as only free variables are in their systems. Towards the end rounds of climbing, at the full cost,
solve for these on the exact kernel. Where Newton steps fail again and again, the interior point is left.
"""

from __future__ import annotations

import numpy as np

from solvers.factor.layout import Layout
from solvers.factor.normal import Columns, separable
from solvers.factor.pivoted import factor_of
from solvers.methods.auto import blocks as two_level
from solvers.methods.auto import homotopy as climb
from solvers.methods.auto import price
from solvers.methods.auto.proximal_newton import NEWTON_STEPS, ProximalStep
from solvers.methods.auto.splitting import towards
from solvers.methods.base import Progress, State, refresh
from solvers.problem import Part

FIRST, GROWTH, LARGEST = 0.06, 4.0, 1e5  # sigma, in units of the cost over the margin
COARSE = 0.1  # trace that the factor may lack, times sigma
NARROW = 1 / 8  # columns per example, at most, unless all variables could be solved for together
NEAR, TOGETHER = 0.01, 800  # violation, as a share of the margin, and free variables, at most, when it has settled
HELPED, VAIN = 0.9, 8  # what is left of the violation where a step did well; steps that did not, at most
BEFORE, AFTER = 0.0, -1.0


def start() -> np.ndarray:
    """sigma, or BEFORE or AFTER; steps in vain."""
    return np.array([BEFORE, 0.0])


def stepping(state: State) -> bool:
    return bool(state.memory["proximal"][0] > 0.0)


def due(part: Part, state: State) -> bool:
    """Where Newton systems are small; others (segment, llw) are left to the interior point."""
    if state.memory["proximal"][0] != BEFORE or part.balanced or not separable(Layout(part)):
        return False
    return factor_of(part.gram).rank <= NARROW * len(part) or Layout(part).slot.size <= two_level.POLISHED


def begin(part: Part, state: State) -> None:
    refresh(part, state)
    state.memory["proximal"][:] = FIRST, 0.0


def advance(part: Part, state: State, tolerance: float) -> Progress:
    """One proximal step; where it has settled rounds of climbing end it, where it leads nowhere it is over."""
    memory, bench = state.memory["proximal"], two_level.Workbench(part)
    before = bench.look(state)
    if before <= tolerance:
        return Progress.CONVERGED
    sigma = float(memory[0] * part.upper.mean() / part.form.margin.max())
    alpha, steps = ProximalStep(part, columns_of(part, sigma, memory[1] > 0.0), state, sigma).solve()
    towards(part, state, np.asfortranarray(alpha))
    state.steps += max(1, steps)
    after, failed = bench.look(state), steps >= NEWTON_STEPS
    memory[0] *= 1.0 / GROWTH if failed else GROWTH
    memory[1] += failed or after > HELPED * before
    if settled(part, state, after):
        climb.stand(state, 1.0)
    if climb.climbing(state) or memory[1] > VAIN or memory[0] > LARGEST:
        memory[0] = AFTER
    return Progress.MOVING


def columns_of(part: Part, sigma: float, stuck: bool) -> Columns:
    """As many as sigma asks for; only where steps were in vain more than a share of the examples."""
    factor, rank, most = factor_of(part.gram), price.FIRST, len(part) * (1.0 if stuck else price.FEW)
    allowed = COARSE / (sigma * max(float(part.gram.diagonal.sum()), 1e-300))
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


def settled(part: Part, state: State, violation: float) -> bool:
    """Whether what is free may be solved for on the exact kernel, with few that change sides."""
    free = (state.alpha > 0.0) & (state.alpha < part.upper[:, None])
    return violation <= NEAR * float(part.form.margin.max()) and int(np.count_nonzero(free)) <= TOGETHER
