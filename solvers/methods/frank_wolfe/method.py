"""Frank-Wolfe (note on the WW-M-SVM): plain, away-step and pairwise, by chunks of examples, with any bias.

A step is one exact line search. `fw` is the plain method of the note. The two variants alternate their step,
which frees what violates, with a fully corrective one inside the face then reached (`correction`): golden case
vehicle, ww, rbf 0.5, C = 0.5, tolerance 1e-6 takes them 100 steps with it, 4 480 (away) and 7 616 (pairwise)
without. Small problems are one chunk; otherwise the worst examples are taken, and others in turn. A slice ends
between rounds, a round being one visit of a chunk.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass

import numpy as np

from solvers.dual.quantities import equality_range, examine, weights_of
from solvers.gram import Gram
from solvers.methods.base import Progress, State
from solvers.methods.frank_wolfe import steps as rules
from solvers.methods.frank_wolfe.chunk import Chunk, cut
from solvers.methods.frank_wolfe.correction import Face, correct
from solvers.methods.frank_wolfe.oracles import oracle_of
from solvers.problem import Part

WHOLE = 512  # examples up to which everything is one chunk
EXAMPLES = 192  # of a chunk otherwise
VARIABLES = 5_000  # of a chunk, at most: with very many classes it has fewer examples
IN_TURN = 4  # one in so many of a chunk is chosen in turn
BATCH = 64  # kernel rows asked for at once
ROUND = 64  # steps of a round; a correction once begun may end it later
CORRECTION = 400  # steps of one correction, at most
SHARE = 0.1  # of the violation outside, to which a chunk or a face is solved
UNBALANCED = 1e-9  # share of U: what a given start may be out of balance
LOST = 4e-16  # a gain below this share of the dual is rounding


@dataclass(frozen=True)
class FrankWolfe:
    """One of the variants, as a method."""

    NAME: str
    SUPPORTS: str
    rule: rules.Rule
    corrective: bool
    KEEPS_BALANCE: bool = True
    NATURAL_GAP: float | None = None  # the relative gap it stops at unless told otherwise
    round: int = ROUND  # steps; of one, every step can be looked at

    def refuse(self, part: Part) -> str | None:
        return None

    def start(self, part: Part) -> State:
        state = State.zero(part)
        state.memory["turn"] = np.zeros(1, dtype=np.int64)  # the example whose turn is next
        state.memory["recent"] = np.empty(0, dtype=np.int64)  # the chunk of the last round
        state.memory["idle"] = np.zeros(1, dtype=np.int64)  # examples visited in vain since the last gain
        state.memory["strictness"] = np.ones(1)  # halved by every claim of convergence: refused ones come back
        return state

    def advance(self, part: Part, state: State, steps: int, tolerance: float) -> Progress:
        goal = state.steps + steps
        if part.balanced and state.steps == 0:
            give_up_unbalanced(part, state)
        while state.steps < goal:
            strict = tolerance * float(state.memory["strictness"][0])
            violation, violations = look(part, state)
            if violation <= strict:
                state.memory["strictness"] *= 0.5
                return Progress.CONVERGED
            visit(self, part, state, violation, violations, strict)
            if state.memory["idle"][0] >= len(part):
                return Progress.STALLED
        return Progress.MOVING


def give_up_unbalanced(part: Part, state: State) -> None:
    """A given start that does not keep the balance is no start: zero is."""
    if np.abs(weights_of(part, state.alpha).sum(axis=0)).max() > UNBALANCED * float(part.upper.max()):
        state.alpha[...], state.functions[...], state.constant = 0.0, 0.0, np.zeros_like(state.constant)


def look(part: Part, state: State) -> tuple[float, np.ndarray]:
    """The violation to be brought below the tolerance, and every example's share in it."""
    if not (part.balanced and part.form.outputs == 1):
        standing = examine(part, state.alpha, state.functions)
        return standing.violation, standing.violations
    high, low = equality_range(part, state.alpha, state.functions)
    standing = examine(part, state.alpha, state.functions + 0.5 * (high + low))
    return high - low, standing.violations


