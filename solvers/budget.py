"""Every number of solvers that can be tuned: prices, thresholds and patiences, in one record for each owner.

A comment gives the unit, the quantity that the number bounds, and the measurement that set it. If a comment names no
measurement, paper or program, the number was not measured: it is the value with which its method was written.
"Insensitive": half and twice the value change the steps of none of 41 rows (of table 3 and costs up to 2^20, at a
violation of 1e-3 and a relative gap of 1e-6), some of which never use the number. Times are those of rows whose steps
change, and differences of 0.15 are noise. Numbers that cannot be tuned are elsewhere: rounding in jit/rounding.py,
sizes of pieces of work in work.py.

`auto` decides by `Budget` alone. A price is in seconds on the machine on which the record was measured. Only ratios of
prices decide, so no clock does. `python -m tests.benchmarks.calibrate` measures the prices on its machine and prints
the record. `tests/benchmarks/bench_ablation.py` shows the benefit of each phase: a phase that is not in `phases` never
runs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple


class Phase(Enum):
    """The phases of `auto`; the value is the word in `decisions_`."""

    SHRUNK = "shrunk"  # blocks on the examples near their margins, with kernel rows of their columns
    BLOCKS = "blocks"  # two-level S2DO with Newton steps on the free variables
    SPLITTING = "splitting"  # a burst of ADMM steps, followed by blocks
    HOMOTOPY = "homotopy"  # from a small C to that of the problem
    PROXIMAL = "proximal"  # proximal steps of growing sigma
    INTERIOR = "interior"  # interior point over a factor of the kernel
    FINISHING = "finishing"  # dense systems on the exact kernel, after the interior point


@dataclass(frozen=True)
class Budget:
    """Numbers of `auto`. Prices are named `..._price`, the rest are thresholds; "s" is seconds."""

    phases: frozenset[Phase] = field(default_factory=lambda: frozenset(Phase))

    # blocks
    block_examples: int = 128  # largest number in a block; 64 and 256 take 1.2 and 1.1 times the CPU time on 41 rows
    block_variables: int = 768  # largest number in a block; 384: 1.2 times on 13 of 41 rows that change, 1536: 1.0 on 5
    block_patience: int = 3  # most pair steps per variable of a block; 2: 1.1 times on 21 of 41 rows, 6: 1.0 on 20
    sum_patience: int = 8  # the same for pairs within an example; 4: 0.9 times on 14 of 41 rows, 16: 1.1, up to 3.2
    fetch_rows: int = 32  # fewest kernel rows computed together; 20 000 x 784, ova, with 1: 1.3 times, 48: 1.1
    fetch_features: int = 100  # fewest stored numbers of a row for this; dna (180) 0.8 times, letter (16) 1.2
    round_price: float = 1.2e-4  # s of a round of blocks: Python, and passes over all variables; calibrate.py
    step_price: float = 2.5e-7  # s of a pair step in a block of about 250 variables, for Newton steps; calibrate.py
    full_step_price: float = 7e-7  # s of a pair step in a full block, for other phases; calibrate.py
    short_rounds: int = 4  # rounds in a row without enough pair steps before a Newton step; 8: iris, cs, 4 times slower
    newton_pair_price: float = 6e-8  # s per pair of variables of a Newton step: kernel values and products
    newton_cube_price: float = 2.1e-10  # s per cubed variable of a Newton step: Cholesky factors
    newton_pair_bytes: int = 20  # memory of a Newton step per pair of variables: 20.5 measured at 2500 and 4000
    newton_turns: tuple[int, int] = (3, 40)  # Newton and pair steps, alternating: before and after an interior point
    newton_bytes: int = 1 << 26  # bytes that a Newton step may have even if no kernel row is evicted; insensitive
    newton_most: int = 4000  # most variables of a Newton step; at 4000 Q has 128 MB, a factor takes 1.5 s; insensitive
    refresh_fall: float = 1e-3  # factor by which the violation falls before functions by float32 rows are recomputed
    refresh_until: float = 30.0  # violation, in tolerances, below which the check of the claim recomputes them instead
    stuck_steps: int = 200_000  # fewest steps without progress before a run counts as stalled; insensitive
    stuck_steps_each: int = 1000  # the same for each variable; insensitive

    # shrinking; measured on Fashion-MNIST, 8 000 x 784, ww, C = 10, with row stores of 60 and 100 MB
    shrunk_least: int = 4000  # fewest examples; smaller parts are solved before a sample pays
    shrunk_held: float = 0.5  # rows that the store holds, as a share of the examples, below which the phase begins
    shrunk_shared: float = 0.25  # the same if all parts share the store (ova): rows of one serve the next
    shrunk_trial: float = 1 / 32  # kernel rows of the trial per example; they have as many values as a sample's matrix
    shrunk_trial_most: float = 1 / 8  # the same if at least half of these rows belong to no support vector
    shrunk_sample: float = 1 / 4  # share of every class in the first sample; 1/8: 1.2 times, 20 000 x 784 of these
    shrunk_sample_few: float = 1 / 16  # the same if few rows of the trial are of support vectors
    shrunk_loose: float = 0.1  # violation, in margins, to which a sample is solved
    shrunk_strict: float = 0.9  # of the tolerance, for the last examples: float32 rows would refute a claim at 1
    shrunk_near: float = 0.2  # distance from the margin, in margins, up to which an example joins; 0.3: 1 to 1.2 times
    shrunk_again: float = 0.1  # fall of the violation of active examples from one check of all examples to the next
    shrunk_idle: int = 3  # most checks in a row without a step: a change of stage may need two
    shrunk_examples: int = 256  # largest number in a block; 128: 1.3 and 1.1 times the CPU time, 512: 1.0 and 1.0
    shrunk_variables: int = 1536  # largest number in a block; 768: 1.2 and 1.0 times

    # deciding
    decide_first: int = 256  # steps to the first decision, and fewest steps between two decisions
    decide_share: int = 16  # decisions are 1/16 of all steps apart; 1/8: 1.0 times the time on 12 of 41 rows, 1/32: 1.1
    decide_most: int = 4096  # the largest number of steps between two decisions
    vain_claims: int = 5  # refuted claims of convergence in a row, then systems in float64 take over; insensitive
    vain_steps: int = 50  # largest number of steps between two claims that count as in a row; insensitive
    interior_race: bool = True  # whether the interior point may take over by price, not only if blocks stall
    interior_growth: float = 2.0  # factor on the effort until the price of the interior point is computed again
    interior_haste: float = 4.0  # factor on the effort if alpha = 0 violates less (`readiness`); insensitive
    interior_patience: float = 2.0  # divisor of the effort if ADMM leads (`readiness`); 1: iris, cs, 3 times slower

    # interior point
    interior_iterations: int = 8  # iterations at full rank that its price counts; 4: iris, cs, 3 times slower
    operation_price: float = 3e-11  # s of a floating-point operation in products and factors of V; calibrate.py
    variable_price: float = 1.5e-6  # s of a variable in an iteration; calibrate.py
    entry_price: float = 3e-10  # s per example and squared column of the factor: memory traffic
    first_rank: int = 32  # columns of the factor with which prices begin
    fine_rest: float = 1e-9  # share of the trace of K that the factor may lack; below, its price is known; insensitive
    rough_rest: float = 1e-6  # the same at the largest rank allowed: above it, the price is infinite; insensitive

    # ADMM
    admm_steps: int = 100  # steps of one burst; 50: 1.1 times the time on 18 of 41 rows, 200: 0.9 on 13
    admm_relaxation: float = 1.7  # over-relaxation, Boyd et al. 2011, section 3.4.3; steps diverge from 2 on
    admm_stiffness: float = 0.2  # rho, in units of |functions| / |weights|; 0.1: 0.9 times on 15 of 41 rows, 0.4: 1.0
    admm_rest: float = 2.0  # trace of K that the factor may lack, in units of rho; 1 and 4: 0.9 and 1.0 on 8 and 5 rows
    admm_product_price: float = 1.7e-11  # s per row, column and output of a step, in single precision; calibrate.py
    admm_variable_price: float = 2.5e-8  # s per row and output of a step; calibrate.py
    admm_columns: float = 1 / 3  # most columns per example, otherwise no burst; 2/3: vehicle, ww, C = 2^20, 1.9 times
    admm_pause: float = 0.05  # effort between two checks of blocks, in a burst's price; half, twice: 2 rows, 1.2, 1.0
    admm_later: float = 8.0  # growth of that pause after a burst that did not help; half, twice: 2 rows, 1.1 and 1.0

    # homotopy in C
    homotopy_start_price: float = 0.05  # s of the first stage; page-blocks and vehicle, C = 2^8 to 2^20
    homotopy_stage_price: float = 0.04  # s of each further stage; the same
    homotopy_first: float = 128.0  # largest C curvature / margin of the first stage
    homotopy_factor: float = 4.0  # on C from stage to stage; page-blocks, C = 2^20: ww 13 -> 0.9 s, cs 8.4 -> 1.3 s
    homotopy_rounds: int = 80  # most rounds of one stage
    # Set together: page-blocks, ww and cs, and segment, cs, take a tenth to a fifth less than with the previous values.
    homotopy_loose: float = 0.3  # violation, in margins, that ends a stage
    homotopy_least: int = 50  # violating variables at a bound that join a round: this many or, if that is more,
    homotopy_share: float = 0.3  # this share of the free variables

    # proximal steps
    proximal_first: float = 0.06  # sigma of the first step, in units of mean U / margin
    proximal_growth: float = 4.0  # factor on sigma from step to step
    proximal_largest: float = 1e5  # sigma, in the same units, at which the phase ends
    proximal_rest: float = 0.1  # sigma * trace of K that the factor may lack
    proximal_narrow: float = 1 / 8  # most columns per example, unless all variables fit one Newton step
    proximal_near: float = 0.01  # violation, in margins, up to which Newton steps on the exact kernel may follow
    proximal_free: int = 800  # most free variables for these Newton steps

    # progress
    helped: float = 0.9  # share of the previous violation that a phase or burst must reach to count as progress
    vain: int = 8  # proximal steps, or dense systems after the interior point, without progress before they end


@dataclass(frozen=True)
class InnerBudget:
    """Tolerances of inner problems: blocks, working sets, chunks, faces."""

    share: float = 0.1  # share of the outer violation to which an inner problem is solved
    newton_share: float = 0.25  # share of the tolerance to which a face is solved


@dataclass(frozen=True)
class ProximalBudget:
    """The Newton steps in one proximal step (methods/proximal.py)."""

    steps: int = 60  # most Newton steps; over a factor none of 18 rows of table 3 and bench_speed took over 40
    close: float = 0.05  # distance of f to the functions of alpha(f) at the end, in max |alpha - anchor| / sigma
    tries: int = 20  # most step sizes of one line search
    flat: float = 0.3  # slope, as a share of the first one, at which a line search ends
    farthest: float = 10.0  # largest factor on a step size in W: an exact bias without curvature may be far away


@dataclass(frozen=True)
class DenseBudget:
    """Small dense systems (dense/)."""

    clear: float = 1e-5  # mean complementarity, in units of goal * bound, at which the interior point ends
    halvings: int = 8  # most step sizes of a Newton step that leaves the feasible set


@dataclass(frozen=True)
class FactorBudget:
    """The pivoted Cholesky factor K ~ V V' and systems over it (factor/)."""

    least: int = 16  # columns that a factor may always have
    memory: float = 0.5  # share of cache_mb that a factor may have; kernel rows have the rest
    negligible: float = 1e-6  # sum of weight * |v|^2 over the examples that a normal matrix leaves out
    separate: int = 800  # most columns of V with a system per class: 5 MB and 7 ms a Cholesky factor
    together: int = 4000  # largest order of the one system for all classes: 128 MB and 0.4 s a Cholesky factor


