"""`ipm`, a low-rank interior point: Newton systems of the size of the kernel's rank; their number hardly depends on C.

On K ~ V V' (pivoted Cholesky) it follows the central path to the optimum of that problem (`follow`). Then it puts
variables near a bound onto it, solves for the others on the exact kernel (`leave`), and ends with dense systems and
blocks (`finish`). One interior iteration is a step. On the path, alpha is the point of the largest dual proved so far:
K - V V' is positive semidefinite, and its diagonal bounds the error of the dual by V V' (`excess`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from mcsvm.solvers.budget import BUDGET, INNER, PATH, Budget, next_decision
from mcsvm.solvers.dual.balance import is_balanced
from mcsvm.solvers.dual.geometry import LINE
from mcsvm.solvers.dual.quantities import weights_of
from mcsvm.solvers.factor.layout import Layout
from mcsvm.solvers.factor.normal import DIAGONALS, Columns, rank_cap
from mcsvm.solvers.factor.path import Path, PathPoint
from mcsvm.solvers.jit import sums
from mcsvm.solvers.jit.rounding import SINGLE
from mcsvm.solvers.methods.auto import blocks, faces
from mcsvm.solvers.methods.auto.blocks import BlockState, Workbench
from mcsvm.solvers.methods.base import Exploring, Method, Point, Progress, dual_at
from mcsvm.solvers.problem import Part


@dataclass
class Interior:
    """The point on the central path, and the progress of the dense systems after it."""

    iterations: int = 0
    rank: int = 0  # columns of the factor in use
    failed: int = 0  # forms of the Newton system that have failed (Path.normals)
    given: np.ndarray = field(default_factory=partial(np.empty, 0))  # (outputs,): the bias given from outside
    begun: bool = False
    closing: bool = False  # the path has ended, and `leave` is due
    left: bool = False  # `leave` is done: from then on the kernel is exact
    x: np.ndarray = field(default_factory=partial(np.empty, (0, 0)))
    z: np.ndarray = field(default_factory=partial(np.empty, (0, 0)))
    t: np.ndarray = field(default_factory=partial(np.empty, (0, 0)))
    w: np.ndarray = field(default_factory=partial(np.empty, (0, 0)))
    b: np.ndarray = field(default_factory=partial(np.empty, 0))
    least_violation: float = np.inf  # since `left`
    vain: int = 0  # consecutive dense systems that did not reduce the violation enough
    blocks_until: int = 0  # step count at which the turn of the blocks ends

    @property
    def point(self) -> PathPoint:
        return PathPoint(self.x, self.z, self.t, self.w, self.b)

    @point.setter
    def point(self, point: PathPoint) -> None:
        self.x, self.z, self.t, self.w, self.b = point.x, point.z, point.t, point.w, point.b


@dataclass
class InteriorState(BlockState, Exploring):
    interior: Interior = field(default_factory=Interior)


class InteriorPoint(Method[InteriorState]):
    name = "ipm"
    geometries = tuple(kind for kind in DIAGONALS if kind in blocks.KINDS and kind in faces.PROBLEMS)
    supports = "every machine, kernel and bias: made for large C and kernels of small rank, smooth or linear"

    def __init__(self, budget: Budget = BUDGET) -> None:
        self.budget = budget

    def start(self, part: Part, seed: int) -> InteriorState:
        state: InteriorState = InteriorState.zero(part)
        blocks.by_class(state)
        return state

    def advance(self, part: Part, state: InteriorState, steps: int, tolerance: float) -> Progress:
        until = state.steps + steps
        while state.steps < until:
            phase = finish if state.interior.left else follow
            progress = phase(part, state, until, tolerance, self.budget)
            if progress is not Progress.MOVING:
                return progress
        return Progress.MOVING

    def rehearse(self, part: Part) -> None:
        """Compile the turn of the blocks: a tiny problem ends before it."""
        state = self.start(part, 0)
        blocks.rehearse(part, state)
        blocks.advance(part, state, 50, 1e-3, self.budget)

    def wind_up(self, part: Part, state: InteriorState, tolerance: float) -> bool:
        return wind_up(part, state, tolerance, self.budget)


# -- on the central path ---------------------------------------------------------------------------


def follow(part: Part, state: InteriorState, until: int, tolerance: float, budget: Budget) -> Progress:
    """Take one interior iteration; if the path ends, `leave` it."""
    interior = state.interior
    if not interior.begun:
        interior.given = state.constant - part.offset * weights_of(part, state.alpha).sum(axis=0)
    path = path_of(part, state)
    if not interior.begun:
        state.keep(part)
        interior.point, interior.begun = path.start(), True
        return Progress.MILESTONE
    path.columns.use(interior.rank)
    if interior.closing:
        leave(part, state, path, tolerance, budget)
        return Progress.MILESTONE
    path.failed = interior.failed
    point = path.advance(interior.point, tolerance)
    if point is not None:
        exposed = exposure(part, state, path, point)
        if exposed is not None:
            state.kept, state.kept_dual = exposed
        interior.point = point
        interior.iterations, interior.rank, interior.failed = interior.iterations + 1, path.columns.rank, path.failed
        state.steps += 1
    interior.closing = point is None or closed(state, path, point, tolerance)
    if interior.closing:
        leave(part, state, path, tolerance, budget)
    return Progress.MILESTONE


def path_of(part: Part, state: InteriorState) -> Path:
    """Return the Path of the part, which is made once and kept for all slices."""
    if "path" not in part.kept:
        layout, exact = Layout.of(part), part.balanced or part.multiplied
        columns = Columns(part.gram, 0.0 if exact else part.offset, exact, rank_cap(part))
        part.kept["path"] = Path(layout, columns, state.interior.given)
    path: Path = part.kept["path"]
    return path


def closed(state: InteriorState, path: Path, point: PathPoint, tolerance: float) -> bool:
    """Return whether the path has ended: complementarity is small enough, or the limit of iterations is reached."""
    enough = PATH.clear * tolerance * float(path.layout.upper.mean())
    return bool(path.mean(point) <= enough or state.interior.iterations >= PATH.iterations)


def exposure(part: Part, state: InteriorState, path: Path, point: PathPoint) -> tuple[Point, float] | None:
    """Return (share * point, its dual by V V') if its proved dual exceeds that of the best point so far, else None.

    The proved dual of a multiple t of the point is t linear - t^2 (energy / 2 + excess): `share` maximises it over
    0 <= t <= 1, and is below 1 if V V' is coarse.
    """
    alpha = path.layout.table(point.x)
    if part.balanced and not is_balanced(part, alpha):
        return None
    weights = path.layout.weights(point.x)
    made = path.functions(weights) - path.given
    linear = float(np.vdot(path.layout.gradient(np.broadcast_to(path.given, made.shape)), point.x))
    energy, more = float(np.vdot(weights, made)), 2.0 * excess(part, path, weights)
    share = min(1.0, max(linear, 0.0) / max(energy + more, 1e-300))
    if share * (linear - 0.5 * share * (energy + more)) <= state.kept_dual:
        return None
    shift = share * part.offset * weights.sum(axis=0)
    functions = path.given + share * made + (shift if path.columns.exact else 0.0)
    kept = Point(np.asfortranarray(share * alpha), np.asfortranarray(functions), path.given + shift)
    return kept, share * (linear - 0.5 * share * energy)


def excess(part: Part, path: Path, weights: np.ndarray) -> float:
    """Return a bound on the excess of the dual by V V': |w' R w| <= (sum_i |w_i| sqrt(R_ii))^2, R = K - V V'."""
    left = np.sqrt(np.maximum(part.gram.diagonal + path.columns.bias**2 - path.columns.squares, 0.0))
    return 0.5 * float(np.square(np.abs(weights).T @ left).sum())


# -- to the exact kernel ---------------------------------------------------------------------------


def leave(part: Part, state: InteriorState, path: Path, tolerance: float, budget: Budget) -> None:
    """Leave the path: put variables near a bound onto it, and solve for the others together on the exact kernel.

    The state changes only at the end: after a stop within this function, all of it is repeated.
    """
    interior = state.interior
    alpha, constant, between = put_onto_bounds(part, state, path, interior.point)
    products = part.gram.products(weights_of(part, alpha))
    trial = blocks.by_class(BlockState(alpha, products + constant, constant, state.steps, state.limit))
    solve_for(part, trial, between, tolerance, budget)
    if dual_at(part, trial) < state.kept_dual - SINGLE * abs(state.kept_dual):
        kept = exactly(part, state.best)
        trial = trial if dual_at(part, trial) >= dual_at(part, kept) else kept
    state.alpha[...], state.functions[...], state.constant = trial.alpha, trial.functions, trial.constant
    state.steps = max(state.steps, trial.steps)
    state.kept, state.kept_dual = None, -np.inf
    part.gram.evaluations += len(part) * interior.rank
    state.interior = Interior(iterations=interior.iterations, rank=interior.rank, begun=True, left=True)
    state.spending.short_rounds, state.spending.newton_price = budget.short_rounds, 0.0
    state.spending.since_newton = np.inf  # so that blocks take a Newton step at once
    state.progression.least, state.progression.steps = np.inf, state.steps
    del part.kept["path"]


def exactly(part: Part, point: Point) -> BlockState:
    """Return the point with functions recomputed by the exact kernel."""
    products = part.gram.products(weights_of(part, point.alpha))
    return blocks.by_class(BlockState(point.alpha, products + point.constant, point.constant))


def put_onto_bounds(
    part: Part, state: InteriorState, path: Path, point: PathPoint
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (alpha with variables near a bound put onto it, its constant, (n, slots) the other variables)."""
    alpha, between = at_bounds(path.layout, point)
    alpha = rebalanced(part, state.best.alpha, alpha) if part.balanced else alpha
    total = weights_of(part, alpha).sum(axis=0)
    return alpha, path.given + part.offset * total + (point.b if part.multiplied else 0.0), between


def at_bounds(layout: Layout, point: PathPoint) -> tuple[np.ndarray, np.ndarray]:
    """Return (alpha, (n, slots) which variables are between their bounds).

    A variable is at its bound if its distance, as a share of U, is below its multiplier, as a share of the mean
    margin: on the path the product of both tends to zero, and one of them stays away from zero.
    """
    size, upper = float(np.abs(layout.margin).mean()), layout.upper
    low = point.x / upper < point.z / size
    full = point.t / upper < point.w / size
    x = np.where(low, 0.0, point.x)
    geometry = layout.part.geometry
    return layout.table(geometry.filled(x, upper, full)), layout.table(~low & ~geometry.pinned(~low, full)) > 0.0


def rebalanced(part: Part, before: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Return alpha of a binary machine with free variables moved to sum_i s_i alpha_i = 0, else `before`."""
    beta, low, high = LINE.signed(part, alpha)
    free = np.flatnonzero(LINE.free(alpha, part.upper)[:, 0])
    low, high = low[free], high[free]
    needed = float(beta[free].sum() - beta.sum())
    if free.size == 0 or not low.sum() < needed < high.sum():
        return before
    beta[free] = sums.project_box_sum(beta[free], low, high, needed)
    return (LINE.signs(part) * beta)[:, None]


def solve_for(part: Part, trial: BlockState, between: np.ndarray, tolerance: float, budget: Budget) -> None:
    bench = Workbench(part, budget)
    chosen = faces.choose(between, bench.gradient_of_all(trial))
    if chosen.slot.size and blocks.solvable_at_once(part, chosen, budget):
        bench.solve_chosen(trial, chosen, INNER.newton_share * tolerance)


def finish(part: Part, state: InteriorState, until: int, tolerance: float, budget: Budget) -> Progress:
    """Solve dense systems in float64 while they help, with turns of blocks: the error of float32 rows grows with C."""
    interior, bench = state.interior, Workbench(part, budget)
    if state.steps >= interior.blocks_until:
        violation = bench.look(state)
        if violation <= tolerance:
            return Progress.CONVERGED
        vain = 0 if violation <= budget.helped * interior.least_violation else interior.vain + 1
        least = min(violation, interior.least_violation)
        moved = False
        if vain <= budget.vain:
            threshold = max(INNER.newton_share * tolerance, INNER.share * violation)
            chosen = faces.select(part, state.alpha, bench.gradient_of_all(state), threshold)
            if blocks.solvable_at_once(part, chosen, budget):
                moved = bench.solve_chosen(state, chosen, INNER.newton_share * tolerance)
        interior.least_violation, interior.vain = least, vain
        if moved:
            return Progress.MILESTONE
        interior.blocks_until = next_decision(state.steps, budget)
    return blocks.advance(part, state, min(until, interior.blocks_until), tolerance, budget)


def wind_up(part: Part, state: InteriorState, tolerance: float, budget: Budget) -> bool:
    """Call `leave` if the point is still on the central path; return whether it was."""
    on_path = state.interior.begun and not state.interior.left
    if on_path:
        leave(part, state, path_of(part, state), tolerance, budget)
    return on_path
