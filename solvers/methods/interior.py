"""Low-rank interior point: Newton systems of the size of the kernel's rank, in number as good as independent of C.

A factor of the kernel (pivoted Cholesky) carries it to the optimum of the factored problem; variables near a bound are
put onto it, and two-level S2DO with its polishing finishes on the exact kernel. One interior iteration is a step and
ends a slice. The best point so far is kept in alpha, with functions by the factor until the exact kernel takes over.
"""

from __future__ import annotations

import numpy as np

from solvers.dual.quantities import gradients, weights_of
from solvers.factor.layout import Layout
from solvers.factor.normal import Columns, rank_cap
from solvers.factor.path import Path, Point
from solvers.jit import sums as simplex
from solvers.methods.auto import blocks as two_level
from solvers.methods.auto import faces as polish
from solvers.methods.base import Progress, State, refresh
from solvers.problem import Part

NAME = "ipm"
SUPPORTS = "every machine, kernel and bias: made for large C and kernels of small rank, smooth or linear"

FINEST = 1e-6  # violation, as a share of the margin: what is asked for beyond is left to the exact kernel
CLEAR = 1e-8  # mean product, as a share of tolerance times bound, at which it is clear what is at a bound
CLEARLY = 0.1, 1.0  # what is clearly at a bound, less and less strictly
TOGETHER_AT_LAST = 2500  # variables in between, at most
LESS, PATIENCE = 0.9, 8  # dense systems in a row that do not bring the violation below so much of the least before
ITERATIONS = 100
POINT = ("x", "z", "t", "w", "b")


def refuse(part: Part) -> str | None:
    return None


def start(part: Part) -> State:
    state = two_level.start(part)
    state.memory["inside"] = np.array([-np.inf, 0.0, 0.0])
    # inside: the best dual, iterations, rank; outside: NaN, the least violation, dense systems since then
    for name in POINT[:-1]:
        state.memory[name] = np.empty((0, 0))
    state.memory["b"] = np.empty(0)
    return state


def advance(part: Part, state: State, steps: int, tolerance: float) -> Progress:
    if np.isnan(state.memory["inside"][0]):
        return finish(part, state, steps, tolerance)
    path, tolerance = path_of(part, state), attainable(part, tolerance)
    if state.memory["b"].size == 0:
        remember(state, path.start())
        state.memory["inside"][0] = dual_of(part, state, path.given)
        return Progress.MOVING
    path.columns.use(int(state.memory["inside"][2]))
    point = path.advance(remembered(state), tolerance)
    if point is not None:
        remember(state, point)
        expose(part, state, path, point)
        state.steps += 1
        state.memory["inside"][1:] += 1.0, path.columns.rank - state.memory["inside"][2]
    if point is None or closed(state, path, point, tolerance):
        leave(part, state, path, tolerance)
    return Progress.MOVING


def wind_up(part: Part, state: State, tolerance: float) -> bool:
    """Onto the bounds, if the way there was still between them; returns whether it was."""
    between = bool(state.memory["b"].size)
    if between:
        leave(part, state, path_of(part, state), attainable(part, tolerance))
    return between


def attainable(part: Part, tolerance: float) -> float:
    return max(tolerance, FINEST * float(part.form.margin.max()))


def finish(part: Part, state: State, steps: int, tolerance: float) -> Progress:
    """Dense systems in double precision while they help: single-precision rows err by as much as C is large."""
    bench = two_level.Workbench(part)
    violation = bench.look(state)
    if violation <= tolerance:
        return Progress.CONVERGED
    best = state.memory["inside"]
    best[2] = 0.0 if violation <= LESS * best[1] else best[2] + 1.0
    best[1] = min(best[1], violation)
    if best[2] <= PATIENCE:
        chosen = polish.select(part, state.alpha, bench.gradient_of_all(state), max(0.25 * tolerance, 0.1 * violation))
        if two_level.polishable(part, chosen) and bench.solve_chosen(state, chosen, 0.25 * tolerance):
            return Progress.MOVING
    return two_level.advance(part, state, steps, tolerance)


def path_of(part: Part, state: State) -> Path:
    """The same for all slices, so that it is made once."""
    if "path" not in part.kept:
        layout, exact = Layout(part), part.balanced or part.multiplied
        columns = Columns(part.gram, 0.0 if exact else part.offset, exact, rank_cap(layout))
        given = state.constant - part.offset * weights_of(part, state.alpha).sum(axis=0)
        part.kept["path"] = Path(layout, columns, given)
    return part.kept["path"]


def remember(state: State, point: Point) -> None:
    for name in POINT:
        state.memory[name] = getattr(point, name)


