"""mcsvm inspect"""

from __future__ import annotations

import argparse

from mcsvm_gui.cli import output
from mcsvm_gui.cli.reading import read_options
from mcsvm_gui.core.base.exits import DONE
from mcsvm_gui.core.data import inspection
from mcsvm_gui.core.data.dataset import Dataset

SHOWN = 20  # features and classes in the text; the document has all


def run(options: argparse.Namespace) -> int:
    dataset = inspection.inspect(options.data, read_options(options))
    output.warn(options, dataset.notices)
    output.show(
        options,
        lambda: inspection.document(dataset),
        lambda: summary_lines(dataset, *inspection.repeated(dataset)),
    )
    return DONE


def summary_lines(dataset: Dataset, duplicates: int, conflicts: int) -> list[str]:
    columns, counts = dataset.columns, list(zip(dataset.classes, dataset.class_counts, strict=True))
    lines = [
        (
            f"{dataset.name} ({dataset.format}): {output.plural(dataset.rows, 'row')},"
            f" {output.plural(len(columns), 'feature')}, {output.plural(len(counts), 'class', 'classes')},"
            f" {output.plural(dataset.missing, 'missing cell')}."
        ),
        "",
        "Features:",
        *(f"  {_short(column.name)}: {column.kind}" for column in columns[:SHOWN]),
        *_more(len(columns), "features"),
        f"Classes{'' if dataset.label_name is None else f' (column {_short(dataset.label_name)})'}:",
        *(f"  {_short(name)}: {output.plural(count, 'row')}" for name, count in counts[:SHOWN]),
        *_more(len(counts), "classes"),
    ]
    if duplicates:
        verb = "occurs" if duplicates == 1 else "occur"
        lines.append(f"Repeated: {output.plural(duplicates, 'row')} {verb} again.")
    if conflicts:
        lines.append(f"Conflicts: {output.plural(conflicts, 'row')} of features with more than one class.")
    if dataset.guesses:
        lines += ["Taken for granted:"]
        lines += [f"  {guess.what}: {guess.value} ({guess.option} says otherwise)" for guess in dataset.guesses]
    return lines


def _short(name: str) -> str:
    """Return a name on one line, shortened if it is long."""
    shown = name if name.isprintable() else repr(name)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."


def _more(total: int, what: str) -> list[str]:
    return [f"  ... and {total - SHOWN} more {what} (--json lists all)"] if total > SHOWN else []
