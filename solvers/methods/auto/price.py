"""Prices of phases on a part, in seconds of the budget, computed from counts of operations without a clock."""

from __future__ import annotations

from mcsvm.solvers.budget import Budget
from mcsvm.solvers.factor.layout import Layout
from mcsvm.solvers.factor.normal import rank_cap, separable
from mcsvm.solvers.factor.pivoted import factor_of
from mcsvm.solvers.problem import Part


def newton(variables: int, budget: Budget) -> float:
    """Return the price of a Newton step on this number of variables: kernel values, factors, products."""
    return budget.newton_pair_price * variables**2 + budget.newton_cube_price * variables**3


def interior_at(part: Part, rank: int, budget: Budget) -> float:
    """Return the price of all iterations of the interior point at this rank, without the factor."""
    layout, n, outputs = Layout.of(part), len(part), part.form.outputs
    if separable(part):
        operations = outputs * (n * rank**2 + 2.0 * rank**3)
    else:
        count = max(1, outputs - 1)
        operations = 0.5 * count * (count + 1) * n * rank**2 + (count * rank) ** 3 / 3.0
    return budget.interior_iterations * (budget.operation_price * operations + budget.variable_price * layout.slot.size)


def interior(part: Part, affordable: float, budget: Budget) -> float:
    """Return the price of the interior point with its factor.

    The factor grows until it is fine enough or the price exceeds `affordable`.
    """
    factor, cap = factor_of(part.gram), min(rank_cap(part), len(part))
    rank = budget.first_rank
    while True:
        factor.grow(part.gram, min(rank, cap))
        here = min(rank, cap, factor.rank)  # another phase may have grown the factor beyond the cap
        asked = interior_at(part, here, budget) + budget.entry_price * len(part) * here**2
        if asked > affordable or factor.rest_at(here) <= budget.fine_rest:
            return asked
        if here == cap:
            return asked if factor.rest_at(here) <= budget.rough_rest else float("inf")
        rank += rank // 2


def burst(part: Part, rank: int, budget: Budget) -> float:
    """Return the price of a burst of ADMM steps, without its preparation."""
    n, outputs = len(part), part.form.outputs
    return budget.admm_steps * n * outputs * (4.0 * budget.admm_product_price * rank + budget.admm_variable_price)


def first_burst(part: Part, rho: float, affordable: float, budget: Budget) -> tuple[float, int]:
    """Return (price of the first burst with its preparation, columns of its factor).

    The factor grows until it lacks at most admm_rest * rho or the price exceeds `affordable`.
    """
    factor, n = factor_of(part.gram), len(part)
    allowed, rank = budget.admm_rest * rho / max(float(part.gram.diagonal.sum()), 1e-300), budget.first_rank
    while True:
        factor.grow(part.gram, rank)
        rank = min(rank, factor.rank)
        asked = burst(part, rank, budget) + (budget.entry_price + 3.0 * budget.operation_price) * n * rank**2
        if not factor.rest_at(rank) > allowed or asked > affordable:
            return asked, rank
        if rank > budget.admm_columns * n or rank >= factor.most:
            return float("inf"), rank
        rank += rank // 2
