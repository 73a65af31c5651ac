"""Partitions: several partitions that answer the same question. These are in this process; others send it elsewhere."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from typing import Any

from mcsvm.solvers.partitioned.partition import Partition


class Partitions(ABC):
    """Several partitions. A question is the name of a method of Partition, with its arguments.

    A lost partition is read again before LostPartitionsError is raised. All others have answered by then.
    """

    @property
    @abstractmethod
    def count(self) -> int: ...

    @abstractmethod
    def ask(self, question: str, arguments: Sequence[Sequence[Any]], of: Collection[int] | None = None) -> list[Any]:
        """Ask all partitions, or those of `of`; return their answers. `arguments` has an entry for each, in order."""

    def ask_all(self, question: str, *same: Any, of: Collection[int] | None = None) -> list[Any]:
        return self.ask(question, [same] * (self.count if of is None else len(of)), of)


class LocalPartitions(Partitions):
    """Partitions of this process, which answer one after another."""

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
