"""Tables of numbers as bytes: plain .npy, read with suspicion."""

from __future__ import annotations

import io

import numpy as np


def packed(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.ascontiguousarray(array, dtype="<f8"), version=(1, 0), allow_pickle=False)
    return stream.getvalue()


def unpacked(content: bytes) -> np.ndarray:
    """Raises ValueError, and nothing else, where this is no table of numbers."""
    stream = io.BytesIO(content)
    try:
        if np.lib.format.read_magic(stream) != (1, 0):
            raise ValueError("an array of another format")
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)
    except (SyntaxError, TypeError, LookupError, EOFError, UnicodeError, RecursionError) as error:
        raise ValueError("an array with a strange header") from error
    values = content[stream.tell() :]
    if dtype != np.dtype("<f8") or fortran or len(shape) != 2 or shape[0] * shape[1] * 8 != len(values):
        raise ValueError("an array with a strange header")
    return np.frombuffer(values, "<f8").reshape(shape).copy()