def visit(
    method: FrankWolfe, part: Part, state: State, violation: float, violations: np.ndarray, tolerance: float
) -> None:
    """A round: cut out a chunk, climb in it, put it back."""
    examples = choose(violations, state.memory["turn"], VARIABLES // part.form.slots)
    whole = examples.size == len(part)
    if not np.array_equal(examples, state.memory["recent"]):
        part.gram.evaluations += examples.size**2
        state.memory["recent"] = examples
    chunk = cut(part, state, examples, kernel_of(part, examples))
    begun = chunk.point
    chunk.tidy()
    state.steps += climb(chunk, method, max(0.25 * tolerance, 0.0 if whole else SHARE * violation))
    chunk.tidy()
    put_back(part, state, chunk, begun)
    if chunk.gained > LOST * abs(float(chunk.margin @ chunk.point)):
        state.memory["idle"][0] = 0
    else:
        state.memory["idle"][0] += len(part) if whole else examples.size // IN_TURN


def choose(violations: np.ndarray, turn: np.ndarray, room: int) -> np.ndarray:
    """The most violating examples and a remainder in turn, so that all are visited; rising."""
    n = violations.size
    if n <= min(WHOLE, room):
        return np.arange(n)
    size = min(n, EXAMPLES, max(2 * IN_TURN, room))
    chosen = np.zeros(n, dtype=bool)
    chosen[np.arange(turn[0], turn[0] + size // IN_TURN) % n] = True
    turn[0] = (turn[0] + size // IN_TURN) % n
    order = np.argsort(-violations, kind="stable")
    chosen[order[~chosen[order]][: size - size // IN_TURN]] = True
    return np.flatnonzero(chosen)


KERNELS_OF_LAST_CHUNK: weakref.WeakKeyDictionary[Gram, tuple[np.ndarray, np.ndarray]] = weakref.WeakKeyDictionary()


def kernel_of(part: Part, examples: np.ndarray) -> np.ndarray:
    """K + offset among these examples in float64; kept while the chunk stays the same."""
    before = KERNELS_OF_LAST_CHUNK.get(part.gram)
    if before is None or not np.array_equal(before[0], examples):
        points = part.gram.points.take(examples)
        kernel = part.gram.kernel.block(points, points, np.empty((examples.size, examples.size)))
        before = KERNELS_OF_LAST_CHUNK[part.gram] = examples, kernel
    return before[1] + part.offset if part.offset else before[1]


def climb(chunk: Chunk, method: FrankWolfe, goal: float) -> int:
    """Frank-Wolfe on the chunk until its violation is below `goal` or the round is over; returns the steps."""
    oracle, steps = oracle_of(chunk), 0
    while True:
        gradient = chunk.gradient()
        best, bias = oracle(chunk, gradient, False)
        violation = settle_bias(chunk, gradient, bias, method.corrective)
        if violation <= goal or steps >= method.round:
            return max(1, steps)
        direction, longest = method.rule(chunk, oracle, gradient, best)
        if not rules.take(chunk, direction, float(gradient @ direction), longest, *chunk.product(direction)):
            return max(1, steps)
        steps += 1
        if method.corrective:
            steps += correct(chunk, max(0.5 * goal, SHARE * violation), CORRECTION)


def settle_bias(chunk: Chunk, gradient: np.ndarray, bias: np.ndarray, corrective: bool) -> float:
    """Of the bias of the linear programme and that of the free variables, the one that violates less."""
    chunk.bias, violation = bias, chunk.violation(chunk.reduced(gradient, bias))
    if not (chunk.balanced and corrective):
        return violation
    other = Face(chunk).multipliers(gradient)
    less = chunk.violation(chunk.reduced(gradient, other))
    if less < violation:
        chunk.bias, violation = other, less
    return violation


def put_back(part: Part, state: State, chunk: Chunk, begun: np.ndarray) -> None:
    """alpha, and the functions: of the chunk in float64, of all others by one product with kernel rows."""
    change = (chunk.expand @ (chunk.point - begun)).reshape(chunk.functions.shape)
    state.alpha[chunk.examples[chunk.member], chunk.slot] = chunk.point
    moved = np.flatnonzero(change.any(axis=1))
    if chunk.examples.size < len(part):
        batch = min(part.gram.capacity, BATCH)
        for some in np.split(moved, range(batch, moved.size, batch)):
            slots = part.gram.rows(chunk.examples[some])
            state.functions += part.gram.store[slots].T @ change[some].astype(np.float32)
    if part.offset:
        shift = part.offset * change.sum(axis=0)
        state.functions += shift
        state.constant = state.constant + shift
    if part.balanced:
        state.functions += chunk.bias - state.constant
        state.constant = chunk.bias
        chunk.functions = chunk.functions + chunk.bias
    state.functions[chunk.examples] = chunk.functions


ALL = "every machine, kernel and bias"
PLAIN = FrankWolfe(
    "fw",
    f"{ALL}; it nears the optimum as 1/steps and stops by its gap",
    rules.plain,
    corrective=False,
    NATURAL_GAP=1e-3,
)
AWAY = FrankWolfe("fw-away", ALL, rules.away, corrective=True)
PAIRWISE = FrankWolfe("fw-pairwise", ALL, rules.pairwise, corrective=True)
