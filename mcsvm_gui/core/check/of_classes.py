"""Checks of classes: their number, their sizes, and whether each is trained and tested on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.figures import percent
from mcsvm_gui.core.check.finding import Check, Finding, Severity, classes, columns, file, rows
from mcsvm_gui.core.check.plan import CheckedPlan
from mcsvm_gui.core.data import splitting
from mcsvm_gui.core.data.remedies import Remedy
from mcsvm_gui.core.data.spellings import in_training_spelling
from mcsvm_gui.core.evaluate.recommended import MAJORITY, are_unequal
from mcsvm_gui.core.machine.request import OPTIONS

MANY_CLASSES = 20  # more classes with numbers as names look like measured values, if each has fewer rows than:
FEW_ROWS = 10
UNKNOWN = 0.05  # half the width of an accuracy's 95% interval that a test should stay below


class UnequalClasses(Check[CheckedPlan]):
    code, title = "MC030", Sentence("Unequal classes: accuracy misleads")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        counts = plan.dataset.class_counts
        if not are_unequal(counts):
            return
        largest, smallest = int(np.argmax(counts)), int(np.argmin(counts))
        part = counts[largest] / sum(counts)
        names = plan.dataset.classes
        what = Sentence(
            "{share} of the rows are of class {large}, and {rows} of class {small}: always guessing {large} is"
            " right for {share}, so that accuracy says little",
            share=percent(part),
            large=names[largest],
            small=names[smallest],
            rows=counts[smallest],
        )
        weigh = Remedy(OPTIONS["class_weight"], "balanced")
        do = Sentence("judge by balanced accuracy or macro F1, and train with {weigh}", weigh=weigh)
        yield self.found(classes([names[smallest]]), what, do, slight=part < MAJORITY or plan.weighted)


class SmallClasses(Check[CheckedPlan]):
    code, title = "MC031", Sentence("Classes too small for the folds")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        counts = dict(zip(plan.dataset.classes, plan.dataset.class_counts, strict=True))
        few = [name for name, count in counts.items() if count < plan.folds]
        if few:
            what = Sentence(
                "{count} class has fewer rows than there are folds ({folds}): some folds do not test it",
                "{count} classes have fewer rows than there are folds ({folds}): some folds do not test them",
                count=len(few),
                folds=plan.folds,
            )
            do = Sentence("gather more rows of them, join classes, or take fewer folds")
            yield self.found(classes(few), what, do)


class UntestedClasses(Check[CheckedPlan]):
    code, title = "MC032", Sentence("Classes that are not tested")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        for notice in plan.sides.notices if plan.sides is not None else ():
            if notice.code == "untested classes":
                do = Sentence("gather more rows of them, or hold more out")
                where = Sentence("classes: {names}", names=notice.sentence.values["untested"])
                yield self.found(where, notice.sentence, do)


class UnseenClasses(Check[CheckedPlan]):
    code, title = "MC033", Sentence("Test rows of unknown classes")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        named = _test_labels(plan)
        if named is None or not plan.dataset.classes:
            return
        strange = np.setdiff1d(named, plan.dataset.classes)
        if strange.size:
            count = int(np.isin(named, strange).sum())
            what = Sentence(
                "{rows} of the test file are of classes not trained on; all count as errors", rows=rows(count)
            )
            yield self.found(classes(strange), what, Sentence("train on these classes too, or leave their rows out"))


class AbsentClasses(Check[CheckedPlan]):
    code, severity, title = "MC036", Severity.NOTE, Sentence("Classes that the test file lacks")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        named = _test_labels(plan)
        absent = [] if named is None else sorted(set(plan.dataset.classes) - set(named.tolist()))
        if absent:
            what = Sentence("the test file has no row of them: it cannot show how well they are predicted")
            yield self.found(classes(absent), what, Sentence("test on rows of every class"))


def _test_labels(plan: CheckedPlan) -> np.ndarray | None:
    """Return the labels of the test rows as training spells them."""
    if plan.test is None or plan.test.labels is None:
        return None
    return in_training_spelling(plan.dataset.classes, plan.test.labels).astype(str)


class MeasuredClasses(Check[CheckedPlan]):
    code, title = "MC034", Sentence("Classes that look like measured numbers")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        names = plan.dataset.classes
        if len(names) > MANY_CLASSES and plan.dataset.rows < FEW_ROWS * len(names) and all(map(_number, names)):
            what = Sentence(
                "{classes} classes with {rows} in all, each named by a number: this may be a measured value, which a"
                " classifier cannot order",
                classes=len(names),
                rows=rows(plan.dataset.rows),
            )
            do = Sentence(
                "choose another label column ({label}), or cut the value into few classes", label=Remedy("label")
            )
            yield self.found(Sentence("column {name}", name=plan.dataset.label_name or ""), what, do)


def _number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True


class SortedRows(Check[CheckedPlan]):
    code, title = "MC035", Sentence("Sorted rows, split in their order")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        labels = plan.dataset.labels
        if labels is None or plan.dataset.rows < 2 or splitting.kind_of(plan.dataset, plan.split) != "order":
            return
        changes = int((labels[1:] != labels[:-1]).sum())
        if changes < 2 * len(plan.dataset.classes):
            what = Sentence("the rows are sorted by class: the last ones are not of the classes of the first")
            random = Remedy(OPTIONS["split"], "stratified")
            yield self.found(file(plan.dataset), what, Sentence("{split}", split=random))


class SmallTest(Check[CheckedPlan]):
    code, severity, title = "MC043", Severity.NOTE, Sentence("Few rows to test on")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        count = plan.test.rows if plan.test is not None else 0 if plan.sides is None else plan.sides.test.size
        half = 0.98 / np.sqrt(count) if count else 0.0  # 1.96 sqrt(1/4 / n)
        if half > UNKNOWN:
            what = Sentence(
                "{count} row is tested on: accuracies are known to ±{half} at best",
                "{count} rows are tested on: accuracies are known to ±{half} at best",
                count=count,
                half=percent(half),
            )
            yield self.found(Sentence("test rows"), what, Sentence("compare machines by cross-validation on all rows"))


class CurvedText(Check[CheckedPlan]):
    code, severity, title = "MC045", Severity.NOTE, Sentence("Texts with a curved kernel")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        if plan.dataset.table is None:
            return
        names = [column.name for column in plan.dataset.columns if column.kind == "text"]
        if names and plan.kernel != "linear":
            what = Sentence(
                "each word is a feature: with so many, a linear kernel separates the classes as well, and is"
                " much faster"
            )
            linear = Remedy(OPTIONS["kernel"], "linear")
            yield self.found(columns(names), what, Sentence("take {linear}", linear=linear))


class WideData(Check[CheckedPlan]):
    code, severity, title = "MC044", Severity.NOTE, Sentence("More columns than rows")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        width, height = len(plan.dataset.columns), plan.dataset.rows
        if width > height and plan.kernel != "linear":
            what = Sentence(
                "{columns} columns and {rows}: a linear kernel can be as good, and faster",
                columns=width,
                rows=rows(height),
            )
            linear = Remedy(OPTIONS["kernel"], "linear")
            yield self.found(file(plan.dataset), what, Sentence("try {linear}", linear=linear))
