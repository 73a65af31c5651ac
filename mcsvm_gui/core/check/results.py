"""Checks of results that are worse than they look: searches, models, predictions, and comparisons with baselines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from mcsvm.solvers.errors import Sentence
from mcsvm.solvers.run.ending import Ending
from mcsvm_gui.core.base.errors import joined
from mcsvm_gui.core.base.figures import percent
from mcsvm_gui.core.check.finding import Check, Finding, Severity, rows
from mcsvm_gui.core.data.remedies import Remedy
from mcsvm_gui.core.machine.request import OPTIONS
from mcsvm_gui.core.machine.state import Optimality

WORSE = 0.01  # difference of accuracies: below, the choice of folds decides
MISCALIBRATED = 0.1  # expected calibration error
MUCH = 3.0  # ratio of the rows called novel to the expected number
TITLES = {
    "majority": Sentence("the majority class"),
    "neighbours": Sentence("the five nearest neighbours"),
    "boosting": Sentence("gradient-boosted trees"),
}


@dataclass(frozen=True)
class Ended:
    """The ending of a training."""

    name: str
    ending: Ending
    relative_gap: float
    optimality: Optimality


@dataclass(frozen=True)
class Reliable:
    """The difference between probabilities and frequencies on rows with known classes."""

    name: str
    rows: int
    error: float  # expected calibration error


@dataclass(frozen=True)
class Novel:
    """Rows that are further from the training data than a given share of it."""

    name: str
    rows: int
    novel: int
    expected: float  # the share that is called novel among rows similar to the training rows


@dataclass(frozen=True)
class CheckedResults:
    """Facts about models, searches and predictions; each is empty if it is unknown."""

    accuracies: Mapping[str, float] = field(default_factory=dict)  # of the machine ("") and baselines, on equal folds
    edges: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of a search, by machine
    ended: tuple[Ended, ...] = ()
    reliable: Reliable | None = None
    novel: Novel | None = None


class _Baseline(Check[CheckedResults]):
    """Compare the machine with a baseline on the same folds."""

    name: str
    do: Sentence

    def find(self, subject: CheckedResults) -> Iterator[Finding]:
        machine, other = (subject.accuracies.get(name) for name in ("", self.name))
        if machine is not None and other is not None and machine < other - WORSE:
            what = Sentence(
                "on the same folds, the accuracy of the machine is {machine} and that of {method} is {other}",
                machine=percent(machine),
                method=TITLES[self.name],
                other=percent(other),
            )
            yield self.found(Sentence("all rows, in folds"), what, self.do)


class BelowMajority(_Baseline):
    code, severity, title = "MC050", Severity.ERROR, Sentence("Worse than the majority class")
    name, do = "majority", Sentence("search C and gamma; check label column and features")


class BelowNeighbours(_Baseline):
    code, title = "MC051", Sentence("Worse than nearest neighbours")
    name, do = "neighbours", Sentence("search C and gamma: a larger gamma looks at nearer rows")


class BelowBoosting(_Baseline):
    code, title = "MC052", Sentence("Worse than boosted trees")
    name, do = "boosting", Sentence("search C and gamma; columns that say nothing may be left out")


class EdgeCell(Check[CheckedResults]):
    code, title = "MC060", Sentence("The best cell is on the edge")

    def find(self, subject: CheckedResults) -> Iterator[Finding]:
        ends = {
            "C low": Sentence("the smallest C"),
            "C high": Sentence("the largest C"),
            "gamma low": Sentence("the smallest gamma"),
            "gamma high": Sentence("the largest gamma"),
        }
        for machine, edges in subject.edges.items():
            what = Sentence(
                "the best cell lies on the edge of what was searched ({ends}): there may be better ones beyond",
                ends=joined([ends[edge] for edge in edges]),
            )
            yield self.found(Sentence("{name}", name=machine), what, Sentence("search further out"))


class NotCertified(Check[CheckedResults]):
    code, title = "MC061", Sentence("Not certified")

    def find(self, subject: CheckedResults) -> Iterator[Finding]:
        for ended in subject.ended:
            if ended.optimality == "solved":
                continue
            gap = percent(max(0.0, ended.relative_gap))
            if ended.ending is Ending.CONVERGED:
                what = Sentence(
                    "the violation is within the tolerance, but the objective is up to {gap} from the optimum", gap=gap
                )
                do = Sentence("train with a smaller tolerance")
            else:
                what = Sentence(
                    "the training ended before its tolerance: the objective is up to {gap} from the optimum", gap=gap
                )
                do = Sentence("train on, with more time or steps; a smaller C is easier")
            yield self.found(Sentence("{name}", name=ended.name), what, do)


class NotCalibrated(Check[CheckedResults]):
    code, title = "MC062", Sentence("Probabilities that are off")

    def find(self, subject: CheckedResults) -> Iterator[Finding]:
        found = subject.reliable
        if found is not None and found.error > MISCALIBRATED:
            what = Sentence(
                "on {rows} the probabilities differ from the frequencies by {error} on average",
                rows=rows(found.rows),
                error=percent(found.error),
            )
            calibrate = Remedy(OPTIONS["calibrate"], "temperature")
            do = Sentence("train again on rows such as these, with {calibrate}", calibrate=calibrate)
            yield self.found(Sentence("{name}", name=found.name), what, do)


class FarOutside(Check[CheckedResults]):
    code, title = "MC063", Sentence("Rows far from the training data")

    def find(self, subject: CheckedResults) -> Iterator[Finding]:
        found = subject.novel
        if found is not None and found.novel > max(2.0, MUCH * found.expected * found.rows):
            what = Sentence(
                "{novel} of {rows} are further from the training data than {expected} of rows like it would be",
                novel=found.novel,
                rows=rows(found.rows),
                expected=percent(found.expected),
            )
            do = Sentence("check them by hand: they may belong to none of the training classes")
            yield self.found(Sentence("{name}", name=found.name), what, do)
