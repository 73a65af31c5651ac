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
# The header that NumPy writes for arrays of one plain type, in any version of its format.
_ANY = re.compile(
    rb"\{'descr': '([<>|=]?[a-zA-Z][0-9]{0,6})', 'fortran_order': (False|True),"
    rb" 'shape': \(([0-9, ]{0,99})\), \} *\n"
)
_PLAIN = "biufUS"  # kinds of numbers, truth values and text
LENGTH = slice(8, 10)  # position of the header's length, as stored in the file


UNSIGNED = "|u1", "<u2", "<u4"
INTEGERS = *UNSIGNED, "<i8"  # from the smallest type to the largest


def packed(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False)
    return stream.getvalue()


def narrowed(array: np.ndarray) -> np.ndarray:
    """Return integers in the smallest of the types INTEGERS that holds them all; other arrays as they are."""
    if array.dtype.kind not in "iu" or not array.size:
        return array
    low, high = int(array.min()), int(array.max())
    return array.astype(next((kind for kind in UNSIGNED if low >= 0 and high <= np.iinfo(kind).max), INTEGERS[-1]))


def unpacked(
    content: bytes, dtype: str = "<f8", shape: tuple[int | None, ...] = (None, None), stored: tuple[str, ...] = ()
) -> np.ndarray:
    """Return an array of that type and shape; None is any size. Raise ValueError, and nothing else, if it is another.

    `stored`: the types that the bytes may have, if they differ from the type that is returned.
    """
    found = HEADER.match(content)
    if found is None or LENGTH.stop + int.from_bytes(content[LENGTH], "little") != found.end():
        raise ValueError("an array with a strange header")
    sizes = tuple(int(size) for size in found[2].split(b",") if size.strip())
    kind = found[1].decode()
    if kind not in (stored or (dtype,)) or len(sizes) != len(shape):
        raise ValueError("an array of another type or shape")
    if any(wanted not in (None, size) for size, wanted in zip(sizes, shape, strict=True)):
        raise ValueError("an array of another shape")
    if math.prod(sizes) * np.dtype(kind).itemsize != len(content) - found.end():
        raise ValueError("an array that has not the length of its shape")
    return np.frombuffer(content, kind, offset=found.end()).reshape(sizes).astype(dtype)


class ObjectsError(ValueError):
    """An array of Python objects, which only running code could read."""


def of_numpy(content: bytes) -> np.ndarray:
    """Read numbers, truth values or text of any shape from bytes that NumPy saved; decode text from UTF-8.

    Raises ValueError, and no other error.
    """
    if content[:6] != b"\x93NUMPY" or content[6:8] not in (b"\1\0", b"\2\0", b"\3\0"):
        raise ValueError("this is no array of NumPy")
    start = 10 if content[6] == 1 else 12
    end = start + int.from_bytes(content[8:start], "little")
    found = _ANY.fullmatch(content[start:end])
    if found is None:
        raise ValueError("its header is not that of an array of plain numbers or text")
    if found[1].lstrip(b"<>|=")[:1] == b"O":
        raise ObjectsError("Python objects")
    return _filled(content, end, found[1].decode(), tuple(_sizes(found[3])), in_columns=found[2] == b"True")


def _sizes(text: bytes) -> list[int]:
    return [int(size) for size in text.split(b",") if size.strip()]


def _filled(content: bytes, start: int, kind: str, shape: tuple[int, ...], *, in_columns: bool) -> np.ndarray:
    try:
        dtype = np.dtype(kind)
    except TypeError:
        raise ValueError(f"{kind} is no kind of numbers") from None
    if dtype.kind not in _PLAIN or not dtype.itemsize:
        raise ValueError(f"{kind} is neither a kind of numbers nor text")
    if math.prod(shape) * dtype.itemsize != len(content) - start:
        raise ValueError("it has not the length of its shape")
    flat = np.frombuffer(content, dtype, offset=start)
    if dtype.kind == "U":
        _check_letters(flat.view(dtype.str[0] + "u4"))
    elif dtype.kind == "S":
        flat = np.array([text.decode("utf-8") for text in flat.tolist()], dtype=np.str_)
    return flat.reshape(shape, order="F" if in_columns else "C").copy()


def _check_letters(points: np.ndarray) -> None:
    """Raise ValueError if a number is no character: Python crashes when it makes text of it.

    A half of a surrogate pair is no character either.
    """
    if ((points > 0x10FFFF) | ((points >= 0xD800) & (points < 0xE000))).any():
        raise ValueError("it holds what is no letter")
