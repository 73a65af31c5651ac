"""Arrays of numbers as bytes: plain .npy, read with suspicion.

Read more strictly than NumPy does, which parses a hostile header as Python.
"""

from __future__ import annotations

import io
import math
import re

import numpy as np

HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '([<>|=]?[a-z][0-9]{1,3})', 'fortran_order': False,"
    rb" 'shape': \(([0-9, ]{0,99})\), \} *\n",
    re.DOTALL,
)
LENGTH = slice(8, 10)  # of the header, as the file says


def packed(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False)
    return stream.getvalue()


def unpacked(content: bytes, dtype: str = "<f8", shape: tuple[int | None, ...] = (None, None)) -> np.ndarray:
    """An array of that type and shape; None is any size. Raises ValueError, and nothing else, where it is another."""
    found = HEADER.match(content)
    if found is None or LENGTH.stop + int.from_bytes(content[LENGTH], "little") != found.end():
        raise ValueError("an array with a strange header")
    sizes = tuple(int(size) for size in found[2].split(b",") if size.strip())
    if found[1].decode() != dtype or len(sizes) != len(shape):
        raise ValueError("an array of another type or shape")
    if any(wanted not in (None, size) for size, wanted in zip(sizes, shape, strict=True)):
        raise ValueError("an array of another shape")
    if math.prod(sizes) * np.dtype(dtype).itemsize != len(content) - found.end():
        raise ValueError("an array that has not the length of its shape")
    return np.frombuffer(content, dtype, offset=found.end()).reshape(sizes).copy()
