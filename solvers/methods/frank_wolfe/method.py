"""Frank-Wolfe (note on the WW-M-SVM): plain, away-step and pairwise, by chunks of examples, with any bias.

A step is one exact line search; a round is the visit of one chunk, and slices end between rounds. `fw` is the plain
method of the note. The two variants alternate their own step, which frees violating variables, with a fully corrective
step inside the face that was reached (`correction.py`). With it the golden case vehicle, ww, rbf 0.5, C = 0.5,
tolerance 1e-6 takes 100 steps; without it, 4 480 (away) and 7 616 (pairwise). Small problems are one chunk; otherwise a
chunk holds the most violating examples, and others in turn. A round computes on its chunk and changes the state at its
end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcsvm.solvers.budget import FRANK_WOLFE, INNER
from mcsvm.solvers.dual.quantities import examine, weights_of
from mcsvm.solvers.interrupt import tick
from mcsvm.solvers.jit.rounding import FEASIBLE, LAST_DIGITS
from mcsvm.solvers.methods.base import Method, Progress, State
from mcsvm.solvers.methods.frank_wolfe import steps as rules
from mcsvm.solvers.methods.frank_wolfe.chunk import Chunk, cut
from mcsvm.solvers.methods.frank_wolfe.correction import ChunkFace, correct
from mcsvm.solvers.methods.frank_wolfe.oracles import ORACLES, oracle_of
from mcsvm.solvers.problem import Part
from mcsvm.solvers.work import MOVE, ROWS, pieces


@dataclass(kw_only=True)
class FrankWolfeState(State):
    recent: np.ndarray  # examples of the last chunk
    turn: int = 0  # the next example to be chosen in turn
    idle: int = 0  # examples visited since the dual last rose by more than rounding
    strictness: float = 1.0  # factor on the tolerance, halved at every claim of convergence, in case it is refuted


@dataclass(frozen=True)
class FrankWolfe(Method[FrankWolfeState]):
    name: str
    supports: str
    rule: rules.StepRule
    corrective: bool
    natural_gap: float | None = None
    steps_of_round: int = FRANK_WOLFE.round_steps
    keeps_balance = True
    geometries = tuple(ORACLES)

    def start(self, part: Part, seed: int) -> FrankWolfeState:
        state: FrankWolfeState = FrankWolfeState.zero(part, recent=np.empty(0, dtype=np.int64))
        return state

    def advance(self, part: Part, state: FrankWolfeState, steps: int, tolerance: float) -> Progress:
        goal = state.steps + steps
        if part.balanced and state.steps == 0:
            reset_unbalanced(part, state)
        while state.steps < goal:
            strict = tolerance * state.strictness
            violation, violations = look(part, state)
            if violation <= strict:
                state.strictness *= 0.5
                return Progress.CONVERGED
            visit(self, part, state, violation, violations, strict)
            if state.idle >= len(part):
                return Progress.STALLED
        return Progress.MOVING


def reset_unbalanced(part: Part, state: State) -> None:
    """Replace a start that misses the balance by alpha = 0."""
    if np.abs(weights_of(part, state.alpha).sum(axis=0)).max() > FEASIBLE * float(part.upper.max()):
        state.alpha[...], state.functions[...], state.constant = 0.0, 0.0, np.zeros_like(state.constant)


def look(part: Part, state: State) -> tuple[float, np.ndarray]:
    """Return the KKT violation, and the violation of each example, (n,)."""
    span = part.geometry.span(part, state.alpha, state.functions)
    standing = examine(part, state.alpha, state.functions if span is None else state.functions + 0.5 * sum(span))
    return standing.violation, standing.violations


def visit(
    method: FrankWolfe,
    part: Part,
    state: FrankWolfeState,
    violation: float,
    violations: np.ndarray,
    tolerance: float,
) -> None:
    """Run a round: cut out a chunk, raise the dual on it, update the state."""
    examples, turn = choose(violations, state.turn, FRANK_WOLFE.variables // part.form.slots)
    whole = examples.size == len(part)
    chunk = cut(part, state, examples, kernel_of(part, examples))
    begun = chunk.point
    chunk.tidy()
    goal = max(INNER.newton_share * tolerance, 0.0 if whole else INNER.share * violation)
    steps = ascend(chunk, method, goal, state.steps_left)
    chunk.tidy()
    put_back(part, state, chunk, begun)
    state.steps, state.turn = state.steps + steps, turn
    if not np.array_equal(examples, state.recent):
        part.gram.evaluations += examples.size**2
        state.recent = examples
    if chunk.gained > LAST_DIGITS * abs(float(chunk.margin @ chunk.point)):
        state.idle = 0
    else:
        state.idle += len(part) if whole else examples.size // FRANK_WOLFE.in_turn


def choose(violations: np.ndarray, turn: int, room: int) -> tuple[np.ndarray, int]:
    """Return (the most violating examples and others in turn, in rising order; the next turn).

    The turns make sure that every example is visited at some time.
    """
    n = violations.size
    if n <= min(FRANK_WOLFE.whole, room):
        return np.arange(n), turn
    size = min(n, FRANK_WOLFE.examples, max(2 * FRANK_WOLFE.in_turn, room))
    chosen = np.zeros(n, dtype=bool)
    chosen[np.arange(turn, turn + size // FRANK_WOLFE.in_turn) % n] = True
    order = np.argsort(-violations, kind="stable")
    chosen[order[~chosen[order]][: size - size // FRANK_WOLFE.in_turn]] = True
    return np.flatnonzero(chosen), (turn + size // FRANK_WOLFE.in_turn) % n


def kernel_of(part: Part, examples: np.ndarray) -> np.ndarray:
    """Return K + offset among these examples in float64; the part keeps it while the chunk stays the same."""
    before, kernel = part.kept.get("frank_wolfe", (None, None))
    if before is None or not np.array_equal(before, examples):
        points = part.gram.points.take(examples)
        kernel = part.gram.kernel.block(points, points, np.empty((examples.size, examples.size)))
        part.kept["frank_wolfe"] = examples, kernel
    return kernel + part.offset if part.offset else kernel


def ascend(chunk: Chunk, method: FrankWolfe, goal: float, most: int) -> int:
    """Run Frank-Wolfe until the chunk's violation is below `goal` or the round is over; return the steps <= most."""
    oracle, steps, end = oracle_of(chunk), 0, min(method.steps_of_round, most)
    while True:
        gradient = chunk.gradient()
        best, bias = oracle(chunk, gradient, False)
        violation = choose_bias(chunk, gradient, bias, method.corrective)
        if violation <= goal or steps >= end:
            return max(1, steps)
        direction, longest = method.rule(chunk, oracle, gradient, best)
        if not rules.take(chunk, direction, float(gradient @ direction), longest, *chunk.product(direction)):
            return max(1, steps)
        steps += 1
        tick()
        if method.corrective:
            correction = min(FRANK_WOLFE.correction_steps, most - steps)
            steps += correct(chunk, max(0.5 * goal, INNER.share * violation), correction)


