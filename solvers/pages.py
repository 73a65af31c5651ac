"""Memory that appears when it is written and can be given back in part: rows of a kernel matrix."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np

HUGE = 1 << 22  # bytes from which large pages are asked for, as NumPy does: random rows then cost fewer look-ups


class Pages:
    def __init__(self, size: int) -> None:
        self.size = size
        self._map = mmap.mmap(-1, max(size, 1))
        if size >= HUGE and hasattr(mmap, "MADV_HUGEPAGE"):
            self._map.madvise(mmap.MADV_HUGEPAGE)

    def array(self, dtype: Any) -> np.ndarray:
        """All of it, as zeros; it lives as long as any view of it."""
        return np.frombuffer(self._map, dtype=dtype, count=self.size // np.dtype(dtype).itemsize)

    def keep(self, size: int) -> None:
        """Give back what lies beyond so many bytes. Views of it stay valid and read zero; elsewhere it is kept."""
        start = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
        if start < self.size and hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED, start, self.size - start)
        self.size = min(self.size, size)
