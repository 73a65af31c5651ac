"""What a run and its partitions tell each other. The size of a round's messages does not depend on the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class PartitionSize:
    """What a partition holds."""

    rows: int
    stored: float  # numbers of a row that are stored, on average
    primal_at_zero: np.ndarray  # (parts,) the primal of its rows at w = 0


@dataclass(frozen=True)
class BlockChange:
    """A block that was solved: what every partition adds to its functions, and new variables of its own rows."""

    rows: Any  # (block, features) in single precision
    weights: np.ndarray  # (block, outputs): the change of their weights
    shift: np.ndarray  # (outputs,): what an offset of the kernel adds to all functions
    mine: np.ndarray  # positions in the partition's rows of the part
    alpha: np.ndarray  # (mine, slots)


@dataclass(frozen=True)
class PartitionStanding:
    """Sums and extremes over the rows of a partition, by its functions."""

    violation: float  # of a Line unused: high and low tell it
    high: float  # of a Line: the largest signed gradient that may rise
    low: float  # of a Line: the smallest that may fall
    loss: float
    linear: float
    energy: float  # 1/2 <W, K W>, without the offset
    cost: float  # sum of the costs U_i of the part's rows
    outside: float  # the largest amount by which a variable lies outside its bounds
    support: np.ndarray  # (classes,) support vectors of each class, of this part and those before
    bounded: int
    right: float  # weight of the rows decided right, of a joint machine
    total: float  # weight of all rows


@dataclass(frozen=True)
class RowOffer:
    """The rows that violate most, with all that a block needs of them."""

    standing: PartitionStanding
    positions: np.ndarray  # in the partition's rows of the part
    rows: Any  # (offered, features) in single precision
    labels: np.ndarray  # in the part
    upper: np.ndarray
    alpha: np.ndarray  # (offered, slots)
    functions: np.ndarray  # (offered, outputs)


@dataclass(frozen=True)
class SupportRows:
    """Some of the support vectors of a part; `weights` are all that others need of them."""

    rows: Any  # float64
    weights: np.ndarray  # (support, outputs)


@dataclass(frozen=True)
class BiasKinks:
    """Where the slope of the primal as a function of b changes, of a binary part with an exact bias."""

    positive: float  # sum U_i of the examples of its first class
    cost: float  # sum U_i of all
    low: float  # the smallest kink
    high: float  # the largest


@dataclass(frozen=True)
class Restored:
    """The client's copy, from which a partition that was lost is made again."""

    part: int
    serial: int
    alpha: np.ndarray  # of its rows of the part


class LostPartitionsError(Exception):
    """Some were lost and read anew: they have rows, and neither variables nor functions."""

    def __init__(self, numbers: set[int]) -> None:
        super().__init__(f"partitions {sorted(numbers)} were lost")
        self.numbers = numbers


def single_rows(rows: Any) -> Any:
    """In float32, as rows of a block are sent."""
    return rows.astype(np.float32)
