"""The kernel matrix of one set of examples: float32 rows kept while memory lasts, float64 on request.

Values of a row may differ in the last bit with the block it was computed in (BLAS edge kernels), so a
checkpoint remembers the blocks, and restoring computes the very same ones again.
"""

from __future__ import annotations

import numpy as np

from solvers.kernels import Kernel, Points

EXACT_BLOCK_BYTES = 1 << 22  # the float64 work space of `times`: small enough to stay in cache


class Gram:
    """K of `points`; `rows` keeps blocks of it, one slot of the store per example, oldest out first."""

    def __init__(self, kernel: Kernel, points: Points, cache_mb: float, least: int = 512) -> None:
        self.kernel, self.points = kernel, points
        n = len(points)
        self.capacity = int(min(n, max(least, cache_mb * 2**20 // (4 * n))))
        self.diagonal = kernel.diagonal(points)
        self.evaluations = 0
        self.release()

    def __len__(self) -> int:
        return len(self.points)

    def release(self) -> None:
        """Forget every row."""
        self.store = np.empty((0, len(self)), dtype=np.float32)
        self.slot_of = np.full(len(self), -1, dtype=np.int64)
        self._example_in = np.full(self.capacity, -1, dtype=np.int64)
        self._last_use = np.zeros(self.capacity, dtype=np.int64)
        self._block_of = np.full(self.capacity, -1, dtype=np.int64)
        self._blocks: dict[int, np.ndarray] = {}
        self._clock = 0
        self._filled = 0

    def rows(self, examples: np.ndarray) -> np.ndarray:
        """The slots of `store` that hold these examples' kernel rows, computed where missing."""
        self._clock += 1
        missing = examples[self.slot_of[examples] < 0]
        kept = self.slot_of[examples]
        self._last_use[kept[kept >= 0]] = self._clock
        if missing.size:
            self._compute(missing, self._free_slots(missing.size))
        return self.slot_of[examples]

    def _free_slots(self, count: int) -> np.ndarray:
        if self.store.shape[0] == 0:
            self.store = np.empty((self.capacity, len(self)), dtype=np.float32)  # pages appear when written
        fresh = np.arange(self._filled, min(self._filled + count, self.capacity))
        self._filled += fresh.size
        if fresh.size == count:
            return fresh
        old = np.argsort(self._last_use[: self._filled - fresh.size], kind="stable")[: count - fresh.size]
        self._evict(old)
        return np.concatenate([fresh, old])

    def _evict(self, slots: np.ndarray) -> None:
        gone = self._example_in[slots]
        self.slot_of[gone[gone >= 0]] = -1
        for block in np.unique(self._block_of[slots]):
            if not np.any(np.delete(self._block_of, slots) == block):
                self._blocks.pop(int(block), None)

    def _compute(self, examples: np.ndarray, slots: np.ndarray) -> None:
        contiguous = slots[-1] - slots[0] == slots.size - 1 and np.all(np.diff(slots) == 1)
        block = self.store[slots[0] : slots[-1] + 1] if contiguous else np.empty((slots.size, len(self)), np.float32)
        self.kernel.block(self.points.take(examples), self.points, block)
        if not contiguous:
            self.store[slots] = block
        self._remember(examples, slots, self._clock)
        self.evaluations += examples.size * len(self)

    def _remember(self, examples: np.ndarray, slots: np.ndarray, block: int) -> None:
        self.slot_of[examples] = slots
        self._example_in[slots] = examples
        self._last_use[slots] = self._clock
        self._block_of[slots] = block
        self._blocks[block] = examples.copy()

    def pack(self) -> dict[str, np.ndarray]:
        """What `restore` needs to hold the same bits again; the values themselves are recomputed."""
        keys = np.array(sorted(self._blocks), dtype=np.int64)
        members = [self._blocks[int(key)] for key in keys]
        return {
            "block_keys": keys,
            "block_sizes": np.array([member.size for member in members], dtype=np.int64),
            "block_members": np.concatenate(members) if members else np.empty(0, dtype=np.int64),
            "example_in": self._example_in.copy(),
            "last_use": self._last_use.copy(),
            "block_of": self._block_of.copy(),
            "counters": np.array([self._clock, self._filled, self.evaluations], dtype=np.int64),
        }

    def restore(self, packed: dict[str, np.ndarray]) -> None:
        self.release()
        members = np.split(packed["block_members"], np.cumsum(packed["block_sizes"])[:-1])
        self._blocks = {int(key): member for key, member in zip(packed["block_keys"], members, strict=False)}
        self._example_in, self._last_use = packed["example_in"].copy(), packed["last_use"].copy()
        self._block_of = packed["block_of"].copy()
        self._clock, self._filled, self.evaluations = (int(value) for value in packed["counters"])
        if self._blocks:
            self.store = np.empty((self.capacity, len(self)), dtype=np.float32)
        for key, examples in self._blocks.items():
            self._refill(key, examples)

    def _refill(self, key: int, examples: np.ndarray) -> None:
        values = np.empty((examples.size, len(self)), dtype=np.float32)
        self.kernel.block(self.points.take(examples), self.points, values)
        for row, example in enumerate(examples):
            slot = np.flatnonzero((self._example_in == example) & (self._block_of == key))
            self.store[slot] = values[row]
            self.slot_of[example if slot.size else []] = slot[0] if slot.size else -1

    def times(self, weights: np.ndarray) -> np.ndarray:
        """K @ weights (n x outputs) in float64, from fresh kernel values, a block at a time."""
        involved = np.flatnonzero(np.any(weights != 0.0, axis=1))
        return kernel_times(self.kernel, self.points, self.points.take(involved), weights[involved])


def kernel_times(kernel: Kernel, left: Points, right: Points, weights: np.ndarray) -> np.ndarray:
    """K(left, right) @ weights in float64, in blocks of bounded size."""
    result = np.zeros((len(left), weights.shape[1]))
    if len(right) == 0:
        return result
    height = max(1, EXACT_BLOCK_BYTES // (8 * len(right)))
    work = np.empty((min(height, len(left)), len(right)))
    for start in range(0, len(left), height):
        index = np.arange(start, min(start + height, len(left)))
        result[index] = kernel.block(left.take(index), right, work[: index.size]) @ weights
    return result
