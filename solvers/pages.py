"""Pages: memory of kernel rows, which goes back to the system once it is not needed.

Huge pages are not requested. Reading rows was not faster with them (shuttle, 43,500 x 9: 0.9 user s either way). The
first writes to 500 MB took 0.02 to 1.3 CPU s on a virtual machine, and 0.17 every time in small pages.
"""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np

from mcsvm.solvers.work import LARGE


class Pages:
    """The memory of a store: the system provides pages when they are written, and takes back released pages."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._map = _map(size) if size >= LARGE else None
        self._array = np.empty(size if self._map is None else 0, np.uint8)

    def array(self, dtype: Any) -> np.ndarray:
        """Return all of the memory as one array; the memory exists as long as any view of it."""
        count = self.size // np.dtype(dtype).itemsize
        return np.frombuffer(self._array if self._map is None else self._map, dtype, count)

    def keep(self, size: int) -> None:
        """Release the memory beyond `size` bytes, if it is large. Views of it stay valid and read zero."""
        start = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
        if self._map is not None and start < self.size and hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED, start, self.size - start)
        self.size = min(self.size, size)


def _map(size: int) -> mmap.mmap:
    """Return a private anonymous map, whose pages go back to the system if they are released."""
    private = getattr(mmap, "MAP_PRIVATE", 0) | getattr(mmap, "MAP_ANONYMOUS", 0)  # Windows has no such flags
    return mmap.mmap(-1, size, flags=private) if private else mmap.mmap(-1, size)
