"""LASVM as a method of runs (Bordes, Ertekin, Weston & Bottou 2005): passes over the examples until none violates.

The first pass processes every example once, in random order; later passes process the violating examples, the worst
first. The machine and its pool work on `LasvmState.entries` and `.slots`, which are up to date at every tick. LASVM
itself needs neither alpha nor the class functions: these are updated at fixed step counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

import numpy as np

from mcsvm.solvers.budget import BUDGET, LASVM
from mcsvm.solvers.dual.geometry import LINE
from mcsvm.solvers.dual.quantities import weights_of
from mcsvm.solvers.errors import Sentence
from mcsvm.solvers.interrupt import tick
from mcsvm.solvers.jit import online as jit
from mcsvm.solvers.jit.rounding import LAST_DIGITS
from mcsvm.solvers.methods.base import Method, Progress, State
from mcsvm.solvers.methods.lasvm.choice import CHOICES, draw
from mcsvm.solvers.methods.lasvm.machine import Entries, OnlineMachine
from mcsvm.solvers.methods.lasvm.pool import Pool, Slots
from mcsvm.solvers.problem import Part
from mcsvm.solvers.work import PIECE, ROWS, STEP_OPERATIONS

SEED = 2005  # mixed with the run's seed


class LasvmPhase(Enum):
    FRESH = auto()
    LEARNING = auto()  # PROCESS and REPROCESS in turn, through the queue
    FINISHING = auto()  # REPROCESS until the kept examples are solved
    SWEEPING = auto()  # look for violations among all examples


@dataclass(kw_only=True)
class LasvmState(State):
    seed: int
    slots: Slots
    entries: Entries
    queue: np.ndarray  # examples of this pass
    shown: np.ndarray  # (n,) the weights that the class functions were computed from
    phase: LasvmPhase = LasvmPhase.FRESH
    position: int = 0  # in the queue
    forced: int = 0  # examples at the front of the queue that are kept even if they violate with no other
    reprocesses: bool = False  # whether REPROCESS is next, else PROCESS
    claimed: bool = False  # convergence was claimed, so that the run has just computed the functions in float64
    quiet: int = 0  # passes since the dual last rose by more than rounding
    best_dual: float = -np.inf
    examples_seen: int = 0  # processed, repetitions counted
    show_at: int = 1  # step count at which alpha and the functions are updated next


@dataclass(frozen=True)
class Lasvm(Method[LasvmState]):
    """LASVM with one way to choose examples and one way to choose partners."""

    name: str
    choice: str = "random"
    second_order: bool = True
    supports: str = (
        "ova, ovo and dag with exact bias, any kernel: learns example by example and keeps only support vectors"
    )

    def refuse(self, part: Part) -> Sentence | None:
        if part.geometry == LINE:
            return None
        return Sentence(
            "{name} learns binary machines with an exact bias:"
            " use the machine ova, ovo or dag with bias exact, or another solver.",
            name=self.name,
        )

    def start(self, part: Part, seed: int) -> LasvmState:
        state: LasvmState = LasvmState.zero(
            part,
            seed=seed,
            slots=Slots.empty(),
            entries=Entries.empty(),
            queue=np.empty(0, dtype=np.int64),
            shown=np.zeros(len(part)),
        )
        return state

    def examples_seen(self, state: LasvmState) -> int:
        """Return the number of PROCESS steps: n after the first pass."""
        return state.examples_seen

    def advance(self, part: Part, state: LasvmState, steps: int, tolerance: float) -> Progress:
        return self._learner(part, state).go(state.steps + steps, tolerance)

    def _learner(self, part: Part, state: LasvmState) -> Learner:
        """Return the Learner of the last slice, or a new one, which recomputes the kernel values of its pool."""
        kept = part.kept.get(self.name)
        if kept is None or kept.pool.slots is not state.slots or kept.machine.entries is not state.entries:
            kept = part.kept[self.name] = Learner(part, state, self)
        return kept


class Learner:
    """Advances a LasvmState: has its binary machine and pool, and works through its queue of examples."""

    def __init__(self, part: Part, state: LasvmState, method: Lasvm) -> None:
        self.part, self.state, self.method = part, state, method
        self.signs = part.form.direction[part.labels, 0, 0]
        self.margins = self.signs * part.form.margin[part.labels, 0]
        self._hold(state.slots, state.entries)

    def _hold(self, slots: Slots, entries: Entries) -> None:
        gram, margin = self.part.gram, float(self.part.form.margin[0, 0])
        self.pool = Pool(gram.kernel, gram.points, gram.cache_bytes / 2**20, slots)
        self.machine = OnlineMachine(self.pool, margin, second_order=self.method.second_order, entries=entries)

    # -- the loop ---------------------------------------------------------------------------------

    def go(self, goal: int, tolerance: float) -> Progress:
        state = self.state
        if state.phase is LasvmPhase.FRESH:
            self._begin()
        while True:
            if state.phase is LasvmPhase.LEARNING and not self._learn(goal, tolerance):
                return Progress.MOVING
            if state.phase is LasvmPhase.FINISHING and not self._finish(goal, tolerance):
                return Progress.MOVING
            ending = self._sweep(tolerance)
            if ending is not None:
                self._show()
                return ending

    def _begin(self) -> None:
        """Keep the examples with nonzero alpha at the start, and queue all others."""
        state, used = self.state, np.flatnonzero(self.state.alpha[:, 0])
        self._hold(Slots.empty(), Entries.empty())
        for example in used:
            slot = self.pool.insert(int(example), self.pool.row(int(example)))
            upper, positive = float(self.part.upper[example]), bool(self.signs[example] > 0.0)
            self.machine.admit(slot, 0.0, upper, positive=positive)
            tick()
        self.machine.beta[:] = self.signs[used] * state.alpha[used, 0]
        self._reread()
        order = np.random.default_rng([SEED, state.seed]).permutation(len(self.part))
        state.slots, state.entries = self.pool.slots, self.machine.entries
        state.shown = weights_of(self.part, state.alpha)[:, 0]
        state.queue = order[state.alpha[order, 0] == 0.0]
        state.phase = LasvmPhase.LEARNING

    def _learn(self, goal: int, tolerance: float) -> bool:
        """Run PROCESS and REPROCESS in turn; return whether the queue is empty."""
        state = self.state
        while state.position < state.queue.size or state.reprocesses:
            if state.steps >= state.show_at:
                self._show()
            if state.steps >= goal:
                return False
            if state.reprocesses:
                state.steps += self.machine.reprocess(tolerance, 1)[1]
            else:
                self._process(tolerance)
            state.reprocesses = not state.reprocesses
            self._charge()
            tick()
        state.phase = LasvmPhase.FINISHING
        return True

    def _process(self, tolerance: float) -> None:
        forced = self.state.position < self.state.forced
        example = self._next()
        self.machine.process(
            example,
            self.pool.row(example),
            float(self.part.curvature[example]),
            float(self.part.upper[example]),
            tolerance,
            positive=bool(self.signs[example] > 0.0),
            force=forced,
        )
        self.state.steps += 1
        self.state.examples_seen += 1

    def _next(self) -> int:
        state, queue, position = self.state, self.state.queue, self.state.position
        worth = CHOICES[self.method.choice]
        if worth is not None and position >= state.forced and len(self.machine):
            places = draw(queue, position, [SEED, state.steps, state.seed])
            values = self.pool.block(queue[places])[:, self.machine.slot] @ self.machine.beta
            best = places[np.argmax(worth(values + self.machine.bias(), self.signs[queue[places]]))]
            queue[[position, best]] = queue[[best, position]]
        state.position += 1
        return int(queue[position])

    def _finish(self, goal: int, tolerance: float) -> bool:
        """Run REPROCESS until the kept examples are solved; return whether they are."""
        state = self.state
        while True:
            if state.steps >= state.show_at:
                self._show()
            piece = max(1, int(PIECE / (STEP_OPERATIONS * (len(self.machine) + 1))))
            limit = min(goal, state.show_at, state.steps + piece) - state.steps
            why, steps = self.machine.reprocess(tolerance, limit)
            state.steps += steps
            self._charge()
            if why != jit.LIMIT:
                state.phase = LasvmPhase.SWEEPING
                return True
            if state.steps >= goal:
                return False
            tick()

    # -- between passes ---------------------------------------------------------------------------

    def _sweep(self, tolerance: float) -> Progress | None:
        """Compute all functions in float64 and queue the violating examples; return how the run ends, or None."""
        state = self.state
        if state.claimed:  # the claim was refuted, by functions that were computed in float64
            state.claimed = False
        else:
            self._recompute()
        self._reread()
        z = self.margins - state.functions[:, 0]
        rising, falling = LINE.movable(self.part, state.alpha)
        top, bottom = int(np.argmax(np.where(rising, z, -np.inf))), int(np.argmin(np.where(falling, z, np.inf)))
        if z[top] - z[bottom] <= tolerance or not (rising[top] and falling[bottom]):
            state.claimed = True
            return Progress.CONVERGED
        if self._quiet():
            return Progress.STALLED
        excess = np.where(self.signs > 0.0, z - z[bottom], z[top] - z)
        self._enqueue(np.array([top, bottom]), excess, tolerance)
        return None

    def _enqueue(self, pair: np.ndarray, excess: np.ndarray, tolerance: float) -> None:
        """Queue the most violating pair, which is kept in any case, then all other violating examples, worst first."""
        outside = np.ones(len(self.part), dtype=bool)
        outside[self._examples()] = False
        forced = pair[outside[pair]]
        outside[forced] = False
        others = np.flatnonzero(outside & (excess > tolerance))
        others = others[np.argsort(-excess[others], kind="stable")]
        self.state.queue = np.concatenate([forced, others])
        self.state.position, self.state.forced, self.state.reprocesses = 0, forced.size, False
        self.state.phase = LasvmPhase.LEARNING

    def _quiet(self) -> bool:
        """Return whether the dual has stopped rising."""
        state, alpha = self.state, self.state.alpha[:, 0]
        linear = float(np.vdot(self.part.form.margin[self.part.labels, 0], alpha))
        dual = linear - 0.5 * float(np.vdot(self.signs * alpha, state.functions[:, 0]))
        state.quiet = 0 if dual > state.best_dual + LAST_DIGITS * linear else state.quiet + 1
        state.best_dual = max(state.best_dual, dual)
        return state.quiet >= LASVM.quiet_passes

    # -- alpha and the class functions ------------------------------------------------------------

    def _examples(self) -> np.ndarray:
        return self.pool.slots.example[self.machine.slot]

    def _alpha(self) -> np.ndarray:
        """Return alpha of the machine, (n, 1)."""
        alpha = np.zeros_like(self.state.alpha)
        alpha[self._examples(), 0] = np.abs(self.machine.beta)
        return alpha

    def _reread(self) -> None:
        examples = self._examples()
        self.machine.z[:] = self.margins[examples] - self.state.functions[examples, 0]

    def _recompute(self) -> None:
        """Compute alpha, and the class functions in float64."""
        alpha, gram = self._alpha(), self.part.gram
        weights = weights_of(self.part, alpha)
        products = gram.products(weights)
        gram.evaluations += len(self.part) * int(np.count_nonzero(weights))
        self.state.alpha[...] = alpha
        self.state.functions[...] = products
        self.state.shown = weights[:, 0]

    def _show(self) -> None:
        """Update alpha and all class functions, for samples and in case the run ends here."""
        state, gram, alpha = self.state, self.part.gram, self._alpha()
        weights = weights_of(self.part, alpha)[:, 0]
        change = weights - state.shown
        changed = np.flatnonzero(change)
        if changed.size <= gram.capacity:
            slots = gram.fetch(changed)
            moved = np.zeros(len(self.part))
            for some in range(0, changed.size, ROWS):
                these = slice(some, some + ROWS)
                moved += change[changed[these]].astype(np.float32) @ gram.store[slots[these]]
        else:
            moved = gram.products(change[:, None])[:, 0]
        examples = self._examples()
        state.alpha[...] = alpha
        state.functions[:, 0] += moved
        state.functions[examples, 0] = self.margins[examples] - self.machine.z
        state.shown = weights
        state.show_at = state.steps + min(max(1, state.steps // BUDGET.decide_share), BUDGET.decide_most)

    def _charge(self) -> None:
        self.part.gram.evaluations += self.pool.evaluations
        self.pool.evaluations = 0
