"""Every number of solvers that can be tuned: prices, thresholds and patiences, a record for each owner.

A comment says the unit, what the number bounds and what was measured; one without a measurement was chosen when its
method was written, and several values around it do alike. What cannot be tuned stands elsewhere: rounding in
jit/rounding.py, sizes of pieces of work in work.py.

`auto` decides by `Budget` alone. A price is in seconds on the machine that the record was measured on; only ratios of
prices decide anything, so no clock does. `python -m tests.benchmarks.calibrate` measures the prices where it runs and
prints the record. What each phase is worth, `tests/benchmarks/bench_ablation.py` shows: a phase that is left out of
`phases` never runs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple


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
    """Of `auto`. Prices are named `..._price`, the rest are thresholds; "s" is seconds."""

    phases: frozenset[Phase] = field(default_factory=lambda: frozenset(Phase))

    # blocks
    block_examples: int = 128  # of a block
    block_variables: int = 768  # of a block, at most
    block_patience: int = 3  # pair steps per variable of a block, at most
    sum_patience: int = 8  # the same where pairs are within an example: such steps are cheap
    round_price: float = 1.2e-4  # s of a round of blocks: Python and passes over all variables; calibrate.py
    step_price: float = 2.5e-7  # s of a pair step in a block of about 250 variables; calibrate.py
    full_step_price: float = 7e-7  # s of a pair step in a full block, which hard problems are made of; calibrate.py
    short_rounds: int = 4  # rounds in a row that ran out of pair steps before a Newton step on all free variables
    newton_pair_price: float = 6e-8  # s per pair of variables of a Newton step: kernel values and products
    newton_cube_price: float = 2.1e-10  # s per cubed variable of a Newton step: Cholesky factors
    newton_pair_bytes: int = 20  # memory of a Newton step per pair of variables: 20.5 measured at 2500 and 4000
    newton_turns: tuple[int, int] = (3, 40)  # Newton steps with pair steps: before and after a dense interior point
    newton_bytes: int = 1 << 26  # that a Newton step may always have; beyond, what kernel rows can make way for
    newton_most: int = 4000  # variables of a Newton step; 4000^2 numbers are 128 MB, a factor takes 1.5 s
    refresh_fall: float = 1e-3  # fall of the violation after which float32 rows hide what is left: functions anew
    refresh_until: float = 30.0  # tolerances; nearer than these the confirmation recomputes the functions anyway
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
    admm_steps: int = 100  # of one burst
    admm_relaxation: float = 1.7  # over-relaxation, Boyd et al. 2011, section 3.4.3
    admm_stiffness: float = 0.2  # rho, in units of |functions| / |weights|
    admm_rest: float = 2.0  # trace of K that the factor may lack, in units of rho
    admm_product_price: float = 1.7e-11  # s per row, column and output of a step, in single precision; calibrate.py
    admm_variable_price: float = 2.5e-8  # s per row and output of a step; calibrate.py
    admm_columns: float = 1 / 3  # columns per example, at most: with more, blocks are cheaper
    admm_pause: float = 0.05  # of a burst's price, between two looks at how fast blocks go
    admm_later: float = 8.0  # growth of that pause after a burst that did not help

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
    proximal_first: float = 0.06  # sigma of the first step, in units of the cost over the margin
    proximal_growth: float = 4.0  # from one sigma to the next
    proximal_largest: float = 1e5  # sigma at which it is given up
    proximal_rest: float = 0.1  # trace of K that the factor may lack, times sigma
    proximal_narrow: float = 1 / 8  # columns per example, at most, unless all variables fit one Newton step
    proximal_near: float = 0.01  # violation, as a share of the margin, from which exact rounds end it
    proximal_free: int = 800  # free variables, at most, for these rounds

    # progress
    helped: float = 0.9  # share of the violation before, which a phase or burst must reach to count as progress
    vain: int = 8  # proximal steps, or dense systems after the interior point, without progress until they end


@dataclass(frozen=True)
class InnerBudget:
    """Of problems within problems: blocks, working sets, chunks, faces."""

    share: float = 0.1  # of the violation outside, to which they are solved: the next one sees the rest
    newton_share: float = 0.25  # of the tolerance, to which a face is solved: it is the last problem


@dataclass(frozen=True)
class ProximalBudget:
    """Of the Newton steps in one proximal step (methods/proximal.py)."""

    steps: int = 60  # at most; over a factor none of 18 rows of table 3 and bench_speed took more than 40
    close: float = 0.05  # distance of the class functions at the end, in units of max |alpha - anchor| / sigma
    tries: int = 20  # step sizes of one line search, at most
    flat: float = 0.3  # share of the first slope that may be left where a line search ends
    farthest: float = 10.0  # growth of a step size in W: a free bias without curvature may be far away


@dataclass(frozen=True)
class DenseBudget:
    """Of small dense systems (dense/)."""

    clear: float = 1e-5  # mean complementarity, in units of goal * bound, at which the active set is clear
    halvings: int = 8  # of a Newton step that leaves the feasible set, at most


@dataclass(frozen=True)
class FactorBudget:
    """Of the pivoted Cholesky factor K ~ V V' and systems over it (factor/)."""

    least: int = 16  # columns that it may always have
    memory: float = 0.5  # of the bytes that a Gram may keep, at most: the rows of K have the same again
    negligible: float = 1e-6  # share of all columns' weight: an example's columns below it are left out
    separate: int = 800  # columns, at most, where systems are solved class by class: 5 MB and 7 ms a factor
    together: int = 4000  # order, at most, of the one system for all classes: 128 MB, 0.4 s a factor


