"""Phase SHRUNK: blocks on the examples near their margins alone, so that kernel rows have only their columns.

Where the row store cannot hold the rows of all support vectors, blocks compute the same rows again and again. The
examples of alpha != 0 and those that violate, or nearly so, are a part of their own: K_AA W_A are their functions, as
all other weights are zero. It begins with a sample of every class, solved roughly (chunking: Boser et al. 1992).
Each time it is solved, the functions of all other examples follow from the change of the weights in single precision;
those that come near their margin join. The end is a claim of convergence for all examples, which the run verifies.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import partial

import numpy as np

from solvers.budget import Budget
from solvers.dual.quantities import examine, weights_of
from solvers.methods.auto import blocks
from solvers.methods.auto.blocks import BlockState
from solvers.methods.base import Progress
from solvers.problem import Part, narrowed
from solvers.products import single_products
from solvers.work import Work

empty = partial(np.empty, (0, 0))


class ShrinkingStage(Enum):
    """What the examples in use are."""

    GROWING = auto()  # a sample, solved roughly
    ROUGH = auto()  # all that came near their margin, solved roughly: some will not stay there
    FINE = auto()  # all that come near their margin; from now on none is dropped


@dataclass
class Shrunk:
    """The examples in use, the state of their part, and the functions of all examples at the last look."""

    examples: np.ndarray = field(default_factory=partial(np.empty, 0, np.int64))  # none: the phase has not begun
    inner: BlockState = field(default_factory=lambda: BlockState(empty(), empty(), np.empty(0)))
    weights: np.ndarray = field(default_factory=empty)  # (n, outputs) at the last look
    products: np.ndarray = field(default_factory=empty)  # (n, outputs) K @ weights
    stage: ShrinkingStage = ShrinkingStage.GROWING
    stale: bool = False  # a claim was refuted: the functions of the state are newer than all of this


def applies(part: Part, budget: Budget) -> bool:
    """Whether the row store holds so few rows that shrinking may be worth it."""
    few = part.gram.capacity < budget.shrunk_held * len(part)
    computed = part.gram.kernel.name not in ("linear", "precomputed")
    return few and computed and len(part) >= budget.shrunk_least and not part.multiplied


def advance(
    part: Part, state: BlockState, shrunk: Shrunk, until: int, tolerance: float, budget: Budget
) -> Work[Progress]:
    """Rounds of blocks among the examples in use; where these are solved, a look at all others."""
    if shrunk.stale or not shrunk.examples.size:
        begin(part, state, shrunk, tolerance, budget)
        yield
    view = yield from view_of(part, shrunk)
    larger = replace(budget, block_examples=budget.shrunk_examples, block_variables=budget.shrunk_variables)
    loose = budget.shrunk_loose * float(part.form.margin.max())
    goal = tolerance if shrunk.stage is ShrinkingStage.FINE else max(tolerance, loose)
    progress = Progress.MOVING
    while progress is Progress.MOVING and state.steps < until:
        progress = yield from blocks.advance(view, shrunk.inner, shrunk.inner.steps + 1, goal, larger)
        put_back(state, shrunk)
    if progress is not Progress.CONVERGED:
        return progress
    yield from look(part, state, shrunk)
    violating = violators(part, state, tolerance)
    if goal == tolerance and not violating.size:
        return Progress.CONVERGED
    grow(part, state, shrunk, violating, budget)
    return Progress.MILESTONE


def put_back(state: BlockState, shrunk: Shrunk) -> None:
    """The state of the examples in use, into that of all."""
    inner, some = shrunk.inner, shrunk.examples
    state.alpha[some], state.functions[some] = inner.alpha, inner.functions
    state.constant, state.steps, state.spending.total = inner.constant, inner.steps, inner.spending.total


def begin(part: Part, state: BlockState, shrunk: Shrunk, tolerance: float, budget: Budget) -> None:
    """Start from the point of the state, whose functions are exact."""
    shrunk.weights = weights_of(part, state.alpha)
    shrunk.products = np.ascontiguousarray(state.functions - state.constant)
    shrunk.stale = False
    if shrunk.weights.any():
        grow(part, state, shrunk, violators(part, state, tolerance), budget)
    else:
        use(part, state, shrunk, sample(part, budget.shrunk_sample))


def use(part: Part, state: BlockState, shrunk: Shrunk, examples: np.ndarray) -> None:
    """A fresh state of these examples, which all that have weights are among."""
    shrunk.examples = examples
    spending = replace(state.spending, since_newton=0.0, newton_price=0.0, short_rounds=0)
    point = state.alpha[examples], state.functions[examples], state.constant
    shrunk.inner = blocks.by_class(BlockState(*point, steps=state.steps, spending=spending))
    shrunk.inner.forget_rounds()


def sample(part: Part, share: float) -> np.ndarray:
    """A share of every class, drawn always alike."""
    random, chosen = np.random.default_rng(0), np.zeros(len(part), dtype=bool)
    for label in range(part.form.classes):
        members = np.flatnonzero(part.labels == label)
        chosen[random.permutation(members)[: int(np.ceil(share * members.size))]] = True
    return np.flatnonzero(chosen)


def grow(part: Part, state: BlockState, shrunk: Shrunk, violating: np.ndarray, budget: Budget) -> None:
    """Choose anew: the examples that have weights, those that violate and those near their margin. While these would
    more than double the examples in use, as many of the new ones as are in use, drawn always alike."""
    known = np.zeros(len(part), dtype=bool)
    known[shrunk.examples] = True
    if shrunk.stage is ShrinkingStage.FINE and known[violating].all():
        use(part, state, shrunk, shrunk.examples)
        return
    wanted = near_margin(part, state, budget.shrunk_near * float(part.form.margin.max()))
    wanted[violating] = True
    joining, most = np.flatnonzero(wanted & ~known), max(shrunk.examples.size, int(budget.shrunk_sample * len(part)))
    if shrunk.stage is ShrinkingStage.GROWING and joining.size > most:
        wanted[joining] = False
        wanted[np.random.default_rng(0).choice(joining, most, replace=False)] = True
    elif shrunk.stage is ShrinkingStage.FINE:
        wanted |= known
    else:
        shrunk.stage = ShrinkingStage.FINE if shrunk.stage is ShrinkingStage.ROUGH else ShrinkingStage.ROUGH
    use(part, state, shrunk, np.flatnonzero(wanted))


def near_margin(part: Part, state: BlockState, distance: float) -> np.ndarray:
    """(n,) whether an example has weights, or a gradient above -distance."""
    used = np.any(state.alpha != 0.0, axis=1)
    error = np.where(used, 0.0, distance)
    used[part.geometry.unclear(part, state.alpha, with_bias(part, state), error)] = True
    return used


def with_bias(part: Part, state: BlockState) -> np.ndarray:
    span = part.geometry.span(part, state.alpha, state.functions)
    return state.functions if span is None or not np.isfinite(span).all() else state.functions + 0.5 * sum(span)


def violators(part: Part, state: BlockState, tolerance: float) -> np.ndarray:
    """Where the KKT violation exceeds the tolerance: the examples that may cause it (of an equality, two do)."""
    seen = examine(part, state.alpha, with_bias(part, state))
    return np.flatnonzero((seen.violations > 0.5 * tolerance) & (seen.violation > tolerance))


def look(part: Part, state: BlockState, shrunk: Shrunk) -> Work[None]:
    """Bring the functions of all other examples up to date."""
    weights = weights_of(part, state.alpha)
    others = np.setdiff1d(np.arange(len(part)), shrunk.examples, assume_unique=True)
    change = yield from single_products(part.gram.kernel, part.gram.points, others, weights - shrunk.weights)
    products = shrunk.products
    products[others] += change
    products[shrunk.examples] = shrunk.inner.functions - state.constant
    shrunk.weights = weights
    state.functions[others] = products[others] + state.constant


def leave(part: Part, state: BlockState, shrunk: Shrunk) -> Work[None]:
    """Make the functions of all examples current, and give the row store back to all columns."""
    yield from look(part, state, shrunk)
    part.gram.widen()
    part.kept.pop("shrunk", None)
    vars(shrunk).update(vars(Shrunk()))


def view_of(part: Part, shrunk: Shrunk) -> Work[Part]:
    """The part of the examples in use."""
    known: tuple[np.ndarray, Part] | None = part.kept.get("shrunk")
    if known is None or known[0] is not shrunk.examples:
        gram = yield from part.gram.narrow(shrunk.examples)
        part.kept["shrunk"] = known = shrunk.examples, narrowed(part, shrunk.examples, gram)
    return known[1]
