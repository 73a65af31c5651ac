"""mcsvm inspect"""

from __future__ import annotations

import argparse
from typing import Any

from mcsvm_gui.commands import output
from mcsvm_gui.commands.reading import read_options
from mcsvm_gui.core.dataset import Dataset
from mcsvm_gui.core.exits import DONE
from mcsvm_gui.core.readers import open_dataset

SHOWN = 20  # features and classes in words; the document has all


def run(options: argparse.Namespace) -> int:
    dataset = open_dataset(options.data, read_options(options))
    if options.json:
        output.show_json(document(dataset))
    else:
        print("\n".join(words(dataset)))
    return DONE


def document(dataset: Dataset) -> dict[str, Any]:
    return {
        "name": dataset.name,
        "format": dataset.format,
        "rows": dataset.rows,
        "features": [{"name": column.name, "kind": column.kind} for column in dataset.columns],
        "n_features": len(dataset.columns),
        "label": dataset.label_name,
        "classes": list(dataset.classes),
        "class_counts": list(dataset.class_counts),
        "missing": dataset.missing,
        "guesses": [{"what": guess.what, "value": guess.value, "option": guess.option} for guess in dataset.guesses],
        "warnings": [notice.sentence for notice in dataset.notices],
        "digest": dataset.digest,
    }


def words(dataset: Dataset) -> list[str]:
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
    if dataset.guesses:
        lines += ["Taken for granted:"]
        lines += [f"  {guess.what}: {guess.value} ({guess.option} says otherwise)" for guess in dataset.guesses]
    return lines + [f"Warning: {notice.sentence}." for notice in dataset.notices]


def _short(name: str) -> str:
    """On one line, and not too much of it."""
    shown = name if name.isprintable() else repr(name)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."


def _more(total: int, what: str) -> list[str]:
    return [f"  ... and {total - SHOWN} more {what} (--json lists all)"] if total > SHOWN else []