@dataclass(frozen=True)
class PathBudget:
    """Of the interior points: low-rank (factor/path.py, methods/interior.py) and, the first three, dense."""

    iterations: int = 100  # at most
    boundary: float = 0.995  # of the longest feasible step; dense: 0.98 of the CPU time of 0.99 (13 rows of table 3)
    shortest: float = 1e-6  # step size below which the path is blocked
    bearable: float = 0.1  # error of a Newton system, in dual residuals or in what the gap allows: rounding beyond
    rest: float = 0.1  # error of the class functions that the factor may have, in dual residuals
    corrections: int = 3  # centrality corrections, as long as they lengthen the step
    longer: tuple[float, float] = (1.5, 0.3)  # step size that a correction aims at: this times the one before, and more
    gained: float = 0.1  # share of that growth which a correction must bring
    band: float = 0.1  # products between this share of the centre and its inverse are left as they are
    clear: float = 1e-8  # mean complementarity, in units of tolerance * U, at which the path ends


@dataclass(frozen=True)
class LinearBudget:
    """Of the methods for linear kernels (methods/linear/); prices in seconds, which only compare and cut."""

    many: int = 20_000  # examples from which a kernel row costs more than reading one example's features may save
    thin: float = 0.02  # stored features of a row, as a share of the examples, up to which reading beats a kernel row
    dense: int = 1600  # unknowns up to which a Newton system is factored

    # coordinate steps
    round_visits: int = 16  # visits per example of a round
    set_variables: int = 30  # of a working set (Kao et al. 2004, section 5: q = 30)
    set_patience: int = 20  # steps per variable of a working set, at most
    stricter: float = 0.7  # factor on the tolerance after a claim that recomputed functions refute
    stored_price: float = 1.2e-9  # of a stored feature
    class_price: float = 3e-8  # of a class function
    visit_price: float = 1.5e-7  # of a visit, several class functions
    sum_price: float = 1.3e-7  # of a visit, bounded sums: most variables are shrunk
    sum_stored_price: float = 8e-9  # of a stored feature there

    # Newton steps
    first: float = 1.0  # sigma of the first proximal step, in units of the mean cost
    growth: float = 4.0  # from one sigma to the next
    largest: float = 1e8  # sigma, at most
    doubt: float = 0.3  # factor on the tolerance for each claim that was refuted,
    strictest: float = 1e-4  # and the least in all
    close: float = 0.1  # share of the tolerance to which functions follow alpha,
    closer: float = 0.1  # and the factor on it after a step in vain
    loss: float = 1e-3  # share of the dual begun with that the first step may cost
    level: float = 1e-3  # share of sum(alpha) by which the balance may be missed: repairing it costs little dual
    vain: int = 6  # proximal steps without a rise of the dual before it stalls
    expected: int = 20  # Newton steps; coordinate steps may cost half of them first
    gradient_rounds: int = 400  # of conjugate gradients, at most
    gradient_left: float = 1e-3  # share of the residual that these may leave
    newton_price: float = 3e-4  # of a Newton step
    unknown_price: float = 1e-10  # of a cubed unknown
    one_price: tuple[float, float] = (4e-8, 4e-9)  # of an example and of its stored feature, one class function
    all_price: tuple[float, float] = (1e-8, 1e-9)  # the same per class function, several


