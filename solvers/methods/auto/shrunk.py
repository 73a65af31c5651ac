"""Phase SHRUNK: run blocks on a subset of the examples whose whole kernel matrix fits into the row store.

If the row store cannot hold the rows of all support vectors, blocks compute the same rows again and again. This phase
therefore makes a subset A of the examples a part of its own: K_AA (W_A - anchor) updates the functions of A, and its
kernel rows have only the columns of A.

1. A trial runs blocks on all examples with a bounded number of kernel rows. It solves problems of few support vectors.
2. The first subset, violating examples or a sample of every class, is solved roughly (chunking: Boser et al. 1992).
3. The functions of all other examples are updated in single precision from the change of the weights.
4. The next subset has all examples that are not settled at their bounds. If their matrix does not fit, as many as fit
   are drawn: a quarter are the worst violators, the others are random, with probabilities proportional to their
   violations. The worst violators alone would omit the examples that they compete with: 20,000 x 20, ww, needed 1.8
   times the kernel values.

Most updates in step 3 omit settled examples, as these cannot violate soon; now and then an update includes all
examples. The phase ends with a claim of convergence for all examples, which the run verifies.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import partial

import numpy as np

from mcsvm.solvers.budget import INNER, Budget
from mcsvm.solvers.dual.quantities import Optimality, examine, gradients, weights_of
from mcsvm.solvers.interrupt import tick
from mcsvm.solvers.jit.linalg import copy_transposed
from mcsvm.solvers.jit.rounding import SINGLE
from mcsvm.solvers.methods.auto import blocks
from mcsvm.solvers.methods.auto.blocks import BlockState, RowTrial
from mcsvm.solvers.methods.base import Progress
from mcsvm.solvers.problem import Anchor, Part, narrowed
from mcsvm.solvers.products import single_products

empty = partial(np.empty, (0, 0))


class ShrinkingStage(Enum):
    """The examples in the subset, and how accurately they are solved."""

    GROWING = auto()  # a sample, or as many examples as fit, solved roughly
    ROUGH = auto()  # all examples that were not settled, solved roughly: some will settle
    FINE = auto()  # all examples that are not settled, solved to the tolerance


@dataclass
class Shrunk:
    """The subset, the state of its part, and the functions of all examples at the last look."""

    examples: np.ndarray = field(default_factory=partial(np.empty, 0, np.int64))  # the subset; empty at first
    inner: BlockState = field(default_factory=lambda: BlockState(empty(), empty(), np.empty(0)))
    active: np.ndarray = field(default_factory=partial(np.empty, 0, np.int64))  # the subset and others not settled
    weights: np.ndarray = field(default_factory=empty)  # (n, outputs) at the last look at all examples
    latest: np.ndarray = field(default_factory=empty)  # (n, outputs) at the last look at the active examples
    products: np.ndarray = field(default_factory=empty)  # (n, outputs) K @ latest if active, else K @ weights
    stage: ShrinkingStage = ShrinkingStage.GROWING
    violation: float = np.inf  # at the last look
    violation_of_all: float = np.inf  # at the last look at all examples
    steps: int = -1  # at the last look
    idle: int = 0  # consecutive looks without a step
    solved: bool = False  # the subset is solved; next comes a look at the others
    doubted: bool = False  # a claim was refuted: look at all examples before the next claim
    stale: bool = False  # a claim was refuted: the functions of the state are newer than these fields
    trial: RowTrial = field(default_factory=RowTrial)
    tried: bool = False  # the trial has ended without a solution
    few: bool = False  # at least half of the trial's rows belong to no support vector


def rehearse() -> None:
    """Compile the copy of a float32 matrix, which no tiny problem has."""
    matrix = np.zeros((4, 4), np.float32)
    copy_transposed(matrix[:2, 2:], matrix[2:, :2])


def applies(part: Part, budget: Budget) -> bool:
    """Return whether the row store holds so few rows that shrinking may be worth it."""
    held = budget.shrunk_shared if part.gram.shared else budget.shrunk_held
    few = part.gram.capacity < held * len(part)
    computed = part.gram.kernel.name not in ("linear", "precomputed")
    return few and computed and len(part) >= budget.shrunk_least and not part.multiplied


def advance(part: Part, state: BlockState, shrunk: Shrunk, until: int, tolerance: float, budget: Budget) -> Progress:
    """Run rounds of blocks on the subset; when it is solved, check the other examples.

    A trial on all examples comes first: a problem with few support vectors needs few kernel rows, whatever the number
    of examples and the memory.
    """
    while not shrunk.tried:
        progress = blocks.advance(part, state, until, tolerance, budget, shrunk.trial)
        if progress is not Progress.MOVING or state.steps >= until:
            return progress
        prolong_trial(part, state, shrunk, budget)
        tick()
    if shrunk.stale or not shrunk.examples.size:
        begin(part, state, shrunk, tolerance, budget)
        tick()
    if not shrunk.solved:
        progress = solve(part, state, shrunk, until, tolerance, budget)
        if progress is not Progress.CONVERGED:
            return progress
        shrunk.solved = True
    look(part, state, shrunk)
    violating = violators(part, state, shrunk, tolerance)
    if not violating.size and not shrunk.doubted:
        return Progress.CONVERGED
    if not violating.size or shrunk.violation <= budget.shrunk_again * shrunk.violation_of_all:
        look_at_rest(part, state, shrunk)
        violating = violators(part, state, shrunk, tolerance)
        if not violating.size:
            return Progress.CONVERGED
    shrunk.idle = shrunk.idle + 1 if state.steps == shrunk.steps else 0
    shrunk.steps = state.steps
    if shrunk.idle > budget.shrunk_idle:
        return Progress.STALLED
    grow(part, state, shrunk, violating, budget)
    return Progress.MILESTONE


def prolong_trial(part: Part, state: BlockState, shrunk: Shrunk, budget: Budget) -> None:
    """Allow the trial kernel rows at its start, and again if at least half of its rows belong to no support vector.

    Rows that earlier parts have left in the store serve the trial as well.
    """
    trial, rows = shrunk.trial, max(shrunk.trial.used, part.gram.rows_held)
    trial.looks += 1
    dense = 2 * int(state.alpha.any(axis=1).sum()) > rows
    shrunk.tried = trial.looks > 2 or (trial.looks == 2 and dense)
    shrunk.few = rows > 0 and not dense
    per_example = budget.shrunk_trial if trial.looks == 1 else budget.shrunk_trial_most
    trial.left = min(int(per_example * len(part)), part.gram.capacity) - trial.used


def solve(part: Part, state: BlockState, shrunk: Shrunk, until: int, tolerance: float, budget: Budget) -> Progress:
    """Run rounds of blocks on the subset."""
    view = view_of(part, shrunk)
    larger = replace(budget, block_examples=budget.shrunk_examples, block_variables=budget.shrunk_variables)
    goal = max(budget.shrunk_strict * tolerance, goal_of(part, shrunk, budget))
    progress, shrunk.inner.limit = Progress.MOVING, state.limit
    if shrunk.inner.steps != state.steps:  # the last round was stopped: the next decision comes at the same step
        put_back(state, shrunk)
    while progress is Progress.MOVING and state.steps_left > 0 and (state.steps < until or shrunk.inner.newton_next):
        progress = blocks.advance(view, shrunk.inner, shrunk.inner.steps + 1, goal, larger)
        put_back(state, shrunk)
    return progress


def goal_of(part: Part, shrunk: Shrunk, budget: Budget) -> float:
    """Return the violation to which the subset is solved, if that is above the tolerance."""
    loose = budget.shrunk_loose * float(part.form.margin.max())
    rough = {ShrinkingStage.GROWING: INNER.share * shrunk.violation, ShrinkingStage.ROUGH: loose}
    return min(rough.get(shrunk.stage, 0.0), loose)


def put_back(state: BlockState, shrunk: Shrunk) -> None:
    """Copy the state of the subset into the state of all examples."""
    inner, some = shrunk.inner, shrunk.examples
    state.alpha[some], state.functions[some] = inner.alpha, inner.functions
    state.constant, state.steps, state.spending.total = inner.constant, inner.steps, inner.spending.total


def begin(part: Part, state: BlockState, shrunk: Shrunk, tolerance: float, budget: Budget) -> None:
    """Start from the point of the state, whose functions are exact."""
    shrunk.weights = shrunk.latest = weights_of(part, state.alpha)
    shrunk.products = np.ascontiguousarray(state.functions - state.constant)
    shrunk.active, shrunk.doubted, shrunk.stale = np.arange(len(part)), shrunk.stale, False
    violating = violators(part, state, shrunk, tolerance)
    if shrunk.weights.any():
        grow(part, state, shrunk, violating, budget)
    else:
        room = max(most(part) - part.form.classes, part.gram.least)  # `sample` rounds up in every class
        use(state, shrunk, sample(part, min(share_of(shrunk, budget), room / len(part))))


def most(part: Part) -> int:
    """Return the number of examples whose matrix the row store can hold."""
    return max(part.gram.least, int(np.sqrt(part.gram.spare("") / 4.0)))


def use(state: BlockState, shrunk: Shrunk, examples: np.ndarray) -> None:
    """Set the subset, with a new state. Examples that stay come first, in their order: the store keeps their values."""
    stay = shrunk.examples[np.isin(shrunk.examples, examples, assume_unique=True)]
    examples = np.concatenate([stay, np.setdiff1d(examples, stay, assume_unique=True)])
    shrunk.examples, shrunk.solved = examples, False
    spending = replace(state.spending, since_newton=0.0, newton_price=0.0, short_rounds=0)
    point = state.alpha[examples], state.functions[examples], state.constant
    shrunk.inner = blocks.by_class(BlockState(*point, steps=state.steps, spending=spending))
    shrunk.inner.forget_rounds()


def share_of(shrunk: Shrunk, budget: Budget) -> float:
    """Return the share of the examples in the first sample."""
    return budget.shrunk_sample_few if shrunk.few else budget.shrunk_sample


def sample(part: Part, share: float) -> np.ndarray:
    """Draw a share of every class, the same in every call."""
    random, chosen = np.random.default_rng(0), np.zeros(len(part), dtype=bool)
    for label in range(part.form.classes):
        members = np.flatnonzero(part.labels == label)
        chosen[random.permutation(members)[: int(np.ceil(share * members.size))]] = True
    return np.flatnonzero(chosen)


def grow(part: Part, state: BlockState, shrunk: Shrunk, violating: np.ndarray, budget: Budget) -> None:
    """Set the next subset: the unsettled active examples and `violating`, or a draw of as many as fit.

    After the stage GROWING, a subset that contains `violating` is kept and solved to the tolerance.
    """
    if shrunk.stage is not ShrinkingStage.GROWING and np.isin(violating, shrunk.examples, assume_unique=True).all():
        shrunk.stage = ShrinkingStage.FINE
        use(state, shrunk, shrunk.examples)
        return
    wanted = unsettled(part, state, shrunk, budget)
    wanted[violating] = True
    if shrunk.active.size == len(part) and shrunk.violation <= float(part.form.margin.max()):
        shrunk.active, shrunk.weights = np.flatnonzero(wanted), shrunk.latest
    found, room = np.flatnonzero(wanted), most(part)
    if shrunk.stage is ShrinkingStage.GROWING:
        room = min(room, max(2 * shrunk.examples.size, int(share_of(shrunk, budget) * len(part))))
    if found.size > room:
        shrunk.stage, found = ShrinkingStage.GROWING, drawn(part, state, shrunk, found, room)
    elif shrunk.stage is ShrinkingStage.GROWING:
        shrunk.stage = ShrinkingStage.ROUGH
    else:
        shrunk.stage = ShrinkingStage.FINE
    use(state, shrunk, found)


def drawn(part: Part, state: BlockState, shrunk: Shrunk, found: np.ndarray, count: int) -> np.ndarray:
    """Draw `count` of the examples `found`, always the same at the same step count.

    A quarter are the worst, so that the violation among the drawn ones is that of all. The others are random, with
    probabilities in proportion to their violations (Efraimidis & Spirakis 2006).
    """
    violations = np.zeros(len(part))
    violations[shrunk.active] = seen(part, state, shrunk).violations
    chance = np.random.default_rng(state.steps).exponential(size=found.size)
    order = np.argsort(chance / np.maximum(violations[found], SINGLE), kind="stable")
    worst = np.argsort(-violations[found], kind="stable")[: count // 4]
    rest = order[~np.isin(order, worst)][: count - worst.size]
    return np.sort(found[np.concatenate([worst, rest])])


def unsettled(part: Part, state: BlockState, shrunk: Shrunk, budget: Budget) -> np.ndarray:
    """Return (n,) which active examples may leave their bounds: gradients may still move by as much as they violate."""
    distance = budget.shrunk_near * min(float(part.form.margin.max()), 10.0 * shrunk.violation)
    some, alpha, functions = active(part, state, shrunk)
    found = np.zeros(len(part), dtype=bool)
    found[shrunk.active] = part.geometry.unsettled(some, alpha, gradients(some, functions), distance)
    return found


def active(part: Part, state: BlockState, shrunk: Shrunk) -> tuple[Part, np.ndarray, np.ndarray]:
    """Return (the part, alpha, the functions with b) of the active examples."""
    some = narrowed(part, shrunk.active, part.gram)
    alpha, functions = state.alpha[shrunk.active], state.functions[shrunk.active]
    span = part.geometry.span(some, alpha, functions)
    known = span is not None and np.isfinite(span).all()
    return some, alpha, functions + 0.5 * sum(span) if span is not None and known else functions


def seen(part: Part, state: BlockState, shrunk: Shrunk) -> Optimality:
    return examine(*active(part, state, shrunk))


def violators(part: Part, state: BlockState, shrunk: Shrunk, tolerance: float) -> np.ndarray:
    """Return the active examples that may cause a KKT violation above the tolerance, and record the violation.

    With an equality, two examples cause a violation together: hence half the tolerance for each.
    """
    found = seen(part, state, shrunk)
    shrunk.violation = found.violation
    if shrunk.active.size == len(part):
        shrunk.violation_of_all = found.violation
    return shrunk.active[(found.violations > 0.5 * tolerance) & (found.violation > tolerance)]


def look(part: Part, state: BlockState, shrunk: Shrunk) -> None:
    """Update the functions of all active examples."""
    weights, products = weights_of(part, state.alpha), shrunk.products
    others = np.setdiff1d(shrunk.active, shrunk.examples, assume_unique=True)
    change = moved(part, others, weights - shrunk.latest)
    products[others] += change
    products[shrunk.examples] = shrunk.inner.functions - state.constant
    shrunk.latest = weights
    state.functions[shrunk.active] = products[shrunk.active] + state.constant


def look_at_rest(part: Part, state: BlockState, shrunk: Shrunk) -> None:
    """Update the functions of all examples, after `look`, and make all examples active."""
    rest = np.setdiff1d(np.arange(len(part)), shrunk.active, assume_unique=True)
    change = moved(part, rest, shrunk.latest - shrunk.weights)
    shrunk.products[rest] += change
    state.functions[rest] = shrunk.products[rest] + state.constant
    shrunk.weights, shrunk.active = shrunk.latest, np.arange(len(part))


def moved(part: Part, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return K @ weights for these rows, in single precision."""
    products = single_products(part.gram.kernel, part.gram.points, rows, weights)
    part.gram.evaluations += rows.size * int(weights.any(axis=1).sum())  # last: an interrupted product is repeated
    return products


def leave(part: Part, state: BlockState, shrunk: Shrunk) -> None:
    """Make the functions of all examples current, and give the row store back to all columns."""
    look(part, state, shrunk)
    look_at_rest(part, state, shrunk)
    part.gram.widen()
    part.drop_view("shrunk")
    vars(shrunk).update(vars(Shrunk(tried=True)))


def view_of(part: Part, shrunk: Shrunk) -> Part:
    """Return the part of the subset."""
    known = part.view("shrunk", shrunk.examples)
    if known is not None:
        return known
    part.drop_view("shrunk")  # drop it before its matrix is replaced
    gram = part.gram.narrow(shrunk.examples)
    anchor = Anchor(shrunk.latest[shrunk.examples], shrunk.products[shrunk.examples])
    return part.keep_view("shrunk", shrunk.examples, replace(narrowed(part, shrunk.examples, gram), anchor=anchor))