@dataclass(frozen=True)
class PathBudget:
    """The low-rank interior point (factor/path.py, methods/interior.py); the dense one has the first three too."""

    iterations: int = 100  # largest number of iterations
    boundary: float = 0.995  # part of the longest feasible step; dense: 0.98 of the CPU time of 0.99 (13 rows, table 3)
    shortest: float = 1e-6  # step size below which the path ends
    bearable: float = 0.1  # residual of a Newton system at which it has failed, in dual residuals or mu / mean x
    rest: float = 0.1  # error of class functions by V V', as a share of the dual residual; above it, V gets columns
    corrections: int = 3  # most centrality corrections of a step (Gondzio 1996)
    longer: tuple[float, float] = (1.5, 0.3)  # a correction aims at the step size first * step size + second
    gained: float = 0.1  # share of the intended growth that a correction must bring to be kept
    band: float = 0.1  # a correction leaves products in [band * mu, mu / band]
    clear: float = 1e-8  # mean complementarity mu, in units of tolerance * U, at which the path ends


@dataclass(frozen=True)
class LinearBudget:
    """The methods for linear kernels (methods/linear/). Prices are in s.

    They compare the methods and size their pieces.
    """

    many: int = 20_000  # fewest examples for coordinate steps: with fewer, kernel rows are short
    filled: float = 0.3  # largest stored share of sparse rows: up to 0.26 kernel rows took 1.3 to 20 times as long
    thin: float = 0.02  # most stored features per row, as a share of the examples, for coordinate steps
    dense: int = 1600  # most unknowns of a Newton system to factor it; beyond, conjugate gradients

    # coordinate steps
    round_visits: int = 16  # visits of a round, per example
    # Largest factor on a violation above the margin by which a round of visits lets another one follow. Texts at
    # C = 100, CPU s at 0.5, 0.7 and without a limit: ova 6.0, 6.4 and 7.8, ovo 1.85, 1.64 and 1.63.
    fall: float = 0.7
    least_epochs: int = 40  # fewest epochs, with an exact bias; texts at C = 1 take 20 to 35, Newton wins below 30
    tiny: float = 1.1  # largest price of a Newton step of a tiny part, in units of its fixed price
    penalty: float = 0.3  # sigma of an exact bias, as a share of the mean |x|^2; 0.1 and 1 took 1.2 times the visits
    begin: float = 0.1  # violation at which an exact bias moves first
    follow: float = 0.1  # violation at which it moves next, as a share of its last move
    inner: float = (
        0.4  # last violation of the visits, in tolerances: the one allowed with an exact bias adds two of them
    )
    stricter: float = 0.7  # factor on the tolerance after a refuted claim
    stored_price: float = 1.2e-9  # s of a visit per stored feature
    class_price: float = 3e-8  # s of a visit per class function
    visit_price: float = 1.5e-7  # s of a visit, with several class functions
    sum_price: float = 1.3e-7  # s of a visit, with bounded sums, if most variables are shrunk
    sum_stored_price: float = 8e-9  # s of a visit per stored feature, with bounded sums

    # Newton steps
    first: float = 1.0  # sigma of the first proximal step, in units of the mean U
    growth: float = 4.0  # factor on sigma from step to step
    largest: float = 1e8  # largest sigma, in the same units
    doubt: float = 0.3  # factor on the tolerance at each refuted claim
    strictest: float = 1e-4  # the smallest product of these factors
    close: float = 0.1  # distance of f to the functions of alpha(f) at the end of a proximal step, in tolerances
    closer: float = 0.1  # factor on `close` after a step that did not raise the dual
    loss: float = 1e-3  # share of the dual of the start that the first step may lose
    level: float = 1e-3  # largest |sum_i W_i| / sum(alpha) at the end of a proximal step
    # Largest number of proximal steps in a row that do not raise the dual. 6 end cs on one feature without a bias at a
    # violation of 1.1e-6, 8 at 1.6e-7. More cost only trainings that would stall.
    vain: int = 12
    expected: int = 20  # expected number of Newton steps; coordinate steps may first cost half of them
    gradient_rounds: int = 400  # most rounds of conjugate gradients
    gradient_left: float = 1e-3  # norm of their residual at the end, as a share of the right side
    newton_price: float = 3e-4  # s of a Newton step
    unknown_price: float = 1e-10  # s of a Newton step per cubed unknown
    one_price: tuple[float, float] = (4e-8, 4e-9)  # s per example, and per stored feature; one class function
    all_price: tuple[float, float] = (1e-8, 1e-9)  # the same for each of several class functions


