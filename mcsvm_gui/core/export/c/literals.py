"""Constants in C: arrays of numbers, and strings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp

CHUNK = 400  # bytes per string literal; the compiler joins adjacent literals


def sparse(name: str, rows: sp.csr_array, values: str = "expansion") -> Iterable[str]:
    yield array(f"int {name}_starts", rows.indptr)
    yield array(f"int {name}_columns", rows.indices)
    yield array(f"double {values}", rows.data)


def array(declaration: str, values: np.ndarray) -> str:
    """Return the declaration of a constant array; C has no empty arrays, so an empty one holds a zero."""
    texts = list(map(repr, values.tolist())) or ["0"]
    lines = [", ".join(texts[start : start + 8]) for start in range(0, len(texts), 8)]
    return f"static const {declaration}[] = {{\n" + ",\n".join(lines) + "\n};\n"


def strings(declaration: str, texts: Iterable[Any]) -> str:
    items = ",\n    ".join("0" if text is None else literal(text) for text in texts) or "0"
    return f"{declaration}[] = {{\n    {items}\n}};\n"


def literal(text: str) -> str:
    """Return a C string literal: letters, digits and harmless characters as they are, others as three octal digits."""
    safe = set(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-+.,:;()=<>")
    bytes_ = [chr(byte) if byte in safe else f"\\{byte:03o}" for byte in text.encode("utf-8", "surrogatepass")]
    chunks = ["".join(bytes_[start : start + CHUNK]) for start in range(0, len(bytes_), CHUNK)]
    return " ".join(f'"{chunk}"' for chunk in chunks or [""])
