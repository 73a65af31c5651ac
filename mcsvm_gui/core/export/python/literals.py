"""Numbers in Python source."""

from __future__ import annotations

import numpy as np

PER_LINE = 8


def numbers(values: np.ndarray, kind: str = "float") -> str:
    texts = list(map(repr, values.ravel().tolist()))
    lines = [" ".join(texts[start : start + PER_LINE]) for start in range(0, len(texts), PER_LINE)]
    return f'list(map({kind}, """\n' + "\n".join(lines) + '\n""".split()))'
