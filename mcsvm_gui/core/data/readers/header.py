"""Decide whether the first record names the columns, and name the columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.data.dataset import Notice
from mcsvm_gui.core.data.phrases import names
from mcsvm_gui.core.data.readers.cells import CellKind, is_number, kind_of, value_of

STEPS = 5  # this many numbers in equal steps do not occur by chance in a row of data
LABEL_NAMES = "label", "class", "target", "y"
_NUMERIC = {CellKind.NUMBER, CellKind.INFINITE, CellKind.NAN, CellKind.ODD}


def looks_like_header(first: Sequence[str], rest: Sequence[Sequence[str]], decimal: str) -> bool:
    cells = [cell.strip() for cell in first]
    if any(cell.lower() in LABEL_NAMES for cell in cells):
        return True
    kinds = [kind_of(cell, decimal) for cell in cells]
    if _steps_beside_words(cells, decimal) and not (rest and _steps_beside_words(rest[0], decimal)):
        return True
    if any(kind in _NUMERIC or cell == "?" for cell, kind in zip(cells, kinds, strict=True)):
        return False
    columns = [{row[j].strip() for row in rest if j < len(row)} for j in range(len(cells))]
    if any(kind_of(cell, decimal) in _NUMERIC for column in columns for cell in column):
        return True
    # All cells are text: the words of a header do not occur again below it.
    return sum(cell in column for cell, column in zip(cells, columns, strict=True)) * 2 < len(cells)


def _steps_beside_words(cells: Sequence[str], decimal: str) -> bool:
    """Return whether a row has words and numbers in equal steps, such as the wavelengths above columns of spectra."""
    values = [value_of(cell.strip(), decimal) for cell in cells if is_number(cell.strip(), decimal)]
    if len(values) < STEPS or len(values) == len(cells):
        return False
    step = (values[-1] - values[0]) / (len(values) - 1)
    near = 0.02 * abs(step)  # wavelengths are written with few digits
    return step != 0.0 and all(abs(then - now - step) <= near for now, then in pairwise(values))


def column_names(header: Sequence[str] | None, width: int) -> tuple[list[str], list[Notice]]:
    """Return distinct names. Columns without a name are called by their number, counted from 1."""
    if header is None:
        return [str(number) for number in range(1, width + 1)], []
    given = [cell.strip() for cell in header]
    unnamed = [number for number, cell in enumerate(given, start=1) if not cell]
    found = [cell or str(number) for number, cell in enumerate(given, start=1)]
    distinct = _distinct(found)
    notices = []
    if unnamed:
        which = ", ".join(map(str, unnamed[:5])) + (", ..." if len(unnamed) > 5 else "")
        sentence = Sentence(
            "{count} column has no name, called by number: {which}",
            "{count} columns have no name, called by number: {which}",
            count=len(unnamed),
            which=which,
        )
        notices.append(Notice("unnamed-column", sentence))
    if distinct != found:
        repeated = [name for name, times in Counter(found).items() if times > 1]
        renamed = [new for new, old in zip(distinct, found, strict=True) if new != old]
        sentence = Sentence(
            "several columns are called {repeated}; all are kept, the later ones as {renamed}",
            repeated=names(repeated),
            renamed=names(renamed),
        )
        notices.append(Notice("duplicate-header", sentence))
    return distinct, notices


def _distinct(found: Sequence[str]) -> list[str]:
    taken, result, counts = set(found), [], dict.fromkeys(found, 0)
    for name in found:
        new = name
        while counts[name] and new in taken:
            new = f"{name}.{counts[name]}"
            counts[name] += new in taken
        counts[name] = max(counts[name], 1)
        taken.add(new)
        result.append(new)
    return result
