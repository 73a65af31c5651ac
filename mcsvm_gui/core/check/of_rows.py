"""Checks for rows that occur twice, or on both sides of a split."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pandas as pd

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.figures import percent
from mcsvm_gui.core.check.finding import Check, Finding, Severity, columns, file, rows
from mcsvm_gui.core.check.plan import CheckedPlan
from mcsvm_gui.core.data import splitting
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.phrases import row_numbers
from mcsvm_gui.core.data.remedies import Remedy
from mcsvm_gui.core.machine.request import OPTIONS

MANY = 0.05  # share of the test rows: below, an accuracy of 90% is off by half a point at most


def numbered_rows(dataset: Dataset, found: np.ndarray) -> Sentence:
    """Return the file and the numbers of the rows in it; for several files, only how many rows there are."""
    if dataset.row_source.codes is not None:
        return Sentence("{file}: {rows}", file=file(dataset), rows=rows(found.size))
    return Sentence("{file}: {rows}", file=file(dataset), rows=row_numbers(dataset.row_numbers[found]))


class RowsOnBothSides(Check[CheckedPlan]):
    code, title = "MC001", Sentence("Rows in both training and test")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        if plan.tested is None:
            return
        trained, tested, places = plan.tested
        known = np.flatnonzero(np.isin(tested, trained))
        if known.size:
            what = Sentence(
                "{count} row of {tested} tested on ({share}) has the same features as a row trained on:"
                " the test score is too optimistic",
                "{count} rows of {tested} tested on ({share}) have the same features as rows trained on:"
                " the test score is too optimistic",
                count=known.size,
                tested=tested.size,
                share=percent(known.size / tested.size),
            )
            do = Sentence("keep each of them once, or name a column that they share with {groups}", groups=_groups())
            where = numbered_rows(plan.dataset if plan.test is None else plan.test, places[known])
            yield self.found(where, what, do, slight=known.size < max(2.0, MANY * tested.size))


def _groups() -> Remedy:
    return Remedy("groups")


class Contradictions(Check[CheckedPlan]):
    code, title = "MC002", Sentence("The same row with different classes")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        labels = plan.dataset.labels
        if labels is None:
            return
        frame = pd.DataFrame({"row": plan.keys, "label": pd.factorize(labels)[0]})
        named = frame.drop_duplicates()["row"].value_counts()
        torn = np.flatnonzero(np.isin(plan.keys, named.index[named > 1].to_numpy()))
        if torn.size:
            what = Sentence(
                "{count} row is there again with another class: not all can be right",
                "{count} rows are there again with another class: not all can be right",
                count=torn.size,
            )
            do = Sentence("correct their classes, or add a column that tells them apart")
            yield self.found(numbered_rows(plan.dataset, torn), what, do, slight=torn.size < 0.01 * plan.dataset.rows)


class Repetitions(Check[CheckedPlan]):
    code, severity, title = "MC003", Severity.NOTE, Sentence("Repeated rows")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        labels = plan.dataset.labels
        codes = np.zeros(plan.dataset.rows, np.int64) if labels is None else pd.factorize(labels)[0]
        again = np.flatnonzero(pd.DataFrame({"row": plan.keys, "label": codes}).duplicated().to_numpy())
        if again.size:
            what = Sentence("{count} row occurs again", "{count} rows occur again", count=again.size)
            do = Sentence("nothing where they were measured twice; leave them out where they were copied")
            yield self.found(numbered_rows(plan.dataset, again), what, do)


class TornGroups(Check[CheckedPlan]):
    code, title = "MC004", Sentence("Groups split between training and test")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        notices = plan.sides.notices if plan.sides is not None else ()
        if plan.test is not None:
            notices = splitting.shared_groups(plan.dataset, plan.test)
        for notice in notices:
            if notice.code == "torn groups":
                keep = Remedy(OPTIONS["split"], "auto")
                do = Sentence("test on groups that were not trained on: {keep}", keep=keep)
                if plan.test is not None:
                    do = Sentence("test on groups that were not trained on")
                yield self.found(Sentence("column {name}", name=plan.dataset.group_name), notice.sentence, do)


class LikelyGroups(Check[CheckedPlan]):
    code, title = "MC005", Sentence("Rows that may belong together")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        dataset = plan.dataset
        if dataset.table is None or dataset.labels is None or dataset.groups is not None or dataset.folds is not None:
            return
        for name, levels in plan.likely_groups.items():
            what = Sentence(
                "the column {name} looks like groups of rows ({groups} different values): if rows of one group are"
                " alike, the test score is too optimistic, because training sees rows of the same groups",
                name=name,
                groups=levels,
            )
            do = Sentence("keep rows of one group on one side of every split: {groups}", groups=group_by(name))
            drop = plan.leave_out(name)
            if drop is not None:
                do = Sentence("{do}; if it says nothing about new rows: {drop}", do=do, drop=drop)
            yield self.found(columns([name]), what, do)


def group_by(name: str) -> Remedy:
    """Return the remedy that uses a column as groups; if its name cannot be shown, the user has to choose it."""
    return Remedy("groups", name if name.isprintable() and not _NUMBER.fullmatch(name) else None)


_NUMBER = re.compile(r"[+-]?[0-9]+")  # the option reads such a text as the number of a column
