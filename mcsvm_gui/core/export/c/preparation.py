"""Preprocessing of raw rows in C: missing cells, texts as features, shift and scale."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from mcsvm_gui.core.export.c.literals import array, strings
from mcsvm_gui.core.export.flat_model import FlatModel

CODE = """
static int same_text(const char *a, const char *b)
{
    while (*a && *a == *b) { ++a; ++b; }
    return *a == *b;
}

static const char *text_of(int column, const char *const *texts)
{
    return texts[column] && *texts[column] ? texts[column] : text_fills[column];
}

static double value_of(long feature, const double *numbers, const char *const *texts)
{
    const int column = sources[feature];
    if (levels[feature]) return same_text(text_of(column, texts), levels[feature]) ? 1.0 : 0.0;
    return isnan(numbers[column]) && number_filled[column] ? number_fills[column] : numbers[column];
}

static int is_known(int column, const char *text)
{
    long f;
    for (f = 0; f < FEATURES; ++f)
        if (levels[f] && sources[f] == column && same_text(text, levels[f])) return 1;
    return 0;
}

/* The features that the kernel sees; 0 where the model refuses the row. */
static int prepare(const double *numbers, const char *const *texts, double *x)
{
    int column;
    long f;
    for (column = 0; column < MCSVM_TEXTS; ++column)
        if (!text_of(column, texts) || (STRICT && !is_known(column, text_of(column, texts)))) return 0;
    for (f = 0; f < FEATURES; ++f) {
        x[f] = (value_of(f, numbers, texts) - shift[f]) * scale[f];
        if (!isfinite(x[f])) return 0;
    }
    return 1;
}
"""


def sides(plain: FlatModel) -> tuple[list[int], list[int]]:
    """Return the indices of the numeric columns, and those of the text columns."""
    found: tuple[list[int], list[int]] = ([], [])
    for number, column in enumerate(plain.columns):
        found[column.levels is not None].append(number)
    return found


def tables(plain: FlatModel) -> Iterable[str]:
    numbers, texts = sides(plain)
    place = {column: position for side in (numbers, texts) for position, column in enumerate(side)}
    fills = [plain.columns[i].fill for i in numbers]
    yield strings("const char *const mcsvm_number_names", [plain.columns[i].name for i in numbers])
    yield strings("const char *const mcsvm_text_names", [plain.columns[i].name for i in texts])
    yield array("int sources", np.array([place[source] for source in plain.sources.tolist()]))
    yield strings("static const char *const levels", plain.levels)
    yield strings("static const char *const text_fills", [plain.columns[i].fill for i in texts])
    yield array("char number_filled", np.array([fill is not None for fill in fills], dtype=np.int64))
    yield array("double number_fills", np.array([0.0 if fill is None else float(fill) for fill in fills]))
    yield array("double shift", plain.shift)
    yield array("double scale", plain.scale)
