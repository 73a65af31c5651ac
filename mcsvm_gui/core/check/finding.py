"""A finding: a notice with its code, place and remedy; a check: a class that looks for one kind of finding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.i18n import as_sentence
from mcsvm_gui.core.data.dataset import Dataset, Notice
from mcsvm_gui.core.data.phrases import names
from mcsvm_gui.core.data.remedies import Remedy, remedies

Subject = TypeVar("Subject")


class Severity(Enum):
    """From the worst to the mildest."""

    ERROR = "error"  # training is refused, or its result is worthless
    WARNING = "warning"  # the result may mislead
    NOTE = "note"  # good to know

    @property
    def rank(self) -> int:
        return list(Severity).index(self)


@dataclass(frozen=True)
class Finding(Notice):
    """`sentence` describes the problem; the remedies in `do` are possible actions of a button."""

    severity: Severity
    title: Sentence
    where: Sentence
    do: Sentence

    @property
    def actions(self) -> tuple[Remedy, ...]:
        return remedies(self.do)

    def document(self) -> dict[str, str]:
        said = {"where": str(self.where), "what": as_sentence(self.sentence), "do": as_sentence(self.do)}
        return {"code": self.code, "severity": self.severity.value, "title": str(self.title), **said}


class Check(Generic[Subject]):
    """`severity` is the severity of the usual case; a slight case is a note."""

    code: ClassVar[str]
    severity: ClassVar[Severity] = Severity.WARNING
    title: ClassVar[Sentence]

    def find(self, subject: Subject) -> Iterator[Finding]:
        raise NotImplementedError

    def found(self, where: Sentence, what: Sentence, do: Sentence, *, slight: bool = False) -> Finding:
        return Finding(self.code, what, Severity.NOTE if slight else self.severity, self.title, where, do)


def worst_first(found: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(found, key=lambda one: (one.severity.rank, one.code)))


def columns(found: Iterable[str]) -> Sentence:
    listed = list(found)
    return Sentence("column {names}", "{count} columns ({names})", count=len(listed), names=names(listed))


def classes(found: Iterable[str]) -> Sentence:
    listed = list(found)
    return Sentence("class {names}", "classes {names}", count=len(listed), names=names(listed))


def file(dataset: Dataset) -> Sentence:
    return Sentence("{name}", name=Path(dataset.name).name)


def rows(count: Any) -> Sentence:
    return Sentence("{count} row", "{count} rows", count=int(count))
