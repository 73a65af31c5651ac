"""LASVM, an online method, run to the end: passes over the examples until none is left that violates.

The first pass takes every example once, in random order; later ones take those that violate, the worst first. What
decides the path lies in the state: what is kept, the queue, and where in it the pass stands.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.dual.quantities import weights_of
from solvers.jit import online as leaf
from solvers.methods.base import Progress, State
from solvers.methods.lasvm.choice import CHOICES, draw
from solvers.methods.lasvm.machine import FIELDS, OnlineMachine
from solvers.methods.lasvm.pool import ARRAYS, Pool
from solvers.problem import Part

SEED = 2005  # of the order of the first pass
QUIET_PASSES = 3  # without the dual rising beyond rounding: no step improves any more

POSITION, FORCED, PHASE, TURN, CLAIMED, QUIET = range(6)  # places in memory["counts"]
FRESH, LEARN, FINISH, SWEEP = range(4)  # phases


@dataclass(frozen=True)
class Lasvm:
    """The online method with one way of choosing examples and partners."""

    NAME: str
    choice: str = "random"
    second_order: bool = True
    SUPPORTS = "ova, ovo and dag with exact bias, any kernel: learns example by example and keeps only support vectors"

    def refuse(self, part: Part) -> str | None:
        if part.balanced and part.form.outputs == 1:
            return None
        return (
            f"{self.NAME} learns binary machines with an exact bias:"
            " use the machine ova, ovo or dag with bias exact, or another solver."
        )

    def start(self, part: Part) -> State:
        state = State.zero(part)
        fresh = Pool(part.gram.kernel, part.gram.points, part.gram.cache_bytes / 2**20)
        state.memory |= fresh.pack() | OnlineMachine(fresh, 1.0).pack()
        state.memory["queue"] = np.empty(0, dtype=np.int64)
        state.memory["counts"] = np.zeros(6, dtype=np.int64)
        state.memory["best"] = np.array([-np.inf])
        state.memory["shown"] = np.zeros(len(part))
        state.memory["seen"] = np.zeros(1, dtype=np.int64)
        return state

    def examples_seen(self, state: State) -> int:
        """How often one was taken: as many as there are after a pass, more where some are taken again."""
        return int(state.memory["seen"][0])

    def advance(self, part: Part, state: State, steps: int, tolerance: float) -> Progress:
        learner = self._learner(part, state)
        progress = learner.go(state.steps + steps, tolerance)
        learner.settle()
        return progress

    def _learner(self, part: Part, state: State) -> Learner:
        """The one that wrote this state, or one that stands as it did."""
        kept = part.kept.get(self.NAME)
        if kept is None or kept.state is not state or kept.pool.example is not state.memory["example"]:
            kept = part.kept[self.NAME] = Learner(part, state, self)
        return kept


class Learner:
    """One binary machine on the way through its examples."""

    def __init__(self, part: Part, state: State, method: Lasvm) -> None:
        self.part, self.state, self.method = part, state, method
        self.signs = part.form.direction[part.labels, 0, 0]
        self.margins = self.signs * part.form.margin[part.labels, 0]
        self.pool = Pool(part.gram.kernel, part.gram.points, part.gram.cache_bytes / 2**20)
        self.machine = OnlineMachine(self.pool, float(part.form.margin[0, 0]), second_order=method.second_order)
        self.pool.restore({name: state.memory[name] for name in ARRAYS})
        self.machine.restore({name: state.memory[name] for name in FIELDS})
        self.counts = state.memory["counts"]

    # -- the loop ---------------------------------------------------------------------------------

    def go(self, goal: int, tolerance: float) -> Progress:
        if self.counts[PHASE] == FRESH:
            self._begin()
        while True:
            if self.counts[PHASE] == LEARN and not self._learn(goal, tolerance):
                return Progress.MOVING
            if self.counts[PHASE] == FINISH and not self._finish(goal, tolerance):
                return Progress.MOVING
            ending = self._sweep(tolerance)
            if ending is not None:
                return ending

    def _begin(self) -> None:
        """Whatever alpha holds is kept; everything else is queued."""
        used = np.flatnonzero(self.state.alpha[:, 0])
        for example in used:
            slot = self.pool.insert(int(example), self.pool.row(int(example)))
            self._admit(slot, int(example))
        self.machine.column("beta")[:] = self.signs[used] * self.state.alpha[used, 0]
        self._reread()
        self.state.memory["shown"] = weights_of(self.part, self.state.alpha)[:, 0]
        order = np.random.default_rng(SEED).permutation(len(self.part))
        self.state.memory["queue"] = order[self.state.alpha[order, 0] == 0.0]
        self.counts[PHASE] = LEARN

    def _admit(self, slot: int, example: int) -> None:
        upper, positive = float(self.part.upper[example]), bool(self.signs[example] > 0.0)
        self.machine.admit(slot, 0.0, upper, positive=positive)

    def _learn(self, goal: int, tolerance: float) -> bool:
        """PROCESS and REPROCESS in turn; whether the queue is through."""
        while self.counts[POSITION] < self.state.memory["queue"].size or self.counts[TURN]:
            if self.state.steps >= goal:
                return False
            if self.counts[TURN] == 0:
                self._process(tolerance)
            else:
                self.state.steps += self.machine.reprocess(tolerance, 1)[1]
            self.counts[TURN] = 1 - self.counts[TURN]
        self.counts[PHASE] = FINISH
        return True

    def _process(self, tolerance: float) -> None:
        forced = bool(self.counts[POSITION] < self.counts[FORCED])
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
        self.state.memory["seen"] += 1

    def _next(self) -> int:
        queue, position = self.state.memory["queue"], int(self.counts[POSITION])
        worth = CHOICES[self.method.choice]
        if worth is not None and position >= self.counts[FORCED] and len(self.machine):
            places = draw(queue, position, [SEED, self.state.steps])
            values = self.pool.block(queue[places])[:, self.machine.column("slot")] @ self.machine.column("beta")
            best = places[np.argmax(worth(values + self.machine.bias(), self.signs[queue[places]]))]
            queue[[position, best]] = queue[[best, position]]
        self.counts[POSITION] += 1
        return int(queue[position])

    def _finish(self, goal: int, tolerance: float) -> bool:
        """Solve among what is kept; whether that is done."""
        why, steps = self.machine.reprocess(tolerance, goal - self.state.steps)
        self.state.steps += steps
        if why != leaf.LIMIT:
            self.counts[PHASE] = SWEEP
        return why != leaf.LIMIT

    # -- between passes ---------------------------------------------------------------------------

    def _sweep(self, tolerance: float) -> Progress | None:
        """All examples looked at in double precision: those that violate are queued, or this is the end."""
        self._write()
        if self.counts[CLAIMED]:  # then the functions were just made anew, by the one who did not believe it
            self.counts[CLAIMED] = 0
        else:
            self._functions_anew()
        self._reread()
        z = self.margins - self.state.functions[:, 0]
        alpha, upper = self.state.alpha[:, 0], self.part.upper
        room, used, positive = alpha < upper, alpha > 0.0, self.signs > 0.0
        rising, falling = np.where(positive, room, used), np.where(positive, used, room)
        top, bottom = int(np.argmax(np.where(rising, z, -np.inf))), int(np.argmin(np.where(falling, z, np.inf)))
        if z[top] - z[bottom] <= tolerance or not (rising[top] and falling[bottom]):
            self.counts[CLAIMED] = 1
            return Progress.CONVERGED
        if self._quiet():
            return Progress.STALLED
        excess = np.where(positive, z - z[bottom], z[top] - z)
        self._enqueue(np.array([top, bottom]), excess, tolerance)
        return None

    def _enqueue(self, pair: np.ndarray, excess: np.ndarray, tolerance: float) -> None:
        """First the pair that violates most, which is taken in whatever else is kept; then others, the worst first."""
        outside = np.ones(len(self.part), dtype=bool)
        outside[self._examples()] = False
        forced = pair[outside[pair]]
        outside[forced] = False
        others = np.flatnonzero(outside & (excess > tolerance))
        others = others[np.argsort(-excess[others], kind="stable")]
        self.state.memory["queue"] = np.concatenate([forced, others])
        self.counts[[POSITION, FORCED, TURN, PHASE]] = 0, forced.size, 0, LEARN

    def _quiet(self) -> bool:
        """Whether the dual has stopped rising."""
        alpha, best = self.state.alpha[:, 0], self.state.memory["best"]
        linear = float(np.vdot(self.part.form.margin[self.part.labels, 0], alpha))
        dual = linear - 0.5 * float(np.vdot(self.signs * alpha, self.state.functions[:, 0]))
        self.counts[QUIET] = 0 if dual > best[0] + 1e-15 * linear else self.counts[QUIET] + 1
        best[0] = max(best[0], dual)
        return bool(self.counts[QUIET] >= QUIET_PASSES)

    # -- the state --------------------------------------------------------------------------------

    def _examples(self) -> np.ndarray:
        return self.pool.example[self.machine.column("slot")]

    def _reread(self) -> None:
        examples = self._examples()
        self.machine.column("z")[:] = self.margins[examples] - self.state.functions[examples, 0]

    def _write(self) -> None:
        self.state.alpha[...] = 0.0
        self.state.alpha[self._examples(), 0] = np.abs(self.machine.column("beta"))

    def _functions_anew(self) -> None:
        weights = weights_of(self.part, self.state.alpha)
        self.state.functions[...] = self.part.gram.times(weights)
        self.part.gram.evaluations += len(self.part) * int(np.count_nonzero(weights))
        self.state.memory["shown"] = weights[:, 0]

    def settle(self) -> None:
        """Everything as others read it, after a slice."""
        self._write()
        self._show()
        self.state.memory |= self.pool.pack() | self.machine.pack()
        self.part.gram.evaluations += self.pool.evaluations
        self.pool.evaluations = 0

    def _show(self) -> None:
        """The functions of all examples, for samples only: LASVM itself looks at those it keeps."""
        weights, gram = weights_of(self.part, self.state.alpha)[:, 0], self.part.gram
        change = weights - self.state.memory["shown"]
        changed = np.flatnonzero(change)
        for start in range(0, changed.size, gram.capacity):
            some = changed[start : start + gram.capacity]
            slots = gram.rows(some)
            self.state.functions[:, 0] += change[some].astype(np.float32) @ gram.store[slots]
        examples = self._examples()
        self.state.functions[examples, 0] = self.margins[examples] - self.machine.column("z")
        self.state.memory["shown"] = weights


RANDOM = Lasvm("lasvm")
GRADIENT = Lasvm("lasvm-gradient", choice="gradient")
ACTIVE = Lasvm("lasvm-active", choice="active")
FIRST_ORDER = Lasvm("lasvm-first-order", second_order=False)
