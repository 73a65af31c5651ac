"""All prices and thresholds that `auto` decides by, in one record.

A price is in seconds on the machine that the record was measured on; only ratios of prices decide anything, so no
clock does. `python -m tests.benchmarks.calibrate` measures the prices where it runs and prints the record. What each
phase is worth, `tests/benchmarks/bench_ablation.py` shows: a phase that is left out of `phases` never runs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class Phase(Enum):
    """What `auto` is doing; the value is the word in `decisions_`."""

    BLOCKS = "blocks"  # two-level S2DO with Newton steps on the free variables
    SPLITTING = "splitting"  # a burst of ADMM steps between blocks
    HOMOTOPY = "homotopy"  # from a small cost to the one asked for
    PROXIMAL = "proximal"  # proximal steps of growing sigma
    INTERIOR = "interior"  # interior point over a factor of the kernel
    FINISHING = "finishing"  # dense systems on the exact kernel, after the interior point


@dataclass(frozen=True)
class Budget:
    """Prices are named `..._price`, the rest are thresholds; "s" is seconds."""

    phases: frozenset[Phase] = field(default_factory=lambda: frozenset(Phase))

    # blocks
    round_price: float = 1.2e-4  # s of a round of blocks: Python and passes over all variables; calibrate.py
    step_price: float = 2.5e-7  # s of a pair step in a block of about 250 variables; calibrate.py
    full_step_price: float = 7e-7  # s of a pair step in a full block, which hard problems are made of; calibrate.py
    short_rounds: int = 4  # rounds in a row that ran out of pair steps before a Newton step on all free variables
    newton_pair_price: float = 6e-8  # s per pair of variables of a Newton step: kernel values and products
    newton_cube_price: float = 2.1e-10  # s per cubed variable of a Newton step: Cholesky factors
    newton_most: int = 4000  # variables of a Newton step; 4000^2 numbers are 128 MB, a factor takes 1.5 s
    refresh_fall: float = 1e-3  # fall of the violation after which float32 rows hide what is left: functions anew
    refresh_until: float = 30.0  # tolerances; nearer than these the confirmation recomputes the functions anyway
    stuck_fall: float = 0.99  # of the least violation, which counts as progress
    stuck_steps: int = 200_000  # steps without progress, at least, before a run counts as stalled
    stuck_steps_each: int = 1000  # the same for each variable

    # deciding
    decide_first: int = 256  # steps to the first decision, and between two at the least
    decide_share: int = 16  # decisions are 1/16 of all steps apart, so that they cost nothing,
    decide_most: int = 4096  # and never farther apart than this
    vain_claims: int = 5  # claims of convergence by float32 rows refuted in a row: exact systems take over
    vain_steps: int = 50  # claims farther apart than these steps do not count as in a row
    interior_race: bool = True  # whether it may take over by price, not only where blocks stall
    interior_growth: float = 2.0  # growth of what is spent before the interior point is asked for its price again
    interior_haste: float = 4.0  # how much sooner it is worth its price where the violation exceeds that of alpha = 0
    interior_patience: float = 2.0  # how much later where ADMM leads the blocks: its points cost it more iterations

    # interior point
    interior_iterations: int = 8  # at full rank; most come before, at a smaller rank
    operation_price: float = 3e-11  # s of a floating-point operation in products and factors of V; calibrate.py
    variable_price: float = 1.5e-6  # s of a variable in an iteration; calibrate.py
    entry_price: float = 3e-10  # s of an entry of the factor's triangle, in each of its rows: memory traffic
    first_rank: int = 32  # columns of the factor when a price is first asked for
    fine_rest: float = 1e-9  # share of the trace that the factor may lack towards the end
    rough_rest: float = 1e-6  # the same at the largest rank allowed: beyond it, it is the factor of another problem

    # ADMM
    admm_product_price: float = 1.7e-11  # s per row, column and output of a step, in single precision; calibrate.py
    admm_variable_price: float = 2.5e-8  # s per row and output of a step; calibrate.py
    admm_columns: float = 1 / 3  # columns per example, at most: with more, blocks are cheaper
    admm_pause: float = 0.05  # of a burst's price, between two looks at how fast blocks go
    admm_slower: float = 1.5  # growth of that pause while blocks do well
    admm_helped: float = 0.7  # of the violation before the last burst: with more left it did not help,
    admm_later: float = 8.0  # and the next pauses are so much longer

    # homotopy in C
    homotopy_start_price: float = 0.05  # s of the first cost; page-blocks and vehicle, C = 2^8 to 2^20
    homotopy_stage_price: float = 0.04  # s of each further cost
    homotopy_first: float = 128.0  # cost times curvature over margin up to which pair steps do well
    homotopy_factor: float = 4.0  # from one cost to the next
    homotopy_loose: float = 0.3  # violation, as a share of the margin, at which to go on to the next cost
    homotopy_rounds: int = 80  # at one cost, until it is given up
    homotopy_least: int = 50  # variables at a bound that join a round, at the least,
    homotopy_share: float = 0.3  # and as a share of the free ones

    # proximal steps
    proximal_narrow: float = 1 / 8  # columns per example, at most, unless all variables fit one Newton step
    proximal_near: float = 0.01  # violation, as a share of the margin, from which exact rounds end it
    proximal_free: int = 800  # free variables, at most, for these rounds
    proximal_helped: float = 0.9  # of the violation before: a step that leaves more was in vain
    proximal_vain: int = 8  # steps in vain until it is given up

    # after the interior point
    finishing_helped: float = 0.9  # of the least violation: a dense system that leaves more was in vain
    finishing_vain: int = 8  # such systems until blocks go on


BUDGET = Budget()


def next_decision(steps: int, budget: Budget = BUDGET) -> int:
    """The step count at which to decide next; it follows from steps alone."""
    return steps + min(max(budget.decide_first, steps // budget.decide_share), budget.decide_most)
