"""A binary machine with exact bias that learns example by example: LASVM, on the slots of a pool."""

from __future__ import annotations

import numpy as np

from solvers.jit import online as leaf
from solvers.methods.lasvm.pool import Pool

SEEDS = 10  # examples of one class kept while there is none of the other to pair them with
FIELDS = "slot", "z", "beta", "low", "high"


class OnlineMachine:
    """What it keeps, and its steps. `process` and `reprocess` say how many steps they took."""

    def __init__(self, pool: Pool, margin: float, *, second_order: bool = True) -> None:
        self.pool, self.margin, self.second_order = pool, margin, second_order
        self._wanted = np.zeros(2, dtype=np.int64)
        self._hold(np.empty(0, dtype=np.int64), *(np.empty(0) for _ in range(4)))

    def _hold(self, slot: np.ndarray, *numbers: np.ndarray, room: int = 0) -> None:
        size = max(slot.size, room)
        kept = [np.zeros(size, dtype=np.int64), *(np.zeros(size) for _ in numbers)]
        for array, values in zip(kept, (slot, *numbers), strict=True):
            array[: slot.size] = values
        counts = np.array([slot.size]), np.zeros(size, dtype=np.int64), np.zeros(1, dtype=np.int64)
        self.kept = leaf.Kept._make([*kept, *counts])

    def __len__(self) -> int:
        return int(self.kept.length[0])

    def column(self, name: str) -> np.ndarray:
        """One of FIELDS, of the examples kept."""
        return getattr(self.kept, name)[: len(self)]

    def pack(self) -> dict[str, np.ndarray]:
        return {name: self.column(name).copy() for name in FIELDS}

    def restore(self, packed: dict[str, np.ndarray]) -> None:
        sizes = {packed[name].shape for name in FIELDS}
        if len(sizes) != 1 or packed["slot"].max(initial=-1) >= self.pool.width or packed["slot"].min(initial=0) < 0:
            raise ValueError("what a machine keeps is not all there")
        self._hold(*(packed[name] for name in FIELDS))

    # -- steps ------------------------------------------------------------------------------------

    def process(
        self, example: int, row: np.ndarray, diagonal: float, upper: float, tau: float, slot: int = -1, *,
        positive: bool, force: bool = False,
    ) -> int:  # fmt: skip
        """Take the example in if it violates with one that is kept, and step with its partner; its slot, or -1.

        `row` holds its kernel values by slot, `slot` is where another machine has already put it.
        """
        z = (self.margin if positive else -self.margin) - leaf.expansion_at(self.kept, row)
        partner = leaf.consider(
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
        """Keep an example without using it yet."""
        if len(self) == self.kept.slot.size:
            self._hold(*(self.column(name) for name in FIELDS), room=max(32, 2 * len(self)))
        self.pool.users[slot] += 1
        leaf.append(self.kept, slot, z, 0.0 if positive else -upper, upper if positive else 0.0)

    def _needs(self, *, positive: bool) -> bool:
        """Whether examples of this class must wait for one of the other."""
        rising, _, falling, _ = leaf.extremes(self.kept)
        return (falling if positive else rising) < 0 and len(self) < SEEDS

    def _step(self, new: int, partner: int, *, rises: bool) -> None:
        self.pool.fetch(self.kept.slot[[new, partner]])
        a, b = (new, partner) if rises else (partner, new)
        leaf.move(self.kept, self.pool.rows, a, b)

    def reprocess(self, tau: float, limit: int) -> tuple[int, int]:
        """Up to `limit` steps among what is kept: (why it ended, steps)."""
        total = 0
        while True:
            self.kept.drops[0] = 0
            why, steps = leaf.reprocess(self.kept, self.pool.rows, self.second_order, tau, limit - total, self._wanted)
            total += steps
            self.pool.release(self.kept.dropped[: self.kept.drops[0]])
            if why != leaf.MISSING:
                return why, total
            self.pool.fetch(np.unique(self._wanted))

    # -- what it has learnt -----------------------------------------------------------------------

    def at(self, row: np.ndarray) -> float:
        """f without b, of an example with these kernel values by slot."""
        return float(leaf.expansion_at(self.kept, row))

    def bias(self) -> float:
        """The middle of what the examples kept allow; one that has seen one class only says that class."""
        i, high, j, low = leaf.extremes(self.kept)
        if i >= 0 and j >= 0:
            return 0.5 * (high + low)
        if i < 0 and j < 0:
            return 0.0
        return high if i >= 0 else low
