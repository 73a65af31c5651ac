"""Tables of numbers as bytes: plain .npy, read with suspicion."""

from __future__ import annotations

import io
import re

import numpy as np

HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '<f8', 'fortran_order': False, 'shape': \((\d{1,15}), (\d{1,15})\), \} *\n",
    re.DOTALL,
)


def packed(table: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.ascontiguousarray(table, dtype="<f8"), version=(1, 0), allow_pickle=False)
    return stream.getvalue()


def unpacked(content: bytes) -> np.ndarray:
    """Raises ValueError, and nothing else, where this is no table of numbers."""
    found = HEADER.match(content)
    if found is None:
        raise ValueError("an array with a strange header")
    rows, columns = int(found[1]), int(found[2])
    if rows * columns * 8 != len(content) - found.end():
        raise ValueError("an array that has not the length of its shape")
    return np.frombuffer(content, "<f8", offset=found.end()).reshape(rows, columns).copy()
