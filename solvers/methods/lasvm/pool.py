"""The examples that online machines keep, each in a slot, and the kernel values between them.

A row is computed when its example arrives, against the kept examples only. A checkpoint stores `Slots` but no kernel
values: every row can be recomputed with the same bits, by the same product of one example with the same number of
slots. The contents of the other slots do not matter, as the kernel computes in double precision here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcsvm.solvers.interrupt import undivided
from mcsvm.solvers.jit import online as jit
from mcsvm.solvers.kernels import Kernel, Points
from mcsvm.solvers.work import LEAST_ROWS


@dataclass
class Slots:
    """The slots of examples, the rows of the store, and everything that is needed to recompute the rows."""

    # by slot
    example: np.ndarray  # -1: the slot is free
    users: np.ndarray  # machines that keep the example
    filled_at: np.ndarray  # clock when the example arrived
    filled_width: np.ndarray  # number of slots at that time
    row_of: np.ndarray  # row of the store with its kernel values; -1: none
    # by row of the store
    owner: np.ndarray  # slot, -1: the row is free
    made_at: np.ndarray  # clock when the row was computed
    made_width: np.ndarray  # number of slots at that time
    used: np.ndarray  # clock at the last use
    clock: np.ndarray  # (1,) counts fetches, insertions and steps

    @classmethod
    def empty(cls) -> Slots:
        none = np.empty(0, dtype=np.int64)
        return cls(none, none, none, none, none, none, none, none, none, np.zeros(1, dtype=np.int64))

    def check(self, examples: int) -> None:
        """Raise ValueError if no pool can have written these arrays."""
        slots, rows = self.example.size, self.owner.size
        by_slot = self.users, self.filled_at, self.filled_width, self.row_of
        if any(array.shape != (slots,) for array in by_slot) or self.example.max(initial=-1) >= examples:
            raise ValueError("the arrays by slot differ in length, or a slot refers to a missing example")
        if any(array.shape != (rows,) for array in (self.made_at, self.made_width, self.used)):
            raise ValueError("the arrays by row of the store differ in length")
        limits = (self.row_of, rows), (self.owner, slots), (self.filled_width, slots + 1), (self.made_width, slots + 1)
        if any(array.max(initial=-1) >= limit for array, limit in limits):
            raise ValueError("a position is larger than the number of slots or rows")


class Pool:
    """Slots for examples of `points`; machines share them, and a slot without users is free."""

    diagonal: np.ndarray  # kernel value of each slot's example with itself
    store: np.ndarray  # (rows, slots) kernel values

    def __init__(self, kernel: Kernel, points: Points, cache_mb: float, slots: Slots | None = None) -> None:
        self.kernel, self.points, self.cache_bytes = kernel, points, cache_mb * 2**20
        self.evaluations = 0
        self.slots = Slots.empty() if slots is None else slots
        self._held: Points | None = None
        self._restore()

    @property
    def width(self) -> int:
        return self.slots.example.size

    @property
    def held(self) -> np.ndarray:
        """The slots that are filled."""
        return np.flatnonzero(self.slots.example >= 0)

    @property
    def rows(self) -> jit.CachedRows:
        return jit.CachedRows(self.store, self.slots.row_of, self.diagonal, self.slots.used, self.slots.clock)

    # -- kernel values ----------------------------------------------------------------------------

    def row(self, example: int) -> np.ndarray:
        """Return the kernel values of an example with every slot; values of free slots are meaningless."""
        return self.block(np.array([example]))[0]

    def block(self, examples: np.ndarray) -> np.ndarray:
        self.evaluations += examples.size * self.held.size
        return self._values(examples, self.width)

    def _values(self, examples: np.ndarray, width: int) -> np.ndarray:
        placed, out = np.maximum(self.slots.example, 0), np.empty((examples.size, width))
        with undivided():  # a machine asks for rows while it changes its entries
            if self._held is None:
                self._held = self.points.take(placed).unmoved()
            held = self._held if width == self.width else self.points.take(placed[:width]).unmoved()
            return self.kernel.block(self.points.take(examples), held, out) if width else out

    def fetch(self, slots: np.ndarray) -> None:
        """Compute the rows of these (few) slots, unless the store has them."""
        self._tick()
        there = self.slots.row_of[slots]
        self.slots.used[there[there >= 0]] = self.slots.clock[0]
        for slot in slots:
            if self.slots.row_of[slot] < 0:
                self._keep(int(slot), self.row(int(self.slots.example[slot])))

    # -- slots ------------------------------------------------------------------------------------

    def insert(self, example: int, row: np.ndarray) -> int:
        """Put an example, whose row was just computed, into a free slot; return the slot."""
        if self.held.size == self.width:
            self._grow()
        slot, slots = int(np.argmax(self.slots.example < 0)), self.slots
        self._tick()
        slots.example[slot], slots.users[slot], self._held = example, 0, None
        slots.filled_at[slot], slots.filled_width[slot] = slots.clock[0], row.size
        self.diagonal[slot] = self.kernel.diagonal(self.points.take(np.array([example])))[0]
        kept = np.flatnonzero(slots.owner >= 0)
        self.store[kept, slot] = row[slots.owner[kept]]
        self._keep(slot, row)
        return slot

    def release(self, slots: np.ndarray) -> None:
        """Remove one user of each slot; slots without users become free."""
        self.slots.users[slots] -= 1
        for slot in slots[self.slots.users[slots] == 0]:
            row = self.slots.row_of[slot]
            if row >= 0:
                self.slots.owner[row], self.slots.row_of[slot] = -1, -1
            self.slots.example[slot] = -1

    def renumber(self, points: Points, examples: np.ndarray) -> None:
        """Replace the points; the examples in filled slots, in the order of slots, become `examples` of `points`."""
        self.slots.example[self.held] = examples
        self.points, self._held = points, None

    def _tick(self) -> None:
        self.slots.clock[0] += 1

    def _grow(self) -> None:
        slots, width = self.slots, max(LEAST_ROWS, self.width + self.width // 2)
        slots.example, slots.row_of = _resized(slots.example, width, -1), _resized(slots.row_of, width, -1)
        slots.users = _resized(slots.users, width)
        slots.filled_at, slots.filled_width = _resized(slots.filled_at, width), _resized(slots.filled_width, width)
        self.diagonal = _resized(self.diagonal, width)
        self._held = None
        self._resize(int(min(width, max(LEAST_ROWS, self.cache_bytes // (8 * width)))))

    def _resize(self, count: int) -> None:
        """Change the store to `count` rows of all slots; the most recently used rows stay."""
        slots = self.slots
        kept = np.flatnonzero(slots.owner >= 0)
        leaving = kept[np.argsort(slots.used[kept], kind="stable")][: max(0, kept.size - count)]
        slots.row_of[slots.owner[leaving]] = -1
        staying = np.setdiff1d(kept, leaving)
        store = np.empty((count, self.width))  # pages appear when written
        store[: staying.size, : self.store.shape[1]] = self.store[staying]
        slots.owner, slots.used = _resized(slots.owner[staying], count, -1), _resized(slots.used[staying], count)
        slots.made_at = _resized(slots.made_at[staying], count)
        slots.made_width = _resized(slots.made_width[staying], count)
        slots.row_of[slots.owner[: staying.size]] = np.arange(staying.size)
        self.store = store

    def _keep(self, slot: int, values: np.ndarray) -> None:
        slots = self.slots
        free = np.flatnonzero(slots.owner < 0)
        row = int(free[0]) if free.size else int(np.argmin(slots.used))
        if slots.owner[row] >= 0:
            slots.row_of[slots.owner[row]] = -1
        slots.owner[row], slots.row_of[slot] = slot, row
        slots.made_at[row], slots.made_width[row], slots.used[row] = slots.clock[0], values.size, slots.clock[0]
        self.store[row, : values.size] = values
        self.store[row, slot] = self.diagonal[slot]

    # -- restoring from a checkpoint --------------------------------------------------------------

    def _restore(self) -> None:
        """Recompute the kernel values that belong to `slots`."""
        slots = self.slots
        slots.check(len(self.points))
        held, kept = self.held, np.flatnonzero(slots.owner >= 0)
        self.diagonal = np.zeros(self.width)
        self.store = np.empty((slots.owner.size, self.width))
        if held.size:
            self.diagonal[held] = self.kernel.diagonal(self.points.take(slots.example[held]))
        for row in kept:
            self._fill(int(row), int(slots.owner[row]), int(slots.made_width[row]))
        for slot in held:  # a row's values of examples that arrived after it are from the rows of these examples
            later = kept[slots.made_at[kept] < slots.filled_at[slot]]
            if later.size:
                values = self._values(slots.example[[slot]], int(slots.filled_width[slot]))[0]
                self.store[later, slot] = values[slots.owner[later]]

    def _fill(self, row: int, slot: int, width: int) -> None:
        self.store[row, :width] = self._values(self.slots.example[[slot]], width)[0]
        self.store[row, slot] = self.diagonal[slot]


def _resized(array: np.ndarray, size: int, value: int = 0) -> np.ndarray:
    """Return the array lengthened to `size`, with `value` in the new entries."""
    return np.append(array, np.full(size - array.size, value, dtype=array.dtype))