@dataclass(frozen=True)
class FrankWolfeBudget:
    """Frank-Wolfe (methods/frank_wolfe/)."""

    whole: int = 512  # most examples of a problem that is one chunk
    examples: int = 192  # examples of a chunk otherwise
    variables: int = 5_000  # most variables of a chunk: its linear programme takes 21 ms
    in_turn: int = 4  # one of this many examples of a chunk is chosen in turn, the others by violation
    round_steps: int = 64  # most steps of a round, not counting corrections
    correction_steps: int = 400  # most steps of one correction


@dataclass(frozen=True)
class LasvmBudget:
    """LASVM (methods/lasvm/)."""

    candidates: int = 50  # examples drawn, the best of which is next: with probability 0.95 among the best 6 % of all
    one_class: int = 10  # examples of one class that are kept without a partner, before the other class comes
    quiet_passes: int = 3  # passes without a rise of the dual before a run counts as stalled
    finishing: int = 10  # most REPROCESS steps at the end of a portion, per new row and machine


@dataclass(frozen=True)
class SequentialBudget:
    """The sequential methods (methods/sequential/)."""

    period: int = 1000  # steps between two shrinkings, or n if that is less; as LIBSVM
    near: float = 10.0  # violation, in tolerances, at which all variables are unshrunk once; as LIBSVM
    batch: int = 32  # kernel rows computed in one block: those of the step, and of the most violating examples
    full_batch: int = 4  # the same if the row store is full, so that they evict others
    set_patience: int = 1000  # most pair steps per variable of a working set of bsvm
    quiet_steps: int = 100_000  # steps without a rise of the dual before a run counts as stalled