@dataclass(frozen=True)
class FrankWolfeBudget:
    whole: int = 512  # examples up to which everything is one chunk
    examples: int = 192  # of a chunk otherwise
    variables: int = 5_000  # of a chunk, at most: with very many classes it has fewer examples
    in_turn: int = 4  # one in so many examples of a chunk is chosen in turn
    round_steps: int = 64  # of a round, at most; a correction once begun may end it later
    correction_steps: int = 400  # of one correction, at most


@dataclass(frozen=True)
class LasvmBudget:
    candidates: int = 50  # drawn; the best of them is with 95 % among the best 6 % of all
    one_class: int = 10  # examples of one class kept while there is none of the other to pair them with
    quiet_passes: int = 3  # without a rise of the dual: no step improves any more
    finishing: int = 10  # steps among the examples kept, per new row and machine, that finishing a portion may take


@dataclass(frozen=True)
class SequentialBudget:
    period: int = 1000  # steps between two shrinkings, or n where that is less (LIBSVM does the same)
    near: float = 10.0  # tolerances: at this violation everything is unshrunk once (LIBSVM does the same)
    batch: int = 32  # kernel rows computed in one block: the one wanted and those of the most violating examples
    full_batch: int = 4  # the same where the row store is full, so that rows must be evicted for them
    set_patience: int = 1000  # pair steps per variable of a working set of bsvm, at most
    quiet_steps: int = 100_000  # without a rise of the dual: no step improves any more


@dataclass(frozen=True)
class LoopBudget:
    """Of the loop (run/): what follows a claim of convergence, or a move of b, that does not hold."""

    most: int = 60  # claims, or moves of b, in a row that may fail to get nearer
    nearer: float = 0.9  # of the violation before, which counts as nearer
    tightest: float = 0.01  # least and
    loosest: float = 0.5  # largest factor on the tolerance where the gap asks for more than the violation
    multiplier: float = 8.0  # sigma of the method of multipliers: large, few rounds; small, well-conditioned problems.
    # 1 to 64 differ little
    begin: float = 1e-2  # tolerance of the first inner problem; later ones follow the moves of b,
    follow: float = 0.1  # to this share of them,
    strictest: float = 1e-4  # and to this share of the tolerance at the least
    look: float = 10.0  # tolerances: where b moves less, the repaired alpha may already be within the tolerance


class TwoClassBudget(NamedTuple):
    """Of binary machines with exact bias in searches (jit/two_class.py, which takes it as an argument)."""

    block: int = 512  # variables of a block, at most
    patience: int = 5  # pair steps per variable of a block, at most; if they run out, Newton steps on the face follow
    face: int = 256  # free variables of a Newton step, at most: its cost grows with their cube
    turns: int = 8  # Newton steps in a row, each on a face smaller by the variable that met its bound
    # Claims of convergence that recomputed functions may refute, and blocks without a step, before it is stalled;
    # and blocks without progress before Newton steps on the face: 4 of 6000 random machines stalled without these.
    disproved: int = 20
    near: float = 10.0  # times the tolerance: where steps in single precision may go round in circles
    progress: float = 0.9  # share of the least violation so far, below which a violation counts as progress
    rounds: int = 400  # blocks near the tolerance without progress after which it is stalled; 1 of 6000 never ended
    share: float = InnerBudget.share


