"""Which data a run belongs to, and how its rows were preprocessed, from the plain document of its request.

Runs belong together if they were trained on the same content with the same import settings: the same rows, classes and
column roles (`data_key`). Preprocessing (scaling, missing values and so on) is a choice that users compare on the same
data, so it does not separate runs; it names them, in tables, comparisons, the answer and reports.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.base.options import options_of
from mcsvm_gui.core.data.options import Rules

SEPARATOR = " · "
NAMED = 2  # columns listed by name


def data_key(request: Mapping[str, Any]) -> tuple[str | None, str]:
    """Return a key that is equal for requests with the same file content and the same import settings."""
    digest = request.get("digest")
    return (digest if isinstance(digest, str) else None), _plain(request.get("read"))


def preprocessing_key(request: Mapping[str, Any]) -> str:
    """Return a key that is equal for requests with the same preprocessing."""
    return _plain(request.get("rules"))


def drops_rows(request: Mapping[str, Any]) -> bool:
    """Return whether rows with missing values are left out, of the test rows too."""
    return _part(request, "rules").get("missing") == "drop"


def differ_in_preprocessing(requests: Iterable[Mapping[str, Any]]) -> bool:
    return len(set(map(preprocessing_key, requests))) > 1


def preprocessing_text(request: Mapping[str, Any]) -> str:
    """Return the preprocessing in a few words: the scaling, and what differs from the defaults."""
    return SEPARATOR.join([_scaling(_part(request, "rules")), *_unusual_rules(_part(request, "rules"))])


def data_title(name: str, request: Mapping[str, Any]) -> str:
    """Return the name of a data file with the import settings and the preprocessing that differ from the defaults."""
    rules = _part(request, "rules")
    scaled = [] if rules.get("scale", "minmax") == "minmax" else [_scaling(rules)]
    return SEPARATOR.join([name, *_import_settings(_part(request, "read")), *scaled, *_unusual_rules(rules)])


def _scaling(rules: Mapping[str, Any]) -> str:
    words = {"minmax": tr("scaled to [-1, 1]"), "standard": tr("standardized"), "none": tr("not scaled")}
    return words.get(str(rules.get("scale", "minmax")), "")


def _unusual_rules(rules: Mapping[str, Any]) -> list[str]:
    """Return the rules but the scaling that differ from the defaults, in words."""
    missing = {
        "drop": tr("rows with missing values left out"),
        "mean": tr("missing values: mean"),
        "median": tr("missing values: median"),
        "most-frequent": tr("missing values: most frequent"),
        "category": tr("missing values: own category"),
        "knn": tr("missing values: nearest neighbors"),
    }
    said = [words] if (words := missing.get(str(rules.get("missing")))) else []
    for name, option in options_of(Rules).items():
        value = rules.get(name)
        if name not in ("scale", "missing") and value is not None and _plain(value) != _plain(option.default):
            written = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
            said.append(tr(option.title) if value is True else f"{tr(option.title)}: {written}")
    return said


def _only(names: Sequence[object]) -> str:
    if len(names) > NAMED:
        return tr("only {count} columns", count=len(names))
    return tr("only {names}", names=", ".join(map(str, names)))


def _without(names: Sequence[object]) -> str:
    if len(names) > NAMED:
        return tr("without {count} columns", count=len(names))
    return tr("without {names}", names=", ".join(map(str, names)))


NAMES, LIST = (str, int), (list, tuple)  # types of values
_IMPORT_SETTINGS: dict[str, tuple[tuple[type, ...], Callable[[Any], str]]] = {
    "label": (NAMES, lambda value: tr("classes: {column}", column=value)),
    "groups": (NAMES, lambda value: tr("groups: {column}", column=value)),
    "fold_column": (NAMES, lambda value: tr("folds: {column}", column=value)),
    "weights": (NAMES, lambda value: tr("weights: {column}", column=value)),
    "where": (NAMES, lambda value: tr("rows where {condition}", condition=value)),
    "merge": (NAMES, lambda value: tr("merged classes: {classes}", classes=value)),
    "table": (NAMES, lambda value: tr("table {name}", name=value)),
    "share": ((float,), lambda value: tr("{share} of the rows", share=figures.percent(value))),
    "columns": (LIST, _only),
    "drop": (LIST, _without),
}


def _import_settings(read: Mapping[str, Any]) -> list[str]:
    """Return the settings that decide which rows, classes and columns are used, if they are not the defaults.

    A project file may hold anything, so values of another type are left out.
    """
    return [
        write(value)
        for name, (types, write) in _IMPORT_SETTINGS.items()
        if isinstance(value := read.get(name), types) and value not in ("", (), [])
    ]


def _part(request: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a nested document; a project file may hold anything."""
    part = request.get(name)
    return part if isinstance(part, Mapping) else {}


def _plain(value: Any) -> str:
    """Return JSON text: requests of this session have tuples, and those of a file lists."""
    return json.dumps(value, sort_keys=True, default=str)
