"""From options to values: the request, how to read files, and the files themselves."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from mcsvm_gui.core import request as requests
from mcsvm_gui.core.dataset import Dataset, NumberedColumns
from mcsvm_gui.core.preparation import Rules
from mcsvm_gui.core.readers import ReadOptions, open_dataset
from mcsvm_gui.core.request import Request
from mcsvm_gui.core.trained import TrainedModel
from solvers.errors import InputError

READ = "label", "format", "header", "separator", "decimal", "encoding"
RULES = "scale", "missing"
NUMBERS = "C", "coef0", "margin", "tol", "gap_tol", "time_limit", "cache_mb", "holdout"
WHOLE = "degree", "max_iter", "threads", "seed"
WORDS = "machine", "solver", "kernel", "bias"
PARSERS: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(NUMBERS, requests.number),
    **dict.fromkeys(WHOLE, requests.whole_number),
    **dict.fromkeys(WORDS, str),
    "gamma": requests.gamma,
    "class_weight": requests.class_weight,
}


def read_options(options: argparse.Namespace, before: ReadOptions | None = None) -> ReadOptions:
    return replace(before or ReadOptions(), **_given(options, READ))


def request_of(options: argparse.Namespace) -> Request:
    """What the user asked for; names that only the solvers know are judged by them."""
    values = {name: _parsed(name, text) for name, text in _given(options, PARSERS).items()}
    rules = Rules(**_given(options, RULES))
    return Request(**values, rules=rules, read=read_options(options), data=options.data, test=options.test)


def _given(options: argparse.Namespace, names: Any) -> dict[str, str]:
    return {name: value for name in names if (value := getattr(options, name)) is not None}


def _parsed(name: str, text: str) -> Any:
    try:
        return PARSERS[name](text)
    except InputError as error:
        raise InputError(f"--{name.replace('_', '-')}: {error}") from None


def open_like(path: str, options: ReadOptions, label_name: str | None) -> Dataset:
    """A file to be decided or scored, whose label column is called as in training unless the user names another."""
    label = label_name if options.label is None else options.label
    return open_dataset(path, replace(options, label=label), needs_label=False)


def label_of(trained: TrainedModel) -> str | None:
    """LIBSVM files have their label in front, without a name."""
    return None if isinstance(trained.preparation.columns, NumberedColumns) else trained.label_name


def with_missing_rule(trained: TrainedModel, options: argparse.Namespace) -> TrainedModel:
    """A model whose rows with missing cells are treated as asked now; scaling is the model's own."""
    rules = trained.preparation.rules
    if options.scale not in (None, rules.scale):
        raise InputError(f"--scale {options.scale}: the model scales its features itself ({rules.scale}); leave it out")
    if options.missing in (None, rules.missing):
        return trained
    changed = replace(rules, missing=options.missing)
    if changed.fills:
        raise InputError(
            f"--missing {options.missing}: the model was trained with --missing {rules.missing} and knows no values"
            " to fill in; train it again, or say drop"
        )
    return replace(trained, preparation=replace(trained.preparation, rules=changed))