class VisitsBudget(NamedTuple):
    """Of visits of examples (jit/linear/, which takes it as an argument)."""

    passes: int = 4  # over the variables of an example in one visit, at most
    narrow: int = 4  # active variables up to which their functions are read one by one, else all in one go
    fall: float = 0.2  # factor on the threshold from one unshrinking to the next
    share: float = InnerBudget.share


@dataclass(frozen=True)
class RisingBudget:
    """Of proximal steps in searches (selection/rising.py)."""

    # The first sigma is `first`, in units of the cost, times clip((light / free variables)^power, 1, raised). Where few
    # variables are free, a small sigma would free many more; where many are, a small one takes fewer Newton steps.
    first: float = 30.0
    light: float = 1200.0
    power: int = 3
    raised: float = 30.0
    growth: float = 3.0  # from one sigma to the next
    close: float = 0.1  # distance of the class functions at the end, in |x - centre| / sigma or tolerances
    refinements: int = 3  # of the solution of a Newton system, at most
    sharp: float = 1e-9  # residual at which they end, as a share of the right side
    patience: int = 200  # Newton steps at one cost, at most; then `auto` takes over
    pairs: int = 3000  # pair steps between two decisions whether Newton steps are due
    usual: int = 15  # Newton steps at one cost, for their price, each with
    variable_price: float = 1e-7  # s of a variable: passes over all of them,
    product_price: float = 4e-10  # s of an example and free variable: products with K,
    cube_price: float = 8e-12  # s of a cubed free variable: the factor


@dataclass(frozen=True)
class ProofBudget:
    """Of certificates (dual/)."""

    balance_rounds: int = 50  # of moves that make the weights sum to zero
    programme_hinges: int = 20_000  # hinges up to which the primal is minimised over b by a linear programme
    support_rows: int = 400  # support vectors whose kernel matrix is tested for negative eigenvalues


@dataclass(frozen=True)
class SearchBudget:
    """Of searches for C and gamma (selection/)."""

    widest: int = 4  # grid steps between the first cells of coarse-to-fine
    # Rungs of successive halving: (share of the training rows, share of the cells that are kept for the next rung).
    # Kept at a third of the rows: a third of the cells cost optdigits 0.57 and satimage 0.30 of the grid's time
    # (ovo, 64 cells), since each gamma of a finalist needs its whole kernel matrix; a ninth loses nothing there.
    rungs: tuple[tuple[float, float], ...] = ((1 / 9, 1 / 3), (1 / 3, 1 / 9), (1.0, 1.0))
    least: int = 3  # cells of each machine that are kept at least
    per_class: float = 25.0  # rows of a class that a rung leaves at least, on average: fewer tell too little
    apart: float = 1 / 8  # share of a factor's variables that may have come or gone where it is reused,
    worth: int = 400  # if it has so many: a smaller one is made anew as fast


BUDGET, INNER, PROXIMAL, DENSE = Budget(), InnerBudget(), ProximalBudget(), DenseBudget()
FACTOR, PATH, LINEAR, FRANK_WOLFE = FactorBudget(), PathBudget(), LinearBudget(), FrankWolfeBudget()
LASVM, SEQUENTIAL, LOOP = LasvmBudget(), SequentialBudget(), LoopBudget()
PROOF, SEARCH = ProofBudget(), SearchBudget()
RISING, TWO_CLASS, VISITS = RisingBudget(), TwoClassBudget(), VisitsBudget()


def next_decision(steps: int, budget: Budget = BUDGET) -> int:
    """The step count at which to decide next; it follows from steps alone."""
    return steps + min(max(budget.decide_first, steps // budget.decide_share), budget.decide_most)
