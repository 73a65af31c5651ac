"""Advice for lists in the window: findings and readers' remarks, translated, each with its possible actions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base.i18n import as_sentence, tr, worded
from mcsvm_gui.core.check.finding import Finding, Severity
from mcsvm_gui.core.data.remedies import Remedy, remedies
from mcsvm_gui.core.data.roles.arrangement import ROWS

if TYPE_CHECKING:
    from mcsvm_gui.core.check.plan import CheckedPlan
    from mcsvm_gui.core.data.dataset import Notice

# Notices that findings replace.
_FOUND = {"missing-cells", "constant-column", "all-missing-column"}
_FOUND |= {"constant columns", "empty columns", "many levels", "unscaled"}
_NO_WARNING = {"sparse", "categories", "filled", "dropped rows", "comments", "query-numbers", "zero-based"}
_NO_WARNING |= {"label-truth-values", "label-spellings", "trailing-separator", "label-blanks", "weightless-rows"}
_NO_WARNING |= {"row-names", "words", "joined categories"}

_OF_NAMES = {"MC005", "MC011", "MC012", "MC016"}  # findings on columns that name or group the rows
_PICKED = {"MC002": "contradictions", "MC003": "repeated"}  # findings about rows that can be shown


@dataclass(frozen=True)
class Action:
    text: str
    option: str  # an option of the reading form, the preparation or a machine
    value: str | None = None  # None: the control is shown, and the user chooses


@dataclass(frozen=True)
class Advice:
    sentence: str
    severity: Severity = Severity.WARNING
    actions: tuple[Action, ...] = ()
    title: str = ""  # for a finding, with its place and code

    @property
    def text(self) -> str:
        return f"{self.title}. {self.sentence}" if self.title else self.sentence


class Looked(NamedTuple):
    findings: tuple[Finding, ...]
    remarks: tuple[Advice, ...]

    @property
    def advice(self) -> tuple[Advice, ...]:
        """The worst first; among equals, advice with actions comes first."""
        every = (*map(_with_rows, self.findings), *self.remarks)
        return tuple(sorted(every, key=lambda one: (one.severity.rank, not one.actions)))


def look(plan: CheckedPlan) -> Looked:
    """Check the data and the plan. It examines every cell, so do not call it in the window's thread."""
    from mcsvm_gui.core.check.table import check_data

    notices = dict.fromkeys((*plan.dataset.notices, *plan.prepared.notices))
    findings = check_data(plan)
    spoken = {finding.where.values.get("names") for finding in findings if finding.code in _OF_NAMES}
    remarks = (notice for notice in notices if notice.code not in _FOUND and _about(notice) not in spoken)
    return Looked(findings, tuple(map(_remark, remarks)))


def _about(notice: Notice) -> object:
    """Return the columns that a notice reports and a finding may report too; for other notices, the notice."""
    if notice.code == "many-categories":
        return notice.sentence.values["name"]
    if notice.code == "index-column":
        return notice.sentence.values["columns"].values["names"]
    return notice


def advice_of(finding: Finding) -> Advice:
    title, where = worded(finding.title), worded(finding.where)
    what, do = as_sentence(worded(finding.sentence)), worded(finding.do)
    sentence = tr("{what} To do: {do}", what=what, do=as_sentence(do))
    head = tr("{title} ({where}; {code})", title=title, where=where, code=finding.code)
    return Advice(sentence, finding.severity, actions(finding.actions), head)


def _with_rows(finding: Finding) -> Advice:
    """Return the advice with an action that shows its rows on their page."""
    advice, pick = advice_of(finding), _PICKED.get(finding.code)
    if pick is None:
        return advice
    return replace(advice, actions=(*advice.actions, Action(tr("Show these rows"), ROWS, pick)))


def of_error(error: InputError) -> Advice:
    """Return the advice for an error in the data as a whole: the error's own sentence."""
    return Advice(as_sentence(worded(error.brief)), Severity.ERROR, actions(remedies(error.sentence)))


def _remark(notice: Notice) -> Advice:
    sentence = as_sentence(worded(notice.sentence))
    severity = Severity.NOTE if notice.code in _NO_WARNING else Severity.WARNING
    return Advice(sentence, severity, actions(remedies(notice.sentence)))


def actions(found: Iterable[Remedy]) -> tuple[Action, ...]:
    return tuple(Action(worded(remedy.invitation), remedy.option, remedy.value) for remedy in found)