@dataclass(frozen=True)
class LoopBudget:
    """The training loop (run/): refuted claims of convergence, and the method of multipliers."""

    most: int = 60  # most refuted claims, or moves of b that are not smaller, in a row
    nearer: float = 0.9  # factor on the smallest violation that counts as progress between refuted claims
    tightest: float = 0.01  # smallest factor on the tolerance if the violation is reached and the gap is not
    loosest: float = 0.5  # largest such factor
    multiplier: float = 8.0  # sigma of the method of multipliers; 1 to 64 differ little
    begin: float = 1e-2  # tolerance of the first inner problem
    follow: float = 0.1  # tolerance of the next inner problem, as a share of the last move of b
    strictest: float = 1e-4  # smallest tolerance of an inner problem, as a share of the tolerance
    sample: int = 1024  # fewest steps between two samples after as many steps; 256 took vowel, ww, 2 of 10 ms
    look: float = 10.0  # move of b, in tolerances, below which a certificate is computed


@dataclass(frozen=True)
class PairsBudget:
    """Pairs of ovo and dag: on one kernel matrix (run/small_pairs.py), or several at once (run/ahead.py)."""

    most: int = 5000  # most examples of the problem
    memory: float = 0.5  # share of cache_mb that the matrix may have
    strip_most: int = 200  # upper bound on the examples of the largest pair, if each pair has a matrix of its own
    patience: int = 400  # most pair steps per example; then the method takes over
    room: float = 1.5  # cache_mb of a pair next to others, in units of its float32 matrix: a factor has 800 columns
    least_mb: float = 32.0  # smallest such cache_mb: a factor of 800 columns has room up to 2600 examples


