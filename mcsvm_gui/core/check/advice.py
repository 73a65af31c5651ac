"""What there is to say about a data set before training, and what can be done about it at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mcsvm_gui.core.base.i18n import as_sentence, tr, worded
from mcsvm_gui.core.data.remedies import Remedy, remedies

if TYPE_CHECKING:
    from mcsvm_gui.core.data.dataset import Dataset, Notice
    from mcsvm_gui.core.data.options import Rules

_SAID_BY_THE_READER = {
    "constant columns": "constant-column",
    "empty columns": "all-missing-column",
    "many levels": "many-categories",
}
_NO_WARNING = {
    "sparse",
    "categories",
    "filled",
    "dropped rows",
    "comments",
    "query-numbers",
    "zero-based",
    "constant columns",
}
_NO_WARNING |= {"label-truth-values", "label-spellings", "trailing-separator", "label-blanks", "weightless-rows"}


@dataclass(frozen=True)
class Action:
    text: str
    option: str  # of the reading form or the preparation
    value: str | None = None  # None: the control is shown, the choice is the user's


@dataclass(frozen=True)
class Advice:
    sentence: str
    warns: bool = True
    actions: tuple[Action, ...] = ()


def advise(dataset: Dataset, rules: Rules) -> tuple[Advice, ...]:
    """Looks at every cell: not in the window's thread."""
    from mcsvm_gui.core.data import inspection

    said = {notice.code for notice in dataset.notices}
    prepared = [notice for notice in _preparing(dataset, rules) if _SAID_BY_THE_READER.get(notice.code) not in said]
    notices = (*dataset.notices, *prepared)
    every = [_of(notice, rules) for notice in notices] + list(_repeated(*inspection.repeated(dataset)))
    return tuple(sorted(every, key=lambda advice: (not advice.actions, not advice.warns)))


def _preparing(dataset: Dataset, rules: Rules) -> Iterator[Notice]:
    """What the preparation will do; missing cells that are refused are spoken of elsewhere."""
    from mcsvm_gui.core.data import preparation

    refused = rules.missing == "reject" and dataset.missing > 0
    rules = replace(rules, missing="mean") if refused else rules
    part, dropped = preparation.complete(rules, dataset)
    for notice in (*dropped, *preparation.fit(rules, part).notices):
        if not (refused and notice.code == "filled"):
            yield notice


def _of(notice: Notice, rules: Rules) -> Advice:
    sentence, warns = as_sentence(worded(notice.sentence)), notice.code not in _NO_WARNING
    if notice.code == "missing-cells":
        return _missing(sentence, rules)
    if notice.code in ("constant-column", "all-missing-column"):
        return Advice(f"{sentence} {tr('Training leaves this out.')}", False)
    return Advice(sentence, warns, actions(remedies(notice.sentence)))


def actions(found: Iterable[Remedy]) -> tuple[Action, ...]:
    return tuple(Action(worded(remedy.invitation), remedy.option, remedy.value) for remedy in found)


def _missing(sentence: str, rules: Rules) -> Advice:
    done = {
        "drop": tr("Their rows are left out."),
        "mean": tr("They are filled with the mean of their column, text with its most frequent value."),
        "most-frequent": tr("They are filled with the most frequent value of their column."),
    }
    if rules.missing in done:
        return Advice(f"{sentence} {done[rules.missing]}", False)
    ways = Remedy("missing", "mean"), Remedy("missing", "drop")
    return Advice(f"{sentence} {tr('Training needs to know what to do.')}", True, actions(ways))


def _repeated(duplicates: int, conflicts: int) -> Iterator[Advice]:
    if duplicates:
        yield Advice(tr("{count} row occurs again.", "{count} rows occur again.", count=duplicates), False)
    if conflicts:
        yield Advice(
            tr(
                "The same features stand with different classes once: not all can be right.",
                "The same features stand with different classes {count} times: not all can be right.",
                count=conflicts,
            )
        )
