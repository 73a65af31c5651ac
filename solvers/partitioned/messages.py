"""The messages between a run and its partitions. The size of those of a round does not depend on the number of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class PartitionSize:
    """The size of a partition."""

    rows: int
    stored: float  # average number of stored values per row
    primal_at_zero: np.ndarray  # (parts,) the primal of its rows at w = 0


@dataclass(frozen=True)
class BlockChange:
    """A solved block: the change that every partition adds to its functions, and new variables of its own rows."""

    rows: Any  # (block, features) in single precision
    weights: np.ndarray  # (block, outputs) change of their weights
    shift: np.ndarray  # (outputs,) change of all functions by an offset of the kernel
    mine: np.ndarray  # positions in the partition's rows of the part
    alpha: np.ndarray  # (mine, slots)


@dataclass(frozen=True)
class PartitionStanding:
    """Sums and extremes over the rows of a partition, from its functions."""

    violation: float  # unused for a Line, whose violation follows from high and low
    high: float  # for a Line, the largest signed gradient of a variable that may rise
    low: float  # for a Line, the smallest one of a variable that may fall
    loss: float
    linear: float
    energy: float  # 1/2 <W, K W>, without the offset
    cost: float  # sum of the costs U_i of the part's rows
    outside: float  # the largest amount by which a variable lies outside its bounds
    support: np.ndarray  # (classes,) support vectors of each class, of this part and those before
    bounded: int
    right: float  # weight of the correctly predicted rows, for a joint machine
    total: float  # weight of all rows


@dataclass(frozen=True)
class RowOffer:
    """The rows that violate most, with the data that a block needs."""

    standing: PartitionStanding
    positions: np.ndarray  # in the partition's rows of the part
    rows: Any  # (offered, features) in single precision
    labels: np.ndarray  # in the part
    upper: np.ndarray
    alpha: np.ndarray  # (offered, slots)
    functions: np.ndarray  # (offered, outputs)


@dataclass(frozen=True)
class SupportRows:
    """A portion of the support vectors of a part, with their weights."""

    rows: Any  # float64
    weights: np.ndarray  # (support, outputs)


@dataclass(frozen=True)
class BiasKinks:
    """A summary of the kinks of the primal as a function of b, for a binary part with an exact bias."""

    positive: float  # sum U_i of the examples of its first class
    cost: float  # sum U_i of all examples
    low: float  # the smallest kink
    high: float  # the largest


@dataclass(frozen=True)
class Restored:
    """The client's copy of the state of a partition, from which it is rebuilt if it was lost."""

    part: int
    serial: int
    alpha: np.ndarray  # variables of its rows of the part


class LostPartitionsError(Exception):
    """Partitions were lost and read again: they have rows, but neither variables nor functions."""

    def __init__(self, numbers: set[int]) -> None:
        super().__init__(f"partitions {sorted(numbers)} were lost")
        self.numbers = numbers


def single_rows(rows: Any) -> Any:
    """Return rows in float32, the precision in which rows of a block are sent."""
    return rows.astype(np.float32)