def choose_bias(chunk: Chunk, gradient: np.ndarray, bias: np.ndarray, corrective: bool) -> float:
    """Set the bias of the linear programme or of the free variables, whichever violates less; return the violation."""
    chunk.bias, violation = bias, chunk.violation(chunk.reduced(gradient, bias))
    if not (chunk.balanced and corrective):
        return violation
    other = ChunkFace(chunk).multipliers(gradient)
    less = chunk.violation(chunk.reduced(gradient, other))
    if less < violation:
        chunk.bias, violation = other, less
    return violation


def put_back(part: Part, state: State, chunk: Chunk, begun: np.ndarray) -> None:
    """Update alpha and the functions: those of the chunk in float64, all others by a product with kernel rows."""
    change = (chunk.expand @ (chunk.point - begun)).reshape(chunk.functions.shape)
    functions, moved = state.functions.copy(), np.flatnonzero(change.any(axis=1))
    if chunk.examples.size < len(part):
        batch = min(part.gram.capacity, ROWS)
        for some in np.split(moved, range(batch, moved.size, batch)):
            slots = part.gram.fetch(chunk.examples[some])  # a bounded store may compute these again
            weights = change[some].astype(np.float32)
            for rows in pieces(len(part), batch * (MOVE + 2.0 * weights.shape[1])):
                functions[rows] += part.gram.store[:, rows][slots].T @ weights
                tick()
    if part.offset:
        shift = part.offset * change.sum(axis=0)
        functions += shift
        state.constant = state.constant + shift
    if part.balanced:
        functions += chunk.bias - state.constant
        state.constant = chunk.bias
        chunk.functions = chunk.functions + chunk.bias
    functions[chunk.examples] = chunk.functions
    state.alpha[chunk.examples[chunk.member], chunk.slot] = chunk.point
    state.functions[...] = functions