def remembered(state: State) -> Point:
    return Point(*(state.memory[name] for name in POINT))


def closed(state: State, path: Path, point: Point, tolerance: float) -> bool:
    enough = CLEAR * tolerance * float(path.layout.upper.mean())
    return bool(path.mean(point) <= enough or state.memory["inside"][1] >= ITERATIONS)


def expose(part: Part, state: State, path: Path, point: Point) -> None:
    """The point as alpha, if its dual is the best so far."""
    weights = path.layout.weights(point.x)
    functions = path.functions(weights)
    dual = float(np.vdot(path.layout.gradient(0.5 * (functions + path.given)), point.x))  # with half of the energy
    if dual <= state.memory["inside"][0] or (part.balanced and unbalanced(weights)):
        return
    state.memory["inside"][0] = dual
    state.alpha[...] = path.layout.table(point.x)
    state.constant = path.given + part.offset * weights.sum(axis=0)
    state.functions[...] = functions
    if path.columns.exact:
        state.functions += part.offset * weights.sum(axis=0)


def dual_of(part: Part, state: State, given: np.ndarray) -> float:
    """Of the state as it stands, what is given from outside being constant."""
    with_half = gradients(part, 0.5 * (state.functions + given))  # half of the energy
    return float(np.vdot(state.alpha, with_half))


def unbalanced(weights: np.ndarray) -> bool:
    return bool(np.abs(weights.sum(axis=0)).max() > 1e-12 * np.abs(weights).sum())


def leave(part: Part, state: State, path: Path, tolerance: float) -> None:
    """To the exact kernel: variables near a bound onto it, the others solved for together."""
    wanted = settle(part, state, path, remembered(state))
    refresh(part, state)
    solve_for(part, state, wanted, tolerance)
    part.gram.evaluations += len(part) * int(state.memory["inside"][2])
    state.memory["inside"][:] = np.nan, np.inf, 0.0
    state.memory["effort"][:3] = two_level.WEARY, np.inf, 0.0
    state.memory["least"][:] = np.inf, state.steps
    nothing = np.empty((0, 0))
    remember(state, Point(nothing, nothing, nothing, nothing, np.empty(0)))
    del part.kept["path"]


def settle(part: Part, state: State, path: Path, point: Point) -> np.ndarray:
    """Take the point without what is clearly at a bound; returns (n, slots) which variables are not."""
    for clearly in CLEARLY:
        alpha, wanted = at_bounds(path.layout, point, clearly)
        if wanted.sum() <= TOGETHER_AT_LAST:
            break
    state.alpha[...] = balanced(part, state.alpha, alpha) if part.balanced else alpha
    total = weights_of(part, state.alpha).sum(axis=0)
    state.constant = path.given + part.offset * total + (point.b if part.multiplied else 0.0)
    return wanted


def at_bounds(layout: Layout, point: Point, clearly: float) -> tuple[np.ndarray, np.ndarray]:
    """Where the multiplier, not the distance, is what stays away from zero, the variable is at its bound."""
    size, upper = float(np.abs(layout.margin).mean()), layout.upper
    low = point.x / upper < clearly * point.z / size
    full = point.t / upper < clearly * point.w / size
    x = np.where(low, 0.0, point.x)
    if not layout.sums:
        return layout.table(np.where(full, upper, x)), layout.table(~low & ~full) > 0.0
    sums = x.sum(axis=1, keepdims=True)
    x = x * np.divide(upper, sums, out=np.ones_like(sums), where=full & (sums > 0.0))
    alone = full & ((~low).sum(axis=1, keepdims=True) == 1)
    return layout.table(x), layout.table(~low & ~alone) > 0.0


def solve_for(part: Part, state: State, wanted: np.ndarray, tolerance: float) -> None:
    bench = two_level.Workbench(part)
    chosen = polish.choose(wanted, bench.gradient_of_all(state))
    if chosen.slot.size and two_level.polishable(part, chosen):
        bench.solve_chosen(state, chosen, 0.25 * tolerance)


def balanced(part: Part, before: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """The free variables of a binary machine moved so that the balance is kept; as before where they cannot."""
    sign = part.form.direction[part.labels, 0, 0]
    beta, bound = sign * alpha[:, 0], sign * part.upper
    free = np.flatnonzero((alpha[:, 0] > 0.0) & (alpha[:, 0] < part.upper))
    low, high = np.minimum(bound, 0.0)[free], np.maximum(bound, 0.0)[free]
    needed = float(beta[free].sum() - beta.sum())
    if free.size == 0 or not low.sum() < needed < high.sum():
        return before
    beta[free] = simplex.project_box_sum(beta[free], low, high, needed)
    return (sign * beta)[:, None]
