"""Check whether labels are classes, and collect notices about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.errors import FileError, NoLabelError
from mcsvm_gui.core.data import spellings
from mcsvm_gui.core.data.dataset import Notice, NoticeTally
from mcsvm_gui.core.data.options import AUTOMATIC
from mcsvm_gui.core.data.phrases import Lines, names, quoted
from mcsvm_gui.core.data.readers.cells import BLANKS, MISSING_WORDS, NOT_A_NUMBER, is_number
from mcsvm_gui.core.data.readers.header import LABEL_NAMES
from mcsvm_gui.core.data.remedies import Remedy
from mcsvm_gui.core.data.roles.choosing import merged

_SEVERAL = 10  # this many different fractions are measurements, not names
_MANY_CLASSES = 100


@dataclass(frozen=True)
class Labels:
    values: np.ndarray | None
    notices: tuple[Notice, ...]


def check(
    path: Path,
    name: str,
    cells: np.ndarray,
    lines: np.ndarray | None,
    *,
    needs_label: bool,
    guessed: bool = False,
    how: str = AUTOMATIC,
    merge: str | None = None,
) -> Labels:
    """Return class names from the cells of the label column; for training, check that there are two classes or more."""
    where = np.arange(1, len(cells) + 1) if lines is None else lines
    stripped, notices = _strip(name, cells, where)
    empty = np.flatnonzero([cell is None or cell == "" or cell == "?" for cell in stripped])
    if len(empty):
        return _unlabelled(path, name, stripped, empty, where, notices, needs_label=needs_label)
    stripped, spelled = one_truth(name, stripped)
    stripped, joined = _joined(name, stripped, how)
    stripped, fewer = merged(path, stripped, merge, needed=needs_label)
    notices += spelled + joined + fewer
    counts = Counter(stripped)
    if needs_label:
        _refuse_measurements(path, name, counts, guessed=guessed)
        if len(counts) < 2:
            only = names(counts)
            raise FileError(
                path,
                "column {name} holds one class only, {only}; training needs two",
                name=quoted(name),
                only=only,
                column=name,
            )
        notices += _small_classes(name, counts)
    return Labels(stripped, (*notices, *_odd_names(name, counts)))


def _strip(name: str, cells: np.ndarray, lines: np.ndarray) -> tuple[np.ndarray, list[Notice]]:
    codes, distinct = pd.factorize(np.asarray(cells, dtype=object))
    bare = np.empty(len(distinct) + 1, dtype=object)
    bare[:-1] = [str(cell).strip(BLANKS) for cell in distinct]
    changed = [code for code, cell in enumerate(distinct) if bare[code] != cell]
    if not changed:
        return bare[codes], []
    rows = np.flatnonzero(np.isin(codes, changed))
    if len(rows) == len(cells) and len(set(bare[:-1])) == len(distinct):
        return bare[codes], []  # a blank behind every separator is a style
    return bare[codes], [
        Notice.of("label-blanks", NoticeTally(_bared, len(rows), lines=Lines.of(lines[rows]), about=name))
    ]


def _bared(tally: NoticeTally) -> Sentence:
    return Sentence(
        "{count} label in column {name} had blanks around it ({places}); it is taken without",
        "{count} labels in column {name} had blanks around them ({places}); they are taken without",
        count=tally.count,
        name=quoted(tally.about),
        places=tally.lines.said,
    )


def one_truth(name: str, labels: np.ndarray) -> tuple[np.ndarray, list[Notice]]:
    """Unite True, TRUE and true under the first spelling, if all labels are truth values."""
    spellings = list(dict.fromkeys(labels))
    first: dict[str, str] = {}
    for label in spellings:
        first.setdefault(label.lower(), label)
    if set(first) != {"true", "false"} or len(spellings) == 2:
        return labels, []
    result = np.empty(len(labels), dtype=object)
    result[:] = [first[label.lower()] for label in labels]
    sentence = Sentence(
        "labels {spellings} in column {name} are read as truth values: {names}",
        spellings=names(spellings),
        name=quoted(name),
        names=names(first.values()),
    )
    return result, [Notice("label-truth-values", sentence)]


def as_classes(cells: np.ndarray, how: str) -> np.ndarray:
    """Return the class that each cell names, before classes are merged; None for an empty cell."""
    codes, distinct = pd.factorize(np.asarray(cells, dtype=object))
    bare = [str(cell).strip(BLANKS) for cell in distinct]
    return np.array([*map(_spelling(how), bare), None], dtype=object)[codes]


def _spelling(how: str) -> Callable[[str], str]:
    return str if how == AUTOMATIC else lambda label: spellings.joined(label, case=how == "join-case")


def _joined(name: str, labels: np.ndarray, how: str) -> tuple[np.ndarray, list[Notice]]:
    """Unite labels that differ in spelling alone, if an option requests that."""
    if how == AUTOMATIC:
        return labels, []
    codes, distinct = pd.factorize(labels)
    called = np.empty(len(distinct), dtype=object)
    called[:] = [*map(_spelling(how), distinct)]
    changed = [label for label, new in zip(distinct, called, strict=True) if label != new]
    if not changed:
        return labels, []
    sentence = Sentence(
        "labels {labels} in column {name} are spelled {spelled}, as one class each",
        labels=names(changed),
        name=quoted(name),
        spelled=names(dict.fromkeys(called[distinct == label][0] for label in changed)),
    )
    return called[codes], [Notice("label-joined", sentence)]


def _unlabelled(
    path: Path,
    name: str,
    labels: np.ndarray,
    empty: np.ndarray,
    lines: np.ndarray,
    notices: list[Notice],
    *,
    needs_label: bool,
) -> Labels:
    tally = NoticeTally(_unscored, len(empty), lines=Lines.of(lines[empty]), about=name)
    if not needs_label:
        return Labels(None, (*notices, Notice.of("label-missing", tally)))
    some = len(empty) < len(labels)
    raise FileError(
        path,
        "{what}; fill the cell in, or delete the row" if some else "{what}; {label} for another column",
        what=_without_label(tally),
        label=Remedy("label", verb="say"),
        line=int(lines[empty[0]]),
        column=name,
    )


def _without_label(tally: NoticeTally) -> Sentence:
    return Sentence(
        "{count} row has no label in column {name} ({places})",
        "{count} rows have no label in column {name} ({places})",
        count=tally.count,
        name=quoted(tally.about),
        places=tally.lines.said,
    )


def _unscored(tally: NoticeTally) -> Sentence:
    return Sentence("{what}; no row is scored", what=_without_label(tally))


def _refuse_measurements(path: Path, name: str, counts: Counter[str], *, guessed: bool) -> None:
    """Refuse numbers with fractions that hardly ever repeat: they are measurements, not classes."""
    rows, classes = counts.total(), len(counts)
    if not all(is_number(label) for label in counts):
        return
    fractions = sum(1 for label in counts if not float(label).is_integer())
    most = 2 * classes > rows
    if classes >= _SEVERAL and ((fractions and (most or guessed)) or classes == rows):
        if guessed:
            raise NoLabelError(
                path,
                "no column is called {names} or {other}, and the last, {name}, holds measurements"
                " ({classes} different numbers); {label} with the column of the classes",
                names=", ".join(LABEL_NAMES[:-1]),
                other=LABEL_NAMES[-1],
                name=quoted(name),
                classes=classes,
                label=Remedy("label", verb="say"),
                column=name,
            )
        raise FileError(
            path,
            "column {name} holds {classes} different numbers in {rows} rows: this looks like regression;"
            " {label} for another column",
            name=quoted(name),
            classes=classes,
            rows=rows,
            label=Remedy("label", verb="say"),
            column=name,
        )


def _small_classes(name: str, counts: Counter[str]) -> list[Notice]:
    notices = []
    single = [label for label, count in counts.items() if count == 1]
    if single and len(single) == len(counts) > 2:
        sentence = Sentence(
            "each of the {count} classes in column {name} has one row only: no row can be held out or tested on, and"
            " any machine is right on all that it was trained on; {label} for another column",
            count=len(counts),
            name=quoted(name),
            label=Remedy("label", verb="say"),
        )
        notices.append(Notice("single-row-classes", sentence))
    elif single:
        sentence = Sentence(
            "{count} class has one row only: {names}; cross-validation cannot split them",
            "{count} classes have one row only: {names}; cross-validation cannot split them",
            count=len(single),
            names=names(single),
        )
        notices.append(Notice("single-row-class", sentence))
    if len(counts) > _MANY_CLASSES:
        pairs = len(counts) * (len(counts) - 1) // 2
        sentence = Sentence(
            "{counts} classes: training may take long, one against one has {pairs} pairs",
            counts=len(counts),
            pairs=pairs,
        )
        notices.append(Notice("many-classes", sentence))
    fractions = [label for label in counts if is_number(label) and not float(label).is_integer()]
    if len(fractions) >= _SEVERAL:
        sentence = Sentence(
            "column {name} holds {counts} different numbers with fractions: are they classes?",
            name=quoted(name),
            counts=len(counts),
        )
        notices.append(Notice("label-looks-measured", sentence))
    return notices


def _odd_names(name: str, counts: Counter[str]) -> list[Notice]:
    found = {
        "label-like-missing": (
            Sentence("labels {labels} in column {name} are taken as class names, not as missing"),
            _missing_words(counts),
        ),
        "label-case": (
            Sentence(
                "labels {labels} in column {name} differ only in upper and lower case"
                " and are taken as different classes; to join them, {spellings}"
            ),
            _same(counts, str.lower),
        ),
        "label-spelling": (
            Sentence(
                "labels {labels} in column {name} are equal as numbers and are taken as different classes;"
                " to join them, {spellings}"
            ),
            _same_numbers(counts),
        ),
        "label-letters": (
            Sentence(
                "labels {labels} in column {name} look alike, with letters or blanks put together in another way,"
                " and are taken as different classes; to join them, {spellings}"
            ),
            _look_alike(counts),
        ),
        "multi-label": (
            Sentence(
                "labels {labels} in column {name} look like several classes in one cell;"
                " each such cell is taken as a class of its own"
            ),
            _several(counts),
        ),
    }
    join = Remedy("spellings", "join", verb="say")
    ways = {"label-case": Remedy("spellings", "join-case", verb="say"), "label-spelling": join, "label-letters": join}
    return [
        Notice(code, Sentence(sentence.template, labels=names(some), name=quoted(name), spellings=ways.get(code, "")))
        for code, (sentence, some) in found.items()
        if some
    ]


def _missing_words(counts: Counter[str]) -> list[str]:
    return [label for label in counts if label.lower() in MISSING_WORDS | NOT_A_NUMBER]


def _same(labels: Counter[str], key: Callable[[str], object]) -> list[str]:
    groups: dict[object, list[str]] = {}
    for label in labels:
        groups.setdefault(key(label), []).append(label)
    return [label for group in groups.values() if len(group) > 1 for label in group]


def _same_numbers(counts: Counter[str]) -> list[str]:
    return _same(Counter(label for label in counts if is_number(label)), spellings.number)


def _look_alike(counts: Counter[str]) -> list[str]:
    return _same(Counter(label for label in counts if not is_number(label)), spellings.joined)


def _several(counts: Counter[str]) -> list[str]:
    """Return the cells whose parts are classes themselves, or parts of other such cells."""
    for mark in ",;|+/":
        cells = {label: [part.strip() for part in label.split(mark)] for label in counts if mark in label}
        known = Counter(part for parts in cells.values() for part in set(parts)) + Counter(set(counts) - set(cells))
        several = [label for label, parts in cells.items() if all(parts) and any(known[part] > 1 for part in parts)]
        if several and not all(is_number(label) for label in several):
            return list(islice(several, 100))
    return []