class TwoClassBudget(NamedTuple):
    """Binary machines with exact bias in searches (jit/binary/two_class.py, which takes it as an argument)."""

    block: int = 512  # most variables of a block
    first: int = 128  # the same for the first block: all examples violate alike; ovo, 512: vehicle, segment 1.15 times
    patience: int = 5  # most pair steps per variable of a block; then Newton steps on the face follow
    face: int = 256  # most free variables of a Newton step
    turns: int = 8  # most Newton steps in a row, each without the variable that met its bound
    # Claims of convergence that recomputed functions may refute, and blocks without a step, before a machine is
    # stalled, and blocks without progress before Newton steps on the face: 4 of 6000 random machines stalled without
    # these.
    disproved: int = 20
    near: float = 10.0  # in tolerances: below it, steps in single precision may go round in circles
    progress: float = 0.9  # share of the smallest violation so far, below which a violation counts as progress
    rounds: int = 400  # blocks near the tolerance without progress before it is stalled; 1 of 6000 never ended
    share: float = InnerBudget.share


class VisitsBudget(NamedTuple):
    """Visits of coordinate steps (jit/linear/, which takes it as an argument)."""

    passes: int = 4  # most passes over the variables of an example in one visit
    narrow: int = 4  # most active variables of an example to read their functions singly, not all at once
    fall: float = 0.2  # factor on the violation from one unshrinking to the next
    share: float = InnerBudget.share


