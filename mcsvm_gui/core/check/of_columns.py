"""Checks of columns: they predict the class alone, number the rows, hold no information, or differ in scale."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.figures import percent
from mcsvm_gui.core.check.finding import Check, Finding, Severity, columns, file
from mcsvm_gui.core.check.plan import CheckedPlan, Held
from mcsvm_gui.core.data.preparation.fitting import MANY_LEVELS
from mcsvm_gui.core.data.remedies import Remedy
from mcsvm_gui.core.machine.request import OPTIONS

FEWEST = 30  # rows; with fewer, a column may predict the class or number the rows by chance
BINS = 64
LEAK = 0.01  # the largest error of a single column that is a leak, as a share of the majority class's error
DISTINCT = 0.5  # share of different texts in a column of names
SURPRISE = 5.0  # n^2 / 2 range: n random whole numbers are all different with probability exp(-SURPRISE)
SQUEEZED = 0.01  # share of a column's range that contains 98% of its cells


def leaving_out(plan: CheckedPlan, name: str, do: Sentence) -> Sentence:
    """Return the advice with a button that leaves the column out, if there is such a button."""
    drop = plan.leave_out(name)
    return do if drop is None else Sentence("{do}: {drop}", do=do, drop=drop)


def naming_rows(plan: CheckedPlan, name: str) -> Sentence:
    """Return two buttons for a column that names rows; the first one keeps the names."""
    names, drop = plan.name_rows_by(name), plan.leave_out(name)
    if names is None or drop is None:
        return Sentence("use it as row names, or leave it out")
    return Sentence("keep it as row names: {names}; or {drop}", names=names, drop=drop)


class Leak(Check[CheckedPlan]):
    code, title = "MC010", Sentence("One column predicts the class by itself")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        if plan.dataset.labels is None or plan.looked.size < FEWEST or len(plan.columns) < 2:
            return
        majority = np.bincount(plan.codes).max() / plan.codes.size
        allowed = LEAK * (1.0 - majority)
        for held in plan.columns:
            right = None if held.name in plan.likely_groups else told_by(held, plan.codes)
            if right is not None and 1.0 - right <= allowed:
                what = Sentence(
                    "the column {name} alone predicts the class of {share} of the rows",
                    name=held.name,
                    share=percent(right),
                )
                do = Sentence("leave it out, unless it is known before the class is")
                yield self.found(columns([held.name]), what, leaving_out(plan, held.name, do))


def told_by(held: Held, codes: np.ndarray) -> float | None:
    """Return the share of odd rows whose class the even rows predict by this column alone, cut into bins.

    The result is None for a column of names.
    """
    bins = _bins(held)
    if bins is None:
        return None
    counts = np.zeros((int(bins.max()) + 1, int(codes.max()) + 1))
    np.add.at(counts, (bins[::2], codes[::2]), 1.0)
    return float(np.mean(counts.argmax(axis=1)[bins[1::2]] == codes[1::2]))


def _bins(held: Held) -> np.ndarray | None:
    numbers, distinct = pd.factorize(held.cells, use_na_sentinel=False)
    if len(distinct) <= BINS:
        return np.asarray(numbers)
    if not held.numeric:
        return None
    edges = np.unique(np.nanquantile(held.cells, np.linspace(0.0, 1.0, BINS + 1)[1:-1]))
    return np.where(np.isnan(held.cells), edges.size + 1, np.searchsorted(edges, held.cells))


class Identifier(Check[CheckedPlan]):
    code, title = "MC011", Sentence("Names or numbers of rows")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        for held in plan.columns if plan.looked.size >= FEWEST else ():
            if _names_rows(plan, held):
                what = Sentence(
                    "nearly every row has another {name}: it names rows and says little else", name=held.name
                )
                yield self.found(columns([held.name]), what, naming_rows(plan, held.name))


def _names_rows(plan: CheckedPlan, held: Held) -> bool:
    if held.column.kind in ("text", "date"):
        return False
    if not held.numeric:
        there = held.cells[~pd.isna(held.cells)]
        return there.size >= FEWEST and len(set(there.tolist())) > max(DISTINCT * there.size, FEWEST / 2)
    whole = _different_whole_numbers(plan, held)
    if whole is None or _consecutive(whole):
        return False
    return bool(whole.size**2 / (2.0 * float(np.ptp(whole))) > SURPRISE or (np.diff(whole) > 0.0).all())


def _different_whole_numbers(plan: CheckedPlan, held: Held) -> np.ndarray | None:
    """Return all cells of the column if they are whole numbers and all different, else None."""
    if not _are_different_whole_numbers(held.cells):
        return None
    values = held.cells if plan.dataset.table is None else plan.whole(held)
    return values if _are_different_whole_numbers(values) else None


def _are_different_whole_numbers(values: np.ndarray) -> bool:
    with np.errstate(invalid="ignore"):
        whole = np.isfinite(values).all() and (values == np.rint(values)).all()
    return bool(whole and np.unique(values).size == values.size)


def _consecutive(whole: np.ndarray) -> bool:
    return bool(np.ptp(whole) <= 1.2 * whole.size)


class RowNumber(Check[CheckedPlan]):
    code, title = "MC012", Sentence("Row numbers")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        for held in plan.columns if plan.looked.size >= FEWEST else ():
            whole = _different_whole_numbers(plan, held) if held.column.kind == "number" else None
            if whole is not None and _consecutive(whole):
                what = Sentence(
                    "the column {name} numbers the rows: it tells the class in a sorted file and is noise elsewhere",
                    name=held.name,
                )
                yield self.found(columns([held.name]), what, naming_rows(plan, held.name))


class TimeOrder(Check[CheckedPlan]):
    code, title = "MC019", Sentence("Rows in the order of a column")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        if plan.split == "order" or plan.looked.size < FEWEST or plan.dataset.matrix is not None:
            return
        for held in plan.columns:
            if held.numeric and _rises(held.cells) and _rises(plan.whole(held)) and not _numbers(plan, held):
                what = Sentence(
                    "the column {name} rises from row to row, as a time does: tested at random, a machine is asked"
                    " about the past, and in use about the future",
                    name=held.name,
                )
                order = Remedy(OPTIONS["split"], "order")
                yield self.found(columns([held.name]), what, Sentence("test on the last rows: {order}", order=order))


def _rises(cells: np.ndarray) -> bool:
    with np.errstate(invalid="ignore"):
        return bool((np.diff(cells) > 0.0).all())


def _numbers(plan: CheckedPlan, held: Held) -> bool:
    return held.column.kind == "number" and _different_whole_numbers(plan, held) is not None


class Constant(Check[CheckedPlan]):
    code, severity, title = "MC013", Severity.NOTE, Sentence("Constant columns")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        yield from _prepared(self, plan, "constant columns", Sentence("nothing: training leaves them out"))


class Empty(Check[CheckedPlan]):
    code, severity, title = "MC014", Severity.NOTE, Sentence("Empty columns")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        yield from _prepared(self, plan, "empty columns", Sentence("nothing: training leaves them out"))


class Twins(Check[CheckedPlan]):
    code, severity, title = "MC015", Severity.NOTE, Sentence("Columns with the same content")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        for twins in _equal(plan.columns):
            what = Sentence("the columns have the same content, which counts {count} times", count=len(twins))
            yield self.found(columns(twins), what, Sentence("leave all but one out"))


def _equal(held: Iterable[Held]) -> list[list[str]]:
    """Return groups of equal columns, without constant ones.

    Columns are equal if they are linear functions of each other, or rename each other's texts.
    """
    found: dict[bytes, list[str]] = {}
    for one in held:
        key = _shape(one)
        if key is not None:
            found.setdefault(key, []).append(one.name)
    return [names for names in found.values() if len(names) > 1]


def _shape(held: Held) -> bytes | None:
    if not held.numeric:
        numbers, distinct = pd.factorize(held.cells)
        return numbers.astype("<i8").tobytes() if len(distinct) > 1 else None
    low, high = np.nanmin(held.cells, initial=np.inf), np.nanmax(held.cells, initial=-np.inf)
    reach = high - low
    if not (np.isfinite(reach) and reach > 0.0):
        return None
    shape = (held.cells - low) / reach
    first = shape[np.isfinite(shape)][0]
    return np.round(1.0 - shape if first > 0.5 else shape, 9).tobytes()


class ManyLevels(Check[CheckedPlan]):
    code, title = "MC016", Sentence("Many different texts")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        for held in plan.columns:
            levels = plan.levels.get(held.position, 0)
            if levels > MANY_LEVELS and not _names_rows(plan, held) and held.name not in plan.likely_groups:
                what = Sentence(
                    "the column {name} holds {levels} different texts, each of them becomes a feature; is it a name?",
                    name=held.name,
                    levels=levels,
                )
                do = Sentence("leave it out, or join texts that mean the same")
                yield self.found(columns([held.name]), what, leaving_out(plan, held.name, do))


class Unscaled(Check[CheckedPlan]):
    code, title = "MC017", Sentence("Columns on very different scales")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        scale = Remedy("scale", "minmax")
        yield from _prepared(self, plan, "unscaled", Sentence("scale them: {scale}", scale=scale))


class Stretched(Check[CheckedPlan]):
    code, title = "MC018", Sentence("A few cells stretch a column")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        if plan.rules.scale != "minmax" or plan.dataset.matrix is not None:
            return
        found = [held.name for held in plan.columns if held.numeric and plan.looked.size >= FEWEST and _squeezed(held)]
        if found:
            what = Sentence(
                "98% of the cells lie in {share} of their column's range: after min-max scaling they hardly differ",
                share=percent(SQUEEZED),
            )
            do = Sentence(
                "look at the largest cells, or scale by the spread: {scale}", scale=Remedy("scale", "standard")
            )
            yield self.found(columns(found), what, do)


def _squeezed(held: Held) -> bool:
    """Tell whether few cells take up nearly all of the range.

    The answer is no if nearly all cells have the same value, because no scaling helps then.
    """
    cells = held.cells[np.isfinite(held.cells)]
    low, first, last, high = np.quantile(cells, [0.0, 0.01, 0.99, 1.0]) if cells.size else np.zeros(4)
    return bool(0.0 < last - first < SQUEEZED * (high - low))


def _prepared(check: Check[CheckedPlan], plan: CheckedPlan, code: str, do: Sentence) -> Iterator[Finding]:
    """Yield the findings for the notices of the preparation that have this code."""
    for notice in plan.prepared.notices:
        if notice.code == code:
            where = notice.sentence.values
            name = where.get("name") or where.get("names") or where.get("empty") or where.get("widest")
            place = Sentence("all columns") if name is None else Sentence("column {name}", name=name)
            yield check.found(place, notice.sentence, do)


class Unusable(Check[CheckedPlan]):
    code, severity, title = "MC070", Severity.ERROR, Sentence("Data that cannot be trained on")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        error = plan.prepared.error
        if error is not None:
            where = file(plan.dataset)
            yield self.found(where, error.brief, Sentence("correct what is said"))
