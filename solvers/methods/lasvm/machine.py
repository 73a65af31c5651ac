"""A binary machine with exact bias that learns example by example: LASVM, on the slots of a pool."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcsvm.solvers.budget import LASVM
from mcsvm.solvers.jit import online as jit
from mcsvm.solvers.methods.lasvm.pool import Pool


@dataclass
class Entries:
    """The examples that a machine keeps: the first `length[0]` entries of every array."""

    slot: np.ndarray  # int64, slots of the pool
    z: np.ndarray  # gradient along beta, without b
    beta: np.ndarray  # signed alpha
    low: np.ndarray
    high: np.ndarray
    length: np.ndarray  # (1,) int64

    @classmethod
    def empty(cls) -> Entries:
        none = np.empty(0)
        return cls(np.empty(0, dtype=np.int64), none, none, none, none, np.zeros(1, dtype=np.int64))

    def check(self, width: int) -> None:
        """Raise ValueError if no machine on a pool of `width` slots can have written these arrays."""
        shapes = {array.shape for array in (self.slot, self.z, self.beta, self.low, self.high)}
        used = self.slot[: self.length[0]]
        if len(shapes) != 1 or used.size != self.length[0] or not ((used >= 0) & (used < width)).all():
            raise ValueError("the arrays of a machine differ in length or refer to missing slots of the pool")

    def grow(self, size: int) -> None:
        more, zeros = size - self.slot.size, np.zeros(size - self.slot.size)
        self.slot = np.append(self.slot, np.zeros(more, dtype=np.int64))
        self.z, self.beta = np.append(self.z, zeros), np.append(self.beta, zeros)
        self.low, self.high = np.append(self.low, zeros), np.append(self.high, zeros)


class OnlineMachine:
    """A binary machine: `process` takes an example in, and `reprocess` takes steps among the kept examples."""

    def __init__(self, pool: Pool, margin: float, *, second_order: bool = True, entries: Entries | None = None) -> None:
        self.pool, self.margin, self.second_order = pool, margin, second_order
        self.entries = Entries.empty() if entries is None else entries
        self.entries.check(pool.width)
        self._wanted = np.zeros(2, dtype=np.int64)
        self._lay_out()

    def _lay_out(self) -> None:
        kept, dropped = self.entries, np.zeros(self.entries.slot.size, dtype=np.int64)
        self.kept = jit.Kept(
            kept.slot, kept.z, kept.beta, kept.low, kept.high, kept.length, dropped, np.zeros(1, dtype=np.int64)
        )

    def __len__(self) -> int:
        return int(self.entries.length[0])

    @property
    def slot(self) -> np.ndarray:
        return self.entries.slot[: len(self)]

    @property
    def z(self) -> np.ndarray:
        return self.entries.z[: len(self)]

    @property
    def beta(self) -> np.ndarray:
        return self.entries.beta[: len(self)]

    # -- steps ------------------------------------------------------------------------------------

    def process(
        self, example: int, row: np.ndarray, diagonal: float, upper: float, tau: float, slot: int = -1, *,
        positive: bool, force: bool = False,
    ) -> int:  # fmt: skip
        """Run PROCESS: keep the example if it violates with a kept one, and take a step with this partner.

        Return its slot or -1. `row` has its kernel values by slot; `slot` is where another machine has already put it,
        or -1.
        """
        z = (self.margin if positive else -self.margin) - jit.expansion_at(self.kept, row)
        partner = jit.consider(
            self.kept, row, self.pool.diagonal, z, diagonal, positive, self.second_order, 0.0 if force else tau
        )
        if partner < 0 and not force and not self._needs(positive=positive):
            return slot
        slot = self.pool.insert(example, row) if slot < 0 else slot
        self.admit(slot, z, upper, positive=positive)
        if partner >= 0:
            self._step(len(self) - 1, partner, rises=positive)
        return slot

    def admit(self, slot: int, z: float, upper: float, *, positive: bool) -> None:
        """Keep an example with beta = 0."""
        if len(self) == self.entries.slot.size:
            self.entries.grow(max(32, 2 * len(self)))
            self._lay_out()
        self.pool.slots.users[slot] += 1
        jit.append(self.kept, slot, z, 0.0 if positive else -upper, upper if positive else 0.0)

    def _needs(self, *, positive: bool) -> bool:
        """Return whether to keep an example without a partner: the other class has no example, and few are kept."""
        rising, _, falling, _ = jit.extremes(self.kept)
        return (falling if positive else rising) < 0 and len(self) < LASVM.one_class

    def _step(self, new: int, partner: int, *, rises: bool) -> None:
        self.pool.fetch(self.kept.slot[[new, partner]])
        a, b = (new, partner) if rises else (partner, new)
        jit.move(self.kept, self.pool.rows, a, b)

    def reprocess(self, tau: float, limit: int) -> tuple[int, int]:
        """Run REPROCESS: take up to `limit` steps among the kept examples; return (why it ended, steps)."""
        total = 0
        while True:
            self.kept.drops[0] = 0
            why, steps = jit.reprocess(self.kept, self.pool.rows, self.second_order, tau, limit - total, self._wanted)
            total += steps
            self.pool.release(self.kept.dropped[: self.kept.drops[0]])
            if why != jit.MISSING:
                return why, total
            self.pool.fetch(np.unique(self._wanted))

    # -- the learnt function ----------------------------------------------------------------------

    def bias(self) -> float:
        """Return the middle of the interval of b; with only one class, the end at which that class is predicted."""
        i, high, j, low = jit.extremes(self.kept)
        if i >= 0 and j >= 0:
            return 0.5 * (high + low)
        if i < 0 and j < 0:
            return 0.0
        return high if i >= 0 else low