@dataclass(frozen=True)
class RisingBudget:
    """Proximal steps in searches (selection/trials/rising.py)."""

    # The first sigma is `first`, in units of the cost, times clip((light / free variables)^power, 1, raised). If few
    # variables are free, a small sigma would free many more; if many are free, it takes fewer Newton steps.
    first: float = 30.0
    light: float = 1200.0
    power: int = 3
    raised: float = 30.0
    growth: float = 3.0  # factor on sigma from step to step
    close: float = 0.1  # distance of f to the functions of x(f) at the end, in max |x - anchor| / sigma or tolerances
    refinements: int = 3  # most solutions of a Newton system with refinement
    sharp: float = 1e-9  # residual at which refinement ends, as a share of the right side
    patience: int = 200  # most Newton steps at one C; then `auto` takes over
    pairs: int = 3000  # pair steps between two decisions whether to take Newton steps
    usual: int = 15  # Newton steps at one C that their price counts
    variable_price: float = 1e-7  # s of a Newton step per variable: passes over all of them
    product_price: float = 4e-10  # s of a Newton step per example and free variable: products with K
    cube_price: float = 8e-12  # s of a Newton step per cubed free variable: the factor


@dataclass(frozen=True)
class ProofBudget:
    """Certificates (dual/)."""

    balance_rounds: int = 50  # most moves towards weights with sum zero
    programme_hinges: int = 20_000  # most hinges to minimise the primal over b by a linear programme
    support_rows: int = 400  # most support vectors whose kernel matrix is tested for negative eigenvalues


@dataclass(frozen=True)
class SearchBudget:
    """Searches for C and gamma (selection/)."""

    widest: int = 4  # grid steps between the first cells of coarse-to-fine
    # Rungs of successive halving: (share of the training rows, of the test rows). All test rows on every rung rank no
    # better.
    rungs: tuple[tuple[float, float], ...] = ((1 / 9, 1 / 3), (1 / 3, 2 / 3), (1.0, 1.0))
    # (share, minimum number) of the grid's cells that continue to the second rung, and to the last. In the grids of 15
    # sets (ovo and ww, 225 cells) a sixth and a 27th lose half as much as a third and a 27th, in 0.15 of the grid's
    # time in place of 0.28; twice as many on all rows cost banana another 0.05 and gain nothing. On segment, ww, 3 of
    # 64 cells lose 0.57 points, and so do 5 of 13. If the second rung is the last, on vowel, ovo, 8 cells lose 0.57
    # points, and 24 do too.
    going_on: tuple[tuple[float, int], ...] = ((1 / 6, 16), (1 / 27, 5))
    # Values of gamma on the last rung, each of which needs kernel matrices of all rows. On page-blocks, ovo, any number
    # takes 0.29 of the grid's time, 3 take 0.19 and 2 take 0.15; 17 sets lose at most 0.06 points by 2, abalone 0.03
    # less.
    gammas: int = 2
    coarse: float = 2.0  # powers of two between the cells of the first rung; cells around the best join the second
    per_class: float = 10.0  # fewest training rows of a rung per class, on average; vowel needs 12
    rows: float = 100.0  # fewest training rows of a rung in all: with 40 rows iris, with 57 glass lose up to two points
    # Rows of the first rung per square root of a second of time budget: 465 rows for a minute. With 100, one round of
    # comparisons on 336,776 rows with 137 features used 28 s of a budget of 36 s.
    first_rows: float = 60.0
    apart_from: float = 3.0  # growth factor of the rows from one rung to the next
    rough: float = 0.01  # violation, in margins, allowed to machines of lower rungs: 0.001 takes them a third longer
    apart: float = 1 / 8  # a factor is reused if at most this share of its variables has changed
    worth: int = 400  # and it has at least this many variables; a smaller one is computed again as fast


@dataclass(frozen=True)
class ExplainBudget:
    """Shapley values and smallest changes (explain/)."""

    # pieces
    batch: int = 64  # pieces whose parts are stored until they are added, in their order
    # Support vectors processed together, by the number of players: 200 kB of work space, as much, then 600 kB for 784
    # columns. 20 columns take 0.20 s with 128, 0.30 s with 32.
    lanes: tuple[tuple[float, int], ...] = ((32, 128), (128, 32), (float("inf"), 16))
    numbers: int = 1 << 16  # of columns and support vectors of a piece, polynomial and sigmoid: 512 kB stay in cache

    # quadrature
    densely: int = 32  # nodes up to which there is a quadrature of every size
    growth: float = 1.125  # from one larger size to the next: at most an eighth of the nodes is wasted

    # samples
    permutations: int = 1000  # orders of the players for a row, over all background rows
    fewest_pairs: int = 2  # orders and their reverse per background row, for a variance within it

    # smallest changes
    starts: int = 4  # number of nearest seen rows from which a smaller change is searched
    rounds: int = 25  # rounds of linearised borders
    gain: float = 1e-3  # share of the distance that a round must gain
    reach: float = 1.3  # how far beyond a linearised border the true one is searched
    mesh: int = 24  # points of a line that are predicted at once
    slack: float = 1.1  # largest change of fewer columns, in units of the smallest distance
    narrowings: int = 3  # narrowings of the line: 1 / 24^3 of it, 7e-5, remains


