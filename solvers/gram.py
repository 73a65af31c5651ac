"""Gram: the kernel matrix of one set of examples; a store of float32 rows, and products with K in float64.

BLAS rounds a row differently in different blocks. Therefore a checkpoint does not contain the values of the rows. It
records which rows were computed together, and `restore` computes the same blocks again.
"""

from __future__ import annotations

import numpy as np

from mcsvm.solvers.chain import Chain
from mcsvm.solvers.kernels import Kernel, Points
from mcsvm.solvers.kernels.base import FeatureKernel
from mcsvm.solvers.pages import Pages
from mcsvm.solvers.products import kernel_matrix, kernel_products
from mcsvm.solvers.work import LEAST_ROWS, MOST_COLUMNS, PIECE, SHARES, VALUE, WORK_BYTES, pieces, spread

INNER = "inner."  # prefix, in a checkpoint, of the names that belong to the matrix made by `narrow`
EXACT_ROWS = 1000  # examples up to which K is kept in float64: 8 MB, one evaluation in 2 to 4 ms
WHOLE = -1  # the block of a matrix whose rows were all computed at once
HOLDERS = "factor", "newton"  # users of cache_mb besides the rows: V of factor/, Q of a Newton step


class Gram:
    """The kernel matrix of `points`; the store has one slot per cached row, and evicts the least recently used one.

    `chain` is that of a matrix whose examples `narrow` chose from another matrix. `shared`: several parts read its
    rows, one part after the other.
    """

    def __init__(
        self,
        kernel: Kernel,
        points: Points,
        cache_mb: float,
        least: int = LEAST_ROWS,
        *,
        chain: Chain | None = None,
        shared: bool = False,
    ) -> None:
        self.kernel, self.points, self.chain, self.shared = kernel, points, chain, shared
        self.cache_bytes = cache_mb * 2**20
        fits = len(self) <= EXACT_ROWS and 12.0 * len(self) ** 2 <= self.cache_bytes
        self.small = fits and chain is None and not isinstance(kernel, FeatureKernel)  # all of K is kept in float64
        if self.small:
            self.cache_bytes -= 8.0 * len(self) ** 2
        self.least, self.reserved = least, dict.fromkeys(HOLDERS, 0)
        self.capacity = self._room_for_rows()
        self.diagonal = kernel.diagonal(points)
        self._count = [0]  # the number of kernel values, shared with `_inner`
        self._inner: Gram | None = None  # the narrowed matrix, while it uses the memory of this one
        self._before: Pages | None = None  # the memory that still holds the matrix before the last one of the chain
        self.release()

    def __len__(self) -> int:
        return len(self.points)

    @property
    def narrowed(self) -> bool:
        return self.chain is not None

    @property
    def evaluations(self) -> int:
        """The number of kernel values that were computed."""
        return self._count[0]

    @evaluations.setter
    def evaluations(self, count: int) -> None:
        self._count[0] = count

    def release(self) -> None:
        """Drop every row."""
        self.widen()
        self._exact: np.ndarray | None = None
        self._pages: Pages | None = None  # the memory of the store
        self.store = np.empty((0, len(self)), dtype=np.float32)
        self.slot_of = np.full(len(self), -1, dtype=np.int64)
        self._example_in = np.full(self.capacity, -1, dtype=np.int64)
        self.last_use = np.zeros(self.capacity, dtype=np.int64)
        self._block_of = np.full(self.capacity, -1, dtype=np.int64)
        self._blocks: dict[int, np.ndarray] = {}  # the examples of every block that still has a row in the store
        self._left: dict[int, int] = {}  # how many rows each of these blocks has in the store
        self.clock = np.zeros(1, dtype=np.int64)  # counts uses: of a block of rows, or of stored rows by compiled code
        self._filled = 0

    def fetch(self, examples: np.ndarray) -> np.ndarray:
        """Return the slots of `store` with the kernel rows of these distinct examples; missing rows are computed."""
        assert examples.size <= self.capacity, f"{examples.size} rows asked of a store of {self.capacity}"
        kept = self.slot_of[examples] >= 0
        missing = examples[~kept]
        values = self._compute(missing) if missing.size else self.store[:0]
        self.clock[0] += 1
        self.last_use[self.slot_of[examples[kept]]] = self.clock[0]  # the newest are evicted last
        if missing.size:
            self._keep(missing, values)
        return self.slot_of[examples]

    def fetch_all(self) -> None:
        """Fill the empty store with the rows of all examples; half of the values are computed."""
        assert self.ready_for_all, "fetch_all of a large Gram, with rows in the store, or without room for all"
        self._make_store()
        if self.small:
            self.store[...] = self.exact()
        else:
            self._fill()
        n = len(self)
        self._remember(np.arange(n), self._free_slots(n), WHOLE)
        self.evaluations += n * (n + 1) // 2 if self.chain is None else self.chain.computed

    def _fill(self) -> None:
        """Compute all rows of a narrowed Gram, from those of the previous matrix.

        If this is stopped, these rows are lost.
        """
        assert self.chain is not None
        assert self._pages is not None
        memory, is_same_memory = self._pages.array(np.float32), self._before is self._pages
        self._before = None
        if len(self.chain.lists) == 1:
            kernel_matrix(self.kernel, self.points, self.store)
        elif is_same_memory and memory.size >= self.chain.lists[-2].size ** 2:
            self.chain.extend(self.kernel, self.points, memory)
        else:
            self.chain.replay(self.kernel, self.store, np.arange(len(self)))

    @property
    def ready_for_all(self) -> bool:
        """Tell whether `fetch_all` may be called: the store is empty and has room for all rows.

        A large matrix must be narrowed, because only then are most of its rows needed.
        """
        return (self.small or self.narrowed) and self._filled == 0 and self.capacity == len(self)

    # -- some of the examples ---------------------------------------------------------------------

    def narrow(self, examples: np.ndarray) -> Gram:
        """Return the kernel matrix of these examples, which uses the memory of this one until `widen`.

        If it follows another narrowed matrix, it keeps the values of its first examples, up to the first example whose
        order differs between the two.
        """
        inner = self._inner
        if inner is None or inner.chain is None:
            inner = self._narrowed_to(Chain(self.points, [examples]))
        elif not np.array_equal(inner.chain.lists[-1], examples):
            alone = Chain(self.points, [examples])
            inner = self._narrowed_to(inner.chain.followed_by(examples) if inner.whole else alone)
        return inner

    def _narrowed_to(self, chain: Chain) -> Gram:
        """Create the matrix of a chain in existing memory, because the system must clear new memory.

        The memory is that of the previous narrowed matrix, or else that of the rows.
        """
        self.kernel.prepare(self.points, np.float32)
        points = self.points.take(chain.lists[-1])
        inner = Gram(self.kernel, points, self.spare("") / 2**20, self.least, chain=chain)
        if self._inner is not None:
            inner._pages = inner._before = self._inner._pages
        else:
            inner._pages = self._pages
        inner._count = self._count
        self.release()
        self._inner = inner
        return inner

    @property
    def rows_held(self) -> int:
        """Return the number of rows in the store."""
        return self._filled

    @property
    def whole(self) -> bool:
        """Tell whether the store has the rows of all examples, computed at once and in their order."""
        return self._filled == len(self) and set(self._blocks) == {WHOLE}

    def widen(self) -> None:
        """Take back the memory of the narrowed matrix."""
        if self._inner is not None:
            self._pages, self._inner = self._inner._pages, None

    # -- room -------------------------------------------------------------------------------------

    def reserve(self, holder: str, size: int) -> None:
        """Reserve bytes of the cache for a holder until the run ends, and evict the least recently used rows."""
        if size > self.reserved[holder]:
            self.reserved[holder] = size
            self._shrink(self._room_for_rows())
            if self._inner is not None:
                self._inner.cache_bytes = self.spare("")
                self._inner._shrink(self._inner._room_for_rows())
                self._inner._give_back()

    def spare(self, holder: str) -> float:
        """Return the bytes of the cache that a holder could reserve."""
        others = sum(size for name, size in self.reserved.items() if name != holder)
        return max(self.cache_bytes - others, 0.0)

    def _room_for_rows(self) -> int:
        left = self.cache_bytes - sum(self.reserved.values())
        return int(min(len(self), max(self.least, left // (4 * max(len(self), 1)))))

    def _shrink(self, capacity: int) -> None:
        if capacity >= self.capacity:
            return
        if self._filled > capacity:
            old = self._oldest(self._filled - capacity)
            self._evict(old)
            stays = np.ones(self._filled, dtype=bool)
            stays[old] = False
            moving, free = np.flatnonzero(stays[capacity:]) + capacity, old[old < capacity]
            self.store[free] = self.store[moving]
            for table in (self._example_in, self.last_use, self._block_of):
                table[free] = table[moving]
            self.slot_of[self._example_in[free]] = free
            self._filled = capacity
        self.capacity = capacity
        self._example_in, self.last_use = self._example_in[:capacity].copy(), self.last_use[:capacity].copy()
        self._block_of = self._block_of[:capacity].copy()
        if self.store.shape[0]:
            assert self._pages is not None
            self._pages.keep(4 * len(self) * capacity)
            self.store = self.store[:capacity]

    def _free_slots(self, count: int) -> np.ndarray:
        """Return slots for new rows, evicting rows if needed; ascending, so that they are often contiguous."""
        fresh = np.arange(self._filled, min(self._filled + count, self.capacity))
        if fresh.size == count:
            self._filled += count
            return fresh
        old = self._oldest(count - fresh.size)
        self._evict(old)
        self._filled += fresh.size
        return np.concatenate([old, fresh])

    def _give_back(self) -> None:
        """Release memory that a larger matrix needed before, beyond the cached rows and the memory still allowed."""
        if self._pages is not None:
            self._pages.keep(max(self.store.nbytes, int(self.cache_bytes)))

    def _make_store(self) -> None:
        count = len(self) * self.capacity
        if self._pages is None or self._pages.size < 4 * count:
            later = self.narrowed or self.capacity < len(
                self
            )  # a matrix of other examples may need all that is allowed
            self._pages = Pages(max(4 * count, int(self.cache_bytes) if later else 0))
        self.store = self._pages.array(np.float32)[:count].reshape(self.capacity, len(self))

    def _oldest(self, count: int) -> np.ndarray:
        """Return the filled slots used longest ago; among equal ones, the first."""
        last_use = self.last_use[: self._filled]
        newest = np.partition(last_use, count - 1)[count - 1]
        older = np.flatnonzero(last_use < newest)
        ties = np.flatnonzero(last_use == newest)[: count - older.size]
        return np.sort(np.concatenate([older, ties]))

    def _evict(self, slots: np.ndarray) -> None:
        self.slot_of[self._example_in[slots]] = -1
        for block, count in zip(*np.unique(self._block_of[slots], return_counts=True), strict=True):
            self._left[int(block)] -= int(count)
            if self._left[int(block)] == 0:
                del self._left[int(block)], self._blocks[int(block)]

    # -- values -----------------------------------------------------------------------------------

    def _compute(self, examples: np.ndarray) -> np.ndarray:
        """Compute the kernel rows of a block, piece by piece, in the free end of the store if there is room."""
        if self.store.shape[0] == 0:
            self._make_store()
        self.kernel.prepare(self.points, np.float32)
        end = self._filled + examples.size
        fresh = end <= self.capacity
        values = self.store[self._filled : end] if fresh else np.empty((examples.size, len(self)), np.float32)
        left = self.points.take(examples)

        def compute(columns: slice) -> None:
            self.kernel.block(left, self.points.view(columns), values[:, columns])

        cuts = self._pieces(examples.size)
        spread(compute, cuts, examples.size * cuts[0].stop * self._value_price)
        return values

    def _keep(self, examples: np.ndarray, values: np.ndarray) -> None:
        fresh = self._filled + examples.size <= self.capacity  # in this case they were computed in place
        slots = self._free_slots(examples.size)
        if not fresh:
            self.store[slots] = values
        self._remember(examples, slots, int(self.clock[0]))
        self.evaluations += examples.size * len(self)

    def _pieces(self, count: int) -> list[slice]:
        """Cut the columns of a block of `count` rows into pieces; the cuts depend on nothing but the kernel's cost."""
        return pieces(len(self), max(SHARES * count * self._value_price, PIECE / MOST_COLUMNS))

    @property
    def _value_price(self) -> float:
        """Return the operations of a kernel value, with a minimum so that a float64 piece fits into the work space."""
        return max(2.0 * (self.points.stored + VALUE), 8.0 * PIECE / WORK_BYTES)

    def _remember(self, examples: np.ndarray, slots: np.ndarray, block: int) -> None:
        self.slot_of[examples] = slots
        self._example_in[slots] = examples
        self.last_use[slots] = self.clock[0]
        self._block_of[slots] = block
        self._blocks[block], self._left[block] = examples.copy(), examples.size

    # -- checkpoints ------------------------------------------------------------------------------

    def pack(self) -> dict[str, np.ndarray]:
        """Return everything that `restore` needs to compute the same rows with the same bits."""
        keys = np.array(sorted(self._blocks), dtype=np.int64)
        members = [self._blocks[int(key)] for key in keys]
        return {
            "block_keys": keys,
            "block_sizes": np.array([member.size for member in members], dtype=np.int64),
            "block_members": np.concatenate(members) if members else np.empty(0, dtype=np.int64),
            "example_in": self._example_in.copy(),
            "last_use": self.last_use.copy(),
            "block_of": self._block_of.copy(),
            "counters": np.array([self.clock[0], self._filled, self.evaluations], dtype=np.int64),
            "reserved": np.array([self.reserved[holder] for holder in HOLDERS], dtype=np.int64),
            **self._packed_inner(),
        }

    def _packed_inner(self) -> dict[str, np.ndarray]:
        if self._inner is None or self._inner.chain is None:
            return {}
        lists = self._inner.chain.lists
        sizes = np.array([some.size for some in lists], dtype=np.int64)
        packed = {"examples": np.concatenate(lists), "sizes": sizes, **self._inner.pack()}
        return {f"{INNER}{key}": array for key, array in packed.items()}

    def restore(self, packed: dict[str, np.ndarray]) -> None:
        """Return to a packed state.

        Raise ValueError, with an empty store, if this Gram cannot have packed it.
        """
        self.release()
        for holder, size in zip(HOLDERS, packed["reserved"].tolist(), strict=True):
            self.reserve(holder, size)
        inner = {key.removeprefix(INNER): array for key, array in packed.items() if key.startswith(INNER)}
        if inner:
            examples = inner.pop("examples")
            self._restore_inner(examples, inner.pop("sizes", np.array([examples.size])), inner)
        _check(packed, len(self), self.capacity)
        members = np.split(packed["block_members"], np.cumsum(packed["block_sizes"])[:-1])
        self.clock[0], self._filled, self.evaluations = (int(value) for value in packed["counters"])
        if self._filled == 0:
            return
        self._example_in, self.last_use = packed["example_in"].copy(), packed["last_use"].copy()
        self._block_of = packed["block_of"].copy()
        self._blocks = {int(key): member.copy() for key, member in zip(packed["block_keys"], members, strict=True)}
        keys, counts = np.unique(self._block_of[: self._filled], return_counts=True)
        self._left = {int(key): int(count) for key, count in zip(keys, counts, strict=True)}
        self.slot_of[self._example_in[: self._filled]] = np.arange(self._filled)
        self._make_store()
        self.kernel.prepare(self.points, np.float32)
        if sum(self._refill(key, examples) for key, examples in self._blocks.items()) != self._filled:
            self.release()
            raise ValueError("rows outside their block")

    def _restore_inner(self, examples: np.ndarray, sizes: np.ndarray, packed: dict[str, np.ndarray]) -> None:
        """Restore the narrowed matrix. `sizes` are those of the lists of its chain; old checkpoints have no chain."""
        lists = np.split(examples, np.cumsum(sizes)[:-1])
        alone = all(np.unique(some).size == some.size > 0 for some in lists) and sizes.sum() == examples.size
        if examples.dtype != np.int64 or not alone or not _within(examples, len(self)):
            raise ValueError("examples that are not there")
        self._narrowed_to(Chain(self.points, lists)).restore(packed)

    def _refill(self, block: int, examples: np.ndarray) -> int:
        """Compute a block as before, keep the rows that are still in the store, and return their number."""
        slots = self.slot_of[examples]
        here = (slots >= 0) & (self._block_of[slots] == block)
        if block == WHOLE:
            self._refill_whole(slots, here)
            return int(here.sum())
        left = self.points.take(examples)
        for columns in self._pieces(examples.size):
            values = np.empty((examples.size, columns.stop - columns.start), np.float32)
            self.kernel.block(left, self.points.view(columns), values)
            self.store[slots[here], columns] = values[here]
        return int(here.sum())

    def _refill_whole(self, slots: np.ndarray, here: np.ndarray) -> None:
        """Fill the slots that are `here` with rows of a matrix that was computed as a whole."""
        if slots.size != len(self) or not (self.small or self.chain):
            raise ValueError("rows of all that were never in the store")
        if self.chain is None:
            self.store[slots[here]] = self.exact()[here]
        else:
            self.chain.replay(self.kernel, self.store, np.where(here, slots, -1))

    def exact(self) -> np.ndarray:
        """Return K in float64, which a small Gram keeps."""
        assert self.small
        if self._exact is None:
            matrix = np.empty((len(self), len(self)))
            kernel_matrix(self.kernel, self.points, matrix)
            self._exact = matrix
        return self._exact

    def exact_column(self, example: int) -> np.ndarray:
        """Return (1, n) K of one example with all examples, in float64."""
        if self.small:
            return self.exact()[example : example + 1].copy()
        self.kernel.prepare(self.points, np.float64)
        return self.kernel.block(self.points.take(np.array([example])), self.points, np.empty((1, len(self))))

    def products(self, weights: np.ndarray) -> np.ndarray:
        """Return K @ weights, (n, outputs), in float64; the kernel values are computed again, block by block."""
        if isinstance(self.kernel, FeatureKernel):
            return self.kernel.times(self.points, self.points, weights)
        if self.small:
            return np.asarray(self.exact() @ weights)
        involved = np.flatnonzero(np.any(weights != 0.0, axis=1))
        right = self.points.take(involved)
        return kernel_products(self.kernel, self.points, right, weights[involved])


def _check(packed: dict[str, np.ndarray], n: int, capacity: int) -> None:
    """Raise ValueError unless a store of `capacity` rows of `n` examples can have packed these arrays."""
    example_in, block_of, last_use = packed["example_in"], packed["block_of"], packed["last_use"]
    keys, sizes, members = packed["block_keys"], packed["block_sizes"], packed["block_members"]
    whole = all(array.dtype == np.int64 and array.ndim == 1 for array in packed.values())
    if not whole or packed["counters"].shape != (3,) or {example_in.size, block_of.size, last_use.size} != {capacity}:
        raise ValueError("arrays of another size")
    filled = int(packed["counters"][1])
    if not 0 <= filled <= capacity or sizes.size != keys.size or sizes.sum() != members.size or (sizes < 1).any():
        raise ValueError("counts that do not add up")
    held = example_in[:filled]
    if np.unique(held).size != filled or not _within(held, n) or not _within(members, n):
        raise ValueError("examples that are not there")
    if not np.array_equal(np.unique(block_of[:filled]), keys):
        raise ValueError("blocks that are not there")


def _within(index: np.ndarray, n: int) -> bool:
    return bool(((index >= 0) & (index < n)).all())
