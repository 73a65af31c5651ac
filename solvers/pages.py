"""Memory that appears when it is written and can be given back in part: rows of a kernel matrix."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np

LARGE = 1 << 26  # bytes; less is left to the allocator, which hands freed memory on without new pages


class Pages:
    """Room for arrays of one type."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._map = _map(size) if size >= LARGE else None
        if self._map is not None and hasattr(mmap, "MADV_HUGEPAGE"):
            self._map.madvise(mmap.MADV_HUGEPAGE)  # as NumPy does: random rows then cost fewer look-ups

    def array(self, dtype: Any) -> np.ndarray:
        """All of it, for once; it lives as long as any view of it."""
        count = self.size // np.dtype(dtype).itemsize
        return np.empty(count, dtype) if self._map is None else np.frombuffer(self._map, dtype, count)

    def keep(self, size: int) -> None:
        """Give back what lies beyond so many bytes, where that is large. Views of it stay valid and read zero."""
        start = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
        if self._map is not None and start < self.size and hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED, start, self.size - start)
        self.size = min(self.size, size)


def _map(size: int) -> mmap.mmap:
    """Of this process alone: what is shared gets no large pages."""
    private = getattr(mmap, "MAP_PRIVATE", 0) | getattr(mmap, "MAP_ANONYMOUS", 0)  # Windows has no such flags
    return mmap.mmap(-1, size, flags=private) if private else mmap.mmap(-1, size)
