"""What there is to say about a data set before training, and what can be done about it at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mcsvm_gui.core.base.figures import count
from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.data.form import titles

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
_NO_WARNING |= {"label-truth-values", "label-spellings", "trailing-separator", "label-blanks"}
_ASK = re.compile(r"[;,] (?:if [^;]*, )?say --(label|format|header|separator|decimal|encoding)\b.*$")
_OPTION = re.compile(r"(?:say )?--(label|format|header|separator|decimal|encoding|missing|scale)\b")


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


def options_named(sentence: str) -> tuple[str, ...]:
    """Which controls could mend what a sentence complains about."""
    return tuple(dict.fromkeys(_OPTION.findall(sentence)))


def in_the_window(sentence: str) -> str:
    """Readers speak of the command line's options; here these are controls with titles."""
    named = {**titles(), "missing": tr("Missing cells"), "scale": tr("Scaling")}
    return _OPTION.sub(lambda found: tr("use “{control}”", control=named[found[1]]), sentence)


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
    sentence, warns = notice.sentence, notice.code not in _NO_WARNING
    if notice.code == "missing-cells":
        return _missing(sentence, rules)
    if notice.code == "unscaled":
        clean = sentence.partition("; --")[0]
        return Advice(_ended(clean), warns, (Action(tr("Scale to -1 … 1"), "scale", "minmax"),))
    if notice.code in ("constant-column", "all-missing-column"):
        return Advice(_ended(sentence) + " " + tr("Training leaves this out."), False)
    asked = _ASK.search(sentence)
    if asked is None:
        return Advice(_ended(in_the_window(sentence)), warns)
    show = tr("Change “{control}”", control=titles()[asked[1]])
    return Advice(_ended(sentence[: asked.start()]), warns, (Action(show, asked[1]),))


def _missing(sentence: str, rules: Rules) -> Advice:
    done = {
        "drop": tr("Their rows are left out."),
        "mean": tr("They are filled with the mean of their column, text with its most frequent value."),
        "most-frequent": tr("They are filled with the most frequent value of their column."),
    }
    if rules.missing in done:
        return Advice(f"{_ended(sentence)} {done[rules.missing]}", False)
    actions = (
        Action(tr("Fill with the mean"), "missing", "mean"),
        Action(tr("Leave rows out"), "missing", "drop"),
    )
    return Advice(f"{_ended(sentence)} {tr('Training needs to know what to do.')}", True, actions)


def _repeated(duplicates: int, conflicts: int) -> Iterator[Advice]:
    if duplicates == 1:
        yield Advice(tr("1 row occurs again."), False)
    elif duplicates:
        yield Advice(tr("{count} rows occur again.", count=count(duplicates)), False)
    if conflicts == 1:
        yield Advice(tr("The same features stand with different classes once: not all can be right."))
    elif conflicts:
        often = count(conflicts)
        yield Advice(
            tr("The same features stand with different classes {count} times: not all can be right.", count=often)
        )


def _ended(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:] + ("" if sentence.endswith((".", "?", "!")) else ".")
