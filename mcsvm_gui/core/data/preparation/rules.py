"""What the user decides about preparation, and what it leads to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp

from mcsvm_gui.core.data.dataset import Notice
from solvers.errors import InputError

SCALES = "minmax", "standard", "none"
MISSING = "reject", "drop", "mean", "most-frequent"
UNKNOWN = "zeros", "reject"

Rows: TypeAlias = np.ndarray | sp.csr_array


@dataclass(frozen=True)
class Rules:
    scale: str = "minmax"  # to [-1, 1]; standard: mean 0 and deviation 1
    missing: str = "reject"  # categories take their most frequent level under `mean` too
    unknown: str = "zeros"  # a level that training did not know: no level at all, or refused

    def __post_init__(self) -> None:
        for name, allowed in (("scale", SCALES), ("missing", MISSING), ("unknown", UNKNOWN)):
            if getattr(self, name) not in allowed:
                raise InputError(f"{name} must be one of {', '.join(allowed)}, not {getattr(self, name)!r}")

    @property
    def fills(self) -> bool:
        return self.missing in ("mean", "most-frequent")


class Feature(NamedTuple):
    """One feature of the kernel: ((value, or value == level) - shift) * scale; missing cells count as `fill`."""

    source: str
    level: str | None
    fill: float | str | None
    shift: float
    scale: float


@dataclass(frozen=True, eq=False)
class Prepared:
    """What the kernel sees of a data set."""

    rows: Rows
    kept: np.ndarray  # which rows of the data set these are: all, unless those with missing cells are dropped
    notices: tuple[Notice, ...]


def some(names: list[str], most: int = 5) -> str:
    """A list for a sentence, long names shortened."""
    shown = ", ".join(name if len(name) <= 40 else f"{name[:37]}..." for name in names[:most])
    return f"{shown}, ... ({len(names)} in all)" if len(names) > most else shown


def counted(number: int, one: str) -> str:
    """3 rows, 1 row."""
    return f"{number} {one}" if number == 1 else f"{number} {one}s"


def notices_of(document: dict[str, Any]) -> tuple[Notice, ...]:
    return tuple(Notice(_text(code), _text(sentence)) for code, sentence in document["notices"])


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("a notice is no text")
    return value


def finite(values: Any) -> np.ndarray:
    """Numbers of a document, or ValueError."""
    array = np.array(values, dtype=np.float64)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise ValueError("numbers that are not finite")
    return array
