"""The results of preparation: the features of a kernel, and their names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.data.dataset import Notice

Rows: TypeAlias = np.ndarray | sp.csr_array


class Feature(NamedTuple):
    """One feature of the kernel: ((value, or value == level) - shift) * scale; missing cells count as `fill`.

    `part`: replaces the value by a part of a date, whether the cell is `missing`, or whether it is one of the `others`,
    the categories that do not have a feature of their own.
    """

    source: str
    level: str | None
    fill: float | str | None
    shift: float
    scale: float
    part: str = ""

    @property
    def title(self) -> str:
        """The name for users: colour = red, when month sin."""
        return (
            self.source
            if not (told := self.level or self.part)
            else f"{self.source} {'= ' if self.level else ''}{told}"
        )


@dataclass(frozen=True, eq=False)
class Prepared:
    """The rows of a data set as the kernel receives them."""

    rows: Rows
    kept: np.ndarray  # the positions of these rows in the data set: all, unless rows with missing cells are dropped
    notices: tuple[Notice, ...]


def some_names(names: list[str], most: int = 5) -> str:
    """Return a list for a sentence, with long names shortened."""
    shown = ", ".join(name if len(name) <= 40 else f"{name[:37]}..." for name in names[:most])
    return Sentence("{shown}, ... ({total} in all)", shown=shown, total=len(names)) if len(names) > most else shown


def notices_of(document: dict[str, Any]) -> tuple[Notice, ...]:
    return tuple(Notice(_text(code), Sentence(_text(sentence))) for code, sentence in document["notices"])


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("a notice is no text")
    return value


def finite(values: Any) -> np.ndarray:
    """Return the numbers of a document, or raise ValueError."""
    array = np.array(values, dtype=np.float64)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise ValueError("numbers that are not finite")
    return array
