"""The examples that online machines keep, side by side in slots, and the kernel values between them.

A row is computed when its example comes: against the examples kept, no others. So that a checkpoint need not hold
them, every row can be made again with the same bits: by the same product, of one example with as many slots.
What stood in other slots does not matter, since kernels are asked for in double precision.
"""

from __future__ import annotations

import numpy as np

from solvers.jit import online as leaf
from solvers.kernels import Kernel, Points

LEAST = 32  # slots to begin with, and rows kept at the least

ARRAYS = "example", "users", "filled_at", "filled_width", "row_of", "owner", "made_at", "made_width", "used", "clock"


class Pool:
    """Slots for examples of `points`; machines share them, and a slot without users is free."""

    def __init__(self, kernel: Kernel, points: Points, cache_mb: float) -> None:
        self.kernel, self.points, self.cache_bytes = kernel, points, cache_mb * 2**20
        self.evaluations = 0
        self.example = self.row_of = np.empty(0, dtype=np.int64)  # by slot, -1: none
        self.users = self.filled_at = self.filled_width = np.empty(0, dtype=np.int64)
        self.owner = self.made_at = self.made_width = self.used = np.empty(0, dtype=np.int64)  # by row
        self.clock = np.zeros(1, dtype=np.int64)
        self.diagonal, self.store = np.empty(0), np.empty((0, 0))
        self._held: Points | None = None

    @property
    def width(self) -> int:
        return self.example.size

    @property
    def rows(self) -> leaf.Rows:
        return leaf.Rows(self.store, self.row_of, self.diagonal, self.used, self.clock)

    # -- kernel values ----------------------------------------------------------------------------

    def row(self, example: int) -> np.ndarray:
        """Kernel values of an example with every slot; what stands for an empty one means nothing."""
        return self.block(np.array([example]))[0]

    def block(self, examples: np.ndarray) -> np.ndarray:
        self.evaluations += examples.size * int(np.count_nonzero(self.example >= 0))
        return self._values(examples, self.width)

    def _values(self, examples: np.ndarray, width: int) -> np.ndarray:
        if self._held is None:
            self._held = self.points.take(np.maximum(self.example, 0))
        held = self._held if width == self.width else self.points.take(np.maximum(self.example[:width], 0))
        out = np.empty((examples.size, width))
        return self.kernel.block(self.points.take(examples), held, out) if width else out

    def fetch(self, slots: np.ndarray) -> None:
        """Have the rows of these (few) slots in the store."""
        self._tick()
        there = self.row_of[slots]
        self.used[there[there >= 0]] = self.clock[0]
        for slot in slots:
            if self.row_of[slot] < 0:
                self._keep(int(slot), self.row(int(self.example[slot])))

    # -- slots ------------------------------------------------------------------------------------

    def insert(self, example: int, row: np.ndarray) -> int:
        """A slot for an example, whose row was just computed."""
        free = np.flatnonzero(self.example < 0)
        if free.size == 0:
            self._grow()
            free = np.flatnonzero(self.example < 0)
        slot = int(free[0])
        self._tick()
        self.example[slot], self.users[slot], self._held = example, 0, None
        self.filled_at[slot], self.filled_width[slot] = self.clock[0], row.size
        self.diagonal[slot] = self.kernel.diagonal(self.points.take(np.array([example])))[0]
        kept = np.flatnonzero(self.owner >= 0)
        self.store[kept, slot] = row[self.owner[kept]]
        self._keep(slot, row)
        return slot

    def release(self, slots: np.ndarray) -> None:
        """One user less for each."""
        self.users[slots] -= 1
        for slot in slots[self.users[slots] == 0]:
            row = self.row_of[slot]
            if row >= 0:
                self.owner[row], self.row_of[slot] = -1, -1
            self.example[slot] = -1

    def renumber(self, points: Points, examples: np.ndarray) -> None:
        """The examples held, slot after slot, are now these of other points."""
        self.example[self.example >= 0] = examples
        self.points, self._held = points, None

    def _tick(self) -> None:
        self.clock[0] += 1

    def _grow(self) -> None:
        width = max(LEAST, self.width + self.width // 2)
        more = width - self.width
        for name, value in (("example", -1), ("row_of", -1), ("users", 0), ("filled_at", 0), ("filled_width", 0)):
            setattr(self, name, np.append(getattr(self, name), np.full(more, value, dtype=np.int64)))
        self.diagonal = np.append(self.diagonal, np.zeros(more))
        self._held = None
        self._resize(int(min(width, max(LEAST, self.cache_bytes // (8 * width)))))

    def _resize(self, count: int) -> None:
        """Room for so many rows of all slots; where there were more, the newest stay."""
        kept = np.flatnonzero(self.owner >= 0)
        leaving = kept[np.argsort(self.used[kept], kind="stable")][: max(0, kept.size - count)]
        self.row_of[self.owner[leaving]] = -1
        staying = np.setdiff1d(kept, leaving)
        store = np.empty((count, self.width))  # pages appear when written
        store[: staying.size, : self.store.shape[1]] = self.store[staying]
        for name, value in (("owner", -1), ("made_at", 0), ("made_width", 0), ("used", 0)):
            fresh = np.full(count, value, dtype=np.int64)
            fresh[: staying.size] = getattr(self, name)[staying]
            setattr(self, name, fresh)
        self.row_of[self.owner[: staying.size]] = np.arange(staying.size)
        self.store = store

    def _keep(self, slot: int, values: np.ndarray) -> None:
        free = np.flatnonzero(self.owner < 0)
        row = int(free[0]) if free.size else int(np.argmin(self.used))
        if self.owner[row] >= 0:
            self.row_of[self.owner[row]] = -1
        self.owner[row], self.row_of[slot] = slot, row
        self.made_at[row], self.made_width[row], self.used[row] = self.clock[0], values.size, self.clock[0]
        self.store[row, : values.size] = values
        self.store[row, slot] = self.diagonal[slot]

    # -- the same again ---------------------------------------------------------------------------

    def pack(self) -> dict[str, np.ndarray]:
        """All but the values, which `restore` makes again."""
        return {name: getattr(self, name) for name in ARRAYS}

    def restore(self, packed: dict[str, np.ndarray]) -> None:
        self._check(packed)
        for name in ARRAYS:
            setattr(self, name, packed[name])
        self._held = None
        held = np.flatnonzero(self.example >= 0)
        self.diagonal = np.zeros(self.width)
        self.diagonal[held] = self.kernel.diagonal(self.points.take(self.example[held]))
        self.store = np.empty((self.owner.size, self.width))
        for row in np.flatnonzero(self.owner >= 0):
            self._fill(int(row), int(self.owner[row]), int(self.made_width[row]))
        kept = np.flatnonzero(self.owner >= 0)
        for slot in held:  # who came after a row was made gave it the value of his own
            later = kept[self.made_at[kept] < self.filled_at[slot]]
            if later.size:
                values = self._values(self.example[[slot]], int(self.filled_width[slot]))[0]
                self.store[later, slot] = values[self.owner[later]]

    def _fill(self, row: int, slot: int, width: int) -> None:
        self.store[row, :width] = self._values(self.example[[slot]], width)[0]
        self.store[row, slot] = self.diagonal[slot]

    def _check(self, packed: dict[str, np.ndarray]) -> None:
        """Raises ValueError for what no pool can have packed."""
        slots, rows = packed["example"].size, packed["owner"].size
        of_slots = "users", "filled_at", "filled_width", "row_of"
        if any(packed[name].shape != (slots,) for name in of_slots) or packed["example"].max(initial=-1) >= len(
            self.points
        ):
            raise ValueError("slots that are not there")
        if any(packed[name].shape != (rows,) for name in ("made_at", "made_width", "used")):
            raise ValueError("rows of another number")
        for name, most in (("row_of", rows), ("owner", slots), ("filled_width", slots + 1), ("made_width", slots + 1)):
            if packed[name].max(initial=-1) >= most:
                raise ValueError(f"{name} beyond what is there")
