"""Partitions: several that are asked the same at once. Here those of this process; others carry questions elsewhere."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from typing import Any

from mcsvm.solvers.partitioned.partition import Partition


class Partitions(ABC):
    """What is asked is the name of a method of Partition and its arguments.

    A partition that was lost is read anew before LostPartitionsError is raised; all others have answered by then.
    """

    @property
    @abstractmethod
    def count(self) -> int: ...

    @abstractmethod
    def ask(self, question: str, arguments: Sequence[Sequence[Any]], of: Collection[int] | None = None) -> list[Any]:
        """The answers of all partitions, or of these; `arguments` for each of them, in order."""

    def ask_all(self, question: str, *same: Any, of: Collection[int] | None = None) -> list[Any]:
        return self.ask(question, [same] * (self.count if of is None else len(of)), of)


class LocalPartitions(Partitions):
    """Partitions of this process, asked one after another."""

    def __init__(self, partitions: Sequence[Partition]) -> None:
        self.partitions = list(partitions)

    @property
    def count(self) -> int:
        return len(self.partitions)

    def ask(self, question: str, arguments: Sequence[Sequence[Any]], of: Collection[int] | None = None) -> list[Any]:
        chosen = range(self.count) if of is None else of
        return [
            getattr(self.partitions[number], question)(*given)
            for number, given in zip(chosen, arguments, strict=True)
        ]  # fmt: skip