@dataclass(frozen=True)
class NoveltyBudget:
    """Distances from classes (uncertainty/novelty.py)."""

    most: int = 64  # most landmarks of a class; 32 lose 0.01 of the area on digits
    together: int = 2048  # most landmarks of all classes
    looked: int = 4096  # most rows of a class from which landmarks are chosen
    ridge: float = 1e-2  # share of the mean K(x, x); 1e-6 loses up to 0.04 of the area if classes are noisy
    near: float = 1e-3  # share of K(x, x): no landmark is nearer than this to the span of earlier landmarks


@dataclass(frozen=True)
class PartitionedBudget:
    """Training over rows in several places (partitioned/)."""

    # Rows of a round, in all partitions together. 20 000 x 20, ww: 120 rounds and 2.8 CPU s with 512, 54 and 2.4 with
    # 1024, 20 and 1.7 with 2048, 11 and 1.8 with 4096; `auto` on one machine 1.7.
    block: int = 2048
    block_least: int = 256  # fewest rows of a block if they are wide and few of them fit into block_bytes
    block_bytes: int = 1 << 22  # bytes of the rows of a block, which are sent to every partition
    round_steps: int = 100_000  # most pair steps in a block
    portion_rows: int = 2048  # most support vectors sent at once in a certificate
    bias_grid: int = 65  # candidates of b evaluated at once
    bias_rounds: int = 10  # most grids: each narrows b to a sixty-fourth of the previous interval
    bias_kinks: int = 512  # remaining kinks that are sent at once
    vain: int = 3  # rounds in a row that move nothing after functions were recomputed


@dataclass(frozen=True)
class SettlingBudget:
    """Trainings of a search that end on predictions of their test rows (selection/trials/settling.py).

    Measured on a fold of segment, llw, 56 cells: 21.6 -> 17.1 CPU s, with a different prediction for one of 420 rows in
    one cell; an oracle that ends each cell when its last prediction is final takes 14.
    """

    first: float = 0.02  # effort, in s of the budget, below which nothing is checked; a check: ~1 ms, 420 test rows
    apart: float = 1.05  # factor on the effort from one check to the next
    near: float = 0.1  # violation, in margins, above which unchanged predictions prove nothing; 0.3: 2 cells
    share: float = 0.7  # share of the effort after which no prediction may have changed; 0.5: 17.6 s, the same cell


BUDGET, INNER, PROXIMAL, DENSE = Budget(), InnerBudget(), ProximalBudget(), DenseBudget()
FACTOR, PATH, LINEAR, FRANK_WOLFE = FactorBudget(), PathBudget(), LinearBudget(), FrankWolfeBudget()
LASVM, SEQUENTIAL, LOOP = LasvmBudget(), SequentialBudget(), LoopBudget()
PROOF, SEARCH, PAIRS, SETTLE = ProofBudget(), SearchBudget(), PairsBudget(), SettlingBudget()
RISING, TWO_CLASS, VISITS = RisingBudget(), TwoClassBudget(), VisitsBudget()
EXPLAIN, NOVELTY = ExplainBudget(), NoveltyBudget()
PARTITIONED = PartitionedBudget()


def next_decision(steps: int, budget: Budget = BUDGET) -> int:
    """Return the step count of the next decision; it depends on nothing but `steps`."""
    return steps + min(max(budget.decide_first, steps // budget.decide_share), budget.decide_most)


def next_sample(steps: int) -> int:
    """Return the step count at which a slice without a given length ends."""
    apart = min(max(BUDGET.decide_first, steps), LOOP.sample)
    return steps + min(max(apart, steps // BUDGET.decide_share), BUDGET.decide_most)
