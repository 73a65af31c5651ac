"""What is led by a factor of the kernel costs, on the scale of two-level S2DO: seconds, roughly, only to compare."""

from __future__ import annotations

import numpy as np

from solvers.factor.layout import Layout
from solvers.factor.normal import rank_cap, separable
from solvers.factor.pivoted import factor_of
from solvers.methods.auto.splitting import COARSE, STEPS
from solvers.problem import Part

FINE = 1e-9  # share of the trace that the factor lacks towards the end
ROUGH = 1e-6  # and that it may lack at its largest: more, and it is the factor of another problem
ITERATIONS = 8  # at full rank; most come before, at a smaller one
PER_OPERATION, PER_VARIABLE = 3e-11, 1.5e-6
PER_ENTRY = 3e-10  # of the triangle of a factor, in each of its rows: memory, not arithmetic
FIRST = 32  # columns
PER_PRODUCT, PER_PLACE = 1.7e-11, 2.5e-8  # of a step of splitting: single precision; each variable's share of the rest
FEW = 1 / 3  # columns per example, at most: with more, blocks are better


def of_rank(part: Part, rank: int) -> float:
    """All iterations at this rank."""
    layout, n, outputs = Layout(part), len(part), part.form.outputs
    if separable(layout):
        operations = outputs * (n * rank**2 + 2.0 * rank**3)
    else:
        count = max(1, outputs - 1)
        operations = 0.5 * count * (count + 1) * n * rank**2 + (count * rank) ** 3 / 3.0
    return ITERATIONS * (PER_OPERATION * operations + PER_VARIABLE * layout.slot.size)


def least(part: Part) -> float:
    """At the smallest rank there may be, before it is known."""
    return of_rank(part, FIRST)


def interior(part: Part, affordable: float) -> float:
    """At the rank that the kernel turns out to have, or the first that is too dear: no more of it is computed."""
    factor, cap = factor_of(part.gram), min(rank_cap(Layout(part)), len(part))
    rank = FIRST
    while True:
        factor.grow(part.gram, min(rank, cap))
        here = min(rank, cap, factor.rank)  # others may have grown it beyond the cap
        asked = of_rank(part, here) + PER_ENTRY * len(part) * here**2
        if asked > affordable:
            return asked
        if factor.rest_at(here) <= FINE:
            return asked
        if here == cap:
            return asked if factor.rest_at(here) <= ROUGH else np.inf
        rank += rank // 2


def burst(part: Part, rank: int) -> float:
    """Of operator splitting, once it is prepared."""
    n, outputs = len(part), part.form.outputs
    return STEPS * n * outputs * (4.0 * PER_PRODUCT * rank + PER_PLACE)


def splitting(part: Part, rho: float, affordable: float) -> tuple[float, int]:
    """Of the first burst with its preparation, and the columns that rho asks for; or the first price too dear."""
    factor, n = factor_of(part.gram), len(part)
    allowed, rank = COARSE * rho / max(float(part.gram.diagonal.sum()), 1e-300), FIRST
    while True:
        factor.grow(part.gram, rank)
        rank = min(rank, factor.rank)
        asked = burst(part, rank) + (PER_ENTRY + 3.0 * PER_OPERATION) * n * rank**2
        if not factor.rest_at(rank) > allowed or asked > affordable:
            return asked, rank
        if rank > FEW * n:
            return np.inf, rank
        rank += rank // 2
